package testkit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ID is an index or an ID of an object.
type ID interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64
}

// SameIDs compares two lists of IDs in order. If they differ, it marks the test as failed, with the
// first difference, and returns false.
func SameIDs[G, W ID](t testing.TB, got []G, want []W) bool {
	for i := range min(len(got), len(want)) {
		if uint64(got[i]) != uint64(want[i]) {
			t.Helper() // slow, as it reads the stack: called only on a failure
			t.Errorf("IDs differ first at position %d: got %d, want %d; %s", i, got[i], want[i], difference(got, want))
			return false
		}
	}
	if len(got) != len(want) {
		t.Helper()
		t.Errorf("IDs agree up to position %d; %s", min(len(got), len(want)), difference(got, want))
		return false
	}
	return true
}

// SameIDSet is [SameIDs] without regard to order. An ID counts as often as it occurs.
func SameIDSet[G, W ID](t testing.TB, got []G, want []W) bool {
	if extra, missing := surplus(got, want), surplus(want, got); len(extra) > 0 || len(missing) > 0 {
		t.Helper()
		t.Errorf("sets of IDs differ: %s", difference(got, want))
		return false
	}
	return true
}

// NothingLost checks for false negatives: it reports whether got contains every ID of want, and
// marks the test as failed if not. got may contain others too.
func NothingLost[G, W ID](t testing.TB, got []G, want []W) bool {
	if missing := surplus(want, got); len(missing) > 0 {
		t.Helper()
		t.Errorf("%d of %d IDs are lost: %s", len(missing), len(want), list(missing))
		return false
	}
	return true
}

func difference[G, W ID](got []G, want []W) string {
	extra, missing := surplus(got, want), surplus(want, got)
	if len(extra)+len(missing) == 0 {
		return fmt.Sprintf("the same %d IDs in another order", len(got))
	}
	return fmt.Sprintf("got %d, want %d; missing %d: %s; extra %d: %s",
		len(got), len(want), len(missing), list(missing), len(extra), list(extra))
}

// surplus returns the IDs that occur more often in a than in b, ascending, each repeated by the
// difference.
func surplus[A, B ID](a []A, b []B) []uint64 {
	if slices.IsSorted(a) && slices.IsSorted(b) {
		return sortedSurplus(a, b)
	}
	count := make(map[uint64]int, len(a))
	for _, id := range a {
		count[uint64(id)]++
	}
	for _, id := range b {
		count[uint64(id)]--
	}
	var ids []uint64
	for id, n := range count {
		for range max(0, n) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// sortedSurplus is surplus for ascending IDs, none of them negative, as a merge.
func sortedSurplus[A, B ID](a []A, b []B) (ids []uint64) {
	for _, id := range a {
		for len(b) > 0 && uint64(b[0]) < uint64(id) {
			b = b[1:]
		}
		if len(b) > 0 && uint64(b[0]) == uint64(id) {
			b = b[1:]
		} else {
			ids = append(ids, uint64(id))
		}
	}
	return ids
}

func list(ids []uint64) string {
	const most = 10
	var b strings.Builder
	for i, id := range ids {
		if i == most {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, " %d", id)
	}
	if b.Len() == 0 {
		return "none"
	}
	return b.String()[1:]
}
