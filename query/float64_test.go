package query_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// farWorld returns boxes with more digits than float32 has, about an origin far away, and the objects of a tree about
// that origin.
func farWorld(seed uint64) (boxes []soa.AABB64, objects []soa.Object, origin [3]float64) {
	rng := testkit.Rand(seed)
	origin = [3]float64{4_123_456.789, -1e7 / 3, 1e9 / 7}
	for range 3000 {
		var b soa.AABB64
		for a := range 3 {
			b.Min[a] = origin[a] + 100*rng.Float64() - 50
			b.Max[a] = b.Min[a] + 4*rng.Float64()*float64(rng.IntN(4))
		}
		boxes = append(boxes, b)
		objects = append(objects, soa.Object{Box: b.Box(origin), Mask: 1})
	}
	return boxes, objects, origin
}

// Volumes in float64 lose no object that they hold in exact arithmetic, and report few beyond it.
func TestFloat64LosesNothing(t *testing.T) {
	seed := testkit.Seed(t)
	boxes, objects, origin := farWorld(seed)
	v := plant(t, objects, true).View()
	rng := testkit.Rand(seed + 1)
	check := func(what string, got []uint32, holds func(b *soa.AABB64, slack float64) bool) {
		t.Helper()
		slices.Sort(got)
		var exact, near []int
		for i := range boxes {
			if holds(&boxes[i], 0) {
				exact = append(exact, i)
			}
			if holds(&boxes[i], 1e-4) {
				near = append(near, i)
			}
		}
		testkit.NothingLost(t, got, exact)
		testkit.NothingLost(t, near, got)
		if t.Failed() {
			t.Fatal(what)
		}
	}
	for i := range testkit.Budget(t, 12, 100) {
		// Half the queries touch a box.
		b := boxes[rng.IntN(len(boxes))]
		var lo, hi [3]float64
		for a := range 3 {
			if lo[a] = b.Max[a]; i%2 == 0 {
				lo[a] = b.Min[a] - 7*rng.Float64()
			}
			hi[a] = lo[a] + 10*rng.Float64()*float64(i%3)
		}
		q, err := query.NewBox64(lo, hi, origin)
		testkit.Must(t, err)
		check("box", q.Append(nil, v, query.Filter{}), func(b *soa.AABB64, slack float64) bool {
			for a := range 3 {
				if b.Min[a] > hi[a]+slack || b.Max[a] < lo[a]-slack {
					return false
				}
			}
			return true
		})
		p, err := query.NewPoint64(lo, origin)
		testkit.Must(t, err)
		check("point", p.Append(nil, v, query.Filter{}), func(b *soa.AABB64, slack float64) bool {
			for a := range 3 {
				if b.Min[a] > lo[a]+slack || b.Max[a] < lo[a]-slack {
					return false
				}
			}
			return true
		})
		center, radius := lo, 0.0
		center[i%3] += 5 // touches the box at distance 5, up to rounding
		if i%2 != 0 {
			radius = center[i%3] - lo[i%3]
		}
		s, err := query.NewSphere64(center, radius, origin)
		testkit.Must(t, err)
		check("sphere", s.Append(nil, v, query.Filter{}), func(b *soa.AABB64, slack float64) bool {
			return exactDistance2(b, center).Cmp(exactSquare(radius+slack)) <= 0
		})
		planes := facesOf(lo, hi)
		for k := range planes {
			f := rng.Float64() * 3
			for j := range 4 {
				planes[k][j] *= f
			}
		}
		f, err := query.FrustumPlanes64(planes, origin)
		testkit.Must(t, err)
		in := func(b *soa.AABB64, slack float64) bool {
			for _, p := range planes {
				if pVertex64(&p, b)+slack*math.Abs(p[0]+p[1]+p[2]) < 0 {
					return false
				}
			}
			return true
		}
		check("frustum", f.Append(nil, v, query.Filter{}), in)
		c, err := query.ConvexPlanes64(planes[:], origin)
		testkit.Must(t, err)
		check("convex", c.Append(nil, v, query.Filter{}), in)
	}
}

