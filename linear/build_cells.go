package linear

import (
	"sync/atomic"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// The cells of a build. The topology has made room for so many items in each packet, in
// the order of keys: that is all for a build along the curve. One in space cuts each cell,
// which puts its items into the order of packets that lie together: see cut.go. Cells do
// not depend on each other, and workers take them in turn.

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
// taken to follow soon.
const soonTicks = 4

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
	topo, sc := &j.t.scratch.topo, &j.t.scratch
	workers := max(j.workers(j.n, cutMin), 1)
	for len(sc.cutters) < workers {
		sc.cutters = append(sc.cutters, cellCutter{})
	}
	if workers == 1 {
		topo.cutCells(0, topo.n, &sc.cutters[0])
		return
	}
	var next atomic.Int64
	inParts(0, workers, workers, func(number, _, _ int) {
		for {
			lo := int(next.Add(cellStep)) - cellStep
			if lo >= topo.n {
				return
			}
			topo.cutCells(lo, min(lo+cellStep, topo.n), &sc.cutters[number])
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
	n := len(items)
	c.former, c.keys = soa.Fresh(c.former, n), soa.Fresh(c.keys, n)
	t.take(c.former, c.keys, items)
	c.load(c.keys)
	t.cutBelow(0, n, c, leaf)
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
	for _, h := range d.halves[:d.n-1] {
		c.halve(h[0], h[1], h[2])
	}
	for l := range d.n {
		t.cutBelow(d.cuts[l], d.cuts[l+1], c, leaf)
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
