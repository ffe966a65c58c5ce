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
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// watchWorld is a tree that changes at random, and the expected results of a budget tracker.
type watchWorld struct {
	rng       *rand.Rand
	tree      *linear.Tree
	born      map[uint32]int // births of the live objects
	count     int
	watch     collide.BudgetTracker
	reference collide.BudgetTracker // the same, and gives memory back now and then

	told   map[collide.Pair]lasting
	frame  int
	again  [][3]int // retested units by class, by frame, summed up
	pass   [3]int   // the most units of a pass of each class
	slots  int      // the most packets
	longer int      // overlaps that lasted longer than a period
	balls  bool     // half of the objects have spheres

	bounded int // overlaps with a bound
}

// lasting is an overlap: for each of the two objects its birth, its class, and the frame since which it owes
// the pair, because the overlap began, was reported, or the object changed its class.
type lasting struct{ since, born, class [2]int }

func newWatchTree(t testing.TB) *linear.Tree {
	tree := trees.New(t, linear.Config{Log: true})
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
	"Distance":    func(f *collide.Filter, rng *rand.Rand) { f.Distance = 0.5 + rng.Float32() },
	"Live":        func(f *collide.Filter, rng *rand.Rand) { f.Live = someOf(rng, 300) },
	"LiveBoth":    func(f *collide.Filter, rng *rand.Rand) { f.LiveBoth = someOf(rng, 300) },
	"Exclude":     func(f *collide.Filter, rng *rand.Rand) { f.Exclude = linear.Handle{ID: rng.Uint32N(20), Gen: 1} },
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
		testkit.Must(t, err)
		w.count++
		w.born[id] = w.count
		if w.balls && w.rng.IntN(2) == 0 {
			o, _ := w.tree.Object(id)
			testkit.Must(t, w.tree.SetSphere(id, testkit.BallIn(o.Box)))
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
		testkit.Must(t, err)
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
			t.Fatalf("frame %d: %v are reported and are no pair", w.frame, p)
		}
		if i > 0 && (p.A < found[i-1].A || p.A == found[i-1].A && p.B <= found[i-1].B) {
			t.Fatalf("frame %d: %v after %v", w.frame, p, found[i-1])
		}
	}
	stats := w.watch.Stats()
	if stats.Units > w.watch.Budget {
		t.Fatalf("frame %d: %d units of %d", w.frame, stats.Units, w.watch.Budget)
	}
	var again [3]int
	if len(w.again) > 0 {
		again = w.again[len(w.again)-1]
	}
	whole := collide.BudgetTracker{Filter: w.watch.Filter, Budget: math.MaxInt}
	sum := collide.BudgetStats{}
	for i, c := range w.watch.Classes {
		s := w.watch.ClassStats(i)
		again[i] += s.Retested
		sum.Units, sum.Checked, sum.Retested, sum.Late = sum.Units+s.Units, sum.Checked+s.Checked, sum.Retested+s.Retested, max(sum.Late, s.Late)
		whole.Classes = append(whole.Classes, collide.Class{Mask: c.Mask, Period: 1})
	}
	w.again = append(w.again, again)
	if sum != stats {
		t.Fatalf("frame %d: %+v, the classes have %+v", w.frame, stats, sum)
	}
	testkit.Must(t, whole.Update(v))
	want := slices.Clone(all)
	slices.SortFunc(want, comparePairs)
	if !slices.Equal(whole.Found(), want) {
		t.Fatalf("frame %d: without a budget %d pairs are told, want %d", w.frame, len(whole.Found()), len(want))
	}
	for i := range w.watch.Classes {
		w.pass[i] = max(w.pass[i], whole.ClassStats(i).Units)
	}
	w.slots = max(w.slots, v.Slots())

	for p := range w.told {
		if !is[p] {
			delete(w.told, p)
		}
	}
	for _, p := range all {
		l, ok := w.told[p]
		_, told := slices.BinarySearchFunc(found, p, comparePairs)
		born := [2]int{w.born[p.A], w.born[p.B]}
		ok = ok && !told && l.born == born
		l.born = born
		waits, over := 0, 0 // classes that owe the pair
		for k, id := range []uint32{p.A, p.B} {
			class := w.classOf(v, id)
			if !ok || l.class[k] != class {
				l.since[k], l.class[k] = w.frame, class
			}
			if class < 0 {
				continue
			}
			c := w.watch.Classes[class]
			num, den := c.Share, 1
			if num == 0 {
				if num, den = w.watch.Budget, 2*len(w.watch.Classes); w.watch.Classes[0].Share > 0 {
					continue // no bound
				}
			}
			waits++
			late := w.frame - l.since[k] - max(c.Period, c.Hidden)
			if late > 0 {
				w.longer++
			}
			work := w.pass[class] + w.slots + w.again[w.frame-1][class] - w.again[l.since[k]-1][class]
			if late > 0 && late*num >= work*den {
				over++
			}
		}
		w.told[p] = l
		if over > 0 {
			t.Fatalf("frame %d: %v overlap and are not told: %+v, budget %d, passes %d, packets %d", w.frame, p, l, w.watch.Budget, w.pass, w.slots)
		}
		w.bounded += waits
	}
}

// checkReference updates a tracker that frees memory now and then, and compares its results.
func (w *watchWorld) checkReference(t testing.TB) {
	t.Helper()
	a, b := &w.watch, &w.reference
	b.Filter, b.Classes, b.Budget, b.Visible = a.Filter, a.Classes, a.Budget, a.Visible
	if len(w.again)%3 == 1 {
		b.Trim()
	}
	testkit.Must(t, b.Update(w.tree.View()))
	if len(w.again)%5 == 1 {
		b.Trim()
	}
	if !slices.Equal(a.Found(), b.Found()) || !slices.Equal(a.Checked(), b.Checked()) || a.Stats() != b.Stats() {
		t.Fatalf("frame %d: trimmed, it tells %v, asks %v and has done %+v; else %v, %v, %+v",
			w.frame, b.Found(), b.Checked(), b.Stats(), a.Found(), a.Checked(), a.Stats())
	}
}

// classOf returns the class of an object that is searched, or -1.
func (w *watchWorld) classOf(v linear.View, id uint32) int {
	o, _ := v.Object(id)
	if o.Static && !w.watch.Filter.StaticPairs || w.watch.Filter.Mask != 0 && w.watch.Filter.Mask&o.Mask == 0 {
		return -1
	}
	return slices.IndexFunc(w.watch.Classes, func(c collide.Class) bool { return c.Mask == 0 || c.Mask&o.Mask != 0 })
}