// facesOf are the six planes of a box, inward.
func facesOf(lo, hi [3]float64) (p [6][4]float64) {
	for a := range 3 {
		p[2*a][a], p[2*a][3] = 1, -lo[a]
		p[2*a+1][a], p[2*a+1][3] = -1, hi[a]
	}
	return p
}

// pVertex64 returns the value of the plane at the p-vertex.
func pVertex64(p *[4]float64, b *soa.AABB64) float64 {
	sum := new(big.Float).SetPrec(300).SetFloat64(p[3])
	for a := range 3 {
		x := b.Max[a]
		if p[a] < 0 {
			x = b.Min[a]
		}
		t := new(big.Float).SetPrec(300).SetFloat64(p[a])
		sum.Add(sum, t.Mul(t, new(big.Float).SetFloat64(x)))
	}
	f, _ := sum.Float64()
	return f
}

func exactSquare(x float64) *big.Float {
	f := new(big.Float).SetPrec(300).SetFloat64(x)
	return f.Mul(f, f)
}

// exactDistance2 is the squared distance of a point from a box.
func exactDistance2(b *soa.AABB64, p [3]float64) *big.Float {
	sum := new(big.Float).SetPrec(300)
	for a := range 3 {
		d := new(big.Float).SetPrec(300).SetFloat64(min(max(p[a], b.Min[a]), b.Max[a]))
		d.Sub(d, new(big.Float).SetFloat64(p[a]))
		sum.Add(sum, d.Mul(d, d))
	}
	return sum
}

// A ray in float64 is the ray about the origin.
func TestFloat64Ray(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	v := plant(t, objects, true).View()
	origin := [3]float64{1 << 40, -1 << 41, 0.5}
	for _, r := range scene.RayQueries(objects, 200, 1) {
		var from, dir [3]float64
		for a := range 3 {
			// Two bits are lost out there: take a start that keeps all.
			from[a], dir[a] = origin[a]+float64(float32(math.Round(float64(r.Origin[a])*256)/256)), float64(r.Dir[a])
			r.Origin[a] = float32(math.Round(float64(r.Origin[a])*256) / 256)
		}
		want := rayOf(t, r.Origin, r.Dir, r.MaxT)
		got, err := query.NewRay64(from, dir, float64(r.MaxT), origin)
		testkit.Must(t, err)
		if !slices.Equal(got.Append(nil, v, query.Filter{}), want.Append(nil, v, query.Filter{})) {
			t.Fatalf("ray from %v along %v", from, dir)
		}
	}
}

// A sphere reaches an object even if float32 rounds its centre away from the object.
func TestSphere64ReachesFromItsCentre(t *testing.T) {
	const at = 1<<24 + 1 // float32 has its neighbours
	for axis := range 3 {
		for _, side := range []float64{-1, 1} {
			for _, radius := range []float64{1, 3, 11, 101} {
				var center [3]float64
				var p [3]float32
				center[axis] = side * at
				p[axis] = float32(side * (at + radius)) // exactly, and further than the rounded centre is wide
				if math.Abs(float64(p[axis])) != at+radius {
					t.Fatalf("%v is no float32", at+radius)
				}
				s, err := query.NewSphere64(center, radius, [3]float64{})
				testkit.Must(t, err)
				v := plant(t, []soa.Object{{Box: soa.AABB{Min: p, Max: p}, Mask: 1}}, true).View()
				if n := s.Count(v, query.Filter{}); n != 1 {
					t.Errorf("the sphere of radius %v about %v does not meet %v", radius, center, p)
				}
			}
		}
	}
}

// The far plane of a camera without end holds every point, and has the coefficients for it.
func TestNoFarPlane(t *testing.T) {
	for clip, eye := range map[query.Clip][16]float32{
		query.ClipZeroToOne: {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, -0.5, 0},
		query.ClipReversedZ: {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0.5, 0},
	} {
		f, err := query.FrustumColumnMajor(eye, clip|query.ClipInfiniteFar)
		testkit.Must(t, err)
		far := f.Planes()[5]
		if far[0] != 0 || far[1] != 0 || far[2] != 0 || !(far[3] > 0) {
			t.Errorf("clip %v: the far plane is %v", clip, far)
		}
	}
}

