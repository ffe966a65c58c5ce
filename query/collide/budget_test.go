package collide_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// watchWorld is a tree that changes at random, and the expected results of a budget tracker.
type watchWorld struct {
	rng   *rand.Rand
	tree  *linear.Tree
	born  map[uint32]int // births of the live objects
	count int
	watch collide.BudgetTracker
	twin  collide.BudgetTracker // the same, and gives memory back now and then

	told   map[collide.Pair]lasting
	frame  int
	again  []int // units, by frame, summed up
	pass   int   // the most units of a pass
	slots  int   // the most packets
	longer int   // overlaps that lasted longer than a period
	balls  bool  // half of the objects have spheres
}

// lasting is an overlap since the frame in which it began or was last reported.
type lasting struct{ since, a, b int }

func newWatchTree(t testing.TB) *linear.Tree {
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func (w *watchWorld) object() soa.Object {
	var o soa.Object
	size := float32(4)
	if w.rng.IntN(40) == 0 {
		size = 100
	}
	for a := range 3 {
		o.Box.Min[a] = w.rng.Float32() * 30
		o.Box.Max[a] = o.Box.Min[a] + w.rng.Float32()*size
	}
	o.Mask, o.Static = 1<<w.rng.IntN(4), w.rng.IntN(4) == 0
	return o
}

// watchFilters gives each field of a filter a value that excludes some pairs, or adds some.
var watchFilters = map[string]func(f *collide.Filter, rng *rand.Rand){
	"Mask":        func(f *collide.Filter, rng *rand.Rand) { f.Mask = 1 + rng.Uint32N(14) },
	"Layers":      func(f *collide.Filter, _ *rand.Rand) { f.Layers = new(collide.Layers(testkit.SomeLayers())) },
	"StaticPairs": func(f *collide.Filter, _ *rand.Rand) { f.StaticPairs = true },
	"Exact":       func(f *collide.Filter, _ *rand.Rand) { f.Exact = true },
	"Live":        func(f *collide.Filter, rng *rand.Rand) { f.Live = someOf(rng, 300) },
	"LiveBoth":    func(f *collide.Filter, rng *rand.Rand) { f.LiveBoth = someOf(rng, 300) },
}

// fields are the names of the fields of a filter.
func fields(t testing.TB) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[collide.Filter]()) {
		if names = append(names, f.Name); watchFilters[f.Name] == nil {
			t.Errorf("no value for the field %s of the filter", f.Name)
		}
	}
	return names
}

