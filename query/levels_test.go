package query_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// parallelOf returns the frustum of a parallel projection along a camera's direction, of a square image of the given
// width about the camera's eye.
func parallelOf(t testing.TB, c scene.Camera, width float64) query.Frustum {
	t.Helper()
	q := cameraOf(c)
	f := q.Forward
	r := lengthOne(crossOf(f, q.Up))
	u := crossOf(r, f)
	row := func(n [3]float64, scale, d float64) []float64 {
		at := 0.0
		for a := range 3 {
			at += n[a] * q.Eye[a]
		}
		return []float64{n[0] * scale, n[1] * scale, n[2] * scale, d - at*scale}
	}
	var m [16]float64
	copy(m[0:], row(r, 2/width, 0))
	copy(m[4:], row(u, 2/width, 0))
	copy(m[8:], row(f, 1/(4*width), 0.5))
	m[15] = 1
	p, err := query.FrustumRowMajor64(m, query.ClipZeroToOne, [3]float64{})
	testkit.Must(t, err)
	return p
}

func crossOf(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func lengthOne(a [3]float64) [3]float64 {
	l := math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2])
	return [3]float64{a[0] / l, a[1] / l, a[2] / l}
}

// Levels agree with MinSize to the last bit, for every construction of a frustum with depths, in trees of every form,
// views of them and versions, on every tier: an object is below a size exactly if the frustum with that minimum
// size excludes it. Half of the sizes are those of an object.
func TestLevelsAreMinSizes(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		for _, name := range []string{"city", "uniform"} {
			objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 500, 3000), 1)
			views := map[string]linear.View{}
			for form, tree := range plantAll(t, objects).Trees {
				version := linear.NewPublisher(tree.Clone()).Acquire()
				defer version.Release()
				views[form], views["version of "+form] = tree.View(), version.View()
			}
			rng := testkit.Rand(seed)
			for _, c := range scene.Cameras(objects, 0.3, testkit.Budget(t, 2, 40), 3) {
				for _, l := range lensesOf(t, c, rng) {
					var sizes []float32
					for range 1 + rng.IntN(query.MaxLevels-1) {
						s := float32(math.Ldexp(rng.Float64(), -rng.IntN(9)))
						edge, depth := (*walk.Frustum)(&l.frustum).Measure(&objects[rng.IntN(len(objects))].Box)
						if of := edge / depth; rng.IntN(2) == 0 && of > 0 && of <= math.MaxFloat32 {
							s = of
						}
						if s > 0 {
							sizes = append(sizes, s)
						}
					}
					slices.Sort(sizes)
					sizes = slices.Compact(sizes)
					slices.Reverse(sizes)
					if len(sizes) == 0 {
						continue
					}
					levels, err := l.frustum.Levels(0, sizes...)
					testkit.Must(t, err)
					sized, err := l.frustum.MinSize(3)
					testkit.Must(t, err)
					if of, err := sized.Levels(0, sizes...); err != nil || of != levels {
						t.Fatalf("%s: the minimum size of a frustum changes its levels, %v", l.name, err)
					}
					for form, v := range views {
						ids := l.frustum.Append(nil, v, query.Filter{})
						got := levels.Append([]uint8{77}, v, ids, nil)
						if got[0] != 77 || len(got) != len(ids)+1 {
							t.Fatalf("%s: %d levels of %d objects", l.name, len(got)-1, len(ids))
						}
						got = got[1:]
						for i, s := range sizes {
							sized, err := l.frustum.MinSize(s)
							testkit.Must(t, err)
							kept := map[uint32]bool{}
							for _, id := range sized.Append(nil, v, query.Filter{}) {
								kept[id] = true
							}
							for k, id := range ids {
								if below := int(got[k]) > i; below == kept[id] {
									t.Fatalf("%s, %s: object %d of level %d is below the size %v: %v, and kept by it: %v", l.name, form, id, got[k], s, below, kept[id])
								}
							}
						}
					}
				}
			}
		}
	})
}

