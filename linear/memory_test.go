package linear_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// heapOf returns the average bytes on the heap of one of the made values.
func heapOf(t *testing.T, one func() any) float64 {
	t.Helper()
	if testkit.RaceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	n := testkit.Budget(t, 200, 1000)
	keep := make([]any, n)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range keep {
		keep[i] = one()
	}
	after := heap()
	runtime.KeepAlive(keep)
	return (float64(after) - float64(before)) / float64(n)
}

// A tree of few objects takes little memory, for all ways of insertion, and so does a scene of one object with
// its publisher.
func TestSmallMemory(t *testing.T) {
	object := func(i int) soa.Object { return soa.Object{Box: cube(float32(i), 1, 2, 1), Mask: 1} }
	single := func(t *testing.T, tree *linear.Tree, n int) {
		for i := range n {
			_, err := tree.Insert(object(i))
			must(t, err)
		}
	}
	batch := func(t *testing.T, tree *linear.Tree, n int) {
		var objects []soa.Object
		for i := range n {
			objects = append(objects, object(i))
		}
		insert(t, tree, objects)
	}
	for _, way := range []struct {
		name string
		cfg  linear.Config
		fill func(t *testing.T, tree *linear.Tree, n int)
	}{
		{"one by one", linear.Config{}, single},
		{"one by one, ticked", linear.Config{}, func(t *testing.T, tree *linear.Tree, n int) {
			single(t, tree, n)
			tick(t, tree)
		}},
		{"batch", linear.Config{}, batch},
		{"batch, ticked", linear.Config{}, func(t *testing.T, tree *linear.Tree, n int) {
			batch(t, tree, n)
			tick(t, tree)
			tick(t, tree)
		}},
		{"frozen", linear.Config{Frozen: true}, batch},
		{"trimmed", linear.Config{}, func(t *testing.T, tree *linear.Tree, n int) {
			batch(t, tree, n)
			for range 3 {
				rebuild(t, tree, false)
			}
			tree.Trim()
		}},
	} {
		for _, n := range []int{0, 1, 6, 10} {
			t.Run(fmt.Sprintf("%s/%d", way.name, n), func(t *testing.T) {
				most := 4096.0
				if n == 0 {
					most = 2048
				}
				bytes := heapOf(t, func() any {
					tree := newTree(t, way.cfg)
					way.fill(t, tree, n)
					return tree
				})
				t.Logf("%.0f bytes", bytes)
				if bytes > most+8 { // the heap contains objects of the test, too
					t.Errorf("%.0f bytes, at most %.0f", bytes, most)
				}
			})
		}
	}
	t.Run("published scene", func(t *testing.T) {
		bytes := heapOf(t, func() any {
			s := newScene(t, linear.Config{})
			_, err := s.Tree().Insert(object(1))
			must(t, err)
			must(t, s.Tick())
			return linear.NewScenePublisher(s)
		})
		t.Logf("%.0f bytes", bytes)
		if bytes > 16<<10 {
			t.Errorf("%.0f bytes, at most %d", bytes, 16<<10)
		}
	})
}

// dirtyHeap leaves free memory that is full of ones.
func dirtyHeap() {
	var blocks [][]byte
	ones := bytes.Repeat([]byte{0xFF}, 1<<20)
	for size := 64; size <= 1<<20; size *= 2 {
		for range max(8<<20/size/16, 8) {
			b := make([]byte, size)
			copy(b, ones)
			blocks = append(blocks, b)
		}
	}
	runtime.KeepAlive(blocks)
	blocks = nil
	runtime.GC()
	runtime.GC()
}

