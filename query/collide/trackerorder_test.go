package collide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// oldVersion is a published version and its objects: boxes and births by ID, 0 for none.
type oldVersion struct {
	linear.Version
	boxes  []soa.AABB
	births []int
}

// pairs returns the pairs of the version, and the births of the two objects of each.
func (o *oldVersion) pairs() map[collide.Pair][2]int {
	all := map[collide.Pair][2]int{}
	for a := range o.boxes {
		for b := a + 1; b < len(o.boxes); b++ {
			if o.births[a] > 0 && o.births[b] > 0 && o.boxes[a].Overlaps(o.boxes[b]) {
				all[collide.Pair{A: uint32(a), B: uint32(b)}] = [2]int{o.births[a], o.births[b]}
			}
		}
	}
	return all
}

// orderWorld is a shared tree whose objects move little and are often replaced by other objects, so that
// pairs of the same two IDs are often not the same pair.
type orderWorld struct {
	tree   *linear.Tree
	rng    *rand.Rand
	boxes  []soa.AABB
	births []int
	last   int
}

func (w *orderWorld) change(t *testing.T) {
	t.Helper()
	for range w.rng.IntN(12) {
		id := uint32(w.rng.IntN(len(w.boxes)))
		switch {
		case w.births[id] == 0:
			// The tree reuses one of the free IDs.
			box := w.boxes[id]
			id, err := w.tree.Insert(soa.Object{Box: box})
			if err != nil || w.births[id] != 0 {
				t.Fatalf("ID %d: %v", id, err)
			}
			w.last++
			w.boxes[id], w.births[id] = box, w.last
		case w.rng.IntN(3) == 0:
			testkit.Must(t, w.tree.Move(id, testkit.CubeAt([3]float32{8 * w.rng.Float32(), 0, 0}, 0.5)))
			o, _ := w.tree.Object(id)
			w.boxes[id] = o.Box
		default:
			testkit.Must(t, w.tree.Remove(id))
			w.births[id] = 0
			if w.rng.IntN(3) == 0 {
				break
			}
			again, err := w.tree.Insert(soa.Object{Box: w.boxes[id]})
			if err != nil || w.births[again] != 0 {
				t.Fatalf("ID %d: %v", again, err)
			}
			w.last++
			w.boxes[again], w.births[again] = w.boxes[id], w.last
		}
	}
}

// Trackers that read held versions of a tree in any order of time report, for each two, the pairs that
// began and ended between them: an ID that means another object, in either version, is another pair.
func TestTrackerAnyOrder(t *testing.T) {
	tree := trees.New(t, linear.Config{Log: true})
	w := &orderWorld{tree: tree, rng: testkit.Rand(testkit.Seed(t)), boxes: make([]soa.AABB, 40), births: make([]int, 40)}
	for i := range w.boxes {
		w.boxes[i] = testkit.CubeAt([3]float32{8 * w.rng.Float32(), 0, 0}, 0.5)
		if _, err := tree.Insert(soa.Object{Box: w.boxes[i]}); err != nil {
			t.Fatal(err)
		}
		w.last++
		w.births[i] = w.last
	}
	shared := linear.NewPublisher(tree)
	var held []*oldVersion
	trackers := make([]collide.Tracker, 3)
	was := make([]map[collide.Pair][2]int, len(trackers))
	seen := make([]int, len(trackers)) // frames of the versions last seen
	frames := map[*oldVersion]int{}
	back, renewed := 0, 0
	for frame := range 600 {
		w.change(t)
		if w.rng.IntN(2) == 0 {
			testkit.Must(t, tree.Tick())
		}
		shared.Publish()
		now := &oldVersion{shared.Acquire(), slices.Clone(w.boxes), slices.Clone(w.births)}
		frames[now] = frame
		if held = append(held, now); len(held) > 6 {
			k := w.rng.IntN(len(held))
			held[k].Release()
			delete(frames, held[k])
			held = slices.Delete(held, k, k+1)
		}
		for k := range trackers {
			v := held[w.rng.IntN(len(held))]
			if k == 0 && w.rng.IntN(2) == 0 {
				v = held[len(held)-1] // often the changes only
			}
			testkit.Must(t, trackers[k].Update(v.View()))
			is := v.pairs()
			began, ended := map[collide.Pair]bool{}, map[collide.Pair]bool{}
			for p, who := range is {
				began[p] = was[k][p] != who
			}
			for p, who := range was[k] {
				ended[p] = is[p] != who
				if frames[v] < seen[k] && is[p] != who && is[p] != [2]int{} {
					renewed++
				}
			}
			if frames[v] < seen[k] {
				back++
			}
			for name, tell := range map[string]struct {
				got  []collide.Pair
				want map[collide.Pair]bool
				is   bool
			}{
				"began":  {trackers[k].Began(), began, true},
				"stayed": {slices.SortedFunc(trackers[k].Stayed(), comparePairs), began, false},
				"ended":  {trackers[k].Ended(), ended, true},
			} {
				var want []collide.Pair
				for p, is := range tell.want {
					if is == tell.is {
						want = append(want, p)
					}
				}
				slices.SortFunc(want, comparePairs)
				if !slices.Equal(tell.got, want) {
					t.Fatalf("tracker %d, from the version of frame %d to %d: %s %v, want %v", k, seen[k], frames[v], name, tell.got, want)
				}
			}
			was[k], seen[k] = is, frames[v]
		}
	}
	if back < 300 || renewed < 300 {
		t.Errorf("only %d updates go back, %d pairs are others of the same numbers", back, renewed)
	}
}

