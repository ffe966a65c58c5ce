package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Among objects hit at the same time the one with the smallest path is the hit, even if another part is
// entered sooner, and the kernels round times differently from the clipping of the ray.
func TestTiesOfInstances(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for range testkit.Budget(t, 500, 4000) {
			from, dir := [3]float32{}, [3]float32{}
			wall := soa.AABB{}
			for a := range 3 {
				from[a], dir[a] = rng.Float32()*20-10, rng.Float32()-0.5
				wall.Min[a], wall.Max[a] = -30, 30
			}
			dir[2] = rng.Float32()*10 + 1
			wall.Min[2] = from[2] + dir[2]*rng.Float32()
			wall.Max[2] = wall.Min[2] + rng.Float32()
			// An object beside the ray makes the ray enter the part at once.
			aside := soa.AABB{Min: [3]float32{20, 20, -20}, Max: [3]float32{20, 20, 20}}
			late := trees.Plant(t, []soa.Object{{Box: wall, Mask: 1}}, false)
			soon := trees.Plant(t, []soa.Object{{Box: aside, Mask: 1}, {Box: wall, Mask: 1}, {Box: soa.AABB{Min: [3]float32{-20, -20, -20}, Max: [3]float32{-20, -20, 20}}, Mask: 1}}, false)
			s := newScene(t)
			for range 6 {
				place(t, s, []linear.Part{late, soon}[rng.IntN(2)], linear.Transform{}, linear.InstanceOptions{})
			}
			testkit.Must(t, s.Tick())
			q := queries.Ray(t, from, dir, 100)
			h, ok := scene.First(q, s.View(), query.Filter{})
			if want, _ := q.First(late.View(), query.Filter{}); !ok || h.Path != scene.PathOf(0) || h.Dist != want.Dist {
				t.Fatalf("%v %v meets %+v %v, want %+v of /0", from, dir, h, ok, want)
			}
		}
	})
}

// An oriented box does not contain an object beside it, however far the other objects of a part reach.
func TestTurnedBesideFarObjects(t *testing.T) {
	yard := newScene(t)
	trees.Insert(t, yard.Tree(), []soa.Object{{Box: soa.AABB{Max: [3]float32{0x1p60, 1, 1}}, Mask: 1}})
	house := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1}, {Box: soa.AABB{Min: [3]float32{2}, Max: [3]float32{3, 1, 1}}, Mask: 1}}, false)
	place(t, yard, house, turnAbout(t, 0.1), linear.InstanceOptions{})
	s := newScene(t)
	place(t, s, yard, turnAbout(t, 0.25), linear.InstanceOptions{})
	near := queries.OrientedBox(t, soa.OrientedBox{Center: [3]float32{0, 0, 0.5}, Axes: [3][3]float32{{0.25}, {0, 0.25}, {0, 0, 0.25}}})
	want := map[uint32]bool{0: true}
	var a scene.Answer
	scene.Append(&a, near, s.View(), query.Filter{})
	for p, id := range a.All() {
		if a.Path(p) != scene.PathOf(0, 0) {
			continue
		}
		if !want[id] {
			t.Errorf("%d of %v is reported", id, a.Path(p))
		}
		delete(want, id)
	}
	if len(want) != 0 {
		t.Errorf("%v of /0/0 are lost", want)
	}
}

// turnAbout rotates about (1, 2, 3).
func turnAbout(t *testing.T, angle float64) linear.Transform {
	transform, err := linear.Similarity([3]float64{}, [4]float64{1, 2, 3, 4 / angle}, 1)
	testkit.Must(t, err)
	return transform
}

// A ball hits an object at the same time whether or not another one has been hit before.
func TestTimesOfBallsAfterHits(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 200, 10000) {
		s := newScene(t)
		for i := range 8 { // cubes on the way, the nearest of the largest path
			x := float32(8-i) + rng.Float32()
			cube := trees.Plant(t, []soa.Object{{Box: soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 0.25, 1, 1}}, Mask: 1}}, false)
			place(t, s, cube, linear.Transform{}, linear.InstanceOptions{})
		}
		q := queries.SweptSphere(t, [3]float32{0, 1.5 * rng.Float32(), 1.5 * rng.Float32()}, 0.5, [3]float32{1e6 * rng.Float32(), rng.Float32(), rng.Float32()})
		hits := scene.AppendHits(nil, q, s.View(), query.Filter{})
		h, ok := scene.FirstFunc(q, s.View(), query.Filter{}, func(_ scene.Path, _ uint32, tEnter float32) (float32, bool) { return tEnter, true })
		if ok != (len(hits) > 0) || ok && (h.Dist != hits[0].Dist || h.Path != hits[0].Path) {
			t.Fatalf("FirstFunc %v, AppendHits %v", h, hits)
		}
	}
}

