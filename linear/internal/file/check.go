package file

import (
	"math"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/soa"
)

// CheckSafe verifies the following invariants, for arbitrary bytes. Kernels do not check indices,
// and walks end only because the tree has no cycles; they rely on these invariants.
//
//	invariant                                 relied on by
//	columns of a kind have one length,        kernels, which index by slot and node; Up and
//	  below 2^28                                Location, which have 28 bits for it
//	a count is at most 16                     emit, which advances by counts in room for 16
//	a free lane of a packet is empty, bit     all tests of 16 boxes at once: every hit is
//	  by bit                                    an object, and rays skip a NaN
//	the box of a live lane has no NaN         the same, conversely: no d2 and no time is NaN
//	no more moving lanes than live ones       filters by motion
//	an ID has a row in Where, which names     callers, which allocate by ID; Locate for the
//	  its lane; so each is in one lane          results of queries; ties by ID
//	a used lane of a node leads to a packet   walks, kernels: each is visited once, so they end,
//	  or node that leads back (Up, Owner)       and queues hold at most all nodes; OrientedBox
//	heights decrease on the way down          recursions, at most 256 deep; estimates
//	a node has 1 to 16 lanes, the lanes       walks (a free lane with a box leads to the root,
//	  after them are empty                      for ever); CellOf, by their first keys
//	each packet is below one cell, above      CellOf, which descends to a cell and would treat
//	  which there are only nodes                a packet as if it were a node
//	a span holds the packets below, and no    full containment: no object is in a result twice,
//	  others that hold objects                  and no result is longer than all objects
//	Below is the sum of the counts below      Count
//	pending slots: each once, without owner   all walks, which begin with them
//	all objects are below the root or         results no longer than Count, k at most Count
//	  pending, and as many as Count
//	a lane holds the boxes, masks and flags   correct results only; Extent: frusta, convex
//	  of all below; Extent all of them          volumes (bounds of rounding), nearest
//	bounds of live lanes are finite           exact tests: no distance is NaN
//
// Inverted boxes, inexact tight boxes and the order of keys are not checked here: they only decide
// whether results are correct or fast. [CheckFull] and linear.Snapshot.Load check them.

// safety is the check, one pass over the columns that queries read. The checksum of a chunk is
// compared just before its rows are checked, while they are in the cache.
type safety struct {
	s     *soa.Store
	where []soa.Location

	nodeSums, packetSums []columnSum

	seen   bitset.Set // pending slots
	plain  bool       // kernels do not detect a NaN
	before []uint32   // number of objects in the slots before each
	below  []subtree
}

// subtree summarizes the objects below a node.
type subtree struct {
	slots   soa.Span // smallest span of all packets
	objects uint32
	cells   bool // its packets are in cells below or at it
}

// columnSum compares the checksums of a column.
type columnSum struct {
	snap.Checker
	row int64
}

func (s *Snapshot) safe() error {
	c := &safety{s: s.Tree.Store, where: s.Lists.Where}
	for _, name := range [...]string{"Pending", "Counts", "PacketParents"} {
		if err := s.File.Check(s.File.Find(s.group, name)); err != nil {
			return err
		}
	}
	for _, col := range c.s.Packets.Columns(c.s.Nodes.Columns(nil)) {
		if coldColumns[col.Name] || col.Name == "IDs" {
			continue
		}
		sum, err := s.File.Checker(s.File.Find(s.group, col.Name))
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

// upTo compares the checksums of the rows before rows.
func upTo(list []columnSum, rows int) error {
	for i := range list {
		if err := list[i].To(list[i].row * int64(rows)); err != nil {
			return err
		}
	}
	return nil
}

// numbers checks the values outside the columns.
func (c *safety) numbers() error {
	for a := range 3 {
		if near, all := c.s.Near[a], c.s.Extent[a]; !(near >= 0 && near <= all && all <= math.MaxFloat32) {
			return NotSound("the bounds of coordinates are %v and %v", c.s.Near, c.s.Extent)
		}
	}
	if n := c.s.Count; n < 0 || n > len(c.where) {
		return NotSound("%d objects with %d IDs", n, len(c.where))
	}
	return nil
}

// counts sums the objects in packets.
func (c *safety) counts() error {
	counts := c.s.Packets.Counts
	c.before = mem.Fresh[uint32](nil, len(counts)+1)
	sum := uint64(0)
	for slot, n := range counts {
		c.before[slot] = uint32(sum)
		if n > soa.Lanes {
			return NotSound("slot %d holds %d objects", slot, n)
		}
		sum += uint64(n)
	}
	if c.before[len(counts)] = uint32(sum); sum != uint64(c.s.Count) {
		return NotSound("%d objects in packets, there are %d", sum, c.s.Count)
	}
	return nil
}

// pending checks the pending list.
func (c *safety) pending() error {
	p := &c.s.Packets
	for _, slot := range c.s.Pending {
		if int(slot) >= len(p.Counts) {
			return NotSound("slot %d of %d is pending", slot, len(p.Counts))
		}
		if c.seen.Has(slot) {
			return NotSound("slot %d is pending twice", slot)
		}
		c.seen.Add(slot)
		if up := p.Parents[slot]; up != soa.NoParent {
			return NotSound("slot %d is pending and has the owner %#x", slot, up)
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
		return NotSound("%d objects are below the root or pending, there are %d", n, c.s.Count)
	}
	return nil
}
