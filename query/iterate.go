package query

import (
	"math/bits"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// The walk of an iteration runs when the iteration starts. The view is read after each call of yield: that panics if
// the tree has changed.

// each yields the IDs of the answer until yield returns false.
func each(w *walk.Walk, v linear.View, flt Filter, yield func(uint32) bool) {
	var f walk.Filter
	s := v.Store()
	flt.prepare(&f)
	flt.resolve(v, &f)
	for _, r := range w.Collect(&f) {
		if !eachOf(&s.Packets, v, Range(walk.Unpack(r)), yield) {
			break
		}
	}
	w.Release()
}

// eachOf yields the IDs of one range.
func eachOf(p *soa.PacketColumns, v linear.View, r Range, yield func(uint32) bool) bool {
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		for ; m != 0; m &= m - 1 {
			if !yield(p.IDs[slot][bits.TrailingZeros32(m)]) {
				return false
			}
			v.Store() // panics if the tree has changed
		}
	}
	return true
}

// parts yields the ranges of the answer until yield returns false.
func parts(w *walk.Walk, v linear.View, flt Filter, yield func(Range) bool) {
	var f walk.Filter
	flt.prepare(&f)
	flt.resolve(v, &f)
	for _, r := range w.Collect(&f) {
		if !yield(Range(walk.Unpack(r))) {
			break
		}
		v.Store()
	}
	w.Release()
}

// boxes yields the IDs and boxes of the answer until yield returns false.
func boxes(w *walk.Walk, v linear.View, flt Filter, yield func(uint32, soa.AABB) bool) {
	var f walk.Filter
	s := v.Store()
	flt.prepare(&f)
	flt.resolve(v, &f)
	for _, r := range w.Collect(&f) {
		if !boxesOf(&s.Packets, v, Range(walk.Unpack(r)), yield) {
			break
		}
	}
	w.Release()
}

// boxesOf yields the IDs and boxes of one range.
func boxesOf(p *soa.PacketColumns, v linear.View, r Range, yield func(uint32, soa.AABB) bool) bool {
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		ids, b := &p.IDs[slot], &p.Bounds[slot]
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) % soa.Lanes
			if !yield(ids[l], soa.AABB{
				Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
				Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
			}) {
				return false
			}
			v.Store() // panics if the tree has changed
		}
	}
	return true
}

// Range is a range of packet slots in an answer, from which a caller can read IDs and columns
// without copying. The order of ranges is as for [Frustum.Append].
type Range struct {
	First uint32 // first slot
	Count uint32 // number of slots
	Mask  uint16 // 0: all objects of the slots; else Count is 1 and these lanes are hit
}
