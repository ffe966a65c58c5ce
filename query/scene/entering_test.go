package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/cpu"
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

// The kernel that moves a ray into a part and clips it has the bits of the motion in Go: of rays through the part,
// beside it, along its faces and from inside, of any magnitude, under transforms that are not aligned. Where it leaves
// the ray to the caller, an axis is at rest up to rounding, or beyond float64.
func TestEnterKernel(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		var results [4]int
		for range testkit.Budget(t, 40_000, 400_000) {
			p := transformOf(rng, families[rng.IntN(len(families))])
			if p.Kind() < linear.TransformSimilarity {
				continue
			}
			from, dir, box, until := enteringRay(rng, &p)
			if rng.IntN(20) == 0 { // a short ray that begins at the origin of the part: a side of its box is near 0
				from, until = p.Point([3]float64{}), math.Ldexp(until, -140)
				box = soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}
			}
			e, enters, kernel, want, ray, wantRay := scene.EnterTwice(from, dir, &p, box, until)
			results[e]++
			switch {
			case e >= trace.Crosses && !enters || e == trace.Misses && enters:
				t.Fatalf("%v + t*%v until %v in %v under %v: result %d, and it enters: %v", from, dir, until, box, p.Rows(), e, enters)
			case e >= trace.Crosses:
				for i := range kernel {
					if math.Float64bits(kernel[i]) != math.Float64bits(want[i]) {
						t.Fatalf("%v + t*%v until %v in %v under %v: number %d is %v, want %v", from, dir, until, box, p.Rows(), i, kernel[i], want[i])
					}
				}
				if e == trace.Enters && fmt.Sprintf("%x", ray) != fmt.Sprintf("%x", wantRay) {
					t.Fatalf("%v + t*%v until %v in %v under %v: box %+v, want %+v", from, dir, until, box, p.Rows(), ray, wantRay)
				}
				if e == trace.Crosses && !isUnusual(&wantRay) {
					t.Fatalf("%v + t*%v until %v in %v under %v: the box %+v is left to the caller", from, dir, until, box, p.Rows(), wantRay)
				}
			case e == trace.Unknown && cpu.Active >= cpu.AVX2:
				rests := false
				for a := range 3 {
					rests = rests || !(math.Abs(want[6+a]) > 2*want[9+a]) || math.Abs(want[a]) > 0x1p900 || math.Abs(want[6+a]) > 0x1p900
				}
				if !rests {
					t.Fatalf("%v + t*%v until %v in %v under %v is left to the caller", from, dir, until, box, p.Rows())
				}
			}
		}
		if min(results[trace.Enters], results[trace.Crosses], results[trace.Misses]) == 0 && (results[trace.Enters]+results[trace.Misses] > 0 || cpu.Active == cpu.AVX2 || cpu.Active == cpu.AVX512) {
			t.Errorf("results %v", results)
		}
	})
}

// A part that lies behind the beginning of a ray by so little that its time rounds to 0 is not hit, and one at the
// beginning is.
func TestEnterBehind(t *testing.T) {
	p, err := linear.Similarity([3]float64{}, [4]float64{0.3, 0.3, 0.3, 0.8}, 1) // about the diagonal
	testkit.Must(t, err)
	testkit.EachTier(t, func(t *testing.T) {
		for _, sign := range []float64{1, -1} {
			diagonal := func(x float64) [3]float64 { return [3]float64{sign * x, sign * x, sign * x} }
			cube := func(x float64) [3]float32 { return [3]float32{float32(x), float32(x), float32(x)} }
			for _, far := range []float64{0, 0x1p-101} {
				box := soa.AABB{Min: cube(min(-sign*far, -2*sign*far)), Max: cube(max(-sign*far, -2*sign*far))}
				e, enters, _, _, _, _ := scene.EnterTwice([3]float64{}, diagonal(0x1p1000), &p, box, math.Inf(1))
				if enters != (far == 0) || e != trace.Unknown && (e >= trace.Crosses) != enters || e == trace.Unknown && cpu.Active >= cpu.AVX2 {
					t.Errorf("direction %v, %v: result %d, and it enters: %v", sign, box, e, enters)
				}
			}
		}
	})
}

