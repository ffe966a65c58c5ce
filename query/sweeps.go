package query

import (
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// The methods of [Ray], [SweptBox] and [SweptSphere].

// firstHit writes the first hit to h, which is zero, and reports whether there is one. A result would be copied, and
// reading a hit that has just been written delays a small query.
func firstHit(h *Hit, s *walk.Sweep, v linear.View, flt *Filter) (ok bool) {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return s.First((*walk.Hit)(h), store, f)
}

func firstID(s *walk.Sweep, v linear.View, flt *Filter) (id uint32, dist float32, ok bool) {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return s.FirstID(store, f)
}

func firstFunc(s *walk.Sweep, v linear.View, flt *Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return s.FirstFunc(store, f, test, func() { v.Store() }) // panics if the tree has changed
}

func appendIDs(dst []uint32, s *walk.Sweep, v linear.View, flt *Filter) []uint32 {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return s.AppendIDs(dst, store, f)
}

func countHits(s *walk.Sweep, v linear.View, flt *Filter) int {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return s.Count(store, f)
}

func anyHit(s *walk.Sweep, v linear.View, flt *Filter) bool {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return s.Any(store, f)
}

func allHits(dst []Hit, s *walk.Sweep, v linear.View, flt *Filter) []Hit {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	label := phase.Enter(phase.Ray)
	c := walk.SpareCast()
	dst = completeHits(dst, c.All(s, store, f), s, store, f)
	c.Release()
	label.Leave()
	return dst
}

// completeHits appends the hits of a cast to dst.
func completeHits(dst []Hit, hits []walk.HitKey, s *walk.Sweep, store *soa.Store, keep *walk.Filter) []Hit {
	first := len(dst)
	dst = slices.Grow(dst, len(hits))[:first+len(hits)]
	for i, m := range hits {
		s.Hit((*walk.Hit)(&dst[first+i]), m, &store.Packets, keep.Exact)
	}
	return dst
}

// eachHit yields the hits in order. They are sorted before the first is yielded, and completed one by
// one.
func eachHit(s *walk.Sweep, v linear.View, flt *Filter, yield func(Hit) bool) {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	label := phase.Enter(phase.Ray)
	c := walk.SpareCast()
	hits := c.All(s, store, f)
	label.Leave()
	for _, m := range hits {
		var h Hit
		s.Hit((*walk.Hit)(&h), m, &store.Packets, flt.Exact)
		if !yield(h) {
			break
		}
		v.Store() // panics if the tree has changed
	}
	c.Release()
}
