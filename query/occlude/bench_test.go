package occlude_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// onTiers runs body as a sub-benchmark on each tier.
func onTiers(b *testing.B, body func(b *testing.B)) {
	for _, tier := range cpu.Available() {
		b.Run("impl="+tier.String(), func(b *testing.B) {
			former, err := cpu.Force(tier)
			testkit.Must(b, err)
			defer cpu.Force(former)
			body(b)
		})
	}
}

// walkCity returns a tree of a city, in which all objects are occluders, and the cameras of a walk through
// it, 1.7 above the ground.
func walkCity(b *testing.B, n int) (tree *linear.Tree, walk []query.Camera) {
	objects := testkit.SceneByName(b, "city").Make(n, 1)
	for i := range objects {
		objects[i].Mask = walls
	}
	tree = plant(b, objects, linear.Config{Frozen: true})
	side := 12 * math.Sqrt(float64(n))
	for i := range 60 {
		at := [3]float64{side*0.3 + 1.4*float64(i), side * 0.31, 1.7}
		turn := 0.3 + 0.01*float64(i)
		walk = append(walk, query.Camera{Eye: at, Forward: [3]float64{math.Cos(turn), math.Sin(turn), 0}, Up: [3]float64{0, 0, 1},
			FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2 * side})
	}
	return tree, walk
}

// BenchmarkFrame is the mean of a frame of a walk through a city: SetCamera and Append, beside
// Frustum.Append.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		if testing.Short() && n > 100_000 {
			continue
		}
		tree, walk := walkCity(b, n)
		dst := make([]uint32, 0, n+16)
		b.Run(fmt.Sprintf("city=%d/frustum", n), func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for _, c := range walk {
					f, err := c.Frustum()
					testkit.Must(b, err)
					dst = f.Append(dst[:0], tree.View(), query.Filter{})
					found += len(dst)
				}
			}
			report(b, len(walk), found)
		})
		for _, size := range [][2]int{{512, 288}, {256, 144}} {
			b.Run(fmt.Sprintf("city=%d/size=%dx%d", n, size[0], size[1]), func(b *testing.B) {
				onTiers(b, func(b *testing.B) {
					culler := newCuller(b, occlude.Config{Width: size[0], Height: size[1], OccluderMask: walls})
					found := 0
					for b.Loop() {
						found = 0
						for _, c := range walk {
							testkit.Must(b, culler.SetCamera(c))
							dst = culler.Append(dst[:0], tree.View(), query.Filter{})
							found += len(dst)
						}
					}
					report(b, len(walk), found)
				})
			})
		}
	}
}

// report reports the time of a frame and the number of objects found.
func report(b *testing.B, frames, found int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames)/1000, "us/frame")
	b.ReportMetric(float64(found)/float64(frames), "objects/frame")
}

func BenchmarkDrawMesh(b *testing.B) {
	corners, triangles := scene.NewTerrain(180, 6, 1).Triangles()
	mesh, err := occlude.NewMesh(corners, triangles)
	testkit.Must(b, err)
	culler := newCuller(b, occlude.Config{Width: 512, Height: 288})
	for name, c := range map[string]query.Camera{
		// All triangles are in the picture, of some 8 pixels each.
		"above":  {Eye: [3]float64{540, 540, 1100}, Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2000},
		"ground": {Eye: [3]float64{200, 250, 60}, Forward: [3]float64{1, 0.1, -0.05}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2000},
	} {
		b.Run("view="+name, func(b *testing.B) {
			testkit.Must(b, culler.SetCamera(c))
			b.ReportAllocs()
			for b.Loop() {
				culler.DrawMesh(mesh, linear.Transform{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(triangles)), "ns/triangle")
		})
	}
}
