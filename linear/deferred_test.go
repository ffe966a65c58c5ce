package linear_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// lookFrom calls all methods that read a tree, from several goroutines at a time.
func lookFrom(tree *linear.Tree, goroutines int) {
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			switch g % 8 {
			case 0:
				tree.View().Len()
			case 1:
				tree.Stats()
			case 2:
				tree.Object(uint32(g))
			case 3:
				for range tree.Cells() {
				}
			case 4:
				for range tree.All() {
					break
				}
			case 5:
				tree.Key(soa.AABB{})
				tree.World()
			case 6:
				tree.Sphere(uint32(g))
			case 7:
				tree.Clone()
			}
		})
	}
	wg.Wait()
}

// Reads of a tree decide only when moves and removals are applied or an overlong list of pending objects is flushed,
// which is part of the record of calls. A tree that eight goroutines read equals, byte for byte, a tree with one read
// instead of these, and without the reads that decide nothing.
func TestReadsDecideNothing(t *testing.T) {
	flushes, waited := 0, 0
	for _, d := range digestStories() {
		if !testkit.Long(t) && d.leaving {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			r := testkit.Rand(7)
			alone, watched := newModel(t, d.cfg, uint64(d.n), 300), newModel(t, d.cfg, uint64(d.n), 300)
			for round := range testkit.Budget(t, (d.rounds+1)/2, d.rounds) {
				for range d.steps {
					alone.step(t, d.n)
					watched.step(t, d.n)
					if r.IntN(4) > 0 {
						continue
					}
					moves, pending, crowded := watched.tree.Waiting()
					if m, p, c := alone.tree.Waiting(); m != moves || p != pending || c != crowded {
						t.Fatalf("%d moves wait, %d objects are pending, too many: %v; %d and %d where somebody looks, %v", m, p, c, moves, pending, crowded)
					}
					if crowded || moves > 0 || watched.tree.Removals() > 0 {
						alone.tree.View()
						waited += min(moves, 1)
						if crowded {
							flushes++
						}
					}
					lookFrom(watched.tree, 8)
					if moves, _, crowded := watched.tree.Waiting(); moves > 0 || crowded {
						t.Fatalf("%d moves and pending objects (%v) wait after a look", moves, crowded)
					}
				}
				if a, b := dump(alone.tree, alone.tree.View().Store()), dump(watched.tree, watched.tree.View().Store()); a != b {
					t.Fatalf("round %d: the trees differ", round)
				}
				tick(t, alone.tree)
				tick(t, watched.tree)
				if a, b := fmt.Sprintf("%+v", alone.tree.Work()), fmt.Sprintf("%+v", watched.tree.Work()); a != b {
					t.Fatalf("round %d: work %s, and %s where somebody looks", round, a, b)
				}
			}
		})
	}
	if flushes < 20 || waited < 20 {
		t.Errorf("%d looks flushed, %d found moves", flushes, waited)
	}
}

// A clone continues as its original would: with a tick budget, single moves are applied after the same one.
func TestClonesGoOn(t *testing.T) {
	const n = 2000
	objects := testkit.SceneByName(t, "uniform").Make(n, 1)
	for _, before := range []int{1, 500, 1023} {
		tree := newTree(t, linear.Config{PendingMin: 16, TickBudget: 1 << 13})
		insert(t, tree, objects)
		tick(t, tree)
		r := testkit.Rand(9)
		counted := 0
		for i := range 1100 {
			if i == before {
				tree = tree.Clone()
			}
			id := r.IntN(n)
			must(t, tree.Move(uint32(id), objects[id].Box))
			if moves, _, _ := tree.Waiting(); moves == 0 {
				counted = i
				break
			}
		}
		if counted != 1023 {
			t.Errorf("cloned before move %d: moves are applied after move %d, want 1023", before, counted)
		}
	}
}

