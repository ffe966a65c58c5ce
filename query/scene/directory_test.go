package scene_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	worlds "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// numberOf is the number of the test object at an index: not its index.
func numberOf(i int) uint64 { return uint64(i)*7919 + 5 }

// numberedAll returns objects as a stream.
func numberedAll(objects []soa.Object) iter.Seq2[uint64, soa.Object] {
	return func(yield func(uint64, soa.Object) bool) {
		for i, o := range objects {
			if !yield(numberOf(i), o) {
				return
			}
		}
	}
}

// everywhere contains all boxes.
var everywhere = soa.AABB{
	Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
	Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
}

// created makes a directory and opens it with all shards in its view.
func created(t testing.TB, objects iter.Seq2[uint64, soa.Object], opt linear.DirectoryOptions) *linear.Directory {
	t.Helper()
	path := filepath.Join(t.TempDir(), "directory")
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, objects, opt))
	d := openedDirectory(t, path)
	testkit.Must(t, d.Prepare(t.Context(), everywhere))
	return d
}

func openedDirectory(t testing.TB, path string) *linear.Directory {
	t.Helper()
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, d.Close()) })
	return d
}

// asks runs queries against a directory and against one tree of the same objects.
type asks struct {
	t       testing.TB
	global  func(shard, id uint32) (uint64, bool)
	globals func(dst []uint64, shard uint32, ids []uint32) ([]uint64, bool)
	view    linear.SceneView
	one     linear.View
	numbers []uint64 // by the IDs of the one tree
}

func asksOf(t testing.TB, d *linear.Directory, objects []soa.Object, number func(i int) uint64) *asks {
	t.Helper()
	tree := trees.New(t, linear.Config{})
	ids, err := tree.InsertBatch(nil, objects)
	testkit.Must(t, err)
	a := &asks{t: t, global: d.Global, globals: d.AppendGlobal, view: d.View(), one: tree.View(), numbers: make([]uint64, len(ids))}
	for i, id := range ids {
		a.numbers[id] = number(i)
	}
	return a
}

// number returns the number of an object of the directory.
func (a *asks) number(p scene.Path, id uint32) uint64 {
	a.t.Helper()
	n, ok := a.global(p.At(0), id)
	if !ok || p.Len() != 1 {
		a.t.Fatalf("object %d at %v has no number", id, p)
	}
	return n
}

// sorted returns the numbers of objects of the one tree.
func (a *asks) sorted(ids []uint32) []uint64 {
	list := make([]uint64, len(ids))
	for i, id := range ids {
		list[i] = a.numbers[id]
	}
	slices.Sort(list)
	return list
}

func volumeOf[V interface {
	query.Volume
	Append([]uint32, linear.View, query.Filter) []uint32
}](a *asks, v V, flt query.Filter) (got, want []uint64) {
	a.t.Helper()
	var answer scene.Answer
	scene.Append(&answer, v, a.view, flt)
	for place, id := range answer.All() {
		got = append(got, a.number(answer.Path(place), id))
	}
	var each []uint64 // the long way round: see walk.still
	for path, id := range scene.All(v, a.view, flt) {
		each = append(each, a.number(path, id))
	}
	if !slices.Equal(each, got) {
		a.t.Errorf("%T: one by one other objects, or in another order", v)
	}
	var bulk []uint64
	for i := range answer.Runs {
		place, ids := answer.Run(i)
		ok := false
		if bulk, ok = a.globals(bulk, answer.Path(place).At(0), ids); !ok {
			a.t.Errorf("%T: no numbers in %v", v, answer.Path(place))
		}
	}
	if !slices.Equal(bulk, got) {
		a.t.Errorf("%T: other numbers of runs", v)
	}
	slices.Sort(got)
	if n := scene.Count(v, a.view, flt); n != uint64(len(got)) {
		a.t.Errorf("%T: %d counted, %d found", v, n, len(got))
	}
	if scene.Any(v, a.view, flt) != (len(got) > 0) {
		a.t.Errorf("%T: %d found, or any", v, len(got))
	}
	return got, a.sorted(v.Append(nil, a.one, flt))
}

func (a *asks) equal(what string, got, want []uint64) {
	a.t.Helper()
	if !slices.Equal(got, want) {
		a.t.Errorf("%s: %d objects, one tree has %d: %v", what, len(got), len(want), differing(got, want))
	}
}

