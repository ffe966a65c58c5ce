package occlude_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// TestBreakOff stops every query of a culler that takes a callback.
func TestBreakOff(t *testing.T) {
	rng := testkit.Rand(1)
	objects := make([]soa.Object, 300)
	for i := range objects {
		at := [3]float32{5 + 30*rng.Float32(), 9 * rng.Float32(), 9 * rng.Float32()}
		if objects[i] = (soa.Object{Box: testkit.CubeAt(at, 0.2), Mask: 2}); i%10 == 0 {
			objects[i] = soa.Object{Box: testkit.CubeAt([3]float32{3, at[1], at[2]}, 0.7), Mask: walls}
		}
	}
	tree := trees.Plant(t, objects, false)
	s := newScene(t)
	for i := range 2 {
		transform, err := linear.NewTransform([12]float64{0: 1, 3: float64(50 * i), 5: 1, 10: 1})
		if err == nil {
			_, err = s.AddInstance(tree, transform, linear.InstanceOptions{Mask: ^uint32(0)})
		}
		testkit.Must(t, err)
	}
	testkit.Must(t, s.Tick())
	v, w := tree.View(), s.View()
	camera := query.Camera{Eye: [3]float64{-3, 4.5, 4.5}, Forward: [3]float64{1}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.25, Near: 0.5, Far: 200}
	operations := []testkit.Operation{
		visible("Culler.All", camera, func(e *occlude.Culler) iter.Seq[string] { return text(e.All(v, query.Filter{})) }),
		visible("Culler.Ranges", camera, func(e *occlude.Culler) iter.Seq[string] {
			return text(func(yield func(query.Range) bool) { e.Ranges(v, query.Filter{}, yield) })
		}),
		visible("Culler.AllScene", camera, func(e *occlude.Culler) iter.Seq[string] {
			return func(yield func(string) bool) {
				for path, id := range e.AllScene(w, query.Filter{}) {
					if !yield(fmt.Sprint(path, id)) {
						return
					}
				}
			}
		}),
		visible("Culler.RangesScene", camera, func(e *occlude.Culler) iter.Seq[string] {
			return func(yield func(string) bool) {
				e.RangesScene(w, query.Filter{}, func(p scene.Part, r query.Range) bool { return yield(fmt.Sprint(p.Path, p.Number, r)) })
			}
		}),
	}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

func text[T any](seq iter.Seq[T]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for x := range seq {
			if !yield(fmt.Sprint(x)) {
				return
			}
		}
	}
}

// visible returns the results of a culler after SetCamera: of the first query, without memory, and of a second
// one.
func visible(name string, camera query.Camera, ask func(e *occlude.Culler) iter.Seq[string]) testkit.Operation {
	return testkit.Operation{Name: name, Of: []string{name}, New: func(t *testing.T, workers int) testkit.Call {
		e := newCuller(t, occlude.Config{Width: 64, OccluderMask: walls, Workers: workers})
		return testkit.Call{Do: func(_ context.Context, back func()) (any, error) {
			e.Reset()
			if err := e.SetCamera(camera); err != nil {
				return nil, err
			}
			var list []string
			for range 2 {
				for x := range ask(e) {
					back()
					list = append(list, x)
				}
			}
			return list, nil
		}}
	}}
}

// hiddenPoints checks points of culled boxes: each point inside the picture must be behind an occluder on
// its ray.
type hiddenPoints struct {
	rng            *rand.Rand
	objects        []soa.Object
	bodies         []body
	rays           occlude.Rays
	near           float64
	pixels         func(p [3]float64) (x, y, depth float64)
	grid           *grid // of occluders
	last           uint32
	points, border int
	exactly        int

	from, dir, size [3]float64 // the tested ray
}

// behind reports whether a point of a box is behind an occluder, or not on the picture beyond the near
// plane.
func (h *hiddenPoints) behind(id uint32, p [3]float64) bool {
	x, y, depth := h.pixels(p)
	if !(x >= 0 && y >= 0 && x <= float64(h.rays.Width) && y <= float64(h.rays.Height) && depth > h.near) {
		return true
	}
	return h.behindAt(id, x, y, depth)
}

func (h *hiddenPoints) behindAt(id uint32, x, y, depth float64) bool {
	h.points++
	solid := func(k uint32) bool { return k != id && h.objects[k].Mask&walls != 0 }
	h.set(x, y)
	if solid(h.last) && h.surely(h.last, depth) { // mostly the one that hid the point before
		return true
	}
	for _, k := range h.grid.at(x, y) {
		if solid(k) && h.surely(k, depth) {
			h.last = k
			return true
		}
	}
	h.exactly++
	r := ray{&h.rays, x, y}
	for _, k := range h.grid.at(x, y) {
		if !solid(k) {
			continue
		}
		if in, _, ok := r.meets(&h.bodies[k]); ok && in >= h.near && in < depth {
			return true
		}
	}
	return false
}

// set sets the ray of a point of the picture.
func (h *hiddenPoints) set(x, y float64) {
	f := &h.rays
	for a := range 3 {
		h.from[a], h.dir[a] = f.Ref[a], f.D0[a]
		across := x*f.DX[a] + y*f.DY[a]
		if f.Parallel {
			h.from[a] += across
		} else {
			h.dir[a] += across
		}
		h.size[a] = math.Abs(f.D0[a]) + math.Abs(x*f.DX[a]) + math.Abs(y*f.DY[a])
	}
}

