package linear

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/soa"
)

// The cut of a cell. Below a cell, space decides and not the curve: a run of objects
// is halved, and each half again, across the longest side of what holds their grid
// cells. What comes out is defined, so that any way to find it gives the same lanes:
//
//	axis     of the largest span of the grid coordinates; of equal ones x before y before z
//	members  the lower part are the first of all by coordinate, and of those with one
//	         coordinate the first in the former order, which is that of keys in a build
//	order    each part keeps the former order
//
// Grid coordinates are those in the keys (package morton), integers of 21 bits. Runs of
// a leaf are cut by kernels, see asm.Cut, and longer ones here.

// cutter cuts runs of objects, which lie in its columns. The zero cutter is ready; it
// keeps its memory.
type cutter struct {
	objects gridColumns
	upper   gridColumns // the upper part of a run that is being halved
	ties    []uint32    // coordinates that may be the one in the middle
}

// gridColumns say of each object where its centre is on the grid, and where it was in
// the former order.
type gridColumns struct {
	at [3][]uint32
	of []uint32
}

// fresh makes room for n objects, and forgets those that there are.
func (g *gridColumns) fresh(n int) {
	for a := range g.at {
		g.at[a] = soa.Fresh(g.at[a], n)
	}
	g.of = soa.Fresh(g.of, n)
}

// slice returns the objects lo to hi-1.
func (g *gridColumns) slice(lo, hi int) gridColumns {
	return gridColumns{[3][]uint32{g.at[0][lo:hi], g.at[1][lo:hi], g.at[2][lo:hi]}, g.of[lo:hi]}
}

func (g *gridColumns) bytes() int {
	return space(g.at[0]) + space(g.at[1]) + space(g.at[2]) + space(g.of)
}

// bytes returns the memory that the cutter keeps.
func (c *cutter) bytes() int {
	return c.objects.bytes() + c.upper.bytes() + space(c.ties)
}

// load takes the objects with these keys.
func (c *cutter) load(keys []uint64) {
	c.objects.fresh(len(keys))
	c.decode(keys)
}

// decode is load where there is room for the objects.
func (c *cutter) decode(keys []uint64) {
	o := &c.objects
	asm.DecodeKeys(o.at[0], o.at[1], o.at[2], keys)
	for i := range o.of {
		o.of[i] = uint32(i)
	}
}

// halve parts the objects lo to hi-1 so that the first of them by their order on the
// longest axis come to lo to mid-1.
func (c *cutter) halve(lo, mid, hi int) {
	if mid == lo || mid == hi {
		return
	}
	run := c.objects.slice(lo, hi)
	axis, least, most := longestAxis(&run.at)
	if least == most {
		return // all in one grid cell: the former order parts them
	}
	on := run.at[axis]
	at, take := c.middle(on, least, most, mid-lo)
	last := 0 // behind the last of those at it that are lower
	for ; take > 0; last++ {
		if on[last] == at {
			take--
		}
	}
	if n := hi - lo; n > len(c.upper.of) {
		c.upper.fresh(2 * n)
	}
	down, up := c.part(&run, axis, 0, last, at+1, 0, 0)
	down, up = c.part(&run, axis, last, hi-lo, at, down, up)
	for a := range run.at {
		copy(run.at[a][down:], c.upper.at[a][:up])
	}
	copy(run.of[down:], c.upper.of[:up])
}

// part brings the objects lo to hi-1 of a run to the lower part, behind down, if they are
// below at on the axis, or else to the upper part, behind up. It returns the new ends.
func (c *cutter) part(run *gridColumns, axis, lo, hi int, at uint32, down, up int) (int, int) {
	x, y, z, of := run.at[0][:hi], run.at[1][:hi], run.at[2][:hi], run.of[:hi]
	on := run.at[axis][:hi]
	ux, uy, uz, uof := c.upper.at[0], c.upper.at[1], c.upper.at[2], c.upper.of
	for i := lo; i < hi; i++ {
		// Both parts get it, and that which it is no part of loses it again.
		lower := int((on[i] - at) >> 31)
		ux[up], uy[up], uz[up], uof[up] = x[i], y[i], z[i], of[i]
		x[down], y[down], z[down], of[down] = x[i], y[i], z[i], of[i]
		down += lower
		up += 1 - lower
	}
	return down, up
}

