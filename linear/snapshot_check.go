package linear

import (
	"math"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/soa"
)

// What makes a snapshot safe to query, whatever the bytes are. Kernels do not check
// indices, and walks end because a tree is one: this is what they rely on.
//
//	rule                                      who relies on it
//	columns of a kind have one length,        kernels, which index by slot and node; Up and
//	  below 2^28                                Place, which have 28 bits for it
//	a count is at most 16                     emit, which goes on by counts in room for 16
//	a free lane of a packet is empty, bit     all that test 16 boxes at once: what they hit is
//	  by bit                                    an object, and a NaN is passed over by rays
//	the box of a live lane is no NaN          the same, the other way round: no d2, no time is NaN
//	no more moving lanes than live ones       filters by motion
//	an ID has a row in Where, which names     callers, who allocate by ID; PlaceOf, of what a
//	  its lane; so each is in one lane          query has found; ties by ID
//	a used lane of a node leads to a packet   walks, kernels: each is met once, so they end, and
//	  or node that leads back (Up, Owner)       queues hold at most all nodes; OrientedBox
//	heights fall on the way down              recursions, at most 256 deep; estimates
//	a node has 1 to 16 lanes, those behind    walks (a free lane with a box leads to the root,
//	  are empty                                 for ever); HomeOf, by their first keys
//	each packet is below one cell, above      HomeOf, which goes down to a cell and would go on
//	  which there are only nodes                from a packet as if it were a node
//	a span holds the packets below, and no    what is inside: no object is in an answer twice, and
//	  others that hold objects                  none in that is longer than there are objects
//	Below is the sum of the counts below      Count
//	pending slots: each once, without owner   all walks begin with them
//	all objects are below the root or         answers no longer than Count, k at most Count
//	  pending, and as many as Count
//	a lane holds the boxes, masks and flags   no answer relies on it but the right one
//	  of all below; Extent all of them          frusta, convex volumes (bounds of rounding), nearest
//	bounds of live lanes are finite           exact tests: no distance is NaN
//
// What is not here: that boxes are not inverted, tight boxes exact, keys in order: they
// decide whether an answer is right or found fast. [CheckFull] and [Snapshot.Load] look.

// safety is the check, one pass over what queries read. The sums of a chunk are compared
// just before its rows are looked at, which are in the cache then.
type safety struct {
	s     *soa.Store
	where []soa.Location

	nodeSums, packetSums []columnSum

	seen   bitset.Set // pending slots
	plain  bool       // kernels do not tell a NaN
	before []uint32   // objects in the slots before each
	below  []subtree
}

// subtree is what is below a node.
type subtree struct {
	slots   soa.Span // the smallest span of all packets
	objects uint32
	cells   bool // its packets are in cells below or at it
}

// columnSum compares the sums of a column.
type columnSum struct {
	snap.Checker
	row int64
}

func (s *Snapshot) safe() error {
	c := &safety{s: s.tree.store, where: s.lists.where}
	for _, name := range [...]string{"Pending", "Counts", fileName("Owner")} {
		if err := s.file.Check(s.file.Find(s.group, name)); err != nil {
			return err
		}
	}
	for _, col := range c.s.Packets.Columns(c.s.Nodes.Columns(nil)) {
		if coldColumns[col.Name] || col.Name == "IDs" {
			continue
		}
		sum, err := s.file.Checker(s.file.Find(s.group, fileName(col.Name)))
		if err != nil {
			return err
		}
		list := &c.packetSums
		if col.Kind == soa.HotNodes || col.Kind == soa.ColdNodes {
			list = &c.nodeSums
		}
		*list = append(*list, columnSum{sum, int64(col.RowSize())})
	}
	for _, step := range [...]func() error{c.numbers, c.counts, c.pending, c.nodes, c.total, c.packets, s.objects} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// upTo compares the sums of the rows before one.
func upTo(list []columnSum, rows int) error {
	for i := range list {
		if err := list[i].To(list[i].row * int64(rows)); err != nil {
			return err
		}
	}
	return nil
}

// numbers checks what is not in columns.
func (c *safety) numbers() error {
	for a := range 3 {
		if near, all := c.s.Near[a], c.s.Extent[a]; !(near >= 0 && near <= all && all <= math.MaxFloat32) {
			return notSound("the bounds of coordinates are %v and %v", c.s.Near, c.s.Extent)
		}
	}
	if n := c.s.Count; n < 0 || n > len(c.where) {
		return notSound("%d objects with %d IDs", n, len(c.where))
	}
	return nil
}

// counts adds up what is in packets.
func (c *safety) counts() error {
	counts := c.s.Packets.Counts
	c.before = mem.Fresh[uint32](nil, len(counts)+1)
	sum := uint64(0)
	for slot, n := range counts {
		c.before[slot] = uint32(sum)
		if n > soa.Lanes {
			return notSound("slot %d holds %d objects", slot, n)
		}
		sum += uint64(n)
	}
	if c.before[len(counts)] = uint32(sum); sum != uint64(c.s.Count) {
		return notSound("%d objects in packets, there are %d", sum, c.s.Count)
	}
	return nil
}

// pending checks the pending list.
func (c *safety) pending() error {
	p := &c.s.Packets
	for _, slot := range c.s.Pending {
		if int(slot) >= len(p.Counts) {
			return notSound("slot %d of %d is pending", slot, len(p.Counts))
		}
		if c.seen.Has(slot) {
			return notSound("slot %d is pending twice", slot)
		}
		c.seen.Add(slot)
		if up := p.Owner[slot]; up != soa.NoUp {
			return notSound("slot %d is pending and has the owner %#x", slot, up)
		}
	}
	return nil
}

// total checks that all objects are in the tree or pending.
func (c *safety) total() error {
	n := 0
	if len(c.below) > 0 {
		n = int(c.below[0].objects)
	}
	for _, slot := range c.s.Pending {
		n += int(c.s.Packets.Counts[slot])
	}
	if n != c.s.Count {
		return notSound("%d objects are below the root or pending, there are %d", n, c.s.Count)
	}
	return nil
}
