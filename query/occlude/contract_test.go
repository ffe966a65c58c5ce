package occlude_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

const walls = 1

// town returns some houses, which are occluders, and many small objects behind, between and before them.
func town(rng *rand.Rand, houses, small int, side float64) (objects []soa.Object) {
	for range houses {
		x, y := rng.Float64()*side, rng.Float64()*side
		w, d, h := 2+rng.Float64()*10, 2+rng.Float64()*10, 3+rng.Float64()*15
		if rng.IntN(8) == 0 {
			d = 0 // a wall
		}
		objects = append(objects, soa.Object{Mask: walls, Static: true, Box: soa.AABB{
			Min: [3]float32{float32(x), float32(y), 0}, Max: [3]float32{float32(x + w), float32(y + d), float32(h)}}})
	}
	for range small {
		x, y, z := rng.Float64()*side, rng.Float64()*side, rng.Float64()*12
		var r [3]float64
		for a := range 3 {
			if r[a] = rng.Float64() * 0.5; rng.IntN(12) == 0 {
				r[a] = 0 // flat, or a line, or a point
			}
		}
		objects = append(objects, soa.Object{Mask: 2, Static: rng.IntN(2) == 0, Box: soa.AABB{
			Min: [3]float32{float32(x - r[0]), float32(y - r[1]), float32(z)}, Max: [3]float32{float32(x + r[0]), float32(y + r[1]), float32(z + r[2])}}})
	}
	return objects
}

// plant returns a tree of the objects, whose IDs are their indices.
func plant(t testing.TB, objects []soa.Object, cfg linear.Config) *linear.Tree {
	t.Helper()
	tree, err := linear.New(cfg)
	testkit.Must(t, err)
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	return tree
}

// newCuller returns a culler of a valid configuration.
func newCuller(t testing.TB, cfg occlude.Config) *occlude.Culler {
	t.Helper()
	culler, err := occlude.New(cfg)
	testkit.Must(t, err)
	return culler
}

func newScene(t testing.TB) *linear.Scene {
	t.Helper()
	s, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	return s
}

// place adds an instance of a part, and returns its ID.
func place(t testing.TB, s *linear.Scene, part linear.Part, at linear.Transform) uint32 {
	t.Helper()
	id, err := s.AddInstance(part, at, linear.InstanceOptions{})
	testkit.Must(t, err)
	return id
}

func bodiesOf(objects []soa.Object) (all []body) {
	for i := range objects {
		all = append(all, boxBody(objects[i].Box))
	}
	return all
}

// witness sends rays through the picture. all is the answer of the frustum. Every object that a ray hits
// beyond the near plane, before it enters the first occluder, must be in visible; any other result is a false
// cull. witness returns the number of hits checked.
func witness(t *testing.T, rng *rand.Rand, rays occlude.Rays, near float64, objects []soa.Object, bodies []body, all []uint32, extra []body, visible map[uint32]bool, n int) (met int) {
	t.Helper()
	type entry struct {
		id uint32
		in float64
	}
	var list []entry
	grid := gridOf(&rays, near, bodies, all)
	for range n {
		// Rays near the border of the picture are as frequent as others.
		x, y := rng.Float64()*float64(rays.Width), rng.Float64()*float64(rays.Height)
		switch rng.IntN(8) {
		case 0:
			x = []float64{0, float64(rays.Width)}[rng.IntN(2)] + (x/float64(rays.Width)-0.5)*1e-3
		case 1:
			y = []float64{0, float64(rays.Height)}[rng.IntN(2)] + (y/float64(rays.Height)-0.5)*1e-3
		case 2:
			x, y = math.Round(x), math.Round(y)
		}
		if x < 0 || y < 0 || x > float64(rays.Width) || y > float64(rays.Height) {
			continue
		}
		r := ray{&rays, x, y}
		first := math.Inf(1)
		list = list[:0]
		hit := func(s *body) (in float64, ok bool) {
			in, out, ok := r.meets(s)
			return in, ok && out > near
		}
		for i := range extra {
			if in, ok := hit(&extra[i]); ok && in >= near*(1-1e-9) {
				first = min(first, in)
			}
		}
		for _, i := range grid.at(x, y) {
			in, ok := hit(&bodies[i])
			if !ok {
				continue
			}
			if objects[i].Mask&walls != 0 && in >= near {
				first = min(first, in)
			}
			list = append(list, entry{i, in})
		}
		for _, e := range list {
			if max(e.in, near) > first-1e-9*math.Abs(first) {
				continue // behind; touching objects are left to the exact families
			}
			met++
			if !visible[e.id] {
				t.Errorf("the ray through %v, %v meets object %d at %v, box %v, and no solid before %v, but it is not visible\nrays %+v", x, y, e.id, e.in, objects[e.id].Box, first, rays)
				return met
			}
		}
	}
	return met
}

