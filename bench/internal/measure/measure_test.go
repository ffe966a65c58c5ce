package measure

import (
	"strings"
	"testing"
	"time"
)

func TestSeries(t *testing.T) {
	s := Series{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 3, 0.625: 3.5, 1: 5} {
		if got := s.Quantile(q); got != want {
			t.Errorf("Quantile(%v) = %v, want %v", q, got, want)
		}
	}
	if s.Spread() != 2 || s.Median() != 3 || s.Min() != 1 || s.Max() != 5 {
		t.Errorf("spread %v, median %v, min %v, max %v", s.Spread(), s.Median(), s.Min(), s.Max())
	}
	if got := (Series{6, 9}).Over(Series{2, 3}); got[0] != 3 || got[1] != 3 {
		t.Errorf("Over = %v", got)
	}
	if (Series{}).Median() != 0 {
		t.Error("the median of nothing is not 0")
	}
}

// Tasks take turns, Before precedes each call, and units divide the time.
func TestInterleave(t *testing.T) {
	order := ""
	work := func(name string, units int) Task {
		return Task{
			Units:  units,
			Before: func() { order += "-" },
			Do: func() uint64 {
				order += name
				time.Sleep(2 * time.Millisecond)
				return 1
			},
		}
	}
	times := Interleave(2, work("A", 1), work("B", 1000))
	if want := "-A-B-A-B-A-B"; order != want {
		t.Errorf("order %q, want %q", order, want)
	}
	if len(times) != 2 || len(times[0]) != 2 || len(times[1]) != 2 {
		t.Fatalf("times %v", times)
	}
	if times[0].Min() < 2e6 || times[1].Min() < 2e3 {
		t.Errorf("times %v: each call sleeps for 2 ms", times)
	}
}

// A short task without Before is called until a sample is filled.
func TestInterleaveCalibrates(t *testing.T) {
	calls := 0
	Interleave(1, Task{Do: func() uint64 { calls++; return 0 }})
	if calls < 100 {
		t.Errorf("%d calls", calls)
	}
}

// A machine is noisy when the fixed work spreads too far, and only after enough rounds.
func TestNoise(t *testing.T) {
	ListenAnew()
	Interleave(3, Task{Do: func() uint64 { return 0 }})
	if n := Heard(); n.Rounds != 3 || n.Loud() || !strings.Contains(n.String(), "too few") {
		t.Errorf("three rounds: %v", n)
	}
	for _, s := range []Series{control.arithmetic, control.stream} {
		if s.Min() <= 0 {
			t.Errorf("times %v", s)
		}
	}
	for _, x := range []struct {
		noise Noise
		loud  bool
	}{
		{Noise{5, 0.05, 0.10}, false}, {Noise{5, 0.051, 0}, true}, {Noise{5, 0, 0.101}, true}, {Noise{4, 1, 1}, false},
	} {
		if x.noise.Loud() != x.loud || strings.Contains(x.noise.String(), "TOO NOISY") != x.loud {
			t.Errorf("%+v: loud %v: %v", x.noise, x.noise.Loud(), x.noise)
		}
	}
	control.arithmetic, control.stream = Series{10, 10, 12, 14, 14}, Series{8, 8, 8, 8, 8}
	if n := Heard(); n != (Noise{5, 4.0 / 12, 0}) {
		t.Errorf("heard %+v", n)
	}
	ListenAnew()
	if n := Heard(); n != (Noise{}) {
		t.Errorf("heard %+v after ListenAnew", n)
	}
}
