package linear

import (
	"sync/atomic"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/soa"
)

// The cells of a build. The topology has made room for so many items in each packet, in
// the order of keys: that is all for a build along the curve. One in space cuts each cell,
// which puts its items into the order of packets that lie together: see cut.go. Cells do
// not depend on each other, and workers take them in turn; nor do the halves of a cell, and
// when one is all there is they cut it together.

// cellStep is the number of nodes whose cells a worker takes at a time.
const cellStep = 32

// cellCutter is what one worker needs to cut cells of several nodes. The zero one is
// ready; it keeps its memory.
type cellCutter struct {
	cutter
	former []uint64 // the items of the cell in the order of keys
	keys   []uint64 // and their keys
}

// cutterBytes returns the memory that cutters keep.
func cutterBytes(all []cellCutter) int {
	bytes := space(all)
	for i := range all {
		bytes += all[i].bytes() + space(all[i].former) + space(all[i].keys)
	}
	return bytes
}

// soonTicks is the number of ticks from one build to the next up to which a third is
// taken to follow soon. A cut that serves four frames in which all objects move costs a
// tenth of what these moves do, and boxes of 100 objects visit a sixth less for it.
const soonTicks = 1

// alongCurve reports whether packets are filled along the curve.
func (j *job) alongCurve() bool {
	t, cut := j.t, j.opt.Cut
	if cut == CutAuto {
		cut = t.cfg.Cut
	}
	if cut == CutAuto {
		return !j.opt.Frozen && j.from != nil && t.tick-t.built <= soonTicks && t.isMajority(t.moves+t.work.Moved)
	}
	return cut == CutCurve
}

// cutCells cuts all cells.
func (j *job) cutCells() {
	topo, sc := &j.t.buffers().topo, j.t.buffers()
	workers := max(j.workers(j.n, cutMin), 1)
	for len(sc.cutters) < workers {
		sc.cutters = append(sc.cutters, cellCutter{})
	}
	switch {
	case workers == 1:
		topo.cutCells(0, topo.n, &sc.cutters[0])
	case topo.nodes.Cells[0] != soa.NoSpan && len(topo.items) > topo.leafFill():
		topo.cutTogether(sc.cutters[:workers])
	default:
		topo.cutInTurn(sc.cutters[:workers])
	}
}

// cutInTurn cuts all cells with several cutters.
func (t *topology) cutInTurn(all []cellCutter) {
	var next atomic.Int64
	inParts(0, len(all), len(all), func(number, _, _ int) {
		for {
			lo := int(next.Add(cellStep)) - cellStep
			if lo >= t.n {
				return
			}
			t.cutCells(lo, min(lo+cellStep, t.n), &all[number])
		}
	})
}

// A leafRoom is where leaves are cut. A worker has it on its stack: a small tree is to have
// small buffers.
type leafRoom struct {
	leaf         asm.Cut
	keys, former [leafMax]uint64
	at           [3][leafMax]uint32
}

// cutCells cuts the cells among the nodes lo to hi-1.
func (t *topology) cutCells(lo, hi int, c *cellCutter) {
	var room leafRoom
	for node, cell := range t.nodes.Cells[lo:hi] {
		if cell == soa.NoSpan {
			continue
		}
		slots := t.nodes.Slots[lo+node]
		items := t.items[t.starts[slots.First]:t.starts[slots.End]]
		switch n := len(items); {
		case n <= t.fill:
		case n <= t.leafFill():
			t.cutLeaf(items, &room)
		default:
			t.cutLarge(items, c, &room.leaf)
		}
	}
}

// cutLeaf cuts a cell of one node.
func (t *topology) cutLeaf(items []uint64, r *leafRoom) {
	n := len(items)
	former, keys, x, y, z := r.former[:n], r.keys[:n], r.at[0][:n], r.at[1][:n], r.at[2][:n]
	t.take(former, keys, items)
	asm.DecodeKeys(x, y, z, keys)
	r.leaf.Load(x, y, z)
	var ends [soa.Fan + 1]int
	halveLeaf(&r.leaf, full(&ends, 0, n, t.fill))
	for i := range items {
		items[i] = r.former[r.leaf.Place(i)]
	}
}

// cutLarge cuts a cell of several nodes.
func (t *topology) cutLarge(items []uint64, c *cellCutter, leaf *asm.Cut) {
	t.open(items, c)
	t.cutBelow(0, len(items), c, leaf)
	c.give(items)
}

// open makes the items of a cell those of c.
func (t *topology) open(items []uint64, c *cellCutter) {
	n := len(items)
	c.former, c.keys = mem.Fresh(c.former, n), mem.Fresh(c.keys, n)
	t.take(c.former, c.keys, items)
	c.load(c.keys)
}

// give puts the items of the cell into their new order.
func (c *cellCutter) give(items []uint64) {
	for i, of := range c.objects.Of {
		items[i] = c.former[of]
	}
}

// cutBelow cuts the objects lo to hi-1 of a cell as [topology.below] has parted them.
func (t *topology) cutBelow(lo, hi int, c *cellCutter, leaf *asm.Cut) {
	if hi-lo <= t.leafFill() {
		c.packets(lo, hi, t.fill, leaf)
		return
	}
	d := t.divide(lo, hi)
	t.cutParts(&d, 0, d.n, c, leaf)
}

// cutParts cuts the parts from to to-1 of a division, which are one run before.
func (t *topology) cutParts(d *division, from, to int, c *cellCutter, leaf *asm.Cut) {
	for _, h := range d.halves[:d.n-1] {
		if d.cuts[from] <= h[0] && h[2] <= d.cuts[to] {
			c.halve(h[0], h[1], h[2])
		}
	}
	for l := from; l < to; l++ {
		t.cutBelow(d.cuts[l], d.cuts[l+1], c, leaf)
	}
}

// cutTogether cuts a cell that holds all items, with several cutters.
func (t *topology) cutTogether(all []cellCutter) {
	t.open(t.items, &all[0])
	for i := range all[1:] {
		all[1+i].objects = all[0].objects // their scratch is their own
	}
	d := t.divide(0, len(t.items))
	t.fork(&d, 0, d.n, all)
	for i := range all[1:] {
		all[1+i].objects = asm.CutRun{}
	}
	all[0].give(t.items)
}

// fork is cutParts with several cutters: the run is halved, and each half is cut by half
// of them.
func (t *topology) fork(d *division, from, to int, all []cellCutter) {
	if len(all) == 1 || to-from == 1 {
		t.cutParts(d, from, to, &all[0], new(asm.Cut))
		return
	}
	for _, h := range d.halves[:d.n-1] {
		if h[0] != d.cuts[from] || h[2] != d.cuts[to] {
			continue
		}
		all[0].halve(h[0], h[1], h[2])
		mid := from
		for d.cuts[mid] < h[1] {
			mid++
		}
		team.Run(2, func(member int) {
			if member == 0 {
				t.fork(d, from, mid, all[:len(all)/2])
			} else {
				t.fork(d, mid, to, all[len(all)/2:])
			}
		}, nil)
	}
}

// take copies items and fetches their keys.
func (t *topology) take(former, keys, items []uint64) {
	former, keys = former[:len(items)], keys[:len(items)]
	for i, item := range items {
		former[i], keys[i] = item, t.keys[radix.Index(item)]
	}
	if t.sq.on {
		for i, key := range keys {
			keys[i] = t.sq.key(key)
		}
	}
}
