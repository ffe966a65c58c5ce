package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The binary exponents of float32, including those of denormal numbers.
const (
	leastExponent    = -149
	greatestExponent = 127
)

// numbersAt draws numbers of about one binary exponent.
type numbersAt struct {
	*rand.Rand
	exponent int
}

// number returns a finite number: most often one of the exponent or a few less, sometimes a
// zero, a much smaller number, a power of two or a number next to one.
func (r numbersAt) number() float32 {
	e := r.exponent
	switch r.IntN(12) {
	case 0:
		return float32(math.Copysign(0, r.Float64()-0.5))
	case 1:
		e -= r.IntN(60)
	case 2, 3, 4:
		e -= r.IntN(6)
	case 5:
		e = leastExponent + r.IntN(r.exponent-leastExponent+1)
	}
	x := float32(math.Ldexp(1, max(e, leastExponent)))
	if r.IntN(5) > 0 {
		x = float32(math.Ldexp(1+r.Float64(), max(e, leastExponent)))
	}
	for range r.IntN(3) * r.IntN(2) {
		x = math.Nextafter32(x, 0)
	}
	if x = min(x, math.MaxFloat32); r.IntN(2) == 0 {
		x = -x
	}
	return x
}

func (r numbersAt) vector() (v [3]float32) {
	for a := range v {
		v[a] = r.number()
	}
	return v
}

// box returns a box of such coordinates. Some have no extent on an axis, or that of one step.
func (r numbersAt) box() (b soa.AABB) {
	p, q := r.vector(), r.vector()
	for a := range 3 {
		switch r.IntN(6) {
		case 0:
			q[a] = p[a]
		case 1:
			q[a] = min(math.Nextafter32(p[a], math.MaxFloat32), math.MaxFloat32)
		}
		b.Min[a], b.Max[a] = min(p[a], q[a]), max(p[a], q[a])
	}
	return b
}

// inside returns a point of a box.
func (r numbersAt) inside(b soa.AABB) (p [3]float32) {
	for a := range p {
		switch r.IntN(4) {
		case 0:
			p[a] = b.Min[a]
		case 1:
			p[a] = b.Max[a]
		default:
			x := float64(b.Min[a]) + r.Float64()*(float64(b.Max[a])-float64(b.Min[a]))
			p[a] = min(max(float32(x), b.Min[a]), b.Max[a])
		}
	}
	return p
}

// through returns a plane on or close to the point, with the point inside if keep is set. The size of the normal does
// not depend on the exponent.
func (r numbersAt) through(p [3]float32, keep bool) (plane [4]float32) {
	of := numbersAt{r.Rand, leastExponent + r.IntN(greatestExponent-leastExponent+1)}
	if r.IntN(2) == 0 {
		of.exponent = 0
	}
	n := of.vector()
	plane = [4]float32{n[0], n[1], n[2]}
	exactly := exact(0)
	for a := range 3 {
		term := exact(float64(n[a]))
		exactly.Sub(exactly, term.Mul(term, exact(float64(p[a]))))
	}
	if d, _ := exactly.Float64(); math.Abs(d) < math.MaxFloat32 {
		plane[3] = float32(d)
		if keep && exact(float64(plane[3])).Cmp(exactly) < 0 {
			plane[3] = math.Nextafter32(plane[3], math.MaxFloat32)
		}
	} else if keep || d > 0 {
		plane[3] = math.MaxFloat32
		if d > 0 {
			plane = [4]float32{} // it cannot be kept
		}
	}
	return plane
}

// held is a query of any kind, and the objects that it must not lose.
type held struct {
	name string
	ids  func(v linear.View) []uint32
	must []int
}

func heldVolume(name string, q volume, must []int) held {
	return held{name, func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, must}
}

func heldHits(name string, q sweepForms, must []int) held {
	return held{name, func(v linear.View) (ids []uint32) {
		for _, h := range q.Append(nil, v, query.Filter{}) {
			ids = append(ids, h.ID)
		}
		return ids
	}, must}
}

