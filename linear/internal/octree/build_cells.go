package octree

import (
	"sync/atomic"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// Partitioning of cells in a build. The topology assigns each packet a number of items in key
// order, which completes a build along the curve. A build in space partitions the items of each
// cell so that the items of a packet are close together: see cut.go. Cells are independent, and
// workers process them in parallel.

// cellStep is the number of nodes whose cells a worker takes at a time.
const cellStep = 32

// cellCutter is the state of one worker that partitions cells of several nodes. The zero value is
// ready to use; it keeps its memory.
type cellCutter struct {
	cutter
	former []uint64 // the items of the cell in key order
	keys   []uint64 // the keys of former
}

// cutterBytes returns the memory of cutters in bytes.
func cutterBytes(all []cellCutter) int {
	bytes := mem.Bytes(all)
	for i := range all {
		bytes += all[i].bytes() + mem.Bytes(all[i].former) + mem.Bytes(all[i].keys)
	}
	return bytes
}

// soonTicks is the number of ticks after a build in which the next build may follow, so that nodes are not cut yet.
const soonTicks = 1

// builtSoon reports whether the last build was so few ticks ago.
func (t *Tree) builtSoon() bool { return t.Tick-t.BuiltAtTick <= soonTicks }

// howToCut returns the way to cut that the options and the configuration choose. CutAuto is only that of trees with
// room for insertions.
func (j *job) howToCut() Cut {
	cut := j.opt.Cut
	if cut == CutAuto {
		cut = j.t.Config.Cut
	}
	if cut == CutAuto && j.opt.Frozen {
		return CutSpace
	}
	return cut
}

// cutCells partitions the items of all cells.
func (j *job) cutCells() {
	topo, sc := &j.t.Buffers().topo, j.t.Buffers()
	workers := max(j.workers(j.n, CutMin), 1)
	for len(sc.cutters) < workers {
		sc.cutters = append(sc.cutters, cellCutter{})
	}
	if workers == 1 {
		topo.cutCells(0, topo.n, &sc.cutters[0])
	} else {
		topo.cutInTurn(sc.cutters[:workers])
	}
}

// cutInTurn partitions all cells with several workers, which take runs of nodes from a counter.
func (t *topology) cutInTurn(all []cellCutter) {
	var next atomic.Int64
	InParts(0, len(all), len(all), func(number, _, _ int) {
		for {
			lo := int(next.Add(cellStep)) - cellStep
			if lo >= t.n {
				return
			}
			t.cutCells(lo, min(lo+cellStep, t.n), &all[number])
		}
	})
}

// leafRoom is the scratch memory for the partition of a leaf. It is on the worker's stack, so that
// small trees have small buffers.
type leafRoom struct {
	leaf         build.Cut
	keys, former [leafMax]uint64
	at           [3][leafMax]uint32
}

// cutCells partitions the cells among nodes lo to hi-1.
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

// cutLeaf partitions a cell of one node.
func (t *topology) cutLeaf(items []uint64, r *leafRoom) {
	n := len(items)
	former, keys, x, y, z := r.former[:n], r.keys[:n], r.at[0][:n], r.at[1][:n], r.at[2][:n]
	t.take(former, keys, items)
	build.DecodeKeys(x, y, z, keys)
	r.leaf.Load(x, y, z)
	var ends [soa.Fan + 1]int
	halveLeaf(&r.leaf, full(&ends, 0, n, t.fill))
	for i := range items {
		items[i] = r.former[r.leaf.Place(i)]
	}
}

// cutLarge partitions a cell of several nodes.
func (t *topology) cutLarge(items []uint64, c *cellCutter, leaf *build.Cut) {
	n := len(items)
	c.former, c.keys = mem.Fresh(c.former, n), mem.Fresh(c.keys, n)
	t.take(c.former, c.keys, items)
	c.load(c.keys)
	t.cutBelow(0, n, c, leaf)
	for i, of := range c.objects.Of {
		items[i] = c.former[of]
	}
}

// cutBelow partitions objects lo to hi-1 of a cell in the way [topology.below] has divided them.
func (t *topology) cutBelow(lo, hi int, c *cellCutter, leaf *build.Cut) {
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

// take copies items to former and their keys to keys.
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
