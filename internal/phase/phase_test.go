package phase

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// current returns the labels of a goroutine that stands in the function mark,
// as the goroutine profile prints them.
func current(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	mark(&out)
	for _, g := range strings.Split(out.String(), "\n\n") {
		if !strings.Contains(g, "phase.mark+") {
			continue
		}
		if m := regexp.MustCompile(`(?m)^# labels: (.*)$`).FindStringSubmatch(g); m != nil {
			return m[1]
		}
		return ""
	}
	t.Fatalf("no goroutine in mark:\n%s", out.String())
	return ""
}

//go:noinline
func mark(out *bytes.Buffer) { pprof.Lookup("goroutine").WriteTo(out, 1) }

func want(t *testing.T, labels string) {
	t.Helper()
	if got := current(t); got != labels {
		t.Errorf("labels %s, want %s", got, labels)
	}
}

func enable(t *testing.T, yes bool) {
	t.Helper()
	was := Enable(yes)
	t.Cleanup(func() { Enable(was) })
}

func TestNames(t *testing.T) {
	for p := range Count {
		if got, ok := Named(p.String()); !ok || got != p {
			t.Errorf("Named(%q) = %v, %v", p, got, ok)
		}
	}
	for p, want := range map[Phase]string{Encode: "build", Fill: "build", Refit: "change", Nodes: "volume query", Ranges: "volume query", Ray: "ray query", Clear: "occlusion", Visible: "occlusion"} {
		if got := p.Op(); got != want {
			t.Errorf("%v is of the operation %q, want %q", p, got, want)
		}
	}
	if _, ok := Named("lunch"); ok {
		t.Error("lunch is a phase")
	}
}

// Phases nest, follow each other, and leave the labels of the program.
func TestNest(t *testing.T) {
	enable(t, true)
	pprof.Do(context.Background(), pprof.Labels("request", "7"), func(context.Context) {
		want(t, `{"request":"7"}`)
		outer := Enter(Flush)
		want(t, `{"phase":"flush", "request":"7", "zoctree.op":"change"}`)
		inner := Enter(Encode)
		want(t, `{"phase":"encode", "request":"7", "zoctree.op":"build"}`)
		inner.Next(Sort)
		want(t, `{"phase":"sort", "request":"7", "zoctree.op":"build"}`)
		inner.Leave()
		want(t, `{"phase":"flush", "request":"7", "zoctree.op":"change"}`)
		outer.Leave()
		want(t, `{"request":"7"}`)
	})
	want(t, "")
}

func TestOff(t *testing.T) {
	enable(t, false)
	m := Enter(Ray)
	want(t, "")
	m.Next(Pairs)
	want(t, "")
	m.Leave()
	want(t, "")
}

// A switch in the middle of a phase neither leaves a label behind nor takes one
// away.
func TestSwitchInside(t *testing.T) {
	enable(t, true)
	m := Enter(Ray)
	Enable(false)
	Enter(Pairs).Leave()
	want(t, `{"phase":"ray", "zoctree.op":"ray query"}`)
	m.Leave()
	want(t, "")

	m = Enter(Ray)
	Enable(true)
	m.Next(Pairs)
	want(t, "")
	m.Leave()
	want(t, "")
}

// Goroutines that a phase starts are in the phase.
func TestGoroutines(t *testing.T) {
	enable(t, true)
	m := Enter(Fill)
	done := make(chan string)
	go func() { done <- current(t) }()
	m.Leave()
	if got := <-done; got != `{"phase":"fill", "zoctree.op":"build"}` {
		t.Errorf("labels %s", got)
	}
}

// The clock counts for each phase its own time, without inner phases, also where they begin while labels are on, and
// labels are as before.
func TestTimes(t *testing.T) {
	enable(t, true)
	pause := func() { time.Sleep(2 * time.Millisecond) }
	spent := Times(func() {
		pause()
		outer := Enter(Flush)
		inner := Enter(Encode)
		pause()
		inner.Next(Sort)
		pause()
		inner.Leave()
		pause()
		pause()
		outer.Leave()
		want(t, "")
	})
	sum := time.Duration(0)
	for p, d := range spent {
		at := Phase(p)
		switch least := map[Phase]time.Duration{Count: 2, Encode: 2, Sort: 2, Flush: 4}[at] * time.Millisecond; {
		case least == 0 && d != 0:
			t.Errorf("%v took %v", at, d)
		case d < least:
			t.Errorf("phase %d took %v, want %v or more", at, d, least)
		}
		sum += d
	}
	if sum > time.Minute {
		t.Errorf("%v in all", sum)
	}
	m := Enter(Ray)
	want(t, `{"phase":"ray", "zoctree.op":"ray query"}`)
	if again := Times(func() {}); again[Encode] != 0 {
		t.Errorf("times are not anew: %v", again)
	}
	m.Leave()
	want(t, "")
}

func TestAllocations(t *testing.T) {
	for _, yes := range []bool{false, true} {
		enable(t, yes)
		if n := testing.AllocsPerRun(100, func() {
			m := Enter(Nodes)
			m.Next(Packets)
			defer Enter(Ranges).Leave()
			m.Leave()
		}); n != 0 {
			t.Errorf("on %v: %v allocations", yes, n)
		}
	}
}

// Labels of the program are joined once; many sets are forgotten, and none is lost meanwhile.
func TestMerge(t *testing.T) {
	enable(t, true)
	if !readable() {
		t.Fatal("label sets are not what they were: the program's labels give way to phases")
	}
	for i := range mostMerged + 10 {
		value := fmt.Sprint(i)
		pprof.Do(context.Background(), pprof.Labels("a", value, "z", "1"), func(context.Context) {
			use := func() {
				outer := Enter(Flush)
				outer.Next(Sort)
				Enter(Encode).Leave()
				outer.Leave()
			}
			if n := testing.AllocsPerRun(1, use); n != 0 && i < 100 {
				t.Fatalf("%v allocations", n)
			}
			if i%100 == 0 {
				m := Enter(Fill)
				want(t, `{"a":"`+value+`", "phase":"fill", "z":"1", "zoctree.op":"build"}`)
				m.Leave()
			}
		})
	}
	if n := len(*merged.known.Load()); n > mostMerged+2 {
		t.Errorf("%d sets are kept", n)
	}
}

// The cost is the time of labels=off and labels=on beyond the empty loop.
func BenchmarkEnterLeave(b *testing.B) {
	b.Run("labels=none", func(b *testing.B) {
		for b.Loop() {
		}
	})
	for _, c := range []struct {
		name string
		on   bool
	}{{"labels=off", false}, {"labels=on", true}} {
		b.Run(c.name, func(b *testing.B) {
			defer Enable(Enable(c.on))
			b.ReportAllocs()
			for b.Loop() {
				Enter(Nodes).Leave()
			}
		})
	}
}
