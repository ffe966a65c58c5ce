package scene_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// instances makes a scene of a number of instances of one part in a cube of 1000, rotated at random, and
// the flat tree of the boxes of all images.
func instances(b *testing.B, places, objects int) (*linear.Scene, *linear.Tree) {
	rng := testkit.Rand(1)
	side := 1000 / math.Cbrt(float64(places)) / 2
	part := make([]soa.Object, objects)
	for i := range part {
		for a := range 3 {
			c, half := rng.Float64()*side-side/2, 0.2+rng.Float64()
			part[i].Box.Min[a], part[i].Box.Max[a] = float32(c-half), float32(c+half)
		}
		part[i].Mask = 1
	}
	s := newScene(b)
	transforms := make([]linear.Transform, places)
	var images []soa.Object
	for i := range transforms {
		p, err := linear.Similarity(
			[3]float64{rng.Float64() * 1000, rng.Float64() * 1000, rng.Float64() * 1000},
			[4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 1)
		testkit.Must(b, err)
		transforms[i] = p
		for _, o := range part {
			o.Box = p.Box(o.Box)
			images = append(images, o)
		}
	}
	if _, err := s.AddInstances(nil, trees.Plant(b, part, true), transforms, linear.InstanceOptions{}); err != nil {
		b.Fatal(err)
	}
	testkit.Must(b, s.Tick())
	return s, trees.Plant(b, images, true)
}

// Queries with volumes through instances, and in the flat tree of all boxes.
func BenchmarkScene(b *testing.B) {
	for _, size := range [][2]int{{1000, 1000}, {10_000, 100}, {10_000, 8}} {
		s, flat := instances(b, size[0], size[1])
		v, w := s.View(), flat.View()
		name := fmt.Sprintf("places=%d/objects=%d", size[0], size[1])
		for _, far := range []float64{200, 500, 1000} {
			cam := query.Camera{Eye: [3]float64{500, 500, 10}, Forward: [3]float64{0.1, 0.2, 1}, Up: [3]float64{0, 1, 0}, FovY: 0.9, Aspect: 1.6, Near: 1, Far: far}
			f, err := cam.Frustum()
			testkit.Must(b, err)
			var a scene.Answer
			b.Run(fmt.Sprintf("%s/frustum=%g/in=scene", name, far), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.Reset()
					scene.Append(&a, f, v, query.Filter{})
				}
				c := scene.Explain(f, v, query.Filter{}, nil)
				b.ReportMetric(float64(a.Len()), "hits")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(max(c.Instances, 1)), "ns/place")
			})
			var ids []uint32
			b.Run(fmt.Sprintf("%s/frustum=%g/in=flat", name, far), func(b *testing.B) {
				for b.Loop() {
					ids = f.Append(ids[:0], w, query.Filter{})
				}
				b.ReportMetric(float64(len(ids)), "hits")
			})
		}
	}
}

// scales are numbers of instances and of objects in the part.
var scales = [][2]int{{100, 1000}, {1000, 1000}, {10_000, 100}, {100_000, 20}}

// Rays through instances, and in the flat tree of all boxes: the first hit, and any hit.
func BenchmarkRay(b *testing.B) {
	for _, size := range scales {
		s, flat := instances(b, size[0], size[1])
		v, w := s.View(), flat.View()
		rng := testkit.Rand(2)
		rays := make([]query.Ray, 1024)
		for i := range rays {
			var err error
			rays[i], err = query.NewRay([3]float32{rng.Float32() * 1000, rng.Float32() * 1000, rng.Float32() * 1000},
				[3]float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5}, 1e6)
			testkit.Must(b, err)
		}
		hits := 0
		for i := range rays {
			if _, ok := scene.First(rays[i], v, query.Filter{}); ok {
				hits++
			}
		}
		if hits == 0 {
			b.Error("no ray hits anything")
		}
		run := func(kind, in string, hit func(ray *query.Ray) bool) {
			b.Run(fmt.Sprintf("places=%d/objects=%d/%s/in=%s", size[0], size[1], kind, in), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if hit(&rays[i%len(rays)]) {
						hits++
					}
				}
			})
		}
		run("first", "scene", func(ray *query.Ray) bool { _, ok := scene.First(*ray, v, query.Filter{}); return ok })
		run("first", "flat", func(ray *query.Ray) bool { _, ok := ray.First(w, query.Filter{}); return ok })
		run("any", "scene", func(ray *query.Ray) bool { return scene.Any(*ray, v, query.Filter{}) })
		run("any", "flat", func(ray *query.Ray) bool { return ray.Any(w, query.Filter{}) })
	}
}

