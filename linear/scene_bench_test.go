package linear_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// gridPoses returns that many transforms in a grid, rotated by an angle.
func gridTransforms(n int, angle float64) []linear.Transform {
	transforms := make([]linear.Transform, n)
	side := int(math.Ceil(math.Sqrt(float64(n))))
	for i := range transforms {
		transforms[i] = turned(angle, float64(i%side*10), float64(i/side*10), 0)
	}
	return transforms
}

// An instance of a part of 1,000 objects is moved, to another position or, with Turns, around itself: by a
// transform made from a quaternion, and by an existing one. The tick after a series of moves is not timed.
func BenchmarkSceneMove(b *testing.B) {
	const instances = 1000
	for _, turns := range []bool{false, true} {
		for _, made := range []bool{false, true} {
			b.Run(fmt.Sprintf("turns=%v/pose=%v", turns, map[bool]string{false: "given", true: "made"}[made]), func(b *testing.B) {
				s := newScene(b, linear.Config{})
				tree := newTree(b, linear.Config{})
				insert(b, tree, sceneOf(b, "uniform", 1000))
				transforms := [2][]linear.Transform{gridTransforms(instances, 0), gridTransforms(instances, 1)}
				ids, err := s.AddInstances(nil, tree, transforms[0], linear.InstanceOptions{Turns: turns})
				must(b, err)
				must(b, s.Tick())
				at := make([][3]float64, instances)
				for i := range at {
					at[i] = transforms[0][i].Point([3]float64{})
				}
				b.ReportAllocs()
				k, round := 0, 1
				for b.Loop() {
					transform := &transforms[round&1][k]
					if made {
						p, err := linear.Similarity(at[k], [4]float64{0, 0, float64(round&15) / 16, 1}, 1)
						must(b, err)
						transform = &p
					}
					if s.Move(ids[k], *transform) != nil {
						b.Fatal("refused")
					}
					if k++; k == instances {
						b.StopTimer()
						must(b, s.Tick())
						s.View()
						k, round = 0, round+1
						b.StartTimer()
					}
				}
			})
		}
	}
}

// A frame: 1 % of the instances of a part of 100 objects get other transforms, and so many boxes of a tree of
// the boxes of the instances move along; then a tick.
func BenchmarkSceneFrame(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, in := range []string{"scene", "tree"} {
			b.Run(fmt.Sprintf("places=%d/in=%s", n, in), func(b *testing.B) {
				s, part := newScene(b, linear.Config{}), newTree(b, linear.Config{})
				insert(b, part, sceneOf(b, "uniform", 100))
				rng := testkit.Rand(1)
				side := 20 * math.Cbrt(float64(n))
				at := make([][3]float64, n)
				transforms := make([]linear.Transform, n)
				turn := func(i int) linear.Transform {
					for a := range 3 {
						at[i][a] += rng.NormFloat64()
					}
					p, err := linear.Similarity(at[i], [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 1)
					must(b, err)
					return p
				}
				for i := range transforms {
					at[i] = [3]float64{rng.Float64() * side, rng.Float64() * side, rng.Float64() * side}
					transforms[i] = turn(i)
				}
				places, err := s.AddInstances(nil, part, transforms, linear.InstanceOptions{})
				must(b, err)
				must(b, s.Tick())
				tree, bounds := newTree(b, linear.Config{}), s.View().Instances()
				images := make([]linear.Object, n)
				for i := range images {
					images[i], _ = bounds.Object(places[i])
				}
				insert(b, tree, images)
				must(b, tree.Tick())
				image := part.View().Bounds()
				ids, to, boxes := make([]uint32, n/100), make([]linear.Transform, n/100), make([]linear.AABB, n/100)
				frame := func() {
					for k := range ids {
						i := rng.IntN(n)
						ids[k], to[k] = places[i], turn(i)
						boxes[k] = to[k].Box(image)
					}
				}
				move := func() {
					if in == "scene" {
						must(b, s.MoveBatch(ids, to))
						must(b, s.Tick())
					} else {
						must(b, tree.MoveBatch(ids, boxes))
						must(b, tree.Tick())
					}
				}
				for range 100 { // until lists have reached their size
					frame()
					move()
				}
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					frame()
					b.StartTimer()
					move()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/mover")
			})
		}
	}
}

// A tick updates the boxes of 10,000 instances of a part whose bounds change in each frame.
func BenchmarkSceneTick(b *testing.B) {
	const instances = 10_000
	for _, breath := range []struct {
		name string
		half [2]float32
	}{{"grows", [2]float32{1, 2}}, {"breathes", [2]float32{2, 1.9}}} {
		b.Run(fmt.Sprintf("places=%d/part=%s", instances, breath.name), func(b *testing.B) {
			s, tree := newScene(b, linear.Config{}), treeOf(b, cube(0, 0, 0, 1))
			_, err := s.AddInstances(nil, tree, gridTransforms(instances, 1), linear.InstanceOptions{})
			must(b, err)
			b.ReportAllocs()
			frame := 0
			for b.Loop() {
				must(b, tree.Move(0, cube(0, 0, 0, breath.half[frame&1])))
				must(b, s.Tick())
				frame++
			}
			if got := s.View().Outgrown(); len(got) > 0 {
				b.Errorf("%d places outgrown", len(got))
			}
		})
	}
}

// A view of a scene of 1,000 parts, after one or all of them have changed, or none.
func BenchmarkSceneView(b *testing.B) {
	const parts = 1000
	for _, changed := range []int{0, 1, parts} {
		b.Run(fmt.Sprintf("parts=%d/changed=%d", parts, changed), func(b *testing.B) {
			s := newScene(b, linear.Config{})
			var trees []*linear.Tree
			for _, transform := range gridTransforms(parts, 0) {
				tree := treeOf(b, cube(0, 0, 0, 1))
				place(b, s, tree, transform, linear.InstanceOptions{})
				trees = append(trees, tree)
			}
			must(b, s.Tick())
			seen := uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				for _, tree := range trees[:changed] {
					must(b, tree.SetMask(0, 1))
				}
				seen += s.View().Total()
			}
			if seen == 0 {
				b.Error("nothing is seen")
			}
		})
	}
}

// The publication of a scene of 10,000 instances after moves of some of them.
func BenchmarkScenePublish(b *testing.B) {
	const instances = 10_000
	for _, moved := range []int{1, 100, instances} {
		b.Run(fmt.Sprintf("places=%d/moved=%d", instances, moved), func(b *testing.B) {
			s, tree := newScene(b, linear.Config{}), treeOf(b, cube(0, 0, 0, 1))
			transforms := [2][]linear.Transform{gridTransforms(instances, 1), gridTransforms(instances, 2)}
			ids, err := s.AddInstances(nil, tree, transforms[0], linear.InstanceOptions{})
			must(b, err)
			p := linear.NewScenePublisher(s)
			b.ReportAllocs()
			frame := 0
			for b.Loop() {
				frame++
				b.StopTimer()
				must(b, s.MoveBatch(ids[:moved], transforms[frame&1][:moved]))
				b.StartTimer()
				p.Publish()
			}
		})
	}
}
