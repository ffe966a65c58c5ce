package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// hostile draws numbers near the limits of float32, or of a float64 sum of two of them.
type hostile struct{ *rand.Rand }

func (h hostile) number() float32 {
	const most = math.MaxFloat32
	list := [...]float32{
		most, most, most - 0x1p104, most - 0x1p105, most - 0x3p110, 3.402823e38, 0x1p127, 0x1.000002p127, 0x1.fffffep126,
		0x1.8p127, 1e38, 0x1p75, 1e20, 1e10, 1, 0x1p-126, 1e-45, 0,
	}
	f := list[h.IntN(len(list))]
	if h.IntN(2) == 0 {
		f = -f
	}
	return f
}

func (h hostile) vector() (v [3]float32) {
	for a := range v {
		v[a] = h.number()
	}
	return v
}

func (h hostile) size() float32 { return max(h.number(), 0) }

func (h hostile) box() (b soa.AABB) {
	p, q := h.vector(), h.vector()
	for a := range 3 {
		if h.IntN(3) == 0 {
			q[a] = p[a]
		}
		b.Min[a], b.Max[a] = min(p[a], q[a]), max(p[a], q[a])
	}
	return b
}

// near returns a point with coordinates of a box, on each axis, or other numbers.
func (h hostile) near(b soa.AABB) (p [3]float32) {
	for a := range p {
		p[a] = [...]float32{b.Min[a], b.Max[a], h.number()}[h.IntN(3)]
	}
	return p
}

func exact(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }

// reaches reports whether the ball reaches beyond the largest float32.
func reaches(center [3]float32, radius float32) bool {
	for _, c := range center {
		if new(rational.Rat).Add(exact(math.Abs(float64(c))), exact(float64(radius))).Cmp(exact(math.MaxFloat32)) > 0 {
			return true
		}
	}
	return false
}

// within reports whether a point is no further than x + y from a box: in exact
// arithmetic unless float64 leaves no doubt.
func within(b *soa.AABB, p [3]float64, x, y float64) bool {
	sum, reach := 0.0, x+y
	for a := range 3 {
		d := max(float64(b.Min[a])-p[a], p[a]-float64(b.Max[a]), 0)
		sum += d * d
	}
	// Each of the few roundings is relative, except for squares that underflow.
	if r2 := reach * reach; math.Abs(sum-r2) > (sum+r2)*0x1p-48+0x1p-1000 && sum < math.MaxFloat64 && r2 < math.MaxFloat64 {
		return sum < r2
	}
	limit := new(rational.Rat).Add(exact(x), exact(y))
	return gap2(b, p).Cmp(limit.Mul(limit, limit)) <= 0
}

// gap2 returns the squared distance of a point from a box.
func gap2(b *soa.AABB, p [3]float64) *rational.Rat {
	sum := new(rational.Rat)
	for a := range 3 {
		for _, d := range []*rational.Rat{
			new(rational.Rat).Sub(exact(float64(b.Min[a])), exact(p[a])), new(rational.Rat).Sub(exact(p[a]), exact(float64(b.Max[a]))),
		} {
			if d.Sign() > 0 {
				sum.Add(sum, d.Mul(d, d))
			}
		}
	}
	return sum
}

// which returns the indices of objects for which is holds.
func which(objects []soa.Object, is func(b *soa.AABB) bool) (hits []int) {
	for i := range objects {
		if is(&objects[i].Box) {
			hits = append(hits, i)
		}
	}
	return hits
}

