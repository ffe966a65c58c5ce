package query

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// BoxBatch asks for many boxes at once. The zero value is ready to use; it keeps
// its buffers from one [BoxBatch.Find] to the next. One goroutine at a time may
// use it.
type BoxBatch struct {
	// Offsets and IDs are the answer of the last Find: the objects that meet
	// box i are IDs[Offsets[i]:Offsets[i+1]].
	Offsets []int
	IDs     []uint32

	run batchRunner
}

// Find is [Box.Append] for each of the boxes, with the same result in the same
// order. The boxes are visited along the Morton curve, so that each finds what
// its predecessor needed in the cache: worth it when the tree exceeds the cache
// and the answers are small. More than about 2^31 boxes are an error, and so is
// a filter that is out of range; the answer is then empty: [BoxBatch.Of] gives nothing for each box. It allocates only while its buffers grow.
func (b *BoxBatch) Find(v linear.View, boxes []Box, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // order and answers; walks have their own
	s, r := v.Store(), &b.run
	b.Offsets, b.IDs = noOffsets(b.Offsets, len(boxes)), b.IDs[:0]
	r.begin()
	for i := range boxes {
		q := &boxes[i].box
		r.points = append(r.points, soa.AABB{Min: [3]float32{q[0], q[2], q[4]}, Max: [3]float32{q[1], q[3], q[5]}}.Center())
	}
	order, err := r.order(flt)
	if err != nil {
		return err
	}
	for _, item := range order {
		i := radix.Index(item)
		first := len(r.list)
		r.list = boxes[i].begin(s).append(r.list, flt)
		r.parts[i] = batchSpan{first, len(r.list)}
	}
	b.IDs = r.gather(b.Offsets, b.IDs)
	return nil
}

// Of returns the answer for a box. It is valid until the next Find.
func (b *BoxBatch) Of(i int) []uint32 { return b.IDs[b.Offsets[i]:b.Offsets[i+1]:b.Offsets[i+1]] }

// SphereBatch is [BoxBatch] for spheres.
type SphereBatch struct {
	// Offsets and IDs are the answer of the last Find: the objects that meet
	// sphere i are IDs[Offsets[i]:Offsets[i+1]].
	Offsets []int
	IDs     []uint32

	run batchRunner
}

// Find is [Sphere.Append] for each of the spheres, as [BoxBatch.Find] is for
// boxes.
func (b *SphereBatch) Find(v linear.View, spheres []Sphere, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // order and answers; walks have their own
	s, r := v.Store(), &b.run
	b.Offsets, b.IDs = noOffsets(b.Offsets, len(spheres)), b.IDs[:0]
	r.begin()
	for i := range spheres {
		r.points = append(r.points, spheres[i].sphere.Center)
	}
	order, err := r.order(flt)
	if err != nil {
		return err
	}
	for _, item := range order {
		i := radix.Index(item)
		first := len(r.list)
		r.list = spheres[i].begin(s).append(r.list, flt)
		r.parts[i] = batchSpan{first, len(r.list)}
	}
	b.IDs = r.gather(b.Offsets, b.IDs)
	return nil
}

// Of returns the answer for a sphere. It is valid until the next Find.
func (b *SphereBatch) Of(i int) []uint32 {
	return b.IDs[b.Offsets[i]:b.Offsets[i+1]:b.Offsets[i+1]]
}

// batchRunner puts queries in the order of the curve and their answers in the
// order of the queries.
type batchRunner struct {
	points [][3]float32 // a point of each query
	sort   radix.Scratch
	keys   []uint64
	list   []uint32    // answers in the order of the curve
	parts  []batchSpan // where in the list that of each query is
}

// batchSpan is the part of a list from first on, up to end.
type batchSpan struct{ first, end int }

func (r *batchRunner) begin() { r.points, r.list = r.points[:0], r.list[:0] }

// order checks the filter and returns items that name the queries along the curve.
func (r *batchRunner) order(flt Filter) ([]uint64, error) {
	if err := flt.check(); err != nil {
		return nil, err
	}
	n := len(r.points)
	r.parts = slices.Grow(r.parts[:0], n)[:n]
	if n > radix.MaxLen {
		return nil, fmt.Errorf("query: %d queries exceed %d", n, radix.MaxLen)
	}
	if n == 0 {
		return nil, nil
	}
	box := soa.Empty()
	for _, p := range r.points {
		box = box.Union(soa.AABB{Min: p, Max: p})
	}
	world, err := morton.Fit(box.Min, box.Max)
	if err != nil {
		return nil, err
	}
	grid := world.Grid()
	r.keys = slices.Grow(r.keys[:0], n)
	for _, p := range r.points {
		r.keys = append(r.keys, grid.Key(p[0], p[1], p[2]))
	}
	return r.sort.Order(r.keys, radix.Options{})
}

// gather copies the answers into the order of the queries.
func (r *batchRunner) gather(offsets []int, ids []uint32) []uint32 {
	ids = slices.Grow(ids, len(r.list))
	for i, p := range r.parts {
		ids = append(ids, r.list[p.first:p.end]...)
		offsets[i+1] = len(ids)
	}
	return ids
}

// noOffsets returns the offsets of n empty answers: those of a batch that fails.
func noOffsets(offsets []int, n int) []int {
	offsets = slices.Grow(offsets[:0], n+1)[:n+1]
	clear(offsets)
	return offsets
}
