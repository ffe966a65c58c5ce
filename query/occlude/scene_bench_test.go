package occlude_test

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
)

// A walk through a city of instanced blocks, for a culler and for its frustum.
func BenchmarkScene(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := newScene(b)
	for range 8 {
		part := plant(b, block(rng, 20, 980, 1, 60, 1), linear.Config{Frozen: true})
		for range 32 {
			p, _ := linear.Similarity([3]float64{rng.Float64() * 1000, rng.Float64() * 1000, 0}, [4]float64{0, 0, rng.NormFloat64(), 1}, 1)
			place(b, s, part, p)
		}
	}
	testkit.Must(b, s.Tick())
	v := s.View()
	culler := newCuller(b, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
	for _, of := range []string{"frustum", "culler"} {
		b.Run("of="+of, func(b *testing.B) {
			b.ReportAllocs()
			var a scene.Answer
			n, frames := 0, 0
			for b.Loop() {
				c := query.Camera{Eye: [3]float64{-10, 500 + float64(frames%60)/10, 1.7}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
					FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2000}
				testkit.Must(b, culler.SetCamera(c))
				if a.Reset(); of == "culler" {
					culler.AppendScene(&a, v, query.Filter{})
				} else {
					scene.Append(&a, culler.Frustum(), v, query.Filter{})
				}
				n += a.Len()
				frames++
			}
			b.ReportMetric(float64(n)/float64(frames), "objects")
		})
	}
}