// heldBy returns the objects that a test of boxes holds.
func heldBy(objects []soa.Object, test func(b *soa.AABB) bool) (ids []int) {
	for i := range objects {
		if test(&objects[i].Box) {
			ids = append(ids, i)
		}
	}
	return ids
}

// queries returns queries of every kind that touch the objects or nearly so, and the objects that they hold in exact
// arithmetic.
func (r numbersAt) queries(t testing.TB, objects []soa.Object) (all []held) {
	some := func() soa.AABB { return objects[r.IntN(len(objects))].Box }

	b := r.box()
	all = append(all, heldVolume(fmt.Sprintf("box %x", b), box(t, b), testkit.ReferenceBox(objects, b)))

	// Planes: a convex volume of one, of some, a frustum, and a volume that certainly holds a point.
	one := [][4]float32{r.through(r.inside(some()), r.IntN(2) == 0)}
	all = append(all, heldVolume(fmt.Sprintf("plane %x", one), convex(t, one), testkit.DefinitionConvex(objects, one)))
	var six [6][4]float32
	p := r.inside(some())
	for i := range six {
		six[i] = r.through(p, true)
	}
	body := heldBy(objects, func(b *soa.AABB) bool { return b.Contains(soa.AABB{Min: p, Max: p}) })
	definition := testkit.DefinitionFrustum(objects, six)
	all = append(all,
		heldVolume(fmt.Sprintf("frustum %x", six), frustum(t, six), definition),
		heldVolume(fmt.Sprintf("precise frustum %x", six), frustum(t, six).Precise(), body),
		heldVolume(fmt.Sprintf("convex %x", six), convex(t, six[:5]), testkit.DefinitionConvex(objects, six[:5])))
	var six64 [6][4]float64
	for i, p := range six {
		for k, x := range p {
			six64[i][k] = float64(x)
		}
	}
	f64, err := query.FrustumPlanes64(six64, [3]float64{})
	testkit.Must(t, err)
	all = append(all, heldVolume(fmt.Sprintf("frustum of float64 %x", six), f64, definition))

	// The faces of a box as planes bound a body that is known exactly.
	around := faces(b)
	all = append(all,
		heldVolume(fmt.Sprintf("faces %x", around), convex(t, around), testkit.ReferenceBox(objects, b)),
		heldVolume(fmt.Sprintf("precise faces %x", around), frustum(t, [6][4]float32(around)).Precise(), testkit.ReferenceBox(objects, b)))

	// Balls of any radius, and one that touches a point.
	c, touched := r.vector(), r.inside(some())
	for _, radius := range []float32{float32(math.Abs(float64(r.number()))), distanceUp(c, touched)} {
		s := scene.Sphere{Center: c, Radius: radius}
		all = append(all, heldVolume(fmt.Sprintf("sphere %x", s), sphere(t, s), testkit.DefinitionSphere(objects, c, radius)))
	}

	// Motions of points, boxes and balls, towards a point or anywhere.
	of := numbersAt{r.Rand, leastExponent + r.IntN(greatestExponent-leastExponent+1)}
	for k := range 3 {
		from, dir, maxT := r.vector(), of.vector(), float32(math.Abs(float64(r.number())))
		if k > 0 {
			for a := range 3 {
				dir[a] = finite(touched[a] - from[a])
			}
			maxT = 1
		}
		if dir == [3]float32{} {
			dir[r.IntN(3)] = 0x1p-149
		}
		ray := rayOf(t, from, dir, maxT)
		sweep := testkit.RaySweep(from, dir, maxT)
		all = append(all, heldHits(fmt.Sprintf("ray %x", sweep), &ray, testkit.DefinitionSweep(objects, sweep)))
		sweep = testkit.Sweep{Lo: b.Min, Hi: b.Max, Dir: dir, MaxT: 1}
		moved := sweptBoxOf(t, b, dir)
		all = append(all, heldHits(fmt.Sprintf("swept box %x", sweep), &moved, testkit.DefinitionSweep(objects, sweep)))
		ball := testkit.Ball{Center: from, Dir: dir, Radius: float32(math.Abs(float64(r.number())))}
		swept, err := query.NewSweptSphere(ball.Center, ball.Radius, ball.Dir)
		if err != nil {
			continue // it reaches beyond float32
		}
		all = append(all, heldHits(fmt.Sprintf("swept sphere %x", ball), &swept,
			heldBy(objects, func(b *soa.AABB) bool { return ball.Meets(b, 0) })))
	}

	turned := testkit.OrientedIn(r.Rand, finiteBox(b))
	if q, err := query.NewOrientedBox(turned); err == nil {
		x, outer := testkit.TurnedOf(turned), turned.Box()
		all = append(all, heldVolume(fmt.Sprintf("oriented box %x", turned), q, heldBy(objects, func(b *soa.AABB) bool {
			meets, _ := meetsTurned(&x, *b, outer)
			return meets
		})))
	}
	return all
}

