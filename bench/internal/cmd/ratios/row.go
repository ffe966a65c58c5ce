package ratios

import (
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
)

// row is a line of a table of ratios, with its measures.
type row interface {
	cells() []string
	measures() []report.Measure
}

// figure is a measured quantity, the values of the reference and of the fastest library, and its target.
type figure struct {
	name   string
	values measure.Series
	over   measure.Series // divisors of the values, round by round; nil: none
	unit   string
	ref    float64 // value of the reference; 0: none
	lead   float64 // value of the fastest library; 0: none
	holder string  // name of the fastest library
	target target
}

func rowColumns() []table.Column {
	return []table.Column{
		{Title: "quantity", Width: -58}, {Title: "of minima", Width: 9}, {Title: "median", Width: 8}, {Title: "spread", Width: 7},
		{Title: "unit", Width: -9}, {Title: "ref", Width: 7}, {Title: "/ ref", Width: 6}, {Title: "lead", Width: 7},
		{Title: "/ lead", Width: 6}, {Title: "held by", Width: -14}, {Title: "target", Width: 10}, {Title: "verdict", Width: -7},
	}
}

// least returns the minimum over the rounds, or the minimum of the values over that of the divisors.
func (f figure) least() float64 {
	if f.over == nil {
		return f.values.Min()
	}
	return f.values.Min() / f.over.Min()
}

// rounds returns the value of each round.
func (f figure) rounds() measure.Series {
	if f.over == nil {
		return f.values
	}
	return f.values.Over(f.over)
}

func (f figure) cells() []string {
	least, rounds := f.least(), f.rounds()
	other := func(x float64) (is, over string) {
		if x == 0 {
			return "", ""
		}
		return table.Number(x), table.Number(least / x)
	}
	ref, overRef := other(f.ref)
	lead, overLead := other(f.lead)
	return []string{
		f.name, table.Number(least), table.Number(rounds.Median()), table.Number(rounds.Spread()),
		f.unit, ref, overRef, lead, overLead, f.holder, f.target.String(), f.target.verdict(least),
	}
}

func (f figure) measures() []report.Measure {
	unit := f.unit
	if unit == "ns" {
		unit = "ns/op"
	}
	experiment, quantity, _ := strings.Cut(f.name, ": ")
	return []report.Measure{{Name: measureName("Ratios", experiment, "quantity", quantity), Unit: unit, Samples: f.rounds()}}
}

// measureName returns the name of a measure. The names of experiments, such as "query box 8 city 1M", contain
// a scene and the number of its objects.
func measureName(what, experiment string, keyValues ...any) string {
	var before, after []string
	var keys []any
	words := strings.Fields(experiment)
	at := slices.IndexFunc(words, func(w string) bool { _, ok := scene.ByName(w); return ok })
	if at < 0 {
		before = words
	} else {
		before, after = words[:at], words[at+1:]
		of := words[at]
		if len(after) > 0 && after[0] == "points" {
			of, after = of+" points", after[1:]
		}
		keys = append(keys, "scene", of)
		if len(after) > 0 {
			keys, after = append(keys, "n", after[0]), after[1:]
		}
	}
	all := append([]any{"experiment", strings.Join(append(slices.Clone(before), after...), " ")}, keys...)
	return report.Name(what, append(all, keyValues...)...)
}

// against returns a target: at most the lead, and at most slack times the reference, where these exist.
func against(lead, ref, slack float64) target {
	switch {
	case ref == 0:
		return atMost(lead)
	case lead == 0:
		return atMost(slack * ref)
	}
	return atMost(min(lead, slack*ref))
}

// target is a bound of a quantity. The zero value is no bound.
type target struct {
	bound   float64
	atLeast bool
}

func atMost(x float64) target  { return target{x, false} }
func atLeast(x float64) target { return target{x, true} }

func (t target) String() string {
	switch {
	case t.bound == 0:
		return ""
	case t.atLeast:
		return ">= " + table.Number(t.bound)
	}
	return "<= " + table.Number(t.bound)
}

func (t target) verdict(x float64) string {
	switch {
	case t.bound == 0:
		return ""
	case t.atLeast && x >= t.bound, !t.atLeast && x <= t.bound:
		return "pass"
	}
	return "miss"
}
