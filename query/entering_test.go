package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// gridCase is a motion of a box, and objects, with small coordinates on a grid, so that many only touch. Some are flat,
// or points.
func gridCase(rng *rand.Rand) (objects []soa.Object, box soa.AABB, dir [3]float32) {
	draw := func() (b soa.AABB) {
		for a := range 3 {
			b.Min[a] = float32(rng.IntN(9) - 4)
			b.Max[a] = b.Min[a] + float32(rng.IntN(4))
		}
		return b
	}
	for range 40 {
		objects = append(objects, soa.Object{Box: draw(), Mask: 1})
	}
	for a := range 3 {
		dir[a] = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -3, 0.5}[rng.IntN(7)]
	}
	return objects, draw(), dir
}

// entersBox reports whether a moving box and another one share inner points at some time, exactly, and otherwise
// whether they touch only at the time 1, or in passing.
func entersBox(box *soa.AABB, dir [3]float32, o *soa.AABB) (enters, late bool) {
	rat := func(x float32) *rational.Rat { return new(rational.Rat).SetFloat64(float64(x)) }
	in, out, first := rat(-infinite), rat(infinite), true
	for a := range 3 {
		low, high := new(rational.Rat).Sub(rat(o.Min[a]), rat(box.Max[a])), new(rational.Rat).Sub(rat(o.Max[a]), rat(box.Min[a]))
		d := rat(dir[a])
		if d.Sign() == 0 {
			if low.Sign() >= 0 || high.Sign() <= 0 {
				return false, false
			}
			continue
		}
		low.Quo(low, d)
		high.Quo(high, d)
		if d.Sign() < 0 {
			low, high = high, low
		}
		if first || low.Cmp(in) > 0 {
			in = low
		}
		if first || high.Cmp(out) < 0 {
			out = high
		}
		first = false
	}
	zero, one := new(rational.Rat), new(rational.Rat).SetInt64(1)
	if out.Sign() <= 0 || in.Cmp(one) > 0 {
		return false, false
	}
	return in.Cmp(out) < 0 && in.Cmp(one) < 0, in.Cmp(zero) > 0
}

const infinite = 1e30

// Entering leaves out the objects that are never entered, by the formula of its documentation and by definition, in
// all forms, on every tier, and changes no other hit.
func TestEnteringBox(t *testing.T) {
	seed := testkit.Seed(t)
	met, left, late, against := 0, 0, 0, 0
	testkit.TiersAgree(t, func(t *testing.T, known func(answer ...any) bool) {
		rng := testkit.Rand(seed)
		for range testkit.Budget(t, 400, 20_000) {
			objects, box, dir := gridCase(rng)
			v := plant(t, objects, rng.IntN(2) == 0).View()
			all := sweptBoxOf(t, box, dir)
			some := all.Entering()
			hits, entered := all.Append(nil, v, query.Filter{}), some.Append(nil, v, query.Filter{})
			if sameSweep(t, &some, v, query.Filter{}, entered); known(hits, entered) {
				continue
			}
			var want []query.Hit
			for _, h := range hits {
				o := &objects[h.ID].Box
				out := false
				for a, d := range dir {
					out = out || d <= 0 && o.Min[a] >= box.Max[a] || d >= 0 && o.Max[a] <= box.Min[a]
				}
				enters, afterwards := entersBox(&box, dir, o)
				if out && enters || !out && !enters && !afterwards {
					t.Fatalf("%v along %v, %v: left out %v, entered %v", box, dir, *o, out, enters)
				}
				if n := h.Normal; h.Dist == 0 {
					if want := normalOfTouch(&box, dir, o); n != want {
						t.Fatalf("%v along %v, %v: normal %v, want %v", box, dir, *o, n, want)
					}
					back := n[0]*dir[0]+n[1]*dir[1]+n[2]*dir[2] < 0
					if n != [3]float32{} && back == out {
						t.Fatalf("%v along %v, %v: normal %v, entered %v", box, dir, *o, n, enters)
					}
					if back {
						against++
					}
				}
				switch {
				case out:
					left++
					continue
				case !enters:
					late++
				}
				met++
				want = append(want, h)
			}
			if !slices.Equal(entered, want) {
				t.Fatalf("%v along %v: entered %v, want %v", box, dir, entered, want)
			}
		}
	})
	if min(met, left, late, against) == 0 {
		t.Errorf("%d met, %d left out, %d touched later, %d from a touch", met, left, late, against)
	}
}

// normalOfTouch is the documented normal of boxes that touch at the start, or zero if they overlap.
func normalOfTouch(box *soa.AABB, dir [3]float32, o *soa.AABB) (n [3]float32) {
	for _, closer := range []bool{false, true} {
		for a, d := range dir {
			if o.Max[a] == box.Min[a] && (d < 0) == closer {
				n[a] = 1
				return n
			}
			if o.Min[a] == box.Max[a] && (d > 0) == closer {
				n[a] = -1
				return n
			}
		}
	}
	return n
}