// longestAxis returns the axis of the largest span, and its ends.
func longestAxis(at *[3][]uint32) (axis int, least, most uint32) {
	for a, x := range at {
		lo, hi := x[0], x[0]
		for _, k := range x {
			lo, hi = min(lo, k), max(hi, k)
		}
		if a == 0 || hi-lo > most-least {
			axis, least, most = a, lo, hi
		}
	}
	return axis, least, most
}

// middle returns the coordinate of the object in place n of the run by coordinates,
// n > 0, or of the one before it: the lower part are all below it and the first take of
// those at it. Coordinates are from least to most.
func (c *cutter) middle(run []uint32, least, most uint32, n int) (at uint32, take int) {
	const binBits = 8
	shift := max(bits.Len32(most-least)-binBits, 0)
	var count [1 << binBits]uint32
	for _, x := range run {
		count[(x-least)>>shift&(1<<binBits-1)]++
	}
	bin, below := 0, 0
	for below+int(count[bin]) < n {
		below += int(count[bin])
		bin++
	}
	if shift == 0 {
		return least + uint32(bin), n - below
	}
	// Of those in the bin of the middle the one in place n-below.
	c.ties = c.ties[:0]
	for _, x := range run {
		if x := x - least; x>>shift == uint32(bin) {
			c.ties = append(c.ties, x)
		}
	}
	place := n - below - 1
	x := nth.Element(c.ties, place)
	take = 1
	for _, y := range c.ties[:place] {
		if y == x {
			take++
		}
	}
	return least + x, take
}

// packets parts the objects lo to hi-1, up to leafMax, into packets of fill objects, the
// last of the rest: those of each one follow the other. Their coordinates do not.
func (c *cutter) packets(lo, hi, fill int) {
	var ends [soa.Fan + 1]int
	ends[0] = lo
	n := 0
	for ; ends[n] < hi; n++ {
		ends[n+1] = min(ends[n]+fill, hi)
	}
	c.parts(ends[:n+1])
}

// evenly parts the objects lo to hi-1, up to leafMax, into n parts of about the same
// number, and calls f with each in turn: where they were. Their coordinates are no
// longer beside that.
func (c *cutter) evenly(lo, hi, n int, f func(part []uint32)) {
	var room [soa.Fan + 1]int
	ends := room[:n+1]
	ends[0], ends[n] = lo, hi
	share(ends)
	c.parts(ends)
	for i := range n {
		f(c.objects.of[ends[i]:ends[i+1]])
	}
}

// share fills in where parts of about the same number end: the first and the last end
// are there.
func share(ends []int) {
	if n := len(ends) - 1; n > 1 {
		lower := (n + 1) / 2
		ends[lower] = ends[0] + (ends[n]-ends[0])*lower/n
		share(ends[:lower+1])
		share(ends[lower:])
	}
}

// parts halves a run until there are parts with these ends: at the end that half of
// them, or one more, are below.
func (c *cutter) parts(ends []int) {
	n := len(ends) - 1
	if n <= 1 {
		return
	}
	var queue [2*soa.Fan - 1][2]int
	queue[0] = [2]int{0, n}
	var room [soa.Fan - 1]asm.CutStep
	steps := room[:0]
	for i, queued := 0, 1; i < queued; i++ {
		if a, b := queue[i][0], queue[i][1]; b-a > 1 {
			mid := a + (b-a+1)/2
			steps = append(steps, asm.CutStep{
				Lo: uint16(ends[a] - ends[0]), Mid: uint16(ends[mid] - ends[0]), Hi: uint16(ends[b] - ends[0]),
			})
			queue[queued], queue[queued+1] = [2]int{a, mid}, [2]int{mid, b}
			queued += 2
		}
	}
	run := c.objects.slice(ends[0], ends[n])
	var leaf asm.Cut
	leaf.Load(run.at[0], run.at[1], run.at[2])
	leaf.Halve(steps)
	var former [leafMax]uint32
	copy(former[:], run.of)
	for i := range run.of {
		run.of[i] = former[leaf.Place(i)]
	}
}
