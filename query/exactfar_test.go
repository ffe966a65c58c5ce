package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// plantBalls inserts an object for each sphere: in its own box, or the smallest one of float32 that holds it.
func plantBalls(t *testing.T, spheres [][4]float32, boxes []soa.AABB) linear.View {
	t.Helper()
	tree := trees.New(t, linear.Config{})
	for i, s := range spheres {
		id, err := tree.Insert(soa.Object{Box: boxes[i]})
		if err == nil {
			err = tree.SetSphere(id, s)
		}
		if err != nil || id != uint32(i) {
			t.Fatalf("object %d is %d: %v", i, id, err)
		}
	}
	return tree.View()
}

// holding returns a box of float32 around a sphere.
func holding(s [4]float32) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = s[a]-s[3], s[a]+s[3]
		for float64(b.Min[a]) > float64(s[a])-float64(s[3]) {
			b.Min[a] = math.Nextafter32(b.Min[a], -math.MaxFloat32)
		}
		for float64(b.Max[a]) < float64(s[a])+float64(s[3]) {
			b.Max[a] = math.Nextafter32(b.Max[a], math.MaxFloat32)
		}
	}
	return b
}

// spherePoint is the box of no extent at the centre of a sphere: a ball intersects the sphere when a ball that is
// larger by its radius contains that point.
func spherePoint(s [4]float32) soa.AABB {
	c := [3]float32(s[:3])
	return soa.AABB{Min: c, Max: c}
}

// exactHits returns all hits with Exact: of a ray if the ball has no radius and ray is set, else of a swept sphere.
func exactHits(t *testing.T, v linear.View, b testkit.Ball, ray bool) map[uint32]query.Hit {
	t.Helper()
	flt := query.Filter{Exact: true}
	var hits []query.Hit
	if ray {
		q := rayOf(t, b.Center, b.Dir, 1)
		hits = q.Append(nil, v, flt)
	} else {
		q := sweptSphereOf(t, b.Center, b.Radius, b.Dir)
		hits = q.Append(nil, v, flt)
	}
	byID := map[uint32]query.Hit{}
	for _, h := range hits {
		byID[h.ID] = h
	}
	return byID
}

// The box around a ball far from the origin is much larger than the ball in float32: its early hit does not end the
// motion early.
func TestExactSweptSphereRoundedBox(t *testing.T) {
	s := [4]float32{0x1.e848cp+18, 0x1.499714p+22, 0x1.f7p+07, 0}
	b := testkit.Ball{
		Center: [3]float32{0x1.e848a2p+18, 0x1.499708p+22, 0x1.f58864p+07}, Radius: 0x1.8p-08,
		Dir: [3]float32{0x1.ep+01, 0x1.8p+04, 0x1.779ep+02},
	}
	v := plantBalls(t, [][4]float32{s}, []soa.AABB{spherePoint(s)})
	testkit.EachTier(t, func(t *testing.T) {
		h, ok := exactHits(t, v, b, false)[0]
		if !ok || math.Abs(float64(h.Dist)-0.124765) > 1e-5 {
			t.Fatalf("%v, %v, want a hit at 0.124765", h, ok)
		}
	})
}

