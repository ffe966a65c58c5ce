package collide_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// bounded is an object with its bounds: one in four has none, one a ball, one an oriented box, one both.
type bounded struct {
	box           soa.AABB
	ball          [4]float32
	oriented      soa.OrientedBox
	turned        testkit.Turned // or the box
	round, tilted bool
}

func boundedOf(r *rand.Rand, id int, box soa.AABB) bounded {
	b := bounded{box: box, round: id%4 == 1 || id%4 == 3, tilted: id%4 >= 2, turned: testkit.TurnedBox(box)}
	b.ball = testkit.BallIn(box)
	b.oriented = testkit.OrientedIn(r, box)
	if b.tilted {
		b.turned = testkit.TurnedOf(b.oriented)
	}
	return b
}

// give sets the bounds of an object in a tree.
func (b *bounded) give(t testing.TB, tree *linear.Tree, id uint32) {
	t.Helper()
	if b.round {
		testkit.Must(t, tree.SetSphere(id, b.ball))
	}
	if b.tilted {
		testkit.Must(t, tree.SetOriented(id, b.oriented))
	}
}

func wideBall(b [4]float32) ([3]float64, float64) {
	return [3]float64{float64(b[0]), float64(b[1]), float64(b[2])}, float64(b[3])
}

// gap returns the largest distance between two bounds of two objects: below 0 all overlap.
func (b *bounded) gap(o *bounded) float64 {
	gap := math.Inf(-1)
	if b.round && o.round {
		p, r := wideBall(b.ball)
		q, s := wideBall(o.ball)
		gap = max(gap, math.Sqrt((p[0]-q[0])*(p[0]-q[0])+(p[1]-q[1])*(p[1]-q[1])+(p[2]-q[2])*(p[2]-q[2]))-r-s)
	}
	if b.round && (o.tilted || !o.round) {
		p, r := wideBall(b.ball)
		gap = max(gap, o.turned.Distance(p)-r)
	}
	if o.round && (b.tilted || !b.round) {
		p, r := wideBall(o.ball)
		gap = max(gap, b.turned.Distance(p)-r)
	}
	if (b.tilted || !b.round) && (o.tilted || !o.round) {
		g, _ := b.turned.Gap(&o.turned)
		gap = max(gap, g)
	}
	return gap
}

// With Filter.Exact all bounds of a pair overlap, in every form, between trees and within one, where most
// objects move and where few do.
func TestPairsExactOriented(t *testing.T) {
	n := testkit.Budget(t, 1200, 6000)
	for _, static := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		objects := testkit.SceneByName(t, "uniform").Make(n, 5)
		bounds := make([]bounded, n)
		for i := range objects {
			grow := float32(r.Float32() * 3)
			for k := range 3 {
				objects[i].Box.Max[k] += grow
			}
			objects[i].Static = static && i%64 != 0
			bounds[i] = boundedOf(r, i, objects[i].Box)
		}
		tree, other := trees.Plant(t, objects, true), trees.Plant(t, objects[:n/3], false)
		for i := range bounds {
			bounds[i].give(t, tree, uint32(i))
			if i < n/3 {
				bounds[i].give(t, other, uint32(i))
			}
		}
		testkit.EachTier(t, func(t *testing.T) {
			for _, of := range []collide.Views{collide.Within(tree.View()), collide.Between(tree.View(), other.View())} {
				plain := collide.Append(nil, of, collide.Filter{})
				flt := collide.Filter{Exact: true}
				got := collide.Append(nil, of, flt)
				kept := map[collide.Pair]bool{}
				for _, p := range got {
					kept[p] = true
				}
				if len(kept) != len(got) || len(got) == 0 || len(got) > len(plain)*9/10 {
					t.Fatalf("%d of %d pairs, %d different", len(got), len(plain), len(kept))
				}
				at := 0
				for _, p := range plain {
					gap := bounds[p.A].gap(&bounds[p.B])
					if kept[p] && got[at] == p {
						at++
					}
					if math.Abs(gap) > 4e-6 && kept[p] != (gap < 0) {
						t.Fatalf("pair %v of objects %v apart was kept: %v", p, gap, kept[p])
					}
				}
				if at != len(got) {
					t.Errorf("%d of %d pairs are in the order of all", at, len(got))
				}
				if k := collide.Count(of, flt); k != len(got) {
					t.Errorf("Count %d, %d pairs", k, len(got))
				}
				if !slices.Equal(slices.Collect(collide.All(of, flt)), got) {
					t.Error("All yields something else")
				}
				batch := collide.Batch{Workers: 3}
				if !slices.Equal(batched(t, &batch, nil, of, flt), got) {
					t.Error("Batch finds something else")
				}
				testkit.Allocs(t, 3, func() { got = collide.Append(got[:0], of, flt) })
			}
		})
	}
}