// differing returns the elements that are in only one of two ascending lists.
func differing(got, want []uint64) (list []uint64) {
	for _, n := range got {
		if _, ok := slices.BinarySearch(want, n); !ok {
			list = append(list, n)
		}
	}
	for _, n := range want {
		if _, ok := slices.BinarySearch(got, n); !ok {
			list = append(list, n)
		}
	}
	return list
}

// all compares all objects.
func (a *asks) all() {
	a.t.Helper()
	got, want := volumeOf(a, query.Frustum{}, query.Filter{})
	a.equal("all", got, want)
	if n := a.view.Total(); n != uint64(len(want)) {
		a.t.Errorf("%d objects in all, one tree has %d", n, len(want))
	}
}

// questions compares all kinds of queries about objects.
func (a *asks) questions(rng *rand.Rand, objects []soa.Object, count int) {
	a.t.Helper()
	if len(objects) == 0 {
		return
	}
	near := 1 + len(objects)/20
	boxes := worlds.BoxQueries(objects, near, count, rng.Uint64())
	filters := []query.Filter{{}, {Mask: 5}, {Motion: query.MovingOnly}}
	for i, b := range boxes {
		flt := filters[i%len(filters)]
		box, err := query.NewBox(b.Min, b.Max)
		testkit.Must(a.t, err)
		got, want := volumeOf(a, box, flt)
		a.equal(fmt.Sprint("box ", b), got, want)

		p := b.Min
		point, err := query.NewPoint(p)
		testkit.Must(a.t, err)
		got, want = volumeOf(a, point, flt)
		a.equal("point", got, want)

		if radius := (b.Max[0] - b.Min[0]) / 2; radius < 1e15 {
			ball, err := query.NewSphere(p, radius)
			testkit.Must(a.t, err)
			got, want = volumeOf(a, ball, flt)
			a.equal("sphere", got, want)
		}
		a.nearest(p, 1+rng.IntN(2*near), flt)
	}
	for i, r := range worlds.RayQueries(objects, count, rng.Uint64()) {
		ray, err := query.NewRay(r.Origin, r.Dir, r.MaxT)
		testkit.Must(a.t, err)
		a.ray(ray, filters[i%len(filters)])
	}
	for i, c := range worlds.Cameras(objects, 0.1, count/2+1, rng.Uint64()) {
		f, err := query.FrustumPlanes(c.Planes())
		testkit.Must(a.t, err)
		a.frustum(f, c.Planes(), filters[i%len(filters)])
	}
}

// frustum compares frustum queries. Trees differ in the tolerance of planes, which depends on the largest
// coordinates of each, so an object found in only one is close to a plane.
func (a *asks) frustum(f query.Frustum, planes [6][4]float32, flt query.Filter) {
	a.t.Helper()
	got, want := volumeOf(a, f, flt)
	byNumber := map[uint64]uint32{}
	for id, n := range a.numbers {
		byNumber[n] = uint32(id)
	}
	all := a.one.Bounds()
	for _, n := range differing(got, want) {
		o, _ := a.one.Object(byNumber[n])
		close := false
		for _, p := range planes {
			sum, size := float64(p[3]), math.Abs(float64(p[3]))
			for k := range 3 {
				x := float64(p[k])
				sum += max(x*float64(o.Box.Min[k]), x*float64(o.Box.Max[k]))
				size += math.Abs(x) * float64(max(-all.Min[k], all.Max[k]))
			}
			close = close || math.Abs(sum) <= size*0x1p-18
		}
		if !close {
			a.t.Errorf("frustum: object %d is in one answer of two, and not at its border", n)
		}
	}
}

func (a *asks) ray(r query.Ray, flt query.Filter) {
	a.t.Helper()
	type hit struct {
		number uint64
		dist   float32
	}
	var got, want []hit
	for _, h := range scene.AppendHits(nil, r, a.view, flt) {
		got = append(got, hit{a.number(h.Path, h.ID), h.Dist})
	}
	for _, h := range r.Append(nil, a.one, flt) {
		want = append(want, hit{a.numbers[h.ID], h.Dist})
	}
	order := func(p, q hit) int { return cmp.Compare(p.number, q.number) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		a.t.Errorf("ray: %d hits, one tree has %d", len(got), len(want))
	}
	h, ok := scene.First(r, a.view, flt)
	first, some := r.First(a.one, flt)
	if ok != some || h.Dist != first.Dist {
		a.t.Errorf("ray: first %v %v, of one tree %v %v", h, ok, first, some)
	}
}

