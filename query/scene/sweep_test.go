package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// swept is a ray or a moving shape with all forms of its query, and its definition.
type swept struct {
	name    string
	nearest func(linear.SceneView, query.Filter) (scene.Hit, bool)
	tested  func(linear.SceneView, query.Filter, func(scene.Path, uint32, float32) (float32, bool)) (scene.Hit, bool)
	append  func([]scene.Hit, linear.SceneView, query.Filter) []scene.Hit
	any     func(linear.SceneView, query.Filter) bool
	tell    func(linear.SceneView, query.Filter, *scene.Heat) scene.Counters
	flat    func([]query.Hit, linear.View, query.Filter) []query.Hit

	from, dir [3]float32
	until     float64
	box       *soa.AABB // of a box
	radius    float64   // of a ball
}

func sweptOf[S query.Sweep, P interface {
	*S
	Append([]query.Hit, linear.View, query.Filter) []query.Hit
}](name string, s S) swept {
	return swept{
		name:    name,
		nearest: func(v linear.SceneView, f query.Filter) (scene.Hit, bool) { return scene.First(s, v, f) },
		tested: func(v linear.SceneView, f query.Filter, test func(scene.Path, uint32, float32) (float32, bool)) (scene.Hit, bool) {
			return scene.FirstFunc(s, v, f, test)
		},
		append: func(dst []scene.Hit, v linear.SceneView, f query.Filter) []scene.Hit {
			return scene.AppendHits(dst, s, v, f)
		},
		any: func(v linear.SceneView, f query.Filter) bool { return scene.Any(s, v, f) },
		tell: func(v linear.SceneView, f query.Filter, h *scene.Heat) scene.Counters {
			return scene.ExplainSweep(s, v, f, h)
		},
		flat: P(&s).Append,
	}
}

// sweptAt draws a ray, a box and a ball that move towards a point, past it or through a
// corner.
func sweptAt(t testing.TB, rng *rand.Rand, center, corner [3]float64, size float64) (all []swept) {
	t.Helper()
	aim := center
	switch rng.IntN(3) {
	case 0:
		aim = corner
	case 1:
		for a := range 3 {
			aim[a] += rng.NormFloat64() * size
		}
	}
	var from, dir [3]float32
	away := size * math.Ldexp(1, rng.IntN(6)-1)
	for a := range 3 {
		from[a] = float32(aim[a] + rng.NormFloat64()*away)
		if rng.IntN(6) == 0 {
			from[a] = float32(aim[a])
		}
		dir[a] = float32(aim[a] - float64(from[a]))
	}
	if rng.IntN(3) == 0 { // along an edge of an object, under transforms that leave it upright
		axis := rng.IntN(3)
		for a := range 3 {
			from[a], dir[a] = float32(corner[a]), 0
		}
		dir[axis] = float32(away)
		from[axis] -= float32(away)
	}
	if dir == [3]float32{} {
		dir[rng.IntN(3)] = float32(size)
	}
	long, until := dir, math.Inf(1)
	for a := range 3 {
		long[a] *= 2
	}
	if rng.IntN(2) == 0 {
		until = float64(float32(rng.Float64() * 2))
	}
	ray := queries.Ray(t, from, dir, float32(until))
	s := sweptOf("ray", ray)
	s.from, s.dir, s.until = from, dir, until
	all = append(all, s)

	half := float32(size * math.Ldexp(1, -rng.IntN(5)))
	box := soa.AABB{Min: from, Max: from}
	for a := range 3 {
		box.Min[a] -= half * rng.Float32()
		box.Max[a] += half * rng.Float32()
	}
	moving := queries.SweptBox(t, box, long)
	s = sweptOf("box", moving)
	s.from, s.dir, s.until, s.box = from, long, 1, &box
	all = append(all, s)

	ball := queries.SweptSphere(t, from, half, long)
	s = sweptOf("ball", ball)
	s.from, s.dir, s.until, s.radius = from, long, 1, float64(half)
	return append(all, s)
}

