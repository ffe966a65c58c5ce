package main

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
)

// contest compares the library with a rival on the files of a folder.
type contest struct {
	*session
	*field
	rival  *rival
	native *program
}

// turns is one operation of both, which are measured in turns.
type turns struct {
	row, needs string // the name, and the operation of the rival
	units      int    // objects or queries of a round
	warm       bool   // whether each runs untimed before it is timed, which has no effect on its results
	setup      func() // runs first
	same       func() // compares the results of both, once before the rounds
	before     func() // runs before each round, untimed
	ours       func()
	theirs     []string // commands
}

// run measures the operation, unless the rival does not have it or the options exclude it.
func (c *contest) run(t turns) {
	if !slices.Contains(c.rows, t.row) {
		c.rows = append(c.rows, t.row)
	}
	if !c.rival.does(t.needs) || !c.Wants(t.row) {
		return
	}
	c.progress.Begin("%s: %s, %s", c.field.name, c.rival.name, t.row)
	defer c.progress.End()
	call := func(f func()) {
		if f != nil {
			f()
		}
	}
	rival := func() (ns float64) {
		for _, command := range t.theirs {
			took, _ := c.native.do(command)
			ns += took
		}
		return ns
	}
	call(t.setup)
	call(t.same)
	r := result{field: c.field, row: t.row, rival: c.rival.name}
	for range c.Rounds {
		runtime.GC()
		measure.Listen()
		call(t.before)
		if t.warm {
			t.ours()
		}
		start := time.Now()
		t.ours()
		r.ours = append(r.ours, float64(time.Since(start).Nanoseconds())/float64(t.units))
		if t.warm {
			rival()
		}
		r.theirs = append(r.theirs, rival()/float64(t.units))
	}
	c.results = append(c.results, r)
}

// queries is a list of queries of one kind.
type queries struct {
	row, needs, command string
	n                   int
	load                func()                                // gives the queries to the driver
	find                func(dst []uint32, i int) []uint32    // appends the results of ours: IDs, or bits of float32
	same                func(name string, ours, theirs lists) // compares the results
}

// query compares and measures queries.
func (c *contest) query(q queries) {
	if q.n == 0 {
		return // of files without them
	}
	var found []uint32
	c.run(turns{
		row: q.row, needs: q.needs, units: q.n, warm: true, theirs: []string{q.command},
		setup: q.load,
		same:  func() { q.same(q.row, listsOf(q.n, q.find), c.native.answers(q.n, q.command)) },
		ours: func() {
			for i := range q.n {
				found = q.find(found[:0], i)
			}
		},
	})
}

// lists holds the results of each query.
type lists [][]uint32

func listsOf(n int, find func(dst []uint32, i int) []uint32) (l lists) {
	for i := range n {
		l = append(l, find(nil, i))
	}
	return l
}

// sets returns a comparison of IDs in any order. It ends the command if more than a share of all IDs, and more than
// one unless the share is 0, are found by one of both only, and writes a note if any are.
func (c *contest) sets(share float64) func(name string, ours, theirs lists) {
	return func(name string, ours, theirs lists) {
		var differ, all, last int
		for i := range ours {
			slices.Sort(ours[i])
			slices.Sort(theirs[i])
			all += len(ours[i])
			if n := differences(ours[i], theirs[i]); n > 0 {
				differ, last = differ+n, i
			}
		}
		if share == 0 && differ > 0 || float64(differ) > max(share*float64(all), 1) {
			must.Fail("%s: %s and zoctree differ in %d of %d results; of query %d, %d and %d results",
				name, c.rival.name, differ, all, last, len(theirs[last]), len(ours[last]))
		}
		c.differs(name, differ, all)
	}
}

// differences returns how many elements are in one of two ascending lists only.
func differences[T cmp.Ordered](a, b []T) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
			continue
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
		n++
	}
	return n + len(a) + len(b)
}

// numbers returns a comparison of lists of float32. It ends the command if more than a share of them differ by more
// than the tolerance, which is relative and absolute, and writes a note if any do.
func (c *contest) numbers(share, relative, absolute float64) func(name string, ours, theirs lists) {
	return func(name string, ours, theirs lists) {
		var differ, all int
		var last string
		for i := range ours {
			if len(ours[i]) != len(theirs[i]) {
				must.Fail("%s: query %d has %d results, of %s %d", name, i, len(ours[i]), c.rival.name, len(theirs[i]))
			}
			all += len(ours[i])
			for k := range ours[i] {
				x, y := float64(math.Float32frombits(ours[i][k])), float64(math.Float32frombits(theirs[i][k]))
				if x != y && !(math.Abs(x-y) <= relative*min(x, y)+absolute) {
					differ++
					last = fmt.Sprintf("query %d, result %d: %v, of %s %v", i, k, x, c.rival.name, y)
				}
			}
		}
		if float64(differ) > share*float64(all) {
			must.Fail("%s: %d of %d results differ; %s", name, differ, all, last)
		}
		c.differs(name, differ, all)
	}
}

// differs notes results that are not equal.
func (c *contest) differs(name string, differ, all int) {
	if differ > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s, %s: %s, %d of %d results", c.field.name, c.rival.name, name, differ, all))
	}
}

// result is a row of a contest.
type result struct {
	field        *field
	row, rival   string
	ours, theirs measure.Series // ns for each unit
}

// ratio returns how many times longer the rival takes: of the minima over the rounds. Other programs only lengthen a
// time, so minima differ less between runs than medians.
func (r *result) ratio() float64 { return r.theirs.Min() / r.ours.Min() }

// rounds returns how many times longer the rival takes in each round.
func (r *result) rounds() measure.Series { return r.theirs.Over(r.ours) }

// measures returns the samples of both.
func (r *result) measures() (list []report.Measure) {
	for _, of := range []struct {
		library string
		samples measure.Series
	}{{"zoctree", r.ours}, {r.rival, r.theirs}} {
		name := report.Name("Native", "scene", r.field.scene, "n", r.field.n, "operation", r.row, "rival", r.rival, "library", of.library)
		list = append(list, report.Measure{Name: name, Unit: "ns/op", Samples: of.samples})
	}
	return list
}
