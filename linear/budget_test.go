package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// budgetStory is a tree with a tick budget, and one without that gets the same calls.
type budgetStory struct {
	*testing.T
	r          *rand.Rand
	tree, free *linear.Tree
	budget     int
	live       []uint32
	grafted    bool
	at         float32 // where objects arrive
	still      bool    // nothing happens but ticks
	given      int     // the most objects of a call of this frame
}

const budgetWorld = 200

func (s *budgetStory) box() soa.AABB {
	return cube(s.at+budgetWorld*s.r.Float32(), s.at+budgetWorld*s.r.Float32(), budgetWorld*s.r.Float32(), 1+s.r.Float32())
}

// both makes the same call in both trees.
func (s *budgetStory) both(f func(tree *linear.Tree) error) {
	s.Helper()
	must(s, f(s.tree))
	must(s, f(s.free))
}

// arrive inserts objects, spheres among them, in one call of each kind or one by one. Some are far, if far is true.
func (s *budgetStory) arrive(n int, far bool) {
	s.given = max(s.given, n)
	var objects []soa.Object
	var balls []linear.Ball
	for i := range n {
		o := soa.Object{Box: s.box(), Mask: 1 << s.r.IntN(4), Static: s.r.IntN(2) == 0}
		if far && i%40 == 7 {
			o.Box = cube(1e5*s.r.Float32(), -1e6, 0, 50)
		}
		if c := o.Box.Center(); i%7 == 3 {
			balls = append(balls, linear.Ball{Sphere: [4]float32{c[0], c[1], c[2], 1}, Mask: o.Mask})
			continue
		}
		objects = append(objects, o)
	}
	single := s.r.IntN(2) == 0
	var got [2][]uint32
	for k, tree := range []*linear.Tree{s.tree, s.free} {
		ids, err := tree.InsertBallBatch(nil, balls)
		must(s, err)
		if !single {
			ids, err = tree.InsertBatch(ids, objects)
			must(s, err)
		}
		for i := range objects {
			if single {
				id, err := tree.Insert(objects[i])
				must(s, err)
				ids = append(ids, id)
			}
		}
		got[k] = ids
	}
	if !slices.Equal(got[0], got[1]) {
		s.Fatalf("IDs %v, without a budget %v", got[0], got[1])
	}
	s.live = append(s.live, got[0]...)
}

func (s *budgetStory) shuffle() {
	s.r.Shuffle(len(s.live), func(i, j int) { s.live[i], s.live[j] = s.live[j], s.live[i] })
}

// jump moves some objects anywhere, turned ones and spheres among them.
func (s *budgetStory) jump(n int) {
	s.shuffle()
	var to linear.Bodies
	for i := range n {
		box := s.box()
		switch {
		case i%3 > 0:
			to.Boxes = append(to.Boxes, box)
		case i%2 == 0:
			to.Spheres = append(to.Spheres, [4]float32{box.Min[0], box.Min[1], box.Min[2], 1})
		default:
			to.Oriented = append(to.Oriented, linear.OrientedBox{Center: box.Min, Axes: [3][3]float32{{1}, {0, 2}, {0, 0, 3}}})
		}
	}
	s.both(func(tree *linear.Tree) error { return tree.MoveBodies(s.live[:n], to) })
}

// leave removes the last objects of the list.
func (s *budgetStory) leave(n int) { s.leaveFrom(n, 0) }

// leaveFrom removes objects of the list, but keeps its last ones.
func (s *budgetStory) leaveFrom(n, last int) {
	end := len(s.live) - last
	gone := slices.Clone(s.live[end-n : end])
	s.live = slices.Delete(s.live, end-n, end)
	s.both(func(tree *linear.Tree) error { return tree.RemoveBatch(gone) })
}