// sameSweep compares all forms of a sweep with the hits that it should have.
func sameSweep(t *testing.T, q sweepForms, v linear.View, f query.Filter, want []query.Hit) {
	t.Helper()
	if got := q.Append(nil, v, f); !slices.Equal(got, want) {
		t.Fatalf("%v: hits %v, want %v", q, got, want)
	}
	ids := q.AppendIDs(nil, v, f)
	slices.Sort(ids)
	var each []uint32
	for _, h := range want {
		each = append(each, h.ID)
	}
	slices.Sort(each)
	if !slices.Equal(ids, each) || q.Count(v, f) != len(want) || q.Any(v, f) != (len(want) > 0) {
		t.Fatalf("%v: objects %d, %d counted, want %d", q, ids, q.Count(v, f), each)
	}
	h, ok := q.First(v, f)
	id, dist, okID := q.FirstID(v, f)
	by, at, okFunc := q.FirstFunc(v, f, func(_ uint32, t float32) (float32, bool) { return t, true })
	if ok != (len(want) > 0) || okID != ok || okFunc != ok || ok && (h != want[0] || id != h.ID || dist != h.Dist || by != h.ID || at != h.Dist) {
		t.Fatalf("%v: first %v %v, %d at %v %v, %d at %v %v; want the first of %v", q, h, ok, id, dist, okID, by, at, okFunc, want)
	}
}

// A ball leaves out the objects whose boxes it never enters in exact arithmetic, and no other; a ball without radius is
// a point.
func TestEnteringSphere(t *testing.T) {
	seed := testkit.Seed(t)
	met, left, touched := 0, 0, 0
	testkit.TiersAgree(t, func(t *testing.T, known func(answer ...any) bool) {
		rng := testkit.Rand(seed)
		for range testkit.Budget(t, 150, 5000) {
			objects, box, dir := gridCase(rng)
			v := plant(t, objects, rng.IntN(2) == 0).View()
			b := testkit.Ball{Center: box.Min, Dir: dir, Radius: []float32{0, 1, 2, 5}[rng.IntN(4)]}
			all := sweptSphereOf(t, b.Center, b.Radius, b.Dir)
			some := all.Entering()
			hits, entered := all.Append(nil, v, query.Filter{}), some.Append(nil, v, query.Filter{})
			if sameSweep(t, &some, v, query.Filter{}, entered); known(hits, entered) {
				continue
			}
			var want []query.Hit
			for _, h := range hits {
				o := &objects[h.ID].Box
				enters := false
				if r := new(rational.Rat).SetFloat64(float64(b.Radius)); b.Radius > 0 {
					enters = b.Closest2(o).Cmp(r.Mul(r, r)) < 0
				} else {
					point := soa.AABB{Min: b.Center, Max: b.Center}
					enters, _ = entersBox(&point, dir, o)
				}
				start := testkit.Ball{Center: b.Center, Radius: b.Radius}
				r := new(rational.Rat).SetFloat64(float64(b.Radius))
				touches := b.Radius > 0 && start.Closest2(o).Cmp(r.Mul(r, r)) == 0
				if h.Dist == 0 && (h.Normal != [3]float32{}) != touches {
					t.Fatalf("%+v, %v: normal %v", b, *o, h.Normal)
				}
				if touches {
					touched++
					along := 0.0
					for a := range 3 {
						along += float64(h.Normal[a]) * float64(dir[a])
						if off := math.Abs(float64(h.Pos[a]) + float64(b.Radius*h.Normal[a]) - float64(b.Center[a])); off > 1e-6 {
							t.Fatalf("%+v, %v: Pos %v and Normal %v", b, *o, h.Pos, h.Normal)
						}
					}
					if math.Abs(along) > 1e-6 && along < 0 != enters {
						t.Fatalf("%+v, %v: normal %v, entered %v", b, *o, h.Normal, enters)
					}
				}
				if !enters {
					left++
					continue
				}
				met++
				want = append(want, h)
			}
			if !slices.Equal(entered, want) {
				t.Fatalf("%+v: entered %v, want %v", b, entered, want)
			}
		}
	})
	if min(met, left, touched) == 0 {
		t.Errorf("%d met, %d left out, %d touched", met, left, touched)
	}
}