func eachSwept(t *testing.T, seed uint64, family string, rounds, depth, places int, body func(rng *rand.Rand, s *linear.Scene, all []spot, q swept)) {
	rng := testkit.Rand(seed<<8 + 77 + uint64(slices.Index(families, family)))
	for range rounds {
		s := worldOf(t, rng, family, 1+rng.IntN(depth), 2+rng.IntN(places))
		if rng.IntN(8) == 0 {
			s = chainOf(t, rng, family, linear.MaxDepth)
		}
		all := spots(s.View())
		for range 6 {
			if center, corner, size, ok := targetOf(rng, all); ok {
				for _, q := range sweptAt(t, rng, center, corner, size) {
					body(rng, s, all, q)
				}
			}
		}
	}
}

// touches reports whether a shape may only touch an object at the start: it is not a ray, and the centre of a ball
// is as far from the position of the hit as its surface.
func (q *swept) touches(h *scene.Hit) bool {
	square, size := 0.0, q.radius
	for a := range 3 {
		d := float64(h.Pos[a]) - float64(q.from[a])
		square += d * d
		size += math.Abs(float64(q.from[a]))
	}
	return q.box != nil || q.radius > 0 && math.Abs(math.Sqrt(square)-q.radius) < 1e-5*size
}

// in is a hit without its position.
type in struct {
	path scene.Path
	id   uint32
}

// All forms agree with each other, with the order of the contract, and on all tiers; a search with a test
// picks the same hit as a loop over all hits.
func TestSweepForms(t *testing.T) {
	seed := testkit.Seed(t)
	var former []string
	found, none := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		for _, family := range families {
			check := func(rng *rand.Rand, s *linear.Scene, all []spot, q swept) {
				v, f := s.View(), someFilter(rng)
				f.Exact = rng.IntN(2) == 0
				hits := q.append(nil, v, f)
				answers = append(answers, fmt.Sprint(hits))
				found += len(hits)
				if plain := f; q.name == "box" && f.Exact {
					plain.Exact = false
					if want := q.append(nil, v, plain); !slices.Equal(hits, want) {
						t.Fatalf("%s: a box with Exact has %v, want %v", family, hits, want)
					}
				}
				before := func(a, b scene.Hit) bool {
					return a.Dist < b.Dist || a.Dist == b.Dist && a.Path.Compare(b.Path) <= 0
				}
				for i := 1; i < len(hits); i++ {
					if !before(hits[i-1], hits[i]) {
						t.Fatalf("%s: %v before %v", q.name, hits[i-1], hits[i])
					}
				}
				for _, h := range hits {
					l := float64(h.Normal[0])*float64(h.Normal[0]) + float64(h.Normal[1])*float64(h.Normal[1]) + float64(h.Normal[2])*float64(h.Normal[2])
					if h.Dist == 0 && l != 0 && !q.touches(&h) || l != 0 && math.Abs(l-1) > 1e-5 || !(float64(h.Dist) <= q.until) {
						t.Fatalf("%s: %v", q.name, h)
					}
				}
				h, ok := q.nearest(v, f)
				if ok != (len(hits) > 0) || ok && h != hits[0] {
					t.Fatalf("%s %s %+v: nearest %v %v of %v", family, q.name, f, h, ok, hits)
				}
				if got := q.any(v, f); got != ok {
					t.Fatalf("%s: Any %v, of %d", q.name, got, len(hits))
				}
				// A test that rejects some hits, with times that would count, delays others, and returns times before
				// the box and invalid times for others.
				shape := func(h scene.Hit) (t float32, hit bool) {
					switch k := h.ID*7 + uint32(h.Path.Len()); k % 8 {
					case 0:
						return h.Dist, false
					case 1:
						return h.Dist * 1.25, true
					case 2:
						return float32(math.NaN()), true
					case 3:
						return math.Nextafter32(h.Dist, -1), true
					case 4:
						return float32(math.Inf(1)), true
					}
					return h.Dist, true
				}
				var want scene.Hit
				some := false
				for _, h := range hits {
					d, hit := shape(h)
					if d = max(d, h.Dist); !hit || !(float64(d) <= min(q.until, math.MaxFloat32)) {
						continue
					}
					h.Dist, h.Pos, h.Normal = d, [3]float32{}, [3]float32{}
					if !some || h.Dist < want.Dist || h.Dist == want.Dist && (h.Path.Compare(want.Path) < 0 || h.Path == want.Path && h.ID < want.ID) {
						want, some = h, true
					}
				}
				if !some {
					none++
				}
				asked := map[in]bool{}
				got, ok := q.tested(v, f, func(p scene.Path, id uint32, tEnter float32) (float32, bool) {
					if asked[in{p, id}] {
						t.Fatalf("%s: %d of %v is tested twice", q.name, id, p)
					}
					asked[in{p, id}] = true
					return shape(scene.Hit{Path: p, ID: id, Dist: tEnter})
				})
				if ok != some || got != want {
					t.Fatalf("%s %s: FirstFunc %v %v, want %v %v", family, q.name, got, ok, want, some)
				}
				if c := q.tell(v, f, nil); c.Instances != c.Rejected+c.Entered {
					t.Fatalf("%+v", c)
				}
			}
			eachSwept(t, seed, family, testkit.Budget(t, 2, 100), 3, 12, check)
			many := scene.ListAhead(0)
			eachSwept(t, seed, family, testkit.Budget(t, 2, 30), 2, 100, check)
			scene.ListAhead(many)
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other answers than the first")
		}
	})
	if found == 0 || none == 0 {
		t.Errorf("%d hits, %d without any", found, none)
	}
}

