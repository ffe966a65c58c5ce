package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// watched is a camera and a minimum size.
type watched struct {
	eye, forward [3]float64 // forward of length 1
	near         float64
	least        float32
	plain, sized query.Frustum
}

// watch draws a camera directed past a point, with a minimum size that some of the objects have.
func watch(t testing.TB, rng *rand.Rand, center, corner [3]float64, size float64) (w watched, ok bool) {
	length := 0.0
	away := size * math.Ldexp(1, rng.IntN(8)-2)
	for a := range 3 {
		w.eye[a] = center[a] + away*rng.NormFloat64()
		w.forward[a] = corner[a] - w.eye[a]
		length += w.forward[a] * w.forward[a]
	}
	for a := range 3 {
		w.forward[a] /= math.Sqrt(length)
	}
	if w.near = away * rng.Float64(); rng.IntN(2) == 0 {
		w.near = 0
	}
	c := query.Camera{Eye: w.eye, Forward: w.forward, Up: [3]float64{w.forward[1], w.forward[2], w.forward[0]},
		FovY: 0.5 + 2*rng.Float64(), Aspect: 1.5, Near: w.near, Far: math.Inf(1)}
	var err error
	if w.plain, err = c.Frustum(); err != nil {
		return w, false
	}
	if rng.IntN(4) == 0 {
		w.plain = w.plain.Precise()
	}
	w.least = float32(size / away * math.Ldexp(rng.Float64(), rng.IntN(4)-3))
	if w.sized, err = w.plain.MinSize(w.least); err != nil {
		return w, false
	}
	return w, true
}

// small judges the image of a box: the edges of the parallelepiped against the depth of its nearest corner,
// up to float32 rounding there.
func (w *watched) small(im *image, b *soa.AABB) (surely, possibly bool) {
	edge, depth, off := 0.0, 0.0, 0.0
	for i := range 3 {
		n := w.forward[i]
		depth += n * (im.t[i] - w.eye[i])
		off += math.Abs(n) * (im.far[i] + math.Abs(w.eye[i]))
		for j := range 3 {
			off += math.Abs(n) * im.size[i][j] * max(math.Abs(float64(b.Min[j])), math.Abs(float64(b.Max[j])))
		}
	}
	for j := range 3 {
		n, length := 0.0, 0.0
		for i := range 3 {
			n += w.forward[i] * im.m[i][j]
			length += im.m[i][j] * im.m[i][j]
		}
		edge = max(edge, math.Sqrt(length)*(float64(b.Max[j])-float64(b.Min[j])))
		depth += min(n*float64(b.Min[j]), n*float64(b.Max[j]))
	}
	off *= 0x1p-20
	s := float64(w.least)
	surely = edge*(1+0x1p-20) < s*(depth-off) && depth-off > w.near
	possibly = edge*(1-0x1p-20) < s*(depth+off) && depth+off > w.near
	return surely, possibly
}

// In a scene a frustum with a minimum size returns its result without one, less the objects whose images
// are small: in every form, under transforms of every family, at any depth, on every tier alike.
func TestMinSize(t *testing.T) {
	seed := testkit.Seed(t)
	var former []string // results of the first tier
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		for k, family := range families {
			rng := testkit.Rand(seed<<8 + uint64(k))
			out, in := 0, 0
			for range testkit.Budget(t, 4, 150) {
				s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
				if rng.IntN(8) == 0 {
					s = chainOf(t, rng, family, linear.MaxDepth)
				}
				all := spots(s.View())
				for range 8 {
					center, corner, size, ok := targetOf(rng, all)
					if !ok {
						continue
					}
					w, ok := watch(t, rng, center, corner, size)
					if !ok {
						continue
					}
					o, i, answer := w.judge(t, s.View(), someFilter(rng), all)
					out, in, answers = out+o, in+i, append(answers, answer)
				}
			}
			if min(out, in) == 0 {
				t.Errorf("%s: %d left out, %d left", family, out, in)
			}
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other answers than the first")
		}
	})
}

func (w *watched) judge(t *testing.T, v linear.SceneView, f query.Filter, all []spot) (out, in int, answer string) {
	t.Helper()
	type object struct {
		path scene.Path
		id   uint32
	}
	q := askedOf("least size", w.sized)
	var a, plain scene.Answer
	q.append(&a, v, f)
	scene.Append(&plain, w.plain, v, f)
	runs := runsOf(&a)
	checkForms(t, q, v, f, runs)
	left := map[object]bool{}
	for _, r := range runs {
		for _, id := range r.ids {
			left[object{r.path, id}] = true
		}
	}
	n := 0
	for _, r := range runsOf(&plain) {
		i := slices.IndexFunc(all, func(s spot) bool { return s.path == r.path })
		im, objects := imageOf(all[i].transforms), all[i].view.Objects()
		for _, id := range r.ids {
			o, _ := objects.Object(id)
			surely, possibly := w.small(&im, &o.Box)
			stays := left[object{r.path, id}]
			if stays && surely || !stays && !possibly {
				t.Fatalf("%+v: object %d in %v with box %x stays: %v", w, id, r.path, o.Box, stays)
			}
			if stays {
				n++
			} else {
				out++
			}
		}
	}
	if n != len(left) || n != a.Len() {
		t.Fatalf("%+v: %d objects, of which %d are there without a least size", w, a.Len(), n)
	}
	return out, n, fmt.Sprint(runs)
}

