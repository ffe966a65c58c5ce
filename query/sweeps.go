package query

import (
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// The methods of [Ray], [SweptBox] and [SweptSphere].

func firstHit(s *walk.Sweep, v linear.View, flt *Filter) (h Hit, ok bool) {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	label := phase.Enter(phase.Ray)
	c := walk.SpareCast()
	m, ok := c.Next(s, store, &keep)
	c.Release()
	if ok {
		s.Hit((*walk.Hit)(&h), m, &store.Packets, keep.Exact)
	}
	label.Leave()
	return h, ok
}

func firstID(s *walk.Sweep, v linear.View, flt *Filter) (id uint32, dist float32, ok bool) {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	return s.FirstID(store, &keep)
}

func firstFunc(s *walk.Sweep, v linear.View, flt *Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	return s.FirstFunc(store, &keep, test, func() { v.Store() }) // panics if the tree has changed
}

func appendIDs(dst []uint32, s *walk.Sweep, v linear.View, flt *Filter) []uint32 {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	return s.AppendIDs(dst, store, &keep)
}

func countHits(s *walk.Sweep, v linear.View, flt *Filter) int {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	return s.Count(store, &keep)
}

func anyHit(s *walk.Sweep, v linear.View, flt *Filter) bool {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	return s.Any(store, &keep)
}

func allHits(dst []Hit, s *walk.Sweep, v linear.View, flt *Filter) []Hit {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	return appendHits(dst, s, store, &keep)
}

func appendHits(dst []Hit, s *walk.Sweep, store *soa.Store, keep *walk.Filter) []Hit {
	label := phase.Enter(phase.Ray)
	c := s.Cast(store, keep)
	first, hits := len(dst), c.Hits()
	dst = slices.Grow(dst, len(hits))[:first+len(hits)]
	for i, m := range hits {
		s.Hit((*walk.Hit)(&dst[first+i]), m, &store.Packets, keep.Exact)
	}
	c.Release()
	label.Leave()
	return dst
}

// eachHit yields the hits in order. They are sorted before the first is yielded, and completed one by
// one.
func eachHit(s *walk.Sweep, v linear.View, flt *Filter, yield func(Hit) bool) {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.exclude(v, &keep)
	c := s.Cast(store, &keep)
	for _, m := range c.Hits() {
		var h Hit
		s.Hit((*walk.Hit)(&h), m, &store.Packets, flt.Exact)
		if !yield(h) {
			break
		}
		v.Store() // panics if the tree has changed
	}
	c.Release()
}
