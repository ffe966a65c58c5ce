package collide_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// solid returns a box, with the ball of radius r at its centre if r >= 0.
func solid(lo, hi [3]float32, r float32) testkit.Solid {
	s := testkit.Solid{Box: soa.AABB{Min: lo, Max: hi}}
	if r >= 0 {
		c := s.Box.Center()
		s.Ball = &[4]float32{c[0], c[1], c[2], r}
	}
	return s
}

func cubeAt(x, y, z, half float32) testkit.Solid {
	return solid([3]float32{x - half, y - half, z - half}, [3]float32{x + half, y + half, z + half}, -1)
}

func ballAt(x, y, z, r float32) testkit.Solid {
	return solid([3]float32{x - r, y - r, z - r}, [3]float32{x + r, y + r, z + r}, r)
}

// plantSolids returns a tree of the solids under the IDs 0, 1, 2, …
func plantSolids(t testing.TB, solids []testkit.Solid) *linear.Tree {
	t.Helper()
	objects := make([]soa.Object, len(solids))
	for i, s := range solids {
		objects[i].Box = s.Box
	}
	tree := trees.Plant(t, objects, false)
	trees.SetBalls(t, tree, solids)
	return tree
}

// The contacts of the borderline cases are exact to the bit.
func TestContactCases(t *testing.T) {
	x, y := [3]float32{1, 0, 0}, [3]float32{0, 1, 0}
	minus := func(n [3]float32) [3]float32 { return [3]float32{0 - n[0], 0 - n[1], 0 - n[2]} }
	for _, c := range []struct {
		name  string
		a, b  testkit.Solid
		pos   [3]float32
		norm  [3]float32
		depth float32
	}{
		{"boxes", cubeAt(0, 0, 0, 1), cubeAt(1.5, 0.25, 0, 1), [3]float32{0.75, 0.125, 0}, x, 0.5},
		{"boxes: the other way", cubeAt(1.5, 0.25, 0, 1), cubeAt(0, 0, 0, 1), [3]float32{0.75, 0.125, 0}, minus(x), 0.5},
		{"boxes: touching faces", cubeAt(0, 0, 0, 1), cubeAt(0, 2, 0, 1), [3]float32{0, 1, 0}, y, 0},
		{"boxes: touching corners", cubeAt(0, 0, 0, 1), cubeAt(2, 2, 2, 1), [3]float32{1, 1, 1}, x, 0},
		{"boxes: equal", cubeAt(5, 5, 5, 2), cubeAt(5, 5, 5, 2), [3]float32{5, 5, 5}, x, 4},
		{"boxes: contained", cubeAt(0, 0, 0, 4), cubeAt(0, -2, 0, 1), [3]float32{0, -2, 0}, minus(y), 3},
		{"boxes: apart", cubeAt(0, 0, 0, 1), cubeAt(3, 6, 0, 1), [3]float32{1.5, 3, 0}, y, -4},
		{"boxes: equal points", cubeAt(3, 2, 1, 0), cubeAt(3, 2, 1, 0), [3]float32{3, 2, 1}, x, 0},
		{"boxes: a point in a box", cubeAt(0, 0, 0, 1), cubeAt(0, 0.75, 0, 0), [3]float32{0, 0.75, 0}, y, 0.25},
		{"balls", ballAt(0, 0, 0, 2), ballAt(0, 3, 0, 2), [3]float32{0, 1.5, 0}, y, 1},
		{"balls: the other way", ballAt(0, 3, 0, 2), ballAt(0, 0, 0, 2), [3]float32{0, 1.5, 0}, minus(y), 1},
		{"balls: touching", ballAt(0, 0, 0, 1), ballAt(3, 0, 0, 2), x, x, 0},
		{"balls: apart", ballAt(0, 0, 0, 1), ballAt(5, 0, 0, 2), [3]float32{2, 0, 0}, x, -2},
		{"balls: same centre", ballAt(1, 2, 3, 1), ballAt(1, 2, 3, 4), [3]float32{-0.5, 2, 3}, x, 5},
		{"balls: contained", ballAt(0, 0, 0, 4), ballAt(0, 1, 0, 1), [3]float32{0, 2, 0}, y, 4},
		{"balls: equal points", ballAt(1, 2, 3, 0), ballAt(1, 2, 3, 0), [3]float32{1, 2, 3}, x, 0},
		{"ball on a box", ballAt(0, 2, 0, 2), cubeAt(0, -1, 0, 2), [3]float32{0, 0.5, 0}, minus(y), 1},
		{"box under a ball", cubeAt(0, -1, 0, 2), ballAt(0, 2, 0, 2), [3]float32{0, 0.5, 0}, y, 1},
		{"ball touches a box", ballAt(0, 3, 0, 2), cubeAt(0, 0, 0, 1), [3]float32{0, 1, 0}, minus(y), 0},
		{"ball apart from a corner", ballAt(0, 0, 0, 1), solid([3]float32{3, 4, 0}, [3]float32{5, 5, 5}, -1),
			[3]float32{1.8, 2.4, 0}, [3]float32{0.6, 0.8, 0}, -4},
		{"centre on a face", ballAt(0, 1, 0, 1), cubeAt(0, 0, 0, 1), [3]float32{0, 0.5, 0}, minus(y), 1},
		{"centre in the box", ballAt(0, 0.5, 0, 1), cubeAt(0, 0, 0, 1), [3]float32{0, 0.25, 0}, minus(y), 1.5},
		{"ball in a box", ballAt(0, 0, 0, 1), cubeAt(0, 0, 0, 4), [3]float32{-1.5, 0, 0}, x, 5},
		{"box around a ball", cubeAt(0, 0, 0, 4), ballAt(0, 0, 0, 1), [3]float32{-1.5, 0, 0}, minus(x), 5},
		{"ball without extent on a face", ballAt(0, 1, 0, 0), cubeAt(0, 0, 0, 1), [3]float32{0, 1, 0}, minus(y), 0},
		{"the largest balls", ballAt(0, 0, 0, math.MaxFloat32), ballAt(0, 0, 0, math.MaxFloat32), [3]float32{}, x, math.MaxFloat32},
		{"denormals", ballAt(0, 0, 0, 0x1p-149), ballAt(0, 0x1p-149, 0, 0x1p-149), [3]float32{}, y, 0x1p-149},
	} {
		v := plantSolids(t, []testkit.Solid{c.a, c.b}).View()
		first := collide.Contact{A: 7}
		got := collide.AppendContacts([]collide.Contact{first}, collide.Within(v), []collide.Pair{{A: 0, B: 1}})
		want := collide.Contact{A: 0, B: 1, Pos: c.pos, Normal: c.norm, Depth: c.depth}
		if len(got) != 2 || got[0] != first || got[1] != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// randomSolids are boxes and balls, half of them inside others.
func randomSolids(rng *rand.Rand, n int) []testkit.Solid {
	solids := make([]testkit.Solid, n)
	for i := range solids {
		half := float32(rng.Float32()*2) * float32(rng.IntN(3))
		s := cubeAt
		if rng.IntN(2) == 0 {
			s = ballAt
		}
		solids[i] = s(float32(rng.Float32()*8), float32(rng.Float32()*8), float32(rng.Float32()*8), half)
	}
	return solids
}

// By definition the depth is the shortest separation in any direction: the normal's is as long, and no
// other of many is shorter. Boxes consider the axes only.
func TestContactDefinition(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const tolerance = 2e-6
	solids := randomSolids(rng, 300)
	v := plantSolids(t, solids).View()
	var pairs []collide.Pair
	for range 4000 {
		pairs = append(pairs, collide.Pair{A: rng.Uint32N(300), B: rng.Uint32N(300)})
	}
	seen := map[string]int{}
	for i, c := range collide.AppendContacts(nil, collide.Within(v), pairs) {
		a, b := &solids[pairs[i].A], &solids[pairs[i].B]
		if c.A != pairs[i].A || c.B != pairs[i].B {
			t.Fatalf("contact %d is of %d and %d, not of %v", i, c.A, c.B, pairs[i])
		}
		n := testkit.Wide(c.Normal)
		boxes := a.Ball == nil && b.Ball == nil
		if d := testkit.Overlap(a, b, n); math.Abs(d-float64(c.Depth)) > tolerance {
			t.Errorf("%+v: depth along the normal %v", c, d)
		}
		if length := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]); math.Abs(length-1) > 1e-6 {
			t.Errorf("%+v: the normal's length is %v", c, length)
		}
		for k := range 60 {
			u := [3]float64{}
			switch {
			case k < 6:
				u[k/2] = float64(1 - k%2*2)
			case boxes && c.Depth < 0:
				continue // their distance differs from the depth
			default:
				size := math.Ldexp(1, -k/3) // ever closer to the normal
				for x := range u {
					u[x] = n[x] + size*rng.NormFloat64()
				}
				l := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
				u = [3]float64{u[0] / l, u[1] / l, u[2] / l}
			}
			if d := testkit.Overlap(a, b, u); d < float64(c.Depth)-tolerance {
				t.Fatalf("%+v of %+v and %+v: only %v along %v", c, a, b, d, u)
			}
		}
		// Pos lies halfway between the two, along the normal.
		back := [3]float64{-n[0], -n[1], -n[2]}
		none := &testkit.Solid{Box: soa.AABB{Min: c.Pos, Max: c.Pos}}
		if in, out := testkit.Overlap(a, none, n), testkit.Overlap(b, none, back); math.Abs(in-out) > 4*tolerance && !(boxes && c.Depth > 0) {
			t.Errorf("%+v: %v inside one, %v inside the other", c, in, out)
		}
		if boxes && c.Depth >= 0 && !(a.Box.Overlaps(none.Box) && b.Box.Overlaps(none.Box)) {
			t.Errorf("%+v: the position is not in both boxes", c)
		}
		seen[fmt.Sprint(a.Ball != nil, b.Ball != nil, c.Depth > 0)]++
	}
	if len(seen) != 8 {
		t.Errorf("not every kind of pair was there: %v", seen)
	}
}

