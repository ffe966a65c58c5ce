package occlude_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
)

// The plane of a triangle is nowhere above its corners in exact arithmetic, however long and narrow it is;
// if float64 lacks the digits, the plane is flat.
func TestPlanesOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	flats, sloping := 0, 0
	for range testkit.Budget(t, 5000, 1_000_000) {
		size := 1 << (8 + rng.IntN(20))
		var c [3]occlude.MeshCorner
		for i := range c {
			c[i] = occlude.MeshCorner{X: int32(rng.IntN(size)), Y: int32(rng.IntN(size)), Depth: float32(1 + rng.Float64()*float64(rng.IntN(2)*rng.IntN(1000)))}
		}
		if rng.IntN(2) == 0 { // the third is a few steps away from the middle of the others
			c[2].X, c[2].Y = (c[0].X+c[1].X)/2+int32(rng.IntN(5)-2), (c[0].Y+c[1].Y)/2+int32(rng.IntN(5)-2)
		}
		s := int64(c[1].X-c[0].X)*int64(c[2].Y-c[0].Y) - int64(c[2].X-c[0].X)*int64(c[1].Y-c[0].Y)
		if s == 0 {
			continue
		}
		px, py, p0, flat := occlude.MeshPlane(c)
		if flat {
			flats++
			continue
		}
		sloping++
		left, top := min(c[0].X, c[1].X, c[2].X), min(c[0].Y, c[1].Y, c[2].Y)
		x0, y0 := (left-occlude.GridOff-1)>>8, (top-occlude.GridOff-1)>>8
		for i, p := range c { // in the pixel of a corner, whose depth is one of the depths in it
			x, y := float32(p.X>>8-x0), float32(p.Y>>8-y0)
			if got := float32(px*x) + (float32(py*y) + p0); got > p.Depth {
				t.Fatalf("corner %d of %+v: the plane is at %v in its pixel", i, c, got)
			}
		}
		longest := int64(0)
		for i := range c {
			dx, dy := int64(c[(i+1)%3].X-c[i].X), int64(c[(i+1)%3].Y-c[i].Y)
			longest = max(longest, dx*dx, dy*dy)
		}
		if float64(longest) > 1<<23*math.Abs(float64(s)) {
			t.Fatalf("%+v is not flat: twice its area is %d", c, s)
		}
	}
	if flats == 0 || sloping == 0 {
		t.Errorf("%d flat and %d sloping triangles", flats, sloping)
	}
}
