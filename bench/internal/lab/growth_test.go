package lab

import (
	"slices"
	"testing"
)

func TestSizesTo(t *testing.T) {
	for most, want := range map[int][]int{
		999: nil, 1000: {1000}, 2999: {1000}, 3000: {1000, 3000}, 10_500: {1000, 3000, 10_000},
	} {
		if got := SizesTo(most); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", most, got, want)
		}
	}
}
