package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// gridCube returns a box on a grid.
func gridCube(rng *rand.Rand) (b soa.AABB) {
	for a := range 3 {
		b.Min[a] = float32(rng.IntN(9) - 4)
		b.Max[a] = b.Min[a] + float32(1+rng.IntN(3))
	}
	return b
}

// quarter returns a transform that maps the grid to a finer or coarser one: quarter turns about the axes, a scale of a
// power of two, and a translation, and where it maps a box to.
func quarter(t *testing.T, rng *rand.Rand) (linear.Transform, func(soa.AABB) soa.AABB) {
	h := math.Sqrt(0.5)
	turns := [][4]float64{{0, 0, 0, 1}, {h, 0, 0, h}, {0, -h, 0, h}, {0, 0, h, h}, {0.5, 0.5, 0.5, 0.5}, {1, 0, 0, 0}}
	move := [3]float64{float64(rng.IntN(5) - 2), float64(rng.IntN(5) - 2), float64(rng.IntN(5) - 2)}
	p, err := linear.Similarity(move, turns[rng.IntN(len(turns))], []float64{0.5, 1, 2}[rng.IntN(3)])
	testkit.Must(t, err)
	return p, func(b soa.AABB) soa.AABB {
		out := soa.Empty()
		for corner := range 8 {
			var c [3]float64
			for a := range 3 {
				c[a] = float64([2]float32{b.Min[a], b.Max[a]}[corner>>a&1])
			}
			var r [3]float32
			for a, x := range p.Point(c) {
				r[a] = float32(math.Round(x*4) / 4) // the quarter turn itself is rounded
			}
			out = out.Union(soa.AABB{Min: r, Max: r})
		}
		return out
	}
}