// The size of a box is its longest edge over the depth of its nearest corner, in exact arithmetic up to rounding; in a
// parallel projection its longest edge.
func TestLevelsDefinition(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(1000, 1)
	v := plant(t, objects, true).View()
	rng := testkit.Rand(testkit.Seed(t))
	all := make([]uint32, len(objects))
	for i := range all {
		all[i] = uint32(i)
	}
	counts := map[uint8]int{}
	for _, c := range scene.Cameras(objects, 0.1, testkit.Budget(t, 5, 100), 3) {
		sizes := []float32{0.5, 0.1, 0.02, 0.004}
		judge := func(name string, got []uint8, size, depth func(b *soa.AABB) float64) {
			t.Helper()
			for i := range objects {
				b := &objects[i].Box
				s := size(b)
				lo, hi := 0, 0
				for _, limit := range sizes {
					if s < float64(limit)*(1-0x1p-12) {
						lo++
					}
					if s < float64(limit)*(1+0x1p-12) {
						hi++
					}
				}
				if d := depth(b); d < c.Near*0.99 {
					lo, hi = 0, 0
				} else if d < c.Near*1.01 {
					lo = 0
				}
				counts[got[i]]++
				if int(got[i]) < lo || int(got[i]) > hi {
					t.Fatalf("%s: %v of size %v has level %d, want %d to %d", name, *b, s, got[i], lo, hi)
				}
			}
		}
		edge := func(b *soa.AABB) (e float64) {
			for a := range 3 {
				e = max(e, float64(b.Max[a])-float64(b.Min[a]))
			}
			return e
		}
		for _, l := range lensesOf(t, c, rng) {
			if !strings.HasPrefix(l.name, "camera") || l.name == "camera without near plane" {
				continue // the others are compared with MinSize
			}
			levels, err := l.frustum.Levels(0.25, sizes...)
			testkit.Must(t, err)
			nearest := func(b *soa.AABB) float64 {
				d := math.Inf(1)
				for corner := range 8 {
					p := [3]float64{}
					for a := range 3 {
						p[a] = float64([2]float32{b.Min[a], b.Max[a]}[corner>>a&1])
					}
					d = min(d, l.depth(p))
				}
				return d
			}
			judge(l.name, levels.Append(nil, v, all, nil), func(b *soa.AABB) float64 { return edge(b) / nearest(b) }, nearest)
		}
		parallel := parallelOf(t, c, 50)
		sizes = []float32{32, 16, 4, 0.5}
		levels, err := parallel.Levels(0, sizes...)
		testkit.Must(t, err)
		near := parallel.Planes()[4]
		judge("parallel", levels.Append(nil, v, all, nil), edge, func(b *soa.AABB) float64 {
			if lowestOf(near, *b) > 0 {
				return math.Inf(1)
			}
			return math.Inf(-1)
		})
	}
	if len(counts) < 5 {
		t.Errorf("only the levels %v", counts)
	}
}

// With a column, an object changes its level only when its size passes a listed size by the margin: the level follows
// a size that swings and drifts as the definition states, and without a margin it is the level without a column.
func TestLevelsHysteresis(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: math.Inf(1)}
	f, err := camera.Frustum()
	testkit.Must(t, err)
	sizes := []float32{0.5, 0.3, 0.29, 0.05, 0.001}
	for _, margin := range []float32{0, 0.125, 0.5} {
		levels, err := f.Levels(margin, sizes...)
		testkit.Must(t, err)
		tree, err := linear.New(linear.Config{})
		testkit.Must(t, err)
		const n = 50
		distance := make([]float64, n)
		for i := range distance {
			distance[i] = math.Ldexp(1+rng.Float64(), 1+rng.IntN(10))
			_, err := tree.Insert(soa.Object{Mask: 1})
			testkit.Must(t, err)
		}
		var last linear.Column[uint8]
		ids := make([]uint32, n)
		want := make([]uint8, n)
		changes, held := 0, 0
		for range testkit.Budget(t, 300, 20_000) {
			for i := range n {
				ids[i] = uint32(i)
				distance[i] = min(max(distance[i]*math.Exp(rng.NormFloat64()/20), 1.5), 4000)
				x := float32(distance[i])
				testkit.Must(t, tree.Move(uint32(i), soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x, 1, 0.5}}))
			}
			rng.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			v := tree.View()
			got, plain := levels.Append(nil, v, ids, &last), levels.Append(nil, v, ids, nil)
			for k, id := range ids {
				o, _ := v.Object(id)
				x := o.Box.Min[0]
				level := uint8(0)
				for i, s := range sizes {
					limit := float32(float64(s) * (1 - float64(margin)))
					if i < int(want[id]) {
						limit = float32(float64(s) * (1 + float64(margin)))
					}
					if 1 < float32(limit*x) {
						level++
					}
				}
				if level != want[id] {
					changes++
				} else if level != plain[k] {
					held++
				}
				want[id] = level
				if got[k] != level || last.Get(id) != level || margin == 0 && plain[k] != level {
					t.Fatalf("margin %v: object %d at %v has level %d, in the column %d, plain %d; want %d", margin, id, x, got[k], last.Get(id), plain[k], level)
				}
			}
		}
		if changes == 0 || (held > 0) != (margin > 0) {
			t.Errorf("margin %v: %d changes, %d levels held", margin, changes, held)
		}
	}
	// A level beyond the list, of other sizes, is that of an object below all sizes.
	var last linear.Column[uint8]
	last.Set(3, 200)
	v := plant(t, slices.Repeat([]soa.Object{{Box: soa.AABB{Min: [3]float32{8, 0, 0}, Max: [3]float32{8, 1, 0}}}}, 4), false).View()
	levels, err := f.Levels(0.5, 0.1)
	testkit.Must(t, err)
	if got := levels.Append(nil, v, []uint32{2, 3}, &last); !slices.Equal(got, []uint8{0, 1}) {
		t.Errorf("levels %d", got)
	}
}