// New columns may have uninitialized memory: its contents never affect a tree.
func TestDirtyMemory(t *testing.T) {
	for _, scene := range testkit.Budget(t, []string{"city"}, []string{"uniform", "city", "degenerate"}) {
		for _, cfg := range []linear.Config{{Workers: 1, Log: true}, {Workers: 1, Frozen: true}} {
			n := testkit.Budget(t, 300, 1000)
			objects := sceneOf(t, scene, 9*n)
			story := func(dirty bool) (all []map[string][]byte) {
				tree := newTree(t, cfg)
				see := func() {
					valid(t, tree)
					bits := storeBits(tree.View().Store())
					bits["heights"] = bitsOf(tree.View().Store().Nodes.Height)
					bits["below"] = bitsOf(tree.View().Store().Nodes.Below)
					bits["slots"] = bitsOf(tree.View().Store().Nodes.Slots)
					all = append(all, bits)
					if dirty {
						dirtyHeap()
					}
				}
				if dirty {
					dirtyHeap()
				}
				ids := insert(t, tree, objects[:8*n])
				see()
				insert(t, tree, objects[8*n:])
				must(t, tree.Flush())
				see()
				boxes := make([]soa.AABB, 0, len(ids))
				for i := range ids {
					boxes = append(boxes, objects[len(ids)-1-i].Box)
				}
				must(t, tree.MoveBatch(ids, boxes))
				see()
				must(t, tree.RemoveBatch(ids[:4*n]))
				tick(t, tree)
				see()
				rebuild(t, tree, true)
				see()
				tree.Clear()
				insert(t, tree, objects)
				see()
				return all
			}
			want, got := story(false), story(true)
			for step := range want {
				for name := range want[step] {
					if !bytes.Equal(got[step][name], want[step][name]) {
						t.Errorf("%s, %+v, step %d: %s depend on what was in memory", scene, cfg, step, name)
					}
				}
			}
		}
	}
}