// check compares both trees, object by object and in queries.
func (s *budgetStory) check() {
	s.Helper()
	valid(s, s.tree)
	if a, b := s.tree.Digest(), s.free.Digest(); a != b {
		s.Fatalf("digest %016x, without a budget %016x", a, b)
	}
	s.grafted = s.grafted || s.tree.Stats().Grafted > 0
	for range 4 {
		box := s.box()
		q, err := query.NewBox(box.Min, box.Max)
		must(s, err)
		a, b := q.Append(nil, s.tree.View(), query.Filter{}), q.Append(nil, s.free.View(), query.Filter{})
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			s.Fatalf("box query: %v, without a budget %v", a, b)
		}
	}
}

// tick ends a frame, which has rebuilt nothing, unless grafts were full and a call had so many objects that it may. In
// a frame without other calls it does no more than the budget allows, except for the last leaf of a graft, and the last
// nodes that it partitions or merges.
func (s *budgetStory) tick() {
	s.Helper()
	s.both((*linear.Tree).Tick)
	after, w := s.tree.Stats(), s.tree.Work()
	if w.Rebuilt > max(s.budget, 224) && (s.given <= after.Objects/12 || s.tree.Config().Policy != linear.PolicyAuto) {
		s.Fatalf("a frame rebuilt %d of %d objects, and no call had more than %d", w.Rebuilt, after.Objects, s.given)
	}
	s.given = 0
	if s.still && (w.Placed > s.budget+256 || w.Shifted > 4*s.budget+1600) {
		s.Fatalf("a tick with a budget of %d did %+v", s.budget, w)
	}
	if after.Pending > 0 {
		s.Fatalf("%d objects are pending after a tick", after.Pending)
	}
	s.check()
}

// settle ticks until nothing is left to do.
func (s *budgetStory) settle() {
	s.Helper()
	s.still = true
	defer func() { s.still = false }()
	for k := 0; ; k++ {
		st := s.tree.Stats()
		if st.Grafted == 0 && st.Displaced == 0 && st.Uncut == 0 {
			return
		}
		if k > 4*st.Objects/s.budget+70 {
			s.Fatalf("after %d ticks %d objects are in grafts, %d are displaced, and %d nodes uncut", k, st.Grafted, st.Displaced, st.Uncut)
		}
		s.tick()
	}
}

// A tree with a tick budget holds the same objects as one without, and answers the same, after each call. Only calls
// that are given many objects rebuild it; ticks finish the rest.
func TestTickBudget(t *testing.T) {
	fixed := linear.Config{World: cube(0, 0, 0, 2*budgetWorld), Fixed: true}
	for i, cfg := range []linear.Config{{}, {Policy: linear.PolicyIncremental, Log: true}, fixed, {Frozen: true}, {SplitAbove: 5, PendingMin: 20}} {
		sizes := []int{2000, 9000}
		for _, n := range testkit.Budget(t, sizes[i%2:i%2+1], sizes) {
			t.Run(fmt.Sprintf("%d/%d", i, n), func(t *testing.T) {
				s := &budgetStory{T: t, r: testkit.Rand(testkit.Seed(t)), free: newTree(t, cfg), budget: n / 32}
				cfg.TickBudget = s.budget
				s.tree = newTree(t, cfg)
				s.arrive(n, false)
				s.both((*linear.Tree).Tick) // it may build
				s.settle()
				for step := range testkit.Budget(t, 16, 100) {
					call := s.r.IntN(8)
					if step < 3 {
						call = []int{0, 6, 7}[step]
					}
					if call == 7 && len(s.live) < 1000 {
						call = 6
					}
					switch call {
					case 0:
						s.arrive(len(s.live)/12, !cfg.Fixed)
					case 1:
						s.jump(len(s.live) / 30)
					case 2:
						s.leave(len(s.live) / 40)
					case 6: // the world grows, and has a graft
						s.at = budgetWorld * float32(s.r.IntN(3)-1)
						s.arrive(len(s.live)/10, false)
						s.check()
						s.tick()
						s.arrive(len(s.live)/10, false)
						s.at = 0
					case 7: // most leave, those of the first cell too, beside a graft
						s.shuffle()
						s.arrive(len(s.live)/12, false)
						s.leaveFrom(len(s.live)*11/20, len(s.live)/12)
					case 3:
						s.jump(3)
						s.arrive(5, false)
					case 4:
						s.settle()
					case 5:
						s.tree, s.free = s.tree.Clone(), s.free.Clone()
					}
					s.check()
					s.tick()
				}
				s.both((*linear.Tree).Flush)
				if st := s.tree.Stats(); st.Grafted > 0 || st.Displaced > 0 {
					t.Errorf("after a flush %d objects are in grafts, %d displaced", st.Grafted, st.Displaced)
				}
				s.check()
				if !s.grafted {
					t.Error("no object was in a graft")
				}
			})
		}
	}
}

