package scene_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func TestQuerySizes(t *testing.T) {
	names := []string{"uniform", "city", "surface"}
	if !testkit.Long(t) {
		names = names[1:2]
	}
	for _, name := range names {
		objects := make20k(t, name)
		for _, results := range []int{8, 450, 5000} {
			const count = 100
			boxes := scene.BoxQueries(objects, results, count, 1)
			spheres := scene.SphereQueries(objects, results, count, 1)
			var inBox, inSphere float64
			for i := range count {
				for k := range objects {
					if objects[k].Box.Overlaps(boxes[i]) {
						inBox++
					}
					if gap(objects[k].Box, spheres[i].Center) <= float64(spheres[i].Radius) {
						inSphere++
					}
				}
			}
			for kind, sum := range map[string]float64{"box": inBox, "sphere": inSphere} {
				if mean := sum / count; mean < 0.7*float64(results) || mean > 1.5*float64(results) {
					t.Errorf("%s: %v results of a %s in the mean, want about %d", name, mean, kind, results)
				}
			}
		}
	}
}

// gap returns the distance of p from b.
func gap(b soa.AABB, p [3]float32) float64 {
	sum := 0.0
	for a := range 3 {
		d := max(0, float64(b.Min[a])-float64(p[a]), float64(p[a])-float64(b.Max[a]))
		sum += d * d
	}
	return math.Sqrt(sum)
}

func TestRayQueries(t *testing.T) {
	objects := make20k(t, "uniform")
	world := scene.Bounds(objects)
	for i, r := range scene.RayQueries(objects, 200, 1) {
		length, end := 0.0, r.Origin
		for a := range 3 {
			length += float64(r.Dir[a]) * float64(r.Dir[a])
			end[a] += r.Dir[a] * r.MaxT
		}
		if math.Abs(length-1) > 1e-6 {
			t.Errorf("ray %d: direction %v", i, r.Dir)
		}
		if world.Contains(soa.AABB{Min: end, Max: end}) {
			t.Errorf("ray %d ends in the scene", i)
		}
		if i%2 == 0 && gap(world, r.Origin) > 20 {
			t.Errorf("ray %d starts far away at %v", i, r.Origin)
		}
	}
}

func TestPointQueries(t *testing.T) {
	objects := make20k(t, "clustered")
	world := scene.Bounds(objects)
	for i, p := range scene.PointQueries(objects, 200, 1) {
		if i%2 == 1 && gap(world, p) > 1e-4 {
			t.Errorf("point %d at %v is outside", i, p)
		}
	}
}

func TestQueriesOfFew(t *testing.T) {
	for _, s := range scene.All() {
		for _, n := range []int{0, 1, 3} {
			objects := s.Make(n, 1)
			for _, results := range []int{0, 1, 8} {
				for _, b := range scene.BoxQueries(objects, results, 3, 1) {
					if err := b.Check(); err != nil {
						t.Errorf("%s of %d: %v", s.Name, n, err)
					}
				}
				for _, q := range scene.SphereQueries(objects, results, 3, 1) {
					if !(q.Radius >= 0 && q.Radius <= math.MaxFloat32) {
						t.Errorf("%s of %d: radius %v", s.Name, n, q.Radius)
					}
				}
			}
			if len(scene.RayQueries(objects, 3, 1)) != 3 || len(scene.PointQueries(objects, 3, 1)) != 3 {
				t.Errorf("%s of %d: rays or points are missing", s.Name, n)
			}
		}
	}
}