func (a *asks) nearest(p [3]float32, k int, flt query.Filter) {
	a.t.Helper()
	limit := float32(math.Inf(1))
	got, err := scene.AppendNearest(nil, a.view, p, k, limit, flt)
	testkit.Must(a.t, err)
	want, err := query.AppendNearest(nil, a.one, p, k, limit, flt)
	testkit.Must(a.t, err)
	if len(got) != len(want) {
		a.t.Errorf("%d nearest, one tree has %d", len(got), len(want))
		return
	}
	var near, nearer []uint64
	for i := range got {
		if got[i].Dist != want[i].Dist() && !(math.IsInf(float64(got[i].Dist), 1)) {
			a.t.Errorf("neighbour %d at %v, of one tree %v", i, got[i].Dist, want[i].Dist())
		}
		if want[i].Dist2 < want[len(want)-1].Dist2 { // objects tied for the k-th distance may differ
			near, nearer = append(near, a.number(got[i].Path, got[i].ID)), append(nearer, a.numbers[want[i].ID])
		}
	}
	slices.Sort(near)
	slices.Sort(nearer)
	a.equal("nearest", near, nearer)
}

// pairs compares overlapping pairs, in the directory across shards.
func (a *asks) pairs() {
	a.t.Helper()
	var got, want [][2]uint64
	in := func(x, y uint64) [2]uint64 { return [2]uint64{min(x, y), max(x, y)} }
	for _, p := range scene.AppendPairs(nil, a.view, scene.PairFilter{Filter: collide.Filter{StaticPairs: true}, Instances: true}) {
		got = append(got, in(a.number(p.A.Path, p.A.ID), a.number(p.B.Path, p.B.ID)))
	}
	for _, p := range collide.Append(nil, collide.Within(a.one), collide.Filter{StaticPairs: true}) {
		want = append(want, in(a.numbers[p.A], a.numbers[p.B]))
	}
	order := func(p, q [2]uint64) int { return slices.Compare(p[:], q[:]) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		a.t.Errorf("%d pairs, one tree has %d", len(got), len(want))
	}
}

// A directory returns the results of one tree, for all kinds of objects, and for any number of passes to
// build it.
func TestDirectoryAnswers(t *testing.T) {
	seed := testkit.Seed(t)
	for _, s := range testkit.Scenes() {
		for _, n := range []int{1, 17, 3000} {
			if n > 1000 && !testkit.Long(t) && s.Name != "city" && s.Name != "huge" {
				n = 700
			}
			t.Run(fmt.Sprint(s.Name, n), func(t *testing.T) {
				rng := testkit.Rand(seed + uint64(n))
				objects := s.Make(n, seed)
				d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 64, Workers: 2})
				a := asksOf(t, d, objects, numberOf)
				a.all()
				a.questions(rng, objects, 9)
				if s.Name != "identical" && s.Name != "degenerate" || n < 100 {
					a.pairs()
				}
				if shards := d.Shards(); len(shards) > 4*n/64+1 {
					t.Errorf("%d shards of up to 64 for %d objects", len(shards), n)
				}
			})
		}
	}
}

// The view holds the prepared shards, and reports the others.
func TestDirectoryPrepare(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	path := filepath.Join(t.TempDir(), "directory")
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, numberedAll(objects), linear.DirectoryOptions{Shard: 50}))
	d := openedDirectory(t, path)
	if d.Len() != 2000 || d.View().Total() != 0 {
		t.Fatalf("%d objects, %d in view", d.Len(), d.View().Total())
	}
	shards, missing := d.Missing(everywhere)
	if missing != 2000 || shards != len(d.Shards()) {
		t.Fatalf("%d objects in %d shards are missing", missing, shards)
	}
	a := asksOf(t, d, objects, numberOf)
	for i, b := range worlds.BoxQueries(objects, 60, 10, 3) {
		box := queries.Box(t, b)
		before, was := d.View(), d.View().Total()
		testkit.Must(t, d.Prepare(t.Context(), b))
		a.view = d.View()
		if n := a.view.Total(); n < was || n > was != expired(func() { before.Objects() }) {
			t.Errorf("prepare %d: %d objects in view, %d before; views end: %v", i, n, was, n > was)
		}
		if shards, missing := d.Missing(b); shards != 0 || missing != 0 {
			t.Errorf("%d objects in %d shards are missing after Prepare", missing, shards)
		}
		got, want := volumeOf(a, box, query.Filter{})
		a.equal("prepared box", got, want)
		_, missing := d.Missing(everywhere)
		if missing+a.view.Total() != 2000 {
			t.Errorf("%d missing, %d in view", missing, a.view.Total())
		}
		for k, s := range d.Shards() {
			if _, ok := d.Global(uint32(k), 0); ok != s.Prepared {
				t.Errorf("shard %d is prepared: %v, and has a number: %v", k, s.Prepared, ok)
			}
		}
	}
	testkit.Must(t, d.Prepare(context.Background(), everywhere))
	a.view = d.View()
	a.all()
	if err := d.Prepare(t.Context(), soa.Empty()); err == nil {
		t.Error("an empty box is prepared")
	}
}