// With a budget the call that completes the moves of most objects applies them, be it a batch or a single move, and
// leaves no rebuild to a read.
func TestBudgetOfMostMoves(t *testing.T) {
	const n = 2000
	for _, single := range []bool{false, true} {
		s := &budgetStory{T: t, r: testkit.Rand(testkit.Seed(t))}
		tree := newTree(t, linear.Config{TickBudget: n / 10})
		var objects []soa.Object
		for range n {
			objects = append(objects, soa.Object{Box: s.box(), Mask: 1})
		}
		ids := insert(t, tree, objects)
		tick(t, tree)
		var boxes []soa.AABB
		for range ids {
			boxes = append(boxes, s.box())
		}
		most := n / 4
		must(t, tree.MoveBatch(ids[:most], boxes[:most]))
		if moves, _, _ := tree.Waiting(); moves != most {
			t.Fatalf("%d moves are deferred, want %d", moves, most)
		}
		for i := most; i < n*3/10; i++ {
			if moves, _, _ := tree.Waiting(); moves != i {
				t.Fatalf("%d moves are deferred, want %d", moves, i)
			}
			if single {
				must(t, tree.Move(ids[i], boxes[i]))
			} else {
				must(t, tree.MoveBatch(ids[i:i+1], boxes[i:i+1]))
			}
		}
		if moves, _, _ := tree.Waiting(); moves > 0 {
			t.Errorf("single %v: %d of %d moves are left to a read", single, moves, n*3/10)
		}
		for i := range n * 3 / 10 {
			if o, ok := tree.Object(ids[i]); !ok || o.Box != boxes[i] {
				t.Fatalf("object %d has the box %v, want %v", i, o.Box, boxes[i])
			}
		}
		valid(t, tree)
	}
}

// A call for which grafts have no room places its objects, or rebuilds the tree if they are more than one in 12.
func TestFullGrafts(t *testing.T) {
	const n = 20_000
	for _, test := range []struct {
		policy  linear.Policy
		more    int
		rebuilt bool
	}{{more: n / 9, rebuilt: true}, {more: n / 14}, {policy: linear.PolicyIncremental, more: n / 9}} {
		s := spread(t, n, linear.Config{TickBudget: 1000, Policy: test.policy})
		insert(t, s.tree, s.objects(n/9))
		if st := s.tree.Stats(); st.Grafted < n/10 {
			t.Fatalf("%d objects are in a graft, want about %d", st.Grafted, n/9)
		}
		tick(t, s.tree)
		insert(t, s.tree, s.objects(test.more))
		s.tree.View()
		st := s.tree.Stats()
		if none := st.Grafted == 0; none != test.rebuilt || st.Pending > 0 {
			t.Errorf("%+v: %d objects are in grafts, %d pending", test, st.Grafted, st.Pending)
		}
		valid(t, s.tree)
		tick(t, s.tree)
		if w := s.tree.Work(); w.Rebuilt > 0 != test.rebuilt || w.Placed > 0 == test.rebuilt {
			t.Errorf("%+v: %+v", test, w)
		}
	}
}

