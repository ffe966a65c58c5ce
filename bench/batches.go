package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// batch is a list of queries of one kind, with the memory for their answers.
type batch interface {
	len() int
	// answer answers query i.
	answer(a *answer, v linear.View, i int)
	// pass answers all queries, each into the memory of the last, and returns
	// the number of all results.
	pass(v linear.View) uint64
	// verify compares the answer to query i with the oracle's. The box of
	// object k is boxes[k].
	verify(v linear.View, boxes []soa.AABB, i int) bool
}

// tracer is a batch whose queries tell what they visit.
type tracer interface {
	batch
	// trace counts in h what query i visits.
	trace(v linear.View, i int, h *query.Heat) query.Counters
}

// answer is what a query gave.
type answer struct {
	ids   []uint32
	pairs []collide.Pair
	dist  float64 // sum of the distances of nearest hits and neighbours
	far   bool    // dist is meant
}

// volumeQuery is a query for what lies in a volume.
type volumeQuery interface {
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}

// volumes are such queries.
type volumes[Q volumeQuery] struct {
	queries []Q
	twin    func(boxes []soa.AABB, i int) []int
	ids     []uint32
}

func newFrusta(planes [][6][4]float32) (batch, error) {
	b := &volumes[query.Frustum]{twin: func(boxes []soa.AABB, i int) []int { return testkit.TwinFrustum(boxes, planes[i]) }}
	for i := range planes {
		q, err := query.FrustumPlanes(planes[i])
		if err != nil {
			return nil, fmt.Errorf("frustum %d: %w", i, err)
		}
		b.queries = append(b.queries, q)
	}
	return b, nil
}

func newBoxes(list []soa.AABB) (batch, error) {
	b := &volumes[query.Box]{twin: func(boxes []soa.AABB, i int) []int { return testkit.TwinBox(boxes, list[i]) }}
	for i := range list {
		q, err := query.NewBox(list[i].Min, list[i].Max)
		if err != nil {
			return nil, fmt.Errorf("box %d: %w", i, err)
		}
		b.queries = append(b.queries, q)
	}
	return b, nil
}

func newSpheres(list [][4]float32) (batch, error) {
	b := &volumes[query.Sphere]{twin: func(boxes []soa.AABB, i int) []int {
		return testkit.TwinSphere(boxes, [3]float32(list[i][:3]), list[i][3])
	}}
	for i := range list {
		q, err := query.NewSphere([3]float32(list[i][:3]), list[i][3])
		if err != nil {
			return nil, fmt.Errorf("sphere %d: %w", i, err)
		}
		b.queries = append(b.queries, q)
	}
	return b, nil
}

func (b *volumes[Q]) len() int { return len(b.queries) }

func (b *volumes[Q]) answer(a *answer, v linear.View, i int) {
	a.ids = b.queries[i].Append(a.ids[:0], v, query.Filter{})
}

func (b *volumes[Q]) pass(v linear.View) (results uint64) {
	ids := b.ids
	for i := range b.queries {
		ids = b.queries[i].Append(ids[:0], v, query.Filter{})
		results += uint64(len(ids))
	}
	b.ids = ids
	return results
}

func (b *volumes[Q]) verify(v linear.View, boxes []soa.AABB, i int) bool {
	b.ids = b.queries[i].Append(b.ids[:0], v, query.Filter{})
	slices.Sort(b.ids)
	return slices.EqualFunc(b.ids, b.twin(boxes, i), func(got uint32, want int) bool { return int(got) == want })
}

func (b *volumes[Q]) trace(v linear.View, i int, h *query.Heat) query.Counters {
	return b.queries[i].Explain(v, query.Filter{}, h)
}

// rays are queries for all that a ray meets, or for what it meets first.
type rays struct {
	queries []query.Ray
	given   []scene.Ray
	first   bool
	hits    []query.Hit
}

func newRays(given []scene.Ray, first bool) (*rays, error) {
	b := &rays{given: given, first: first}
	for i, r := range given {
		q, err := query.NewRay(r.Origin, r.Dir, r.MaxT)
		if err != nil {
			return nil, fmt.Errorf("ray %d: %w", i, err)
		}
		b.queries = append(b.queries, q)
	}
	return b, nil
}

