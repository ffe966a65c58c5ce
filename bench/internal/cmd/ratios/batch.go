package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
)

// batchExperiments compare a batch of queries with the same queries run one by one.
func batchExperiments() (all []experiment) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, distribution := range []string{"uniform", "city", "surface"} {
			for _, x := range []struct {
				name string
				run  func(s *session, b *bed) []contest
			}{{"rays", rayContests}, {"knn", nearestContests}, {"volumes", volumeContests}, {"frusta", frustumContests}} {
				name := fmt.Sprintf("batch %s %s %s", x.name, distribution, thousands(n))
				all = append(all, experiment{name, n, func(s *session) []row { return s.contests(name, distribution, n, x.run) }})
			}
		}
	}
	return all
}

// contest compares a batch with single queries.
type contest struct {
	name          string
	target        target
	single, batch measure.Task
}

const (
	// batchGain is the promised speedup of a batch in a large tree, where no other number is stated. batchLeast
	// is the lowest ratio that any batch may have.
	batchGain  = 1.5
	batchLeast = 0.97

	largeTree = 1_000_000
)

// gain is the target of a batch: large in a large tree, batchLeast in others.
func (b *bed) gain(large float64) target {
	if len(b.Objects) < largeTree {
		return atLeast(batchLeast)
	}
	return atLeast(large)
}

// boxGains are the targets of batches of boxes, by kind and number of objects.
var boxGains = map[string]map[int]float64{
	lab.Box8.Name:   {100_000: 1.15, largeTree: 1.4},
	lab.Box450.Name: {largeTree: 1.3},
}

func (s *session) contests(name, scene string, n int, run func(s *session, b *bed) []contest) (rows []row) {
	b := s.bed(scene, n)
	list := run(s, b)
	for _, c := range list {
		if one, many := c.single.Do(), c.batch.Do(); one != many {
			must.Fail("%s: %d results one by one, %d at once", c.name, one, many)
		}
		times := measure.Interleave(s.rounds, c.single, c.batch)
		rows = append(rows,
			figure{name: fmt.Sprintf("%s: one by one / %s", name, c.name), values: times[0].Over(times[1]), unit: "x", target: c.target},
			figure{name: fmt.Sprintf("%s: %s", name, c.name), values: times[1], unit: "ns"},
		)
	}
	return rows
}

// rayContests cast rays on one worker, and on all workers.
func rayContests(s *session, b *bed) (list []contest) {
	for _, kind := range []lab.QueryKind{lab.RayNearest, lab.RayAll} {
		q := must.Get(b.Batch(kind))
		r := q.(*lab.Rays)
		for _, workers := range []int{1, 0} {
			many := &query.RayBatch{Workers: workers}
			c := contest{name: kind.Name + allWorkers(workers), single: b.QueryTask(q)}
			switch {
			case workers != 1:
			case r.Form == lab.RayFirst:
				c.target = b.gain(1.3)
			default:
				c.target = atLeast(batchLeast)
			}
			c.batch = measure.Task{Units: q.Len(), Do: func() uint64 {
				// Without a context there is no error.
				if r.Form == lab.RayFirst {
					many.Find(nil, b.View, r.Queries, query.Filter{})
				} else {
					many.FindAll(nil, b.View, r.Queries, query.Filter{})
				}
				return uint64(len(many.Hits))
			}}
			list = append(list, c)
		}
	}
	return list
}

func allWorkers(workers int) string {
	if workers == 0 {
		return ", all cores"
	}
	return ""
}

// nearestContests run k-nearest-neighbour searches on one worker, and on all workers.
func nearestContests(s *session, b *bed) (list []contest) {
	for _, kind := range []lab.QueryKind{lab.Nearest1, lab.Nearest8} {
		q := must.Get(b.Batch(kind))
		p := q.(*lab.Points)
		for _, workers := range []int{1, 0} {
			many := &query.NearestBatch{Workers: workers}
			c := contest{name: kind.Name + allWorkers(workers), single: b.QueryTask(q)}
			if workers == 1 {
				c.target = b.gain(batchGain)
			}
			c.batch = measure.Task{Units: q.Len(), Do: func() uint64 {
				// The points are finite and there is no context: no error.
				many.Find(nil, b.View, p.Given, p.K, lab.AnyDistance, query.Filter{})
				return uint64(len(many.Neighbors))
			}}
			list = append(list, c)
		}
	}
	return list
}

// volumeContests run box and sphere queries.
func volumeContests(s *session, b *bed) (list []contest) {
	for _, kind := range []lab.QueryKind{lab.Box8, lab.Box450, lab.Sphere550} {
		q := must.Get(b.Batch(kind))
		// Neither call fails on so few queries.
		var find func() []uint32
		switch v := q.(type) {
		case *lab.Volumes[query.Box]:
			many := query.BoxBatch{Workers: 1}
			find = func() []uint32 { many.Find(nil, b.View, v.Queries, query.Filter{}); return many.IDs }
		case *lab.Volumes[query.Sphere]:
			many := query.SphereBatch{Workers: 1}
			find = func() []uint32 { many.Find(nil, b.View, v.Queries, query.Filter{}); return many.IDs }
		}
		list = append(list, contest{
			name: kind.Name, single: b.QueryTask(q), target: atLeast(max(batchLeast, boxGains[kind.Name][len(b.Objects)])),
			batch: measure.Task{Units: q.Len(), Do: func() uint64 { return uint64(len(find())) }},
		})
	}
	return list
}

// frustumContests cull with the frusta of five frames of one path at a time.
func frustumContests(s *session, b *bed) (list []contest) {
	const sets, together = 20, 5
	for _, percent := range []int{1, 10} {
		var planes [][6][4]float32
		for _, c := range scene.CameraPath(b.Objects, float64(percent)/100, sets*together, b.Seed) {
			planes = append(planes, c.Planes())
		}
		q := must.Get(b.Agreed(lab.NewFrusta(planes)))
		frusta := q.(*lab.Volumes[query.Frustum]).Queries
		for _, workers := range []int{1, 0} {
			many := query.FrustumBatch{Workers: workers}
			c := contest{name: fmt.Sprintf("%d frusta %d %%%s", together, percent, allWorkers(workers)), single: b.QueryTask(q)}
			if workers == 1 {
				c.target = atLeast(batchLeast)
			}
			c.batch = measure.Task{Units: q.Len(), Do: func() (visible uint64) {
				for i := 0; i < len(frusta); i += together {
					many.Find(nil, b.View, frusta[i:i+together], query.Filter{}) // without a context there is no error
					visible += uint64(len(many.IDs))
				}
				return visible
			}}
			list = append(list, c)
		}
	}
	return list
}