// A graft of several levels, beside far objects and without.
func TestLargeGraft(t *testing.T) {
	const n = 36_000
	for _, far := range testkit.Budget(t, []bool{true}, []bool{false, true}) {
		s := &budgetStory{T: t, r: testkit.Rand(testkit.Seed(t)), budget: 1000}
		s.tree, s.free = newTree(t, linear.Config{TickBudget: s.budget}), newTree(t, linear.Config{})
		s.arrive(n, far)
		s.both((*linear.Tree).Tick)
		s.settle()
		s.arrive(n/9+800, far) // single calls place near ones up to the budget
		if grafted := s.tree.Stats().Grafted; grafted < n/10 {
			t.Fatalf("%d objects are in a graft, want about %d", grafted, n/9)
		}
		s.check()
		s.tick()
		s.leave(n / 20)
		s.check()
		s.settle()
	}
}

// workOfTick is the work of placement as Config.TickBudget counts it.
func workOfTick(w linear.Work) int { return 8*w.Placed + w.Shifted + 2*w.RefitPackets }

// spread inserts n objects in a tree, ticks until they are cut, and returns a story with that tree alone.
func spread(t *testing.T, n int, cfg linear.Config) *budgetStory {
	s := &budgetStory{T: t, r: testkit.Rand(testkit.Seed(t)), tree: newTree(t, cfg), budget: cfg.TickBudget}
	s.live = insert(t, s.tree, s.objects(n))
	for k := 0; s.tree.Stats().Uncut > 0 && k < 2*n; k++ {
		tick(t, s.tree)
	}
	return s
}

func (s *budgetStory) objects(n int) (objects []soa.Object) {
	for range n {
		objects = append(objects, soa.Object{Box: s.box(), Mask: 1})
	}
	return objects
}

// Calls place an eighth of the budget at a time, and as many grafted objects, until these are as many as the budget.
// More become a graft.
func TestBudgetOfCalls(t *testing.T) {
	const budget = 1600
	s := spread(t, 40_000, linear.Config{TickBudget: budget})
	insert(t, s.tree, s.objects(budget/8+1))
	if got := s.tree.Stats().Grafted; got != budget/8+1 {
		t.Fatalf("%d objects are in grafts, want the %d inserted ones", got, budget/8+1)
	}
	insert(t, s.tree, s.objects(budget/8))
	if st := s.tree.Stats(); st.Grafted > 1+15 || st.Pending > 0 { // a packet has up to 16
		t.Fatalf("%d objects are in grafts, %d pending, want none or one", st.Grafted, st.Pending)
	}
	valid(t, s.tree)
	tick(t, s.tree)
	for i := range 9 {
		before := s.tree.Stats().Grafted
		insert(t, s.tree, s.objects(budget/8))
		st := s.tree.Stats()
		if want := before + max(0, i-7)*budget/8; st.Grafted != want || st.Pending > 0 {
			t.Fatalf("call %d: %d objects are in grafts, %d pending, want %d and 0", i, st.Grafted, st.Pending, want)
		}
		valid(t, s.tree)
	}
	tick(t, s.tree)

	// Single moves are applied by the call that completes an eighth.
	for i := range budget / 8 {
		if moves, _, _ := s.tree.Waiting(); moves != i {
			t.Fatalf("%d moves are deferred, want %d", moves, i)
		}
		must(t, s.tree.Move(s.live[i], s.box()))
	}
	if moves, _, _ := s.tree.Waiting(); moves > 0 {
		t.Fatalf("%d moves are deferred, want none", moves)
	}
	if st := s.tree.Stats(); st.Grafted > 0 || st.Pending > 0 {
		t.Fatalf("%d objects are in grafts, %d pending, want none", st.Grafted, st.Pending)
	}
	valid(t, s.tree)
}