// An oriented box that contains a part takes it whole, unless the margin by which its planes are raised for
// far objects leaves a doubt.
func TestTurnedTakesWhole(t *testing.T) {
	house := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1}, {Box: soa.AABB{Min: [3]float32{2}, Max: [3]float32{3, 1, 1}}, Mask: 1}}, false)
	s := newScene(t)
	place(t, s, house, turnAbout(t, 0.25), linear.InstanceOptions{})
	for half, want := range map[float32]int{10: 1, 1: 0} {
		q := queries.OrientedBox(t, soa.OrientedBox{Axes: [3][3]float32{{half}, {0, half}, {0, 0, half}}})
		if c := scene.Explain(q, s.View(), query.Filter{}, nil); c.Whole != want || c.Entered != 1-want {
			t.Errorf("half axes of %v: %+v, want %d whole", half, c, want)
		}
	}
}

// Of objects at the same distance those with the smallest paths are the nearest, in whatever order their instances are
// visited. Many instances are nested far from the origin of their scene, so that the point is rounded by about the
// distance of neighbours there.
func TestNearestTiesOfInstances(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		ties := 0
		for range testkit.Budget(t, 30, 300) {
			one := soa.Object{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1}
			// An object aside makes its part nearer than the others.
			aside := soa.Object{Box: soa.AABB{Min: [3]float32{-20, 0, 20}, Max: [3]float32{20, 1, 21}}, Mask: 1}
			parts := []*linear.Tree{trees.Plant(t, []soa.Object{one, one}, false), trees.Plant(t, []soa.Object{one, aside}, false)}
			yard, far := newScene(t), math.Exp2(float64(rng.IntN(28)))
			for range 40 {
				at, err := linear.Similarity([3]float64{far + float64(rng.IntN(8)), float64(rng.IntN(8)), 0}, [4]float64{3: 1}, 1)
				testkit.Must(t, err)
				place(t, yard, parts[rng.IntN(2)], at, linear.InstanceOptions{})
			}
			testkit.Must(t, yard.Tick())
			s := newScene(t)
			for range 3 {
				place(t, s, yard, turnAbout(t, 0.25), linear.InstanceOptions{})
			}
			testkit.Must(t, s.Tick())
			to := turnAbout(t, 0.25)
			box := to.Box(soa.BoxAround([3]float32{float32(far) + 8*rng.Float32(), 8 * rng.Float32(), 2}, [3]float32{}))
			p, k := box.Min, 1+rng.IntN(20)
			got, want := nearestOf(t, s.View(), p, k, infinity, query.Filter{}), scene.NearTwin(s.View(), p, k, infinity, query.Filter{})
			if !slices.Equal(got, want) {
				t.Fatalf("%d from %v, at %v:\n%v, want\n%v", k, p, far, got, want)
			}
			next := scene.NearTwin(s.View(), p, k+1, infinity, query.Filter{})
			if next[k].Dist == want[k-1].Dist {
				ties++
			}
		}
		if ties == 0 {
			t.Error("no ties at the end of an answer")
		}
	})
}

// nearExponent returns a number of about a binary exponent, from that of the smallest denormal number on.
func nearExponent(r *rand.Rand, e int) float32 {
	x := float32(math.Ldexp(1+r.Float64(), max(e-r.IntN(4), -149)))
	switch r.IntN(10) {
	case 0:
		x = 0
	case 1:
		x = 0x1p-149
	}
	if x = min(x, math.MaxFloat32/8); r.IntN(2) == 0 {
		x = -x
	}
	return x
}

// inPlanes reports whether in exact arithmetic the image of a box, times scale and moved by
// shift, has for each plane a point inside.
func inPlanes(planes *[6][4]float32, b *soa.AABB, scale float64, shift [3]float64) bool {
	number := func(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }
	for i := range planes {
		at := number(float64(planes[i][3]))
		for a := range 3 {
			n, corner := planes[i][a], b.Max[a]
			if n < 0 {
				corner = b.Min[a]
			}
			x := new(rational.Rat).Mul(number(float64(corner)), number(scale))
			at.Add(at, x.Mul(x.Add(x, number(shift[a])), number(float64(n))))
		}
		if at.Sign() < 0 {
			return false
		}
	}
	return true
}

