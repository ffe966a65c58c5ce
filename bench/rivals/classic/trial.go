package classic

import (
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	results = 500 // approximate results of a query, as in the report
	queries = 200
)

// trial holds the measurements of all contenders for the same queries.
type trial struct {
	found      float64          // mean results of a query
	candidates []float64        // mean candidates of each contender
	times      []measure.Series // ns of a query
}

// builds builds all contenders, once a round, and returns the seconds of each.
func (s *study) builds(objects []soa.Object, all []contender) (seconds []measure.Series) {
	seconds = make([]measure.Series, len(all))
	for range s.rounds {
		for i, c := range all {
			seconds[i] = append(seconds[i], build(objects, c))
		}
	}
	return seconds
}

// build builds a contender and returns its build time in seconds.
func build(objects []soa.Object, c contender) (seconds float64) {
	runtime.GC()
	start := time.Now()
	c.build(objects)
	return time.Since(start).Seconds()
}

// questions returns query boxes with about as many results as in the report, but at most a twentieth of the
// objects.
func (s *study) questions(objects []soa.Object) []soa.AABB {
	return scene.BoxQueries(objects, min(results, len(objects)/20), queries, s.seed)
}

// ask compares the results of built contenders, and measures their times.
func (s *study) ask(objects []soa.Object, all []contender) (t trial) {
	boxes := s.questions(objects)
	t = check(boxes, all)
	var tasks []measure.Task
	for _, c := range all {
		tasks = append(tasks, task(boxes, c))
	}
	t.times = measure.Interleave(s.rounds, tasks...)
	return t
}

// check compares the results, and counts results and candidates.
func check(boxes []soa.AABB, all []contender) (t trial) {
	var set baseline.Set
	var want, got []uint32
	t.candidates = make([]float64, len(all))
	for i, b := range boxes {
		want = all[0].ask(want[:0], b)
		t.found += float64(len(want)) / float64(len(boxes))
		for k, c := range all {
			got = c.ask(got[:0], b)
			if err := set.Same(got, want); err != nil {
				must.Fail("box %d, contenders 0 and %d differ: %w", i, k, err)
			}
			t.candidates[k] += float64(c.candidates(b)) / float64(len(boxes))
		}
	}
	return t
}

// task runs all box queries. Its unit is a query.
func task(boxes []soa.AABB, c contender) measure.Task {
	var ids []uint32
	return measure.Task{Units: len(boxes), Do: func() (sum uint64) {
		for _, b := range boxes {
			ids = c.ask(ids[:0], b)
			sum += uint64(len(ids))
		}
		return sum
	}}
}

// uniform returns spheres of radius 1 in a cube of side 3·n^(1/3): a dense scene.
func uniform(n int, seed uint64) []soa.Object {
	s, _ := scene.ByName("uniform")
	return s.Make(n, seed)
}

// sparse returns the same spheres spread out so that a box of side 100 overlaps about as many as the queries
// of the report did.
func sparse(n int, seed uint64) []soa.Object {
	objects := uniform(n, seed)
	apart := math.Cbrt(102*102*102/float64(results)) / 3
	for i := range objects {
		b := &objects[i].Box
		for a, c := range b.Center() {
			far := float64(c) * apart
			b.Min[a], b.Max[a] = float32(far-1), float32(far+1)
		}
	}
	return objects
}

// lopsided returns spheres of radius 1 concentrated at the origin: the logarithms of their distances are
// uniform over 16 octaves. Nearly all objects are on one side of any plane through the mean.
func lopsided(n int, seed uint64) []soa.Object {
	r := rand.New(rand.NewPCG(seed, 82))
	objects := make([]soa.Object, n)
	for i := range objects {
		b := &objects[i].Box
		far := 4 * math.Exp2(16*r.Float64())
		for a := range 3 {
			c := far * r.Float64()
			b.Min[a], b.Max[a] = float32(c-1), float32(c+1)
		}
	}
	return objects
}
