package main

import (
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// row is a line of a table of ratios.
type row interface{ cells() []string }

// figure is a measured quantity, its reference and its target.
type figure struct {
	name   string
	values measure.Series
	unit   string
	ref    float64 // what another program reached, 0: none
	target target
}

func rowColumns() []table.Column {
	return []table.Column{
		{Title: "quantity", Width: -52}, {Title: "median", Width: 8}, {Title: "min", Width: 8}, {Title: "spread", Width: 7},
		{Title: "unit", Width: -9}, {Title: "ref", Width: 7}, {Title: "/ ref", Width: 6}, {Title: "target", Width: 9}, {Title: "verdict", Width: -7},
	}
}

func (f figure) cells() []string {
	ref, over := "", ""
	if f.ref > 0 {
		ref, over = table.Number(f.ref), table.Number(f.values.Median()/f.ref)
	}
	return []string{
		f.name, table.Number(f.values.Median()), table.Number(f.values.Min()), table.Number(f.values.Spread()),
		f.unit, ref, over, f.target.String(), f.target.verdict(f.values.Median()),
	}
}

// target is a bound of a quantity. The zero value is none.
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
