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
