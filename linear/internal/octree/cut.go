package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/soa"
)

// The partition of a cell in space, as in a BVH: a run of objects is halved, and each half again,
// across the longest side of the bounds of their grid cells. The result is defined, so that every
// implementation gives the same lanes:
//
//	axis     of the largest span of the grid coordinates; of equal ones x before y before z
//	members  the lower part are the first of all by coordinate, and of those with one
//	         coordinate the first in the former order, which is that of keys in a build
//	order    each part keeps the former order
//
// Grid coordinates are those in the keys (package morton), integers of 21 bits. Kernels do the
// work: build.Cut partitions the objects of a leaf, and build.CutRun larger runs.

// cutter partitions runs of objects. The zero value is ready to use; it keeps its memory.
type cutter struct {
	objects build.CutRun // coordinates, and positions in the former order
	scratch build.CutScratch
}

// build.Cut can hold the objects of any node of packets, in at most as many parts as there are lanes.
var _ [build.CutMost - leafMax]struct{}

// bytes returns the memory of the cutter in bytes.
func (c *cutter) bytes() int { return c.objects.Memory() + c.scratch.Memory() }

// load loads the objects with these keys.
func (c *cutter) load(keys []uint64) {
	o := &c.objects
	o.Fresh(max(len(keys), leafMax)) // later leaves then need no new memory
	*o = o.Slice(0, len(keys))
	build.DecodeKeys(o.At[0], o.At[1], o.At[2], keys)
	for i := range o.Of {
		o.Of[i] = uint32(i)
	}
}

// halve partitions objects lo to hi-1 along the longest axis: the first of them in the order on
// that axis move to lo to mid-1.
func (c *cutter) halve(lo, mid, hi int) {
	run := c.objects.Slice(lo, hi)
	run.Halve(mid-lo, &c.scratch)
}

// packets partitions objects lo to hi-1, at most leafMax, into packets of fill objects, the last
// with the rest. It reorders the objects but not their coordinates. leaf is scratch memory.
func (c *cutter) packets(lo, hi, fill int, leaf *build.Cut) {
	var room [soa.Fan + 1]int
	c.parts(full(&room, lo, hi, fill), leaf)
}

// evenly partitions objects lo to hi-1, at most leafMax, into len(ends)-1 parts of about the same
// number, and writes their ends. It reorders the objects but not their coordinates. leaf is scratch
// memory.
func (c *cutter) evenly(lo, hi int, ends []int, leaf *build.Cut) {
	ends[0], ends[len(ends)-1] = lo, hi
	share(ends)
	c.parts(ends, leaf)
}

// full returns the ends of parts of fill objects, the last with the rest.
func full(room *[soa.Fan + 1]int, lo, hi, fill int) (ends []int) {
	n := 0
	for at := lo; at < hi; at += fill {
		room[n] = at
		n++
	}
	room[n] = hi
	return room[:n+1]
}

// share sets the ends of parts of about the same number between the first and the last end, which
// are given.
func share(ends []int) {
	if n := len(ends) - 1; n > 1 {
		lower := (n + 1) / 2
		ends[lower] = ends[0] + (ends[n]-ends[0])*lower/n
		share(ends[:lower+1])
		share(ends[lower:])
	}
}

// parts halves a run until there are parts with these ends.
func (c *cutter) parts(ends []int, leaf *build.Cut) {
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

// halveLeaf halves the loaded objects until there are parts with these ends.
func halveLeaf(leaf *build.Cut, ends []int) {
	var steps [soa.Fan - 1]build.CutStep
	all := halvings[len(ends)-1]
	for i, h := range all {
		lo, mid, hi := ends[h[0]]-ends[0], ends[h[1]]-ends[0], ends[h[2]]-ends[0]
		steps[i] = build.CutStep{Lo: uint16(lo), Mid: uint16(mid), Hi: uint16(hi)}
	}
	leaf.Halve(steps[:len(all)])
}

// halvings[n] lists the steps that divide a run into n parts, level by level: first part, middle,
// end. The lower half has as many parts as the upper, or one more.
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