// A tracker follows oriented boxes, on every path of an update: from the log, which does not hold them, and
// in held versions.
func TestTrackerOriented(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(600, 1)
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	r := testkit.Rand(testkit.Seed(t))
	shared := linear.NewPublisher(tree)
	exact := collide.Filter{Exact: true}
	live, late := collide.Tracker{Filter: exact}, collide.Tracker{Filter: exact}
	changed := 0
	for i := range uint32(60) {
		b := boundedOf(r, int(2+i%2), objects[r.IntN(600)].Box)
		switch i % 3 {
		case 0:
			testkit.Must(t, tree.MoveOriented(i, b.oriented))
		case 1:
			testkit.Must(t, tree.Move(i, b.box))
			b.give(t, tree, i)
		default:
			testkit.Must(t, tree.Move(i/2, objects[i].Box)) // which drops the bounds of the object
		}
		shared.Publish()
		h := shared.Acquire()
		for _, x := range []struct {
			tracker *collide.Tracker
			view    linear.View
		}{{&live, tree.View()}, {&late, h.View()}} {
			testkit.Must(t, x.tracker.Update(x.view))
			got := slices.Collect(x.tracker.Pairs())
			want := collide.Append(nil, collide.Within(x.view), exact)
			order := func(a, b collide.Pair) int {
				return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
			}
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if !slices.Equal(got, want) {
				t.Fatalf("update %d: %d pairs, want %d", i, len(got), len(want))
			}
			changed += len(x.tracker.Began()) + len(x.tracker.Ended())
		}
		h.Release()
	}
	if changed < 100 {
		t.Errorf("%d events", changed)
	}
}

func plantBounded(t testing.TB, list []bounded) *linear.Tree {
	t.Helper()
	objects := make([]soa.Object, len(list))
	for i, b := range list {
		objects[i].Box = b.box
	}
	tree := trees.Plant(t, objects, false)
	for i := range list {
		list[i].give(t, tree, uint32(i))
	}
	return tree
}