// A tick ends when its work is 7 for each object of the budget, in a large tree 3, apart from the last leaf of a graft.
// That includes the refit that moves require.
func TestBudgetOfTicks(t *testing.T) {
	for _, c := range []struct{ n, share int }{{60_000, 7}, {1<<19 + 1, 3}} {
		budget := c.n / 64
		s := spread(t, c.n, linear.Config{TickBudget: budget, Workers: 1})
		insert(t, s.tree, s.objects(c.n/16))
		least, most := c.share*budget/2, c.share*budget+224*32
		for k := 0; ; k++ {
			tick(t, s.tree)
			w, left := workOfTick(s.tree.Work()), s.tree.Stats().Grafted
			if k == 0 {
				w -= c.n / 16 // the graft
			}
			if w > most || w < least && left > 0 {
				t.Errorf("n=%d: tick %d does %d, want %d to %d: %+v", c.n, k, w, least, most, s.tree.Work())
			}
			if left == 0 {
				break
			}
			if k > 100 {
				t.Fatalf("n=%d: %d objects are in grafts", c.n, left)
			}
		}
		valid(t, s.tree)
	}
}

// Moves far away in each frame, of more objects than ticks can place in their time, do not fill grafts; with a budget
// of one object, too, everything is placed at last.
func TestBudgetTooSmall(t *testing.T) {
	const n, moved = 20_000, 300
	s := spread(t, n, linear.Config{TickBudget: 320})
	for frame := range testkit.Budget(t, 30, 60) {
		s.shuffle()
		var boxes []soa.AABB
		for range moved {
			boxes = append(boxes, s.box())
		}
		must(t, s.tree.MoveBatch(s.live[:moved], boxes))
		s.tree.View()
		tick(t, s.tree)
		if got := s.tree.Stats().Grafted; got > 2*moved {
			t.Fatalf("frame %d: %d objects are left in grafts, want at most %d", frame, got, 2*moved)
		}
	}
	valid(t, s.tree)

	// Calls that find grafts full place their objects themselves, and ticks empty the grafts.
	for frame := range 6 {
		s.shuffle()
		var boxes []soa.AABB
		for range 5 * moved {
			boxes = append(boxes, s.box())
		}
		must(t, s.tree.MoveBatch(s.live[:5*moved], boxes))
		s.tree.View()
		before := s.tree.Stats().Grafted
		tick(t, s.tree)
		if after := s.tree.Stats().Grafted; s.tree.Work().Placed > 5*moved && after > before-160 {
			t.Fatalf("frame %d: %d objects are in grafts, before the tick %d", frame, after, before)
		}
	}
	valid(t, s.tree)

	s = spread(t, 1000, linear.Config{TickBudget: 1})
	insert(t, s.tree, s.objects(120))
	insert(t, s.tree, s.objects(20))
	for k := 0; s.tree.Stats().Grafted > 0 || s.tree.Stats().Displaced > 0; k++ {
		if k > 200 {
			t.Fatalf("after %d ticks %+v", k, s.tree.Stats())
		}
		tick(t, s.tree)
	}
	valid(t, s.tree)

	// Ticks also merge what removals have left underfull, and then have nothing to do.
	must(t, s.tree.RemoveBatch(s.live[:700]))
	for k := 0; ; k++ {
		before := s.tree.View().Stamp()
		tick(t, s.tree)
		if s.tree.View().Stamp() == before {
			break
		}
		if k > 400 {
			t.Fatalf("after %d ticks there is still something to do: %+v", k, s.tree.Work())
		}
	}
	valid(t, s.tree)
}

// If the refit that changes require takes all of its work, a tick still places some objects, but few.
func TestBudgetOfRefits(t *testing.T) {
	const n, budget, labelled = 40_000, 600, 4000
	s := spread(t, n, linear.Config{TickBudget: budget})
	insert(t, s.tree, s.objects(n/20))
	for k := range testkit.Budget(t, 4, 20) {
		s.shuffle()
		for _, id := range s.live[:labelled] {
			must(t, s.tree.SetStatic(id, k%2 == 0))
		}
		tick(t, s.tree)
		if w := s.tree.Work(); 2*w.RefitPackets < 7*budget || w.Placed == 0 || 8*w.Placed > 7*budget/4 {
			t.Fatalf("frame %d: a tick with much to refit did %+v", k, w)
		}
		valid(t, s.tree)
	}
}
