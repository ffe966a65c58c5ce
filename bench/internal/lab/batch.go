package lab

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

// Batch is a list of queries of one kind, with the memory for their results.
type Batch interface {
	Len() int
	// Answer runs query i and stores its result in a.
	Answer(a *Answer, v linear.View, i int)
	// Pass runs all queries, each into the memory of the one before, and returns the total number of results.
	Pass(v linear.View) uint64
	// Verify compares the result of query i with the oracle's. The box of object k is boxes[k].
	Verify(v linear.View, boxes []soa.AABB, i int) bool
}

// Tracer is a batch whose queries record the nodes and packets that they visit.
type Tracer interface {
	Batch
	// Trace counts in h the visits of query i.
	Trace(v linear.View, i int, h *query.Heat) query.Counters
}

// The query types of all files implement Tracer.
var _ = []Tracer{&Volumes[query.Frustum]{}, &Volumes[query.Box]{}, &Volumes[query.Sphere]{}, &Rays{}, &Points{}}

// Answer is the result of a query.
type Answer struct {
	IDs   []uint32
	Pairs []collide.Pair
	Dist  float64 // sum of the distances of nearest hits and neighbours
	Far   bool    // Dist is valid
}

// VolumeQuery is a query for the objects in a volume.
type VolumeQuery interface {
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}

// Volumes is a batch of volume queries.
type Volumes[Q VolumeQuery] struct {
	Queries   []Q
	reference func(boxes []soa.AABB, i int) []int
	ids       []uint32
}

func NewFrusta(planes [][6][4]float32) (Batch, error) {
	return newVolumes("frustum", planes, query.FrustumPlanes, testkit.ReferenceFrustum)
}

func NewBoxes(list []soa.AABB) (Batch, error) {
	return newVolumes("box", list, func(b soa.AABB) (query.Box, error) { return query.NewBox(b.Min, b.Max) }, testkit.ReferenceBox)
}

func NewSpheres(list [][4]float32) (Batch, error) {
	return newVolumes("sphere", list, func(s [4]float32) (query.Sphere, error) { return query.NewSphere([3]float32(s[:3]), s[3]) },
		func(boxes []soa.AABB, s [4]float32) []int {
			return testkit.ReferenceSphere(boxes, [3]float32(s[:3]), s[3])
		})
}

func newVolumes[G any, Q VolumeQuery](name string, given []G, make func(G) (Q, error), reference func(boxes []soa.AABB, g G) []int) (Batch, error) {
	b := &Volumes[Q]{reference: func(boxes []soa.AABB, i int) []int { return reference(boxes, given[i]) }}
	for i, g := range given {
		q, err := make(g)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", name, i, err)
		}
		b.Queries = append(b.Queries, q)
	}
	return b, nil
}

func (b *Volumes[Q]) Len() int { return len(b.Queries) }

func (b *Volumes[Q]) Answer(a *Answer, v linear.View, i int) {
	a.IDs = b.Queries[i].Append(a.IDs[:0], v, query.Filter{})
}

func (b *Volumes[Q]) Pass(v linear.View) (results uint64) {
	ids := b.ids
	for i := range b.Queries {
		ids = b.Queries[i].Append(ids[:0], v, query.Filter{})
		results += uint64(len(ids))
	}
	b.ids = ids
	return results
}

func (b *Volumes[Q]) Verify(v linear.View, boxes []soa.AABB, i int) bool {
	b.ids = b.Queries[i].Append(b.ids[:0], v, query.Filter{})
	slices.Sort(b.ids)
	return slices.EqualFunc(b.ids, b.reference(boxes, i), func(got uint32, want int) bool { return int(got) == want })
}

func (b *Volumes[Q]) Trace(v linear.View, i int, h *query.Heat) query.Counters {
	return b.Queries[i].Explain(v, query.Filter{}, h)
}

// RayForm is the form of a ray query.
type RayForm uint8

// The forms.
const (
	RayHits  RayForm = iota // all hits, with their distances
	RayFirst                // the first hit
	RayIDs                  // all hits, IDs only
)

// Rays is a batch of ray casts: for all hits, or for the first hit.
type Rays struct {
	Queries []query.Ray
	Given   []scene.Ray
	Form    RayForm
	hits    []query.Hit
	ids     []uint32
}

func NewRays(given []scene.Ray, form RayForm) (*Rays, error) {
	b := &Rays{Given: given, Form: form}
	for i, r := range given {
		q, err := query.NewRay(r.Origin, r.Dir, r.MaxT)
		if err != nil {
			return nil, fmt.Errorf("ray %d: %w", i, err)
		}
		b.Queries = append(b.Queries, q)
	}
	return b, nil
}

func (b *Rays) Len() int { return len(b.Queries) }

