package testkit

import (
	"slices"
	"testing"
)

func TestBudget(t *testing.T) {
	for text, want := range map[string]int{"": 1, "0": 1, "false": 1, "1": 3, "true": 3} {
		t.Setenv(EnvLong, text)
		if got := Budget(t, 1, 3); got != want {
			t.Errorf("%s=%q: %d, want %d", EnvLong, text, got, want)
		}
	}
	if _, err := parseLong("yes, please"); err == nil {
		t.Error("a text that is not a boolean is accepted")
	}
}

func TestAgain(t *testing.T) {
	all := []int{2, 3, 5}
	for again, want := range map[string][2]int{"": {7, 3}, "1": {4, 1}} {
		t.Setenv(EnvAgain, again)
		some := AgainOne(Rand(1), all)
		if n := Again(7, 4); n != want[0] || len(some) != want[1] || !slices.Contains(all, some[0]) {
			t.Errorf("%s=%q: %d and %d of %d, want %d", EnvAgain, again, n, some, all, want)
		}
	}
}

// Three consecutive calls cover all elements, and each call in the long form.
func TestTurn(t *testing.T) {
	all := []int{2, 3, 5, 7, 11, 13, 17}
	var together []int
	for number := 4; number < 7; number++ {
		some := Turn(t, number, all)
		if want := Budget(t, []int{2, 2, 3}[number-4], 7); len(some) != want {
			t.Errorf("scene %d has %d of %d, want %d", number, len(some), len(all), want)
		}
		together = append(together, some...)
	}
	slices.Sort(together)
	if got := slices.Compact(together); !slices.Equal(got, all) {
		t.Errorf("three scenes have %v, want %v", got, all)
	}
}
