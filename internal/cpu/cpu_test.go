package cpu

import (
	"slices"
	"testing"
)

func TestParseRoundTrip(t *testing.T) {
	for _, tier := range []Tier{Go, NEON, AVX2, AVX512} {
		got, err := Parse(tier.String())
		if err != nil || got != tier {
			t.Errorf("Parse(%q) = %v, %v", tier.String(), got, err)
		}
	}
	if _, err := Parse("sse9"); err == nil {
		t.Error("Parse accepted an unknown tier")
	}
	if s := Tier(200).String(); s != "Tier(200)" {
		t.Errorf("String of an unknown tier = %q", s)
	}
}

func TestAvailable(t *testing.T) {
	a := Available()
	if a[0] != Go || !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != len(a) {
		t.Fatalf("Available() = %v: want go first, ascending, each once", a)
	}
	if Best() != a[len(a)-1] {
		t.Fatalf("Best() = %v, Available() = %v", Best(), a)
	}
	if !slices.Contains(a, Active) {
		t.Fatalf("Active = %v is not available (%v)", Active, a)
	}
}

// The override never exceeds the machine: an unavailable or unknown tier gives the best one.
func TestInitial(t *testing.T) {
	for _, tier := range []Tier{Go, NEON, AVX2, AVX512} {
		want := tier
		if !slices.Contains(Available(), tier) {
			want = Best()
		}
		if got := initial(tier.String()); got != want {
			t.Errorf("initial(%q) = %v, want %v", tier, got, want)
		}
	}
	if initial("") != Best() || initial("nonsense") != Best() {
		t.Error("no override, or an unknown one, must give the best tier")
	}
}

func TestForce(t *testing.T) {
	was := Active
	defer func() { Active = was }()
	for _, tier := range Available() {
		if _, err := Force(tier); err != nil || Active != tier {
			t.Fatalf("Force(%v): %v, active %v", tier, err, Active)
		}
	}
	for _, tier := range []Tier{Go, NEON, AVX2, AVX512} {
		if slices.Contains(Available(), tier) {
			continue
		}
		before := Active
		if _, err := Force(tier); err == nil || Active != before {
			t.Fatalf("Force(%v) on a machine without it: %v, active %v", tier, err, Active)
		}
	}
}
