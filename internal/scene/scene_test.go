package scene_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// digest is a hash of the bits of a value made of numbers, arrays and slices.
func digest(t *testing.T, v any) string {
	t.Helper()
	h := fnv.New64a()
	testkit.Must(t, binary.Write(h, binary.LittleEndian, v))
	return fmt.Sprintf("%016x", h.Sum64())
}

// record is an object with fixed-size fields only.
type record struct {
	Box    soa.AABB
	Mask   uint32
	Static bool
}

func records(objects []soa.Object) []record {
	r := make([]record, len(objects))
	for i, o := range objects {
		r[i] = record{o.Box, o.Mask, o.Static}
	}
	return r
}

var (
	sceneDigests = map[string]string{
		"uniform":    "4335333c2c40dfae",
		"city":       "f28213fafb4f622e",
		"surface":    "274cfc6435656d5f",
		"clustered":  "86e530b3745270f2",
		"identical":  "134902528f72d1d7",
		"plane":      "f9e61da065666302",
		"huge":       "550364085307fe00",
		"sorted":     "60cdc475f66bb76c",
		"points":     "fceab2ce43bddb07",
		"degenerate": "5713fd736f15c070",
		"far":        "af92a563919ff783",
	}
	queryDigests = map[string]string{
		"boxes":            "bab25cf174217831",
		"cameras, inside":  "3f911ab274d3150a",
		"cameras, outside": "37c29975647e347e",
		"matrix":           "0984613edd1f817a",
		"path":             "b27eede40188bd6d",
		"points":           "6e20d82431e1e890",
		"rays":             "0b9bcc8ba435a394",
		"spheres":          "164453c5f9142a3d",
	}
)

// The objects are the same to the bit on every platform and in every release.
func TestScenesPinned(t *testing.T) {
	for _, s := range scene.All() {
		if got, want := digest(t, records(s.Make(1000, 1))), sceneDigests[s.Name]; got != want {
			t.Errorf("%q: %q, want %q", s.Name, got, want)
		}
	}
}

// The cameras and queries too; each is pinned for the city.
func TestQueriesPinned(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(1000, 1)
	for name, v := range map[string]any{
		"cameras, inside":  planesOf(scene.Cameras(objects, 0.1, 10, 1)),
		"cameras, outside": planesOf(scene.Cameras(testkit.SceneByName(t, "uniform").Make(1000, 1), 0.5, 10, 1)),
		"path":             planesOf(scene.CameraPath(objects, 0.1, 10, 1)),
		"boxes":            scene.BoxQueries(objects, 8, 10, 1),
		"spheres":          scene.SphereQueries(objects, 8, 10, 1),
		"rays":             scene.RayQueries(objects, 10, 1),
		"points":           scene.PointQueries(objects, 10, 1),
		"matrix":           scene.Cameras(objects, 0.1, 1, 1)[0].ViewProjection32(scene.ClipReversed),
	} {
		if got, want := digest(t, v), queryDigests[name]; got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestScenesBasics(t *testing.T) {
	for _, s := range scene.All() {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000, 5000} {
			objects := s.Make(n, 7)
			if len(objects) != n {
				t.Fatalf("%s of %d has %d objects", s.Name, n, len(objects))
			}
			for i, o := range objects {
				if err := o.Box.Check(); err != nil {
					t.Fatalf("%s of %d, object %d: %v", s.Name, n, i, err)
				}
				if o.Mask != 1<<(i%5) {
					t.Fatalf("%s: object %d has mask %#x", s.Name, i, o.Mask)
				}
				want := i%3 == 0
				if s.Name == "city" {
					want = i%7 != 0
				}
				if o.Static != want {
					t.Fatalf("%s: object %d has static %v", s.Name, i, o.Static)
				}
			}
		}
		a, b, c := s.Make(500, 3), s.Make(500, 3), s.Make(500, 4)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the same seed gives other objects", s.Name)
		}
		if reflect.DeepEqual(a, c) {
			t.Errorf("%s: another seed gives the same objects", s.Name)
		}
	}
	if _, ok := scene.ByName("nowhere"); ok {
		t.Error("ByName found an unknown scene")
	}
}

func edges(b soa.AABB) (e [3]float64) {
	for a := range 3 {
		e[a] = float64(b.Max[a]) - float64(b.Min[a])
	}
	return e
}

func make20k(t *testing.T, name string) []soa.Object {
	t.Helper()
	return testkit.SceneByName(t, name).Make(20000, 1)
}

func TestUniform(t *testing.T) {
	objects := make20k(t, "uniform")
	side := 3 * math.Cbrt(20000)
	b := scene.Bounds(objects)
	for a := range 3 {
		if lo, hi := float64(b.Min[a]), float64(b.Max[a]); lo < -1.001 || lo > 0 || hi > side+1.001 || hi < side {
			t.Errorf("axis %d reaches from %v to %v, want -1 to %v", a, lo, hi, side+1)
		}
	}
	for _, o := range objects {
		for _, e := range edges(o.Box) {
			if math.Abs(e-2) > 1e-4 {
				t.Fatalf("edge %v", e)
			}
		}
	}
}