// parked makes a scene of instances of one part of a hundred objects, in rows, each of which overlaps its
// neighbours a bit, rotated or not.
func parked(b *testing.B, places int, turned bool) *linear.Scene {
	rng := testkit.Rand(1)
	objects := make([]soa.Object, 100)
	for i := range objects {
		o := &objects[i]
		for a := range 3 {
			o.Box.Min[a] = float32(rng.Float64() * 10)
			o.Box.Max[a] = o.Box.Min[a] + float32(rng.Float64())
		}
		o.Mask = 1
	}
	part, s := trees.Plant(b, objects, false), newScene(b)
	for i := range places {
		q := [4]float64{0, 0, 0, 1}
		if turned {
			q[0], q[1] = rng.Float64()/8, rng.Float64()/8
		}
		transform, err := linear.Similarity([3]float64{float64(i%32) * 10, float64(i/32) * 10, 0}, q, 1)
		testkit.Must(b, err)
		place(b, s, part, transform, linear.InstanceOptions{})
	}
	testkit.Must(b, s.Tick())
	return s
}

func BenchmarkPairs(b *testing.B) {
	for _, turned := range []bool{false, true} {
		b.Run(fmt.Sprintf("places=1000/turned=%v", turned), func(b *testing.B) {
			v := parked(b, 1000, turned).View()
			var pairs []scene.Pair
			b.ReportAllocs()
			for b.Loop() {
				pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{})
			}
			b.ReportMetric(float64(len(pairs)), "pairs/op")
		})
	}
}

// The nearest objects of a point in scenes, and in the flat tree of all boxes.
func BenchmarkNearest(b *testing.B) {
	for _, size := range scales {
		s, flat := instances(b, size[0], size[1])
		v, w, rng := s.View(), flat.View(), testkit.Rand(2)
		points := make([][3]float32, 1024)
		for i := range points {
			points[i] = [3]float32{rng.Float32() * 1000, rng.Float32() * 1000, rng.Float32() * 1000}
		}
		for _, k := range []int{1, 8, 100} {
			name := fmt.Sprintf("places=%d/objects=%d/k=%d", size[0], size[1], k)
			var near []scene.Neighbor
			b.Run(name+"/in=scene", func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					near, _ = scene.AppendNearest(near[:0], v, points[i&1023], k, infinity, query.Filter{})
				}
				b.ReportMetric(float64(len(near)), "found/op")
			})
			var found []query.Neighbor
			b.Run(name+"/in=flat", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					found, _ = query.AppendNearest(found[:0], w, points[i&1023], k, infinity, query.Filter{})
				}
				b.ReportMetric(float64(len(found)), "found/op")
			})
		}
	}
}

// The pairs of a scene of rotated instances, and those of the flat tree of all boxes.
func BenchmarkPairsFlat(b *testing.B) {
	for _, size := range scales {
		b.Run(fmt.Sprintf("places=%d/objects=%d", size[0], size[1]), func(b *testing.B) {
			s, flat := instances(b, size[0], size[1])
			v, w := s.View(), flat.View()
			b.Run("in=scene", func(b *testing.B) {
				pairs := scene.AppendPairs(nil, v, scene.PairFilter{})
				b.ReportAllocs()
				for b.Loop() {
					pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{})
				}
				b.ReportMetric(float64(len(pairs)), "pairs/op")
			})
			b.Run("in=flat", func(b *testing.B) {
				pairs := collide.Append(nil, collide.Within(w), collide.Filter{})
				for b.Loop() {
					pairs = collide.Append(pairs[:0], collide.Within(w), collide.Filter{})
				}
				b.ReportMetric(float64(len(pairs)), "pairs/op")
			})
		})
	}
}

