package scene_test

import (
	"context"
	"errors"
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

// manyQueries are queries about the objects of a scene.
type manyQueries struct {
	boxes  []query.Box
	balls  []query.Sphere
	rays   []query.Ray
	swept  []query.SweptSphere
	points [][3]float32
}

func queriesIn(t testing.TB, rng *rand.Rand, v linear.SceneView, n int) (q manyQueries) {
	t.Helper()
	all := spots(v)
	for range n {
		center, corner, size, ok := targetOf(rng, all)
		if !ok {
			return q
		}
		var p, lo, hi, dir [3]float32
		half := float32(min(size*math.Ldexp(1, rng.IntN(6)-3), math.MaxFloat32/4))
		for a := range 3 {
			p[a] = float32(center[a])
			lo[a], hi[a] = p[a]-half*rng.Float32(), p[a]+half*rng.Float32()
			dir[a] = float32(corner[a]) - p[a] + half*float32(rng.NormFloat64())
		}
		box := queries.Box(t, soa.AABB{Min: lo, Max: hi})
		ball, err := query.NewSphere(p, half)
		testkit.Must(t, err)
		ray, err := query.NewRay(lo, dir, 4)
		if err != nil {
			continue // no direction
		}
		moving := queries.SweptSphere(t, lo, half/4, dir)
		q.boxes, q.balls, q.rays, q.swept, q.points = append(q.boxes, box), append(q.balls, ball), append(q.rays, ray), append(q.swept, moving), append(q.points, p)
	}
	return q
}

func checkVolumes[V query.Volume](t *testing.T, b *scene.VolumeBatch[V], volumes []V, v linear.SceneView, f query.Filter) (found int) {
	t.Helper()
	for range 2 { // the second time into buffers that have grown
		testkit.Must(t, b.Find(nil, v, volumes, f))
	}
	for i := range volumes {
		var want scene.Answer
		scene.Append(&want, volumes[i], v, f)
		if got := fmt.Sprint(runsOf(b.Of(i))); got != fmt.Sprint(runsOf(&want)) {
			t.Fatalf("volume %d: %v, want %v", i, got, runsOf(&want))
		}
		found += want.Len()
	}
	return found
}

func checkSweeps[S query.Sweep](t *testing.T, b *scene.SweepBatch[S], sweeps []S, v linear.SceneView, f query.Filter) (found int) {
	t.Helper()
	for range 2 {
		testkit.Must(t, b.FindAll(nil, v, sweeps, f))
	}
	for i := range sweeps {
		want := scene.AppendHits(nil, sweeps[i], v, f)
		if !slices.Equal(b.Of(i), want) {
			t.Fatalf("%d: %v, want %v", i, b.Of(i), want)
		}
		found += len(want)
	}
	testkit.Must(t, b.Find(nil, v, sweeps, f))
	for i := range sweeps {
		h, ok := scene.First(sweeps[i], v, f)
		if got := b.Of(i); ok != (len(got) == 1) || ok && got[0] != h {
			t.Fatalf("%d: %v, want %v", i, got, h)
		}
	}
	return found
}

// Batches have the results of single queries, in their order, on every tier, with any number of workers.
func TestBatches(t *testing.T) {
	seed := testkit.Seed(t)
	var found [3]int
	testkit.EachTier(t, func(t *testing.T) {
		for i, family := range families {
			if !testkit.OfTier(t, i) {
				continue
			}
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 1, 10) {
				v, f := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12)).View(), someFilter(rng)
				q := queriesIn(t, rng, v, rng.IntN(100))
				for _, workers := range []int{1, 2, 5} {
					last, calls := 1.0, 0
					progress := func(done float64) {
						if calls++; done != 0 && done < last || done < 0 || done > 1 || done == 0 && last != 1 {
							t.Errorf("progress %v after %v", done, last)
						}
						last = done
					}
					found[0] += checkVolumes(t, &scene.VolumeBatch[query.Box]{Workers: workers, Progress: progress}, q.boxes, v, f)
					found[0] += checkVolumes(t, &scene.VolumeBatch[query.Sphere]{Workers: workers, Progress: progress}, q.balls, v, f)
					found[1] += checkSweeps(t, &scene.SweepBatch[query.Ray]{Workers: workers, Progress: progress}, q.rays, v, f)
					found[1] += checkSweeps(t, &scene.SweepBatch[query.SweptSphere]{Workers: workers, Progress: progress}, q.swept, v, f)
					near := scene.NearestBatch{Workers: workers, Progress: progress}
					for range 2 {
						testkit.Must(t, near.Find(nil, v, q.points, 4, infinity, f))
					}
					for i, p := range q.points {
						want := nearestOf(t, v, p, 4, infinity, f)
						if !slices.Equal(near.Of(i), want) {
							t.Fatalf("point %d: %v, want %v", i, near.Of(i), want)
						}
						found[2] += len(want)
					}
					if last != 1 || calls < 16 {
						t.Errorf("progress ends with %v, after %d calls", last, calls)
					}
				}
			}
		}
	})
	if slices.Contains(found[:], 0) {
		t.Errorf("%v found by volumes, rays, and points", found)
	}
}

