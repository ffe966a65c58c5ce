package occlude_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// twoColumns is a culler at the origin. The last row of its matrix is w*x, and its picture has the columns
// 0 and 1 of y/x; a box covers the first one.
func twoColumns(t *testing.T, w float32) *occlude.Culler {
	t.Helper()
	culler := newCuller(t, occlude.Config{Width: 2, Height: 1})
	err := culler.SetViewProjectionRowMajor([16]float32{
		-w, w, 0, 0,
		0, 0, w, 0,
		0, 0, 0, w,
		w, 0, 0, 0,
	}, query.ClipReversedZ|query.ClipInfiniteFar)
	testkit.Must(t, err)
	culler.DrawBoxes(soa.AABB{Min: [3]float32{10, -90, -90}, Max: [3]float32{11, 10.2, 90}})
	return culler
}

// For a box so far away that a depth in the unit of the matrix is beyond float32, the rectangle is correct.
func TestFarBoxes(t *testing.T) {
	for _, w := range []float32{0.25, 0.9, 1, 1.5, 2, 3.9, 4, 8} {
		culler := twoColumns(t, w)
		for _, far := range []float32{1e3, 1e20, 0.5e38, 0.875e38, 1e38} {
			box := soa.AABB{Min: [3]float32{far, 0.4 * far, 0}, Max: [3]float32{far, 1.4 * far, 0}}
			if culler.Occluded(box) {
				t.Errorf("w %v, far %v: a box of two columns is hidden by a solid in one", w, far)
			}
			if box.Max[1] = 0.9 * far; !culler.Occluded(box) && far < 1e30 {
				t.Errorf("w %v, far %v: a box of one column is not hidden", w, far)
			}
		}
	}
}

// In a sheared part the terms of a depth are beyond float32, and the depth is not.
func TestFarBoxesInParts(t *testing.T) {
	const s = 1 << 40
	transform, err := linear.NewTransform([12]float64{1.6 * s, 0.3 * s, -1.4 * s, 0, 0, 1.45 * s, -s, 0, 0, 0, s / 4, 0})
	testkit.Must(t, err)
	for _, far := range []float32{1e10, 1e30, 1e37, 1e38} {
		at, half := 2*far/s, 0.345*far/s
		part := plant(t, []soa.Object{{Mask: 2, Box: soa.AABB{Min: [3]float32{at, at - half, at}, Max: [3]float32{at, at + half, at}}}}, linear.Config{})
		scene := newScene(t)
		place(t, scene, part, transform)
		culler := twoColumns(t, 1)
		if n := culler.CountScene(scene.View(), query.Filter{}); n != 1 {
			t.Errorf("far %v: %d objects of two columns are visible beside a solid in one", far, n)
		}
	}
}
