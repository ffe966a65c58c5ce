package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The world of objects that all have the same centre, or nearly so, comes to rest: ticks without changes do nothing,
// and those with a few changes rebuild nothing, whatever the size and the place of the objects, with and without a far
// one.
func TestWorldOfCoincidentObjects(t *testing.T) {
	for _, edge := range []float32{0, 1e-3, 0.1, 4, 300} {
		for _, at := range []float32{0, 0.3, 63.8, 1e6} {
			for _, spread := range []float32{0, 1e-6, 1} {
				for _, far := range []int{0, 1, 40} {
					checkRest(t, edge, at, spread, far)
				}
			}
		}
	}
}

func checkRest(t *testing.T, edge, at, spread float32, far int) {
	t.Helper()
	const n, settling = 2000, 90
	r := testkit.Rand(5)
	objects := make([]soa.Object, n)
	for i := range objects {
		c := [3]float32{at + spread*r.Float32(), at / 3, -at}
		if i < far {
			c[1] += 1e7 + 1e6*float32(i)
		}
		objects[i].Box = testkit.CubeAt(c, edge/2)
	}
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	for range settling {
		tick(t, tree)
	}
	for frame := range 8 {
		must(t, tree.RemoveBatch(ids[n-10-10*frame:n-10*frame]))
		tick(t, tree)
		w := tree.Work()
		tick(t, tree)
		idle := tree.Work()
		if w.Rebuilt > 0 || idle != (linear.Work{}) {
			t.Errorf("edge %g at %g, spread %g, %d far, frame %d: work %+v, and then without changes %+v", edge, at, spread, far, frame, w, idle)
			return
		}
	}
	must(t, tree.Validate())
}