// In scenes, at any depth, under quarter turns, scales and translations that are rounded, a swept box and a swept
// sphere with Entering have the hits with the objects that they enter in one tree of all objects: what they only
// touch is left out in all forms, on every tier, and has the same normal.
func TestEntering(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		left, met, touched := map[string]int{}, 0, 0
		for range testkit.Budget(t, 60, 2000) {
			// Own objects, a part, and a part in a part.
			inner, outer, s := newScene(t), newScene(t), newScene(t)
			var all []soa.Object // of the scene, with the path of each
			var paths []string
			fill := func(tree *linear.Tree, path string, maps ...func(soa.AABB) soa.AABB) {
				for i := range 8 {
					b := gridCube(rng)
					trees.Insert(t, tree, []soa.Object{{Box: b, Mask: 1}})
					for _, m := range slices.Backward(maps) {
						b = m(b)
					}
					all, paths = append(all, soa.Object{Box: b, Mask: 1}), append(paths, fmt.Sprint(path, " ", i))
				}
			}
			first, firstMap := quarter(t, rng)
			second, secondMap := quarter(t, rng)
			fill(s.Tree(), "")
			fill(outer.Tree(), "/0", firstMap)
			fill(inner.Tree(), "/0/0", firstMap, secondMap)
			place(t, outer, inner, second, linear.InstanceOptions{})
			place(t, s, outer, first, linear.InstanceOptions{})
			testkit.Must(t, outer.Tick())
			testkit.Must(t, s.Tick())
			flat := trees.Plant(t, all, false).View()
			v := s.View()

			box, dir := gridCube(rng), [3]float32{}
			for a := range 3 {
				dir[a] = []float32{0, 1, -1, 2, -3, 0.5}[rng.IntN(6)]
			}
			moving := queries.SweptBox(t, box, dir)
			ball := queries.SweptSphere(t, box.Min, []float32{1, 2, 5}[rng.IntN(3)], dir)
			some, rolling := moving.Entering(), ball.Entering()
			for _, c := range []struct {
				name        string
				plain, some swept
				all, enters []query.Hit
			}{
				{"box", sweptOf("box", moving), sweptOf("box", some), moving.Append(nil, flat, query.Filter{}), some.Append(nil, flat, query.Filter{})},
				{"ball", sweptOf("ball", ball), sweptOf("ball", rolling), ball.Append(nil, flat, query.Filter{}), rolling.Append(nil, flat, query.Filter{})},
			} {
				key := func(h scene.Hit) string { return fmt.Sprint(pathText(h.Path), " ", h.ID) }
				normals := map[string][3]float32{}
				for _, h := range c.plain.append(nil, v, query.Filter{}) {
					if h.Dist == 0 {
						normals[key(h)] = h.Normal
					}
				}
				for _, h := range c.all {
					n, ok := normals[paths[h.ID]]
					if h.Dist > 0 {
						continue
					}
					off := 0.0
					for a := range 3 {
						off = max(off, math.Abs(float64(n[a])-float64(h.Normal[a])))
					}
					if c.name == "box" && touchedToo(&box, dir, &all[h.ID].Box, n) {
						off = 0 // of several axes, the first in the space of the part
					}
					if !ok || off > 1e-6 {
						t.Fatalf("%s %v along %v: normal %v of %v, want %v", c.name, box, dir, n, paths[h.ID], h.Normal)
					}
					if h.Normal != [3]float32{} {
						touched++
					}
				}
				hits := c.some.append(nil, v, query.Filter{})
				got := map[string]bool{}
				for _, h := range hits {
					got[key(h)] = true
				}
				want := map[string]bool{}
				for _, h := range c.enters {
					want[paths[h.ID]] = true
				}
				late := map[string]bool{} // contacts at the time 1 or in passing, which rounding may turn
				for _, h := range c.all {
					if h.Dist > 0 {
						late[paths[h.ID]] = true
					}
				}
				for i, path := range paths {
					if got[path] != want[path] && !(late[path] && c.name == "box") {
						t.Fatalf("%s %v along %v: %v of %s is hit: %v, want %v", c.name, box, dir, all[i].Box, path, got[path], want[path])
					}
				}
				left[c.name] += len(c.all) - len(c.enters)
				met += len(hits)
				first, ok := c.some.nearest(v, query.Filter{})
				if ok != (len(hits) > 0) || ok && first != hits[0] || c.some.any(v, query.Filter{}) != ok {
					t.Fatalf("%s: first %v %v of %v", c.name, first, ok, hits)
				}
				tested, okTested := c.some.tested(v, query.Filter{}, func(_ scene.Path, _ uint32, t float32) (float32, bool) { return t, true })
				if okTested != ok || ok && (tested.ID != first.ID || tested.Path != first.Path || tested.Dist != first.Dist) {
					if !(ok && okTested && tested.Dist == first.Dist && tested.Path == first.Path) { // ties of rounded times
						t.Fatalf("%s: first by test %v %v, want %v", c.name, tested, okTested, first)
					}
				}
			}
		}
		if min(left["box"], left["ball"], met, touched) == 0 {
			t.Errorf("%v left out, %d met, %d touched", left, met, touched)
		}
	})
}

// touchedToo reports whether boxes touch at the start on the axis of a normal, where the motion brings them closer
// if it does so on all axes on which they touch.
func touchedToo(box *soa.AABB, dir [3]float32, o *soa.AABB, n [3]float32) bool {
	for _, closer := range []bool{false, true} {
		some := false
		for a, d := range dir {
			above, below := o.Max[a] == box.Min[a] && (d < 0) == closer, o.Min[a] == box.Max[a] && (d > 0) == closer
			if above && n[a] > 0.999999 || below && n[a] < -0.999999 {
				return true
			}
			some = some || above || below
		}
		if some {
			return false
		}
	}
	return false
}

// pathText returns a path as a test writes it: the scene itself is empty.
func pathText(p scene.Path) string {
	text := ""
	for id := range p.All() {
		text += fmt.Sprint("/", id)
	}
	return text
}
