package testkit

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/soa"
)

// Sweep is the motion of a box along Dir, from time 0 to MaxT. A ray is the sweep of a box without
// extent.
type Sweep struct {
	Lo, Hi, Dir [3]float32
	MaxT        float32
}

// RaySweep returns the sweep of a point.
func RaySweep(origin, dir [3]float32, maxT float32) Sweep {
	return Sweep{origin, origin, dir, maxT}
}

// Entry is the index of a box and the time at which a sweep reaches it.
type Entry struct {
	Index int
	Time  float32 // in units of Dir, at most MaxT and the largest float32
}

// slabReference is one axis of a prepared sweep.
type slabReference struct {
	up               bool // the minimum is the facing side
	near, far        float32
	invNear, invFar  float32
	facing, opposite float32 // of the current box
}

// unit returns the exponent of the power of two that scales the longest component of dir into [1,
// 2), or 0 if dir is zero.
func unit(dir [3]float32) int {
	m := max(abs(dir[0]), abs(dir[1]), abs(dir[2]))
	if m == 0 {
		return 0
	}
	return -math.Ilogb(float64(m))
}

// ReferenceSweep is the reference for ray and sweep queries: it returns the result that a tree of
// exactly these boxes must return. It evaluates the documented float32 formula in a loop and shares
// no code with the library. The entries are sorted by time, then index.
func ReferenceSweep[B Boxed](boxes []B, s Sweep) (hits []Entry) {
	exp := unit(s.Dir)
	limit := math.Ldexp(float64(s.MaxT), -exp)
	if limit > 0x1p127 {
		limit = 0x1p127
	}
	last := ceil32(limit + float64(limit*0x5p-23) + 0x1p-148)
	var axes [3]slabReference
	for a := range axes {
		axes[a] = prepareSlab(s.Lo[a], s.Hi[a], math.Ldexp(float64(s.Dir[a]), exp), limit)
	}
	for i := range boxes {
		b := boxOf(&boxes[i])
		enter, leave := float32(0), last
		for a := range axes {
			x := &axes[a]
			x.facing, x.opposite = b.Min[a], b.Max[a]
			if !x.up {
				x.facing, x.opposite = b.Max[a], b.Min[a]
			}
			in, out := (x.facing-x.near)*x.invNear, (x.opposite-x.far)*x.invFar
			if in > enter { // false for NaN
				enter = in
			}
			if out < leave {
				leave = out
			}
		}
		if enter <= leave {
			t := math.Ldexp(float64(enter), exp)
			hits = append(hits, Entry{i, float32(min(t, float64(s.MaxT), math.MaxFloat32))})
		}
	}
	slices.SortStableFunc(hits, func(a, b Entry) int { return cmp.Compare(a.Time, b.Time) })
	return hits
}

func prepareSlab(lo, hi float32, d, limit float64) slabReference {
	up := !(d < 0)
	x := slabReference{up: up, near: hi, far: lo}
	if !up {
		x.near, x.far = lo, hi
	}
	switch {
	case d == 0:
		x.invNear, x.invFar = float32(math.Inf(1)), float32(math.Inf(1))
	case math.Abs(d) < 0x1p-126:
		x.near = ceil32(float64(hi) + d*limit)
		if !up {
			x.near = -ceil32(-(float64(lo) + d*limit))
		}
		x.invNear = float32(math.Inf(int(math.Copysign(1, d))))
		x.invFar = x.invNear
	default:
		x.invNear = 1 / float32(d)
		x.invFar = float32(x.invNear * (1 + 0x5p-23))
		if abs(x.far) < 0x1p-100 && up {
			x.far = -ceil32(-(float64(x.far) - 0x1p-147))
		} else if abs(x.far) < 0x1p-100 {
			x.far = ceil32(float64(x.far) + 0x1p-147)
		}
	}
	return x
}