func setOf(ids []uint32) map[uint32]bool {
	m := map[uint32]bool{}
	for _, id := range ids {
		m[id] = true
	}
	return m
}

// No false culls, over views of all kinds, with memory and without, in trees of all forms: every object
// that a ray reaches first is returned. Results are a subset of the frustum's, and many objects are hidden.
func TestContract(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	left, shown, met, rays := 0, 0, 0, 0
	n := min(samples(t)/400, 500)
	for asked := 0; rays < samples(t)/4; asked++ {
		objects := town(rng, 150, 600, 150)
		bodies := bodiesOf(objects)
		tree := plant(t, objects, linear.Config{Frozen: asked%2 == 0})
		culler := newCuller(t, occlude.Config{Width: 128, Height: []int{72, 31}[asked&1], OccluderMask: walls, MaxOccluders: []int{0, 20}[asked>>1&1], MinPixels: 1})
		for i, kind := range kinds {
			from := [3]float64{rng.Float64() * 150, rng.Float64() * 150, 1 + rng.Float64()*5}
			to := [3]float64{rng.Float64() * 150, rng.Float64() * 150, rng.Float64() * 3}
			v := randomView(rng, kind, from, to, []float64{0.05, 1}[i&1], 300)
			for frame := range 2 {
				testkit.Must(t, v.look(culler))
				var extra []body
				if frame == 1 && i%2 == 0 {
					b := solidBox(rng, to, 5)
					extra = append(extra, boxBody(b))
					testkit.Must(t, culler.DrawBoxes(b))
				}
				visible := culler.Append(nil, tree.View(), query.Filter{})
				frustum := culler.Frustum()
				all := frustum.Append(nil, tree.View(), query.Filter{})
				testkit.NothingLost(t, all, visible)
				left += len(all) - len(visible)
				shown += len(visible)
				met += witness(t, rng, culler.Rays(), nearOf(culler, &v), objects, bodies, all, extra, setOf(visible), n)
				rays += n
				if t.Failed() {
					t.Fatalf("%s, frame %d: from %v to %v", kind, frame, from, to)
				}
			}
		}
	}
	t.Logf("%d objects visible, %d hidden, %d meetings of rays", shown, left, met)
	if left < shown {
		t.Errorf("%d objects are hidden of %d: this tests little", left, left+shown)
	}
}

// pixelsOf returns the inverse map, from points to rays: columns, rows and depths.
func pixelsOf(r *occlude.Rays) func(p [3]float64) (x, y, depth float64) {
	// p - ref = x*w*dx + y*w*dy + w*d0 in a perspective, x*dx + y*dy + t*d0 else
	n := [3][3]float64{crossOf(r.DY, r.D0), crossOf(r.D0, r.DX), crossOf(r.DX, r.DY)}
	det := 0.0
	for a := range 3 {
		det += r.DX[a] * n[0][a]
	}
	return func(p [3]float64) (x, y, depth float64) {
		var c [3]float64
		for i := range 3 {
			for a := range 3 {
				c[i] += n[i][a] * (p[a] - r.Ref[a]) / det
			}
		}
		if r.Parallel {
			return c[0], c[1], c[2]
		}
		return c[0] / c[2], c[1] / c[2], c[2]
	}
}