// Small instances are not entered.
func TestMinSizeOfParts(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s, tree := newScene(t), planted(t, rng, 300)
	for i := range 50 {
		place(t, s, tree, transformOf(rng, "turned"), linear.InstanceOptions{})
		place(t, s, tree, translation(t, 1000, float64(i), 0), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	f, err := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1e6}.Frustum()
	testkit.Must(t, err)
	if f, err = f.MinSize(0.1); err != nil {
		t.Fatal(err)
	}
	if c := scene.Explain(f, s.View(), query.Filter{}, nil); c.Rejected < 50 || c.Entered > 50 {
		t.Errorf("%+v", c)
	}
	var a scene.Answer
	testkit.Allocs(t, 5, func() {
		a.Reset()
		scene.Append(&a, f, s.View(), query.Filter{})
		if n := scene.Count(f, s.View(), query.Filter{}); n != uint64(a.Len()) {
			t.Errorf("%d, counted %d", a.Len(), n)
		}
	})
}

// A rod that is rotated is longer than the box around it: neither the box of its instance nor the bounds of
// the part that contains the instance determine its size.
func TestMinSizeOfOriented(t *testing.T) {
	rod := trees.Plant(t, []soa.Object{{Box: soa.AABB{Min: [3]float32{0, -0.5, 0}, Max: [3]float32{0.125, 0.5, 0.125}}, Mask: 1}}, true)
	turn, err := linear.Similarity([3]float64{}, [4]float64{math.Sin(math.Pi / 8), 0, 0, math.Cos(math.Pi / 8)}, 1) // by 45 degrees about x
	testkit.Must(t, err)
	inner, s := newScene(t), newScene(t)
	place(t, inner, rod, turn, linear.InstanceOptions{})
	testkit.Must(t, inner.Tick())
	place(t, s, inner, translation(t, 100, 0, 0), linear.InstanceOptions{})
	testkit.Must(t, s.Tick())
	b := s.View().Bounds()
	if edge := b.Max[1] - b.Min[1]; edge > 0.85 || b.Max[2]-b.Min[2] > 0.85 {
		t.Fatalf("the box around the rod is %v", b)
	}
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: 1e6}
	for _, c := range []struct {
		least float32
		want  uint64
	}{{0.0099, 1}, {0.0101, 0}} {
		f, err := camera.Frustum()
		testkit.Must(t, err)
		if f, err = f.MinSize(c.least); err != nil {
			t.Fatal(err)
		}
		if n := scene.Count(f, s.View(), query.Filter{}); n != c.want {
			t.Errorf("least size %v: %d rods, want %d", c.least, n, c.want)
		}
	}
}