// Bad arguments and cancellation give errors and empty results; batches allocate nothing in steady state, and keep
// neither the scene nor the queries.
func TestBatchArguments(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	v := worldOf(t, rng, "turned", 2, 20).View()
	q := queriesIn(t, rng, v, 200)
	volumes, rays, near := scene.VolumeBatch[query.Box]{Workers: 1}, scene.SweepBatch[query.Ray]{Workers: 1}, scene.NearestBatch{Workers: 1}
	run := func(ctx context.Context, f query.Filter) [4]error {
		return [4]error{
			volumes.Find(ctx, v, q.boxes, f), rays.FindAll(ctx, v, q.rays, f),
			rays.Find(ctx, v, q.rays, f), near.Find(ctx, v, q.points, 3, 50, f),
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 {
		for what, errs := range map[string][4]error{"cancelled": run(ended, query.Filter{}), "motion": run(nil, query.Filter{Motion: 9})} {
			for i, err := range errs {
				if err == nil || what == "cancelled" != errors.Is(err, context.Canceled) {
					t.Errorf("%s: error %d is %v", what, i, err)
				}
			}
		}
		for i := range q.points {
			if volumes.Of(i).Len() != 0 || len(rays.Of(i)) != 0 || len(near.Of(i)) != 0 {
				t.Errorf("query %d has results after an error", i)
			}
		}
		for _, err := range run(context.Background(), query.Filter{}) {
			testkit.Must(t, err)
		}
	}
	nan := float32(math.NaN())
	for _, err := range []error{
		near.Find(nil, v, [][3]float32{{}, {nan}}, 3, 50, query.Filter{}), near.Find(nil, v, nil, -1, 50, query.Filter{}), near.Find(nil, v, nil, 1, nan, query.Filter{}),
	} {
		if err == nil {
			t.Error("no error for a bad argument")
		}
	}
	testkit.Must(t, near.Find(nil, v, q.points, 0, 50, query.Filter{}))
	for _, of := range []func(int){func(i int) { volumes.Of(i) }, func(i int) { rays.Of(i) }, func(i int) { near.Of(i) }} {
		for _, i := range []int{-1, len(q.points)} {
			if testkit.Panic(func() { of(i) }) == nil {
				t.Errorf("no panic for query %d", i)
			}
		}
	}
	if scene.BatchKeeps(&volumes) {
		t.Error("the batch keeps its arguments")
	}
	if !testkit.RaceEnabled {
		if a := testing.AllocsPerRun(5, func() { run(nil, query.Filter{}) }); a != 0 {
			t.Errorf("%v allocations", a)
		}
	}
}
