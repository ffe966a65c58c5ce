package occlude_test

import (
	"encoding/binary"
	"hash/fnv"
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

// panics fails unless a call panics.
func panics(t *testing.T, name string, call func()) {
	t.Helper()
	if testkit.Panic(call) == nil {
		t.Errorf("%s: no panic", name)
	}
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

// gridSide is the number of cells on a side of a grid.
const gridSide = 16

// grid finds the boxes that a ray may hit beyond the near plane, by their position on the picture. It only
// saves the oracles time: a box is in all cells that a rectangle around its corners, a pixel wider,
// touches.
type grid struct {
	rays  *occlude.Rays
	cells [gridSide][gridSide][]uint32
}

// gridOf returns the grid of the given images of boxes, in their order.
func gridOf(rays *occlude.Rays, near float64, bodies []body, ids []uint32) *grid {
	g := &grid{rays: rays}
	pixels := pixelsOf(rays)
	for _, id := range ids {
		x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, p := range bodies[id].corners {
			x, y, depth := pixels(p)
			if !(rays.Parallel || depth > near/2) || math.IsNaN(x+y) { // through the near plane: anywhere
				x0, y0, x1, y1 = math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)
				break
			}
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
		c0, r0 := g.cell(x0-1, y0-1)
		c1, r1 := g.cell(x1+1, y1+1)
		for r := r0; r <= r1; r++ {
			for c := c0; c <= c1; c++ {
				g.cells[r][c] = append(g.cells[r][c], id)
			}
		}
	}
	return g
}

// cell returns the column and the row of the cell of a point, or of the nearest cell.
func (g *grid) cell(x, y float64) (c, r int) {
	at := func(x float64, n int) int { return int(min(max(x/float64(n)*gridSide, 0), gridSide-1)) }
	return at(x, g.rays.Width), at(y, g.rays.Height)
}

// at returns the boxes that the ray of a point of the picture may hit.
func (g *grid) at(x, y float64) []uint32 {
	c, r := g.cell(x, y)
	return g.cells[r][c]
}

// The depth buffer and the results are the same on every machine: these are their digests.
func TestDigests(t *testing.T) {
	tree := plant(t, append(spheres(3), partition), linear.Config{})
	house, err := occlude.NewPrism([][2]float32{{-3, -4}, {3, -4}, {5, 4}, {-3, 4}}, 0, 9)
	testkit.Must(t, err)
	transform, err := linear.Similarity([3]float64{-13, 20, 3}, [4]float64{1, 2, 3, 4}, 1.5)
	testkit.Must(t, err)
	for name, c := range map[string]struct {
		look func(e *occlude.Culler) error
		want uint64
	}{
		"camera": {func(e *occlude.Culler) error { return e.SetCamera(audience) }, 0x673d4cfcfbe40728},
		"parallel": {func(e *occlude.Culler) error {
			return e.SetViewProjectionRowMajor([16]float32{1. / 30, 0.01, 0, 0, 0, 0.004, 1. / 20, 0, -0.001, 1. / 90, 0, 0.3, 0, 0, 0, 1}, query.ClipZeroToOne)
		}, 0xf0ee7391bb1a8393},
	} {
		culler := newCuller(t, occlude.Config{Width: 200, Height: 113, OccluderMask: wallBit | 1, MinPixels: 4})
		h := fnv.New64a()
		for range 2 {
			testkit.Must(t, c.look(culler))
			culler.DrawHulls([]occlude.Hull{house}, []linear.Transform{transform})
			ids := culler.Append(nil, tree.View(), query.Filter{})
			if len(ids) < 100 || len(ids) > 1300 {
				t.Errorf("%s: %d objects are visible", name, len(ids))
			}
			for _, id := range ids {
				h.Write([]byte{byte(id), byte(id >> 8)})
			}
			pix, _, _, _ := culler.DepthBuffer()
			for _, v := range pix {
				h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s: digest %#x, want %#x", name, got, c.want)
		}
	}
}