// An object cut by the near plane is never small, however far the other objects of the part reach: there
// planes are raised.
func TestMinSizeBesideFarObjects(t *testing.T) {
	part := trees.Plant(t, []soa.Object{
		{Box: soa.AABB{Min: [3]float32{4, 4, 4}, Max: [3]float32{0x1p60, 0x1p60, 0x1p60}}, Mask: 1},
		{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1},
	}, false)
	s := newScene(t)
	place(t, s, part, turnAbout(t, 0.25), linear.InstanceOptions{})
	c := turnAbout(t, 0.25).Box(soa.AABB{Min: [3]float32{0.5, 0.5, 0.5}, Max: [3]float32{0.5, 0.5, 0.5}})
	camera := query.Camera{Eye: [3]float64{float64(c.Min[0]), float64(c.Min[1]), float64(c.Min[2]) - 2}, Forward: [3]float64{0, 0, 1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1, Near: 2, Far: 100}
	f, err := camera.Frustum()
	testkit.Must(t, err)
	if f, err = f.MinSize(100); err != nil {
		t.Fatal(err)
	}
	var a scene.Answer
	scene.Append(&a, f, s.View(), query.Filter{})
	if !slices.Contains(a.IDs, 1) {
		t.Errorf("what the near plane cuts is left out: %v", a.IDs)
	}
}

// inAnswer is an object of an answer.
type inAnswer struct {
	path scene.Path
	id   uint32
}

// inAnswers returns the objects of an answer, in its order.
func inAnswers(a *scene.Answer) (list []inAnswer) {
	for ref, id := range a.All() {
		list = append(list, inAnswer{a.Path(ref), id})
	}
	return list
}

// Levels in scenes agree with MinSize to the last bit, under transforms of every family, at any depth, on every
// tier, with and without hysteresis: an object is below a size exactly if the frustum with that minimum size leaves
// it out.
func TestLevels(t *testing.T) {
	const margin = 0.25
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		for k, family := range families {
			if !testkit.OfTier(t, k) {
				continue
			}
			rng := testkit.Rand(seed<<8 + uint64(k))
			counts := map[uint8]int{}
			held := 0
			for range testkit.Budget(t, 4, 100) {
				s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
				if rng.IntN(8) == 0 {
					s = chainOf(t, rng, family, linear.MaxDepth)
				}
				v := s.View()
				all := spots(v)
				for range 8 {
					center, corner, size, ok := targetOf(rng, all)
					if !ok {
						continue
					}
					w, ok := watch(t, rng, center, corner, size)
					if !ok || !(w.least > 0x1p-60 && w.least < 0x1p60) {
						continue
					}
					sizes := []float32{w.least * 4, w.least, w.least / 4}
					levels, err := w.plain.Levels(margin, sizes...)
					testkit.Must(t, err)
					var a scene.Answer
					scene.Append(&a, w.plain, v, someFilter(rng))
					objects := inAnswers(&a)
					// The objects that a frustum with a minimum size keeps.
					keeps := map[float32]map[inAnswer]bool{}
					below := func(o inAnswer, s float32) bool {
						kept := keeps[s]
						if kept == nil {
							sized, err := w.plain.MinSize(s)
							testkit.Must(t, err)
							var some scene.Answer
							scene.Append(&some, sized, v, query.Filter{})
							kept = map[inAnswer]bool{}
							for _, o := range inAnswers(&some) {
								kept[o] = true
							}
							keeps[s] = kept
						}
						return !kept[o]
					}
					columns := map[scene.Path]*linear.Column[uint8]{}
					was := map[inAnswer]uint8{}
					for _, o := range objects {
						if columns[o.path] == nil {
							columns[o.path] = new(linear.Column[uint8])
						}
						was[o] = uint8(rng.IntN(len(sizes) + 1))
						columns[o.path].Set(o.id, was[o])
					}
					plain := scene.AppendLevels([]uint8{9}, &a, &levels, v, nil)
					kept := scene.AppendLevels(nil, &a, &levels, v, func(ref scene.InstanceRef) *linear.Column[uint8] { return columns[a.Path(ref)] })
					if plain[0] != 9 || len(plain) != 1+len(objects) || len(kept) != len(objects) {
						t.Fatalf("%s: %d and %d levels of %d objects", family, len(plain)-1, len(kept), len(objects))
					}
					for i, o := range objects {
						level, after := 0, 0
						for k, s := range sizes {
							if below(o, s) {
								level++
							}
							limit := float32(float64(s) * (1 - margin))
							if k < int(was[o]) {
								limit = float32(float64(s) * (1 + margin))
							}
							if below(o, limit) {
								after++
							}
						}
						counts[plain[1+i]]++
						if level != after {
							held++
						}
						if int(plain[1+i]) != level || int(kept[i]) != after || int(columns[o.path].Get(o.id)) != after {
							t.Fatalf("%s: object %v has the level %d, want %d; after %d %d, want %d", family, o, plain[1+i], level, was[o], kept[i], after)
						}
					}
				}
			}
			if len(counts) < 4 || held == 0 {
				t.Errorf("%s: levels %v, %d held", family, counts, held)
			}
		}
	})
}

// Levels of an answer in steady state allocate nothing, and other answers panic.
func TestLevelsCalls(t *testing.T) {
	s, tree := newScene(t), planted(t, testkit.Rand(1), 300)
	for i := range 20 {
		place(t, s, tree, transformOf(testkit.Rand(uint64(i)), "turned"), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	f, err := query.Camera{Eye: [3]float64{-1000, 0, 0}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: math.Inf(1)}.Frustum()
	testkit.Must(t, err)
	levels, err := f.Levels(0.125, 0.1, 0.001)
	testkit.Must(t, err)
	var a scene.Answer
	v := s.View()
	scene.Append(&a, f, v, query.Filter{})
	if a.Len() == 0 {
		t.Fatal("nothing is seen")
	}
	dst := make([]uint8, 0, a.Len())
	var column linear.Column[uint8]
	column.Grow(1000)
	last := func(scene.InstanceRef) *linear.Column[uint8] { return &column }
	testkit.Allocs(t, 5, func() { dst = scene.AppendLevels(dst[:0], &a, &levels, v, last) })
	if slices.Max(dst) == 0 {
		t.Error("all have level 0")
	}
	other := newScene(t)
	if got := fmt.Sprint(testkit.Panic(func() { scene.AppendLevels(nil, &a, &levels, other.View(), nil) })); !strings.Contains(got, "no instance has the ID") {
		t.Errorf("panic %v", got)
	}
}