// toScan returns the number of bytes that a mark phase may scan.
func toScan() int64 {
	runtime.GC()
	s := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// The columns of a tree have no pointers: the garbage collector scans only some fixed buffers. A pointer for
// each packet would add half a byte per object, a pointer for each object eight bytes.
func TestNothingToScan(t *testing.T) {
	const n, fixed = 400_000, 128 << 10
	objects := sceneOf(t, "uniform", n)
	before := toScan()
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	rebuild(t, tree, false)
	tick(t, tree)
	if extra := toScan() - before; extra > fixed {
		t.Errorf("a tree of %d objects adds %d bytes to scan", tree.Len(), extra)
	}
	runtime.KeepAlive(tree)
	runtime.KeepAlive(objects)
}

// game is a tree in the middle of a game: bouncing cubes, a stream of bullets through them, and queries in each
// frame.
type game struct {
	world   *scene.Bouncing
	shots   scene.Bullets
	tree    *linear.Tree
	ids     []uint32
	flying  []uint32
	objects []soa.Object
	frame   int

	frustum query.Frustum
	box     query.Box
	ball    query.Sphere
	ray     query.Ray
	found   []uint32
	hits    []query.Hit
	near    []query.Neighbor
	pairs   []collide.Pair
	answers int

	tracker collide.Tracker
}

func newGame(t testing.TB, n int) *game {
	g := &game{
		world: scene.NewBouncing(n, 1),
		shots: scene.Bullets{Volley: n / 64, Pause: 4, Life: 4, Muzzle: [3]float32{2000, 2000, 2000}, Step: 40},
		tree:  newTree(t, linear.Config{Workers: 1, Log: true}),
	}
	g.ids = insert(t, g.tree, g.world.Objects())
	camera := scene.Cameras(g.world.Objects(), 0.1, 1, 1)[0]
	var err [4]error
	g.frustum, err[0] = query.FrustumPlanes(camera.Planes())
	g.box, err[1] = query.NewBox([3]float32{1500, 1500, 1500}, [3]float32{2500, 2500, 2500})
	g.ball, err[2] = query.NewSphere([3]float32{1000, 1000, 1000}, 800)
	g.ray, err[3] = query.NewRay([3]float32{0, 2000, 2000}, [3]float32{1, 0, 0}, 4000)
	for _, e := range err {
		if e != nil {
			t.Fatal(e)
		}
	}
	return g
}

// next plays a frame.
func (g *game) next(t testing.TB) {
	check := func(err error) {
		must(t, err)
	}
	check(g.tree.MoveBatch(g.ids, g.world.Step()))
	if g.frame%g.shots.Pause == 0 {
		check(g.tree.RemoveBatch(g.flying))
		g.objects = g.objects[:0]
		for k := range g.shots.Volley {
			g.objects = append(g.objects, soa.Object{Box: g.shots.Box(0, k, 0), Mask: 2})
		}
		var err error
		g.flying, err = g.tree.InsertBatch(g.flying[:0], g.objects)
		check(err)
	} else {
		for k, id := range g.flying {
			check(g.tree.Move(id, g.shots.Box(0, k, g.frame%g.shots.Pause)))
		}
	}
	g.frame++
	check(g.tree.Tick())

	v := g.tree.View()
	g.found = g.frustum.Append(g.found[:0], v, query.Filter{})
	g.answers += len(g.found) + g.box.Count(v, query.Filter{Mask: 2})
	g.found = g.ball.Append(g.found[:0], v, query.Filter{})
	g.hits = g.ray.Append(g.hits[:0], v, query.Filter{})
	var err error
	g.near, err = query.AppendNearest(g.near[:0], v, [3]float32{2000, 2000, 2000}, 8, 1e6, query.Filter{})
	check(err)
	if hit, ok := g.ray.First(v, query.Filter{}); ok {
		g.answers += int(hit.ID & 1)
	}
	g.pairs = collide.Append(g.pairs[:0], collide.Within(v), collide.Filter{})
	check(g.tracker.Update(v))
	if g.tracker.Len() != len(g.pairs) {
		t.Fatalf("the tracker holds %d pairs of %d", g.tracker.Len(), len(g.pairs))
	}
	g.answers += len(g.found) + len(g.hits) + len(g.near) + len(g.pairs)
}

// roomy makes room for more results than any frame has returned so far.
func (g *game) roomy() {
	g.found = make([]uint32, 0, 2*cap(g.found))
	g.hits = make([]query.Hit, 0, 2*cap(g.hits))
	g.pairs = make([]collide.Pair, 0, 2*cap(g.pairs))
}

// Frames of moves, insertions, removals, ticks and queries allocate nothing once
// all lists have their size.
func TestSteadyFrames(t *testing.T) {
	n, warm := testkit.Budget(t, 2000, 8000), 800
	if testkit.RaceEnabled { // the race detector allocates: the frames only run
		warm = 5
	}
	g := newGame(t, n)
	for range warm {
		g.next(t)
	}
	g.roomy()
	g.answers = 0
	testkit.Allocs(t, 60, func() { g.next(t) })
	if g.answers == 0 || len(g.pairs) == 0 || len(g.near) != 8 || len(g.hits) == 0 {
		t.Errorf("%d answers, %d pairs, %d neighbours, %d hits: the frames ask nothing", g.answers, len(g.pairs), len(g.near), len(g.hits))
	}
	valid(t, g.tree)
}

// A frame of 16,384 moving cubes, bullets and queries: B/op is to be 0.
func BenchmarkSteadyFrame(b *testing.B) {
	g := newGame(b, scene.BouncingCount/4)
	for range 400 { // until lists and columns have reached their size
		g.next(b)
	}
	g.roomy()
	b.ReportAllocs()
	for b.Loop() {
		g.next(b)
	}
}

// A number of workers beyond any machine's means the maximum, on 32 bits too: a step of a build that grows with
// them must not overflow.
func TestTooManyWorkers(t *testing.T) {
	objects := sceneOf(t, "city", 2000)
	want := newTree(t, linear.Config{Workers: 1})
	insert(t, want, objects)
	rebuild(t, want, false)
	for _, workers := range []int{1 << 18, math.MaxInt>>13 + 1, math.MaxInt >> 1, math.MaxInt} {
		built, rebuilt := newTree(t, linear.Config{Workers: workers}), newTree(t, linear.Config{Workers: workers})
		insert(t, rebuilt, objects)
		must(t, built.Build(nil, objects, linear.RebuildOptions{}))
		for _, tree := range []*linear.Tree{built, rebuilt} {
			rebuild(t, tree, false)
			if got := tree.Stats().Workers; got != team.Most {
				t.Errorf("%d workers: %d are used, want %d", workers, got, team.Most)
			}
			if tree.LayoutDigest() != want.LayoutDigest() {
				t.Errorf("%d workers make another tree", workers)
			}
		}
		numbered := map[uint64]linear.Object{}
		for i, o := range objects[:300] {
			numbered[uint64(i)] = o
		}
		dir := filepath.Join(t.TempDir(), "boxes")
		must(t, linear.CreateDirectory(nil, dir, maps.All(numbered), linear.DirectoryOptions{Workers: workers, Shard: 64}))
		d, err := linear.OpenDirectory(dir, linear.CheckFull)
		must(t, err)
		if n := d.Len(); int(n) != len(numbered) {
			t.Errorf("%d workers: a directory of %d objects, want %d", workers, n, len(numbered))
		}
		must(t, d.Close())
	}
	if _, err := linear.New(linear.Config{Workers: -1}); err == nil {
		t.Error("a negative number of workers is no error")
	}
}