func (b *rays) len() int { return len(b.queries) }

// cast returns the hits of ray i.
func (b *rays) cast(v linear.View, i int) []query.Hit {
	b.hits = b.hits[:0]
	if !b.first {
		b.hits = b.queries[i].Append(b.hits, v, query.Filter{})
	} else if hit, ok := b.queries[i].Nearest(v, query.Filter{}); ok {
		b.hits = append(b.hits, hit)
	}
	return b.hits
}

func (b *rays) answer(a *answer, v linear.View, i int) {
	a.ids, a.dist, a.far = a.ids[:0], 0, b.first
	for _, h := range b.cast(v, i) {
		a.ids = append(a.ids, h.ID)
		a.dist += float64(h.Dist)
	}
}

func (b *rays) pass(v linear.View) (results uint64) {
	for i := range b.queries {
		results += uint64(len(b.cast(v, i)))
	}
	return results
}

func (b *rays) verify(v linear.View, boxes []soa.AABB, i int) bool {
	r := &b.given[i]
	want := testkit.TwinSweep(boxes, testkit.RaySweep(r.Origin, r.Dir, r.MaxT))
	if b.first {
		want = want[:min(1, len(want))]
	}
	return slices.EqualFunc(b.cast(v, i), want, func(got query.Hit, want testkit.Entry) bool {
		return int(got.ID) == want.Index && got.Dist == want.Time
	})
}

// trace is that of all hits: the nearest alone takes a part of it.
func (b *rays) trace(v linear.View, i int, h *query.Heat) query.Counters {
	return b.queries[i].Explain(v, query.Filter{}, h)
}

// points are queries for the k nearest objects.
type points struct {
	given [][3]float32
	k     int
	near  []query.Neighbor
}

func newPoints(given [][3]float32, k int) *points { return &points{given: given, k: k} }

var anyDistance = float32(math.Inf(1))

func (b *points) len() int { return len(b.given) }

// look returns the neighbours of point i. The error is that of points that are
// not finite, which no file and no scene has.
func (b *points) look(v linear.View, i int) []query.Neighbor {
	b.near, _ = query.AppendNearest(b.near[:0], v, b.given[i], b.k, anyDistance, query.Filter{})
	return b.near
}

func (b *points) answer(a *answer, v linear.View, i int) {
	a.ids, a.dist, a.far = a.ids[:0], 0, true
	for _, n := range b.look(v, i) {
		a.ids = append(a.ids, n.ID)
		a.dist += math.Sqrt(float64(n.Dist2))
	}
}

func (b *points) pass(v linear.View) (results uint64) {
	for i := range b.given {
		results += uint64(len(b.look(v, i)))
	}
	return results
}

// verify asks the oracle for what is as near as the last neighbour only: what
// is nearer and missing shows as well, and it need not sort all objects.
func (b *points) verify(v linear.View, boxes []soa.AABB, i int) bool {
	got := b.look(v, i)
	bound := anyDistance
	if len(got) == b.k {
		bound = got[b.k-1].Dist2
	}
	want := testkit.TwinNearest(boxes, b.given[i], b.k, bound)
	return slices.EqualFunc(got, want, func(got query.Neighbor, want testkit.Near) bool {
		return int(got.ID) == want.Index && got.Dist2 == want.Dist2
	})
}

func (b *points) trace(v linear.View, i int, h *query.Heat) query.Counters {
	c, _ := query.ExplainNearest(v, b.given[i], b.k, anyDistance, query.Filter{}, h) // see look
	return c
}

// verdictSample is the number of queries that are compared with the oracle.
const verdictSample = 16

// agrees compares queries from all over the batch with the oracle.
func agrees(b batch, v linear.View, boxes []soa.AABB) bool {
	count := min(b.len(), verdictSample)
	for k := range count {
		if !b.verify(v, boxes, k*b.len()/count) {
			return false
		}
	}
	return true
}
