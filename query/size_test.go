package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// tooSmall is the formula of [query.Frustum.MinSize].
func tooSmall(z *cull.Size, b soa.AABB) bool {
	edge := max(float32(b.Max[0]-b.Min[0]), float32(b.Max[1]-b.Min[1]), float32(b.Max[2]-b.Min[2]))
	return edge < float32(z.Least*lowestOf(z.Depth, b)) && lowestOf(z.Near, b) > 0
}

func lowestOf(row [4]float32, b soa.AABB) float32 {
	c := b.Min
	for a := range c {
		if row[a] < 0 {
			c[a] = b.Max[a]
		}
	}
	xy := float32(row[0]*c[0]) + float32(row[1]*c[1])
	return float32(xy+float32(row[2]*c[2])) + row[3]
}

// lens is a frustum with depths, and its construction.
type lens struct {
	name    string
	frustum query.Frustum
	depth   func(p [3]float64) float64 // of a point of the tree
}

// cameraOf is the camera of a scene.
func cameraOf(c scene.Camera) query.Camera {
	return query.Camera{Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: math.Pi / 3, Aspect: 16.0 / 9, Near: c.Near, Far: c.Far}
}

// lensesOf makes frusta in all ways that define depths.
func lensesOf(t testing.TB, c scene.Camera, rng *rand.Rand) (list []lens) {
	depth := func(p [3]float64) float64 {
		d := 0.0
		for a := range p {
			d += (p[a] - c.Eye[a]) * c.Forward[a]
		}
		return d
	}
	add := func(name string, f query.Frustum, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, lens{name, f, depth})
	}
	cam := cameraOf(c)
	f, err := cam.Frustum()
	add("camera", f, err)
	at := cam
	at.Near = 0
	f, err = at.Frustum()
	add("camera without near plane", f, err)
	for from, to := range map[scene.Clip]query.Clip{
		scene.ClipMinusOneToOne: query.ClipMinusOneToOne, scene.ClipReversed: query.ClipReversedZ,
		scene.ClipReversedInfinite: query.ClipReversedZ | query.ClipInfiniteFar,
	} {
		e := c
		if to&query.ClipInfiniteFar != 0 {
			e.Far = math.Inf(1)
		}
		m := e.ViewProjection32(from)
		f, err = query.FrustumColumnMajor(m, to)
		add(fmt.Sprintf("columns, clip %v", to), f, err)
		// A multiple of the matrix is the same projection; of a world whose origin is elsewhere.
		origin := [3]float64{1e7, -2e6, 3e5}
		var world, rows [16]float64
		for k, x := range m {
			world[k] = float64(x) * -3.5
		}
		for r := range 4 {
			for a := range 3 {
				world[12+r] -= world[4*a+r] * origin[a]
			}
		}
		for k := range world {
			world[k] = -world[k]
			rows[k%4*4+k/4] = world[k]
		}
		f, err = query.FrustumColumnMajor64(world, to, origin)
		add("columns of a world", f, err)
		f, err = query.FrustumRowMajor64(rows, to, origin)
		add("rows of a world", f, err)
		view, err := query.ViewportColumnMajor64(world, to, origin, 800, 600)
		testkit.Must(t, err)
		f, err = view.PickFrustum(100*rng.Float64(), 0, 400+400*rng.Float64(), 600)
		add("pixels of a world", f, err)
		// A near plane that is askew: the eye still has the same depths.
		for k := range 4 {
			m[4*k+2] += 0.3 * m[4*k]
		}
		f, err = query.FrustumColumnMajor(m, to)
		add("askew", f, err)
	}
	view, err := cam.Viewport(640, 480)
	testkit.Must(t, err)
	f, err = view.PickFrustum(0, 0, 640, 480)
	add("pixels", f, err)
	if f != list[0].frustum {
		t.Errorf("the frustum of all pixels is not that of the camera")
	}
	return list
}