func TestCity(t *testing.T) {
	objects := make20k(t, "city")
	large, ground := 0, 0
	for _, o := range objects {
		e := edges(o.Box)
		if o.Box.Min[2] == 0 {
			ground++
		}
		if min(e[0], e[1], e[2]) > 19.9 {
			large++
		} else if max(e[0], e[1], e[2]) > 4.01 || min(e[0], e[1], e[2]) < 0.29 {
			t.Fatalf("edges %v", e)
		}
		if max(e[0], e[1], e[2]) > 200.1 {
			t.Fatalf("edges %v", e)
		}
	}
	if large != 200 {
		t.Errorf("%d of 20000 are large, want 1 %%", large)
	}
	if ground < 9500 || ground > 10800 {
		t.Errorf("%d of 20000 stand on the ground, want about half", ground)
	}
	if p := pairs(objects); p < 0.5*20000 || p > 0.9*20000 {
		t.Errorf("%d overlapping pairs of 20000 objects, want about 0.7 each", p)
	}
}

// pairs counts overlapping pairs by a sweep along x.
func pairs(objects []soa.Object) (n int) {
	s := slices.Clone(objects)
	slices.SortFunc(s, func(a, b soa.Object) int { return cmp.Compare(a.Box.Min[0], b.Box.Min[0]) })
	for i := range s {
		for j := i + 1; j < len(s) && s[j].Box.Min[0] <= s[i].Box.Max[0]; j++ {
			if s[i].Box.Overlaps(s[j].Box) {
				n++
			}
		}
	}
	return n
}

// Each coordinate of a triangle mesh is a bound of several boxes: here all but
// those next to the hole are shared.
func TestSurface(t *testing.T) {
	objects := make20k(t, "surface")
	if b := scene.Bounds(make20k(t, "surface")[:10000]); !(b.Min[0] < -10 && b.Max[0] > 10) {
		t.Error("the objects are not in random spatial order")
	}
	count := make(map[float32]int)
	longest := 0.0
	for _, o := range objects {
		count[o.Box.Min[0]]++
		count[o.Box.Max[0]]++
		e := edges(o.Box)
		longest += max(e[0], e[1], e[2])
	}
	alone := 0
	for _, c := range count {
		if c == 1 {
			alone++
		}
	}
	if alone > len(objects)/100 {
		t.Errorf("%d coordinates of %d triangles occur once", alone, len(objects))
	}
	if mean := longest / float64(len(objects)); mean < 0.7 || mean > 1.3 {
		t.Errorf("the longest edge of a box is %v in the mean, want about 1", mean)
	}
}

// all reports whether every object has a property.
func all(objects []soa.Object, property func(e [3]float64, b soa.AABB) bool) bool {
	return !slices.ContainsFunc(objects, func(o soa.Object) bool { return !property(edges(o.Box), o.Box) })
}

func TestAwkwardScenes(t *testing.T) {
	if o := make20k(t, "identical"); !all(o, func(_ [3]float64, b soa.AABB) bool { return b == o[0].Box }) {
		t.Error("identical: boxes differ")
	}
	if o := make20k(t, "plane"); !all(o, func(_ [3]float64, b soa.AABB) bool {
		return b.Min[2] == o[0].Box.Min[2] && b.Max[2] == b.Min[2]
	}) {
		t.Error("plane: boxes are not in one plane")
	}
	if o := make20k(t, "points"); !all(o, func(e [3]float64, _ soa.AABB) bool { return e == [3]float64{} }) || o[9].Box != o[8].Box {
		t.Error("points: boxes have an extent, or the tenth is not on the ninth")
	}
	if o := make20k(t, "sorted"); !slices.IsSortedFunc(o, func(a, b soa.Object) int {
		return slices.Compare(a.Box.Min[:], b.Box.Min[:])
	}) {
		t.Error("sorted: not in order")
	}
	large := 0
	o := make20k(t, "huge")
	world := scene.Bounds(o)
	for _, h := range o {
		if h.Box == world {
			large++
		} else if e := edges(h.Box); max(e[0], e[1], e[2]) > 0.03 {
			t.Errorf("huge: a tiny box has edges %v", e)
		}
	}
	if large != 1 {
		t.Errorf("huge: %d boxes hold all others", large)
	}
}

func TestFar(t *testing.T) {
	seen := make(map[soa.AABB]int)
	for _, o := range make20k(t, "far") {
		p := o.Box.Min
		seen[o.Box]++
		if o.Box.Max != p || p[0] < 5e5 || p[1] < 5.4e6 || p[0] != float32(math.Round(float64(p[0])*2)/2) {
			t.Fatalf("%v", o.Box)
		}
	}
	if len(seen) > 19900 || len(seen) < 15000 {
		t.Errorf("%d distinct positions of 20000, want some to coincide", len(seen))
	}
}

func TestDegenerate(t *testing.T) {
	var denormal, positive, negative, large, thin int
	for _, o := range make20k(t, "degenerate") {
		for a := range 3 {
			for _, f := range []float32{o.Box.Min[a], o.Box.Max[a]} {
				switch size := math.Abs(float64(f)); {
				case f == 0 && math.Signbit(float64(f)):
					negative++
				case f == 0:
					positive++
				case size < 0x1p-126:
					denormal++
				case size > 1e30:
					t.Fatalf("coordinate %v", f)
				case size > 1e25:
					large++
				}
			}
			if o.Box.Min[a] == o.Box.Max[a] {
				thin++
			}
		}
	}
	for name, n := range map[string]int{"denormal": denormal, "0": positive, "-0": negative, "large": large, "thin": thin} {
		if n < 500 {
			t.Errorf("%d coordinates of 120000 are %s", n, name)
		}
	}
}
