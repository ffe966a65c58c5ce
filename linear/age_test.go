package linear_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// ageSeeds is the number of seeds of TestAge: in one tree of four the borders of cells happen to suit the objects.
const ageSeeds = 4

// A tree in which each object has moved several times has about as many nodes and packets as a new tree of the
// same objects.
func TestAge(t *testing.T) {
	n, frames := 20_000, 600
	if !testkit.Long(t) {
		n = 10_000
	}
	seed := testkit.Seed(t)
	for i := range 2 * ageSeeds {
		name := []string{"uniform", "city"}[i%2]
		objects := sceneOf(t, name, n)
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, objects)
		world := soa.Empty()
		for i := range objects {
			world = world.Union(objects[i].Box)
		}
		r := testkit.Rand(seed + uint64(i/2))
		for range frames {
			for range n / 100 {
				i := r.IntN(n)
				objects[i].Box = drift(r, objects[i].Box, 1, world, 20)
				must(t, tree.Move(ids[i], objects[i].Box))
			}
			tick(t, tree)
		}
		valid(t, tree)
		fresh := newTree(t, linear.Config{})
		insert(t, fresh, objects)
		old, young := tree.Stats(), fresh.Stats()
		t.Logf("%s: %d nodes and %d packets, a new tree has %d and %d", name, old.Nodes, old.Packets, young.Nodes, young.Packets)
		if 4*old.Nodes > 5*young.Nodes || 4*old.Packets > 5*young.Packets || old.Depth > young.Depth+1 {
			t.Errorf("%s: %+v after %d frames, a new tree has %+v", name, old, frames, young)
		}
	}
}

