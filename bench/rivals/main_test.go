package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/rivals/adapters"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// small are the options of a comparison that takes a few seconds.
func small(format report.Format) versus.Options {
	return versus.Options{Sizes: "300", Scenes: "city,uniform" + versus.Centres, Rounds: 1, Seed: 3, Format: format}
}

func comparisonOf(o versus.Options, w io.Writer) *comparison {
	c := newComparison(o, w, io.Discard)
	c.sample = 100 * time.Microsecond
	return c
}

// All entrants return the same results, and every row that an entrant supports has a number.
func TestComparison(t *testing.T) {
	o := small(report.Text)
	if testing.Short() {
		o.Rows = "memory,frustum 1 %,box of 8,first,nearest 8,pairs,move,frame"
	}
	var b strings.Builder
	comparisonOf(o, &b).run()
	out := b.String()
	for _, e := range entrants {
		if !strings.Contains(out, e.name+": "+e.about) {
			t.Errorf("nothing about %s", e.name)
		}
	}
	for _, row := range []string{
		"build", "build, use", "memory", "collection, stops", "collection, marks", "frustum 1 %", "frustum 50 %", "box of 8",
		"box of 450", "sphere of 550", "ray, all hits", "ray, first hit", "nearest", "nearest 8", "all pairs",
		"move", "move, batch", "replace", "replace, batch", "frame",
	} {
		if !o.Wants(row) && !(strings.HasPrefix(row, "build") || strings.HasPrefix(row, "coll")) {
			continue // the rows of builds are printed together
		}
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(row) + ` {2,}\S.*\*[0-9].*$`).FindString(out)
		if line == "" {
			t.Errorf("no row %q with a leader", row)
		}
	}
	if !regexp.MustCompile(`(?m)^floor +a collection .* stops for [0-9.]+ us`).MatchString(out) {
		t.Errorf("no floor of collections in\n%s", out)
	}
	// For single moves, no index is faster than storing a number: the slice is fastest.
	if !regexp.MustCompile(`(?m)^city, 300 objects +move +[0-9.]+ +ns +slice `).MatchString(out) {
		t.Errorf("no row is behind:\n%s", out)
	}
}

func TestMarkdown(t *testing.T) {
	o := small(report.Markdown)
	o.Only, o.Scenes, o.Rows = "slice", "uniform", "box,move"
	var b strings.Builder
	comparisonOf(o, &b).run()
	for _, want := range []string{"- **scene** uniform, 300 objects", "| row | unit | zoctree | frozen | slice | best index / zoctree |", "|---|---|--:|--:|--:|--:|"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// liar omits the last object of every result.
type liar struct{ *adapters.Slice }

func (l liar) Append(dst []uint32, v *index.Volume) []uint32 {
	dst = l.Slice.Append(dst, v)
	return dst[:max(0, len(dst)-1)]
}

// idle does not move.
type idle struct{ *adapters.Slice }

func (idle) Move(uint32, soa.AABB) {}

// Wrong results end the comparison.
func TestWrongAnswers(t *testing.T) {
	all := entrants
	defer func() { entrants = all }()
	for name, empty := range map[string]func() index.Index{
		"liar": func() index.Index { return liar{adapters.NewSlice()} },
		"idle": func() index.Index { return idle{adapters.NewSlice()} },
	} {
		entrants = append(all[:2:2], entrant{name, "wrong", false, empty})
		o := small(report.Text)
		o.Scenes, o.Rows = "uniform", "box of 8,move"
		if err := must.Catch(comparisonOf(o, io.Discard).run); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"rivals", "-bogus"}, {"rivals", "-n", "1"}, {"interest", "-format", "x"}, {"classic", "-n", "999"}, {"classic", "-count", "0"}, {"classic", "-tier", "sse9"}, {"classic", "extra"}} {
		if o := commandtest.Bench(commands).Do(args...); !o.Misused() {
			t.Errorf("%v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
}

// Rows won by rivals are listed, separate from rows too close to decide.
func TestLost(t *testing.T) {
	s := newResults([]entrant{{name: library}, {name: plain}, {name: "x"}, {name: "y"}})
	set := func(row string, series ...measure.Series) {
		f := s.figure(row, "ns")
		for i, v := range series {
			f.values[s.all[i].name] = v
		}
	}
	set("won", measure.Series{1, 2, 3}, measure.Series{4, 5, 6}, measure.Series{7, 8, 9})
	set("behind", measure.Series{10, 11, 12}, measure.Series{1, 2, 3}, measure.Series{20, 20, 20}, measure.Series{4, 5, 6})
	set("close", measure.Series{10, 20, 30}, measure.Series{9, 19, 29}, measure.Series{40, 41, 42})
	set("once", measure.Series{2}, measure.Series{1})
	set("lumps", measure.Series{2, 2, 2}, measure.Series{1, 1, 10})
	s.figures[len(s.figures)-1].mean = true
	got := s.behind()
	want := [][]string{
		{"behind", "10.0", "ns", "slice 1.00, y 4.00", ""},
		{"close", "10.0", "ns", "", "slice 9.00"},
		{"once", "2.00", "ns", "slice 1.00", ""},
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("behind %q", got)
	}
	cells := s.figures[1].cells(s.all)
	if want := []string{"behind", "ns", "10.0", "*1.00", "20.0", "4.00", "0.40"}; !slices.Equal(cells, want) {
		t.Errorf("cells %q", cells)
	}
}
