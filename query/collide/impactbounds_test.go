package collide_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// flight is an object with bounds that moves during a step.
type flight struct {
	bounded
	step collide.Step
}

// judge checks a reported time of impact, or that there is none.
func (f *flight) judge(o *flight, time float32, hit bool, steps int) (wrong string, sure bool) {
	a, b := f.flight(), o.flight()
	return testkit.JudgeImpact(&a, &b, time, hit, steps)
}

func (f *flight) flight() testkit.Flight {
	var ball *[4]float32
	var oriented *soa.OrientedBox
	if f.round {
		ball = &f.ball
	}
	if f.tilted {
		oriented = &f.oriented
	}
	return testkit.NewFlight([2]soa.AABB{f.step.From, f.step.To}, ball, oriented)
}

// whole contains every bound of a test.
var whole = soa.AABB{Min: [3]float32{-3e38, -3e38, -3e38}, Max: [3]float32{3e38, 3e38, 3e38}}

// launch makes a tree of objects that are all candidates, with their bounds and steps.
func launch(t testing.TB, flights []flight) (*linear.Tree, *linear.Column[collide.Step]) {
	t.Helper()
	tree, steps := newWatchTree(t), new(linear.Column[collide.Step])
	for i := range flights {
		id, err := tree.Insert(soa.Object{Box: whole, Mask: 1})
		testkit.Must(t, err)
		flights[i].give(t, tree, id)
		steps.Set(id, flights[i].step)
	}
	return tree, steps
}

// volley returns random objects in motion: of all shapes, some flat, without extent or at rest, at any scale
// and any distance from the origin. On a grid many touch.
func volley(r *rand.Rand, n int) []flight {
	scale := math.Ldexp(1, r.IntN(180)-90)
	switch r.IntN(8) {
	case 0:
		scale = 0x1p-140 // denormal
	case 1:
		scale = 0x1p112
	}
	grid, far := r.IntN(3) == 0, [3]float64{}
	if r.IntN(3) == 0 {
		for a := range far {
			far[a] = math.Round(r.NormFloat64() * 1000)
		}
	}
	fast := []float64{0, 1, 4, 1000}[r.IntN(4)]
	room := []float64{1, 3, 8}[r.IntN(3)]
	number := func(x float64) float64 {
		if grid {
			return math.Round(x)
		}
		return x
	}
	flights := make([]flight, n)
	for i := range flights {
		var s collide.Step
		grow := r.IntN(4) == 0
		for a := range 3 {
			size := number(r.Float64()*2) * float64(min(r.IntN(8), 1))
			at := number(r.Float64()*room) + far[a]
			by := number(r.NormFloat64()*fast) * float64(min(r.IntN(4), 1))
			s.From.Min[a], s.From.Max[a] = float32((at-size)*scale), float32((at+size)*scale)
			s.To.Min[a], s.To.Max[a] = float32((at-size+by)*scale), float32((at+size+by)*scale)
			if grow {
				s.To.Max[a] += float32(number(r.Float64()*3) * scale)
			}
		}
		if r.IntN(2) == 0 { // a box that grows becomes one that shrinks
			s.From, s.To = s.To, s.From
		}
		if s == (collide.Step{}) { // would stand for the box in the tree
			s.To.Max[0] = float32(scale)
		}
		flights[i].bounded = boundedOf(r, r.IntN(4), s.From)
		flights[i].step = s
	}
	return flights
}

// Of random pairs of all shapes no impact is missing, and no time is wrong by more than the documented bound,
// as compared with fine steps.
func TestImpactsOfBounds(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	pairs, hits, sures := 0, 0, map[string]int{}
	for pairs < testkit.Count(t, 8_000, 1_000_000) {
		a := volley(r, 40)
		b := a[20:]
		a = a[:20]
		x, stepsA := launch(t, a)
		y, stepsB := launch(t, b)
		times := map[collide.Pair]float32{}
		for _, h := range collide.AppendImpacts(nil, collide.Between(x.View(), y.View()), stepsA, stepsB, collide.Filter{Exact: true}) {
			times[collide.Pair{A: h.A, B: h.B}] = h.Time
		}
		for i := range a {
			for k := range b {
				time, hit := times[collide.Pair{A: uint32(i), B: uint32(k)}]
				wrong, sure := a[i].judge(&b[k], time, hit, 16)
				if wrong != "" {
					t.Fatalf("%s: time %v, %v\n%+v\n%+v", wrong, time, hit, a[i], b[k])
				}
				pairs++
				if sure {
					sures[a[i].kind()+b[k].kind()]++
				}
				if hit {
					hits++
				}
			}
		}
	}
	t.Logf("%d pairs, %d hits, certain by kinds of bounds: %v", pairs, hits, sures)
	if len(sures) != 16 || hits < pairs/10 || hits > pairs*9/10 {
		t.Errorf("%d of %d pairs touch; of %d kinds: little was tested", hits, pairs, len(sures))
	}
}