// A drifting tree is rebuilt before its boxes have grown much, and its quality recovers.
func TestBulkMotion(t *testing.T) {
	objects := sceneOf(t, "uniform", testkit.Budget(t, 12_000, 36_000))
	tree := newTree(t, linear.Config{World: cube(-100, -100, -100, 300), Fixed: true})
	ids := insert(t, tree, objects)
	r := testkit.Rand(testkit.Seed(t))
	boxes := make([]soa.AABB, len(ids))
	drifted, rebuilt := 0, 0
	for range 40 {
		for i := range objects {
			objects[i].Box = drift(r, objects[i].Box, 0.8, soa.AABB{}, 0)
			boxes[i] = objects[i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
		check(t, tree, ids, objects)
		tick(t, tree)
		if tree.Stats().BulkMotion {
			drifted++
		}
		if tree.Work().Rebuilt > 0 {
			rebuilt++
		}
	}
	t.Logf("of 40 frames %d ended in a drift and %d with a rebuild", drifted, rebuilt)
	if drifted < 20 || rebuilt < 3 || rebuilt > 20 {
		t.Errorf("of 40 frames %d ended in a drift and %d with a rebuild", drifted, rebuilt)
	}
	for !tree.Stats().BulkMotion {
		for i := range boxes {
			objects[i].Box = drift(r, objects[i].Box, 0.8, soa.AABB{}, 0)
			boxes[i] = objects[i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
	}
	tick(t, tree)
	must(t, tree.Move(ids[0], boxes[1]))
	objects[0].Box = boxes[1]
	tick(t, tree)
	if tree.Work().Rebuilt == 0 && tree.Work().Placed == 0 || tree.Stats().BulkMotion {
		t.Error("the tree drifts on when the objects rest")
	}
	valid(t, tree)
	check(t, tree, ids, objects)
}

// swarm moves all objects for some frames, each with or without a tick, and returns the numbers of objects that
// rebuilds moved and that were placed one by one.
func swarm(t *testing.T, tree *linear.Tree, ids []uint32, objects []soa.Object, step float32, jumps int, ticks bool) (rebuilt, homed int) {
	t.Helper()
	r := testkit.Rand(testkit.Seed(t))
	boxes := make([]soa.AABB, len(ids))
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	tick(t, tree) // completes the work of the build
	for range 20 {
		for i := range objects {
			objects[i].Box = drift(r, objects[i].Box, step, world, jumps)
			boxes[i] = objects[i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
		if ticks {
			tick(t, tree)
			rebuilt += tree.Work().Rebuilt
			homed += tree.Work().Placed
		}
	}
	if !ticks {
		tick(t, tree)
		rebuilt, homed = tree.Work().Rebuilt, tree.Work().Placed
	}
	valid(t, tree)
	return rebuilt, homed
}

// While all objects move slowly, a tree is only refitted; objects that jump are placed one by one; a fast
// motion causes a rebuild now and then, with or without ticks. Queries visit little more than in a new tree.
func TestBulkMotionFollows(t *testing.T) {
	n := testkit.Budget(t, 12_000, 36_000)
	for _, x := range []struct {
		name                    string
		step                    float32
		jumps                   int
		ticks                   bool
		rebuilds                [2]int // at least, at most
		homedLeast, homedAtMost int
	}{
		{"slow", 0.02, 0, true, [2]int{0, 0}, 0, 0},
		{"jumps", 0.02, 100, true, [2]int{0, 3}, 10 * n / 100, 20 * n / 24},
		{"many jump", 0.02, 12, true, [2]int{20, 20}, 0, 0},
		{"fast", 0.8, 0, true, [2]int{2, 10}, 0, 10 * n / 24},
		{"fast without ticks", 0.8, 0, false, [2]int{2, 10}, 0, 10 * n / 24},
	} {
		if !testkit.Long(t) && x.name != "jumps" && x.name != "fast without ticks" {
			continue
		}
		objects := sceneOf(t, "uniform", n)
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, objects)
		rebuilt, homed := swarm(t, tree, ids, objects, x.step, x.jumps, x.ticks)
		frusta, boxes := aged(t, tree, objects)
		t.Logf("%s: %d rebuilt, %d homed, visits %.2f and %.2f of a new tree's", x.name, rebuilt, homed, frusta, boxes)
		if rebuilt < x.rebuilds[0]*n || rebuilt > x.rebuilds[1]*n || homed < x.homedLeast || homed > x.homedAtMost {
			t.Errorf("%s: %d rebuilt, %d homed", x.name, rebuilt, homed)
		}
		if frusta > 1.2 || boxes > 1.3 {
			t.Errorf("%s: frusta visit %.2f, boxes %.2f times what they do in a new tree", x.name, frusta, boxes)
		}
	}
}

// questions are volume queries of several sizes near some objects.
type questions struct {
	frusta []query.Frustum
	boxes  []query.Box
}

func newQuestions(t testing.TB, objects []soa.Object) (q questions) {
	t.Helper()
	for _, share := range []float64{0.01, 0.1, 0.5} {
		for _, c := range scene.Cameras(objects, share, 16, 1) {
			f, err := query.FrustumPlanes(c.Planes())
			must(t, err)
			q.frusta = append(q.frusta, f)
		}
	}
	for _, results := range []int{8, 100} {
		for _, b := range scene.BoxQueries(objects, results, 100, 1) {
			x, err := query.NewBox(b.Min, b.Max)
			must(t, err)
			q.boxes = append(q.boxes, x)
		}
	}
	return q
}

// visits returns the number of nodes and packets that frusta and boxes test.
func (q *questions) visits(v linear.View) (frusta, boxes int) {
	for _, f := range q.frusta {
		c := f.Explain(v, query.Filter{}, nil)
		frusta += c.Nodes + c.Packets
	}
	for _, b := range q.boxes {
		c := b.Explain(v, query.Filter{}, nil)
		boxes += c.Nodes + c.Packets
	}
	return frusta, boxes
}

// answer runs all queries and returns the number of results.
func (q *questions) answer(v linear.View) (n int) {
	for _, f := range q.frusta {
		n += f.Count(v, query.Filter{})
	}
	for _, b := range q.boxes {
		n += b.Count(v, query.Filter{})
	}
	return n
}

// aged returns the ratio of the tree's visits to the visits after a rebuild.
func aged(t testing.TB, tree *linear.Tree, objects []soa.Object) (frusta, boxes float64) {
	t.Helper()
	fresh := tree.Clone()
	rebuild(t, fresh, false)
	q := newQuestions(t, objects)
	f, b := q.visits(tree.View())
	f1, b1 := q.visits(fresh.View())
	return float64(f) / float64(f1), float64(b) / float64(b1)
}

// arrivals are orders of insertion: at random, and from the origin outwards, so that the first world is too
// small for most objects.
var arrivals = []struct {
	name string
	sort func(objects []soa.Object)
}{
	{"random", func([]soa.Object) {}},
	{"outwards", func(objects []soa.Object) {
		far := func(o *soa.Object) (d float64) {
			for _, c := range o.Box.Center() {
				d += float64(c) * float64(c)
			}
			return d
		}
		slices.SortStableFunc(objects, func(a, b soa.Object) int { return cmp.Compare(far(&a), far(&b)) })
	}},
}

// A tree that is filled by some insertions a frame is at each size about as fast as a new tree of the same
// objects. Without rebuilds its packets and nodes are less full, but its world fits.
func TestSlowFill(t *testing.T) {
	for i, name := range []string{"uniform", "city"} {
		for k, order := range arrivals {
			objects := sceneOf(t, name, 4000)
			order.sort(objects)
			for changes, most := range map[linear.Policy]float64{linear.PolicyAuto: 1.15, linear.PolicyIncremental: 1.65} {
				if !testkit.Long(t) && (changes == linear.PolicyAuto) != ((i+k)%2 == 0) {
					continue
				}
				for _, step := range testkit.Budget(t, []int{10}, []int{1, 10, 100}) {
					tree := newTree(t, linear.Config{Policy: changes})
					frusta, boxes := 0.0, 0.0
					for at := 0; at < len(objects); at += step {
						for _, o := range objects[at : at+step] {
							_, err := tree.Insert(o)
							must(t, err)
						}
						tick(t, tree)
						if n := at + step; n >= 1200 && n%testkit.Budget(t, 1400, 700) == 500 {
							f, b := aged(t, tree, objects[:n])
							frusta, boxes = max(frusta, f), max(boxes, b)
						}
					}
					valid(t, tree)
					t.Logf("%s, %s, %v, %d a frame: %.2f (frusta) and %.2f (boxes) times the visits of a new tree, at most",
						name, order.name, changes, step, frusta, boxes)
					if max(frusta, boxes) > most {
						t.Errorf("more than %.2f", most)
					}
				}
			}
		}
	}
}

// The cost of an insertion with its part of the tick, in a tree that is filled with 4,000 objects. The other
// figure is the ratio of query times in the last tree to those in a new one.
func BenchmarkSlowFill(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		objects := sceneOf(b, name, 4000)
		for _, step := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("scene=%s/step=%d", name, step), func(b *testing.B) {
				var tree *linear.Tree
				for b.Loop() {
					tree = newTree(b, linear.Config{Workers: 1})
					for at := 0; at < len(objects); at += step {
						for _, o := range objects[at : at+step] {
							if _, err := tree.Insert(o); err != nil {
								b.Fatal(err)
							}
						}
						must(b, tree.Tick())
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(objects)), "ns/object")
				f, x := aged(b, tree, objects)
				b.ReportMetric(f, "frusta/new")
				b.ReportMetric(x, "boxes/new")
				b.ReportMetric(slowdown(b, tree, objects), "time/new")
			})
		}
	}
}

// slowdown returns the ratio of the least query time to that of a new tree.
func slowdown(b *testing.B, tree *linear.Tree, objects []soa.Object) float64 {
	fresh := tree.Clone()
	rebuild(b, fresh, false)
	q := newQuestions(b, objects)
	least := [2]time.Duration{1 << 62, 1 << 62}
	for range 200 {
		for i, v := range [2]linear.View{tree.View(), fresh.View()} {
			start := time.Now()
			opSum += q.answer(v)
			least[i] = min(least[i], time.Since(start))
		}
	}
	return float64(least[0]) / float64(least[1])
}

// shrunkTo returns a tree after the removal of all but left of n objects and some ticks, and the remaining IDs.
func shrunkTo(t *testing.T, cfg linear.Config, n, left int) (*linear.Tree, []uint32) {
	t.Helper()
	tree := newTree(t, cfg)
	ids := insert(t, tree, sceneOf(t, "uniform", n))
	var keep, gone []uint32
	for i, id := range ids {
		if i%(n/left) == 0 && len(keep) < left {
			keep = append(keep, id)
		} else {
			gone = append(gone, id)
		}
	}
	must(t, tree.RemoveBatch(gone))
	for range 70 { // longer than any lifespan
		tick(t, tree)
	}
	return tree, keep
}

// Moves of half of the objects and a tick take as many statements as in a tree that was never large.
func TestOnceLargeMoves(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("the long form counts statements")
	}
	const n = 50_000
	steps := testkit.NewStepCounter(t)
	for _, policy := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit} {
		cfg := linear.Config{Policy: policy, Workers: 1}
		calls := func(n int) func() func() {
			return func() func() {
				tree, ids := shrunkTo(t, cfg, n, 50)
				r := testkit.Rand(1)
				first, boxes := make([]soa.AABB, 25), make([]soa.AABB, 25)
				for i := range first {
					first[i] = cube(100*r.Float32(), 100*r.Float32(), 100*r.Float32(), 1)
				}
				return func() { // a small motion, which no rebuild ends
					for i := range boxes {
						boxes[i] = drift(r, first[i], 0.1, soa.AABB{}, 0)
					}
					must(t, tree.MoveBatch(ids[:25], boxes))
					tick(t, tree)
				}
			}
		}
		t.Run(policy.String(), func(t *testing.T) {
			if ratio := steps.Ratio(t, 50, calls(n), calls(50)); ratio > 2 {
				t.Errorf("%.1f times as many statements in a tree that had %d objects", ratio, n)
			}
		})
	}
}

