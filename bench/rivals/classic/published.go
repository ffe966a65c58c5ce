package classic

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
	"github.com/zoctree/zoctree/soa"
)

// names are the names of the contenders in tables.
var names = []string{"irregular", "zoctree"}

func contenders() []contender { return []contender{&paper{}, &library{}} }

// sizes returns numbers of objects over two decades, up to the largest.
func (s *study) sizes() (sizes []int) {
	for _, share := range []int{100, 30, 10, 3, 1} {
		if n := s.most / share; n >= 1000 {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// scenes are the scenes of the queries.
var scenes = []struct {
	name string
	make func(n int, seed uint64) []soa.Object
}{{"", uniform}, {"sparse: ", sparse}}

// account holds the measurements of one contender.
type account struct {
	build  measure.Series  // seconds; of the dense scene, as is the memory
	bytes  float64         // per object
	scenes [2]sceneQueries // by scene

	even, evenNs float64 // number of objects from which a step beats a loop, and its time there

	lopsided float64 // candidates in an imbalanced tree, as a share of the objects
	depth    int     // of the imbalanced tree
}

// sceneQueries holds the query measurements of one scene: at the largest number of objects, and by size.
type sceneQueries struct {
	query         measure.Series // ns
	candidates    float64
	found         float64
	counts, times measure.Series // candidates, and ns, of a query
}

// published measures the quantities that the report publishes, and prints both.
func (s *study) published() {
	accounts := make([]account, len(names))
	var ns measure.Series
	for _, n := range s.sizes() {
		ns = append(ns, float64(n))
		for k := range scenes {
			s.visit(accounts, k, n)
		}
	}
	s.breakEven(accounts)
	s.imbalance(accounts)
	s.compare(accounts, ns)
}

// visit measures all contenders in a scene.
func (s *study) visit(accounts []account, scene, n int) {
	all, objects := contenders(), scenes[scene].make(n, s.seed)
	builds := s.builds(objects, all)
	t := s.ask(objects, all)
	for i := range accounts {
		a := &accounts[i]
		if scene == 0 {
			bytes, _ := all[i].shape()
			a.build, a.bytes = builds[i], float64(bytes)/float64(n)
		}
		p := &a.scenes[scene]
		p.query, p.candidates, p.found = t.times[i], t.candidates[i], t.found
		p.counts, p.times = append(p.counts, t.candidates[i]), append(p.times, t.times[i].Median())
	}
}

// imbalance queries trees of the lopsided scene.
func (s *study) imbalance(accounts []account) {
	all, objects := contenders(), lopsided(s.most, s.seed)
	s.builds(objects, all)
	t := s.ask(objects, all)
	for i := range accounts {
		accounts[i].lopsided = t.candidates[i] / float64(len(objects))
		_, accounts[i].depth = all[i].shape()
	}
}

// compare prints the published figures and ours side by side.
func (s *study) compare(accounts []account, ns measure.Series) {
	cpu := machine.Here().CPU
	s.out.Note("paper", "published by Shagam and Pfeiffer (2003), as accounts of their report cite it, on an Athlon of 1.1 GHz;\n"+
		"another machine, language and scene: the columns are context for each other, not a basis for ratios")
	s.out.Note("ours", fmt.Sprintf("on %s: boxes of about %d results, or a twentieth of the objects if that is less, of\n"+
		"which the results are compared; whole split is Build and Settle, of zoctree the build, one worker;\n"+
		"growth is fitted to %d sizes; w of the report is its work; sparse are spheres so far apart that a\n"+
		"box of side 100 has so many results; break-even is the number from which %d random moves\n"+
		"and one query take no longer than with a loop over all boxes (the report does not define it;\n"+
		"the minimum tried is %d objects); imbalanced are %d whose distances from a corner are\n"+
		"log-uniform over 16 octaves", cpu, results, len(ns), stepMoves, leastEven, s.most))
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
	fit := func(y measure.Series, per float64) string {
		a, b := measure.Fit(ns, y)
		return fmt.Sprintf("%s n^%.3f", table.Digits(a/per), b)
	}
	row("objects", "1000000", func(*account) string { return fmt.Sprint(s.most) })
	row("whole split", "15.5 s", func(a *account) string { return table.Digits(a.build.Median()) + " s" })
	row("memory", "330 B/object", func(a *account) string { return table.Number(a.bytes) + " B/object" })
	for k, scene := range scenes {
		at := func(a *account) *sceneQueries { return &a.scenes[k] }
		row(scene.name+"results of a query", "about 500", func(a *account) string { return table.Number(at(a).found) })
		row(scene.name+"candidates of a query", "about 5000", func(a *account) string { return table.Number(at(a).candidates) })
		row(scene.name+"time of a query", "about 10 ms", func(a *account) string { return table.Number(at(a).query.Median()/1e3) + " us" })
		row(scene.name+"growth of candidates", "w = 1.21 n^0.236", func(a *account) string { return fit(at(a).counts, 1) })
		row(scene.name+"growth of time", "", func(a *account) string { return fit(at(a).times, 1e3) + " us" })
	}
	row("break-even with a loop: objects", "153000", func(a *account) string { return evenText(a.even) })
	row("break-even with a loop: time", "49 ms", func(a *account) string { return table.Number(a.evenNs/1e3) + " us" })
	row("imbalanced: candidates of objects", "25 %", func(a *account) string { return table.Digits(100*a.lopsided) + " %" })
	row("imbalanced: depth", "", func(a *account) string { return fmt.Sprint(a.depth) })
	for i, name := range names {
		a := &accounts[i]
		add := func(quantity, unit string, samples measure.Series) {
			name := report.Name("Published", "n", s.most, "by", name, "quantity", quantity)
			s.out.Measure(report.Measure{Name: name, Unit: unit, Samples: samples})
		}
		for k, scene := range scenes {
			p, of := &a.scenes[k], strings.Replace(scene.name, ": ", " ", 1)
			_, power := measure.Fit(ns, p.counts)
			add(of+"query", "ns/op", p.query)
			add(of+"candidates", "objects", measure.Series{p.candidates})
			add(of+"exponent", "exponent", measure.Series{power})
		}
		add("split", "s", a.build)
		add("even", "objects", measure.Series{a.even})
		add("memory", "B/object", measure.Series{a.bytes})
		add("imbalanced", "share", measure.Series{a.lopsided})
	}
}