func idsOf(hits []query.Hit) (ids []uint32) {
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

// ask is a query, with the objects that it hits in exact arithmetic.
type ask struct {
	kind    string
	numbers []any
	err     error                         // of the constructor
	answer  func(v linear.View) []uint32  // with and without Exact
	must    func(o []soa.Object) []int    // objects that are boxes
	balls   func(s [4]float32) (met bool) // unless nil, objects that are spheres
}

func asksOf[Q any](kind string, q Q, err error, answer func(Q, linear.View) []uint32, must func(o []soa.Object) []int, numbers ...any) ask {
	return ask{kind, numbers, err, func(v linear.View) []uint32 { return answer(q, v) }, must, nil}
}

func (h hostile) asks(objects []soa.Object) (all []ask) {
	aim := objects[h.IntN(len(objects))].Box
	p, dir, r := h.near(aim), h.vector(), h.size()
	add := func(a ask) { all = append(all, a) }
	flt := query.Filter{Exact: true}

	s, err := query.NewSphere(p, r)
	a := asksOf("Sphere", s, err, func(q query.Sphere, v linear.View) []uint32 { return q.Append(nil, v, flt) },
		func(o []soa.Object) []int { return testkit.DefinitionSphere(o, p, r) }, p, r)
	a.balls = func(s [4]float32) bool {
		b := soa.AABB{Min: p, Max: p}
		return within(&b, [3]float64{float64(s[0]), float64(s[1]), float64(s[2])}, float64(s[3]), float64(r))
	}
	add(a)

	most := [...]float32{1, float32(math.Inf(1)), math.MaxFloat32, r}[h.IntN(4)]
	ray, err := query.NewRay(p, dir, most)
	a = asksOf("Ray", ray, err, func(q query.Ray, v linear.View) []uint32 { return idsOf(q.Append(nil, v, flt)) },
		func(o []soa.Object) []int { return testkit.DefinitionSweep(o, testkit.RaySweep(p, dir, most)) }, p, dir, most)
	if most == 1 {
		a.balls = func(s [4]float32) bool {
			c := [3]float32{s[0], s[1], s[2]}
			return testkit.Ball{Center: p, Dir: dir}.Meets(&soa.AABB{Min: c, Max: c}, float64(s[3]))
		}
	}
	add(a)

	moving := h.box()
	swept, err := query.NewSweptBox(moving, dir)
	add(asksOf("SweptBox", swept, err, func(q query.SweptBox, v linear.View) []uint32 { return idsOf(q.Append(nil, v, flt)) },
		func(o []soa.Object) []int {
			return testkit.DefinitionSweep(o, testkit.Sweep{Lo: moving.Min, Hi: moving.Max, Dir: dir, MaxT: 1})
		}, moving, dir))

	wide := r
	if h.IntN(2) == 0 { // about as large as there is room
		room := float32(math.MaxFloat32)
		for _, c := range p {
			room = min(room, math.MaxFloat32-max(c, -c))
		}
		wide = room
		if h.IntN(2) == 0 {
			wide = math.Nextafter32(wide, math.MaxFloat32)
		}
	}
	ball, err := query.NewSweptSphere(p, wide, dir)
	moves := testkit.Ball{Center: p, Dir: dir, Radius: wide}
	a = asksOf("SweptSphere", ball, err, func(q query.SweptSphere, v linear.View) []uint32 { return idsOf(q.Append(nil, v, flt)) },
		func(o []soa.Object) []int {
			return which(o, func(b *soa.AABB) bool { return moves.Meets(b, 0) })
		}, p, wide, dir)
	a.balls = func(s [4]float32) bool {
		c := [3]float32{s[0], s[1], s[2]}
		return moves.Meets(&soa.AABB{Min: c, Max: c}, float64(s[3]))
	}
	add(a)

	all = append(all, h.volumes(aim)...)
	q := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
	add(ask{"AppendNearest", []any{p, r}, nil, func(v linear.View) (ids []uint32) {
		near, err := query.AppendNearest(nil, v, p, 1000, r, query.Filter{})
		if err != nil {
			panic(err)
		}
		for _, n := range near {
			ids = append(ids, n.ID)
		}
		return ids
	}, func(o []soa.Object) []int {
		return which(o, func(b *soa.AABB) bool { return within(b, q, float64(r), 0) })
	}, nil})
	return all
}

// volumes are queries of planes and boxes, and queries rounded from float64.
func (h hostile) volumes(aim soa.AABB) (all []ask) {
	flt := query.Filter{}
	var planes [6][4]float32
	for i := range planes {
		n, on := h.vector(), h.near(aim)
		if h.IntN(2) == 0 {
			n = [3]float32{float32(h.IntN(5) - 2), float32(h.IntN(5) - 2), 1}
		}
		planes[i] = [4]float32{n[0], n[1], n[2], h.number()}
		if d := -(n[0]*on[0] + n[1]*on[1] + n[2]*on[2]); h.IntN(2) == 0 && d-d == 0 {
			planes[i][3] = d
		}
	}
	f, err := query.FrustumPlanes(planes)
	all = append(all, asksOf("Frustum", f, err, func(q query.Frustum, v linear.View) []uint32 { return q.Append(nil, v, flt) },
		func(o []soa.Object) []int { return testkit.DefinitionFrustum(o, planes) }, planes))
	c, err := query.ConvexPlanes(planes[:2])
	all = append(all, asksOf("Convex", c, err, func(q query.Convex, v linear.View) []uint32 { return q.Append(nil, v, flt) },
		func(o []soa.Object) []int { return testkit.DefinitionConvex(o, planes[:2]) }, planes[:2]))

	// A step of float64 beside numbers of float32.
	step := func(p [3]float32) (q [3]float64) {
		for a := range q {
			q[a] = float64(p[a])
			for range h.IntN(3) {
				q[a] = math.Nextafter(q[a], h.NormFloat64()*math.MaxFloat64)
			}
		}
		return q
	}
	b := h.box()
	lo, hi := step(b.Min), step(b.Max)
	wide, err := query.NewBox64(lo, hi, [3]float64{})
	all = append(all, asksOf("Box64", wide, err, func(q query.Box, v linear.View) []uint32 { return q.Append(nil, v, flt) },
		func(o []soa.Object) []int {
			return which(o, func(b *soa.AABB) bool {
				for a := range 3 {
					if float64(b.Min[a]) > hi[a] || float64(b.Max[a]) < lo[a] {
						return false
					}
				}
				return true
			})
		}, lo, hi))
	center, radius := step(h.near(aim)), math.Abs(step(h.vector())[0])
	s, err := query.NewSphere64(center, radius, [3]float64{})
	all = append(all, asksOf("Sphere64", s, err, func(q query.Sphere, v linear.View) []uint32 { return q.Append(nil, v, flt) },
		func(o []soa.Object) []int {
			return which(o, func(b *soa.AABB) bool { return within(b, center, radius, 0) })
		}, center, radius))
	return all
}

// roundBox returns a box that holds the sphere; ok is false if none does.
func roundBox(s [4]float32) (b soa.AABB, ok bool) {
	c := [3]float32{s[0], s[1], s[2]}
	if reaches(c, s[3]) {
		return b, false
	}
	for a := range 3 {
		b.Min[a] = max(math.Nextafter32(float32(float64(c[a])-float64(s[3])), -math.MaxFloat32), -math.MaxFloat32)
		b.Max[a] = min(math.Nextafter32(float32(float64(c[a])+float64(s[3])), math.MaxFloat32), math.MaxFloat32)
	}
	return b, true
}

// At the ends of float32 a query is rejected or correct: an accepted one loses no object that it hits in exact
// arithmetic, on any tier. A moving ball is rejected exactly if it reaches beyond float32 at its start.
func TestHostileNumbers(t *testing.T) {
	h := hostile{testkit.Rand(testkit.Seed(t))}
	rounds := testkit.Budget(t, 100, 2000)
	met, refused := map[string]int{}, map[string]int{}
	for range rounds {
		objects := make([]soa.Object, 24)
		var spheres [][4]float32
		var round []soa.Object
		for i := range objects {
			objects[i] = soa.Object{Box: h.box(), Mask: 1}
			p := h.vector()
			s := [4]float32{p[0], p[1], p[2], h.size()}
			if b, ok := roundBox(s); ok {
				spheres, round = append(spheres, s), append(round, soa.Object{Box: b, Mask: 1})
			}
		}
		boxes, balls := plant(t, objects, true), plant(t, round, false)
		for i, s := range spheres {
			testkit.Must(t, balls.SetSphere(uint32(i), s))
		}
		var all []ask
		var must, mustBalls [][]int
		for range 4 {
			for _, a := range h.asks(objects) {
				if a.err != nil {
					refused[a.kind]++
					continue
				}
				var balls []int
				if a.balls != nil {
					for i, s := range spheres {
						if a.balls(s) {
							balls = append(balls, i)
						}
					}
				}
				all, must, mustBalls = append(all, a), append(must, a.must(objects)), append(mustBalls, balls)
				met[a.kind] += len(must[len(must)-1]) + len(balls)
			}
			p, r := h.vector(), h.size()
			_, err := query.NewSweptSphere(p, r, h.vector())
			if want := reaches(p, r); want != (err != nil) || want && !strings.Contains(err.Error(), fmt.Sprint(r)) {
				t.Errorf("ball at %v of radius %v: %v", p, r, err)
			}
		}
		testkit.EachTier(t, func(t *testing.T) {
			for i, a := range all {
				if !testkit.NothingLost(t, a.answer(boxes.View()), must[i]) || !testkit.NothingLost(t, a.answer(balls.View()), mustBalls[i]) {
					t.Fatalf("%s %s of the boxes %v and the spheres %v, which must hold %v and %v", a.kind, fmt.Sprint(a.numbers...), objects, spheres, must[i], mustBalls[i])
				}
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("met: %v; refused: %v", met, refused)
	for _, kind := range []string{"Sphere", "Ray", "SweptBox", "SweptSphere", "Frustum", "Convex", "Box64", "Sphere64", "AppendNearest"} {
		if met[kind] < rounds {
			t.Errorf("%s met only %d objects", kind, met[kind])
		}
	}
}

// A ball that reaches beyond float32 by less than a step of float64 is rejected: the box around it would be cut off
// there, and objects behind it lost.
func TestSweptSphereBeyondFloat32(t *testing.T) {
	const most = math.MaxFloat32
	b := soa.AABB{Min: [3]float32{0, most, -3.402823e38}, Max: [3]float32{most, most, -3.402823e38}}
	v := plant(t, []soa.Object{{Box: b, Mask: 1}}, true).View()
	center, motion := [3]float32{most, most, -most}, [3]float32{0, -1e10, most}
	for _, radius := range []float32{1e-45, 1, 1e10, 1e20} {
		if s, err := query.NewSweptSphere(center, radius, motion); err == nil {
			t.Errorf("radius %v: accepted, and meets %v", radius, s.Append(nil, v, query.Filter{}))
		}
	}
}