// The bits are the same on every CPU and tier, and between two trees.
func TestContactBits(t *testing.T) {
	rng := testkit.Rand(1)
	solids := randomSolids(rng, 200)
	few, rest := plantSolids(t, solids[:80]), plantSolids(t, solids[80:])
	all := plantSolids(t, solids)
	pairs := collide.Append(nil, collide.Within(all.View()), collide.Filter{})
	if len(pairs) < 500 {
		t.Fatalf("%d pairs are too few", len(pairs))
	}
	slices.SortFunc(pairs, func(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	contacts := collide.AppendContacts(nil, collide.Within(all.View()), pairs)
	h := fnv.New64a()
	for _, c := range contacts {
		for _, x := range append(append(c.Pos[:], c.Normal[:]...), c.Depth) {
			bits := binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
			h.Write(bits)
		}
	}
	if got, want := h.Sum64(), uint64(0xdf3aaa3c13dc69c0); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
	for i, c := range contacts {
		if c.A >= 80 || c.B < 80 {
			continue
		}
		got := collide.AppendContacts(nil, collide.Between(few.View(), rest.View()), []collide.Pair{{A: c.A, B: c.B - 80}})
		want := c
		want.B -= 80
		if got[0] != want {
			t.Errorf("contact %d: %+v between two trees, %+v in one", i, got[0], want)
		}
	}
}

// A pair with a missing object causes a panic that names the object.
func TestContactsUnknown(t *testing.T) {
	solids := []testkit.Solid{cubeAt(0, 0, 0, 1), cubeAt(1, 0, 0, 1), cubeAt(2, 0, 0, 1)}
	tree := plantSolids(t, solids)
	testkit.Must(t, tree.Remove(1))
	for _, bad := range []collide.Pair{{A: 0, B: 1}, {A: 1, B: 0}, {A: 2, B: 3}, {A: soa.None, B: 0}} {
		func() {
			defer func() {
				want := fmt.Sprintf("pair 1 names the objects %d and %d", bad.A, bad.B)
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("%v: %q", bad, text)
				}
			}()
			collide.AppendContacts(nil, collide.Within(tree.View()), []collide.Pair{{A: 0, B: 2}, bad})
		}()
	}
}

// In steady state contacts allocate nothing.
func TestContactsAllocateNothing(t *testing.T) {
	v := plantSolids(t, randomSolids(testkit.Rand(1), 500)).View()
	pairs := collide.Append(nil, collide.Within(v), collide.Filter{})
	contacts := collide.AppendContacts(nil, collide.Within(v), pairs)
	testkit.Allocs(t, 3, func() { contacts = collide.AppendContacts(contacts[:0], collide.Within(v), pairs) })
}

// A published view, which has no index of its objects, gives the same contacts, also after later changes of
// the tree.
func TestContactsPublished(t *testing.T) {
	solids := randomSolids(testkit.Rand(testkit.Seed(t)), 300)
	shared := linear.NewPublisher(plantSolids(t, solids))
	v := shared.Tree().View()
	pairs := collide.Append(nil, collide.Within(v), collide.Filter{})
	want := collide.AppendContacts(nil, collide.Within(v), pairs)
	held := shared.Acquire()
	defer held.Release()
	for id := range uint32(100) {
		testkit.Must(t, shared.Tree().Remove(id))
	}
	shared.Publish()
	got := collide.AppendContacts(nil, collide.Within(held.View()), pairs)
	if !slices.Equal(got, want) || len(got) < 100 {
		t.Errorf("%d contacts, want the same %d", len(got), len(want))
	}
	testkit.Allocs(t, 3, func() { got = collide.AppendContacts(got[:0], collide.Within(held.View()), pairs) })
}

// moving is a scene in which objects move during a step.
type moving struct {
	objects []soa.Object // in their swept boxes
	steps   soa.Column[collide.Step]
	paths   [][2]soa.AABB
}

// scatter moves three of four objects: by a vector, from anywhere, or growing.
func scatter(rng *rand.Rand, objects []soa.Object, speed float64) *moving {
	m := &moving{objects: slices.Clone(objects), paths: make([][2]soa.AABB, len(objects))}
	for i := range m.objects {
		b := objects[i].Box
		s := collide.Step{From: b, To: b}
		switch rng.IntN(4) {
		case 0:
			m.paths[i] = [2]soa.AABB{b, b}
			continue // no step is set
		case 1:
			var by [3]float32
			for a := range 3 {
				by[a] = float32(math.Round(rng.NormFloat64()*speed*4) / 4)
			}
			s = collide.Displace(b, by)
			if s.To.Check() != nil {
				s.To = b
			}
		case 2:
			s.From = objects[rng.IntN(len(objects))].Box
		default:
			s.To = s.To.Union(objects[rng.IntN(len(objects))].Box)
		}
		m.steps.Set(uint32(i), s)
		m.paths[i] = [2]soa.AABB{s.From, s.To}
		m.objects[i].Box = s.Swept()
	}
	return m
}

// reference returns the impacts found by a double loop, as the reference.
func (m *moving) reference(flt collide.Filter) (want []collide.Impact) {
	for i := range m.paths {
		for j := range m.paths[:i] {
			if t, ok := testkit.ReferenceImpact(m.paths[i], m.paths[j]); ok && passes(flt, &m.objects[i], &m.objects[j]) {
				want = append(want, collide.Impact{A: uint32(j), B: uint32(i), Time: t})
			}
		}
	}
	collide.SortImpacts(want)
	return want
}

// No touching pair in exact arithmetic is lost, its time is the float32 next to the exact one, and a pair
// reported without touching misses by less than the bound. Grids touch often, wide numbers round.
func TestImpactsDefinition(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	kept, met := 0, 0
	for _, kind := range testkit.BoxKinds() {
		boxes := testkit.RandomBoxes(rng, 80, kind)
		m := &moving{objects: make([]soa.Object, len(boxes)/2), paths: make([][2]soa.AABB, len(boxes)/2)}
		for i := range m.objects {
			s := collide.Step{From: boxes[2*i], To: boxes[2*i+1]}
			m.steps.Set(uint32(i), s)
			m.paths[i] = [2]soa.AABB{s.From, s.To}
			m.objects[i].Box = s.Swept()
		}
		times := map[collide.Pair]float32{}
		for _, p := range collide.AppendImpacts(nil, collide.Within(trees.Plant(t, m.objects, false).View()), &m.steps, nil, collide.Filter{}) {
			times[collide.Pair{A: p.A, B: p.B}] = p.Time
		}
		for j := range m.paths {
			for i := range j {
				got, ok := times[collide.Pair{A: uint32(i), B: uint32(j)}]
				want := testkit.DefinitionImpact(m.paths[i], m.paths[j], 0)
				switch {
				case want != nil && !ok:
					t.Fatalf("%s: %v and %v touch at %v and were lost", kind, m.paths[i], m.paths[j], want)
				case want != nil:
					exact, _ := want.Float64()
					if math.Abs(float64(got)-exact) > max(exact*0x1p-24, 0x1p-150)*(1+0x1p-20) {
						t.Fatalf("%s: %v and %v touch at %v, not at %v", kind, m.paths[i], m.paths[j], exact, got)
					}
					met++
				case ok && testkit.DefinitionImpact(m.paths[i], m.paths[j], 0x1p-48) == nil:
					t.Fatalf("%s: %v and %v never touch and were kept", kind, m.paths[i], m.paths[j])
				}
				if ok {
					kept++
				}
			}
		}
	}
	if met < 500 {
		t.Errorf("only %d of %d impacts: little was tested", met, kept)
	}
}

// Cases decided by the closed intervals.
func TestImpactCases(t *testing.T) {
	unit := soa.AABB{Max: [3]float32{1, 1, 1}}
	at := func(x, y, z float32) soa.AABB { return collide.Displace(unit, [3]float32{x, y, z}).To }
	none := float32(-1)
	for _, c := range []struct {
		name           string
		a0, a1, b0, b1 soa.AABB
		want           float32
	}{
		{"at rest, overlapping", unit, unit, at(0.5, 0, 0), at(0.5, 0, 0), 0},
		{"at rest, touching", unit, unit, at(1, 0, 0), at(1, 0, 0), 0},
		{"head on", unit, at(4, 0, 0), at(6, 0, 0), at(2, 0, 0), 0.625},
		{"one moves", unit, at(8, 0, 0), at(3, 0, 0), at(3, 0, 0), 0.25},
		{"touching at the end", unit, at(2, 0, 0), at(3, 0, 0), at(3, 0, 0), 1},
		{"just short of it", unit, at(1.9999998, 0, 0), at(3, 0, 0), at(3, 0, 0), none},
		{"parting from a touch", unit, at(-2, 0, 0), at(1, 0, 0), at(3, 0, 0), 0},
		{"side by side", unit, at(4, 0, 0), at(0, 1, 0), at(4, 1, 0), 0},
		{"through a corner", at(0, 4, 0), at(4, 0, 0), at(0, 0, 0), at(0, 0, 0), none},
		{"touching a corner", at(0, 2, 0), at(2, 0, 0), at(0, 0, 0), at(0, 0, 0), 0.5},
		{"crossing at other times", unit, at(10, 0, 0), at(5, 9, 0), at(5, -9, 0), 0.44444445},
		{"crossing too late", unit, at(10, 0, 0), at(5, 90, 0), at(5, -9, 0), none},
		{"growing into", unit, soa.AABB{Max: [3]float32{3, 1, 1}}, at(2, 0, 0), at(2, 0, 0), 0.5},
		{"a bullet through a wall", at(-1000, 0, 0), at(1000, 0, 0), unit, unit, 0.4995},
	} {
		var steps soa.Column[collide.Step]
		steps.SetBatch([]uint32{0, 1}, []collide.Step{{From: c.a0, To: c.a1}, {From: c.b0, To: c.b1}})
		objects := []soa.Object{{Box: steps.At(0).Swept()}, {Box: steps.At(1).Swept()}}
		got := collide.AppendImpacts(nil, collide.Within(trees.Plant(t, objects, false).View()), &steps, nil, collide.Filter{})
		switch {
		case c.want < 0 && len(got) != 0, c.want >= 0 && (len(got) != 1 || got[0] != collide.Impact{A: 0, B: 1, Time: c.want}):
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Between trees: each impact of the double loop, with steps on one side or both.
func TestImpactsBetween(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	a := scatter(rng, testkit.SceneByName(t, "uniform").Make(300, 1), 3)
	rest := testkit.SceneByName(t, "uniform").Make(400, 2)
	b := &moving{objects: rest, paths: make([][2]soa.AABB, len(rest))}
	for i, o := range rest {
		b.paths[i] = [2]soa.AABB{o.Box, o.Box}
	}
	for _, b := range []*moving{b, scatter(rng, rest, 3)} {
		var want []collide.Impact
		for i, p := range a.paths {
			for j, q := range b.paths {
				if time, ok := testkit.ReferenceImpact(p, q); ok {
					want = append(want, collide.Impact{A: uint32(i), B: uint32(j), Time: time})
				}
			}
		}
		collide.SortImpacts(want)
		steps := &b.steps
		if steps.Len() == 0 {
			steps = nil
		}
		x, y := trees.Plant(t, a.objects, false).View(), trees.Plant(t, b.objects, true).View()
		got := collide.AppendImpacts(nil, collide.Between(x, y), &a.steps, steps, collide.Filter{StaticPairs: true})
		collide.SortImpacts(got)
		if !slices.Equal(got, want) || len(want) < 100 {
			t.Errorf("%d impacts, want %d", len(got), len(want))
		}
		got = collide.AppendImpacts(nil, collide.Between(y, x), steps, &a.steps, collide.Filter{StaticPairs: true})
		for i, h := range got {
			got[i].A, got[i].B = h.B, h.A
		}
		collide.SortImpacts(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d impacts the other way, want %d", len(got), len(want))
		}
	}
}

// Sorted by time, ties by A, then B, for any previous order and number: also with times and IDs that no step has.
func TestSortImpacts(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	odd := float32(math.Copysign(0, -1))
	for _, n := range []int{0, 1, 2, 63, 64, 65, 66, 300, 3000} {
		for kind := range 4 {
			impacts := make([]collide.Impact, n)
			for i := range impacts {
				impacts[i] = collide.Impact{A: rng.Uint32N(uint32(1 + n/20)), B: rng.Uint32N(50), Time: float32(rng.IntN(4)) / 4}
				switch x := &impacts[i]; {
				case kind == 1 && i%3 == 0:
					x.Time = odd
				case kind == 2 && i%50 == 7:
					x.Time = -rng.Float32()
				case kind == 3:
					x.A += rng.Uint32N(2) << 31
					x.Time = math.Float32frombits(math.Float32bits(0.5) + rng.Uint32N(2))
				}
			}
			want := slices.Clone(impacts)
			slices.SortStableFunc(want, func(x, y collide.Impact) int {
				return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
			})
			if collide.SortImpacts(impacts); !slices.Equal(impacts, want) {
				t.Fatalf("%d impacts of kind %d: %v, want %v", n, kind, impacts, want)
			}
		}
	}
}

// In steady state impacts allocate nothing, sorted or not.
func TestImpactsAllocateNothing(t *testing.T) {
	m := scatter(testkit.Rand(1), testkit.SceneByName(t, "uniform").Make(1000, 1), 1)
	v := trees.Plant(t, m.objects, false).View()
	dst := collide.AppendImpacts(nil, collide.Within(v), &m.steps, nil, collide.Filter{})
	testkit.Allocs(t, 3, func() {
		dst = collide.AppendImpacts(dst[:0], collide.Within(v), &m.steps, nil, collide.Filter{})
		collide.SortImpacts(dst)
	})
}