// cast returns the hits of ray i.
func (b *Rays) cast(v linear.View, i int) []query.Hit {
	b.hits = b.hits[:0]
	if b.Form == RayHits {
		b.hits = b.Queries[i].Append(b.hits, v, query.Filter{})
	} else if hit, ok := b.Queries[i].First(v, query.Filter{}); ok {
		b.hits = append(b.hits, hit)
	}
	return b.hits
}

func (b *Rays) list(v linear.View, i int) []uint32 {
	b.ids = b.Queries[i].AppendIDs(b.ids[:0], v, query.Filter{})
	return b.ids
}

func (b *Rays) Answer(a *Answer, v linear.View, i int) {
	a.IDs, a.Dist, a.Far = a.IDs[:0], 0, b.Form == RayFirst
	if b.Form == RayIDs {
		a.IDs = append(a.IDs, b.list(v, i)...)
		return
	}
	for _, h := range b.cast(v, i) {
		a.IDs = append(a.IDs, h.ID)
		a.Dist += float64(h.Dist)
	}
}

func (b *Rays) Pass(v linear.View) (results uint64) {
	for i := range b.Queries {
		if b.Form == RayIDs {
			results += uint64(len(b.list(v, i)))
		} else {
			results += uint64(len(b.cast(v, i)))
		}
	}
	return results
}

func (b *Rays) Verify(v linear.View, boxes []soa.AABB, i int) bool {
	r := &b.Given[i]
	want := testkit.ReferenceSweep(boxes, testkit.RaySweep(r.Origin, r.Dir, r.MaxT))
	switch b.Form {
	case RayIDs:
		got := slices.Sorted(slices.Values(b.list(v, i)))
		slices.SortFunc(want, func(x, y testkit.Entry) int { return x.Index - y.Index })
		return slices.EqualFunc(got, want, func(id uint32, want testkit.Entry) bool { return int(id) == want.Index })
	case RayFirst:
		want = want[:min(1, len(want))]
	}
	return slices.EqualFunc(b.cast(v, i), want, func(got query.Hit, want testkit.Entry) bool {
		return int(got.ID) == want.Index && got.Dist == want.Time
	})
}

// Trace traces the query for all hits; the query for the first hit visits a subset.
func (b *Rays) Trace(v linear.View, i int, h *query.Heat) query.Counters {
	return b.Queries[i].Explain(v, query.Filter{}, h)
}

// Points is a batch of k-nearest-neighbour searches.
type Points struct {
	Given [][3]float32
	K     int
	near  []query.Neighbor
}

func NewPoints(given [][3]float32, k int) *Points { return &Points{Given: given, K: k} }

var AnyDistance = float32(math.Inf(1))

func (b *Points) Len() int { return len(b.Given) }

// search returns the neighbours of point i. It drops the error for points that are not finite, because no file
// and no scene has such points.
func (b *Points) search(v linear.View, i int) []query.Neighbor {
	b.near, _ = query.AppendNearest(b.near[:0], v, b.Given[i], b.K, AnyDistance, query.Filter{})
	return b.near
}

func (b *Points) Answer(a *Answer, v linear.View, i int) {
	a.IDs, a.Dist, a.Far = a.IDs[:0], 0, true
	for _, n := range b.search(v, i) {
		a.IDs = append(a.IDs, n.ID)
		a.Dist += math.Sqrt(float64(n.Dist2))
	}
}

func (b *Points) Pass(v linear.View) (results uint64) {
	for i := range b.Given {
		results += uint64(len(b.search(v, i)))
	}
	return results
}

// Verify asks the oracle only for the objects as near as the last neighbour. A missing nearer object shows up
// too, and the oracle need not sort all objects.
func (b *Points) Verify(v linear.View, boxes []soa.AABB, i int) bool {
	got := b.search(v, i)
	bound := AnyDistance
	if len(got) == b.K {
		bound = got[b.K-1].Dist2
	}
	want := testkit.ReferenceNearest(boxes, b.Given[i], b.K, bound)
	return slices.EqualFunc(got, want, func(got query.Neighbor, want testkit.Near) bool {
		return int(got.ID) == want.Index && got.Dist2 == want.Dist2
	})
}

func (b *Points) Trace(v linear.View, i int, h *query.Heat) query.Counters {
	c, _ := query.ExplainNearest(v, b.Given[i], b.K, AnyDistance, query.Filter{}, h) // no error: see search
	return c
}

// verdictSample is the number of queries that are compared with the oracle.
const verdictSample = 16

// Agrees compares queries across the batch with the oracle.
func Agrees(b Batch, v linear.View, boxes []soa.AABB) bool {
	count := min(b.Len(), verdictSample)
	for k := range count {
		if !b.Verify(v, boxes, k*b.Len()/count) {
			return false
		}
	}
	return true
}