// finite returns the nearest finite number.
func finite(x float32) float32 { return min(max(x, -math.MaxFloat32), math.MaxFloat32) }

// distanceUp returns a radius that is not less than the distance of two points, or the largest.
func distanceUp(p, q [3]float32) float32 {
	sum := exact(0)
	for a := range 3 {
		d := exact(float64(p[a]))
		d.Sub(d, exact(float64(q[a])))
		sum.Add(sum, d.Mul(d, d))
	}
	r2, _ := sum.Float64()
	radius := finite(float32(math.Sqrt(r2)))
	for square := exact(0); radius < math.MaxFloat32; radius = math.Nextafter32(radius, math.MaxFloat32) {
		if square.Mul(exact(float64(radius)), exact(float64(radius))).Cmp(sum) >= 0 {
			break
		}
	}
	return radius
}

// No query loses an object that it holds in exact arithmetic, at any binary exponents of the coordinates: on every
// tier, in trees that are scanned and in trees that are walked.
func TestEveryExponent(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := testkit.Budget(t, 1, 60)
	count := map[string]int{}
	for round := range rounds {
		for e := leastExponent; e <= greatestExponent; e++ {
			if !testkit.Long(t) && e%4 != 0 {
				continue
			}
			r := numbersAt{rand.New(rand.NewPCG(seed+uint64(round)<<32, uint64(e-leastExponent))), e}
			objects := make([]soa.Object, 20)
			if (e+round)&7 == 0 { // more than a scan's worth
				objects = make([]soa.Object, 300)
			}
			for i := range objects {
				objects[i] = soa.Object{Box: r.box(), Mask: 1, Static: r.IntN(3) == 0}
			}
			queries := r.queries(t, objects)
			kept := []*linear.Tree{trees.Plant(t, objects, false), trees.Plant(t, objects, true)}
			for _, tier := range testkit.Tiers() {
				former, err := asm.SetTier(tier)
				testkit.Must(t, err)
				for k, q := range queries {
					for frozen, tree := range kept {
						ids := q.ids(tree.View())
						slices.Sort(ids)
						if !testkit.NothingLost(t, ids, q.must) {
							for _, i := range q.must {
								if _, ok := slices.BinarySearch(ids, uint32(i)); !ok {
									t.Logf("lost %x", objects[i].Box)
								}
							}
							t.Errorf("exponent %d, round %d, %d objects, tree %d, %s: query %d, %s", e, round, len(objects), frozen, tier, k, q.name)
						}
					}
				}
				asm.SetTier(former)
			}
			for _, q := range queries {
				count["queries"]++
				count["held"] += len(q.must)
			}
		}
	}
	t.Logf("%d exponents, %d queries on %d tiers hold %d objects", greatestExponent-leastExponent+1, count["queries"], len(testkit.Tiers()), count["held"])
	if count["held"] < count["queries"]/2 {
		t.Error("the queries hold too little")
	}
}
