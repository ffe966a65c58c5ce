package lab

import (
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// Each mix makes calls of its kinds and no others, in each frame, and compares all queries. The calls, the objects that
// they touch and the visits of queries are a function of the seed.
func TestPauses(t *testing.T) {
	const frames = 9
	seed := testkit.Seed(t)
	for i, x := range Mixes() {
		cfg := linear.Config{TickBudget: 30 * (i % 2)}
		p, again := x.Run(1000, frames, 2, seed, cfg), x.Run(1000, frames, 1, seed, cfg)
		kinds, touched := map[string]map[int]bool{}, map[string]int{}
		for i, c := range p.Calls {
			if kinds[c.Kind] == nil {
				kinds[c.Kind] = map[int]bool{}
			}
			kinds[c.Kind][c.Frame] = true
			if c.Time <= 0 || c.Time > time.Minute || c.Carried > c.Beyond || c.Beyond > c.Time {
				t.Fatalf("%s: %+v", x.Name, c)
			}
			if d := again.Calls[i]; c.Kind != d.Kind || c.Frame != d.Frame || c.Given != d.Given || c.Touched != d.Touched {
				t.Fatalf("%s: %+v, and in another run %+v", x.Name, c, d)
			}
			if c.Kind == callTick && (!x.Event || c.Frame == 1) && c.Touched == 0 {
				t.Errorf("%s: %+v touches nothing", x.Name, c)
			}
			touched[c.Kind] += c.Touched
		}
		for _, kind := range slices.Concat(x.Kinds, PauseQueries) {
			want := frames
			if x.Event && !isQuery(kind) && kind != callView && kind != callTick {
				want = 1
			}
			if len(kinds[kind]) != want {
				t.Errorf("%s: %s in %d frames, want %d", x.Name, kind, len(kinds[kind]), want)
			}
			if isQuery(kind) && touched[kind] == 0 {
				t.Errorf("%s: %s touches nothing", x.Name, kind)
			}
			delete(kinds, kind)
		}
		if len(kinds) > 0 || len(p.Comparisons) != 2*len(PauseQueries) {
			t.Errorf("%s: other kinds %v, %d comparisons", x.Name, kinds, len(p.Comparisons))
		}
		for i, c := range p.Comparisons {
			if d := again.Comparisons[i]; c.Kind != d.Kind || c.Frame != d.Frame || c.Before != d.Before || c.After != d.After {
				t.Errorf("%s: %+v, and in another run %+v", x.Name, c, d)
			}
			if min(c.Before, c.After, c.Time) <= 0 || c.Frame != 1 && c.Frame != pauseSample {
				t.Errorf("%s: %+v", x.Name, c)
			}
		}
	}
}

// A View and a Tick have what the changes of the frame have left of their allowance, together.
func TestPausesBeyond(t *testing.T) {
	const a = PauseAllowance
	p := Pauses{Calls: []Call{
		{Kind: callMove, Given: 1, Time: 3 * a},
		{Kind: callMoveBatch, Given: 10, Time: 4 * a},
		{Kind: callView, Time: 5 * a},
		{Kind: "frustum", Given: 100, Time: a},
		{Kind: callTick, Time: 3 * a},
		{Kind: callView, Time: a},
	}}
	p.measureBeyond()
	for i, want := range [][2]time.Duration{{2, 2}, {0, 0}, {5, 0}, {0, 0}, {3, 2}, {1, 1}} {
		if c := p.Calls[i]; c.Beyond != want[0]*a || c.Carried != want[1]*a {
			t.Errorf("%+v, want %d and %d", c, want[0]*a, want[1]*a)
		}
	}
}
