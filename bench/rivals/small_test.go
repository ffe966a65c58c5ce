package main

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/rivals/adapters"
	"github.com/zoctree/zoctree/bench/rivals/index"
)

func fewObjects(w io.Writer, sizes string) *comparison {
	o := versus.Small{Sizes: sizes, Scenes: "uniform", Rounds: 1, Seed: 3}
	must.Do(o.Check())
	c := comparisonOf(*o.Options(), w)
	c.share = frameShare
	return c
}

// Each operation has a row for each number of objects, with the number of each entrant, and one with the ratios.
func TestFewObjects(t *testing.T) {
	var b strings.Builder
	fewObjects(&b, "10,400").small()
	out := b.String()
	for row := range smallRows {
		want := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(row) + ` {2,}ns( +\*?[0-9.]+'?){3} +[0-9.]+$`)
		if n := len(want.FindAllString(out, -1)); n != 2 {
			t.Errorf("%d rows %q in\n%s", n, row, out)
		}
	}
	for _, row := range []string{"box of 8", "all pairs", "remove", "insert", "move", "move, batch", "replace", "replace, batch", "frame"} {
		if !regexp.MustCompile(`(?m)^` + row + ` {2,}[0-9.]+ +[0-9.]+ +(10|400|-)$`).MatchString(out) {
			t.Errorf("no ratios of %q in\n%s", row, out)
		}
	}
}

// The tree leads from the smallest number of objects on from which it is never slower.
func TestPaysFrom(t *testing.T) {
	var b strings.Builder
	c := fewObjects(&b, "10,20,30")
	var all []*results
	for i := range 3 {
		s := newResults([]entrant{{name: library}, {name: plain}, {name: "x"}})
		for _, row := range []struct {
			name  string
			slice [3]float64
		}{{"always", [3]float64{9, 9, 9}}, {"late", [3]float64{9, 1, 9}}, {"never", [3]float64{9, 9, 1}}} {
			f := s.figure(row.name, "ns")
			f.add(library, 4)
			f.add(plain, row.slice[i])
			f.add("x", 100)
		}
		all = append(all, s)
	}
	c.pays("uniform", []int{10, 20, 30}, all)
	must.Do(c.out.Close())
	for row, want := range map[string]string{"always": "2.25 +2.25 +2.25 +10", "late": "2.25 +0.25 +2.25 +30", "never": "2.25 +2.25 +0.25 +-"} {
		if !regexp.MustCompile(`(?m)^` + row + ` +` + want + `$`).MatchString(b.String()) {
			t.Errorf("no row %s %s in\n%s", row, want, b.String())
		}
	}
}

// blind misses a pair, forgetful loses an object.
type blind struct{ *pairing }

func (x blind) Pairs(yield func(a, b uint32)) {
	missed := false
	x.pairing.Pairs(func(a, b uint32) {
		if missed {
			yield(a, b)
		}
		missed = true
	})
}

type forgetful struct{ *adapters.Slice }

func (x forgetful) Append(dst []uint32, v *index.Volume) []uint32 {
	dst = x.Slice.Append(dst, v)
	for i, id := range dst {
		if id == 7 {
			return append(dst[:i], dst[i+1:]...)
		}
	}
	return dst
}

// Wrong results end the comparison.
func TestFewObjectsWrong(t *testing.T) {
	entrants := smallEntrants
	defer func() { smallEntrants = entrants }()
	for name, empty := range map[string]func() index.Index{
		"blind":     func() index.Index { return blind{&pairing{Slice: adapters.NewSlice()}} },
		"forgetful": func() index.Index { return forgetful{adapters.NewSlice()} },
	} {
		smallEntrants = append(entrants[:2:2], entrant{name, "wrong", false, empty})
		c := fewObjects(io.Discard, "300")
		c.sample = 10 * time.Microsecond
		if err := must.Catch(c.small); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
