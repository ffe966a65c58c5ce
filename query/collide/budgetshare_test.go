package collide_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// apart makes a tree of n objects that overlap nothing; object i has bit i%classes as its mask. Each search
// takes one packet.
func apart(t *testing.T, n, classes int) *linear.Tree {
	t.Helper()
	tree := newWatchTree(t)
	for i := range n {
		at := float32(i) * 10
		box := soa.AABB{Min: [3]float32{at, 0, 0}, Max: [3]float32{at + 1, 1, 1}}
		_, err := tree.Insert(soa.Object{Box: box, Mask: 1 << (i % classes)})
		testkit.Must(t, err)
	}
	return tree
}

// Each class takes its share, then the classes take the rest in their order. A share that is not used is for
// the others. A change of shares counts at once.
func TestBudgetShares(t *testing.T) {
	tree := apart(t, 12, 3) // 0, 3, 6, 9 and 1, 4, 7, 10 and 2, 5, 8, 11
	w := collide.BudgetTracker{Budget: 5, Classes: []collide.Class{
		{Mask: 1, Period: 1, Share: 2}, {Mask: 2, Period: 3, Share: 1}, {Mask: 4, Period: 1, Share: 1},
	}}
	for frame, want := range []struct {
		checked []uint32
		late    [3]uint64
	}{
		{[]uint32{0, 3, 1, 2, 6}, [3]uint64{1, 1, 1}},
		{[]uint32{9, 0, 4, 5, 3}, [3]uint64{1, 2, 2}}, // 6 is due
		{[]uint32{6, 0, 7, 8, 3}, [3]uint64{1, 3, 3}},
		{[]uint32{9, 0, 10, 11, 3}, [3]uint64{1, 1, 3}}, // 1 is due again, and 2 since frame 2
		{[]uint32{6, 0, 1, 2, 3}, [3]uint64{1, 1, 3}},
	} {
		update(t, &w, tree)
		late := [3]uint64{w.ClassStats(0).Late, w.ClassStats(1).Late, w.ClassStats(2).Late}
		if !slices.Equal(w.Checked(), want.checked) || late != want.late {
			t.Fatalf("frame %d: checked %v, late %v, want %v, %v", frame+1, w.Checked(), late, want.checked, want.late)
		}
	}
	w.Classes[1].Period = 1
	for i, shares := range [][3]int{{0, 2, 3}, {1, 3, 1}} {
		for k := range shares {
			w.Classes[k].Share = shares[k]
		}
		update(t, &w, tree)
		for k, most := range shares {
			if s := w.ClassStats(k); s.Units != most || s.Checked != most {
				t.Errorf("shares %d: class %d has %+v, want %d units", i, k, s, most)
			}
		}
	}
	if testkit.Panic(func() { w.ClassStats(3) }) == nil {
		t.Error("statistics of a class that is not there")
	}
}

// Without shares no class starves, with any budget: of each k updates a class has its part.
func TestBudgetDealt(t *testing.T) {
	const n = 5
	for budget := range 24 {
		w := collide.BudgetTracker{Budget: budget + 1}
		tree := apart(t, 200, n)
		for i := range n {
			w.Classes = append(w.Classes, collide.Class{Mask: 1 << i, Period: 1})
		}
		var done [n][]int
		for range 20 {
			update(t, &w, tree)
			for class := range n {
				sum := w.ClassStats(class).Units
				for k := range done[class] {
					done[class][k] += sum
				}
				done[class] = append(done[class], sum)
			}
			for class, sums := range done {
				for k, sum := range sums {
					updates := len(sums) - k
					if half := (w.Budget + 1) / 2; sum < updates*half/n {
						t.Fatalf("budget %d: class %d has %d units of %d updates", w.Budget, class, sum, updates)
					}
				}
			}
			if units := w.Stats().Units; units != w.Budget {
				t.Fatalf("budget %d: %d units", w.Budget, units)
			}
		}
	}
}

