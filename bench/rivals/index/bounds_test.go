package index

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func meets(a, b *soa.AABB) bool {
	for i := range 3 {
		if a.Min[i] > b.Max[i] || b.Min[i] > a.Max[i] {
			return false
		}
	}
	return true
}

// Bounds contain the volume, and are not much larger.
func TestBounds(t *testing.T) {
	for _, name := range []string{"uniform", "city", "surface"} {
		objects := testkit.SceneByName(t, name).Make(2000, 3)
		extent := Extent(objects)
		for i, c := range scene.Cameras(objects, 0.1, 20, 4) {
			v := Frustum(c.Planes(), extent)
			bounds := v.Bounds()
			var planes [6][4]float64
			for p, plane := range c.Planes() {
				for a, x := range plane {
					planes[p][a] = float64(x)
				}
			}
			for k := range objects {
				if testkit.MeetsFrustum(&objects[k].Box, &planes, 0) && !meets(&objects[k].Box, &bounds) {
					t.Fatalf("%s: frustum %d intersects object %d %v outside its bounds %v", name, i, k, objects[k].Box, bounds)
				}
			}
			if size := bounds.Max[0] - bounds.Min[0]; float64(size) > 3*c.Far {
				t.Errorf("%s: frustum %d with far plane %v has bounds %v", name, i, c.Far, bounds)
			}
		}
		for i, s := range scene.SphereQueries(objects, 50, 20, 5) {
			v := Sphere(s.Center, s.Radius)
			bounds := v.Bounds()
			for k := range objects {
				if v.Meets(&objects[k].Box) && !meets(&objects[k].Box, &bounds) {
					t.Fatalf("%s: sphere %d intersects object %d outside its bounds %v", name, i, k, bounds)
				}
			}
			if width := bounds.Max[0] - bounds.Min[0]; width > 3*s.Radius+1 {
				t.Errorf("%s: sphere %d of radius %v has bounds %v", name, i, s.Radius, bounds)
			}
		}
	}
}

// A frustum without a far plane has infinite bounds.
func TestBoundsOpen(t *testing.T) {
	c := scene.NewCamera([3]float64{1, 2, 3}, [3]float64{1, 1, 0}, 0.1, math.Inf(1))
	v := Frustum(c.Planes(), [3]float32{10, 10, 10})
	if b := v.Bounds(); b != everywhere {
		t.Errorf("bounds %v", b)
	}
}

func TestWithin(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(2000, 3)
		bounds := scene.Bounds(objects)
		hits := 0
		for i, q := range scene.RayQueries(objects, 50, 6) {
			r := NewRay(q.Origin, q.Dir, q.MaxT)
			part, ok := r.Within(&bounds)
			for k := range objects {
				if _, hit := r.Enter(&objects[k].Box); hit {
					hits++
					if !ok || !meets(&objects[k].Box, &part) {
						t.Fatalf("%s: ray %d intersects object %d outside %v, %v", name, i, k, part, ok)
					}
				}
			}
		}
		if hits == 0 {
			t.Errorf("%s: the rays intersect no object", name)
		}
	}
}

func TestAsShape(t *testing.T) {
	b := soa.AABB{Min: [3]float32{1, 2, 3}, Max: [3]float32{4, 5, 6}}
	v := Box(b)
	if got, ok := v.AsBox(); !ok || got != b || v.Bounds() != b {
		t.Errorf("%v, %v, bounds %v", got, ok, v.Bounds())
	}
	if _, _, ok := v.AsSphere(); ok {
		t.Error("a box is a sphere")
	}
	v = Sphere([3]float32{1, 2, 3}, 0.1)
	c, r, ok := v.AsSphere()
	if !ok || c != [3]float32{1, 2, 3} || r < float64(float32(0.1)) || r > 0.10001 {
		t.Errorf("%v, %v, %v", c, r, ok)
	}
	if _, ok := v.AsBox(); ok {
		t.Error("a sphere is a box")
	}
}
