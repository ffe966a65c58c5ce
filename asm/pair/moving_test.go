package pair_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// shapes are packets with bounds, and steps by ID.
type shapes struct {
	packets soa.PacketColumns
	steps   [][2]soa.AABB
}

// someShapes returns n packets of boxes in that kind of memory, with spheres and oriented boxes in some lanes if these
// columns are in use. Some objects have no step, or one of zeros of any sign.
func someShapes(t *testing.T, r *rand.Rand, at kernel.Place, n int, spheres, oriented bool) (s shapes) {
	minus := float32(math.Copysign(0, -1))
	scale := math.Ldexp(1, r.IntN(200)-120)
	number := func() float32 {
		switch r.IntN(12) {
		case 0:
			return 0
		case 1:
			return minus
		case 2:
			return float32(math.Ldexp(r.Float64(), -149))
		}
		return float32(r.NormFloat64() * scale)
	}
	box := func() (b soa.AABB) {
		for k := range 3 {
			x, y := number(), number()
			b.Min[k], b.Max[k] = min(x, y), max(x, y)
			if x == 0 && y == 0 {
				b.Min[k], b.Max[k] = x, y
			}
		}
		return b
	}
	p := &s.packets
	p.Bounds, p.IDs = kernel.Room[soa.Packet](t, at, n), kernel.Room[[soa.Lanes]uint32](t, at, n)
	// Columns that are not in use may have memory.
	p.Spheres, p.OrientedBoxes = make([]soa.SphereLanes, n)[:0], make([]soa.OrientedLanes, n)[:0]
	if spheres {
		p.Spheres = kernel.Room[soa.SphereLanes](t, at, n)
	}
	if oriented {
		p.OrientedBoxes = kernel.Room[soa.OrientedLanes](t, at, n)
	}
	s.steps = kernel.Room[[2]soa.AABB](t, at, n*soa.Lanes*7/8)
	for i := range s.steps {
		switch s.steps[i] = [2]soa.AABB{box(), box()}; r.IntN(6) {
		case 0:
			s.steps[i] = [2]soa.AABB{}
		case 1:
			s.steps[i] = [2]soa.AABB{{Min: [3]float32{minus, 0, minus}}, {Max: [3]float32{0, minus}}}
		case 2:
			s.steps[i][0] = s.steps[i][1]
		}
	}
	ids := r.Perm(n * soa.Lanes)
	for slot := range n {
		for l := range soa.Lanes {
			p.IDs[slot][l] = uint32(ids[slot*soa.Lanes+l])
			kernel.SetPacketBox(&p.Bounds[slot], l, kernel.ColumnsOf(box()))
			if spheres {
				radius := float32(-1)
				if r.IntN(2) == 0 {
					radius = float32(math.Abs(float64(number())))
				}
				if r.IntN(16) == 0 {
					radius = minus
				}
				p.SetSphere(uint32(slot), l, [4]float32{number(), number(), number(), radius})
			}
			if oriented {
				o := soa.OrientedBox{Center: [3]float32{float32(math.Inf(1))}}
				if r.IntN(2) == 0 {
					o = someOriented(r, number)
				}
				p.SetOriented(uint32(slot), l, &o)
			}
		}
	}
	return s
}

// someOriented returns an oriented box: a quarter turn about an axis and another turn.
func someOriented(r *rand.Rand, number func() float32) (o soa.OrientedBox) {
	if r.IntN(16) == 0 {
		o.Center[0] = math.MaxFloat32 // not infinite
		return o
	}
	sin, cos := math.Sincos(r.Float64() * 6)
	turn := [3][3]float64{{cos, sin, 0}, {-sin, cos, 0}, {0, 0, 1}}
	for i := range 3 {
		o.Center[i] = number()
		length := float64(number())
		for k := range 3 {
			o.Axes[i][(k+1)%3] = float32(turn[i][k] * length)
		}
	}
	return o
}

// moving returns the shape of an object, as documented.
func (s *shapes) moving(at soa.Location) (m pair.Moving) {
	slot, lane := at.Slot(), at.Lane()
	var step [2]soa.AABB
	if id := int(s.packets.IDs[slot][lane]); id < len(s.steps) {
		step = s.steps[id]
	}
	if step == ([2]soa.AABB{}) {
		step[0] = s.packets.Box(slot, lane)
		step[1] = step[0]
	}
	ball, ok := s.packets.Sphere(slot, lane)
	if !ok {
		ball[3] = -1
	}
	if o, ok := s.packets.Oriented(slot, lane); ok {
		m.Set(&step, &ball, &o)
	} else {
		m.Set(&step, &ball, nil)
	}
	return m
}

