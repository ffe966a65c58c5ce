package interest_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/interest"
)

// Elements outside the lists of leftovers are in both lists, equally often; runs are found, and two lists
// in unrelated orders are left unpaired.
func TestPair(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	kept := 0
	for round := range testkit.Budget(t, 2000, 500_000) {
		old := make([]uint32, rng.IntN(100))
		for i, n := range rng.Perm(200)[:len(old)] {
			old[i] = uint32(n)
		}
		now := slices.Clone(old)
		switch round % 3 {
		case 0: // some left, some came
			for range rng.IntN(10) {
				if len(now) > 0 && rng.IntN(2) == 0 {
					i := rng.IntN(len(now))
					now = slices.Delete(now, i, min(i+1+rng.IntN(4), len(now)))
				} else {
					now = slices.Insert(now, rng.IntN(len(now)+1), uint32(200+rng.IntN(100)))
				}
			}
		case 1: // blocks change places
			i, k := rng.IntN(len(now)+1), rng.IntN(len(now)+1)
			now = slices.Concat(now[max(i, k):], now[min(i, k):max(i, k)], now[:min(i, k)])
		default:
			rng.Shuffle(len(now), func(i, k int) { now[i], now[k] = now[k], now[i] })
		}
		gone, came := interest.Pair(old, now)
		count := map[uint32]int{}
		for _, id := range old {
			count[id]++
		}
		for _, id := range gone {
			count[id]--
		}
		for _, id := range now {
			count[id]--
		}
		for _, id := range came {
			count[id]++
		}
		for id, n := range count {
			if n != 0 {
				t.Fatalf("round %d: %v and %v without %v and %v differ in %d", round, old, now, gone, came, id)
			}
		}
		if round%3 == 0 && len(old) > 60 {
			kept += len(old) - len(gone)
		}
		if round%3 == 2 && len(gone) > len(old) {
			t.Fatalf("round %d: %d of %d are gone", round, len(gone), len(old))
		}
	}
	if kept == 0 {
		t.Error("no run was found")
	}
	long := make([]uint32, 1000)
	for i := range long {
		long[i] = uint32(i)
	}
	back := slices.Clone(long)
	slices.Reverse(back)
	if gone, came := interest.Pair(long, back); len(gone) != 1000 || len(came) != 1000 {
		t.Errorf("of a list and its reverse %d and %d are not found, want all: it is given up after %d", len(gone), len(came), interest.Apart)
	}
	if gone, came := interest.Pair(long, append([]uint32{5000}, long...)); len(gone) != 0 || !slices.Equal(came, []uint32{5000}) {
		t.Errorf("of a list with one more before it %d and %v are not found", len(gone), came)
	}
	if gone, came := interest.Pair(nil, long); len(gone) != 0 || len(came) != 1000 {
		t.Errorf("of no list and one %d and %d are not found", len(gone), len(came))
	}
}