// farBalls draws spheres of about one radius, size/ratio, at coordinates of about size, and balls and rays that pass
// by them: half of these by steps of float32, so that they pass through the middle of the smallest spheres.
func farBalls(rng *rand.Rand, size, ratio float64, n int) (spheres [][4]float32, moving []testkit.Ball) {
	radius := size / ratio
	for range n {
		s := [4]float32{3: float32(radius * rng.Float64())}
		for a := range 3 {
			s[a] = float32(math.Copysign(size*(1+rng.Float64()), rng.Float64()-0.5))
		}
		if rng.IntN(4) == 0 {
			s[3] = 0
		}
		spheres = append(spheres, s)
		b := testkit.Ball{Radius: float32(radius * (0.01 + rng.Float64()))}
		if rng.IntN(3) == 0 {
			b.Radius = 0
		}
		_, exp := math.Frexp(size)
		step := math.Ldexp(1, exp-23) // a multiple of the steps of all coordinates
		share := []float64{0, 0.25, 0.5, 1}[rng.IntN(4)]
		if rng.IntN(2) == 0 {
			step, share = size*math.Pow(10, 6*rng.Float64()-4), rng.Float64()
		}
		long := float64(int(1) << rng.IntN(8) * 4)
		for a := range 3 {
			d := float64(rng.IntN(17)-8) * step * long
			b.Dir[a] = float32(d)
			b.Center[a] = float32(float64(s[a]) - share*d)
		}
		if b.Dir == ([3]float32{}) {
			b.Dir[0] = float32(step)
		}
		moving = append(moving, b)
	}
	return spheres, moving
}

// Balls and rays far from the origin, against exact arithmetic: no hit is lost, reported hits are real up to the
// documented bound, and at the Dist the surfaces touch.
func TestExactSweepsFarAway(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for e := 3; e <= 30; e += 3 {
		size := math.Ldexp(1, rng.IntN(60)-e)
		spheres, moving := farBalls(rng, size, math.Pow(10, float64(e)), 24)
		boxes := make([]soa.AABB, len(spheres))
		for i, s := range spheres {
			boxes[i] = holding(s)
		}
		v := plantBalls(t, spheres, boxes)
		met := make([]bool, len(moving)*len(spheres))
		few := 0
		for k, b := range moving {
			for i, s := range spheres {
				point := spherePoint(s)
				if met[k*len(spheres)+i] = b.Meets(&point, float64(s[3])); met[k*len(spheres)+i] {
					few++
				}
			}
		}
		if few < len(moving)/6 {
			t.Fatalf("1e%d: only %d balls of %d meet a sphere", e, few, len(moving))
		}
		testkit.EachTier(t, func(t *testing.T) {
			for k, b := range moving {
				for form := range 2 {
					if form == 1 && b.Radius > 0 {
						continue
					}
					hits := exactHits(t, v, b, form == 1)
					for i, s := range spheres {
						h, kept := hits[uint32(i)]
						if wrong := wrongTouch(b, s, h, met[k*len(spheres)+i], kept); wrong != "" {
							t.Errorf("1e%d, form %d: ball %x, sphere %x: %v, %v: %s", e, form, b, s, h, kept, wrong)
						}
					}
				}
			}
		})
	}
}

// wrongTouch describes the contradiction between the documentation and a hit, or a missing hit.
func wrongTouch(b testkit.Ball, s [4]float32, h query.Hit, met, kept bool) string {
	if met != kept && met {
		return "it is lost"
	}
	if !kept {
		return ""
	}
	r := float64(b.Radius) + float64(s[3])
	m, square, way := r, 0.0, 0.0
	for a := range 3 {
		c, o, d := float64(b.Center[a]), float64(s[a]), float64(b.Dir[a])
		m = max(m, math.Abs(c), math.Abs(o), math.Abs(o-c)+r)
		gap := c + float64(h.Dist)*d - o
		square += gap * gap
		way += d * d
	}
	grow := r*0x1p-39 + m*0x3p-44
	if point := spherePoint(s); !met && !b.Meets(&point, float64(s[3])+grow) {
		return "it is not met"
	}
	// The time of a chord is as uncertain as the depth of the touch; the time itself is rounded to float32.
	slack := grow + math.Sqrt(2*grow*r) + 0x1p-21*math.Sqrt(way)*float64(h.Dist)
	if off := math.Sqrt(square) - r; off > slack || h.Dist > 0 && met && off < -slack {
		return fmt.Sprintf("at that time it is off by %v", off)
	}
	return ""
}