// A sphere that float32 represents exactly equals that of NewSphere: no rounding, no margin.
func TestSphere64Exact(t *testing.T) {
	for _, c := range [][3]float32{{}, {1, -2, 3}, {0x1.234p5, -0x1p-20, 1e10}} {
		want := sphere(t, scene.Sphere{Center: c, Radius: 0.75})
		got, err := query.NewSphere64([3]float64{float64(c[0]), float64(c[1]), float64(c[2])}, 0.75, [3]float64{})
		testkit.Must(t, err)
		if got != want {
			t.Errorf("about %v: %+v, want %+v", c, got, want)
		}
	}
}

// A plane at an origin is not inside of the exact one, and little outside.
func TestRebasedPlanes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	up := 0
	for range testkit.Budget(t, 1000, 20_000) {
		var p [4]float64
		var origin [3]float64
		d, size := exactly(0), 0.0
		for a := range 3 {
			// The sum of products about cancels d, so that its rounding shows.
			p[a], origin[a] = rng.NormFloat64(), rng.NormFloat64()*math.Ldexp(1, rng.IntN(40))
			d.Sub(d, new(big.Float).Mul(exactly(p[a]), exactly(origin[a])))
			size += math.Abs(p[a] * origin[a])
		}
		p[3], _ = d.Float64()
		p[3] += float64(rng.IntN(3)-1) * size * 0x1p-52
		exact := exactly(p[3])
		exact.Sub(exact, d)
		got := query.Rebase(p, origin)
		_, e := math.Frexp(max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2])))
		exact.SetMantExp(exact, -2-e)
		more, _ := new(big.Float).Sub(exactly(got[3]), exact).Float64()
		if most := math.Ldexp(size+math.Abs(p[3]), -2-e)*0x1p-48 + math.Abs(got[3])*0x1p-22; more < 0 || more > most {
			t.Fatalf("plane %x at %x is %x: d is %v above the exact one, want 0 to %v", p, origin, got, more, most)
		}
		if more > 0 {
			up++
		}
	}
	if up == 0 {
		t.Error("no plane was rounded")
	}
}

// exactly returns x with the precision for sums and products.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(x) }

// The ray of a pixel reaches its far plane in exact arithmetic.
func TestPixelsReachTheFarPlane(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 200, 5000) {
		near := math.Exp(4*rng.Float64() - 3)
		cam := query.Camera{
			Eye: [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, Forward: [3]float64{1, rng.NormFloat64(), rng.NormFloat64()},
			Up: [3]float64{0, 0, 1}, FovY: 0.3 + rng.Float64(), Aspect: 1.5, Near: near, Far: near * (2 + 1000*rng.Float64()),
		}
		v, err := cam.Viewport(800, 600)
		testkit.Must(t, err)
		start, along, length, fault := query.PixelLine(v, 800*rng.Float64(), 600*rng.Float64())
		if fault != "" {
			t.Fatal(fault)
		}
		far := query.FarPlane(v)
		height := exactly(far[3])
		for a := range 3 {
			at := new(big.Float).Mul(exactly(float64(float32(along[a]))), exactly(length))
			at.Add(at, exactly(float64(float32(start[a]))))
			height.Add(height, at.Mul(at, exactly(far[a])))
		}
		if height.Sign() > 0 {
			h, _ := height.Float64()
			t.Fatalf("%+v: the ray ends %v before the far plane", cam, h)
		}
	}
}

// A plane in float64 is the same one times any power of two, as far as its numbers are
// exact then.
func TestPlanesAnyScale64(t *testing.T) {
	plane := [4]float64{1, -2, 0.5, 3}
	var planes [6][4]float64
	for i := range planes {
		planes[i] = plane
	}
	want, err := query.FrustumPlanes64(planes, [3]float64{1, 2, 3})
	testkit.Must(t, err)
	for e := -1073; e <= 1022; e++ {
		for i := range planes {
			for k, x := range plane {
				planes[i][k] = math.Ldexp(x, e)
			}
		}
		if got, err := query.FrustumPlanes64(planes, [3]float64{1, 2, 3}); err != nil || got != want {
			t.Fatalf("times 2^%d: %v, %v, want %v", e, got, err, want)
		}
	}
}

