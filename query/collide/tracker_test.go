package collide_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// Random histories of operations of all kinds, on every tier.
func TestTracker(t *testing.T) {
	seed := testkit.Seed(t)
	histories := testkit.Budget(t, 4, 24)
	updates := 0
	testkit.EachTier(t, func(t *testing.T) {
		for k := range histories {
			if !testkit.OfTier(t, k) {
				continue
			}
			rng := testkit.Rand(seed + uint64(k))
			s := &trackScript{data: make([]byte, 6000)}
			for i := range s.data {
				s.data[i] = byte(rng.Uint32())
			}
			s.run(t, 300)
			updates += s.updates
		}
	})
	if updates < 10*histories {
		t.Errorf("only %d updates", updates)
	}
}

// FuzzTracker decodes bytes to a history.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x05\x00\x14\x0b some objects that meet and part again \x1c\x00\x40\x09\x00\x00\x1c\x00\x20 one moves \x1f"))
	rng := testkit.Rand(7)
	for _, n := range []int{200, 1000, 3000} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		(&trackScript{data: data}).run(t, 200)
	})
}

// A changed object is found to overlap one of a far larger ID, when none near that has changed or had a pair.
func TestTrackerLargeID(t *testing.T) {
	tree := trees.New(t, linear.Config{Log: true})
	objects := make([]soa.Object, 300)
	for i := range objects {
		objects[i].Box = testkit.CubeAt([3]float32{float32(4 * i)}, 0.5)
	}
	trees.Insert(t, tree, objects)
	var tr collide.Tracker
	testkit.Must(t, tr.Update(tree.View()))
	testkit.Must(t, tree.Move(1, objects[299].Box))
	testkit.Must(t, tr.Update(tree.View()))
	if want := []collide.Pair{{A: 1, B: 299}}; !slices.Equal(tr.Began(), want) {
		t.Errorf("%v began, want %v", tr.Began(), want)
	}
}

// Objects that all overlap part and meet again, any number at a time: the tracker looks up their pairs one by one, or,
// because each has many, all at once.
func TestTrackerDense(t *testing.T) {
	const n = 150
	r := testkit.Rand(testkit.Seed(t))
	tree := trees.New(t, linear.Config{Log: true})
	objects := make([]soa.Object, n)
	together := make([]bool, n)
	for i := range objects {
		objects[i].Box, together[i] = testkit.CubeAt([3]float32{}, 1), true
	}
	ids := trees.Insert(t, tree, objects)
	var tr collide.Tracker
	for _, parting := range []int{0, 1, 30, 60, 3, 59, 100, 148} {
		was := slices.Clone(together)
		for _, k := range r.Perm(n)[:parting] {
			at := [3]float32{}
			if together[k] = !together[k]; !together[k] {
				at[0] = float32(10 + 10*k)
			}
			testkit.Must(t, tree.Move(ids[k], testkit.CubeAt(at, 1)))
		}
		testkit.Must(t, tr.Update(tree.View()))
		var began, ended, all []collide.Pair
		for a := range n {
			for b := a + 1; b < n; b++ {
				p := collide.Pair{A: ids[a], B: ids[b]}
				now, then := together[a] && together[b], was[a] && was[b]
				if now {
					all = append(all, p)
				}
				if now && (!then || parting == 0) {
					began = append(began, p)
				}
				if then && !now {
					ended = append(ended, p)
				}
			}
		}
		if !slices.Equal(tr.Began(), began) || !slices.Equal(tr.Ended(), ended) {
			t.Fatalf("%d part or meet: %d pairs began and %d ended, want %d and %d", parting, len(tr.Began()), len(tr.Ended()), len(began), len(ended))
		}
		got := slices.SortedFunc(tr.Pairs(), comparePairs)
		if !slices.Equal(got, all) {
			t.Fatalf("%d part or meet: %d pairs, want %d", parting, len(got), len(all))
		}
	}
}