// All forms of a query agree, and Any reports whether the result is not empty.
func TestForms(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := town(rng, 100, 3000, 200)
	for i := range objects {
		objects[i].Mask |= 4 << (i % 3)
	}
	only := make([]uint64, len(objects)/64)
	for i := range only {
		only[i] = rng.Uint64()
	}
	filters := []query.Filter{{}, {Mask: 2}, {Mask: 4}, {Motion: query.MovingOnly}, {Motion: query.StaticOnly, Mask: 16}, {Only: only}, {Exclude: linear.Handle{Gen: 1}}, {Mask: 1 << 30}, {Exact: true}}
	for _, pending := range []bool{false, true} {
		tree := plant(t, objects, linear.Config{})
		if pending {
			if _, err := tree.InsertBatch(nil, objects[:40]); err != nil {
				t.Fatal(err)
			}
		}
		v := tree.View()
		for k, kind := range kinds {
			camera := randomView(rng, kind, [3]float64{-10, rng.Float64() * 200, 3}, [3]float64{100, 100, 2}, 0.1, 500)
			culler := newCuller(t, occlude.Config{OccluderMask: walls})
			whole := []uint32(nil)
			for i, f := range filters {
				testkit.Must(t, camera.look(culler))
				if f.Exclude.Gen != 0 && len(whole) > 0 {
					f.Exclude, _ = tree.Handle(whole[len(whole)/2])
				}
				// Each is the first query after SetCamera, with the same memory.
				culler.Reset()
				ids := culler.Append([]uint32{7}, v, f)
				if ids[0] != 7 {
					t.Fatal("Append overwrote what was there")
				}
				ids = ids[1:]
				again := func(ask func()) {
					t.Helper()
					testkit.Must(t, camera.look(culler))
					culler.Reset()
					ask()
				}
				if i == 0 {
					whole = slices.Clone(ids)
				} else {
					// The filter selects results, not occluders. It does decide which objects are tested
					// again, though.
					var want []uint32
					for _, id := range whole {
						if o, _ := v.Object(id); f.Mask == 0 || o.Mask&f.Mask != 0 {
							if (f.Motion != query.MovingOnly || !o.Static) && (f.Motion != query.StaticOnly || o.Static) &&
								(f.Only == nil || int(id) < 64*len(only) && only[id/64]>>(id%64)&1 != 0) && (f.Exclude.Gen == 0 || id != f.Exclude.ID) {
								want = append(want, id)
							}
						}
					}
					testkit.SameIDs(t, ids, want)
				}
				again(func() {
					if n := culler.Count(v, f); n != len(ids) {
						t.Errorf("Count %d, Append has %d", n, len(ids))
					}
				})
				again(func() { testkit.SameIDs(t, slices.Collect(culler.All(v, f)), ids) })
				again(func() {
					var got []uint32
					culler.Ranges(v, f, func(r query.Range) bool {
						for lane, id := range v.IDs(r.First) {
							if r.Count == 1 && r.Mask>>lane&1 != 0 {
								got = append(got, id)
							}
						}
						return true
					})
					testkit.SameIDs(t, got, ids)
				})
				again(func() {
					// Any draws once, Append twice or more.
					if any := culler.Any(v, f); !any && len(ids) > 0 || any && culler.Frustum().Count(v, f) == 0 {
						t.Errorf("Any %v of %d", any, len(ids))
					}
				})
				again(func() {
					heat := query.NewHeat(v)
					c := culler.Explain(v, f, heat)
					nodes, slots := 0, 0
					for _, n := range heat.Nodes {
						nodes += int(n)
					}
					for _, n := range heat.Slots {
						slots += int(n)
					}
					if c.Nodes != nodes || c.Packets != slots || c.Ranges > len(ids) || (len(ids) > 0) != (c.Ranges > 0) || c.Covered == 0 || c.Occluders == 0 {
						t.Errorf("%+v of %d objects, heat %d and %d", c, len(ids), nodes, slots)
					}
				})
				if t.Failed() {
					t.Fatalf("%s, %d: filter %+v", kind, k, f)
				}
			}
		}
	}
}
