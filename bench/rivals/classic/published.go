package main

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
)

// names are of the contenders in tables.
var names = []string{"irregular", "zoctree"}

func contenders() []contender { return []contender{&paper{}, &library{}} }

// sizes returns some numbers of objects up to the largest, over two decades.
func (s *study) sizes() (sizes []int) {
	for _, share := range []int{100, 30, 10, 3, 1} {
		if n := s.most / share; n >= 1000 {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// account is what one contender reaches.
type account struct {
	build      measure.Series // seconds
	query      measure.Series // ns
	candidates float64
	bytes      float64 // per object

	counts, times measure.Series // by size: candidates, and ns of a query

	even, evenNs float64 // objects from which it beats a loop, and the time then

	lopsided float64 // candidates in an imbalanced tree, a share of the objects
	depth    int     // of that tree
}

// published measures what the report has figures for, and prints both.
func (s *study) published() error {
	accounts := make([]account, len(names))
	sizes := s.sizes()
	var ns measure.Series
	found := 0.0
	for _, n := range sizes {
		all := contenders()
		objects := uniform(n, s.seed)
		for i := range accounts {
			accounts[i].build = nil // that of the largest number counts
		}
		for range s.rounds {
			seconds, err := builds(objects, all)
			if err != nil {
				return err
			}
			for i := range accounts {
				accounts[i].build = append(accounts[i].build, seconds[i])
			}
		}
		t, err := s.ask(objects, all)
		if err != nil {
			return err
		}
		ns = append(ns, float64(n))
		for i := range accounts {
			a := &accounts[i]
			a.query, a.candidates = t.times[i], t.candidates[i]
			a.counts, a.times = append(a.counts, t.candidates[i]), append(a.times, t.times[i].Median())
			bytes, _ := all[i].shape()
			a.bytes = float64(bytes) / float64(n)
		}
		found = t.found
	}
	if err := s.breakEven(accounts); err != nil {
		return err
	}
	if err := s.imbalance(accounts); err != nil {
		return err
	}
	s.compare(accounts, ns, found)
	return nil
}

// point is what a query takes with a tree and with a loop over all boxes, in ns.
type point struct{ tree, loop float64 }

// even returns where both are equal, and the time there: at n objects the loop
// was faster, at twice as many the tree is. In between both are straight lines, in
// logarithms.
func (p point) even(n int, twice point) (objects, ns float64) {
	before, after := math.Log(p.tree/p.loop), math.Log(twice.loop/twice.tree)
	part := before / (before + after)
	return float64(n) * math.Exp2(part), p.loop * math.Pow(twice.loop/p.loop, part)
}

// leastEven is the first number of objects that breakEven tries: with fewer, half
// of them and more are results.
const leastEven = 1000

// breakEven finds for each contender the number of objects from which a query is
// faster than a loop over all boxes.
func (s *study) breakEven(accounts []account) error {
	last := make([]point, len(accounts))
	for i := range accounts {
		accounts[i].even = math.Inf(1) // not up to the largest number
	}
	for n := leastEven; n <= s.most; n *= 2 {
		all := append(contenders(), &brute{})
		objects := uniform(n, s.seed)
		if _, err := builds(objects, all); err != nil {
			return err
		}
		t, err := s.ask(objects, all)
		if err != nil {
			return err
		}
		open := false
		for i := range accounts {
			a, now := &accounts[i], point{t.times[i].Min(), t.times[len(accounts)].Min()}
			switch {
			case !math.IsInf(a.even, 1):
			case now.tree > now.loop:
				last[i], open = now, true
			case n == leastEven:
				a.even, a.evenNs = leastEven, now.loop
			default:
				a.even, a.evenNs = last[i].even(n/2, now)
			}
		}
		if !open {
			return nil
		}
	}
	return nil
}

// imbalance asks trees of the lopsided scene.
func (s *study) imbalance(accounts []account) error {
	all, objects := contenders(), lopsided(s.most, s.seed)
	if _, err := builds(objects, all); err != nil {
		return err
	}
	t, err := s.ask(objects, all)
	if err != nil {
		return err
	}
	for i := range accounts {
		accounts[i].lopsided = t.candidates[i] / float64(len(objects))
		_, accounts[i].depth = all[i].shape()
	}
	return nil
}

// compare prints the figures of the report beside ours.
func (s *study) compare(accounts []account, ns measure.Series, found float64) {
	cpu := machine.Here().CPU
	s.out.Note("paper", "published by Shagam and Pfeiffer (2003), as accounts of their report cite it, on an Athlon of 1.1 GHz;\n"+
		"another machine, language and scene: the columns are context for each other, their ratios say nothing")
	s.out.Note("ours", fmt.Sprintf("on %s: boxes of about %d results, of which the answers are compared; whole split is\n"+
		"Build and Settle, of zoctree the build, one worker; break-even is from where a query beats a loop\n"+
		"over all boxes (how the report has it is not known; %d is the least that is tried); growth is\n"+
		"fitted to %d sizes; w of the report is its work; imbalanced are %d spheres whose distances from a\n"+
		"corner are log-uniform over 16 octaves", cpu, results, leastEven, len(ns), s.most))
	cols := []table.Column{{Title: "figure", Width: -34}, {Title: "published, Athlon 1.1 GHz, 2003", Width: -31}}
	for _, name := range names {
		cols = append(cols, table.Column{Title: name + ", " + cpu, Width: -20})
	}
	t := s.out.Table("published", cols...)
	row := func(title, theirs string, ours func(a *account) string) {
		cells := []string{title, theirs}
		for i := range accounts {
			cells = append(cells, ours(&accounts[i]))
		}
		t.Row(cells...)
	}
	fixed := func(text string) func(*account) string { return func(*account) string { return text } }
	fit := func(y func(a *account) measure.Series, per float64, unit string) func(*account) string {
		return func(a *account) string {
			k, b := measure.Fit(ns, y(a))
			return fmt.Sprintf("%.3g n^%.3f%s", k/per, b, unit)
		}
	}
	row("objects", "1000000", fixed(fmt.Sprint(s.most)))
	row("results of a query", "about 500", fixed(table.Number(found)))
	row("candidates of a query", "about 5000", func(a *account) string { return table.Number(a.candidates) })
	row("time of a query", "about 10 ms", func(a *account) string { return table.Number(a.query.Median()/1e3) + " us" })
	row("whole split", "15.5 s", func(a *account) string { return fmt.Sprintf("%.3g s", a.build.Median()) })
	row("break-even with a loop: objects", "153000", func(a *account) string { return evenText(a.even) })
	row("break-even with a loop: time", "49 ms", func(a *account) string { return table.Number(a.evenNs/1e3) + " us" })
	row("growth: candidates", "w = 1.21 n^0.236", fit(func(a *account) measure.Series { return a.counts }, 1, ""))
	row("growth: time of a query", "", fit(func(a *account) measure.Series { return a.times }, 1e3, " us"))
	row("memory", "330 B/object", func(a *account) string { return table.Number(a.bytes) + " B/object" })
	row("imbalanced: candidates of objects", "25 %", func(a *account) string { return fmt.Sprintf("%.3g %%", 100*a.lopsided) })
	row("imbalanced: depth", "", func(a *account) string { return fmt.Sprint(a.depth) })
	for i, name := range names {
		a := &accounts[i]
		_, power := measure.Fit(ns, a.counts)
		for _, m := range []report.Measure{
			{Name: "query", Unit: "ns/op", Samples: a.query},
			{Name: "split", Unit: "s", Samples: a.build},
			{Name: "candidates", Unit: "objects", Samples: measure.Series{a.candidates}},
			{Name: "candidates-exponent", Unit: "exponent", Samples: measure.Series{power}},
			{Name: "break-even", Unit: "objects", Samples: measure.Series{a.even}},
			{Name: "memory", Unit: "B/object", Samples: measure.Series{a.bytes}},
			{Name: "imbalanced", Unit: "share", Samples: measure.Series{a.lopsided}},
		} {
			m.Name = report.Name("Published", "n", s.most, "by", name, "quantity", m.Name)
			s.out.Measure(m)
		}
	}
}

// evenText returns a number of objects, or that it is below or above those that
// were tried.
func evenText(n float64) string {
	switch {
	case math.IsInf(n, 1):
		return "none tried"
	case n == leastEven:
		return fmt.Sprint(leastEven, " or less")
	}
	return fmt.Sprintf("%.0f", n)
}