// With Exact the bounds of objects decide: spheres, oriented boxes, and both.
func TestEnteringBounds(t *testing.T) {
	turned := soa.OrientedBox{Axes: [3][3]float32{{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}}}
	tree := trees.New(t, linear.Config{})
	ids := trees.Insert(t, tree, make([]soa.Object, 3))
	testkit.Must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: []soa.OrientedBox{turned, turned, turned}}))
	testkit.Must(t, tree.MoveSphere(ids[1], [4]float32{0, 0, 0, 5}))
	testkit.Must(t, tree.SetSphere(ids[2], [4]float32{0, 0, 0, 5})) // inside the oriented box, and touches its faces
	v := tree.View()
	for _, c := range []struct {
		name   string
		at     [3]float32
		radius float32
		dir    [3]float32
		hit    []uint32
		enters []uint32
	}{
		{"on a face, away", [3]float32{6, 8, 0}, 5, [3]float32{3, 4, 0}, []uint32{0, 1, 2}, nil},
		{"on a face, at rest", [3]float32{6, 8, 0}, 5, [3]float32{}, []uint32{0, 1, 2}, nil},
		{"on a face, along", [3]float32{6, 8, 0}, 5, [3]float32{-4, 3, 0}, []uint32{0, 1, 2}, nil},
		{"on a face, into", [3]float32{6, 8, 0}, 5, [3]float32{-3, -4, 0}, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
		{"on a face, up", [3]float32{6, 8, 0}, 5, [3]float32{0, 0, 1}, []uint32{0, 1, 2}, nil},
		{"rolls onto it", [3]float32{14, 2, 0}, 5, [3]float32{-8, 6, 0}, []uint32{0, 1, 2}, nil},
		{"overlaps, away", [3]float32{3, 4, 0}, 5, [3]float32{3, 4, 0}, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
		{"the corner of the box", [3]float32{6, -2, 0}, 5, [3]float32{0, -1, 0}, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
		{"a point on a face, into", [3]float32{3, 4, 0}, 0, [3]float32{-3, -4, 0}, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
		{"a point on a face, along", [3]float32{3, 4, 0}, 0, [3]float32{-4, 3, 0}, []uint32{0, 1, 2}, nil},
		{"a point inside, at rest", [3]float32{1, 1, 1}, 0, [3]float32{}, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
	} {
		q := sweptSphereOf(t, c.at, c.radius, c.dir)
		hits := q.Append(nil, v, query.Filter{Exact: true})
		enter := q.Entering()
		entered := enter.AppendIDs(nil, v, query.Filter{Exact: true})
		slices.Sort(entered)
		var hit []uint32
		for _, h := range hits {
			hit = append(hit, h.ID)
			if c.radius == 5 && c.at == [3]float32{6, 8, 0} {
				for a, n := range [3]float64{0.6, 0.8, 0} {
					if math.Abs(float64(h.Normal[a])-n) > 1e-6 {
						t.Errorf("%s: normal %v", c.name, h.Normal)
					}
				}
			}
		}
		slices.Sort(hit)
		if !slices.Equal(hit, c.hit) || !slices.Equal(entered, c.enters) {
			t.Errorf("%s: hit %d, entered %d; want %d, %d", c.name, hit, entered, c.hit, c.enters)
		}
	}
}

// A box at rest on a floor of tiles, with a wall beside it, meets only what it moves into.
func TestEnteringFloor(t *testing.T) {
	var objects []soa.Object
	for x := range 10 {
		objects = append(objects, soa.Object{Box: soa.AABB{Min: [3]float32{float32(x), -5, -1}, Max: [3]float32{float32(x + 1), 5, 0}}})
	}
	objects = append(objects, soa.Object{Box: soa.AABB{Min: [3]float32{6, -5, 0}, Max: [3]float32{7, 5, 3}}})
	v := plant(t, objects, false).View()
	box := soa.AABB{Min: [3]float32{2, 0, 0}, Max: [3]float32{3, 1, 1}}
	for _, c := range []struct {
		motion [3]float32
		want   string
	}{
		{[3]float32{0, 0, -1}, "[{2 0 [2.5 0.5 0] [0 0 1]}]"},
		{[3]float32{0, 0, 1}, "[]"},
		{[3]float32{}, "[]"},
		{[3]float32{6, 0, 0}, "[{10 0.5 [6 0.5 0.5] [-1 0 0]}]"}, // across the seams of tiles, to the wall
		{[3]float32{0, 3, 0}, "[]"},
		{[3]float32{6, 0, 6}, "[{10 0.5 [6 0.5 3] [-1 0 0]}]"}, // the edge of the wall in passing
		{[3]float32{6, 0, 7}, "[]"},
	} {
		q := sweptBoxOf(t, box, c.motion)
		q = q.Entering()
		if got := fmt.Sprint(q.Append(nil, v, query.Filter{})); got != c.want {
			t.Errorf("by %v: %s, want %s", c.motion, got, c.want)
		}
	}
}

func TestEnteringAllocatesNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	v := plant(t, objects, true).View()
	at := objects[0].Box
	dst := make([]query.Hit, 0, len(objects))
	testkit.Allocs(t, 5, func() {
		box := sweptBoxOf(t, at, [3]float32{30, 20, 10})
		ball := sweptSphereOf(t, at.Min, 2, [3]float32{30, 20, 10})
		box, ball = box.Entering(), ball.Entering()
		dst = box.Append(dst[:0], v, query.Filter{})
		dst = ball.Append(dst[:0], v, query.Filter{Exact: true})
		box.First(v, query.Filter{})
		ball.Any(v, query.Filter{})
	})
}
