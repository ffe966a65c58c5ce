package linear

import (
	"github.com/zoctree/zoctree/asm"
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
// Grid coordinates are those in the keys (package morton), integers of 21 bits. Kernels
// do the work: asm.Cut parts what goes below a leaf, and asm.CutRun larger runs.

// cutter cuts runs of objects. The zero cutter is ready; it keeps its memory.
type cutter struct {
	objects asm.CutRun // and where each was in the former order
	scratch asm.CutScratch
}

// A leaf takes any node of packets, in which no more parts are cut than there are lanes.
var _ [asm.CutMost - leafMax]struct{}

// bytes returns the memory that the cutter keeps.
func (c *cutter) bytes() int { return c.objects.Memory() + c.scratch.Memory() }

// load takes the objects with these keys.
func (c *cutter) load(keys []uint64) {
	o := &c.objects
	o.Fresh(max(len(keys), leafMax)) // so that later ones of a leaf have room
	*o = o.Slice(0, len(keys))
	c.decode(keys)
}

// decode is load where there is room for the objects.
func (c *cutter) decode(keys []uint64) {
	o := &c.objects
	asm.DecodeKeys(o.At[0], o.At[1], o.At[2], keys)
	for i := range o.Of {
		o.Of[i] = uint32(i)
	}
}

// halve parts the objects lo to hi-1 so that the first of them by their order on the
// longest axis come to lo to mid-1.
func (c *cutter) halve(lo, mid, hi int) {
	run := c.objects.Slice(lo, hi)
	run.Halve(mid-lo, &c.scratch)
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
		f(c.objects.Of[ends[i]:ends[i+1]])
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
	run := c.objects.Slice(ends[0], ends[n])
	var leaf asm.Cut
	leaf.Load(run.At[0], run.At[1], run.At[2])
	leaf.Halve(steps)
	var former [leafMax]uint32
	copy(former[:], run.Of)
	for i := range run.Of {
		run.Of[i] = former[leaf.Place(i)]
	}
}