// Without reads, pending objects and single moves are deferred; the first read applies all of them.
func TestWithoutReads(t *testing.T) {
	const n = 5000
	objects := testkit.SceneByName(t, "city").Make(n, 1)
	tree := newTree(t, linear.Config{PendingMin: 16, PendingShare: 1 << 20, Log: true})
	ids := make([]uint32, n)
	for i, o := range objects {
		id, err := tree.Insert(o)
		must(t, err)
		ids[i] = id
	}
	if _, pending, crowded := tree.Waiting(); pending != n || !crowded {
		t.Fatalf("%d objects pending, too many: %v", pending, crowded)
	}
	v := tree.View()
	if _, pending, _ := tree.Waiting(); pending != 0 || v.Len() != n {
		t.Fatalf("%d of %d objects pending after a look", pending, v.Len())
	}
	check(t, tree, ids, objects)
	tick(t, tree)
	if w := tree.Work(); w.Views != 1 {
		t.Errorf("%d looks flushed, want 1", w.Views)
	}

	before := tree.View()
	_, since, _ := before.Changes(0)
	r := testkit.Rand(2)
	for i := range 100 {
		k := i % 60 // moves some objects twice
		objects[k].Box = soa.AABB{Min: [3]float32{r.Float32(), float32(i), 0}, Max: [3]float32{1, float32(i), 1}}
		must(t, tree.Move(ids[k], objects[k].Box))
	}
	if testkit.Panic(func() { before.Len() }) == nil {
		t.Error("a view outlives a move that waits")
	}
	if moves, _, _ := tree.Waiting(); moves != 100 {
		t.Fatalf("%d moves wait, want 100", moves)
	}
	changes, _, ok := tree.View().Changes(since)
	if !ok || len(changes) != 100 {
		t.Fatal("the log forgot the moves")
	}
	for i, c := range changes {
		if c.ID != ids[i%60] || c.Object.Box.Min[1] != float32(i) {
			t.Fatalf("entry %d of the log: %+v", i, c)
		}
	}
	check(t, tree, ids, objects)

	// Balls and boxes in turn, with other changes in between.
	must(t, tree.Move(ids[0], objects[1].Box))
	must(t, tree.MoveSphere(ids[0], [4]float32{1, 2, 3, 4}))
	must(t, tree.Move(ids[1], objects[2].Box))
	must(t, tree.MoveSphere(ids[1], [4]float32{1, 2, 3, 4}))
	must(t, tree.Move(ids[1], objects[1].Box))
	must(t, tree.Move(ids[2], objects[0].Box))
	must(t, tree.Remove(ids[2]))
	if s, ok := tree.Sphere(ids[0]); !ok || s != [4]float32{1, 2, 3, 4} {
		t.Errorf("sphere %v, %v", s, ok)
	}
	if _, ok := tree.Sphere(ids[1]); ok {
		t.Error("a moved object has kept its sphere")
	}
	if tree.Has(ids[2]) {
		t.Error("a moved object has not been removed")
	}
	valid(t, tree)
}

// The first read after one addition too many flushes the pending objects, for every method of addition.
func TestAdditionsPastLimit(t *testing.T) {
	for name, add := range waysToAdd() {
		tree := newTree(t, linear.Config{PendingMin: 16, PendingShare: 1 << 20})
		insert(t, tree, grid(5))
		for n := range 40 {
			must(t, add(tree))
			tree.View()
			if _, pending, _ := tree.Waiting(); pending != (n+1)%17 {
				t.Fatalf("%s: %d objects pending after a look at %d new ones, at most 16 may be", name, pending, n+1)
			}
		}
		valid(t, tree)
	}
}