// A world in float64 whose origin follows a player for thousands of kilometres: after each move of the origin, with
// objects that move, come and go between, every object has exactly the box of the world about the origin, without an
// error that grows, and queries about the origin find all that intersects in float64, and nothing further off than
// one rounding.
func TestMovingOrigin(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, cfg := range []linear.Config{{}, {Policy: linear.PolicyIncremental}, {Policy: linear.PolicyRefit, PendingMin: 8}, {TickBudget: 1 << 10}} {
		tree, err := linear.New(cfg)
		testkit.Must(t, err)
		var world linear.Column[soa.AABB64]
		player, origin := [3]float64{6_371_000.3, -1_000_000.7, 0.1}, [3]float64{}
		place := func() (b soa.AABB64) {
			for a := range 3 {
				b.Min[a] = player[a] + (rng.Float64()-0.5)*3000
				b.Max[a] = b.Min[a] + rng.Float64()*20
			}
			return b
		}
		var live []uint32
		insert := func(n int) {
			var boxes []soa.AABB64
			var objects []soa.Object
			for range n {
				boxes = append(boxes, place())
				objects = append(objects, soa.Object{Box: boxes[len(boxes)-1].Box(origin), Mask: 1})
			}
			ids, err := tree.InsertBatch(nil, objects)
			testkit.Must(t, err)
			world.SetBatch(ids, boxes)
			live = append(live, ids...)
		}
		origin = player
		insert(500)
		var ids []uint32
		var boxes []soa.AABB
		met := 0
		for range testkit.Budget(t, 30, 1000) {
			for a := range 3 {
				player[a] += 4000 * rng.NormFloat64()
			}
			for range 20 { // objects that travel with the player
				id := live[rng.IntN(len(live))]
				world.Set(id, place())
				testkit.Must(t, tree.Move(id, world.At(id).Box(origin)))
			}
			insert(5)
			dead := make([]uint64, world.Len()/64+1)
			for range 5 {
				i := rng.IntN(len(live))
				dead[live[i]/64] |= 1 << (live[i] % 64)
				live = slices.Delete(live, i, i+1)
			}
			testkit.Must(t, tree.RemoveDirty(dead))
			if rng.IntN(2) == 0 {
				testkit.Must(t, tree.Tick())
			}

			origin = player
			var arrangement uint64
			ids, arrangement = tree.Order(ids[:0])
			boxes = boxes[:0]
			for _, id := range ids {
				boxes = append(boxes, world.Get(id).Box(origin))
			}
			testkit.Must(t, tree.MoveInOrder(arrangement, boxes))
			testkit.Must(t, tree.Validate())

			v := tree.View()
			for _, id := range live {
				if o, ok := v.Object(id); !ok || o.Box != world.Get(id).Box(origin) {
					t.Fatalf("object %d has the box %v, %v, want %v", id, o.Box, ok, world.Get(id).Box(origin))
				}
			}
			for range 5 {
				b := world.Get(live[max(len(live)-1-rng.IntN(50), 0)])
				for a := range 3 {
					d := []float64{0, b.Max[a] - b.Min[a], 7 * rng.NormFloat64()}[rng.IntN(3)]
					b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
				}
				q, err := query.NewBox64(b.Min, b.Max, origin)
				testkit.Must(t, err)
				got := map[uint32]bool{}
				for _, id := range q.Append(nil, v, query.Filter{}) {
					got[id] = true
				}
				for _, id := range live {
					w := world.Get(id)
					gap, size := 0.0, 0.0
					for a := range 3 {
						gap = max(gap, w.Min[a]-b.Max[a], b.Min[a]-w.Max[a])
						for _, x := range [4]float64{w.Min[a], w.Max[a], b.Min[a], b.Max[a]} {
							size = max(size, math.Abs(x-origin[a]))
						}
					}
					if gap <= 0 != got[id] && (gap <= 0 || gap > 0x1p-22*size) {
						t.Fatalf("object %d, %v from the query, is found: %v", id, gap, got[id])
					}
					if got[id] {
						met++
					}
				}
			}
		}
		if met == 0 {
			t.Error("no query has found an object")
		}
	}
}