// kind names the bounds of an object.
func (f *flight) kind() string {
	return map[[2]bool]string{{false, false}: "-", {true, false}: "o", {false, true}: "t", {true, true}: "b"}[[2]bool{f.round, f.tilted}]
}

// With Exact the pairs are those of the swept boxes whose bounds touch, within a tree and between two, where
// most objects move and where few do, and on all tiers.
func TestImpactsOfBoundsInScenes(t *testing.T) {
	for _, few := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		n := testkit.Budget(t, 1100, 2000)
		objects := testkit.SceneByName(t, "uniform").Make(n, 1)
		m := scatter(r, objects, 2)
		flights := make([]flight, n)
		for i := range flights {
			box := objects[i].Box
			if m.paths[i][0] != box { // scatter starts elsewhere
				box = m.paths[i][0]
			}
			flights[i].bounded = boundedOf(r, i, box)
			s := collide.Step{From: m.paths[i][0], To: m.paths[i][1]}
			if flights[i].step = s; i%4 > 0 { // bounds keep their size
				f := flights[i].flight()
				m := f.Move()
				s = collide.Displace(s.From, [3]float32{float32(m[0]), float32(m[1]), float32(m[2])})
				flights[i].step = s
			}
			m.steps.Set(uint32(i), s)
			m.objects[i].Box = s.Swept()
			m.objects[i].Static = few && i%64 != 0
		}
		tree := trees.Plant(t, m.objects, true)
		other := trees.Plant(t, m.objects[:n/3], false)
		for i := range flights {
			flights[i].give(t, tree, uint32(i))
			if i < n/3 {
				flights[i].give(t, other, uint32(i))
			}
		}
		for kind, of := range map[string]collide.Views{"within": collide.Within(tree.View()), "between": collide.Between(tree.View(), other.View())} {
			candidates := collide.Append(nil, of, collide.Filter{})
			var first []collide.Impact
			testkit.EachTier(t, func(t *testing.T) {
				got := collide.AppendImpacts(nil, of, &m.steps, &m.steps, collide.Filter{Exact: true})
				if first == nil {
					first = got
					at := 0
					for i, p := range candidates {
						time, hit := float32(0), at < len(got) && got[at].A == p.A && got[at].B == p.B
						if hit {
							time = got[at].Time
							at++
						}
						if i%testkit.Budget(t, 32, 8) != 0 {
							continue
						}
						if wrong, _ := flights[p.A].judge(&flights[p.B], time, hit, 8); wrong != "" {
							t.Fatalf("%s, %v: %s: time %v, %v", kind, p, wrong, time, hit)
						}
					}
					if at != len(got) || at == 0 || at == len(candidates) {
						t.Errorf("%s: %d of %d impacts are candidates, of which there are %d", kind, at, len(got), len(candidates))
					}
				}
				if len(got) != len(first) {
					t.Fatalf("%s: %d impacts, on another tier %d", kind, len(got), len(first))
				}
				for i := range got {
					if got[i] != first[i] {
						t.Fatalf("%s: %v, on another tier %v", kind, got[i], first[i])
					}
				}
			})
			testkit.Allocs(t, 3, func() {
				first = collide.AppendImpacts(first[:0], of, &m.steps, &m.steps, collide.Filter{Exact: true})
			})
		}
	}
}