// surely reports whether the ray enters a body beyond the near plane and before a depth, without doubt in
// float64. Unlike [ray.enters] it decides rays along a face, for it tests only up to the depth.
func (h *hiddenPoints) surely(k uint32, depth float64) bool {
	in, out := math.Inf(-1), math.Inf(1)
	b := &h.bodies[k]
	for i := range b.planes {
		p := &b.planes[i]
		num, den, numSize, denSize := p[3], 0.0, math.Abs(p[3]), 0.0
		for a := range 3 {
			num -= p[a] * h.from[a]
			den += p[a] * h.dir[a]
			numSize += math.Abs(p[a]) * (math.Abs(h.rays.Ref[a]) + h.size[a])
			denSize += math.Abs(p[a]) * h.size[a]
		}
		if math.Abs(num) < 1e-6*numSize {
			return false
		}
		if math.Abs(num) > (math.Abs(den)+1e-12*denSize)*math.Abs(depth)*1.001 { // not met until then
			if num < 0 {
				return false
			}
			continue
		}
		if math.Abs(den) < 1e-6*denSize {
			return false
		}
		if t := num / den; den < 0 {
			in = max(in, t)
		} else {
			out = min(out, t)
		}
	}
	return in >= h.near+clear*math.Abs(h.near) && in < depth-clear*math.Abs(depth) && (in < out-clear*(math.Abs(in)+math.Abs(out)) || in == out && b.flat())
}

// somewhere returns a point on a face of a box.
func (h *hiddenPoints) somewhere(b *soa.AABB) (p [3]float64) {
	on := h.rng.IntN(6)
	for a := range 3 {
		lo, hi := float64(b.Min[a]), float64(b.Max[a])
		switch on {
		case 2 * a:
			p[a] = lo
		case 2*a + 1:
			p[a] = hi
		default:
			p[a] = lo + h.rng.Float64()*(hi-lo)
		}
	}
	return p
}

// atBorder checks the points between two of a box that are at the border of the picture, if there are any.
func (h *hiddenPoints) atBorder(id uint32, p, q [3]float64) bool {
	px, py, pd := h.pixels(p)
	qx, qy, qd := h.pixels(q)
	if !(pd > h.near && qd > h.near) {
		return true
	}
	w, ht := float64(h.rays.Width), float64(h.rays.Height)
	for i, on := range [4]float64{0, w, 0, ht} {
		pu, qu := px-on, qx-on
		if i >= 2 {
			pu, qu = py-on, qy-on
		}
		if pu > 0 == (qu > 0) {
			continue
		}
		if !h.rays.Parallel { // linear along the way
			pu, qu = pu*pd, qu*qd
		}
		t := pu / (pu - qu)
		var m [3]float64
		for a := range 3 {
			m[a] = p[a] + t*(q[a]-p[a])
		}
		x, y, depth := h.pixels(m)
		if i < 2 {
			x = on
		} else {
			y = on
		}
		if x >= 0 && y >= 0 && x <= w && y <= ht && depth > h.near {
			if h.border++; !h.behindAt(id, x, y, depth) {
				return false
			}
		}
	}
	return true
}

// For each culled box, corners, points of its faces and points at the border of the picture are behind an
// occluder on their ray: towns of many kinds, cameras of all kinds, pictures of all sizes.
func TestOccludedPoints(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	want := samples(t)
	h := &hiddenPoints{rng: rng}
	boxes := 0
	few := func() bool { return want >= 20_000 && h.border < want/10 } // points at the border
	for round := 0; h.points < want || h.points < 5*want && few(); round++ {
		h.objects = town(rng, 60+rng.IntN(80), 200+rng.IntN(400), 120)
		h.bodies, h.last = bodiesOf(h.objects), 0
		tree := plant(t, h.objects, linear.Config{})
		size := [][2]int{{96, 54}, {33, 17}, {160, 90}, {16, 9}, {64, 64}, {5, 3}}[rng.IntN(6)]
		culler := newCuller(t, occlude.Config{Width: size[0], Height: size[1], OccluderMask: walls, MinPixels: 1})
		for i := range len(kinds) {
			kind := kinds[(round+i)%len(kinds)]
			near := []float64{0.1, 1, 4}[rng.IntN(3)]
			from := [3]float64{rng.Float64() * 120, -5, 2}
			if rng.IntN(2) == 0 {
				from[1] = rng.Float64() * 120
			}
			v := randomView(rng, kind, from, [3]float64{60 + 30*rng.NormFloat64(), 60, 2}, near, 500)
			testkit.Must(t, v.look(culler))
			visible := setOf(culler.Append(nil, tree.View(), query.Filter{}))
			h.rays, h.near = culler.Rays(), nearOf(culler, &v)
			h.pixels = pixelsOf(&h.rays)
			all := culler.Frustum().Append(nil, tree.View(), query.Filter{})
			h.grid = gridOf(&h.rays, h.near, h.bodies, all)
			for _, id := range all {
				if visible[id] {
					continue
				}
				boxes++
				b := &h.objects[id].Box
				var p [3]float64
				border := h.border
				for k := 0; k < 32 || k < 320 && h.border > border; k++ { // more where the border is
					before := p
					for a := range 3 {
						if p[a] = float64(b.Min[a]); k>>a&1 != 0 {
							p[a] = float64(b.Max[a])
						}
					}
					if k >= 8 {
						p = h.somewhere(b)
					}
					if !h.behind(id, p) || k > 0 && !h.atBorder(id, before, p) {
						t.Fatalf("%s, round %d: object %d, box %v, is not visible, but a point of it is, near %v", kind, round, id, *b, p)
					}
				}
			}
		}
	}
	t.Logf("%d points of %d hidden boxes, %d at the border of the picture, %d computed exactly", h.points, boxes, h.border, h.exactly)
	if few() {
		t.Errorf("only %d of %d points are at the border", h.border, h.points)
	}
}