// By definition the depth is the shortest separation along the axes that can separate two boxes, and the
// minimum over the bounds; its direction is the normal; the position is in both.
func TestContactsOriented(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var list []bounded
	for i := range 400 {
		p := [3]float32{r.Float32() * 3, r.Float32() * 3, r.Float32() * 3}
		box := soa.AABB{Min: p, Max: [3]float32{p[0] + 3*r.Float32(), p[1] + 3*r.Float32(), p[2] + 3*r.Float32()}}
		list = append(list, boundedOf(r, i, box))
	}
	v := plantBounded(t, list).View()
	var pairs []collide.Pair
	for range 6000 {
		a, b := r.Uint32N(400), r.Uint32N(400)
		if a == b {
			continue
		}
		pairs = append(pairs, collide.Pair{A: a, B: b}, collide.Pair{A: b, B: a})
	}
	contacts := collide.AppendContacts(nil, collide.Within(v), pairs)
	const tolerance = 1e-5
	met := 0
	for i, c := range contacts {
		a, b := &list[c.A], &list[c.B]
		if !a.tilted && !b.tilted {
			continue
		}
		n, pos := testkit.Wide(c.Normal), testkit.Wide(c.Pos)
		if l := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]); math.Abs(l-1) > 1e-6 {
			t.Fatalf("%+v: the normal's length is %v", c, l)
		}
		if back := contacts[i^1]; math.Abs(float64(back.Depth-c.Depth)) > tolerance {
			t.Fatalf("%+v: the other way round it is %+v", c, back)
		}
		// The depth of an overlap is that of the bounds that overlap least; otherwise the objects are
		// apart.
		if gap := a.gap(b); !a.round && !b.round {
			if math.Abs(float64(c.Depth)+gap) > tolerance {
				t.Fatalf("%+v: the depth is %v, want %v", c, c.Depth, -gap)
			}
		} else if gap > tolerance && math.Abs(float64(c.Depth)+gap) > tolerance {
			t.Fatalf("%+v: the depth is %v, they are %v apart", c, c.Depth, gap)
		}
		// Moved apart by the depth along the normal, they touch there; by a little less they do not.
		reach := 0.
		for _, o := range []*bounded{a, b} {
			side := 1.
			if o == b {
				side = -1
			}
			most := math.Inf(1) // of the bounds that the contact is of
			if o.round {
				p, r := wideBall(o.ball)
				most = side*(n[0]*p[0]+n[1]*p[1]+n[2]*p[2]) + r
			}
			if o.tilted || !o.round {
				p := o.turned.Center
				along := side*(n[0]*p[0]+n[1]*p[1]+n[2]*p[2]) + o.turned.Reach(n)
				if o.round && o.tilted {
					most = math.NaN() // either
				} else {
					most = along
				}
			}
			reach += most
		}
		if math.Abs(reach-float64(c.Depth)) > tolerance { // NaN is not
			t.Fatalf("%+v: they overlap by %v along the normal", c, reach)
		}
		if c.Depth < 0 || a.round || b.round {
			continue
		}
		met++
		for _, o := range []*bounded{a, b} {
			if off := o.turned.Distance(pos); off > float64(c.Depth)+0.1 {
				t.Fatalf("%+v: the position is %v away from %v", c, off, o.turned)
			}
		}
	}
	if met < 100 {
		t.Errorf("%d pairs of turned boxes met", met)
	}
	testkit.Allocs(t, 3, func() { contacts = collide.AppendContacts(contacts[:0], collide.Within(v), pairs) })
}

