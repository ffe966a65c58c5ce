package query_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
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

// A camera of float32 numbers is the one of the same numbers in float64.
func TestCamera32(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	some := func() float32 { return 20 * (r.Float32() - 0.5) }
	for range 300 {
		c := query.Camera32{
			Eye: [3]float32{some(), some(), some()}, Forward: [3]float32{some(), some(), some()}, Up: [3]float32{some(), 1, 0},
			FovY: 3.2 * r.Float32(), Aspect: 2 * r.Float32(), Near: r.Float32(), Far: [...]float32{0.5, 100, query.Unlimited}[r.IntN(3)],
		}
		wide := query.Camera{
			Eye: wide3(c.Eye), Forward: wide3(c.Forward), Up: wide3(c.Up),
			FovY: float64(c.FovY), Aspect: float64(c.Aspect), Near: float64(c.Near), Far: float64(c.Far),
		}
		if c.Camera() != wide {
			t.Fatalf("%+v is %+v", c, c.Camera())
		}
		f, err := c.Frustum()
		g, err2 := wide.Frustum()
		if f != g || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%+v: %v, %v", c, err, err2)
		}
		v, err := c.Viewport(3, 4)
		w, err2 := wide.Viewport(3, 4)
		if v != w || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%+v: %v, %v", c, err, err2)
		}
	}
}

func wide3(v [3]float32) [3]float64 { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }

// A camera far out in a world has the results of a camera at the origin, when the world's origin is near it: with
// numbers that float64 holds exactly, the same bits.
func TestCameraAbout(t *testing.T) {
	c := query.Camera{Eye: [3]float64{1.5, -2.25, 3}, Forward: [3]float64{1, 0.5, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.5, Near: 0.1, Far: 50}
	at := c
	origin := [3]float64{4e6, -5e6, 6e5}
	for a := range 3 {
		at.Eye[a] += origin[a]
	}
	home, err := c.Frustum()
	testkit.Must(t, err)
	out, err := at.About(origin).Frustum()
	testkit.Must(t, err)
	if home != out {
		t.Errorf("planes %v, want %v", out.Planes(), home.Planes())
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := c.About([3]float64{0, bad, 0}).Frustum(); err == nil {
			t.Errorf("the origin %v is accepted", bad)
		}
		if _, err := c.About([3]float64{0, bad, 0}).Viewport(3, 4); err == nil {
			t.Errorf("the origin %v is accepted", bad)
		}
	}
}

// Unlimited gives the results of infinity where the largest finite number would limit the query.
func TestUnlimited(t *testing.T) {
	objects := []soa.Object{
		{Box: soa.BoxAround([3]float32{3, 0, 0}, [3]float32{1, 1, 1})},
		{Box: soa.BoxAround([3]float32{1e38, 0, 0}, [3]float32{1, 1, 1})},
		{Box: soa.BoxAround([3]float32{3e38, 3e38, 3e38}, [3]float32{1, 1, 1})},
		{Box: soa.BoxAround([3]float32{3.4e38, -3.4e38, 3.4e38}, [3]float32{1, 1, 1})},
	}
	v := plant(t, objects, false).View()
	for _, most := range []float32{query.Unlimited, infinity} {
		ray := rayOf(t, [3]float32{}, [3]float32{0x1p-100, 0, 0}, most)
		if n := len(ray.Append(nil, v, query.Filter{})); n != 2 {
			t.Errorf("a ray of length %v meets %d objects, want 2", most, n)
		}
		wide, err := query.NewRay64([3]float64{}, [3]float64{0x1p-100, 0, 0}, float64(most), [3]float64{})
		testkit.Must(t, err)
		if n := len(wide.Append(nil, v, query.Filter{})); n != 2 {
			t.Errorf("a ray of length %v in float64 meets %d objects, want 2", most, n)
		}
		near, err := query.AppendNearest(nil, v, [3]float32{-3.4e38, 3.4e38, -3.4e38}, 9, most, query.Filter{})
		testkit.Must(t, err)
		if len(near) != len(objects) {
			t.Errorf("within %v are %d objects, want %d", most, len(near), len(objects))
		}
	}
	// The second largest number is a limit.
	ray := rayOf(t, [3]float32{}, [3]float32{0x1p-100, 0, 0}, math.Nextafter32(query.Unlimited, 0))
	if n := len(ray.Append(nil, v, query.Filter{})); n != 1 {
		t.Errorf("a ray that ends meets %d objects, want 1", n)
	}
	c := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: query.Unlimited}
	d := c
	d.Far = math.Inf(1)
	f, err := c.Frustum()
	testkit.Must(t, err)
	g, err := d.Frustum()
	testkit.Must(t, err)
	if f != g {
		t.Errorf("planes %v, want %v", f.Planes(), g.Planes())
	}
}