// The size of the box of a sphere and the length of the motion do not affect the test against the sphere.
func TestExactSphereInHugeBox(t *testing.T) {
	s := [4]float32{10, 0, 0, 1}
	huge := soa.AABB{Min: [3]float32{-1e38, -1e38, -1e38}, Max: [3]float32{1e38, 1e38, 1e38}}
	v := plantBalls(t, [][4]float32{s}, []soa.AABB{huge})
	testkit.EachTier(t, func(t *testing.T) {
		for _, x := range []float32{1, 30, 1e30} {
			for _, y := range []float32{0, 0.9, 1.4, 1.6, 1e6} {
				for _, radius := range []float32{0, 0.5} {
					b := testkit.Ball{Center: [3]float32{0, y, 0}, Dir: [3]float32{x, 0, 0}, Radius: radius}
					point := spherePoint(s)
					met := b.Meets(&point, float64(s[3]))
					if _, kept := exactHits(t, v, b, false)[0]; kept != met {
						t.Errorf("ball %v: hit %v, want %v", b, kept, met)
					}
					if radius == 0 {
						if _, kept := exactHits(t, v, b, true)[0]; kept != met {
							t.Errorf("ray %v: hit %v, want %v", b, kept, met)
						}
					}
				}
			}
		}
	})
}

// Far balls are tested by the wide form of each plane, the last one included: a ball inside all planes, in a box that
// one plane cuts, is found.
func TestExactFarBallsByEachPlane(t *testing.T) {
	var planes [][4]float32
	const far = 1e6
	for a := range 3 {
		for _, side := range []float32{1, -1} {
			p := [4]float32{3: far}
			p[a] = side
			planes = append(planes, p)
		}
	}
	tree := trees.New(t, linear.Config{})
	var objects []soa.Object
	for i := range 4000 {
		x := [3]float32{float32(i%16) - 8, float32(i/16%16) - 8, float32(i/256) - 8}
		objects = append(objects, soa.Object{Box: soa.AABB{Min: x, Max: x}})
	}
	trees.Insert(t, tree, objects)
	want := map[uint32]bool{}
	for k, p := range planes {
		// A box that the plane cuts, and in it a ball on this side or beyond.
		for _, inside := range []bool{true, false} {
			var c [3]float32
			a := k / 2
			c[a] = -p[a] * far
			box := soa.AABB{Min: c, Max: c}
			for b := range 3 {
				box.Min[b], box.Max[b] = c[b]-1000, c[b]+1000
			}
			if c[a] += p[a] * 900; !inside {
				c[a] -= p[a] * 1800
			}
			id, err := tree.Insert(soa.Object{Box: box})
			testkit.Must(t, err)
			testkit.Must(t, tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 50}))
			if inside {
				want[id] = true
			}
		}
	}
	testkit.Must(t, tree.Tick())
	convex := convex(t, planes)
	six := frustum(t, [6][4]float32(planes))
	for name, got := range map[string][]uint32{
		"convex":  convex.Append(nil, tree.View(), query.Filter{Exact: true}),
		"frustum": six.Append(nil, tree.View(), query.Filter{Exact: true}),
	} {
		met := 0
		for _, id := range got {
			if int(id) >= len(objects) {
				if !want[id] {
					t.Errorf("%s: ball %d is beyond a plane", name, id)
				}
				met++
			}
		}
		if met != len(want) {
			t.Errorf("%s: %d far balls of %d", name, met, len(want))
		}
	}
}

// distances of a sphere from a volume: 0 or less when they intersect.
func gapToBox(s [4]float32, b soa.AABB) float64 {
	var sum float64
	for a := range 3 {
		c := float64(s[a])
		d := max(float64(b.Min[a])-c, c-float64(b.Max[a]), 0)
		sum += d * d
	}
	return math.Sqrt(sum) - float64(s[3])
}

func gapToBall(s [4]float32, center [3]float32, radius float32) float64 {
	var sum float64
	for a := range 3 {
		d := float64(s[a]) - float64(center[a])
		sum += d * d
	}
	return math.Sqrt(sum) - float64(s[3]) - float64(radius)
}