// The kernel reads the shapes that Set sets, with the same bits on every tier.
func TestReadMoving(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{1, 2, 9, 2 * pair.MovingPerCall / soa.Lanes}, func(t *testing.T, at kernel.Place, n int) {
			r := testkit.Rand(testkit.Seed(t))
			for round := range 8 {
				s := someShapes(t, r, at, n, round&1 != 0, round&2 != 0)
				if round == 0 {
					s.steps = nil
				}
				places := kernel.Room[soa.Location](t, at, n*soa.Lanes-r.IntN(16))
				for i := range places {
					places[i] = soa.Location(r.IntN(n * soa.Lanes))
				}
				places[0] = soa.Location(n*soa.Lanes - 1)
				to, want := kernel.Room[pair.Moving](t, at, len(places)), make([]pair.Moving, len(places))
				for i, at := range places {
					want[i] = s.moving(at)
				}
				pair.ReadMoving(to, places, s.steps, &s.packets)
				if i, same := kernel.SameBits(to, want); !same {
					t.Fatalf("round %d, object %d: %+v, want %+v", round, i, to[i], want[i])
				}
			}
		})
	})
	if testkit.Panic(func() { pair.ReadMoving(nil, make([]soa.Location, 1), nil, nil) }) == nil {
		t.Error("no panic of a short list")
	}
	pair.ReadMoving(nil, nil, nil, &soa.PacketColumns{}) // reads nothing
}

// Pairs that meet are kept in their order, and verdicts are the same on every tier. The bounds of pairs removed are
// apart, the bounds of the others are not.
func TestJudgePairs(t *testing.T) {
	var verdicts [3]int
	kernel.EachPlace(t, kernel.Sizes(pair.MovingPerCall), func(t *testing.T, at kernel.Place, n int) {
		r := testkit.Rand(testkit.Seed(t))
		for _, near := range []bool{false, true} {
			s := someShapes(t, r, at, 8, true, true)
			list := kernel.Room[pair.Moving](t, at, 8*soa.Lanes)
			for i := range list {
				list[i] = s.moving(soa.Location(i))
				if near && i%4 > 0 {
					var step [2]soa.AABB
					for k := range 3 {
						at, by := r.Float32()*3, r.Float32()-0.5
						step[0].Min[k], step[0].Max[k] = at-1, at+1
						step[1].Min[k], step[1].Max[k] = at+by-1, at+by+1
					}
					o := testkit.OrientedIn(r, step[0])
					list[i].Set(&step, &[4]float32{3: -1}, &o)
				}
			}
			x, y := list[:len(list)/2], list[len(list)/4:]
			pairs := make([]pair.MovingPair, n)
			for i := range pairs {
				pairs[i] = pair.MovingPair{X: uint16(r.IntN(len(x))), Y: uint16(r.IntN(len(y))), Verdict: pair.Verdict(r.Uint32())}
			}
			meet := slices.DeleteFunc(slices.Clone(pairs), func(p pair.MovingPair) bool {
				a, b := &x[p.X], &y[p.Y]
				for k := range 3 {
					if a.Min[k] > b.Max[k] || b.Min[k] > a.Max[k] {
						return true
					}
				}
				return false
			})
			judged := slices.Clone(pairs)
			kernel.OnGo(t, func() { pair.Judge(judged, x, y) })
			for _, p := range judged {
				verdicts[p.Verdict]++
			}
			testkit.EachTier(t, func(t *testing.T) {
				got := kernel.Put(t, at, pairs)
				got = got[:pair.KeepMeeting(got, x, y)]
				if !slices.Equal(got, meet) {
					t.Fatalf("%d pairs meet, want %d", len(got), len(meet))
				}
				got = kernel.Put(t, at, pairs)
				pair.Judge(got, x, y)
				if i, same := kernel.SameBits(got, judged); !same {
					t.Fatalf("verdict %v, want %v\n%+v\n%+v", got[i], judged[i], x[got[i].X], y[got[i].Y])
				}
			})
		}
	})
	t.Logf("%v verdicts", verdicts)
	for _, n := range verdicts {
		if n < 100 {
			t.Errorf("verdicts %v: little was tested", verdicts)
		}
	}
}

// Pairs may have any indices: each shape is in pairs that meet.
func TestJudgeIndices(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	list := make([]pair.Moving, math.MaxUint16+1)
	for i := range list {
		var step [2]soa.AABB
		for k := range 3 {
			at := r.Float32() * 2.5
			step[0].Min[k], step[0].Max[k] = at-1, at+1
		}
		step[1] = step[0]
		list[i].Set(&step, &[4]float32{3: -1}, nil)
	}
	var pairs, meet []pair.MovingPair
	var xs, ys [math.MaxUint16 + 1]bool // the shapes in pairs that meet
	for x := range list {
		for !xs[x] || !ys[x] {
			for _, p := range []pair.MovingPair{{X: uint16(x), Y: uint16(r.Uint32())}, {X: uint16(r.Uint32()), Y: uint16(x)}} {
				a, b := &list[p.X], &list[p.Y]
				apart := false
				for k := range 3 {
					apart = apart || a.Min[k] > b.Max[k] || b.Min[k] > a.Max[k]
				}
				if pairs = append(pairs, p); !apart {
					meet = append(meet, p)
					xs[p.X], ys[p.Y] = true, true
				}
			}
		}
	}
	judged := slices.Clone(pairs)
	kernel.OnGo(t, func() { pair.Judge(judged, list, list) })
	testkit.EachTier(t, func(t *testing.T) {
		got := slices.Clone(pairs)
		if got = got[:pair.KeepMeeting(got, list, list)]; !slices.Equal(got, meet) {
			t.Fatalf("%d pairs meet, want %d", len(got), len(meet))
		}
		got = slices.Clone(pairs)
		pair.Judge(got, list, list)
		if i, same := kernel.SameBits(got, judged); !same {
			t.Fatalf("verdict %v, want %v", got[i], judged[i])
		}
	})
}