// No frustum loses an object of a part that it contains in exact arithmetic, at any binary exponents of the
// coordinates: under the identity, where the part is moved, and where it is larger or smaller.
func TestEveryExponent(t *testing.T) {
	seed := testkit.Seed(t)
	held := 0
	for round := range testkit.Budget(t, 1, 20) {
		for e := -149; e <= 124; e++ {
			r := rand.New(rand.NewPCG(seed+uint64(round)<<32, uint64(e+149)))
			tree := trees.New(t, linear.Config{})
			objects := make([]soa.Object, 16)
			for i := range objects {
				o := &objects[i]
				for a := range 3 {
					p, q := nearExponent(r, e), nearExponent(r, e)
					o.Box.Min[a], o.Box.Max[a] = min(p, q), max(p, q)
				}
				o.Mask = 1
			}
			trees.Insert(t, tree, objects)
			scale, shift := 1.0, [3]float64{}
			switch (round + e + 149) % 3 {
			case 1:
				for a := range shift {
					shift[a] = float64(nearExponent(r, e))
				}
			case 2:
				scale = math.Ldexp(1, r.IntN(9)-4)
			}
			transform, err := linear.NewTransform([12]float64{scale, 0, 0, shift[0], 0, scale, 0, shift[1], 0, 0, scale, shift[2]})
			testkit.Must(t, err)
			s := newScene(t)
			if _, err := s.AddInstance(tree, transform, linear.InstanceOptions{}); err != nil {
				continue // the part would be beyond float32
			}
			for range 3 {
				// Planes through a corner of an object, or next to it.
				var planes [6][4]float32
				o := &objects[r.IntN(len(objects))].Box
				for i := range planes {
					d := 0.0
					for a := range 3 {
						n := float32(r.NormFloat64())
						x := float64(o.Min[a])
						if r.IntN(2) == 0 {
							x = float64(o.Max[a])
						}
						planes[i][a] = n
						d -= float64(n) * (x*scale + shift[a])
					}
					planes[i][3] = min(max(float32(d), -math.MaxFloat32), math.MaxFloat32)
				}
				f := queries.Frustum(t, planes)
				var must []uint32
				for i := range objects {
					if inPlanes(&planes, &objects[i].Box, scale, shift) {
						must = append(must, uint32(i))
					}
				}
				held += len(must)
				for _, tier := range testkit.Tiers() {
					former, err := asm.SetTier(tier)
					testkit.Must(t, err)
					var answer scene.Answer
					scene.Append(&answer, f, s.View(), query.Filter{})
					asm.SetTier(former)
					for _, i := range must {
						if !slices.Contains(answer.IDs, i) {
							t.Fatalf("%s, exponent %d, scale %v, shift %v: planes %x lose %x", tier, e, scale, shift, planes, objects[i].Box)
						}
					}
				}
			}
		}
	}
	t.Logf("%d objects are held", held)
	if held < 1000 {
		t.Error("the frusta hold too little")
	}
}

// The bounds of a part that touch a plane in exact arithmetic are not outside after the plane has been scaled to
// x/8 >= 2^-149, since 5/8 of the smallest denormal number is rounded to one.
func TestSmallestPlane(t *testing.T) {
	const at = 5 * 0x1p-149
	tree := trees.New(t, linear.Config{})
	trees.Insert(t, tree, []soa.Object{{Mask: 1}})
	s := newScene(t)
	for _, rows := range [][12]float64{
		{0: 1, 3: at, 5: 1, 10: 1},                      // moved along the normal
		{0: 1, 3: at, 5: 0.6, 6: -0.8, 9: 0.8, 10: 0.6}, // turned about the normal
	} {
		transform, err := linear.NewTransform(rows)
		testkit.Must(t, err)
		_ = place(t, s, tree, transform, linear.InstanceOptions{})
	}
	f := queries.Frustum(t, [6][4]float32{{1, 0, 0, -at}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}, {0, 0, 1, 1}, {0, 0, -1, 1}})
	testkit.EachTier(t, func(t *testing.T) {
		var answer scene.Answer
		if scene.Append(&answer, f, s.View(), query.Filter{}); len(answer.IDs) != 2 {
			t.Errorf("%d objects, want the two at the plane", len(answer.IDs))
		}
	})
}