// After removals at once or in small steps, a tree that fits one node is one node under every policy.
func TestOnceLargeNodes(t *testing.T) {
	n := testkit.Budget(t, 20_000, 400_000)
	for _, policy := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit, linear.PolicyRebuild} {
		whole := newTree(t, linear.Config{Policy: policy})
		ids := insert(t, whole, sceneOf(t, "uniform", n))
		tick(t, whole)
		for _, left := range []int{1, 64, 224} {
			for _, step := range []int{n, n / 50} {
				tree, again := whole.Clone(), whole.Clone()
				for end := len(ids); end > left; {
					from := max(end-step, left)
					for _, tree := range []*linear.Tree{tree, again} {
						must(t, tree.RemoveBatch(ids[from:end]))
						tick(t, tree)
					}
					end = from
				}
				valid(t, tree)
				if tree.LayoutDigest() != again.LayoutDigest() {
					t.Errorf("%v, %d of %d left: a clone has another layout", policy, left, n)
				}
				if nodes := tree.Stats().Nodes; nodes != 1 {
					t.Errorf("%v, %d of %d left in steps of %d: %d nodes", policy, left, n, step, nodes)
				}
			}
		}
	}
}

// A tick without work executes as many statements in a tree with far objects.
func TestIdleTickFar(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("the long form counts statements")
	}
	ticks := func(far int) func() func() {
		return func() func() {
			tree := newTree(t, linear.Config{Workers: 1})
			objects := sceneOf(t, "uniform", 20_000)
			for i := range far {
				x := float32(1e7) * (1 + float32(i)/float32(far))
				objects = append(objects, soa.Object{Box: cube(x, -x, x, 1), Mask: 1})
			}
			insert(t, tree, objects)
			for range 300 { // until nothing is left to do
				tick(t, tree)
			}
			return func() { tick(t, tree) }
		}
	}
	if ratio := testkit.NewStepCounter(t).Ratio(t, 100, ticks(2000), ticks(0)); ratio > 1.5 {
		t.Errorf("with 2,000 objects far away it executes %.1f times as many statements", ratio)
	}
}

// The removal of parts from a scene takes as many statements of a part, however many there are, in the order of their
// insertion.
func TestScenePartsLeave(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("the long form counts statements")
	}
	const calls = 8
	leave := func(n int) func() func() {
		return func() func() {
			s := newScene(t, linear.Config{Workers: 1})
			parts := make([]*linear.Tree, n)
			ids := make([]uint32, n)
			for i := range parts {
				parts[i] = treeOf(t)
				ids[i] = place(t, s, parts[i], at(float64(i), 0, 0), linear.InstanceOptions{})
			}
			deep := newScene(t, linear.Config{})
			place(t, deep, treeOf(t), at(0, 0, 0), linear.InstanceOptions{})
			last := 0
			return func() { // removes a tenth of them, and inserts and removes a deeper part
				for range n / 10 {
					must(t, s.Remove(ids[last]))
					must(t, s.Remove(place(t, s, deep, at(0, 0, 0), linear.InstanceOptions{})))
					last++
				}
			}
		}
	}
	const few, many = 500, 5000
	if ratio := testkit.NewStepCounter(t).Ratio(t, calls, leave(many), leave(few)); ratio > 1.5*many/few {
		t.Errorf("%d parts take %.1f times as many statements as %d", many, ratio, few)
	}
}
