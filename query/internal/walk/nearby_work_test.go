package walk_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// An iteration scans all in two cases: after opening a sixteenth as many nodes and packets as there are slots, 64 at
// least, for fewer than four objects each; or after yielding a twentieth of all objects, 64 at least.
func TestNearbyGivesUp(t *testing.T) {
	// From the middle of the shell, where all is as near.
	for _, size := range []int{2000, 20_000} {
		v := plant(t, testkit.AwkwardObjects("shell", size), true).View()
		least := max(v.Slots()/16, 64)
		for _, given := range []int{0, 1, 4*least - 1, 4 * least, 4*least + 3, 4*least + 4, 6 * least} {
			want := max(least, given/4+1)
			if opened, scanned := walk.FrontierOpens(v.Store(), [3]float32{}, given); !scanned || opened != want {
				t.Errorf("%d objects, %d given: %d opened, scan %v, want a scan after %d", size, given, opened, scanned, want)
			}
		}
	}
	for _, size := range []int{1000, 1280, 1300, 6000} {
		v := plant(t, testkit.AwkwardObjects("line", size), true).View()
		if got, want := walk.FrontierScansAfter(v.Store(), [3]float32{-1, 0, 0}), max(size/20, 64); got != want {
			t.Errorf("%d objects in a line: a scan after %d, want %d", size, got, want)
		}
	}
}

// Split partitions keys so that none is larger than a later one, with keys on both sides, and halves keys in order,
// rising or falling.
func TestSplit(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{2, 3, 4, 5, 64, 65, 1000} {
		for form := range 4 {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = [...]uint64{uint64(i), uint64(n - i), rng.Uint64N(uint64(n)), 7}[form]
			}
			sorted := slices.Sorted(slices.Values(keys))
			k := walk.Split(keys)
			if k < 1 || k >= n || slices.Max(keys[:k]) > slices.Min(keys[k:]) || form < 2 && (k < n/2 || k > n/2+1) {
				t.Errorf("%d keys, form %d: parted at %d", n, form, k)
			}
			if slices.Sort(keys); !slices.Equal(keys, sorted) {
				t.Errorf("%d keys, form %d: others afterwards", n, form)
			}
		}
	}
}
