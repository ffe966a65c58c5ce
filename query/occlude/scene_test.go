package occlude_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// member is an object of a scene or of a part in it, with its position.
type member struct {
	path   scene.Path
	id     uint32
	object soa.Object
	body   body     // its image, up to float64 rounding
	gates  []uint32 // instance masks on the path
	solid  bool
}

// name names a member in an answer.
type name struct {
	path scene.Path
	id   uint32
}

// membersIn lists all objects in a view, at any depth.
func membersIn(v linear.SceneView) (all []member) {
	identity := [12]float64{0: 1, 5: 1, 10: 1}
	var into func(v linear.SceneView, path []uint32, m [12]float64, gates []uint32)
	into = func(v linear.SceneView, path []uint32, m [12]float64, gates []uint32) {
		solid := true
		for _, g := range gates {
			solid = solid && g&walls != 0
		}
		for _, id := range new(query.Frustum).Append(nil, v.Objects(), query.Filter{}) {
			o, _ := v.Objects().Object(id)
			turned, ok := v.Objects().Oriented(id)
			b := imageBody(m, o.Box)
			if ok {
				b = imageBody(afterTurned(m, turned), soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
			}
			_, round := v.Objects().Sphere(id)
			all = append(all, member{scene.PathOf(path...), id, o, b, slices.Clone(gates), solid && o.Mask&walls != 0 && (ok || !round)})
		}
		for _, id := range new(query.Frustum).Append(nil, v.Instances(), query.Filter{}) {
			g, _ := v.Instances().Object(id)
			inner, _, transform := v.Instance(id)
			into(inner, append(slices.Clone(path), id), rowsAfter(m, transform.Rows()), append(slices.Clone(gates), g.Mask))
		}
	}
	into(v, nil, identity, nil)
	return all
}

// rowsAfter is the map that applies r first and then m.
func rowsAfter(m, r [12]float64) (out [12]float64) {
	for i := range 3 {
		out[4*i+3] = m[4*i+3]
		for k := range 3 {
			for j := range 4 {
				out[4*i+j] += m[4*i+k] * r[4*k+j]
			}
		}
	}
	return out
}

func afterTurned(m [12]float64, o soa.OrientedBox) [12]float64 {
	var r [12]float64
	for a := range 3 {
		r[4*a+3] = float64(o.Center[a])
		for i := range 3 {
			r[4*a+i] = float64(o.Axes[i][a])
		}
	}
	return rowsAfter(m, r)
}

// imageBody is the parallelepiped of a box under a map.
func imageBody(m [12]float64, b soa.AABB) (s body) {
	c := [3][3]float64{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}
	n := [3][3]float64{crossOf(c[1], c[2]), crossOf(c[2], c[0]), crossOf(c[0], c[1])}
	det := 0.0
	for a := range 3 {
		det += c[0][a] * n[0][a]
	}
	for a := range 3 {
		lo, hi := [4]float64{3: -float64(b.Min[a])}, [4]float64{3: float64(b.Max[a])}
		for k := range 3 {
			x := n[a][k] / det
			lo[k], hi[k] = -x, x
			lo[3] -= x * m[4*k+3]
			hi[3] += x * m[4*k+3]
		}
		s.planes = append(s.planes, lo, hi)
	}
	s.corners = cornersOf(m, b)
	return s
}

// transformKinds are kinds of transforms, the simplest first.
var transformKinds = []string{"identity", "steps", "translation", "aligned", "turned", "mirrored", "sheared", "flat", "scaled", "tiny", "huge"}

// partPose draws a transform of a kind, at a position, and the unit of the objects under it.
func partPose(rng *rand.Rand, kind string, at [3]float64) (linear.Transform, float64) {
	for {
		scale := 1.0
		q := [4]float64{rng.NormFloat64() / 4, rng.NormFloat64() / 4, rng.NormFloat64(), rng.NormFloat64()}
		switch kind {
		case "identity":
			return linear.Transform{}, 1
		case "scaled":
			scale = math.Exp2(rng.Float64()*4 - 2)
		case "tiny":
			scale = math.Ldexp(1+rng.Float64(), -20)
		case "huge":
			scale = math.Ldexp(1+rng.Float64(), 19)
		}
		p, err := linear.Similarity([3]float64{}, q, scale)
		if err != nil {
			continue
		}
		rows := p.Rows()
		switch kind {
		case "steps", "translation":
			rows = [12]float64{0: 1, 5: 1, 10: 1}
		case "aligned":
			rows = [12]float64{0: 0, 1: -0.75, 4: 1.25, 10: 1}
		case "mirrored":
			for i := range 3 {
				rows[4*i] = -rows[4*i]
			}
		case "sheared":
			for i := range 3 {
				for j := range 3 {
					rows[4*i+j] += 0.4 * rng.NormFloat64()
				}
			}
		case "flat": // but not in the space of its contents
			for i := range 3 {
				rows[4*i+2] *= 1. / 256
			}
		}
		for i := range 3 {
			rows[4*i+3] = at[i]
			if kind == "steps" {
				rows[4*i+3] = math.Round(at[i]/16) * 16
			}
		}
		if p, err := linear.NewTransform(rows); err == nil {
			return p, 1 / scale
		}
	}
}

// block returns some houses and many small objects, about zero, in a unit; z is stretched.
func block(rng *rand.Rand, houses, small int, unit, side, z float64) (objects []soa.Object) {
	for i, o := range town(rng, houses, small, side) {
		for a := range 3 {
			s := unit
			if a == 2 {
				s *= z
			}
			shift := side / 2
			if a == 2 {
				shift = 0
			}
			o.Box.Min[a] = float32((float64(o.Box.Min[a]) - shift) * s)
			o.Box.Max[a] = float32((float64(o.Box.Max[a]) - shift) * s)
		}
		o.Mask |= 4 << (i % 3)
		objects = append(objects, o)
	}
	return objects
}

// part makes a part of blocks, with the given number of levels, in a unit.
func part(t testing.TB, rng *rand.Rand, levels int, unit, side, z float64, kind func() string, depth int) linear.Part {
	t.Helper()
	objects := block(rng, 6, 40, unit, side, z)
	if rng.IntN(12) == 0 {
		objects = nil
	}
	if levels == 0 {
		tree := plant(t, objects, linear.Config{})
		bound(t, rng, tree)
		return tree
	}
	s := newScene(t)
	if _, err := s.Tree().InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	bound(t, rng, s.Tree())
	for range 1 + rng.IntN(2)*max(4-depth, 0)/3 {
		k := kind()
		transform, inner := partPose(rng, k, [3]float64{})
		zi := 1.0
		if k == "flat" {
			zi = 256
		}
		p := part(t, rng, levels-1, unit*inner, side*0.8, zi, kind, depth+1)
		for range 1 + rng.IntN(2)*max(4-depth, 0)/2 { // shared
			rows := transform.Rows()
			for a := range 3 {
				at := rng.NormFloat64() * side / 4 * unit
				if a == 2 {
					at *= 0.1
				}
				if k == "steps" {
					at = math.Round(at/16) * 16
				}
				rows[4*a+3] = at
			}
			if k == "identity" {
				rows = [12]float64{0: 1, 5: 1, 10: 1}
			}
			moved, err := linear.NewTransform(rows)
			testkit.Must(t, err)
			mask := []uint32{0, 0, 0, 7, 6, walls}[rng.IntN(6)]
			if _, err := s.AddInstance(p, moved, linear.InstanceOptions{Mask: mask}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// bound gives some objects bounds.
func bound(t testing.TB, rng *rand.Rand, tree *linear.Tree) {
	t.Helper()
	v := tree.View()
	for _, id := range new(query.Frustum).Append(nil, v, query.Filter{}) {
		o, _ := tree.View().Object(id)
		var c [3]float32
		var half [3]float32
		for a := range 3 {
			c[a], half[a] = o.Box.Min[a]/2+o.Box.Max[a]/2, (o.Box.Max[a]-o.Box.Min[a])/2
		}
		switch rng.IntN(16) {
		case 0:
			r := min(half[0], half[1], half[2]) * 0.9
			if r > 0 {
				tree.SetSphere(id, [4]float32{c[0], c[1], c[2], r})
			}
		case 1:
			w := min(half[0], half[1]) * 0.6
			if w > 0 {
				tree.SetOriented(id, soa.OrientedBox{Center: c, Axes: [3][3]float32{{w, w / 2, 0}, {-w / 2, w, 0}, {0, 0, half[2]}}})
			}
		}
	}
}

// sceneOf makes a scene of levels of parts.
func sceneOf(t testing.TB, rng *rand.Rand, levels int, kind func() string) *linear.Scene {
	t.Helper()
	s := newScene(t)
	if _, err := s.Tree().InsertBatch(nil, block(rng, 30, 150, 1, 120, 1)); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		k := kind()
		at := [3]float64{rng.NormFloat64() * 30, rng.NormFloat64() * 30, rng.NormFloat64()}
		transform, unit := partPose(rng, k, at)
		z := 1.0
		if k == "flat" {
			z = 256
		}
		p := part(t, rng, levels-1, unit, 60, z, kind, 1)
		place(t, s, p, transform)
	}
	testkit.Must(t, s.Tick())
	return s
}

// namesOf lists an answer.
func namesOf(a *scene.Answer) (all []name) {
	for p, id := range a.All() {
		all = append(all, name{a.Path(p), id})
	}
	return all
}

// indicesOf returns the indices of the named members, and fails if a result holds any other name, or one
// twice.
func indicesOf(t testing.TB, all []member, names []name) (out []uint32) {
	t.Helper()
	at := map[name]uint32{}
	for i := range all {
		at[name{all[i].path, all[i].id}] = uint32(i)
	}
	for _, n := range names {
		i, ok := at[n]
		if !ok {
			t.Fatalf("%v is twice in an answer, or nowhere", n)
		}
		delete(at, n)
		out = append(out, i)
	}
	return out
}

// askScene queries the visible objects, and checks that all forms agree.
func askScene(t *testing.T, culler *occlude.Culler, look func(), v linear.SceneView, f query.Filter) []name {
	t.Helper()
	var a scene.Answer
	again := func() {
		look()
		culler.Reset()
	}
	again()
	culler.AppendScene(&a, v, f)
	got := namesOf(&a)
	again()
	var each []name
	for p, id := range culler.AllScene(v, f) {
		each = append(each, name{p, id})
	}
	if !slices.Equal(each, got) {
		t.Errorf("filter %+v: AllScene differs: %d objects, AppendScene %d", f, len(each), len(got))
	}
	again()
	if n := culler.CountScene(v, f); n != uint64(len(got)) {
		t.Errorf("filter %+v: CountScene %d of %d", f, n, len(got))
	}
	again()
	// AnyScene draws once, AppendScene twice or more.
	if any := culler.AnyScene(v, f); !any && len(got) > 0 || any && scene.Count(culler.Frustum(), v, f) == 0 {
		t.Errorf("filter %+v: AnyScene %v of %d", f, any, len(got))
	}
	again()
	heat := scene.NewHeat(v)
	c := culler.ExplainScene(v, f, heat)
	nodes, slots := 0, 0
	for i := range heat.Objects {
		for _, h := range []*query.Heat{heat.Objects[i], heat.Instances[i]} {
			for _, n := range h.Nodes {
				nodes += int(n)
			}
			for _, n := range h.Slots {
				slots += int(n)
			}
		}
	}
	if c.Nodes != nodes || c.Packets != slots || (len(got) > 0) != (c.Ranges > 0) {
		t.Errorf("filter %+v: %+v of %d objects, heat %d and %d", f, c, len(got), nodes, slots)
	}
	return got
}

// No false negatives in a scene of parts under transforms of all kinds, at any depth, with memory and
// without: every object that a ray reaches first is returned. Results are a subset of the frustum's, and
// many objects are hidden.
func TestSceneContract(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, k := range append(transformKinds, "any") {
		t.Run(k, func(t *testing.T) {
			left, shown, met := 0, 0, 0
			for round := range testkit.Budget(t, 2, 60) {
				kind := func() string {
					if k != "any" {
						return k
					}
					return transformKinds[rng.IntN(len(transformKinds)-2)]
				}
				levels := 1 + rng.IntN(3)
				if round == 1 && k == "any" {
					levels = linear.MaxDepth
				}
				if k == "tiny" || k == "huge" || k == "flat" {
					levels = 1
				}
				s := sceneOf(t, rng, levels, kind)
				v := s.View()
				things := membersIn(v)
				objects, bodies := make([]soa.Object, len(things)), make([]body, len(things))
				for i := range things {
					objects[i], bodies[i] = things[i].object, things[i].body
					if objects[i].Mask &^= walls; things[i].solid {
						objects[i].Mask |= walls
					}
				}
				culler := newCuller(t, occlude.Config{Width: 160, Height: []int{90, 41}[round&1], OccluderMask: walls, MinPixels: 1})
				for i, vk := range kinds {
					from := [3]float64{rng.NormFloat64() * 40, rng.NormFloat64() * 40, 1 + rng.Float64()*5}
					to := [3]float64{rng.NormFloat64() * 30, rng.NormFloat64() * 30, rng.Float64() * 3}
					view := randomView(rng, vk, from, to, []float64{0.05, 1}[i&1], 300)
					look := func() {
						testkit.Must(t, view.look(culler))
					}
					for frame := range 2 {
						look()
						var a, b scene.Answer
						culler.AppendScene(&a, v, query.Filter{})
						visible := indicesOf(t, things, namesOf(&a))
						scene.Append(&b, culler.Frustum(), v, query.Filter{})
						all := indicesOf(t, things, namesOf(&b))
						testkit.NothingLost(t, all, visible)
						left += len(all) - len(visible)
						shown += len(visible)
						met += witness(t, rng, culler.Rays(), nearOf(culler, &view), objects, bodies, all, nil, setOf(visible), 120)
						if t.Failed() {
							t.Fatalf("%s, round %d, frame %d: from %v to %v", vk, round, frame, from, to)
						}
					}
					// Filters, also with instance masks; each returns a subset of the whole result.
					if i%3 != round%3 {
						continue
					}
					whole := askScene(t, culler, look, v, query.Filter{})
					at := map[name]int{}
					for i := range things {
						at[name{things[i].path, things[i].id}] = i
					}
					for _, f := range []query.Filter{{Mask: 4}, {Mask: 8 | walls}, {Motion: query.MovingOnly}, {Exact: true}, {Only: []uint64{0x5555}}, {Exclude: linear.Handle{ID: 4, Gen: 1}}} {
						got := askScene(t, culler, look, v, f)
						var want []name
						for _, n := range whole {
							k := at[n]
							keep := f.Mask == 0 || things[k].object.Mask&f.Mask != 0
							for _, g := range things[k].gates {
								keep = keep && (f.Mask == 0 || g&f.Mask != 0)
							}
							keep = keep && (f.Motion == query.AnyMotion || !things[k].object.Static)
							if n.path.Len() == 0 {
								keep = keep && (f.Only == nil || n.id < 64 && f.Only[0]>>n.id&1 != 0) && (f.Exclude.Gen == 0 || n.id != f.Exclude.ID)
							}
							if keep {
								want = append(want, n)
							}
						}
						if f.Exact { // less, in the same order
							has := map[name]bool{}
							for _, n := range want {
								has[n] = true
							}
							for _, n := range got {
								if !has[n] {
									t.Errorf("Exact adds %v", n)
								}
							}
						} else if !slices.Equal(got, want) {
							t.Errorf("%s, filter %+v: %d objects, want %d", vk, f, len(got), len(want))
						}
					}
					if t.Failed() {
						t.Fatalf("%s, round %d", vk, round)
					}
				}
			}
			t.Logf("%d objects visible, %d hidden, %d meetings of rays", shown, left, met)
			if left*4 < shown && k != "flat" || left == 0 {
				t.Errorf("%d objects are hidden of %d: this tests little", left, left+shown)
			}
		})
	}
}
