package ratios

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
)

// A floor of a query is the same query, of the same form and tier, on a tree without nodes: the packet
// kernels test every slot in order, and the result is sorted as the form requires. No query may take more
// than curveLimit times its floor.

// flatten removes the nodes of a tree, so that queries scan every slot. The tree then supports queries only.
func flatten(t *linear.Tree) linear.View {
	s := t.View().Store()
	s.Nodes.Hot, s.Pending = nil, s.Pending[:0]
	for slot := range s.Packets.Counts {
		s.Pending = append(s.Pending, uint32(slot))
	}
	return t.View()
}

// flatView returns a view of the bed's objects without nodes.
func (b *bed) flatView() linear.View {
	if b.flat == nil {
		t := must.Get(lab.Plant(b.Objects, 1, nil))
		flatten(t)
		b.flat = t
	}
	return b.flat.View()
}

// floorForm is one form of a set of queries.
type floorForm struct {
	name string
	// ask runs query i and returns a value that depends on the whole result.
	ask func(v linear.View, i int) uint64
	// answer appends the result of query i as numbers.
	answer  func(dst []uint32, v linear.View, i int) []uint32
	ordered bool // the contract states the order of the result
}

// floorKind makes queries, in all forms, that find about a given share of the objects, if the share can be
// chosen.
type floorKind struct {
	name   string
	shares []float64
	make   func(b *bed, share float64) []floorForm
}

var (
	floorShares = []float64{0, 0.01, 0.1, 0.35, 0.65, 0.9, 1}
	oneShare    = []float64{-1} // for kinds whose result size is fixed
)

// floorSizes are the numbers of objects.
var floorSizes = []int{1_000, 10_000, 100_000}

// floorExperiments compare every kind and form of query with its floor.
func floorExperiments() (all []experiment) {
	for _, of := range scene.All() {
		for _, n := range floorSizes {
			for _, k := range floorKinds {
				name := fmt.Sprintf("curve floor %s %s %s", k.name, of.Name, thousands(n))
				all = append(all, experiment{name, n, func(s *session) []row { return s.floor(k, of.Name, n) }})
			}
		}
	}
	return append(all, tieExperiments()...)
}

// floor measures a kind of query on each tier.
func (s *session) floor(k floorKind, scene string, n int) (rows []row) {
	b := s.bed(scene, n)
	flat := b.flatView()
	s.eachTier(func(tier asm.Tier) {
		worst := map[string]*versusRow{}
		var order []string
		for _, share := range k.shares {
			forms := k.make(b, share)
			for _, f := range forms {
				if err := b.sameForm(&f, b.View, flat); err != nil {
					must.Fail("%s of %v: %w", f.name, share, err)
				}
				times := leasts(s.rounds, f.task(b.View), f.task(flat))
				r := &versusRow{
					name: fmt.Sprintf("floor %s %s %s %s", k.name, f.name, scene, thousands(n)), tier: tier,
					times: times[0], floor: times[1], at: found(share), target: atMost(curveLimit), grace: curveGrace,
				}
				if worst[f.name] == nil {
					order = append(order, f.name)
				}
				if w := worst[f.name]; w == nil || r.ratio() > w.ratio() {
					worst[f.name] = r
				}
			}
		}
		for _, name := range order {
			rows = append(rows, worst[name])
		}
	})
	return rows
}

func found(share float64) string {
	if share < 0 {
		return ""
	}
	return fmt.Sprintf("%v %%", 100*share)
}

// sameForm compares the results of two views.
func (b *bed) sameForm(f *floorForm, tree, flat linear.View) error {
	for i := range curveQueries {
		b.Want = f.answer(b.Want[:0], flat, i)
		b.IDs = f.answer(b.IDs[:0], tree, i)
		if f.ordered {
			if !slices.Equal(b.IDs, b.Want) {
				return fmt.Errorf("query %d: the tree and the sweep differ", i)
			}
		} else if err := b.Set.Same(b.IDs, b.Want); err != nil {
			return fmt.Errorf("query %d: the tree and the sweep differ: %w", i, err)
		}
	}
	return nil
}

func (f *floorForm) task(v linear.View) measure.Task {
	return measure.Task{Units: curveQueries, Do: func() (sum uint64) {
		for i := range curveQueries {
			sum += f.ask(v, i)
		}
		return sum
	}}
}

const (
	// leastPasses and leastTime bound a round of leasts.
	leastPasses = 64
	leastTime   = 4 * time.Millisecond
)

// leasts runs the tasks in turn and returns, for each round, the minimum time of a unit in any pass. Passes
// are short, so that some run uninterrupted even on a shared machine.
func leasts(rounds int, tasks ...measure.Task) []measure.Series {
	all := make([]measure.Series, len(tasks))
	sum := uint64(0)
	for range rounds {
		start := time.Now()
		least := make([]time.Duration, len(tasks))
		for pass := 0; pass < 3 || pass < leastPasses && time.Since(start) < leastTime; pass++ {
			for i, t := range tasks {
				from := time.Now()
				sum += t.Do()
				if took := time.Since(from); pass == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		for i, t := range tasks {
			all[i] = append(all[i], float64(least[i].Nanoseconds())/float64(max(t.Units, 1)))
		}
	}
	runtime.KeepAlive(sum)
	return all
}

// eachTier runs body on the tiers of the lab, or on the active tier.
func (s *session) eachTier(body func(tier asm.Tier)) {
	if len(s.tiers) == 0 {
		body(asm.Info().Tier)
		return
	}
	defer asm.SetTier(asm.Info().Tier)
	for _, tier := range s.tiers {
		must.Get(asm.SetTier(tier))
		if err := must.Catch(func() { body(tier) }); err != nil {
			must.Fail("tier %v: %w", tier, err)
		}
	}
}

// versusRow is the time of a query and the time that it is compared with.
type versusRow struct {
	name         string
	tier         asm.Tier
	times, floor measure.Series
	at           string
	target       target
	grace        float64 // ns, fixed cost of a query
}

func versusColumns() []table.Column {
	return []table.Column{
		{Title: "query / its floor, the worst", Width: -52}, {Title: "tier", Width: -6}, {Title: "found", Width: 6},
		{Title: "query ns", Width: 10}, {Title: "floor ns", Width: 10}, {Title: "ratio", Width: 6},
		{Title: "target", Width: 7}, {Title: "verdict", Width: -7},
	}
}

// ratio returns the ratio of the minimum times after the grace.
func (r *versusRow) ratio() float64 { return (r.times.Min() - r.grace) / r.floor.Min() }

func (r *versusRow) cells() []string {
	return []string{
		r.name, r.tier.String(), r.at, table.Number(r.times.Min()), table.Number(r.floor.Min()), table.Number(r.ratio()),
		r.target.String(), r.target.verdict(r.ratio()),
	}
}

func (r *versusRow) measures() []report.Measure {
	return []report.Measure{{Name: measureName("Floor", r.name, "tier", r.tier), Unit: "x", Samples: r.times.Over(r.floor)}}
}