// Streams of no object, of one, and of more objects with one key than a shard holds.
func TestDirectoryEdges(t *testing.T) {
	box := func(x float32) soa.Object {
		return soa.Object{Box: soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}}, Mask: 1}
	}
	sky := soa.Object{Box: soa.AABB{Min: [3]float32{-1e18, -1e18, -1e18}, Max: [3]float32{1e18, 1e18, 1e18}}, Mask: 4}
	same := slices.Repeat([]soa.Object{box(3)}, 50)
	for name, objects := range map[string][]soa.Object{
		"none": nil, "one": {box(1)}, "sky": {box(1), sky, box(2)}, "same": same, "beside": append(slices.Clone(same), box(4), box(-1e30), box(1e30)),
	} {
		for _, world := range []soa.AABB{{}, {Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 1, 1}}} {
			t.Run(name, func(t *testing.T) {
				d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 16, World: world})
				a := asksOf(t, d, objects, numberOf)
				a.all()
				a.questions(testkit.Rand(1), objects, 3)
				next := morton.Key(0)
				for i, s := range d.Shards() {
					if s.Objects < 1 || s.Objects > 16 || s.Keys.First > s.Keys.Last || s.Keys.First != next {
						t.Errorf("shard %d: %+v", i, s)
					}
					next = s.Keys.Last
				}
				if n := len(d.Shards()); n > 0 && next != morton.MaxKey || n == 0 != (len(objects) == 0) {
					t.Errorf("%d shards end before key %v", n, next)
				}
				more := map[uint64]soa.Object{}
				h := heldObjects{}
				for i, o := range objects {
					h[numberOf(i)] = o
				}
				for i := range 30 {
					more[uint64(i)<<50] = box(float32(i % 3))
					h[uint64(i)<<50] = box(float32(i % 3))
				}
				testkit.Must(t, d.Replace(t.Context(), heldObjects(more).all(), nil))
				h.check(t, d, testkit.Rand(2), 2)
			})
		}
	}
}

// In steady state nothing allocates, and objects without a number are reported.
func TestDirectorySteady(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 100})
	var answer scene.Answer
	var numbers []uint64
	b := worlds.BoxQueries(objects, 200, 1, 1)[0]
	box := queries.Box(t, b)
	testkit.Allocs(t, 50, func() {
		if err := d.Prepare(nil, b); err != nil {
			t.Error(err)
		}
		h := d.Acquire()
		answer.Reset()
		numbers = numbers[:0]
		scene.Append(&answer, box, h.View(), query.Filter{})
		for i := range answer.Runs {
			place, ids := answer.Run(i)
			numbers, _ = h.AppendGlobal(numbers, answer.Path(place).At(0), ids)
		}
		h.Missing(b)
		if err := h.Release(); err != nil || len(numbers) < 50 {
			t.Error(len(numbers), err)
		}
	})
	last := uint32(len(d.Shards()))
	for _, at := range [][2]uint32{{last, 0}, {0, 101}, {linear.None, linear.None}} {
		_, one := d.Global(at[0], at[1])
		got, all := d.AppendGlobal(numbers[:3], at[0], []uint32{at[1]})
		if one || all || len(got) != 3 {
			t.Errorf("object %d of shard %d has a number", at[1], at[0])
		}
	}
}

// expired reports whether a call panics.
func expired(call func()) bool { return testkit.Panic(call) != nil }
