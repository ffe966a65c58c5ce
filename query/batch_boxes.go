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
//
// Boxes are shared among workers. A worker asks them in one of these ways, which it
// chooses by counts alone, of slots, of boxes and of what boxes have met so far:
//
//   - 16 in one walk, as they come, so that while one waits for memory another is
//     tested: where they are small, up to some hundred objects each, in a tree of some
//     6,000 objects or more, without a filter and with little that is pending. A box that
//     turns out to meet more is asked by itself.
//   - One by one, otherwise.
//   - Either of these along the Morton curve, so that each box finds in the cache what
//     its predecessor needed: where 10,000 boxes, say, meet many objects each in a tree
//     of a million, and do not come in order already, as those of a scan do.
//
// The answer is the same in all of them: the objects of a box in the order of
// [Box.Append], those of box 0 first, then those of box 1 and so on.
type BoxBatch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS, and more than 1,024 mean as many. The answer does not depend on it.
	Workers int

	// Progress, unless nil, is called on the caller's goroutine with the share
	// of the queries that have been taken: 0 at the start, then never less than
	// before, and 1 at the end of a Find without an error. It must not use the
	// batch. When it panics, the other workers have ended when the panic
	// reaches the caller, and the answer is empty.
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
	b.job = boxJob{store: s, boxes: boxes, filter: flt}
	defer func() { b.job = boxJob{} }()
	b.batch.points = b.batch.points[:0]
	if b.job.plan() {
		for i := range boxes {
			q := &boxes[i].box
			b.batch.points = append(b.batch.points, soa.AABB{Min: [3]float32{q[0], q[2], q[4]}, Max: [3]float32{q[1], q[3], q[5]}}.Center())
		}
	}
	var err error
	b.IDs, err = b.batch.run(ctx, s, &b.job, len(boxes), batchOptions{b.Workers, b.Progress}, b.Offsets, b.IDs)
	return err
}

// Of returns the answer for a box. It is valid until the next Find. It panics unless Find was given a box of that
// number.
func (b *BoxBatch) Of(i int) []uint32 { return answerOf("box", b.IDs, b.Offsets, i) }

type boxJob struct {
	store  *soa.Store
	boxes  []Box
	filter Filter
	share  bool // boxes may share walks
}

func (j *boxJob) ask(strip []uint32, p *batchPart[uint32]) {
	for len(strip) > 0 {
		if j.share && p.alone <= 0 {
			strip = j.together(strip, p)
			continue
		}
		p.alone--
		j.alone(strip[0], p)
		strip = strip[1:]
	}
}

// alone asks one box.
func (j *boxJob) alone(i uint32, p *batchPart[uint32]) {
	first := len(p.list)
	p.list = j.boxes[i].begin(j.store).append(p.list, &j.filter)
	p.end(i, first)
}

// SphereBatch is [BoxBatch] for spheres, which are asked one by one: as they come, or
// along the curve where they are many in a large tree.
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
	if large(s, len(spheres)) {
		for i := range spheres {
			b.batch.points = append(b.batch.points, spheres[i].sphere.Center)
		}
	}
	b.job = sphereJob{s, spheres, flt}
	defer func() { b.job = sphereJob{} }()
	var err error
	b.IDs, err = b.batch.run(ctx, s, &b.job, len(spheres), batchOptions{b.Workers, b.Progress}, b.Offsets, b.IDs)
	return err
}

// Of returns the answer for a sphere. It is valid until the next Find. It panics unless Find was given a sphere of
// that number.
func (b *SphereBatch) Of(i int) []uint32 { return answerOf("sphere", b.IDs, b.Offsets, i) }

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
