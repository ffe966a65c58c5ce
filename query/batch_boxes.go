package query

import (
	"context"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// BoxBatch asks for many boxes at once. The zero value is ready to use; it keeps
// its buffers from one [BoxBatch.Find] to the next. One goroutine at a time may
// use it, and it must not be copied after its first use.
type BoxBatch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS. The answer does not depend on it.
	Workers int

	// Progress, unless nil, is called on the caller's goroutine with the share
	// of the queries that have been taken: 0 at the start, then never less than
	// before, and 1 at the end of a Find without an error. It must not use the
	// batch.
	Progress func(done float64)

	// Offsets and IDs are the answer of the last Find: the objects that meet
	// box i are IDs[Offsets[i]:Offsets[i+1]].
	Offsets []int
	IDs     []uint32

	batch batch[uint32]
	job   boxJob
}

// Find is [Box.Append] for each of the boxes, with the same result in the same
// order.
//
// Boxes are shared among workers, and visited along the Morton curve, so that each
// finds what its predecessor needed in the cache; as they come where that gains
// nothing: in a tree of some 30,000 objects or less, or if they are in order
// already, as those of a scan are.
//
// An error is that of the context, which is asked every 64 boxes, tells of a filter
// that is out of range, or of more than about 2^31 boxes; the answer is then empty:
// [BoxBatch.Of] gives nothing for each box. nil is a context that does not end. It
// allocates, once its buffers have grown, only what starting more than one worker
// takes.
func (b *BoxBatch) Find(ctx context.Context, v linear.View, boxes []Box, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // workers start in it; walks have their own
	b.Offsets, b.IDs = noOffsets(b.Offsets, len(boxes)), b.IDs[:0]
	s := v.Store()
	if err := flt.Check(); err != nil {
		return err
	}
	b.batch.points = b.batch.points[:0]
	for i := range boxes {
		if inCache(s) {
			break
		}
		q := &boxes[i].box
		b.batch.points = append(b.batch.points, soa.AABB{Min: [3]float32{q[0], q[2], q[4]}, Max: [3]float32{q[1], q[3], q[5]}}.Center())
	}
	b.job = boxJob{s, boxes, flt}
	defer func() { b.job = boxJob{} }()
	var err error
	b.IDs, err = b.batch.run(ctx, s, &b.job, len(boxes), batchOptions{b.Workers, b.Progress}, b.Offsets, b.IDs)
	return err
}

// Of returns the answer for a box. It is valid until the next Find.
func (b *BoxBatch) Of(i int) []uint32 { return b.IDs[b.Offsets[i]:b.Offsets[i+1]:b.Offsets[i+1]] }

type boxJob struct {
	store  *soa.Store
	boxes  []Box
	filter Filter
}

func (j *boxJob) ask(strip []uint32, p *batchPart[uint32]) {
	list, runs := p.list, p.runs
	for _, i := range strip {
		first := len(list)
		list = j.boxes[i].begin(j.store).append(list, &j.filter)
		runs = append(runs, batchRun{i, uint32(len(list) - first)})
	}
	p.list, p.runs = list, runs
}

// SphereBatch is [BoxBatch] for spheres.
type SphereBatch struct {
	// Workers and Progress are as in [BoxBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and IDs are the answer of the last Find: the objects that meet
	// sphere i are IDs[Offsets[i]:Offsets[i+1]].
	Offsets []int
	IDs     []uint32

	batch batch[uint32]
	job   sphereJob
}

// Find is [Sphere.Append] for each of the spheres, as [BoxBatch.Find] is for
// boxes.
func (b *SphereBatch) Find(ctx context.Context, v linear.View, spheres []Sphere, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // workers start in it; walks have their own
	b.Offsets, b.IDs = noOffsets(b.Offsets, len(spheres)), b.IDs[:0]
	s := v.Store()
	if err := flt.Check(); err != nil {
		return err
	}
	b.batch.points = b.batch.points[:0]
	for i := range spheres {
		if inCache(s) {
			break
		}
		b.batch.points = append(b.batch.points, spheres[i].sphere.Center)
	}
	b.job = sphereJob{s, spheres, flt}
	defer func() { b.job = sphereJob{} }()
	var err error
	b.IDs, err = b.batch.run(ctx, s, &b.job, len(spheres), batchOptions{b.Workers, b.Progress}, b.Offsets, b.IDs)
	return err
}

// Of returns the answer for a sphere. It is valid until the next Find.
func (b *SphereBatch) Of(i int) []uint32 {
	return b.IDs[b.Offsets[i]:b.Offsets[i+1]:b.Offsets[i+1]]
}

type sphereJob struct {
	store   *soa.Store
	spheres []Sphere
	filter  Filter
}

func (j *sphereJob) ask(strip []uint32, p *batchPart[uint32]) {
	list, runs := p.list, p.runs
	for _, i := range strip {
		first := len(list)
		list = j.spheres[i].begin(j.store).append(list, &j.filter)
		runs = append(runs, batchRun{i, uint32(len(list) - first)})
	}
	p.list, p.runs = list, runs
}
