package main

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var anyDistance = float32(math.Inf(1))

// queries is a list of queries of one kind.
type queries interface {
	size() int

	// can reports whether an index supports them.
	can(x index.Index) bool

	// pass runs the first n queries and returns the number of results.
	pass(x index.Index, n int) uint64

	// agree compares the results of two indexes for query i.
	agree(x, oracle index.Index, i int)
}

// appender is a volume query of package query.
type appender interface {
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
}

// volumes are volume queries.
type volumes struct {
	given   []index.Volume
	native  []appender
	objects []soa.Object
	ids     []uint32
}

func (q *volumes) size() int { return len(q.given) }

func (q *volumes) can(x index.Index) bool {
	switch x := x.(type) {
	case *ours:
		return true
	case index.Partial:
		return x.Answers(&q.given[0])
	}
	_, ok := x.(index.Volumes)
	return ok
}

func (q *volumes) pass(x index.Index, n int) (results uint64) {
	ids := q.ids
	if o, ok := x.(*ours); ok {
		v := o.tree.View()
		for _, volume := range q.native[:n] {
			ids = volume.Append(ids[:0], v, query.Filter{})
			results += uint64(len(ids))
		}
	} else {
		queries := x.(index.Volumes)
		for i := range q.given[:n] {
			ids = queries.Append(ids[:0], &q.given[i])
			results += uint64(len(ids))
		}
	}
	q.ids = ids
	return results
}

func (q *volumes) answer(x index.Index, i int) (ids []uint32) {
	if o, ok := x.(*ours); ok {
		ids = q.native[i].Append(nil, o.tree.View(), query.Filter{})
	} else {
		ids = x.(index.Volumes).Append(nil, &q.given[i])
	}
	slices.Sort(ids)
	return ids
}

// agree permits a rival to omit objects that the planes of a frustum accept outside its bounds.
func (q *volumes) agree(x, oracle index.Index, i int) {
	got, want := q.answer(x, i), q.answer(oracle, i)
	if _, ok := x.(*ours); !ok {
		bounds := index.Box(q.given[i].Bounds())
		outside := func(id uint32) bool { return !bounds.Meets(&q.objects[id].Box) }
		got, want = slices.DeleteFunc(got, outside), slices.DeleteFunc(want, outside)
	}
	if !slices.Equal(got, want) {
		must.Fail("%d objects, want %d others", len(got), len(want))
	}
}

// rays are ray casts, for all hits or for the first hit.
type rays struct {
	given  []index.Ray
	native []query.Ray
	first  bool
	hits   []index.Hit
}

func (q *rays) size() int { return len(q.given) }

func (q *rays) can(x index.Index) bool {
	_, ok := x.(index.Rays)
	_, own := x.(*ours)
	return ok || own
}

func (q *rays) cast(dst []index.Hit, x index.Index, i int) []index.Hit {
	if o, ok := x.(*ours); ok {
		return o.cast(dst, &q.native[i], q.first)
	}
	queries := x.(index.Rays)
	if !q.first {
		return queries.AppendHits(dst, &q.given[i])
	}
	if h, ok := queries.First(&q.given[i]); ok {
		dst = append(dst, h)
	}
	return dst
}

func (q *rays) pass(x index.Index, n int) (results uint64) {
	hits := q.hits
	for i := range n {
		hits = q.cast(hits[:0], x, i)
		results += uint64(len(hits))
	}
	q.hits = hits
	return results
}

func (q *rays) agree(x, oracle index.Index, i int) {
	got, want := q.cast(nil, x, i), q.cast(nil, oracle, i)
	if !slices.Equal(got, want) {
		must.Fail("%d hits, want %d others", len(got), len(want))
	}
}

// points are k-nearest-neighbour searches.
type points struct {
	given [][3]float32
	k     int
	near  []index.Neighbor
}

func (q *points) size() int { return len(q.given) }

func (q *points) can(x index.Index) bool {
	_, ok := x.(index.Nearest)
	return ok
}

func (q *points) pass(x index.Index, n int) (results uint64) {
	queries := x.(index.Nearest)
	for i := range q.given[:n] {
		q.near = queries.AppendNearest(q.near[:0], q.given[i], q.k)
		results += uint64(len(q.near))
	}
	return results
}

// agree compares distances: a rival may choose among equal distances, and round differently.
func (q *points) agree(x, oracle index.Index, i int) {
	got := x.(index.Nearest).AppendNearest(nil, q.given[i], q.k)
	want := oracle.(index.Nearest).AppendNearest(nil, q.given[i], q.k)
	if !slices.EqualFunc(got, want, index.Neighbor.Ties) {
		must.Fail("%v, want %v", got, want)
	}
}