// Under the identity, and for rays under translations by powers of two, a part gives the hits of its tree,
// at the same times and in their order.
func TestSweepsUnderSteps(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	found := 0
	for round := range testkit.Budget(t, 60, 5000) {
		tree := treeOf(t, rng)
		s := newScene(t)
		var step [3]float64
		if round%2 == 1 {
			for a := range 3 {
				step[a] = float64(rng.IntN(3)-1) * 64
			}
		}
		id := place(t, s, tree, translation(t, step[0], step[1], step[2]), linear.InstanceOptions{})
		var from, back, dir [3]float32
		for a := range 3 {
			from[a], dir[a] = float32(rng.IntN(64)-32), float32(rng.NormFloat64())
			back[a] = from[a] - float32(step[a])
		}
		here, err := query.NewRay(from, dir, 100)
		there, err2 := query.NewRay(back, dir, 100)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		all := []struct{ here, there swept }{{sweptOf("ray", here), sweptOf("ray", there)}}
		if step == [3]float64{} {
			for _, q := range sweptAt(t, rng, [3]float64{1, 2, 3}, [3]float64{4, 4, 4}, 8) {
				all = append(all, struct{ here, there swept }{q, q})
			}
		}
		for _, q := range all {
			f := query.Filter{Exact: rng.IntN(2) == 0}
			want := q.there.flat(nil, tree.View(), f)
			got := q.here.append(nil, s.View(), f)
			found += len(want)
			if !slices.EqualFunc(got, want, func(g scene.Hit, w query.Hit) bool {
				return g.ID == w.ID && g.Dist == w.Dist && g.Path == scene.PathOf(id) && g.Normal == w.Normal && (g.Pos == w.Pos || step != [3]float64{})
			}) {
				t.Fatalf("%s by %v:\n%v, want\n%v", q.here.name, step, got, want)
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}

func treeOf(t testing.TB, rng *rand.Rand) *linear.Tree { return planted(t, rng, 1+rng.IntN(300)) }
