package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

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