// Without room for a flush, a read leaves the objects pending, and queries find them there.
func TestReadWithoutRoom(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree := newTree(t, linear.Config{PendingMin: 16, PendingShare: 1 << 20})
	tree.SetLimits(0, 0, 2)
	ids := make([]uint32, len(objects))
	for i, o := range objects {
		id, err := tree.Insert(o)
		must(t, err)
		ids[i] = id
	}
	if n := tree.View().Len(); n != len(objects) {
		t.Fatalf("%d objects", n)
	}
	if st := tree.Stats(); st.Pending != len(objects) {
		t.Fatalf("%d objects pending in a tree of two nodes", st.Pending)
	}
	if err := tree.Flush(); !errors.Is(err, soa.ErrFull) {
		t.Fatal(err)
	}
	check(t, tree, ids, objects)
	tree.SetLimits(0, 0, 0)
	must(t, tree.Move(ids[0], objects[0].Box))
	if st := tree.Stats(); st.Pending != 0 {
		t.Errorf("%d objects pending when there is room", st.Pending)
	}
	check(t, tree, ids, objects)
}

// Recording moves allocates nothing in steady state, and neither does applying them.
func TestDeferredAllocates(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree := newTree(t, linear.Config{Workers: 1})
	ids := insert(t, tree, objects)
	tick(t, tree)
	step := func() {
		for i := range 2000 {
			must(t, tree.Move(ids[i], objects[i].Box))
		}
		tree.View()
	}
	step()
	if n := testing.AllocsPerRun(10, step); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A progress function may read a tree with many pending objects: the running rebuild takes them, and no other
// rebuild begins.
func TestReadDuringRebuild(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree := newTree(t, linear.Config{PendingMin: 16, PendingShare: 1 << 20})
	ids := make([]uint32, len(objects))
	for i, o := range objects {
		id, err := tree.Insert(o)
		must(t, err)
		ids[i] = id
	}
	looks := 0
	must(t, tree.Rebuild(nil, linear.RebuildOptions{Progress: func(linear.Phase, float64) {
		if st := tree.Stats(); st.Objects != len(objects) || tree.View().Len() != len(objects) {
			t.Errorf("%+v", st)
		}
		looks++
	}}))
	tick(t, tree)
	if w := tree.Work(); looks == 0 || w.Views != 0 || w.Rebuilt != len(objects) {
		t.Errorf("%d looks, %+v", looks, w)
	}
	check(t, tree, ids, objects)
}

// Deferred removals leave the same tree as removals that are applied one by one: of most objects of a packet,
// of more objects than the record holds, and of IDs that have been reused by objects too far away to take their places.
func TestRemovalsDeferred(t *testing.T) {
	const n = 4000
	objects := testkit.SceneByName(t, "uniform").Make(2*n, 1)
	cfg := linear.Config{PendingMin: 1 << 20}
	alone, watched := newTree(t, cfg), newTree(t, cfg)
	live := insert(t, alone, objects[:n])
	insert(t, watched, objects[:n])
	r := testkit.Rand(testkit.Seed(t))
	for i := range n - 100 {
		k := r.IntN(len(live))
		id := live[k]
		live[k] = live[len(live)-1]
		live = live[:len(live)-1]
		must(t, alone.Remove(id))
		must(t, watched.Remove(id))
		if r.IntN(4) == 0 {
			o := objects[n+i]
			o.Box = o.Box.Translate([3]float32{1e6, 0, 0})
			a, err := alone.Insert(o)
			must(t, err)
			b, err := watched.Insert(o)
			must(t, err)
			if a != b {
				t.Fatalf("insertion %d: ID %d, and %d where somebody looks", i, a, b)
			}
			live = append(live, a)
		}
		if alone.Len() != len(live) || alone.Has(id) != watched.Has(id) {
			t.Fatalf("removal %d: %d objects, want %d", i, alone.Len(), len(live))
		}
		watched.View()
	}
	if a, b := dump(alone, alone.View().Store()), dump(watched, watched.View().Store()); a != b {
		t.Error("the trees differ")
	}
	valid(t, alone)
	must(t, alone.RemoveBatch(live))
	insert(t, alone, objects[:n])
	valid(t, alone)
	for id := range uint32(n) {
		must(t, alone.Remove(id))
	}
	check(t, alone, insert(t, alone, objects[n:]), objects[n:])
	valid(t, alone)
}