// A tracker checks the pairs of moved objects, and no others.
func TestTrackerReads(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	tr := collide.Tracker{Filter: collide.Filter{StaticPairs: true}}
	looked := func(do func()) int {
		t.Helper()
		do()
		testkit.Must(t, tr.Update(tree.View()))
		return tr.Looked()
	}
	nothing := func() {}
	if n := looked(nothing); n != 0 || tr.Len() < 3000 {
		t.Fatalf("the first update looked at %d former pairs, there are %d", n, tr.Len())
	}
	if n := looked(nothing); n != 0 {
		t.Errorf("an update without changes looked at %d pairs", n)
	}
	if n := looked(func() { tree.Rebuild(nil, linear.RebuildOptions{}) }); n != 0 {
		t.Errorf("an update after a rebuild looked at %d pairs", n)
	}
	few := func() {
		for id := range uint32(10) {
			tree.Move(id, objects[id+20].Box)
		}
	}
	for _, ticks := range []int{0, 1} {
		n := looked(func() {
			few()
			for range ticks {
				tree.Tick()
			}
		})
		if n == 0 || n > 300 {
			t.Errorf("an update after ten moves and %d ticks looked at %d pairs", ticks, n)
		}
	}
	if n := looked(func() { few(); tree.Tick(); few(); tree.Tick() }); n < tr.Len()/2 {
		t.Errorf("an update that missed a frame looked at %d pairs, there are %d", n, tr.Len())
	}
}

// A tree without a log is rejected, and the tracker is unchanged.
func TestTrackerNoLog(t *testing.T) {
	same := make([]soa.Object, 5)
	logged := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, logged, same)
	var tr collide.Tracker
	testkit.Must(t, tr.Update(logged.View()))
	if err := tr.Update(trees.Plant(t, same, false).View()); !errors.Is(err, collide.ErrNoLog) {
		t.Errorf("error %v", err)
	}
	if tr.Len() != 10 || len(tr.Began()) != 10 {
		t.Errorf("%d pairs, %d began", tr.Len(), len(tr.Began()))
	}
	tr.Reset()
	if tr.Len() != 0 || len(tr.Began()) != 0 || len(slices.Collect(tr.Pairs())) != 0 {
		t.Error("pairs are left after Reset")
	}
	if err := tr.Update(logged.View()); err != nil || len(tr.Began()) != 10 || len(tr.Ended()) != 0 {
		t.Errorf("after Reset: error %v, began %v, ended %v", err, tr.Began(), tr.Ended())
	}
}

// Memory follows the number of pairs, both up and down, and lasting pairs are not lost while others end.
func TestTrackerShrinks(t *testing.T) {
	const n, stay = 300, 20
	same := make([]soa.Object, n)
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, same)
	var tr collide.Tracker
	update := func(pairs, began, ended int) {
		t.Helper()
		testkit.Must(t, tr.Update(tree.View()))
		all, stayed := len(slices.Collect(tr.Pairs())), len(slices.Collect(tr.Stayed()))
		if tr.Len() != pairs || all != pairs || stayed != pairs-began || len(tr.Began()) != began || len(tr.Ended()) != ended {
			t.Fatalf("%d pairs, %d listed, %d stayed, %d began, %d ended; want %d, %d and %d",
				tr.Len(), all, stayed, len(tr.Began()), len(tr.Ended()), pairs, began, ended)
		}
	}
	of := func(k int) int { return k * (k - 1) / 2 }
	update(of(n), of(n), 0)
	for id := range uint32(n - stay) {
		x := float32(id + 1)
		testkit.Must(t, tree.Move(id, soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x, 0, 0}}))
	}
	update(of(stay), 0, of(n)-of(stay))
	if room := tr.Room(); room > 3*of(stay) {
		t.Errorf("room for %d pairs, there are %d", room, tr.Len())
	}
	update(of(stay), 0, 0)
	for id := range uint32(n - stay) {
		testkit.Must(t, tree.Move(id, soa.AABB{}))
	}
	update(of(n), of(n)-of(stay), 0)
}

