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

// Batch is a list of queries of one kind, with the memory for their answers.
type Batch interface {
	Len() int
	// Answer answers query i.
	Answer(a *Answer, v linear.View, i int)
	// Pass answers all queries, each into the memory of the last, and returns
	// the number of all results.
	Pass(v linear.View) uint64
	// Verify compares the answer to query i with the oracle's. The box of
	// object k is boxes[k].
	Verify(v linear.View, boxes []soa.AABB, i int) bool
}

// Tracer is a batch whose queries tell what they visit.
type Tracer interface {
	Batch
	// Trace counts in h what query i visits.
	Trace(v linear.View, i int, h *query.Heat) query.Counters
}

// The queries of all files are such.
var _ = []Tracer{&Volumes[query.Frustum]{}, &Volumes[query.Box]{}, &Volumes[query.Sphere]{}, &Rays{}, &Points{}}

// Answer is what a query gave.
type Answer struct {
	IDs   []uint32
	Pairs []collide.Pair
	Dist  float64 // sum of the distances of nearest hits and neighbours
	Far   bool    // dist is meant
}

// VolumeQuery is a query for what lies in a volume.
type VolumeQuery interface {
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}

// Volumes are such queries.
type Volumes[Q VolumeQuery] struct {
	Queries []Q
	twin    func(boxes []soa.AABB, i int) []int
	ids     []uint32
}

func NewFrusta(planes [][6][4]float32) (Batch, error) {
	b := &Volumes[query.Frustum]{twin: func(boxes []soa.AABB, i int) []int { return testkit.TwinFrustum(boxes, planes[i]) }}
	for i := range planes {
		q, err := query.FrustumPlanes(planes[i])
		if err != nil {
			return nil, fmt.Errorf("frustum %d: %w", i, err)
		}
		b.Queries = append(b.Queries, q)
	}
	return b, nil
}

func NewBoxes(list []soa.AABB) (Batch, error) {
	b := &Volumes[query.Box]{twin: func(boxes []soa.AABB, i int) []int { return testkit.TwinBox(boxes, list[i]) }}
	for i := range list {
		q, err := query.NewBox(list[i].Min, list[i].Max)
		if err != nil {
			return nil, fmt.Errorf("box %d: %w", i, err)
		}
		b.Queries = append(b.Queries, q)
	}
	return b, nil
}

func NewSpheres(list [][4]float32) (Batch, error) {
	b := &Volumes[query.Sphere]{twin: func(boxes []soa.AABB, i int) []int {
		return testkit.TwinSphere(boxes, [3]float32(list[i][:3]), list[i][3])
	}}
	for i := range list {
		q, err := query.NewSphere([3]float32(list[i][:3]), list[i][3])
		if err != nil {
			return nil, fmt.Errorf("sphere %d: %w", i, err)
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
	return slices.EqualFunc(b.ids, b.twin(boxes, i), func(got uint32, want int) bool { return int(got) == want })
}

func (b *Volumes[Q]) Trace(v linear.View, i int, h *query.Heat) query.Counters {
	return b.Queries[i].Explain(v, query.Filter{}, h)
}

// RayForm is what is asked of a ray.
type RayForm uint8

// The forms.
const (
	RayHits  RayForm = iota // all that it meets, and where
	RayFirst                // what it meets first
	RayIDs                  // all that it meets, by ID alone
)

// Rays are queries for all that a ray meets, or for what it meets first.
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
	} else if hit, ok := b.Queries[i].Nearest(v, query.Filter{}); ok {
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
	want := testkit.TwinSweep(boxes, testkit.RaySweep(r.Origin, r.Dir, r.MaxT))
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

// Trace is that of all hits: the nearest alone takes a part of it.
func (b *Rays) Trace(v linear.View, i int, h *query.Heat) query.Counters {
	return b.Queries[i].Explain(v, query.Filter{}, h)
}

// Points are queries for the k nearest objects.
type Points struct {
	Given [][3]float32
	K     int
	near  []query.Neighbor
}

func NewPoints(given [][3]float32, k int) *Points { return &Points{Given: given, K: k} }

var AnyDistance = float32(math.Inf(1))

func (b *Points) Len() int { return len(b.Given) }

// look returns the neighbours of point i. The error is that of points that are
// not finite, which no file and no scene has.
func (b *Points) look(v linear.View, i int) []query.Neighbor {
	b.near, _ = query.AppendNearest(b.near[:0], v, b.Given[i], b.K, AnyDistance, query.Filter{})
	return b.near
}

func (b *Points) Answer(a *Answer, v linear.View, i int) {
	a.IDs, a.Dist, a.Far = a.IDs[:0], 0, true
	for _, n := range b.look(v, i) {
		a.IDs = append(a.IDs, n.ID)
		a.Dist += math.Sqrt(float64(n.Dist2))
	}
}

func (b *Points) Pass(v linear.View) (results uint64) {
	for i := range b.Given {
		results += uint64(len(b.look(v, i)))
	}
	return results
}

// Verify asks the oracle for what is as near as the last neighbour only: what
// is nearer and missing shows as well, and it need not sort all objects.
func (b *Points) Verify(v linear.View, boxes []soa.AABB, i int) bool {
	got := b.look(v, i)
	bound := AnyDistance
	if len(got) == b.K {
		bound = got[b.K-1].Dist2
	}
	want := testkit.TwinNearest(boxes, b.Given[i], b.K, bound)
	return slices.EqualFunc(got, want, func(got query.Neighbor, want testkit.Near) bool {
		return int(got.ID) == want.Index && got.Dist2 == want.Dist2
	})
}

func (b *Points) Trace(v linear.View, i int, h *query.Heat) query.Counters {
	c, _ := query.ExplainNearest(v, b.Given[i], b.K, AnyDistance, query.Filter{}, h) // see look
	return c
}

// verdictSample is the number of queries that are compared with the oracle.
const verdictSample = 16

// Agrees compares queries from all over the batch with the oracle.
func Agrees(b Batch, v linear.View, boxes []soa.AABB) bool {
	count := min(b.Len(), verdictSample)
	for k := range count {
		if !b.Verify(v, boxes, k*b.Len()/count) {
			return false
		}
	}
	return true
}