// Depth is that from the eye along the direction of view, for every construction of the frustum.
func TestMinSizeDepth(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(1000, 1)
	rng := testkit.Rand(testkit.Seed(t))
	for _, c := range scene.Cameras(objects, 0.1, testkit.Budget(t, 5, 200), 3) {
		for _, l := range lensesOf(t, c, rng) {
			f, err := l.frustum.MinSize(1)
			testkit.Must(t, err)
			var z cull.Size
			(*walk.Frustum)(&f).PrepareSize(&z)
			for range 20 {
				p := objects[rng.IntN(len(objects))].Box.Min
				got, want := float64(lowestOf(z.Depth, soa.AABB{Min: p, Max: p})), l.depth(testkit.Wide(p))
				size := 0.0
				for a := range 3 {
					size += math.Abs(float64(p[a])) + math.Abs(c.Eye[a])
				}
				slack := 0x1p-18 * size // of matrices in float32
				if strings.HasPrefix(l.name, "camera") || l.name == "pixels" {
					slack = 0x1p-21 * size
				}
				if !(math.Abs(got-want) <= slack) {
					t.Fatalf("%s: %v is at depth %v, want %v", l.name, p, got, want)
				}
			}
		}
	}
}

// The border: an edge that is s times the depth stays, a step less does not; and objects on the near plane stay.
func TestMinSizeBorder(t *testing.T) {
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1000}
	f, err := camera.Frustum()
	testkit.Must(t, err)
	if f, err = f.MinSize(0.25); err != nil {
		t.Fatal(err)
	}
	var objects []soa.Object
	below := math.Nextafter32(2, 0)
	for _, b := range []soa.AABB{
		{Min: [3]float32{8, 0, 0}, Max: [3]float32{9, 2, 1}},                               // 2 = 8/4
		{Min: [3]float32{8, 0, 0}, Max: [3]float32{9, below, 1}},                           // less
		{Min: [3]float32{8, 0, 0}, Max: [3]float32{8, 0, 2}},                               // flat
		{Min: [3]float32{8, 0, 0}, Max: [3]float32{8, 0, 0}},                               // nothing
		{Min: [3]float32{1, 0, 0}, Max: [3]float32{1, 0, 0}},                               // nothing, on the near plane
		{Min: [3]float32{math.Nextafter32(1, 2), 0, 0}, Max: [3]float32{1.125, 0, 0}},      // beyond it
		{Min: [3]float32{math.Nextafter32(8, 9), 0, 0}, Max: [3]float32{9, 0.5, 2}},        // a step further away
		{Min: [3]float32{0.5, 0, 0}, Max: [3]float32{1.5, 0.01, 0.01}},                     // through it
		{Min: [3]float32{8, -1e-30, 0}, Max: [3]float32{8, 1e-30, math.Nextafter32(2, 3)}}, // more
	} {
		objects = append(objects, soa.Object{Box: b, Mask: 1})
	}
	if got := slices.Sorted(slices.Values(f.Append(nil, plant(t, objects, true).View(), query.Filter{}))); !slices.Equal(got, []uint32{0, 2, 4, 7, 8}) {
		t.Errorf("left are %d", got)
	}
}

// An invalid minimum size is an error with the numbers, and the frustum then has none.
func TestMinSizeErrors(t *testing.T) {
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1000}
	f, err := camera.Frustum()
	testkit.Must(t, err)
	sized, err := f.MinSize(0.5)
	if err != nil || sized == f {
		t.Fatalf("a minimum size of 0.5: %v", err)
	}
	for _, s := range []float32{float32(math.NaN()), -1, -0x1p-149, float32(math.Inf(1)), float32(math.Inf(-1))} {
		if g, err := sized.MinSize(s); err == nil || !strings.Contains(err.Error(), fmt.Sprint(s)) || g != f {
			t.Errorf("a minimum size of %v: error %v, %v", s, err, g == f)
		}
	}
	if g, err := sized.MinSize(0); err != nil || g != f {
		t.Errorf("a minimum size of 0: %v", err)
	}
	again := frustum(t, f.Planes())
	parallel, err := query.FrustumColumnMajor([16]float32{0: 1, 5: 1, 10: 1, 15: 1}, query.ClipMinusOneToOne)
	testkit.Must(t, err)
	away := camera
	away.Eye = [3]float64{1e39, 0, 0}
	beyond, err := away.Frustum()
	testkit.Must(t, err)
	for name, f := range map[string]query.Frustum{"planes": again, "nothing": {}, "parallel": parallel, "beyond float32": beyond} {
		if g, err := f.MinSize(0.25); err == nil || !strings.Contains(err.Error(), "0.25") || g != f {
			t.Errorf("%s: error %v", name, err)
		}
		if g, err := f.MinSize(0); err != nil || g != f {
			t.Errorf("%s: without a least size: %v", name, err)
		}
	}
	var batch query.FrustumBatch
	v := plant(t, testkit.SceneByName(t, "uniform").Make(100, 1), true).View()
	frusta := []query.Frustum{f, sized, f.Precise()}
	testkit.Must(t, batch.Find(nil, v, frusta, query.Filter{}))
	sameFrusta(t, &batch, v, frusta, query.Filter{})
}

