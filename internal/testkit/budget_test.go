package testkit

import "testing"

func TestBudget(t *testing.T) {
	for text, want := range map[string]int{"": 2, "0": 2, "false": 2, "1": 3, "true": 3} {
		if testing.Short() || want == 2 && RaceEnabled {
			want = 1
		}
		t.Setenv(EnvLong, text)
		if got := Budget(t, 1, 2, 3); got != want {
			t.Errorf("%s=%q: %d, want %d", EnvLong, text, got, want)
		}
	}
	if _, err := askedLong("yes, please"); err == nil {
		t.Error("nonsense is taken for a wish")
	}
}