// The results of simple cases.
func TestContactsOrientedCases(t *testing.T) {
	half := float32(math.Sqrt(0.5))
	upright := func(x, y, z float32) soa.OrientedBox { // of edge 2
		return soa.OrientedBox{Center: [3]float32{x, y, z}, Axes: [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	}
	diamond := func(x, y, z float32) soa.OrientedBox { // turned about z by an eighth
		return soa.OrientedBox{Center: [3]float32{x, y, z}, Axes: [3][3]float32{{half, half, 0}, {-half, half, 0}, {0, 0, 1}}}
	}
	leaning := func(x, y, z float32) soa.OrientedBox { // turned about x by an eighth
		return soa.OrientedBox{Center: [3]float32{x, y, z}, Axes: [3][3]float32{{1, 0, 0}, {0, half, half}, {0, -half, half}}}
	}
	sheet := soa.AABB{Min: [3]float32{-1, -1, 0}, Max: [3]float32{1, 1, 0}} // its edges along z have no length
	rod := soa.OrientedBox{Center: [3]float32{2, 2, 0}, Axes: [3][3]float32{{3, -3, 0}, {0.25, 0.25, half / 2}, {0.25, 0.25, -half / 2}}}
	root := float32(math.Sqrt2)
	x, y, z := [3]float32{1, 0, 0}, [3]float32{0, 1, 0}, [3]float32{0, 0, 1}
	for _, c := range []struct {
		name  string
		a, b  any
		pos   [3]float32
		norm  [3]float32
		depth float32
	}{
		{"faces", upright(0, 0, 0), upright(1.5, 0.5, 0), [3]float32{0.75, 0.25, 0}, x, 0.5},
		{"a face and a box", upright(0, 0, 0), soa.AABB{Min: [3]float32{-9, -9, 0.75}, Max: [3]float32{9, 9, 7}}, [3]float32{0, 0, 0.875}, z, 0.25},
		{"a box and a face", soa.AABB{Min: [3]float32{-9, -9, 0.75}, Max: [3]float32{9, 9, 7}}, upright(0, 0, 0), [3]float32{0, 0, 0.875}, [3]float32{0, 0, -1}, 0.25},
		{"a corner in a face", upright(0, 0, 0), diamond(2, 0.5, 0), [3]float32{(1 + 2 - root) / 2, 0.5, 0}, x, root - 1},
		{"an edge apart from a face", upright(0, 0, 0), diamond(3, 0.5, 0), [3]float32{(1 + 3 - root) / 2, 0.5, 0}, x, root - 2},
		{"edges that cross", diamond(0, 0, 0), soa.OrientedBox{Center: [3]float32{0, 2*root - 0.5, 0}, Axes: [3][3]float32{{1, 0, 0}, {0, half, half}, {0, -half, half}}},
			[3]float32{0, root - 0.25, 0}, y, 0.5},
		{"a corner apart from an edge", sheet, rod, [3]float32{1.25, 1.25, 0}, [3]float32{half, half, 0}, -half},
		{"an edge apart from a corner", rod, sheet, [3]float32{1.25, 1.25, 0}, [3]float32{-half, -half, 0}, -half},
		{"the same place", diamond(1, 1, 1), diamond(1, 1, 1), [3]float32{1, 1, 1}, [3]float32{half, half, 0}, 2},
		{"a ball on a face", [4]float32{0, 0, 1 + 0.75, 1}, leaning(0, 0, -root+1), [3]float32{0, 0, 0.875}, [3]float32{0, 0, -1}, 0.25},
		{"a face and a ball", upright(0, 0, 0), [4]float32{0.5, 1.5, 0, 1}, [3]float32{0.5, 0.75, 0}, y, 0.5},
		{"a ball in a box", [4]float32{0, 0.5, 0, 0.25}, upright(0, 0, 0), [3]float32{0, 0.625, 0}, [3]float32{0, -1, 0}, 0.75},
		{"points", soa.OrientedBox{Center: [3]float32{1, 2, 3}}, soa.OrientedBox{Center: [3]float32{1, 2, 3}}, [3]float32{1, 2, 3}, x, 0},
	} {
		var list []bounded
		for _, o := range []any{c.a, c.b} {
			switch o := o.(type) {
			case soa.OrientedBox:
				list = append(list, bounded{box: o.Box(), oriented: o, tilted: true})
			case [4]float32:
				list = append(list, bounded{box: soa.Ball{Sphere: o}.Box(), ball: o, round: true})
			case soa.AABB:
				list = append(list, bounded{box: o})
			}
		}
		v := plantBounded(t, list).View()
		got := collide.AppendContacts(nil, collide.Within(v), []collide.Pair{{A: 0, B: 1}})[0]
		off := math.Abs(float64(got.Depth - c.depth))
		for k := range 3 {
			off = max(off, math.Abs(float64(got.Pos[k]-c.pos[k])), math.Abs(float64(got.Normal[k]-c.norm[k])))
		}
		if !(off <= 1e-6) {
			t.Errorf("%s: %+v, want %v %v %v", c.name, got, c.pos, c.norm, c.depth)
		}
	}
	// Of two bounds, the one with the smaller depth.
	both := bounded{box: upright(0, 0, 0).Box(), oriented: upright(0, 0, 0), ball: [4]float32{0, 0, 0, 1}, round: true, tilted: true}
	v := plantBounded(t, []bounded{both, {box: soa.AABB{Min: [3]float32{0.75, 0.75, 0}, Max: [3]float32{4, 4, 0.25}}}}).View()
	c := collide.AppendContacts(nil, collide.Within(v), []collide.Pair{{A: 0, B: 1}})[0]
	if want := 1 - 0.75*math.Sqrt2; math.Abs(float64(c.Depth)-want) > 1e-6 {
		t.Errorf("%+v, want the depth of the ball, %v", c, want)
	}
	if pairs := collide.Count(collide.Within(v), collide.Filter{Exact: true}); pairs != 0 {
		t.Errorf("%d pairs, the ball is apart", pairs)
	}
}
