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
// last of the rest: those of each one follow the other. Their coordinates do not. It
// works in leaf.
func (c *cutter) packets(lo, hi, fill int, leaf *asm.Cut) {
	var room [soa.Fan + 1]int
	c.parts(full(&room, lo, hi, fill), leaf)
}

// evenly parts the objects lo to hi-1, up to leafMax, into parts of about the same
// number, one less than there are ends, which it writes. Their coordinates are no
// longer beside where they were. It works in leaf.
func (c *cutter) evenly(lo, hi int, ends []int, leaf *asm.Cut) {
	ends[0], ends[len(ends)-1] = lo, hi
	share(ends)
	c.parts(ends, leaf)
}

// full returns where parts of fill objects end, the last with the rest.
func full(room *[soa.Fan + 1]int, lo, hi, fill int) (ends []int) {
	n := 0
	for at := lo; at < hi; at += fill {
		room[n] = at
		n++
	}
	room[n] = hi
	return room[:n+1]
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

// parts halves a run until there are parts with these ends.
func (c *cutter) parts(ends []int, leaf *asm.Cut) {
	n := len(ends) - 1
	if n <= 1 {
		return
	}
	run := c.objects.Slice(ends[0], ends[n])
	leaf.Load(run.At[0], run.At[1], run.At[2])
	halveLeaf(leaf, ends)
	var former [leafMax]uint32
	copy(former[:], run.Of)
	for i := range run.Of {
		run.Of[i] = former[leaf.Place(i)]
	}
}

// halveLeaf halves what has been loaded until there are parts with these ends.
func halveLeaf(leaf *asm.Cut, ends []int) {
	var steps [soa.Fan - 1]asm.CutStep
	all := halvings[len(ends)-1]
	for i, h := range all {
		lo, mid, hi := ends[h[0]]-ends[0], ends[h[1]]-ends[0], ends[h[2]]-ends[0]
		steps[i] = asm.CutStep{Lo: uint16(lo), Mid: uint16(mid), Hi: uint16(hi)}
	}
	leaf.Halve(steps[:len(all)])
}

// halvings[n] are the steps that make n parts of a run, level by level: from which part,
// at which, which has half of them or one more below, and up to which.
var halvings = func() (all [soa.Fan + 1][][3]uint8) {
	for n := range all {
		queue := [][2]int{{0, n}}
		for len(queue) > 0 {
			a, b := queue[0][0], queue[0][1]
			queue = queue[1:]
			if b-a > 1 {
				mid := a + (b-a+1)/2
				all[n] = append(all[n], [3]uint8{uint8(a), uint8(mid), uint8(b)})
				queue = append(queue, [2]int{a, mid}, [2]int{mid, b})
			}
		}
	}
	return all
}()