// ceil32 rounds up to float32, at most to the largest finite number.
func ceil32(x float64) float32 {
	f := float32(min(x, math.MaxFloat32))
	if float64(f) < x && f < math.MaxFloat32 {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// DefinitionSweep returns, by definition, the indices of the boxes that a sweep hits, ascending: at
// some time from 0 to MaxT the closed boxes share a point, in exact arithmetic. Time ends at 2^127
// in the unit in which the longest component is in [1, 2). The result of a tree must contain all of
// them.
func DefinitionSweep[B Boxed](boxes []B, s Sweep) (hits []int) {
	for i := range boxes {
		if s.meets(boxOf(&boxes[i])) {
			hits = append(hits, i)
		}
	}
	return hits
}

// moment is a time (a - b) / d, d > 0, in the unit of the sweep.
type moment struct {
	a, b float32
	d    float64
}

func (m moment) quick() float64 { return (float64(m.a) - float64(m.b)) / m.d }

// times returns (a - b) * d exactly: a difference of float32 takes 278 bits, and d is a float32
// times a power of two.
func (m moment) times(d float64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(320).SetFloat64(x) }
	t := number(float64(m.a))
	return t.Mul(t.Sub(t, number(float64(m.b))), number(d))
}

func rat(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }

// after reports whether m is later than o. It uses exact arithmetic only if they are within a few
// roundings.
func (m moment) after(o moment) bool {
	x, y := m.quick(), o.quick()
	if slack := math.Abs(y) * 0x1p-48; math.Abs(x-y) > slack {
		return x > y
	}
	return m.times(o.d).Cmp(o.times(m.d)) > 0
}

func (s Sweep) meets(b *soa.AABB) bool {
	exp := unit(s.Dir)
	last := moment{1, 0, 0x1p-127} // 2^127
	if math.Ldexp(float64(s.MaxT), -exp) < 0x1p127 {
		last = moment{s.MaxT, 0, math.Ldexp(1, exp)}
	}
	enter, leave := []moment{{0, 0, 1}}, []moment{last}
	for a := range 3 {
		switch d := math.Ldexp(float64(s.Dir[a]), exp); {
		case d > 0:
			enter = append(enter, moment{b.Min[a], s.Hi[a], d})
			leave = append(leave, moment{b.Max[a], s.Lo[a], d})
		case d < 0:
			enter = append(enter, moment{s.Lo[a], b.Max[a], -d})
			leave = append(leave, moment{s.Hi[a], b.Min[a], -d})
		case b.Min[a] > s.Hi[a] || b.Max[a] < s.Lo[a]:
			return false
		}
	}
	for _, e := range enter {
		for _, l := range leave {
			if e.after(l) {
				return false
			}
		}
	}
	return true
}

// EdgeRays returns edge cases of rays, fitted to the objects: along faces, through corners, from
// inside, without length, with directions of any magnitude and zeros of both signs.
func EdgeRays(objects []soa.Object, seed uint64) (rays []Sweep) {
	rng := Rand(seed)
	one := soa.AABB{Max: [3]float32{1, 1, 1}}
	inf, zero := float32(math.Inf(1)), math.Float32frombits(1<<31)
	far := func(x float32) float32 { return min(max(x*2-10, -math.MaxFloat32), math.MaxFloat32) }
	for range 3 {
		if len(objects) > 0 {
			one = objects[rng.IntN(len(objects))].Box
		}
		lo, hi, c := one.Min, one.Max, one.Center()
		rays = append(rays,
			RaySweep(c, [3]float32{1, 0, 0}, inf),                                    // from inside
			RaySweep(c, [3]float32{zero, zero, -1}, 0),                               // of no length
			RaySweep([3]float32{far(lo[0]), lo[1], lo[2]}, [3]float32{1, 0, 0}, inf), // along an edge
			RaySweep([3]float32{far(lo[0]), hi[1], c[2]}, [3]float32{1, zero, 0}, math.MaxFloat32),
			RaySweep([3]float32{hi[0], far(hi[1]), hi[2]}, [3]float32{0, -1, zero}, 1e30),
			RaySweep(lo, [3]float32{-1, -1, -1}, 1), // away from a corner
			RaySweep(hi, [3]float32{-1, 1, 0.5}, 100),
			RaySweep([3]float32{lo[0], lo[1], c[2]}, [3]float32{1e-45, -1e-45, 0}, inf),
			RaySweep(c, [3]float32{3e38, 3e38, -3e38}, 1),
			RaySweep(c, [3]float32{1, 1e-40, 1e-30}, inf),
			RaySweep(c, [3]float32{1e30, 1e-20, -1e-45}, 1e-10),
			RaySweep([3]float32{-math.MaxFloat32, c[1], c[2]}, [3]float32{1, 0, 0}, inf),
			RaySweep([3]float32{math.MaxFloat32, c[1], c[2]}, [3]float32{-math.MaxFloat32, 0, 0}, 1),
		)
		if math.Abs(float64(c[0])) < 1e15 { // straight at a corner
			d := [3]float32{lo[0] - 1, hi[1] + 2, lo[2] - 3}
			rays = append(rays, RaySweep(d, [3]float32{lo[0] - d[0], hi[1] - d[1], lo[2] - d[2]}, 1))
		}
	}
	return rays
}

// RandomSweep returns the motion of a box of a kind, or of a point in half of the calls.
func RandomSweep(rng *rand.Rand, kind BoxKind) Sweep {
	b := RandomBoxes(rng, 1, kind)[0]
	s := Sweep{Lo: b.Min, Hi: b.Max, MaxT: abs(kind.coordinate(rng))}
	if rng.IntN(2) == 0 {
		s.Hi = s.Lo
	}
	for a := range s.Dir {
		if s.Dir[a] = kind.coordinate(rng); kind == BoxesSmall {
			s.Dir[a] -= 50
		}
		if rng.IntN(4) == 0 {
			s.Dir[a] = float32(math.Copysign(0, float64(s.Dir[a])))
		}
	}
	if rng.IntN(3) == 0 {
		s.MaxT = 1
	}
	return s
}

// RaysOf returns the rays of a scene as sweeps.
func RaysOf(objects []soa.Object, count int, seed uint64) (rays []Sweep) {
	for _, r := range scene.RayQueries(objects, count, seed) {
		rays = append(rays, RaySweep(r.Origin, r.Dir, r.MaxT))
	}
	return rays
}
