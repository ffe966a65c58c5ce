package query

import (
	"slices"
	"sync"
	"time"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/strip"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// BatchSorts reports whether a batch at these points is sorted.
func BatchSorts(s *soa.Store, points [][3]float32) bool {
	b := batch[[3]float32, uint32]{store: s, queries: points, points: points}
	order, err := b.order(nil)
	return err == nil && order != nil
}

// BatchInOrder reports whether queries at points with these keys count as in order.
func BatchInOrder(keys []uint64) bool { return inOrder(keys) }

// together is a job whose queries wait for each other.
type together struct {
	meet  sync.WaitGroup
	alone bool // a strip has waited without success
	lock  sync.Mutex
}

func (j *together) RunStrip(queries []uint32, p *strip.Part[uint32]) {
	j.meet.Done()
	all := make(chan struct{})
	go func() { j.meet.Wait(); close(all) }()
	select {
	case <-all:
	case <-time.After(5 * time.Second):
		j.lock.Lock()
		j.alone = true
		j.lock.Unlock()
	}
	for _, i := range queries {
		p.List = append(p.List, i)
		p.End(i, len(p.List)-1)
	}
}

// BatchAtOnce runs as many strips as there are workers, each waiting for the others, and reports whether all ran at
// the same time.
func BatchAtOnce(s *soa.Store, workers int) bool {
	n := workers * strip.Most
	b := batch[struct{}, uint32]{store: s, queries: make([]struct{}, n)}
	var j together
	j.meet.Add(workers)
	var got []uint32
	err := b.run(nil, &j, strip.Options{Workers: workers, Step: strip.Most}, make([]int, n+1), &got)
	return err == nil && !j.alone && len(got) == n && slices.IsSorted(got)
}

// BoxPoints and SpherePoints return the points of the queries by which the last Find sorted them.
func BoxPoints(b *BoxBatch) [][3]float32       { return b.batch.points }
func SpherePoints(b *SphereBatch) [][3]float32 { return b.batch.points }

// BoxKeeps and its siblings report whether a finished batch still refers to a tree or to its queries.
func BoxKeeps(b *BoxBatch) bool         { return b.batch.keeps() }
func SphereKeeps(b *SphereBatch) bool   { return b.batch.keeps() }
func RayKeeps(b *RayBatch) bool         { return b.batch.keeps() }
func NearestKeeps(b *NearestBatch) bool { return b.batch.keeps() || b.batch.points != nil }

func (b *batch[Q, T]) keeps() bool { return b.store != nil || b.queries != nil || b.filter.Only != nil }

// BoxesPlan returns the plan of a batch of boxes.
func BoxesPlan(s *soa.Store, boxes []Box, f Filter) (share, sorted bool) {
	keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact, Only: f.Only}
	b := BoxBatch{batch: batch[Box, uint32]{store: s, queries: boxes, filter: keep}}
	sorted = b.plan()
	return b.share, sorted
}

// Thresholds of the plans.
const (
	TogetherSlots   = togetherSlots
	TogetherPending = togetherPending
	SampledBoxes    = sampledBoxes
	BatchCached     = batchCached
	BatchDense      = batchDense
)

// MeetPlanes is the point on three planes, with bounds of its errors.
func MeetPlanes(p, q, r *[4]float64) (c, e [3]float64, ok bool) { return exact.Intersect(p, q, r) }

// Separators are the planes of the second test of a precise frustum in a store, and their d for boxes that are not
// near, none if the d are equal.
func Separators(f Frustum, s *soa.Store) (planes [][4]float32, far []float32) {
	w := f.q().Begin(s)
	defer w.Release()
	for i := range w.Separators.Parts[:w.Separators.N] {
		c := &w.Separators.Parts[i].Convex
		planes = append(planes, c.Coef[:c.N]...)
		if c.Two {
			far = append(far, c.Wide[:c.N]...)
		}
	}
	return planes, far
}

// Rebase moves planes of float64 to an origin.
func Rebase(p [4]float64, origin [3]float64) [4]float64 {
	walk.Rebase(&p, &origin)
	return p
}

// PixelLine returns the numbers that define the ray of a pixel, FarPlane the plane at which it ends.
func PixelLine(v Viewport, x, y float64) (start, along [3]float64, length float64, fault string) {
	return v.line(x, y)
}

func FarPlane(v Viewport) [4]float64 { return v.planes[5] }