func (w *watchWorld) insert(t testing.TB, n int) {
	for range n {
		id, err := w.tree.Insert(w.object())
		if err != nil {
			t.Fatal(err)
		}
		w.count++
		w.born[id] = w.count
		if w.balls && w.rng.IntN(2) == 0 {
			o, _ := w.tree.Object(id)
			if err := w.tree.SetSphere(id, testkit.BallIn(o.Box)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (w *watchWorld) ids() []uint32 {
	var ids []uint32
	for id := range w.born {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// change makes the changes between two updates.
func (w *watchWorld) change(t testing.TB) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for range w.rng.IntN(3) {
		ids := w.ids()
		switch op := w.rng.IntN(20); {
		case op < 8:
			for range w.rng.IntN(30) {
				id := ids[w.rng.IntN(len(ids))]
				o, _ := w.tree.Object(id)
				step := (w.rng.Float32() - 0.5) * 2
				o.Box.Min[0], o.Box.Max[0] = o.Box.Min[0]+step, o.Box.Max[0]+step
				must(w.tree.Move(id, o.Box))
			}
		case op < 11:
			id := ids[w.rng.IntN(len(ids))]
			must(w.tree.Remove(id))
			delete(w.born, id)
			w.insert(t, 1+w.rng.IntN(2)) // perhaps under the same ID
		case op == 11:
			must(w.tree.SetMask(ids[w.rng.IntN(len(ids))], 1<<w.rng.IntN(4)))
		case op == 12:
			must(w.tree.Rebuild(context.Background(), linear.RebuildOptions{}))
		case op == 13 && w.rng.IntN(4) == 0:
			w.tree.Clear()
			clear(w.born)
			w.insert(t, 200)
		case op == 14: // another tree with the same objects
			w.tree = w.tree.Clone()
			clear(w.told)
		case op == 15: // more than the log remembers
			for range 4 {
				must(w.tree.Tick())
				must(w.tree.Move(ids[0], w.object().Box))
			}
		case op == 16:
			must(w.tree.SetStatic(ids[w.rng.IntN(len(ids))], w.rng.IntN(2) == 0))
		case op == 17: // the tree forgets IDs that its log still names
			came, err := w.tree.InsertBatch(nil, make([]soa.Object, 70))
			must(errors.Join(err, w.tree.RemoveBatch(came)))
			w.tree.Trim()
		}
	}
	must(w.tree.Tick())
	must(w.tree.Validate())
}

// check compares the results of an update with all pairs.
func (w *watchWorld) check(t testing.TB) {
	t.Helper()
	w.frame++
	v := w.tree.View()
	all := collide.Append(nil, collide.Within(v), w.watch.Filter)
	is := map[collide.Pair]bool{}
	for _, p := range all {
		is[p] = true
	}
	found := w.watch.Found()
	for i, p := range found {
		if !is[p] {
			t.Fatalf("frame %d: %v are told and are no pair", w.frame, p)
		}
		if i > 0 && (p.A < found[i-1].A || p.A == found[i-1].A && p.B <= found[i-1].B) {
			t.Fatalf("frame %d: %v after %v", w.frame, p, found[i-1])
		}
	}
	stats := w.watch.Stats()
	if stats.Units > w.watch.Budget {
		t.Fatalf("frame %d: %d units of %d", w.frame, stats.Units, w.watch.Budget)
	}
	last := 0
	if len(w.again) > 0 {
		last = w.again[len(w.again)-1]
	}
	w.again = append(w.again, last+stats.Retested)

	whole := collide.BudgetTracker{Filter: w.watch.Filter, Budget: math.MaxInt}
	if err := whole.Update(v); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(all)
	slices.SortFunc(want, comparePairs)
	if !slices.Equal(whole.Found(), want) {
		t.Fatalf("frame %d: without a budget %d pairs are told, want %d", w.frame, len(whole.Found()), len(want))
	}
	w.pass, w.slots = max(w.pass, whole.Stats().Units), max(w.slots, v.Slots())

	for p := range w.told {
		if !is[p] {
			delete(w.told, p)
		}
	}
	for _, p := range all {
		l, ok := w.told[p]
		if !ok || l.a != w.born[p.A] || l.b != w.born[p.B] {
			l = lasting{w.frame, w.born[p.A], w.born[p.B]}
		}
		if _, told := slices.BinarySearchFunc(found, p, comparePairs); told {
			l.since = w.frame
		}
		w.told[p] = l
		period := w.period(v, p)
		age := w.frame - l.since
		if age > period {
			w.longer++
		}
		again := w.again[w.frame-1] - w.again[l.since-1]
		if over := age - period - 1; over > 0 && over*w.watch.Budget > w.pass+w.slots+again {
			t.Fatalf("frame %d: %v overlap for %d frames and are not told: period %d, budget %d, pass %d, packets %d, again %d",
				w.frame, p, age, period, w.watch.Budget, w.pass, w.slots, again)
		}
	}
}

// checkTwin updates a tracker that frees memory now and then, and compares its results.
func (w *watchWorld) checkTwin(t testing.TB) {
	t.Helper()
	a, b := &w.watch, &w.twin
	b.Filter, b.Classes, b.Budget, b.Visible = a.Filter, a.Classes, a.Budget, a.Visible
	if len(w.again)%3 == 1 {
		b.Trim()
	}
	if err := b.Update(w.tree.View()); err != nil {
		t.Fatal(err)
	}
	if len(w.again)%5 == 1 {
		b.Trim()
	}
	if !slices.Equal(a.Found(), b.Found()) || !slices.Equal(a.Checked(), b.Checked()) || a.Stats() != b.Stats() {
		t.Fatalf("frame %d: trimmed, it tells %v, asks %v and has done %+v; else %v, %v, %+v",
			w.frame, b.Found(), b.Checked(), b.Stats(), a.Found(), a.Checked(), a.Stats())
	}
}

// period is the smaller one of the two periods of a pair, the longer one of each object, visible or not.
func (w *watchWorld) period(v linear.View, p collide.Pair) int {
	least := math.MaxInt
	for _, id := range []uint32{p.A, p.B} {
		o, _ := v.Object(id)
		if o.Static && !w.watch.Filter.StaticPairs || w.watch.Filter.Mask != 0 && w.watch.Filter.Mask&o.Mask == 0 {
			continue
		}
		for _, c := range w.watch.Classes {
			if c.Mask == 0 || c.Mask&o.Mask != 0 {
				least = min(least, max(c.Period, c.Hidden))
				break
			}
		}
	}
	return least
}

// For any changes of the tree, no update takes more units than its budget, every reported pair overlaps,
// and every pair that overlaps for longer than the stated number of frames is reported; and results are the
// same on all tiers.
func TestBudgetTracker(t *testing.T) {
	var first [][]collide.Pair
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		var tells [][]collide.Pair
		longer := 0
		for round := range testkit.Budget(t, 2, 6, 20) {
			w := watchWorld{rng: rng, tree: newWatchTree(t), born: map[uint32]int{}, told: map[collide.Pair]lasting{}}
			w.insert(t, 100+rng.IntN(200))
			w.watch.Budget = []int{7, 60, 400, 1}[round%4]
			w.watch.Filter.StaticPairs = rng.IntN(2) == 0
			w.watch.Classes = []collide.Class{{Mask: 1, Period: 1, Hidden: 3}, {Mask: 2, Period: 2, Hidden: 2}, {Period: 5, Hidden: 9}}
			for range testkit.Budget(t, 100, 250, 1000) {
				w.change(t)
				switch rng.IntN(16) {
				case 0, 1:
					w.watch.Visible = someOf(rng, 300)
				case 2:
					w.watch.Visible = nil
				case 3:
					w.watch.Visible = w.watch.Visible[:len(w.watch.Visible)/2]
				}
				if err := w.watch.Update(w.tree.View()); err != nil {
					t.Fatal(err)
				}
				w.checkTwin(t)
				w.check(t)
				tells = append(tells, slices.Clone(w.watch.Found()))
			}
			longer += w.longer
		}
		if longer == 0 {
			t.Fatal("no overlap waited")
		}
		if first == nil {
			first = tells
		} else if !slices.EqualFunc(first, tells, slices.Equal) {
			t.Fatal("another tier has told other pairs")
		}
	})
}

// Each field of the filter counts: with one and with all of them set, and changed on the way, a tracker
// reports the correct pairs, and each field excludes or adds some.
func TestBudgetFilters(t *testing.T) {
	names := fields(t)
	sets := [][]string{names, nil}
	for _, name := range names {
		sets = append(sets, []string{name})
	}
	seed := testkit.Seed(t)
	for i, set := range sets {
		w := watchWorld{rng: testkit.Rand(seed + uint64(i)), tree: newWatchTree(t), born: map[uint32]int{}, told: map[collide.Pair]lasting{}, balls: true}
		w.insert(t, 200)
		w.watch.Budget = []int{60, math.MaxInt}[i%2]
		w.watch.Classes = []collide.Class{{Mask: 1, Period: 1, Hidden: 3}, {Period: 4, Hidden: 5}}
		counts := false
		for frame := range testkit.Budget(t, 12, 60, 300) {
			if frame%20 == 0 {
				w.watch.Filter = collide.Filter{}
				for _, name := range set {
					watchFilters[name](&w.watch.Filter, w.rng)
				}
				clear(w.told) // the bound of time begins anew
			}
			w.change(t)
			if err := w.watch.Update(w.tree.View()); err != nil {
				t.Fatal(err)
			}
			w.check(t)
			v := w.tree.View()
			with, without := collide.Append(nil, collide.Within(v), w.watch.Filter), collide.Append(nil, collide.Within(v), collide.Filter{})
			counts = counts || !slices.Equal(with, without)
		}
		if counts != (set != nil) {
			t.Errorf("the fields %v change the pairs: %v", set, counts)
		}
	}
}

// A search that takes many updates reports every object that overlaps its object all the time, though the
// tree is rebuilt and all objects move meanwhile, and tests few packets twice.
func TestBudgetLongSearch(t *testing.T) {
	w := watchWorld{rng: testkit.Rand(testkit.Seed(t)), tree: newWatchTree(t), born: map[uint32]int{}}
	w.insert(t, 2000)
	giant, err := w.tree.Insert(soa.Object{Box: soa.AABB{Min: [3]float32{-500, -500, -500}, Max: [3]float32{500, 500, 500}}, Mask: 16})
	if err != nil {
		t.Fatal(err)
	}
	w.watch.Budget, w.watch.Classes = 3, []collide.Class{{Mask: 16, Period: 1000}}
	told := map[collide.Pair]bool{}
	frames, again := 0, 0
	for len(w.watch.Checked()) == 0 {
		if frames++; frames > 2000 {
			t.Fatal("it does not end")
		}
		for id := range uint32(2000) {
			o, _ := w.tree.Object(id)
			for a, step := range [3]float32{w.rng.Float32() - 0.5, w.rng.Float32() - 0.5, w.rng.Float32() - 0.5} {
				o.Box.Min[a], o.Box.Max[a] = o.Box.Min[a]+step/8, o.Box.Max[a]+step/8
			}
			if err := w.tree.Move(id, o.Box); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.tree.Rebuild(context.Background(), linear.RebuildOptions{}), w.tree.Tick(), w.watch.Update(w.tree.View())); err != nil {
			t.Fatal(err)
		}
		for _, p := range w.watch.Found() {
			told[p] = true
		}
		again += w.watch.Stats().Retested
		if n := w.watch.Stats().Units; n > 3 {
			t.Fatalf("%d units", n)
		}
	}
	if len(told) != 2000 || w.watch.Checked()[0] != giant {
		t.Fatalf("%d pairs were told in %d frames, want 2000", len(told), frames)
	}
	if frames < 20 || again > 3*frames-40 {
		t.Fatalf("%d frames, %d packets again", frames, again)
	}
}

// Objects that are due longest are checked first, then those in the first class, then by ID; an object that
// becomes visible is checked at once.
func TestBudgetOrder(t *testing.T) {
	tree := newWatchTree(t)
	for i := range 12 {
		at := float32(i) * 10
		box := soa.AABB{Min: [3]float32{at, 0, 0}, Max: [3]float32{at + 1, 1, 1}}
		if _, err := tree.Insert(soa.Object{Box: box, Mask: 1 << (i % 2)}); err != nil {
			t.Fatal(err)
		}
	}
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Mask: 2, Period: 2, Hidden: 50}, {Mask: 1, Period: 6}}}
	w.Visible = []uint64{0xfff}
	for frame, want := range [][]uint32{{1, 3, 5, 7}, {9, 11, 0, 2}, {4, 6, 8, 10}, {1, 3, 5, 7}, {9, 11}, {1, 3, 5, 7}, {9, 11}} {
		if err := w.Update(tree.View()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.Checked(), want) {
			t.Fatalf("frame %d: asked %v, want %v; %+v", frame+1, w.Checked(), want, w.Stats())
		}
	}
	w.Visible = []uint64{1 << 5} // 0, 2, … are not checked, 1, 3, … after 50
	for frame, want := range [][]uint32{{5}, nil, {5}} {
		if err := w.Update(tree.View()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.Checked(), want) {
			t.Fatalf("frame %d, of one seen: asked %v, want %v", frame+8, w.Checked(), want)
		}
	}
	w.Visible = nil
	if err := w.Update(tree.View()); err != nil || !slices.Equal(w.Checked(), []uint32{1, 3, 7, 0}) {
		t.Fatalf("all seen again: asked %v, %v", w.Checked(), err)
	}
}