// A frame in which a share of the instances creeps, then an update of a tracker, and in turns all pairs from scratch:
// ratio is the quotient of the medians.
func BenchmarkTracker(b *testing.B) {
	for _, form := range []string{"parked", "scattered", "crates"} {
		for _, percent := range []int{0, 1, 10, 35, 100} {
			b.Run(fmt.Sprintf("scene=%s/creep=%d%%", form, percent), func(b *testing.B) {
				var s *linear.Scene
				rng := testkit.Rand(2)
				switch form {
				case "parked":
					s = parked(b, 4000, false)
				case "scattered":
					s, _ = instances(b, 100_000, 20)
				default: // each of which overlaps some ten others
					s = newScene(b)
					crate := trees.Plant(b, []soa.Object{{Box: testkit.Cube(0, 0, 0, 1), Mask: 1}}, false)
					for range 10_000 {
						place(b, s, crate, translation(b, rng.Float64()*40, rng.Float64()*40, rng.Float64()*40), linear.InstanceOptions{})
					}
				}
				var tracker scene.Tracker
				var pairs []scene.Pair
				var updates, all []time.Duration
				testkit.Must(b, tracker.Update(s.View()))
				for b.Loop() {
					for id := range uint32(s.View().Instances().Len()) {
						if int(id)%100 >= percent {
							continue
						}
						_, at, _ := s.Instance(id)
						rows := at.Rows()
						for a := range 3 {
							rows[4*a+3] += 0.02 * (rng.Float64() - 0.5)
						}
						at, err := linear.NewTransform(rows)
						testkit.Must(b, errors.Join(err, s.Move(id, at)))
					}
					testkit.Must(b, s.Tick())
					v, start := s.View(), time.Now()
					testkit.Must(b, tracker.Update(v))
					updates = append(updates, time.Since(start))
					start = time.Now()
					pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{})
					all = append(all, time.Since(start))
				}
				slices.Sort(updates)
				slices.Sort(all)
				middle := func(list []time.Duration) float64 { return float64(list[len(list)/2]) }
				b.ReportMetric(middle(updates)/float64(tracker.Len()), "update-ns/pair")
				b.ReportMetric(middle(updates)/middle(all), "ratio")
				b.ReportMetric(float64(tracker.Len()), "pairs")
			})
		}
	}
}

// The impacts of crates that all move, each of which overlaps some others: first the pairs.
func BenchmarkImpacts(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		rng := testkit.Rand(1)
		s, side := newScene(b), 2.5*math.Cbrt(float64(n))
		crate := trees.Plant(b, []soa.Object{{Box: testkit.Cube(0, 0, 0, 1), Mask: 1}}, false)
		var motions linear.Column[[3]float32]
		for range n {
			id := place(b, s, crate, translation(b, rng.Float64()*side, rng.Float64()*side, rng.Float64()*side), linear.InstanceOptions{})
			motions.Set(id, [3]float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5})
		}
		testkit.Must(b, s.Tick())
		v := s.View()
		b.Run(fmt.Sprintf("n=%d/op=pairs", n), func(b *testing.B) {
			var pairs []scene.Pair
			for b.Loop() {
				pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instance")
			b.ReportMetric(float64(len(pairs)), "pairs")
		})
		b.Run(fmt.Sprintf("n=%d/op=impacts", n), func(b *testing.B) {
			var impacts []scene.Impact
			for b.Loop() {
				impacts = scene.AppendImpacts(impacts[:0], v, &motions, nil, scene.PairFilter{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instance")
			b.ReportMetric(float64(len(impacts)), "impacts")
		})
	}
}
