package collide_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

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

// Sorted by time, ties by A, then B, for any previous order.
func TestSortImpacts(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	impacts := make([]collide.Impact, 300)
	for i := range impacts {
		impacts[i] = collide.Impact{A: rng.Uint32N(5), B: rng.Uint32N(5), Time: float32(rng.IntN(4)) / 4}
	}
	collide.SortImpacts(impacts)
	for i := range impacts[1:] {
		p, q := impacts[i], impacts[i+1]
		if p.Time > q.Time || p.Time == q.Time && (p.A > q.A || p.A == q.A && p.B > q.B) {
			t.Fatalf("%v before %v", p, q)
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