// isUnusual reports whether the kernel leaves a box to the caller: it is so large or far that its coordinates or times
// are beyond float32, one of its sides is at most 2^-100 away from 0, or its direction is rounded up to a power of two.
func isUnusual(box *trace.BoxRay) bool {
	unusual := box.Back != 2 || !(box.Most < math.MaxFloat32)
	for a := range 3 {
		unusual = unusual || math.Abs(float64(box.Ray.Far[a])) <= 0x1p-100 || math.Abs(float64(box.Ray.InvNear[a])) >= 0x1p99
	}
	return unusual
}

// enteringRay draws a box, and a ray near its image.
func enteringRay(rng *rand.Rand, p *linear.Transform) (from, dir [3]float64, box soa.AABB, until float64) {
	scale := math.Ldexp(1, rng.IntN(3)*(rng.IntN(200)-100))
	var start, target [3]float64
	for a := range 3 {
		lo := float32(rng.NormFloat64() * 3)
		box.Min[a], box.Max[a] = lo, lo+float32(rng.IntN(3))*rng.Float32()
		target[a] = float64(box.Min[a]) + rng.Float64()*float64(box.Max[a]-box.Min[a])
		if rng.IntN(3) == 0 {
			target[a] += rng.NormFloat64()
		}
		if start[a] = target[a]; rng.IntN(8) > 0 {
			start[a] += 10 * rng.NormFloat64()
		}
	}
	from, dir = p.Point(start), p.Point(target)
	for a := range 3 {
		dir[a] = float64(float32((dir[a] - from[a]) * scale))
		from[a] = float64(float32(from[a]))
	}
	if rng.IntN(20) == 0 {
		dir[rng.IntN(3)] = 0
	}
	if rng.IntN(20) == 0 {
		for a := range 3 {
			box.Min[a], box.Max[a] = -math.MaxFloat32, math.MaxFloat32
		}
	}
	if until = math.Inf(1); rng.IntN(2) == 0 {
		until = 2 * rng.Float64() / scale
	}
	return from, dir, box, until
}

// The kernel that moves a point into a part has the bits of the code in Go, and leaves points and parts beyond 2^60 to
// it.
func TestArriveKernel(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		moved, left, inside := 0, 0, 0
		for range testkit.Budget(t, 40_000, 400_000) {
			p := transformOf(rng, families[rng.IntN(len(families))])
			if p.Kind() < linear.TransformSimilarity {
				continue
			}
			point, _, box, _ := enteringRay(rng, &p)
			if rng.IntN(8) == 0 {
				box.Max[rng.IntN(3)] = float32(math.Ldexp(1+rng.Float64(), 50+rng.IntN(20)))
			}
			if rng.IntN(8) == 0 {
				point[rng.IntN(3)] *= math.Ldexp(1, rng.IntN(120))
			}
			ok, got, want := scene.ArriveTwice(point, &p, box)
			far := false
			for a := range 3 {
				far = far || max(math.Abs(want.Center[a]), math.Abs(float64(box.Min[a])), math.Abs(float64(box.Max[a]))) > 0x1p60
			}
			switch {
			case ok && far || !ok && !far && cpu.Active >= cpu.AVX2:
				t.Fatalf("%v in %v under %v: moved: %v, far: %v", point, box, p.Rows(), ok, far)
			case ok:
				if bitsOf(&got) != bitsOf(&want) {
					t.Fatalf("%v in %v under %v: %v, want %v", point, box, p.Rows(), got, want)
				}
				if moved++; got.Dist == 0 {
					inside++
				}
			case far:
				left++
			}
		}
		if left == 0 || cpu.Active >= cpu.AVX2 && min(moved, inside) == 0 {
			t.Errorf("%d moved, %d inside, %d left to the caller", moved, inside, left)
		}
	})
}

func bitsOf(r *trace.Arrival) (bits [11]uint64) {
	for a := range 3 {
		bits[a], bits[3+a] = math.Float64bits(r.Center[a]), math.Float64bits(r.Off[a])
		bits[6+a] = uint64(math.Float32bits(r.Point[a]))
	}
	bits[9], bits[10] = math.Float64bits(r.Gap), math.Float64bits(r.Dist)
	return bits
}
