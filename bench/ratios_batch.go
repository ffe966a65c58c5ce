package main

import (
	"fmt"
	"math/bits"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
)

// batchExperiments compare many queries at once with as many one by one.
func batchExperiments() (all []experiment) {
	const large = 1_000_000
	for _, s := range []string{"uniform", "city"} {
		for _, x := range []struct {
			name string
			run  func(l *lab, b *bed) ([]contest, error)
		}{{"rays", rayContests}, {"knn", nearestContests}, {"volumes", volumeContests}, {"frusta", frustumContests}} {
			name := fmt.Sprintf("batch %s %s %s", x.name, s, thousands(large))
			all = append(all, experiment{name, large, func(l *lab) ([]row, error) { return l.contests(name, s, large, x.run) }})
		}
	}
	return all
}

// contest is a batch against single queries.
type contest struct {
	name          string
	target        target
	single, batch measure.Task
}

// batchGain is how many times faster the promised batches are.
const batchGain = 1.5

func (l *lab) contests(name, scene string, n int, run func(l *lab, b *bed) ([]contest, error)) (rows []row, err error) {
	b, err := l.bed(scene, n)
	if err != nil {
		return nil, err
	}
	list, err := run(l, b)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if one, many := c.single.Do(), c.batch.Do(); one != many {
			return nil, fmt.Errorf("%s: %d results one by one, %d at once", c.name, one, many)
		}
		times := measure.Interleave(l.rounds, c.single, c.batch)
		rows = append(rows,
			figure{name: fmt.Sprintf("%s: one by one / %s", name, c.name), values: times[0].Over(times[1]), unit: "x", target: c.target},
			figure{name: fmt.Sprintf("%s: %s", name, c.name), values: times[1], unit: "ns"},
		)
	}
	return rows, nil
}

// rayContests cast rays on one worker, and on all.
func rayContests(l *lab, b *bed) (list []contest, err error) {
	for _, kind := range []queryKind{kindFirst, kindRay} {
		q, err := b.batch(kind)
		if err != nil {
			return nil, err
		}
		r := q.(*rays)
		for _, workers := range []int{1, 0} {
			many := &query.RayBatch{Workers: workers}
			c := contest{name: kind.name + allWorkers(workers), single: queryTask(q, b)}
			if r.first && workers == 1 {
				c.target = atLeast(batchGain)
			}
			c.batch = measure.Task{Units: q.len(), Do: func() uint64 {
				// Without a context there is no error.
				if r.first {
					many.Find(nil, b.view, r.queries, query.Filter{})
				} else {
					many.FindAll(nil, b.view, r.queries, query.Filter{})
				}
				return uint64(len(many.Hits))
			}}
			list = append(list, c)
		}
	}
	return list, nil
}

func allWorkers(workers int) string {
	if workers == 0 {
		return ", all cores"
	}
	return ""
}

// nearestContests look for neighbours on one worker, and on all.
func nearestContests(l *lab, b *bed) (list []contest, err error) {
	for _, kind := range []queryKind{kindKnn1, kindKnn8} {
		q, err := b.batch(kind)
		if err != nil {
			return nil, err
		}
		p := q.(*points)
		for _, workers := range []int{1, 0} {
			many := &query.NearestBatch{Workers: workers}
			c := contest{name: kind.name + allWorkers(workers), single: queryTask(q, b)}
			if workers == 1 {
				c.target = atLeast(batchGain)
			}
			c.batch = measure.Task{Units: q.len(), Do: func() uint64 {
				// The points are finite and there is no context: no error.
				many.Find(nil, b.view, p.given, p.k, anyDistance, query.Filter{})
				return uint64(len(many.Neighbors))
			}}
			list = append(list, c)
		}
	}
	return list, nil
}

// volumeContests ask with boxes and spheres.
func volumeContests(l *lab, b *bed) (list []contest, err error) {
	for _, kind := range []queryKind{kindBox8, kindBox450, kindSphere} {
		q, err := b.batch(kind)
		if err != nil {
			return nil, err
		}
		// Neither fails on so few queries.
		var find func() []uint32
		switch v := q.(type) {
		case *volumes[query.Box]:
			var many query.BoxBatch
			find = func() []uint32 { many.Find(nil, b.view, v.queries, query.Filter{}); return many.IDs }
		case *volumes[query.Sphere]:
			var many query.SphereBatch
			find = func() []uint32 { many.Find(nil, b.view, v.queries, query.Filter{}); return many.IDs }
		}
		list = append(list, contest{
			name: kind.name, single: queryTask(q, b),
			batch: measure.Task{Units: q.len(), Do: func() uint64 { return uint64(len(find())) }},
		})
	}
	return list, nil
}

// batchViewers is the number of frusta in one walk.
const batchViewers = 5

// frustumContests cull with viewers that stand next to each other, as five
// frames of one path, and with unrelated ones.
func frustumContests(l *lab, b *bed) (list []contest, err error) {
	const sets = 20
	for _, x := range []struct {
		name    string
		cameras []scene.Camera
		target  target
	}{
		{"5 close frusta 1 %", scene.CameraPath(b.objects, 0.01, sets*batchViewers, b.seed), atLeast(batchGain)},
		{"5 close frusta 10 %", scene.CameraPath(b.objects, 0.1, sets*batchViewers, b.seed), atLeast(batchGain)},
		{"5 far frusta 1 %", scene.Cameras(b.objects, 0.01, sets*batchViewers, b.seed), target{}},
		{"5 far frusta 10 %", scene.Cameras(b.objects, 0.1, sets*batchViewers, b.seed), target{}},
	} {
		var planes [][6][4]float32
		for i := range x.cameras {
			planes = append(planes, x.cameras[i].Planes())
		}
		q, err := newFrusta(planes)
		if err != nil {
			return nil, err
		}
		if !agrees(q, b.view, b.boxes()) {
			return nil, fmt.Errorf("answers differ from the oracle")
		}
		frusta := q.(*volumes[query.Frustum]).queries
		var many query.FrustumBatch
		list = append(list, contest{
			name: x.name, target: x.target, single: queryTask(q, b),
			batch: measure.Task{Units: q.len(), Do: func() (seen uint64) {
				for i := 0; i < len(frusta); i += batchViewers {
					// Five frusta are not too many.
					many.Find(nil, b.view, frusta[i:i+batchViewers], query.Filter{})
					seen += viewings(many.Viewers)
				}
				return seen
			}},
		})
	}
	return list, nil
}

// viewings counts who sees what: objects, once for each viewer.
func viewings(viewers []uint64) (n uint64) {
	for _, set := range viewers {
		n += uint64(bits.OnesCount64(set))
	}
	return n
}
