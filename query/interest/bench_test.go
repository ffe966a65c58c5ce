package interest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// A frame: one object in a hundred drifts by up to its size, and a tick. Then the events of viewers
// with boxes of 398 objects are found
//
//	tracker  by a tracker, each viewer moved or not
//	sort     by a query of each, sorted and merged with the last one
//	map      by a query of each, looked up in a set of the last one
//	naive    by a query of each, looked up in the list of the last one (of a few, scaled up)
//	query    by no comparison: the queries alone
//
// ms/frame is the median without the objects' moves, and min-ms the minimum. The objects are cubes of 0.4 to 2.4
// units in a cube of 1,000. moving is the share of the viewers that walk, by up to two units along each axis.
func BenchmarkInterest(b *testing.B) {
	for _, size := range micro.Sizes(10_000, 100_000, 1_000_000) {
		for _, moving := range []float64{1, 0.1, 0} {
			for _, form := range []string{"tracker", "query", "sort", "map", "naive"} {
				b.Run(fmt.Sprintf("n=%d/moving=%v/form=%s", size, moving, form), func(b *testing.B) {
					newMeadow(b, size, size/100, size/100, moving).bench(b, form)
				})
			}
		}
	}
}

// BenchmarkInterest with so many moves as there are objects: nearly all that a viewer sees are events.
func BenchmarkInterestAll(b *testing.B) {
	for _, size := range micro.Sizes(10_000, 100_000) {
		for _, form := range []string{"tracker", "sort"} {
			b.Run(fmt.Sprintf("n=%d/form=%s", size, form), func(b *testing.B) {
				newMeadow(b, size, size, size/100, 1).bench(b, form)
			})
		}
	}
}

// meadow is a scene of objects and viewers that move.
type meadow struct {
	tree    *linear.Tree
	rng     *rand.Rand
	boxes   []soa.AABB
	at      [][3]float32 // of viewers
	half    float32
	moving  float64
	ids     []uint32
	to      []soa.AABB
	tracker interest.Tracker
}

func newMeadow(b *testing.B, n, movers, viewers int, moving float64) *meadow {
	world := soa.AABB{Max: [3]float32{1000, 1000, 1000}}
	m := &meadow{rng: testkit.Rand(3), boxes: make([]soa.AABB, n), at: make([][3]float32, viewers), moving: moving}
	m.ids, m.to = make([]uint32, movers), make([]soa.AABB, movers)
	objects := make([]soa.Object, n)
	for i := range objects {
		m.boxes[i] = testkit.CubeAt(within(m.rng, world, 3), 0.2+m.rng.Float32())
		objects[i].Box = m.boxes[i]
	}
	m.tree = plant(b, objects)
	m.half = sideOf(m.tree.View(), world, 398) / 2
	m.tracker.Workers = 1
	for i := range m.at {
		m.at[i] = within(m.rng, world, 2*m.half)
		m.tracker.Add(m.area(b, i))
	}
	return m
}

func (m *meadow) area(b *testing.B, i int) interest.Area {
	a, err := interest.Box(testkit.CubeAt(m.at[i], m.half), testkit.CubeAt(m.at[i], m.half))
	testkit.Must(b, err)
	return a
}

// step moves objects and viewers, and returns the moved viewers.
func (m *meadow) step(b *testing.B) (moved []int) {
	for i := range m.ids {
		m.ids[i] = uint32(m.rng.IntN(len(m.boxes)))
		x := &m.boxes[m.ids[i]]
		for a := range 3 {
			d := (m.rng.Float32() - 0.5) * 2
			x.Min[a], x.Max[a] = x.Min[a]+d, x.Max[a]+d
		}
		m.to[i] = *x
	}
	testkit.Must(b, m.tree.MoveBatch(m.ids, m.to))
	testkit.Must(b, m.tree.Tick())
	m.tree.View()
	for i := range m.at {
		if m.rng.Float64() < m.moving {
			for a := range 3 {
				m.at[i][a] += (m.rng.Float32() - 0.5) * 4
			}
			moved = append(moved, i)
		}
	}
	return moved
}

func (m *meadow) bench(b *testing.B, form string) {
	p := plain{was: make([][]uint32, len(m.at)), now: make([][]uint32, len(m.at)), set: map[uint32]struct{}{}}
	some := len(m.at)
	if form == "naive" {
		some = max(some/100, 1)
	}
	var times []time.Duration
	frame := func() {
		moved := m.step(b)
		v, t0 := m.tree.View(), time.Now()
		if form == "tracker" {
			for _, i := range moved {
				testkit.Must(b, m.tracker.Move(uint32(i), m.area(b, i)))
			}
			testkit.Must(b, m.tracker.Update(v))
		} else {
			p.frame(v, form, some, m)
		}
		times = append(times, time.Since(t0)*time.Duration(len(m.at)/some))
	}
	for range 3 {
		frame()
	}
	times = times[:0]
	for b.Loop() {
		frame()
	}
	told, seen := 0, 0
	for i := range uint32(len(m.at)) {
		told += len(m.tracker.Entered(i)) + len(m.tracker.Left(i))
		seen += len(m.tracker.InView(i))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/1e6, "ms/frame")
	b.ReportMetric(float64(times[0])/1e6, "min-ms")
	if form == "tracker" {
		b.ReportMetric(float64(told)/float64(len(m.at)), "told/viewer")
		b.ReportMetric(float64(seen)/float64(len(m.at)), "seen/viewer")
	}
}

// plain is a program's own implementation without a tracker.
type plain struct {
	was, now      [][]uint32
	set           map[uint32]struct{}
	entered, left int
}

