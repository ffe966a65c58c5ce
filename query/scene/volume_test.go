package scene_test

import (
	"fmt"
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

func translation(t testing.TB, x, y, z float64) linear.Transform {
	t.Helper()
	p, err := linear.NewTransform([12]float64{0: 1, 3: x, 5: 1, 7: y, 10: 1, 11: z})
	testkit.Must(t, err)
	return p
}

// Under the identity, and under translations by powers of two, a part returns the objects that its tree
// returns for the volume there, in its order.
func TestVolumesUnderSteps(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		found := 0
		for round := range testkit.Budget(t, 40, 4000) {
			objects := objectsOf(rng, 1+rng.IntN(400))
			tree := trees.Plant(t, objects, rng.IntN(2) == 0)
			bind(t, rng, tree, objects)
			if rng.IntN(2) == 0 {
				trees.Insert(t, tree, objectsOf(rng, rng.IntN(20)))
			}
			var step [3]float64
			if round%2 == 1 {
				for a := range 3 {
					step[a] = float64(rng.IntN(3)-1) * float64(int(1)<<rng.IntN(10))
				}
			}
			s := newScene(t)
			id := place(t, s, tree, translation(t, step[0], step[1], step[2]), linear.InstanceOptions{})
			for _, q := range steppedVolumes(t, rng, step) {
				f := someFilter(rng)
				f.Only, f.Exclude, f.Exact = nil, linear.Handle{}, rng.IntN(2) == 0
				want := q.there([]uint32{}, tree.View(), f)
				var a scene.Answer
				q.here(&a, s.View(), f)
				found += len(want)
				if !slices.Equal(a.IDs, want) && len(want)+len(a.IDs) > 0 {
					t.Fatalf("%s by %v %+v: %v, want %v", q.name, step, f, a.IDs, want)
				}
				for p := range a.All() {
					if path := a.Path(p); path != scene.PathOf(id) {
						t.Fatalf("%s: in %v", q.name, path)
					}
				}
			}
		}
		if found == 0 {
			t.Error("nothing was found")
		}
	})
}

// stepped is a volume, and the same volume in the space of a moved part.
type stepped struct {
	name  string
	here  func(*scene.Answer, linear.SceneView, query.Filter)
	there func([]uint32, linear.View, query.Filter) []uint32
}

func steppedOf[V interface {
	query.Volume
	Append([]uint32, linear.View, query.Filter) []uint32
}](t testing.TB, name string, here, there V, err error) stepped {
	testkit.Must(t, err)
	return stepped{name, func(a *scene.Answer, s linear.SceneView, f query.Filter) { scene.Append(a, here, s, f) }, there.Append}
}

// steppedVolumes draws volumes of numbers with few digits, and moves them back by a translation.
func steppedVolumes(t testing.TB, rng *rand.Rand, step [3]float64) (all []stepped) {
	var c, back [3]float32
	for a := range 3 {
		c[a] = float32(rng.IntN(32)-16) + float32(step[a])
		back[a] = c[a] - float32(step[a])
	}
	size := float32(int(1) << rng.IntN(6))
	box := func(c [3]float32) query.Box {
		b := queries.Box(t, soa.AABB{Min: [3]float32{c[0] - size, c[1] - size/2, c[2] - size}, Max: [3]float32{c[0] + size, c[1] + size, c[2] + size*2}})
		return b
	}
	all = append(all, steppedOf(t, "box", box(c), box(back), nil))
	p, err := query.NewPoint(c)
	r, err2 := query.NewPoint(back)
	all = append(all, steppedOf(t, "point", p, r, err), steppedOf(t, "point", p, r, err2))
	planes := make([][4]float32, 6+rng.IntN(4))
	moved := make([][4]float32, len(planes))
	for i := range planes {
		for a := range 3 {
			planes[i][a] = float32(rng.IntN(9) - 4)
			planes[i][3] -= planes[i][a] * c[a]
		}
		planes[i][3] += size * 2
		moved[i] = planes[i]
		for a := range 3 {
			moved[i][3] += planes[i][a] * float32(step[a])
		}
	}
	f, err := query.FrustumPlanes([6][4]float32(planes))
	g, err2 := query.FrustumPlanes([6][4]float32(moved))
	all = append(all, steppedOf(t, "frustum", f, g, err), steppedOf(t, "precise", f.Precise(), g.Precise(), err2))
	x, err := query.ConvexPlanes(planes)
	y, err2 := query.ConvexPlanes(moved)
	if err2 != nil {
		t.Fatal(err2)
	}
	all = append(all, steppedOf(t, "convex", x, y, err))
	// The ball is larger by 2^-21 or less: no box on the grid is just that far.
	u, err := query.NewSphere(c, size+0.13)
	v, err2 := query.NewSphere(back, size+0.13)
	if err2 != nil {
		t.Fatal(err2)
	}
	all = append(all, steppedOf(t, "sphere", u, v, err))
	o := gridTurned(rng)
	o.Center = c
	turned, err := query.NewOrientedBox(o)
	o.Center = back
	there, err2 := query.NewOrientedBox(o)
	if err2 != nil {
		t.Fatal(err2)
	}
	return append(all, steppedOf(t, "oriented", turned, there, err))
}

