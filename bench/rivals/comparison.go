package main

import (
	"fmt"
	"io"
	"time"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/machine"
)

// comparison is a run of the command.
type comparison struct {
	options versus.Options
	out     *report.Report
	errs    io.Writer // destination of progress messages

	// sample is the approximate time limit of a sample, unless a single unit of work takes longer.
	sample time.Duration

	share  int        // of the objects, one in so many change in a step
	behind [][]string // rows in which a rival leads, or may lead
}

func newComparison(o versus.Options, stdout, stderr io.Writer) *comparison {
	return &comparison{options: o, out: report.New(stdout, o.Format, "rivals"), errs: stderr, sample: 20 * time.Millisecond, share: 2}
}

// run measures all entrants on each scene at each size.
func (c *comparison) run() {
	datasets := must.Get(c.options.Datasets())
	counts := must.Get(c.options.Counts())
	c.preface()
	for _, n := range counts {
		for _, p := range datasets {
			must.Within(func() { c.measureScene(p, n) }, "%s, %d objects", p.Name, n)
		}
	}
	c.out.Note("behind", "rows in which a rival leads, or may lead: the middle halves of the samples overlap")
	t := c.out.Table("behind", table.Column{Title: "scene", Width: -28}, table.Column{Title: "row", Width: -17},
		table.Column{Title: library, Width: 8}, table.Column{Title: "unit", Width: -9},
		table.Column{Title: "leads", Width: -30}, table.Column{Title: "may lead", Width: -30})
	for _, cells := range c.behind {
		t.Row(cells...)
	}
	c.out.Note("noise", measure.Heard().String())
	must.Do(c.out.Close())
}

// preface prints the measured configuration.
func (c *comparison) preface() {
	measure.ListenAnew()
	c.out.Machine(machine.Here())
	c.out.Note("tier", asm.Info().Tier.String())
	for _, e := range entrants {
		if isOurs(e.name) || c.options.Admits(e.name) {
			c.out.Note("entrant", e.name+": "+e.about)
		}
	}
	c.out.Note("cells", fmt.Sprintf("minima of %d samples on one goroutine; %s leads; %s is measured on a part of the queries, moves or rounds", c.options.Rounds, leads, fewer))
	c.out.Note("cells", "the last column compares the best of the others, but the slice, with the better tree of ours")
	c.out.Note("use", fmt.Sprintf("is a build and %d box queries of 450 results", firstUse))
	c.out.Note("memory", "of the heap, after use and a collection, with nothing else on the heap; for "+library+" after Trim")
	c.out.Note("pairs", "are all pairs except of two static objects")
	c.out.Note("move", fmt.Sprintf("and replace (remove, and insert another) are in steps of %d and the end of a frame, one by one or, where there are batches, at once: means, not minima, because some rebuild the tree now and then", stepMoves))
	c.out.Note("frame", fmt.Sprintf("is a step of moves, a frustum of 10 %% and %d boxes of 450: some defer work to queries", frameBoxes))
}

// competitor is an entrant with a built index.
type competitor struct {
	entrant
	ix      index.Index
	changed int // number of changes so far
}

// measureScene measures one scene.
func (c *comparison) measureScene(p versus.Dataset, n int) {
	start := time.Now()
	fmt.Fprintf(c.errs, "%s, %d objects: ", p.Name, n)
	defer func() { fmt.Fprintf(c.errs, " %.0f s\n", time.Since(start).Seconds()) }()

	w := newWorkload(p, n, c.options.Seed)
	var all []entrant
	for _, e := range entrants {
		if (w.points || !e.points) && (isOurs(e.name) || c.options.Admits(e.name)) {
			all = append(all, e)
		}
	}
	s := newResults(all)
	if c.options.Wants(buildRows[:]...) {
		c.builds(s, w, all)
	}

	var competitors []*competitor
	for _, e := range all {
		x := &competitor{entrant: e, ix: e.empty()}
		x.ix.Build(w.objects)
		settle(x.ix, w)
		competitors = append(competitors, x)
	}
	for _, r := range w.rows {
		if !c.options.Wants(r.name) {
			continue
		}
		fmt.Fprint(c.errs, ".")
		must.Within(func() { c.ask(s, w, r, competitors) }, "%s", r.name)
	}
	if !w.points {
		if c.options.Wants(pairsRow) {
			must.Within(func() { c.pairs(s, w, competitors) }, "pairs")
		}
		c.changes(s, w, competitors)
	}
	s.write(c.out, w)
	for _, cells := range s.behind() {
		c.behind = append(c.behind, append([]string{w.name()}, cells...))
	}
}

// affordable returns the number of units of work, from 1 to size, that fill a sample. do runs the first n of
// them.
func (c *comparison) affordable(size int, do func(n int)) int {
	n := 1
	for {
		start := time.Now()
		do(n)
		took := time.Since(start)
		if took > c.sample/4 || n == size {
			fits := float64(n) * float64(c.sample) / float64(max(took, 1))
			return max(1, int(min(fits, float64(size))))
		}
		n = min(2*n, size)
	}
}

// verdicts is the number of queries of a row that are compared with the oracle. verdictTime is the time limit
// after the first few.
const (
	verdicts    = 25
	verdictTime = 500 * time.Millisecond
)

// ask compares the results of all entrants for a row of queries, and then measures their times.
func (c *comparison) ask(s *results, w *workload, r row, competitors []*competitor) {
	f := s.figure(r.name, "ns")
	var tasks []measure.Task
	var timed []*competitor
	for _, x := range competitors {
		if !r.can(x.ix) {
			continue
		}
		start := time.Now()
		for k := range min(verdicts, r.size()) {
			if k > 2 && time.Since(start) > verdictTime {
				break
			}
			must.Within(func() {
				r.agree(x.ix, w.oracle, k*r.size()/min(verdicts, r.size()))
			}, "%s, query %d", x.name, k)
		}
		n := c.affordable(r.size(), func(n int) { r.pass(x.ix, n) })
		f.fewer[x.name] = n < r.size()
		tasks = append(tasks, measure.Task{Units: n, Do: func() uint64 { return r.pass(x.ix, n) }})
		timed = append(timed, x)
	}
	for i, series := range measure.Interleave(c.options.Rounds, tasks...) {
		f.values[timed[i].name] = series
	}
}