// frame finds the events of some of the viewers.
func (p *plain) frame(v linear.View, form string, some int, m *meadow) {
	p.entered, p.left = 0, 0
	for i := range some {
		x := testkit.CubeAt(m.at[i], m.half)
		q, _ := query.NewBox(x.Min, x.Max)
		now, was := q.Append(p.now[i][:0], v, query.Filter{}), p.was[i]
		both := 0
		switch form {
		case "query":
			both = len(now)
		case "sort":
			slices.Sort(now)
			for a, b := 0, 0; a < len(now) && b < len(was); {
				switch {
				case now[a] == was[b]:
					a, b, both = a+1, b+1, both+1
				case now[a] < was[b]:
					a++
				default:
					b++
				}
			}
		case "map":
			clear(p.set)
			for _, id := range was {
				p.set[id] = struct{}{}
			}
			for _, id := range now {
				if _, ok := p.set[id]; ok {
					both++
				}
			}
		case "naive":
			for _, id := range now {
				if slices.Contains(was, id) {
					both++
				}
			}
		}
		p.entered += len(now) - both
		p.left += len(was) - both
		p.now[i], p.was[i] = was, now
	}
}

// within returns a point at which a box of that side is inside the world.
func within(rng *rand.Rand, world soa.AABB, side float32) (at [3]float32) {
	for a := range at {
		at[a] = world.Min[a] + side/2 + rng.Float32()*(world.Max[a]-world.Min[a]-side)
	}
	return at
}

// sideOf returns the side of a box that contains about the given number of objects.
func sideOf(v linear.View, world soa.AABB, want int) float32 {
	lo, hi := float32(0), world.Max[0]-world.Min[0]
	for range 20 {
		side, rng, sum := (lo+hi)/2, testkit.Rand(2), 0
		for range 50 {
			c := within(rng, world, side)
			q, err := query.NewBox([3]float32{c[0] - side/2, c[1] - side/2, c[2] - side/2}, [3]float32{c[0] + side/2, c[1] + side/2, c[2] + side/2})
			if err != nil {
				panic(err)
			}
			sum += q.Count(v, query.Filter{})
		}
		if sum < 50*want {
			lo = side
		} else {
			hi = side
		}
	}
	return hi
}

// A frame in which 500 viewers walk through a scene of instances, or rest while an instance moves: the update of a
// tracker, and the queries alone.
func BenchmarkInterestScene(b *testing.B) {
	for _, size := range [][2]int{{20, 20_000}, {1000, 100}, {10_000, 8}} {
		rng := testkit.Rand(4)
		world := soa.AABB{Max: [3]float32{1000, 1000, 1000}}
		side := float32(500 / math.Cbrt(float64(size[0])))
		objects := make([]soa.Object, size[1])
		for i := range objects {
			objects[i].Box = testkit.CubeAt(within(rng, soa.AABB{Max: [3]float32{side, side, side}}, 0), 0.2+rng.Float32())
		}
		s, err := linear.NewScene(linear.Config{})
		testkit.Must(b, err)
		part := plant(b, objects)
		for range size[0] {
			p := within(rng, world, 0)
			at, err := linear.NewTransform([12]float64{0: 1, 3: float64(p[0]), 5: 1, 7: float64(p[1]), 10: 1, 11: float64(p[2])})
			testkit.Must(b, err)
			_, err = s.AddInstance(part, at, linear.InstanceOptions{})
			testkit.Must(b, err)
		}
		testkit.Must(b, s.Tick())
		v, radius := s.View(), float32(1700/math.Cbrt(float64(size[0]*size[1])))
		at := make([][3]float32, 500)
		for i := range at {
			at[i] = within(rng, world, 0)
		}
		walk := func() {
			for i := range at {
				for a := range 3 {
					at[i][a] += (rng.Float32() - 0.5) * radius / 10
				}
			}
		}
		name := fmt.Sprintf("places=%d/objects=%d", size[0], size[1])
		b.Run(name+"/form=tracker", func(b *testing.B) {
			tracker := interest.SceneTracker{Workers: 1}
			for range at {
				tracker.Add(interest.Area{})
			}
			for b.Loop() {
				walk()
				for i := range at {
					area, err := interest.Sphere(at[i], radius, radius)
					testkit.Must(b, errors.Join(err, tracker.Move(uint32(i), area)))
				}
				testkit.Must(b, tracker.Update(v))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(at)), "ns/viewer")
		})
		b.Run(name+"/form=rest", func(b *testing.B) {
			tracker := interest.SceneTracker{Workers: 1}
			for i := range at {
				area, err := interest.Sphere(at[i], radius, radius)
				testkit.Must(b, err)
				tracker.Add(area)
			}
			for b.Loop() {
				b.StopTimer()
				p := within(rng, world, 0)
				to, err := linear.NewTransform([12]float64{0: 1, 3: float64(p[0]), 5: 1, 7: float64(p[1]), 10: 1, 11: float64(p[2])})
				testkit.Must(b, errors.Join(err, s.Move(0, to), s.Tick()))
				now := s.View()
				b.StartTimer()
				testkit.Must(b, tracker.Update(now))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(at)), "ns/viewer")
		})
		v = s.View()
		b.Run(name+"/form=query", func(b *testing.B) {
			var found scene.Answer
			n := 0
			for b.Loop() {
				walk()
				for i := range at {
					q, err := query.NewSphere(at[i], radius)
					testkit.Must(b, err)
					found.Reset()
					scene.Append(&found, q, v, query.Filter{})
					n += found.Len()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(at)), "ns/viewer")
			b.ReportMetric(float64(n)/float64(b.N*len(at)), "objects/viewer")
		})
	}
}
