package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSizesTo(t *testing.T) {
	for most, want := range map[int][]int{
		999: nil, 1000: {1000}, 2999: {1000}, 3000: {1000, 3000}, 10_500: {1000, 3000, 10_000},
	} {
		if got := sizesTo(most); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", most, got, want)
		}
	}
}

// The table has a line for each size and the two of the fit, and measures name
// the size.
func TestScaling(t *testing.T) {
	out := good(t, "scaling", "-max", "1000", "-scene", "city", "-count", "1", "-format", "gobench")
	for _, q := range scalingQuantities {
		if want := "BenchmarkScaling/n=1000/quantity=" + q.name + " 1 "; strings.Count(out, want) != 1 {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if testing.Short() {
		return
	}
	out = good(t, "scaling", "-max", "3000", "-count", "1")
	lines := 0
	for _, line := range strings.Split(out, "\n") {
		if f := strings.Fields(line); len(f) == 1+len(scalingQuantities) && slices.Contains([]string{"1000", "3000", "a", "b"}, f[0]) {
			lines++
		}
	}
	if lines != 4 {
		t.Errorf("%d lines, want 4:\n%s", lines, out)
	}
	for _, args := range [][]string{{"-max", "10"}, {"-scene", "nowhere"}, {"-count", "0"}} {
		if o := do(append([]string{"scaling"}, args...)...); o.code != 2 {
			t.Errorf("%v: exit code %d", args, o.code)
		}
	}
}