// Bad numbers are errors with the numbers, and an ID that the view does not have panics.
func TestLevelsErrors(t *testing.T) {
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1000}
	f, err := camera.Frustum()
	testkit.Must(t, err)
	planes := frustum(t, f.Planes())
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	many := make([]float32, query.MaxLevels)
	for i := range many {
		many[i] = float32(len(many) - i)
	}
	for _, c := range []struct {
		f      query.Frustum
		margin float32
		sizes  []float32
		want   string
	}{
		{f, 0, nil, "0 sizes, want 1 to 15"},
		{f, 0, many, "16 sizes"},
		{f, 0, []float32{1, 2}, "size 2 after 1"},
		{f, 0, []float32{1, 1}, "size 1 after 1"},
		{f, 0, []float32{1, 0}, "size 0"},
		{f, 0, []float32{1, -2}, "size -2"},
		{f, 0, []float32{nan}, "size NaN"},
		{f, 0, []float32{inf}, "size +Inf"},
		{f, 0.5, []float32{3e38}, "size 3e+38 and the margin 0.5"},
		{f, 1, []float32{1}, "margin of 1"},
		{f, -0.25, []float32{1}, "margin of -0.25"},
		{f, nan, []float32{1}, "margin of NaN"},
		{planes, 0, []float32{0.125}, "0.125"},
		{query.Frustum{}, 0, []float32{0.125}, "0.125"},
	} {
		if l, err := c.f.Levels(c.margin, c.sizes...); err == nil || !strings.Contains(err.Error(), c.want) || l != (query.Levels{}) {
			t.Errorf("sizes %v, margin %v: error %v, want one with %q", c.sizes, c.margin, err, c.want)
		}
	}
	levels, err := f.Levels(0.25, many[1:]...)
	testkit.Must(t, err)
	v := plant(t, []soa.Object{{Box: soa.AABB{Min: [3]float32{2, 0, 0}, Max: [3]float32{2, 0, 0}}}}, false).View()
	if got := levels.Append(nil, v, []uint32{0}, nil); !slices.Equal(got, []uint8{query.MaxLevels - 1}) {
		t.Errorf("level %d of a point", got)
	}
	if got := fmt.Sprint(testkit.Panic(func() { levels.Append(nil, v, []uint32{0, 5}, nil) })); !strings.Contains(got, "object 5") {
		t.Errorf("panic %v", got)
	}
}

func TestLevelsAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	v := plant(t, objects, true).View()
	camera := cameraOf(scene.Cameras(objects, 0.3, 1, 3)[0])
	ids, dst := make([]uint32, 0, len(objects)+soa.Lanes), make([]uint8, 0, len(objects))
	var last linear.Column[uint8]
	last.Grow(len(objects))
	testkit.Allocs(t, 10, func() {
		f, err := camera.Frustum()
		testkit.Must(t, err)
		levels, err := f.Levels(0.125, 0.1, 0.05, 0.01)
		testkit.Must(t, err)
		ids = f.Append(ids[:0], v, query.Filter{})
		dst = levels.Append(dst[:0], v, ids, &last)
		dst = levels.Append(dst[:0], v, ids, nil)
		if _, err := camera.PixelSize(objects[0].Box, 1080); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkLevels is the time of a level, for the objects of frusta.
func BenchmarkLevels(b *testing.B) {
	objects := testkit.SceneByName(b, "city").Make(100_000, 1)
	v := plant(b, objects, true).View()
	f, err := cameraOf(scene.Cameras(objects, 0.1, 1, 3)[0]).Frustum()
	testkit.Must(b, err)
	ids := f.Append(nil, v, query.Filter{})
	levels, err := f.Levels(0.125, 0.1, 0.05, 0.01)
	testkit.Must(b, err)
	var last linear.Column[uint8]
	for name, column := range map[string]*linear.Column[uint8]{"plain": nil, "column": &last} {
		b.Run(name, func(b *testing.B) {
			var dst []uint8
			for b.Loop() {
				dst = levels.Append(dst[:0], v, ids, column)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/object")
		})
	}
}

// The pixels of a box that faces the camera, with its middle in the middle of the image, are those between the images
// of its edge's ends, for cameras and matrices of any kind; and sizes in pixels are those of Levels.
func TestPixelSize(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 500, 20_000) {
		c := query.Camera{Eye: [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 3},
			FovY: 0.1 + 2.8*rng.Float64(), Aspect: 0.3 + 3*rng.Float64(), Near: 0.1, Far: math.Inf(1)}
		if rng.IntN(2) == 0 {
			c.Near, c.Far = 0.5, 1e4
		}
		height := 1 + rng.IntN(2000)
		depth, edge := math.Ldexp(1+rng.Float64(), rng.IntN(12)), math.Ldexp(1+rng.Float64(), rng.IntN(12)-8)
		box := soa.AABB{
			Min: [3]float32{float32(c.Eye[0] + depth), float32(c.Eye[1]), float32(c.Eye[2] - edge/2)},
			Max: [3]float32{float32(c.Eye[0] + depth + edge/4), float32(c.Eye[1]), float32(c.Eye[2] + edge/2)},
		}
		want := edge / depth * float64(height) / (2 * math.Tan(c.FovY/2))
		got, err := c.PixelSize(box, height)
		if err != nil || math.Abs(got-want) > want*0x1p-17*(1+1/edge) {
			t.Fatalf("%+v, %v at %v, %d lines: %v pixels, %v; want %v", c, edge, depth, height, got, err, want)
		}
		v, err := c.Viewport(100+rng.IntN(100), height)
		testkit.Must(t, err)
		if of, err := v.PixelSize(box); err != nil || math.Abs(of-got) > got*0x1p-45 {
			t.Fatalf("viewport: %v pixels, %v; want %v", of, err, got)
		}
		// The size of Levels on both sides of that number of pixels.
		size := got * 2 * math.Tan(c.FovY/2) / float64(height)
		f, err := c.Frustum()
		testkit.Must(t, err)
		levels, err := f.Levels(0, float32(size*(1+0x1p-20)), float32(size*(1-0x1p-20)))
		testkit.Must(t, err)
		tree := plant(t, []soa.Object{{Box: box}}, false)
		if got := levels.Append(nil, tree.View(), []uint32{0}, nil); got[0] != 1 {
			t.Fatalf("size %v: level %d", size, got[0])
		}
		// An off-centre projection of the same field of view, as of tiles and stereo pairs, has the same pixels.
		m := [16]float64{}
		ty := math.Tan(c.FovY / 2)
		copy(m[0:], []float64{0.7, 1 / (ty * c.Aspect), 0, 0})
		copy(m[4:], []float64{-0.4, 0, 1 / ty, 0})
		copy(m[8:], []float64{1, 0, 0, -c.Near})
		copy(m[12:], []float64{1, 0, 0, 0})
		off, err := query.ViewportRowMajor64(m, query.ClipZeroToOne|query.ClipInfiniteFar, c.Eye, 100, height)
		testkit.Must(t, err)
		at := soa.AABB{Min: [3]float32{float32(depth), 0, 0}, Max: [3]float32{float32(depth), 0, float32(edge)}}
		if got, err := off.PixelSize(at); err != nil {
			t.Fatal(err)
		} else if from := float64(at.Min[0]) + c.Eye[0]; from > 1.1*c.Near {
			want := float64(at.Max[2]) / from * float64(height) / (2 * ty)
			if math.Abs(got-want) > want*0x1p-17*(1+1/from) {
				t.Fatalf("off centre: %v pixels, want %v", got, want)
			}
		}
	}
}

// The size in pixels does not depend on a power of two that all numbers of a projection are multiplied with, and is a
// number also in the narrowest view and of the largest boxes.
func TestPixelSizeScales(t *testing.T) {
	b := soa.AABB{Min: [3]float32{5, 1, 2}, Max: [3]float32{6, 3, 4}}
	for _, m := range [][16]float64{
		{0.7, 1.2, 0, 3, -0.4, 0, 1.5, -2, 1, 0, 0, -0.1, 1, 0, 0, 0},
		{0.7, 1.2, 0, 3, -0.4, 0, 1.5, -2, 0.1, 0, 0, 0, 0, 0, 0, 1}, // parallel
	} {
		want := 0.0
		for e := -900; e <= 900; e += 100 {
			scaled := m
			for i := range scaled {
				scaled[i] = math.Ldexp(m[i], e)
			}
			v, err := query.ViewportRowMajor64(scaled, query.ClipZeroToOne, [3]float64{}, 100, 200)
			testkit.Must(t, err)
			got, err := v.PixelSize(b)
			if e == -900 {
				want = got
			}
			if err != nil || got != want || !(got > 10 && got < 1000) {
				t.Errorf("a projection times 2^%d: %v pixels, %v; want %v", e, got, err, want)
			}
		}
	}
	c := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 0x1p-1000, Aspect: 1, Near: 1, Far: 1000}
	got, err := c.PixelSize(b, 50)
	if want := 2. / 5 * 50 * 0x1p1000; err != nil || math.Abs(got-want) > want*0x1p-22 {
		t.Errorf("a narrow view: %v pixels, %v; want %v", got, err, want)
	}
	const most = math.MaxFloat32
	c.FovY, c.Forward, c.Far = 1, [3]float64{1, 1, 0}, math.Inf(1)
	b = soa.AABB{Min: [3]float32{most, most, -most}, Max: [3]float32{most, most, most}}
	if got, err := c.PixelSize(b, 50); err != nil || !math.IsInf(got, 1) {
		t.Errorf("edge and depth beyond float32: %v pixels, %v", got, err)
	}
}

// The limits of sizes in pixels: parallel projections, boxes at the near plane, and errors.
func TestPixelSizeLimits(t *testing.T) {
	c := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1000}
	box := func(from, to float32) soa.AABB {
		return soa.AABB{Min: [3]float32{from, 0, 0}, Max: [3]float32{to, 1, 2}}
	}
	for _, b := range []soa.AABB{box(0.5, 3), box(1, 3), box(-5, -4)} {
		if got, err := c.PixelSize(b, 100); err != nil || !math.IsInf(got, 1) {
			t.Errorf("%v at the near plane: %v, %v", b, got, err)
		}
	}
	if got, err := c.PixelSize(box(1.5, 3), 100); err != nil || math.IsInf(got, 1) {
		t.Errorf("beyond the near plane: %v, %v", got, err)
	}
	// The image is 8 high: 100 lines are 12.5 for a unit.
	m := [16]float32{0: 1. / 16, 5: 1. / 4, 10: 1. / 32, 14: 0.5, 15: 1}
	v, err := query.ViewportColumnMajor(m, query.ClipZeroToOne, 400, 100)
	testkit.Must(t, err)
	for _, z := range []float32{-15, 0, 20} {
		if got, err := v.PixelSize(soa.AABB{Min: [3]float32{0, 0, z}, Max: [3]float32{1, 3, z}}); err != nil || math.Abs(got-37.5) > 1e-4 {
			t.Errorf("parallel: %v pixels, %v; want 37.5", got, err)
		}
	}
	for want, call := range map[string]func() (float64, error){
		"NaN":                  func() (float64, error) { return c.PixelSize(soa.AABB{Min: [3]float32{float32(math.NaN())}}, 100) },
		"0 pixels":             func() (float64, error) { return c.PixelSize(box(2, 3), 0) },
		"field of view":        func() (float64, error) { return query.Camera{Forward: c.Forward, Up: c.Up}.PixelSize(box(2, 3), 100) },
		"the Viewport is zero": func() (float64, error) { return query.Viewport{}.PixelSize(box(2, 3)) },
		"beyond float32": func() (float64, error) {
			far := c
			far.Eye[0] = 1e39
			return far.PixelSize(box(2, 3), 100)
		},
	} {
		if got, err := call(); err == nil || got != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, error %v, want one with %q", got, err, want)
		}
	}
}