// An excluded object is not searched and costs nothing, also when its search is unfinished.
func TestBudgetExcluded(t *testing.T) {
	tree, giant := row(t, 400)
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Mask: 16, Period: 3}}}
	update(t, &w, tree)
	if w.Stats().Units != 4 {
		t.Fatalf("%+v of a search that takes many packets", w.Stats())
	}
	w.Filter.Exclude, _ = tree.Handle(giant)
	for range 7 {
		if update(t, &w, tree); w.Stats() != (collide.BudgetStats{}) || len(w.Checked()) > 0 {
			t.Fatalf("%+v, checked %v: only the excluded object is due", w.Stats(), w.Checked())
		}
	}
	w.Filter.Exclude, w.Budget = linear.Handle{}, 1000
	frames := 0
	for len(w.Found()) != 400 {
		if frames++; frames > 3 {
			t.Fatal("not searched within a period after it was excluded")
		}
		update(t, &w, tree)
	}
}

// A search starts over when its object changes its class, and is due at once.
func TestBudgetClassChanged(t *testing.T) {
	tree, giant := row(t, 400)
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Mask: 16, Period: 1000}, {Mask: 32, Period: 1000}}}
	for range 3 {
		update(t, &w, tree)
	}
	testkit.Must(t, tree.SetMask(giant, 32))
	found := map[collide.Pair]bool{}
	for frames := 0; len(w.Checked()) == 0; frames++ {
		update(t, &w, tree)
		for _, p := range w.Found() {
			found[p] = true
		}
		if s := w.ClassStats(0); s.Units > 0 || frames > 100 {
			t.Fatalf("frame %d: %+v of a class without objects", frames, s)
		}
	}
	if len(found) != 400 {
		t.Errorf("%d pairs, want 400", len(found))
	}
	w.Classes = w.Classes[:1] // the other one is no longer searched
	update(t, &w, tree)
	w.Classes = []collide.Class{{Mask: 1, Period: 1}, {Mask: 2, Period: 1}, {Mask: 32, Period: 1}}
	if update(t, &w, tree); w.ClassStats(0).Units != 3 || w.ClassStats(1).Units != 0 {
		t.Errorf("%+v, %+v", w.ClassStats(0), w.ClassStats(1))
	}
}

// skirmish is 40 bullets among smoke, all moving at random.
type skirmish struct {
	tree  *linear.Tree
	boxes []soa.AABB
	speed [][3]float32
}

const (
	bullets = 40
	puffs   = 3960
	bullet  = 1 // masks
	smoke   = 2
)

// arenaSize is the size of the space in which they move; it is long, for the sweep of the oracle.
var arenaSize = [3]float32{800, 35, 35}

// Nevala's example: bullets are more important than smoke. With a budget of a twentieth of a pass, every
// overlap of a bullet is reported in the frame in which it begins or the next one, and every overlap of two
// puffs within the stated bound. The expected pairs are those of sweep and prune.
func TestBudgetBullets(t *testing.T) {
	for name, parts := range map[string][2]int{"shares": {2, 4}, "no shares": {}} {
		t.Run(name, func(t *testing.T) { skirmishes(t, parts) })
	}
}