// A minimum size saves the walk into small subtrees, and costs nothing in memory.
func TestMinSizeWork(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	v := plant(t, objects, true).View()
	dst := make([]uint32, 0, len(objects)+soa.Lanes)
	for _, c := range scene.Cameras(objects, 0.5, 5, 3) {
		f, err := cameraOf(c).Frustum()
		testkit.Must(t, err)
		whole := f.Explain(v, query.Filter{}, nil)
		for _, s := range []float32{0.01, 1, 100} {
			sized, err := f.MinSize(s)
			testkit.Must(t, err)
			if c := sized.Explain(v, query.Filter{}, nil); s >= 1 && (c.Nodes > whole.Nodes*2/3 || c.Packets > 0) {
				t.Errorf("least size %v: %+v, without %+v", s, c, whole)
			}
			testkit.Allocs(t, 5, func() {
				dst = sized.Append(dst[:0], v, query.Filter{})
				if n := sized.Count(v, query.Filter{}); n != len(dst) || sized.Any(v, query.Filter{}) != (n > 0) {
					t.Errorf("%d, counted %d", len(dst), n)
				}
				sized.Ranges(v, query.Filter{}, func(query.Range) bool { return true })
			})
		}
	}
}

// From far away all is inside: the walk below nodes that are inside also skips small objects.
func TestMinSizeInside(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	for _, form := range []bool{false, true} {
		v := plant(t, objects, form).View()
		b := v.Bounds()
		width := float64(b.Max[0] - b.Min[0])
		camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: math.Inf(1)}
		camera.Eye = testkit.Wide(b.Center())
		camera.Eye[0] -= 10 * width
		f, err := camera.Frustum()
		testkit.Must(t, err)
		if n := f.Count(v, query.Filter{}); n != len(objects) {
			t.Fatalf("%d of %d in the frustum", n, len(objects))
		}
		nodes := len(v.Store().Nodes.Hot)
		for _, parts := range []float32{2, 8, 20, 1e4} {
			sized, err := f.MinSize(0.1 / parts)
			testkit.Must(t, err)
			ids := forms(t, sized, sized.All(v, query.Filter{}), v, query.Filter{})
			var z cull.Size
			(*walk.Frustum)(&sized).PrepareSize(&z)
			n := 0
			for i := range objects {
				if !tooSmall(&z, objects[i].Box) {
					n++
				}
			}
			c := sized.Explain(v, query.Filter{}, nil)
			if len(ids) != n || parts == 2 && (c.Nodes > nodes/4 || c.Packets > 10) {
				t.Errorf("least size %v: %d objects, want %d; %+v of %d nodes", 0.1/parts, len(ids), n, c, nodes)
			}
		}
	}
}

// A query without a minimum size is not affected by that of the previous one.
func TestMinSizeEnds(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	v := plant(t, objects, true).View()
	b := v.Bounds()
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 0, Far: math.Inf(1)}
	camera.Eye = [3]float64{float64(b.Min[0]) - 1, 0, 0}
	f, err := camera.Frustum()
	testkit.Must(t, err)
	sized, err := f.MinSize(1000)
	testkit.Must(t, err)
	wide := soa.OrientedBox{Center: b.Center(), Axes: [3][3]float32{{1e5, 0, 0}, {0, 1e5, 0}, {0, 0, 1e5}}}
	for name, q := range map[string]volume{
		"box": box(t, b), "sphere": sphere(t, scene.Sphere{Center: b.Center(), Radius: 1e6}), "convex": convex(t, nil),
		"oriented": orientedBox(t, wide), "frustum": query.Frustum{},
	} {
		sized.Append(nil, v, query.Filter{})
		if n := len(q.Append(nil, v, query.Filter{})); n != len(objects) {
			t.Errorf("%s: %d of %d", name, n, len(objects))
		}
	}
}
