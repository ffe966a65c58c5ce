package query

import (
	"context"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/strip"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// BoxBatch runs many box queries at once; the zero value is ready to use, with GOMAXPROCS workers.
// It keeps its buffers from one [BoxBatch.Find] to the next. One goroutine at a time may use it,
// and it must not be copied after its first use.
//
// The answer lists the objects of each box in the order of [Box.Append], box 0 first,
// then those of box 1 and so on.
//
// # Strategies
//
// Boxes are shared among workers. A worker uses one of these strategies, which it selects by
// counts alone: of slots, of boxes, and of the packets that boxes have hit so far.
//
//   - 16 boxes in one walk, in the given order, so that while one waits for memory another is
//     tested: where boxes are small, up to some hundred objects each, in a tree of some 6,000
//     objects or more, without a filter and with few pending packets. A box that hits more is run
//     by itself.
//   - One by one, otherwise.
//   - Either of the two along the Morton curve, so that each box finds the data of its predecessor
//     in the cache: where 10,000 boxes, say, hit many objects each in a tree of a million, and are
//     not in order already, unlike the boxes of a scan.
type BoxBatch struct {
	// Workers is the number of goroutines, including the caller's. 0 means GOMAXPROCS, and values
	// above 1,024 mean 1,024. The answer does not depend on it.
	Workers int

	// Progress, unless nil, is called on the caller's goroutine with the share of the queries that
	// have been started: 0 at the start, then never less than before, and 1 at the end of a Find
	// without an error. It must not use the batch. If it panics, the other workers have ended when the
	// panic reaches the caller, and the answer is empty.
	Progress func(done float64)

	// Offsets and IDs are the answer of the last Find: the objects that intersect box i are
	// IDs[Offsets[i]:Offsets[i+1]].
	Offsets []int
	IDs     []uint32

	batch batch[Box, uint32]
	share bool // the boxes of this run may share walks
}

// Find runs [Box.Append] for each of the boxes, with the same result in the same order.
//
// It returns the error of the context, which it checks every 64 boxes, and an error for a filter
// that is out of range or for more than about 2^31 boxes. The answer is then empty: [BoxBatch.Of]
// returns no objects for each box. A nil context never ends. Once its buffers have grown, Find
// allocates only to start more than one worker.
func (b *BoxBatch) Find(ctx context.Context, v linear.View, boxes []Box, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // workers start in this phase; walks set their own
	if err := b.batch.begin(v, boxes, &flt, &b.Offsets, &b.IDs); err != nil {
		return err
	}
	defer b.batch.end()
	if b.plan() {
		b.batch.locate(func(q *Box) [3]float32 { return (*walk.Box)(q).Bounds().Center() })
	}
	return b.batch.run(ctx, (*boxJob)(b), strip.Options{Workers: b.Workers, Step: strip.Most, Progress: b.Progress}, b.Offsets, &b.IDs)
}

// Of returns the answer for box i. It is valid until the next Find. It panics unless Find received
// a box of that index.
func (b *BoxBatch) Of(i int) []uint32 { return strip.Of("query: box", b.IDs, b.Offsets, i) }

// boxJob runs the queries of a batch.
type boxJob BoxBatch

func (j *boxJob) RunStrip(queries []uint32, p *strip.Part[uint32]) { (*BoxBatch)(j).ask(queries, p) }

func (b *BoxBatch) ask(queries []uint32, p *strip.Part[uint32]) {
	for len(queries) > 0 {
		if b.share && p.Alone <= 0 {
			queries = b.together(queries, p)
			continue
		}
		p.Alone--
		b.alone(queries[0], p)
		queries = queries[1:]
	}
}

// alone runs the query of one box.
func (b *BoxBatch) alone(i uint32, p *strip.Part[uint32]) {
	first := len(p.List)
	p.List = (*walk.Box)(&b.batch.queries[i]).Begin(b.batch.store).Append(p.List, &b.batch.filter)
	p.End(i, first)
}

// SphereBatch runs many sphere queries at once, as [BoxBatch] does for boxes; the zero value is
// ready to use, with GOMAXPROCS workers. Spheres run one by one: in the given order, or along the
// Morton curve where they are many in a large tree.
type SphereBatch struct {
	// Workers and Progress are as in [BoxBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and IDs are the answer of the last Find: the objects that intersect sphere i are
	// IDs[Offsets[i]:Offsets[i+1]].
	Offsets []int
	IDs     []uint32

	batch batch[Sphere, uint32]
}

// Find runs [Sphere.Append] for each of the spheres, as [BoxBatch.Find] does for boxes.
func (b *SphereBatch) Find(ctx context.Context, v linear.View, spheres []Sphere, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // workers start in this phase; walks set their own
	if err := b.batch.begin(v, spheres, &flt, &b.Offsets, &b.IDs); err != nil {
		return err
	}
	defer b.batch.end()
	b.batch.locate(func(q *Sphere) [3]float32 { return (*walk.Sphere)(q).Center() })
	return b.batch.run(ctx, (*sphereJob)(b), strip.Options{Workers: b.Workers, Step: strip.Most, Progress: b.Progress}, b.Offsets, &b.IDs)
}

// Of returns the answer for sphere i. It is valid until the next Find. It panics unless Find
// received a sphere of that index.
func (b *SphereBatch) Of(i int) []uint32 { return strip.Of("query: sphere", b.IDs, b.Offsets, i) }

// sphereJob runs the queries of a batch.
type sphereJob SphereBatch

func (j *sphereJob) RunStrip(queries []uint32, p *strip.Part[uint32]) {
	(*SphereBatch)(j).ask(queries, p)
}

func (b *SphereBatch) ask(queries []uint32, p *strip.Part[uint32]) {
	j := &b.batch
	list, runs := p.List, p.Runs
	for _, i := range queries {
		first := len(list)
		list = (*walk.Sphere)(&j.queries[i]).Begin(j.store).Append(list, &j.filter)
		runs = append(runs, strip.Run{Query: i, N: uint32(len(list) - first)})
	}
	p.List, p.Runs = list, runs
}