// skirmishes moves bullets and smoke, whose shares are these parts of the budget, or 0.
func skirmishes(t *testing.T, parts [2]int) {
	rng := testkit.Rand(testkit.Seed(t))
	s := skirmish{tree: newWatchTree(t), boxes: make([]soa.AABB, bullets+puffs), speed: make([][3]float32, bullets+puffs)}
	var objects []soa.Object
	for i := range s.boxes {
		size, fast, mask := float32(3), 0.1, uint32(smoke)
		if i%(len(s.boxes)/bullets) == 0 {
			size, fast, mask = 1, 2, bullet
		}
		for a := range 3 {
			s.boxes[i].Min[a] = rng.Float32() * arenaSize[a]
			s.boxes[i].Max[a] = s.boxes[i].Min[a] + size*(0.5+rng.Float32())
			s.speed[i][a] = float32(rng.NormFloat64() * fast)
		}
		objects = append(objects, soa.Object{Box: s.boxes[i], Mask: mask})
	}
	ids, err := s.tree.InsertBatch(nil, objects)
	testkit.Must(t, errors.Join(err, s.tree.Tick()))
	pass := func() (units [2]int) {
		whole := collide.BudgetTracker{Budget: math.MaxInt, Classes: []collide.Class{{Mask: bullet, Period: 1}, {Period: 1}}}
		testkit.Must(t, whole.Update(s.tree.View()))
		return [2]int{whole.ClassStats(0).Units, whole.ClassStats(1).Units}
	}
	first := pass()
	budget := (first[0] + first[1]) / 20
	w := collide.BudgetTracker{Budget: budget, Classes: []collide.Class{{Mask: bullet, Period: 1}, {Mask: smoke, Period: 4}}}
	shares := [2]int{budget / 4, budget / 4} // half of the budget by two
	for class, part := range parts {
		if part > 0 {
			shares[class] = budget / part
			w.Classes[class].Share = shares[class]
		}
	}
	most, least := first, math.MaxInt // units of passes; searches of bullets
	since, slowest := map[collide.Pair]int{}, [2]int{}
	again, retests := [2]int{}, [][2]int{{}}
	frames := testkit.Count(t, 100, 2000)
	for frame := 1; frame <= frames; frame++ {
		for i := range s.boxes {
			b, v := &s.boxes[i], &s.speed[i]
			for a := range 3 {
				if b.Min[a] < 0 && v[a] < 0 || b.Max[a] > arenaSize[a] && v[a] > 0 {
					v[a] = -v[a]
				}
				b.Min[a], b.Max[a] = b.Min[a]+v[a], b.Max[a]+v[a]
			}
		}
		testkit.Must(t, errors.Join(s.tree.MoveBatch(ids, s.boxes), s.tree.Tick(), w.Update(s.tree.View())))
		for class := range 2 {
			again[class] += w.ClassStats(class).Retested
		}
		retests = append(retests, again)
		least = min(least, w.ClassStats(0).Checked)
		if frame%64 == 0 {
			for class, units := range pass() {
				most[class] = max(most[class], units)
			}
		}
		told, is := map[collide.Pair]bool{}, map[collide.Pair]int{}
		for _, p := range w.Found() {
			told[p] = true
		}
		for _, q := range testkit.SweepAndPrune(s.boxes) {
			p := collide.Pair{A: uint32(q.A), B: uint32(q.B)}
			from, ok := since[p]
			if !ok {
				from = frame
			}
			class := 1
			if objects[p.A].Mask == bullet || objects[p.B].Mask == bullet {
				class = 0
			}
			slowest[class] = max(slowest[class], frame-from+1)
			work := most[class]*9/8 + s.tree.View().Slots() + again[class] - retests[from-1][class]
			if age := frame - from + 1; !told[p] && (class == 0 && age > 1 || (age-w.Classes[class].Period)*shares[class] >= work) {
				t.Fatalf("frame %d: %v overlap for %d frames and are not reported; class %d, a pass takes %v of %d", frame, p, age, class, most, budget)
			}
			if told[p] {
				from = frame + 1
			}
			is[p] = from
			delete(told, p)
		}
		if len(told) > 0 {
			t.Fatalf("frame %d: %v are reported and do not overlap", frame, told)
		}
		since = is
	}
	t.Logf("%d frames of a budget of %d: passes take %v units, %d or more bullets a frame are searched, reported within %v frames", frames, budget, most, least, slowest)
	if least < bullets || slowest[1] < 10 {
		t.Errorf("%d bullets were searched in a frame; smoke was reported within %d frames: little was tested", least, slowest[1])
	}
}