// Ten thousand instances of one part give the counts of the tree of all images.
func TestVolumesOfMany(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := objectsOf(rng, 30)
	for i := range objects { // on the grid
		for a := range 3 {
			lo := float32(rng.IntN(32))
			objects[i].Box.Min[a], objects[i].Box.Max[a] = lo, lo+float32(rng.IntN(4))
		}
	}
	tree, s := trees.Plant(t, objects, true), newScene(t)
	n := testkit.Budget(t, 1000, 10_000)
	transforms := make([]linear.Transform, n)
	var images []soa.Object
	for i := range transforms {
		var step [3]float64
		for a := range 3 {
			step[a] = float64(rng.IntN(1024))
		}
		transforms[i] = translation(t, step[0], step[1], step[2])
		for _, o := range objects {
			for a := range 3 {
				o.Box.Min[a] += float32(step[a])
				o.Box.Max[a] += float32(step[a])
			}
			images = append(images, o)
		}
	}
	if _, err := s.AddInstances(nil, tree, transforms, linear.InstanceOptions{}); err != nil {
		t.Fatal(err)
	}
	testkit.Must(t, s.Tick())
	flat, v := trees.Plant(t, images, true), s.View()
	if got := scene.Count(query.Frustum{}, v, query.Filter{}); got != uint64(n*len(objects)) {
		t.Errorf("%d in all, want %d", got, n*len(objects))
	}
	for range 50 {
		var lo, hi [3]float32
		for a := range 3 {
			lo[a] = float32(rng.IntN(1000))
			hi[a] = lo[a] + float32(rng.IntN(300))
		}
		b := queries.Box(t, soa.AABB{Min: lo, Max: hi})
		f := query.Filter{Mask: uint32(rng.IntN(8))}
		if got, want := scene.Count(b, v, f), uint64(b.Count(flat.View(), f)); got != want {
			t.Errorf("%d in %v to %v, want %d", got, lo, hi, want)
		}
	}
}

// No form allocates in steady state.
func TestQueriesAllocateNothing(t *testing.T) {
	rng := testkit.Rand(1)
	s := worldOf(t, rng, "turned", 3, 12)
	for _, family := range []string{"identity", "aligned", "affine"} {
		place(t, s, planted(t, rng, 150), transformOf(rng, family), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	v := s.View()
	center, corner, size, ok := targetOf(rng, spots(v))
	if !ok {
		t.Fatal("an empty scene")
	}
	heat := scene.NewHeat(v)
	var hits []scene.Hit
	test := func(_ scene.Path, _ uint32, tEnter float32) (float32, bool) { return tEnter, true }
	swept := 0
	for _, f := range []query.Filter{{}, {Mask: 3}, {Exact: true}} {
		for _, q := range volumesAt(t, rng, center, corner, size*4) {
			var a scene.Answer
			n := 0
			each := func(scene.Path, uint32) bool { n++; return true }
			part := func(_ scene.Part, r query.Range) bool { n += int(r.Count); return true }
			t.Run(fmt.Sprintf("%s/%+v", q.name, f), func(t *testing.T) {
				testkit.Allocs(t, 20, func() {
					a.Reset()
					q.append(&a, v, f)
					n += int(q.count(v, f))
					if q.any(v, f) {
						n++
					}
					q.ranges(v, f, part)
					n += q.tell(v, f, heat).Instances
				})
				testkit.Allocs(t, 20, func() { q.each(v, f, each) })
			})
			if n == 0 {
				t.Errorf("%s: nothing was found", q.name)
			}
		}
		for _, q := range sweptAt(t, rng, center, corner, size*4) {
			testkit.Allocs(t, 20, func() {
				hits = q.append(hits[:0], v, f)
				swept += len(hits)
				if _, ok := q.nearest(v, f); ok {
					swept++
				}
				if _, ok := q.tested(v, f, test); ok {
					swept++
				}
				if q.any(v, f) {
					swept++
				}
				swept += q.tell(v, f, nil).Instances
			})
		}
	}
	if swept == 0 {
		t.Error("no swept shape found anything")
	}
}