// An object is due from the frame in which the tracker first reads it: not before objects that have been
// due longer.
func TestBudgetNewcomers(t *testing.T) {
	tree := newWatchTree(t)
	insert := func(n int) {
		t.Helper()
		for range n {
			at := float32(tree.Len()) * 10
			box := soa.AABB{Min: [3]float32{at, 0, 0}, Max: [3]float32{at + 1, 1, 1}}
			if _, err := tree.Insert(soa.Object{Box: box, Mask: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := tree.Tick(); err != nil {
			t.Fatal(err)
		}
	}
	insert(12)
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Period: 100}}}
	for frame, step := range []struct {
		asked []uint32
		late  uint64
	}{
		{[]uint32{0, 1, 2, 3}, 1}, {[]uint32{4, 5, 6, 7}, 2}, {[]uint32{8, 9, 10, 11}, 2}, {[]uint32{12, 13}, 0}, {nil, 0}, {[]uint32{14}, 0},
	} {
		switch frame {
		case 1:
			insert(2)
		case 5:
			insert(1)
		}
		if err := w.Update(tree.View()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.Checked(), step.asked) || w.Stats().Late != step.late {
			t.Fatalf("frame %d: asked %v, %+v, want %v, late %d", frame+1, w.Checked(), w.Stats(), step.asked, step.late)
		}
	}
}

