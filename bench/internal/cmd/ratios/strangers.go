package ratios

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// strangers are objects unrelated to a scene: far away, or huge boxes around its middle.
var strangers = []struct {
	name string
	box  func(i int, middle [3]float32) soa.AABB
}{
	{"at 1e7", func(i int, m [3]float32) soa.AABB { return cubeAt(1e7+float32(i), m[1]+float32(i%97), m[2], 1) }},
	{"at 1e30", func(i int, m [3]float32) soa.AABB { return cubeAt(1e30, m[1]+float32(i%97), m[2], 1) }},
	{"of 1e9", func(i int, m [3]float32) soa.AABB { return cubeAt(m[0], m[1]+float32(i%97), m[2], 1e9) }},
}

func cubeAt(x, y, z, half float32) soa.AABB {
	return soa.AABB{Min: [3]float32{x - half, y - half, z - half}, Max: [3]float32{x + half, y + half, z + half}}
}

// strangerExperiments compare one tree of a scene and strangers with two trees, one of each.
func strangerExperiments() (all []experiment) {
	const n = 100_000
	for _, distribution := range []string{"uniform", "city"} {
		for k := range strangers {
			for _, count := range []int{1, 100, n / 20} {
				name := fmt.Sprintf("strangers %d %s %s %s", count, strangers[k].name, distribution, thousands(n))
				all = append(all, experiment{name, n, func(s *session) []row { return s.strangers(name, distribution, n, k, count) }})
			}
		}
	}
	return all
}

func (s *session) strangers(name, scene string, n, kind, count int) []row {
	near := s.bed(scene, n)
	lenses := must.Get(near.Lenses(0.01, frustumCameras))
	var middle [3]float32
	for a := range 3 {
		sum := 0.0
		for i := range near.Objects {
			sum += float64(near.Objects[i].Box.Center()[a])
		}
		middle[a] = float32(math.Round(sum / float64(n)))
	}
	others := make([]soa.Object, count)
	for i := range others {
		others[i].Box = strangers[kind].box(i, middle)
	}
	apart := must.Get(lab.Plant(others, 1, nil))
	joint := must.Get(lab.Plant(append(near.Objects[:n:n], others...), 1, nil))
	own, all := apart.View(), joint.View()
	beside := func(dst []uint32, i int) []uint32 {
		dst = lenses[i].Frustum.Append(dst, near.View, query.Filter{})
		at := len(dst)
		dst = lenses[i].Frustum.Append(dst, own, query.Filter{})
		for k := range dst[at:] {
			dst[at+k] += uint32(n)
		}
		return dst
	}
	together := func(dst []uint32, i int) []uint32 { return lenses[i].Frustum.Append(dst, all, query.Filter{}) }
	must.Do(near.Same(len(lenses), together, beside))
	tests := func(v ...query.Counters) (sum float64) {
		for _, c := range v {
			sum += float64(c.Nodes + c.Packets)
		}
		return sum
	}
	have, want := 0.0, 0.0
	for i := range lenses {
		f := &lenses[i].Frustum
		have += tests(f.Explain(all, query.Filter{}, nil))
		want += tests(f.Explain(near.View, query.Filter{}, nil), f.Explain(own, query.Filter{}, nil))
	}
	times := measure.Interleave(s.rounds, near.Task(len(lenses), together), near.Task(len(lenses), beside))
	return []row{
		figure{name: name + ": frustum, in one tree / in two", values: times[0].Over(times[1]), unit: "x", target: atMost(1.3)},
		figure{name: name + ": nodes and packets tested, the same", values: measure.Series{have / want}, unit: "x", target: atMost(1.02)},
	}
}