// without returns the pairs that are not among the others.
func without(pairs, others []collide.Pair) (rest []collide.Pair) {
	gone := map[collide.Pair]bool{}
	for _, p := range others {
		gone[p] = true
	}
	for _, p := range pairs {
		if !gone[p] {
			rest = append(rest, p)
		}
	}
	return rest
}

// manyPairs returns n distinct pairs in random order.
func manyPairs(rng *rand.Rand, n int) (pairs []collide.Pair) {
	for i := range uint32(n) {
		pairs = append(pairs, collide.Pair{A: i / 7, B: 1000 + i%7})
	}
	rng.Shuffle(n, func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

// If one list is a subset of the other, the result is the other's remaining pairs, in order.
func TestFormerCancelOneSide(t *testing.T) {
	rng := testkit.Rand(1)
	for _, n := range []int{0, 1, 2, 20, 3000} {
		for _, run := range []int{1, 3, 255} {
			all := manyPairs(rng, n)
			var some, gone []collide.Pair
			for rest := all; len(rest) > 0; {
				k, g := min(1+rng.IntN(4*run), len(rest)), 0
				if k < len(rest) {
					g = min(1+rng.IntN(run), len(rest)-k)
				}
				some, gone = append(some, rest[:k]...), append(gone, rest[k:k+g]...)
				rest = rest[k+g:]
			}
			if ended, began := collide.Cancel(all, some); !slices.Equal(ended, gone) || len(began) > 0 {
				t.Errorf("%d of %d pairs taken out: %d are left of the former and %d of the others", len(gone), n, len(ended), len(began))
			}
			if ended, began := collide.Cancel(some, all); !slices.Equal(began, gone) || len(ended) > 0 {
				t.Errorf("%d of %d pairs put in: %d are left of the former and %d of the others", len(gone), n, len(ended), len(began))
			}
		}
	}
}

// In any order, both lists lose the same pairs.
func TestFormerCancelAnyOrder(t *testing.T) {
	rng := testkit.Rand(2)
	for range 300 {
		all := manyPairs(rng, 1+rng.IntN(2000))
		cut := rng.IntN(len(all))
		was, is := all[:max(cut, len(all)*3/4)], slices.Clone(all[min(cut, len(all)/4):])
		for range rng.IntN(5) {
			i := rng.IntN(len(is))
			part := is[i:min(len(is), i+rng.IntN(600))]
			switch rng.IntN(3) {
			case 0:
				slices.Reverse(part)
			case 1:
				rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			case 2: // elsewhere
				moved := slices.Clone(part)
				is = slices.Delete(is, i, i+len(part))
				is = slices.Insert(is, rng.IntN(len(is)+1), moved...)
			}
		}
		ended, began := collide.Cancel(was, is)
		lost, found := without(was, ended), without(is, began)
		if !slices.Equal(lost, found) || len(lost)+len(ended) != len(was) || len(found)+len(began) != len(is) {
			t.Fatalf("of %d and %d pairs %d and %d are left, and %d and %d cancelled out", len(was), len(is), len(ended), len(began), len(lost), len(found))
		}
	}
}

// While all objects drift, an update searches for few pairs only.
func TestTrackerBulkMotion(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(4000, 1)
	tree := trees.New(t, linear.Config{Log: true})
	ids, err := tree.InsertBatch(nil, objects)
	testkit.Must(t, err)
	boxes := make([]soa.AABB, len(objects))
	for i := range objects {
		boxes[i] = objects[i].Box
	}
	rng := testkit.Rand(3)
	tr := collide.Tracker{Filter: collide.Filter{StaticPairs: true}}
	for frame := range 10 {
		for i := range boxes {
			for a := range 3 {
				d := (rng.Float32() - 0.5) / 16
				boxes[i].Min[a], boxes[i].Max[a] = boxes[i].Min[a]+d, boxes[i].Max[a]+d
			}
		}
		testkit.Must(t, tree.MoveBatch(ids, boxes))
		testkit.Must(t, tree.Tick())
		testkit.Must(t, tr.Update(tree.View()))
		if frame > 0 && tr.Looked() > tr.Len()/4 {
			t.Errorf("frame %d: searched for %d former pairs of %d", frame, tr.Looked(), tr.Len())
		}
		want := collide.Append(nil, collide.Within(tree.View()), tr.Filter)
		slices.SortFunc(want, comparePairs)
		if got := slices.SortedFunc(tr.Pairs(), comparePairs); !slices.Equal(got, want) {
			t.Fatalf("frame %d: %d pairs, want %d", frame, len(got), len(want))
		}
	}
}
