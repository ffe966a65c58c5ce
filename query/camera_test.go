package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/query"
)

// Each number of a camera is rejected by itself, and the ends of its range are accepted.
func TestCameraNumbers(t *testing.T) {
	good := query.Camera{Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1.5, Near: 0.1, Far: 100}
	nan, inf := math.NaN(), math.Inf(1)
	set := func(f func(c *query.Camera, x float64), xs ...float64) (cameras []query.Camera) {
		for _, x := range xs {
			c := good
			f(&c, x)
			cameras = append(cameras, c)
		}
		return cameras
	}
	fov := func(c *query.Camera, x float64) { c.FovY = x }
	aspect := func(c *query.Camera, x float64) { c.Aspect = x }
	near := func(c *query.Camera, x float64) { c.Near = x }
	far := func(c *query.Camera, x float64) { c.Far = x }
	both := func(c *query.Camera, x float64) { c.Near, c.Far = x, x }
	for name, c := range map[string]struct {
		good, bad []query.Camera
	}{
		"FovY":   {set(fov, 1e-3, 3.14), set(fov, 0, -1, math.Pi, 7, nan, inf, -inf)},
		"Aspect": {set(aspect, 1e-3, 1e3), set(aspect, 0, -1, nan, inf, -inf)},
		"Near":   {set(near, 0, 100), set(near, -1e-9, 101, nan, inf, -inf)},
		"Far":    {set(far, 0.1, 1e9, inf), set(far, 0, -1, nan, -inf)},
		"both":   {set(both, 0, 5), set(both, -1, nan, inf)},
	} {
		for _, camera := range c.good {
			if _, err := camera.Frustum(); err != nil {
				t.Errorf("%s: %+v: %v", name, camera, err)
			}
		}
		for _, camera := range c.bad {
			if _, err := camera.Frustum(); err == nil {
				t.Errorf("%s: %+v is accepted", name, camera)
			}
		}
	}
}

// Low is below the root of each distance that rounds to Dist2, and near it.
func TestNeighborLow(t *testing.T) {
	for _, d2 := range []float32{0, 1e-45, 1e-38, 1e-20, 0.25, 1, 2, 3, 5, 7, 9, 1e4, 12345.678, 3e20, math.MaxFloat32} {
		for range 100 {
			low, exact := float64(query.Neighbor{Dist2: d2}.Low()), math.Sqrt(float64(d2))
			if low > exact || low < 0 || d2 > 1e-30 && low < exact*(1-0x1p-20) {
				t.Fatalf("Dist2 %v: Low %v, the root is %v", d2, low, exact)
			}
			d2 = math.Nextafter32(d2, 0)
		}
	}
	// By as much as is stated: the root of 1 - 8u is below 1 - 4u.
	if low := (query.Neighbor{Dist2: 1}).Low(); low != 1-5*0x1p-24 {
		t.Errorf("Dist2 1: Low %v, want 1 - 5u", low)
	}
}
