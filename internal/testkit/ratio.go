package testkit

import (
	"testing"
	"time"
)

// Ratio returns the time of f divided by the time of base. It takes the minimum over many
// alternating calls of each, so that a busy machine affects both. Calls should take more than a
// microsecond. Under the race detector, which distorts costs, it skips the test.
func Ratio(t testing.TB, calls int, f, base func()) float64 {
	t.Helper()
	if RaceEnabled {
		t.Skip("times mean nothing under the race detector")
	}
	least := [2]time.Duration{1 << 62, 1 << 62}
	for range calls {
		for k, g := range [2]func(){f, base} {
			start := time.Now()
			g()
			least[k] = min(least[k], time.Since(start))
		}
	}
	return float64(least[0]) / float64(max(least[1], 1))
}