// In steady state a frame allocates nothing.
func TestTrackerAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(1000, 1)
	tree := trees.New(t, linear.Config{Workers: 1, Log: true})
	trees.Insert(t, tree, objects)
	for _, moved := range []uint32{20, 1000} {
		t.Run(fmt.Sprintf("moved=%d", moved), func(t *testing.T) {
			var tr collide.Tracker
			turn := uint32(0)
			frame := func() {
				turn++
				for id := range moved {
					testkit.Must(t, tree.Move(id, objects[(id+turn%4*7)%1000].Box))
				}
				testkit.Must(t, tree.Tick())
				testkit.Must(t, tr.Update(tree.View()))
			}
			for range 8 { // twice around
				frame()
			}
			testkit.Allocs(t, 4, frame)
		})
	}
}

// A tracker that reads published versions, sometimes late, reports the same as one that reads the tree at
// the same moments, and checks the changes only.
func TestTrackerShared(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(500, 1)
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	shared := linear.NewPublisher(tree)
	rng := testkit.Rand(testkit.Seed(t))
	var reader, writer collide.Tracker
	few := 0
	for frame := range 50 {
		for range 20 {
			id := uint32(rng.IntN(len(objects)))
			if o, ok := tree.Object(id); !ok {
				if _, err := tree.Insert(objects[id]); err != nil {
					t.Fatal(err)
				}
			} else if rng.IntN(8) == 0 {
				testkit.Must(t, tree.Remove(id))
			} else {
				o.Box.Max[rng.IntN(3)] += rng.Float32()
				testkit.Must(t, tree.Move(id, o.Box))
			}
		}
		testkit.Must(t, tree.Tick())
		shared.Publish()
		if frame%7 == 6 {
			continue // both miss a frame
		}
		held := shared.Acquire()
		testkit.Must(t, reader.Update(held.View()))
		held.Release()
		testkit.Must(t, writer.Update(tree.View()))
		if !slices.Equal(reader.Began(), writer.Began()) || !slices.Equal(reader.Ended(), writer.Ended()) ||
			!slices.Equal(slices.Collect(reader.Pairs()), slices.Collect(writer.Pairs())) {
			t.Fatalf("frame %d: %d pairs, %d began and %d ended in the published version; %d, %d and %d in the tree", frame,
				reader.Len(), len(reader.Began()), len(reader.Ended()), writer.Len(), len(writer.Began()), len(writer.Ended()))
		}
		if reader.Looked() < reader.Len()/4 {
			few++
		}
	}
	if few < 30 {
		t.Errorf("only %d updates looked at few pairs", few)
	}
}

// When the filter changes, or the layers that it points to, the pairs are at once those under the new
// filter, though no object has changed.
func TestTrackerFilter(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(150, 1)
	for i := range objects {
		objects[i].Mask = uint32(i) & 31
	}
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	trees.SetBalls(t, tree, testkit.BallsIn(objects))
	v := tree.View()

	layers := collide.AllLayers()
	filters := append(slices.Clone(pairFilters),
		collide.Filter{Mask: 3}, collide.Filter{Exact: true}, collide.Filter{Exact: true, StaticPairs: true},
		collide.Filter{Layers: &layers})
	var tr collide.Tracker
	differ := 0
	check := func() {
		t.Helper()
		before := slices.SortedFunc(tr.Pairs(), comparePairs)
		testkit.Must(t, tr.Update(v))
		want := collide.Append(nil, collide.Within(v), tr.Filter)
		slices.SortFunc(want, comparePairs)
		if got := slices.SortedFunc(tr.Pairs(), comparePairs); !slices.Equal(got, want) {
			t.Fatalf("filter %+v: %d pairs, want %d", tr.Filter, len(got), len(want))
		}
		if !slices.Equal(before, want) {
			differ++
		}
	}
	for _, from := range filters {
		for _, to := range filters {
			tr.Filter = from
			check()
			tr.Filter = to
			check()
		}
	}
	for c := range 32 { // behind the pointer
		layers.Set(c, c, false)
		check()
	}
	if differ < 100 {
		t.Errorf("only %d filters made a difference", differ)
	}
}