// Cases decided by closed shapes, with numbers that are exact.
func TestImpactOfBoundsCases(t *testing.T) {
	ball := func(x, y, z, r float32, by ...float32) flight {
		f := flight{bounded: bounded{round: true, ball: [4]float32{x, y, z, r}}}
		f.step = stepAbout(x, y, z, r, by)
		return f
	}
	turned := func(x, y, z float32, axes [3][3]float32, by ...float32) flight {
		f := flight{bounded: bounded{tilted: true, oriented: soa.OrientedBox{Center: [3]float32{x, y, z}, Axes: axes}}}
		f.step = stepAbout(x, y, z, 1, by)
		return f
	}
	box := func(x, y, z, r float32, by ...float32) (f flight) {
		f.step = stepAbout(x, y, z, r, by)
		return f
	}
	unit := [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	diamond := [3][3]float32{{1, 1, 0}, {1, -1, 0}, {0, 0, 1}} // corners at ±2 on x and y
	flat := [3][3]float32{{1, 1, 0}, {1, -1, 0}}
	rod := [3][3]float32{{2, 2, 0}}
	const none = -1
	for _, c := range []struct {
		name string
		a, b flight
		want float32
	}{
		{"balls pass although their boxes touch", ball(0, 0, 0, 1, 20), ball(10, 1.8, 1.8, 1), none},
		{"balls head on", ball(0, 0, 0, 1, 16), ball(10, 0, 0, 1), 0.5},
		{"balls that both move", ball(0, 0, 0, 1, 8), ball(10, 0, 0, 1, -8), 0.5},
		{"balls off centre", ball(0, 0, 0, 2, 10), ball(10, 3, 0, 3), 0.6},
		{"balls that touch at the start and part", ball(0, 0, 0, 1, -5), ball(2, 0, 0, 1), 0},
		{"balls that touch all the time", ball(0, 0, 0, 1, 0, 5), ball(2, 0, 0, 1, 0, 5), 0},
		{"a ball in a ball", ball(0, 0, 0, 9, 1), ball(2, 0, 0, 1), 0},
		{"balls that touch at the end", ball(0, 0, 0, 1, 8), ball(10, 0, 0, 1), 1},
		{"balls just short of it", ball(0, 0, 0, 1, 7.9999995), ball(10, 0, 0, 1), none},
		{"points that meet", ball(0, 0, 0, 0, 4, 4, 4), ball(2, 2, 2, 0), 0.5},
		{"points that pass", ball(0, 0, 0, 0, 4, 4, 4), ball(2, 2, 2.001, 0), none},
		{"balls at rest, apart", ball(0, 0, 0, 1), ball(3, 0, 0, 1), none},
		{"balls at rest, touching", ball(0, 0, 0, 1), ball(2, 0, 0, 1), 0},
		{"balls with one motion", ball(0, 0, 0, 1, 1e6), ball(3, 0, 0, 1, 1e6), none},
		{"tiny balls", ball(0, 0, 0, 1e-44, 1e-43), ball(7e-44, 0, 0, 0), 0.6056338},
		{"huge balls", ball(0, 0, 0, 1e37, 1.6e38), ball(1e38, 0, 0, 1e37), 0.5},
		{"a ball and a face", ball(0, 0, 0, 1, 16), box(10, 0, 0, 1), 0.5},
		{"a ball and an edge", ball(0, 0, 0, 5, 10), box(11, 5, 0, 1), 0.7},
		{"a ball and a corner", ball(0, 0, 0, 1.5, 20), box(10, 1.8, 1.8, 1), 0.40075571},
		{"a ball passes a corner", ball(0, 0, 0, 1, 20), box(10, 1.8, 1.8, 1), none},
		{"a ball in a box", ball(0, 0, 0, 1, 16), box(0, 0, 0, 5), 0},
		{"a box reaches a ball", ball(10, 0, 0, 1), box(0, 0, 0, 1, 16), 0.5},
		{"a ball and a corner of a turned box", ball(0, 0, 0, 1, 10), turned(10, 0, 0, diamond), 0.7},
		{"a ball passes a turned box", ball(0, 1.9, 0, 0.25, 20), turned(10, 0, 0, diamond), 0.47732233},
		{"a ball passes the corner of its box", ball(0, 2, 1.9, 0.25, 20), turned(10, -0.5, 0, diamond), none},
		{"turned boxes, corner to corner", turned(0, 0, 0, diamond, 12), turned(10, 0, 0, diamond), 0.5},
		{"turned boxes, face to face", turned(0, 0, 0, diamond, 16, 16), turned(8, 8, 0, diamond), 0.375},
		{"turned boxes pass although their boxes touch", turned(0, 0, 0, diamond, 6), turned(7, 3.5, 0, diamond), none},
		{"turned boxes that slide along each other", turned(0, 0, 0, diamond, 5, -5), turned(2, 2, 0, diamond), 0},
		{"a turned box in one that moves", turned(0, 0, 0, unit, 5, 5), turned(0, 0, 0, diamond), 0},
		{"a turned box and a box", turned(0, 0, 0, diamond, 14), box(10, 0, 0, 1), 0.5},
		{"flat boxes", turned(0, 0, 0, flat, 0, 0, 8), turned(0, 0, 4, flat), 0.5},
		{"flat boxes side by side", turned(0, 0, 0, flat, 12), turned(10, 0, 0, flat), 0.5},
		{"rods that cross", turned(0, 0, 0, rod, 0, 0, 8), turned(0, 1, 2, [3][3]float32{{2, -2, 0}}), 0.25},
		{"rods that pass", turned(0, 0, 0, rod, 0, 0, 8), turned(5, 0, 2, [3][3]float32{{2, -2, 0}}), none},
		{"a rod meets a point", turned(0, 0, 0, rod, 4, -4), turned(1, -1, 0, [3][3]float32{}), 0.25},
	} {
		for _, swap := range []bool{false, true} {
			one, two := []flight{c.a}, []flight{c.b}
			if swap {
				one, two = two, one
			}
			x, stepsX := launch(t, one)
			y, stepsY := launch(t, two)
			got := collide.AppendImpacts(nil, collide.Between(x.View(), y.View()), stepsX, stepsY, collide.Filter{Exact: true})
			switch {
			case c.want < 0 && len(got) != 0, c.want >= 0 && (len(got) != 1 || math.Abs(float64(got[0].Time-c.want)) > 1e-7):
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
			time, hit := float32(0), len(got) > 0
			if hit {
				time = got[0].Time
			}
			if wrong, _ := c.a.judge(&c.b, time, hit, 1000); wrong != "" {
				t.Errorf("%s: %v: %s", c.name, got, wrong)
			}
		}
	}
}

// Boxes that touch at 0 touch there whatever the signs of their zeros are, also beside an object with a bound.
func TestImpactsAtZero(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	ball := flight{bounded: bounded{round: true, ball: [4]float32{50, 0, 0, 1}}}
	ball.step = stepAbout(50, 0, 0, 1, nil)
	for axis := range 3 {
		for _, signs := range [][2]float32{{0, 0}, {0, minus}, {minus, 0}, {minus, minus}} {
			var low, high flight
			low.step, high.step = stepAbout(0, 0, 0, 1, nil), stepAbout(0, 0, 0, 1, nil)
			low.step.From.Max[axis], low.step.To.Max[axis] = signs[0], signs[0]
			high.step.From.Min[axis], high.step.To.Min[axis] = signs[1], signs[1]
			x, stepsX := launch(t, []flight{low, ball})
			y, stepsY := launch(t, []flight{high})
			got := collide.AppendImpacts(nil, collide.Between(x.View(), y.View()), stepsX, stepsY, collide.Filter{Exact: true})
			if len(got) != 1 || got[0] != (collide.Impact{}) {
				t.Errorf("boxes that touch at %v and %v of axis %d: %v", signs[0], signs[1], axis, got)
			}
		}
	}
}

// A ball that grazes another one, or the corner of a box, in exact arithmetic touches it: with integers the
// centre passes a point p, whose distance is the radius, at right angles to p.
func TestImpactsThatGraze(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	sides := [][4]float32{{3, 4, 0, 5}, {5, 12, 0, 13}, {8, 0, 15, 17}, {1, 2, 2, 3}, {2, 3, 6, 7}, {4, 4, 7, 9}, {0, 20, 21, 29}, {6, 10, 15, 19}}
	for range testkit.Budget(t, 300, 10_000) {
		side := sides[r.IntN(len(sides))]
		p := [3]float64{float64(side[0]), float64(side[1]), float64(side[2])}
		d := exact.Cross(p, [3]float64{float64(r.IntN(99) - 49), float64(r.IntN(99) - 49), float64(r.IntN(99) - 49)})
		parts, k := 3+r.IntN(40), 0 // it touches after k parts of the motion
		k = r.IntN(parts + 1)
		var at, by [3]float32 // of what it touches, of the ball
		for a := range 3 {
			at[a], by[a] = float32(p[a]+float64(k)*d[a]), float32(float64(parts)*d[a])
		}
		ball := flight{bounded: bounded{round: true, ball: [4]float32{0, 0, 0, side[3]}}, step: stepAbout(0, 0, 0, 0, by[:])}
		point := flight{bounded: bounded{round: true, ball: [4]float32{at[0], at[1], at[2], 0}}, step: stepAbout(at[0], at[1], at[2], 0, nil)}
		box := flight{step: stepAbout(at[0]+1, at[1]+1, at[2]+1, 1, nil)}
		turned := flight{bounded: bounded{tilted: true, oriented: soa.OrientedBox{Center: at}}, step: point.step}
		x, stepsX := launch(t, []flight{ball})
		y, stepsY := launch(t, []flight{point, box, turned})
		got := collide.AppendImpacts(nil, collide.Between(x.View(), y.View()), stepsX, stepsY, collide.Filter{Exact: true})
		if len(got) != 3 {
			t.Fatalf("%v of a ball of radius %v with the motion %v, and %v", got, side[3], by, at)
		}
		for _, h := range got {
			if float64(h.Time) > float64(k)/float64(parts)*(1+0x1p-23) {
				t.Fatalf("%v, want %d/%d", h, k, parts)
			}
		}
	}
}

// stepAbout is the step of the box around a ball that moves.
func stepAbout(x, y, z, r float32, by []float32) collide.Step {
	var move [3]float32
	copy(move[:], by)
	s := collide.Displace(soa.AABB{Min: [3]float32{x - r, y - r, z - r}, Max: [3]float32{x + r, y + r, z + r}}, move)
	return s
}

// Between a view and itself, each side has steps of its own.
func TestImpactsOfBoundsWithTwoSteps(t *testing.T) {
	const n = 30
	r := testkit.Rand(testkit.Seed(t))
	hits := 0
	for range testkit.Budget(t, 8, 200) {
		a := volley(r, n)
		b := slices.Clone(a)
		x, stepsA := launch(t, a)
		stepsB := new(linear.Column[collide.Step])
		for i := range b { // other boxes to the same start
			m := 2 * (r.Float32() - 0.5)
			s := &b[i].step
			for k := range 3 {
				by := m * (s.From.Max[k] - s.From.Min[k])
				s.To.Min[k], s.To.Max[k] = s.From.Min[k]+by, s.From.Max[k]+by
			}
			stepsB.Set(uint32(i), *s)
		}
		times := map[collide.Pair]float32{}
		for _, h := range collide.AppendImpacts(nil, collide.Between(x.View(), x.View()), stepsA, stepsB, collide.Filter{Exact: true}) {
			times[collide.Pair{A: h.A, B: h.B}] = h.Time
		}
		hits += len(times)
		for i := range a {
			for k := range b {
				time, hit := times[collide.Pair{A: uint32(i), B: uint32(k)}]
				if wrong, _ := a[i].judge(&b[k], time, hit, 16); wrong != "" {
					t.Fatalf("%s: time %v, %v\n%+v\n%+v", wrong, time, hit, a[i], b[k])
				}
			}
		}
	}
	if hits == 0 {
		t.Error("no impacts")
	}
}

// An object with two bounds touches when both do, at one time.
func TestImpactOfTwoBounds(t *testing.T) {
	for _, c := range []struct{ ball, y, want float32 }{
		{0, 0, 0.5}, {0, 0.75, 0.5}, {0, 1.5, -1}, {0, 3.5, -1}, // the ball cuts the ends of the pole
		{-0.75, 0, 0.5}, {-1.25, 0, 0.5}, {-1.5, 0, -1}, // the pole has passed when the ball comes
		{1, 0, 0.5}, {1.25, 0, 0.5}, {1.5, 0, -1}, // the ball has passed

	} {
		pole := flight{bounded: bounded{round: true, tilted: true, ball: [4]float32{c.ball, 0, 0, 1}}}
		pole.oriented = soa.OrientedBox{Axes: [3][3]float32{{0.25, 0, 0}, {0, 4, 0}, {0, 0, 0.25}}}
		pole.step = stepAbout(0, 0, 0, 4, []float32{16})
		point := flight{bounded: bounded{round: true, ball: [4]float32{9.25, c.y, 0, 0}}}
		point.step = stepAbout(9.25, c.y, 0, 0, nil)
		x, stepsX := launch(t, []flight{pole})
		y, stepsY := launch(t, []flight{point})
		got := collide.AppendImpacts(nil, collide.Between(x.View(), y.View()), stepsX, stepsY, collide.Filter{Exact: true})
		time, hit := float32(0), len(got) > 0
		if hit {
			time = got[0].Time
		}
		if hit != (c.want >= 0) {
			t.Errorf("ball at %v, point at %v: %v, want %v", c.ball, c.y, got, c.want)
		}
		if wrong, _ := pole.judge(&point, time, hit, 1000); wrong != "" {
			t.Errorf("ball at %v, point at %v: %v: %s", c.ball, c.y, got, wrong)
		}
	}
}