func TestBudgetRefuses(t *testing.T) {
	tree := newWatchTree(t)
	silent, err := linear.New(linear.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var w collide.BudgetTracker
	if err := w.Update(silent.View()); !errors.Is(err, collide.ErrNoLog) {
		t.Errorf("without a log: %v", err)
	}
	many := make([]collide.Class, 256)
	for i := range many {
		many[i].Period = 1
	}
	for _, bad := range []struct {
		Budget  int
		Classes []collide.Class
	}{{}, {Budget: -1}, {1, many}, {1, []collide.Class{{}}}, {1, []collide.Class{{Period: 1, Hidden: -1}}}} {
		w.Budget, w.Classes = bad.Budget, bad.Classes
		if err := w.Update(tree.View()); err == nil {
			t.Errorf("budget %d and %d classes: no error", bad.Budget, len(bad.Classes))
		}
	}
	w.Budget, w.Classes = 1, many[:255]
	if err := w.Update(tree.View()); err != nil || len(w.Found()) > 0 {
		t.Errorf("an empty tree: %v", err)
	}
}

func TestBudgetAllocates(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	w := watchWorld{rng: testkit.Rand(testkit.Seed(t)), tree: newWatchTree(t), born: map[uint32]int{}}
	w.insert(t, 1000)
	w.watch.Budget, w.watch.Visible, w.watch.Classes = 300, someOf(w.rng, 1000), []collide.Class{{Period: 3, Hidden: 20}}
	boxes := make([]soa.AABB, 50)
	ids := make([]uint32, len(boxes))
	frame := func() {
		for i := range boxes {
			ids[i], boxes[i] = uint32(w.rng.IntN(1000)), w.object().Box
		}
		for i := range w.watch.Visible {
			w.watch.Visible[i] ^= 1 << w.rng.IntN(64)
		}
		if err := errors.Join(w.tree.MoveBatch(ids, boxes), w.tree.Tick(), w.watch.Update(w.tree.View())); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		frame()
	}
	if n := testing.AllocsPerRun(200, frame); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
