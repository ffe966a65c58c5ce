package classic

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
)

// Swept parameters. The middle ones are the report's, or our choice where it states none.
var (
	sweptAbove      = []int{4, 8, 16, 32, 64}
	sweptStraddlers = []float64{-1, 0.125, 0.25, 0.5, 1} // below 0: none allowed
)

// variant is a tree with other thresholds, and its measurements.
type variant struct {
	cfg          irregular.Config
	build, query measure.Series // ns per object, ns
	trial        trial
	stats        index.Stats
	bytes        float64 // per object
}

// variants returns the combinations to sweep. With one plane the share has no effect: the plane with the
// fewest straddlers is always enabled.
func variants() (all []*variant) {
	for _, planes := range []int{3, 2, 1} {
		for _, above := range sweptAbove {
			for _, share := range sweptStraddlers {
				if planes > 1 || share == 1 {
					all = append(all, &variant{cfg: irregular.Config{SplitAbove: above, Straddlers: share, Planes: planes}})
				}
			}
		}
	}
	return all
}

// share formats the share of straddlers as a table cell.
func (v *variant) share() string {
	if v.cfg.Planes == 1 {
		return "any"
	}
	return fmt.Sprint(max(v.cfg.Straddlers, 0))
}

// thresholds measures trees with different split thresholds, in turns.
func (s *study) thresholds() {
	objects := uniform(s.tenth(), s.seed)
	n, boxes := float64(len(objects)), s.questions(objects)
	plain := &brute{} // reference for the results
	plain.build(objects)
	all := variants()
	for round := range s.rounds {
		for _, v := range all {
			tree := &paper{cfg: v.cfg}
			seconds := build(objects, tree)
			v.build = append(v.build, seconds*1e9/n)
			if round == 0 {
				must.Within(func() { v.trial = check(boxes, []contender{tree, plain}) }, "%+v", v.cfg)
				v.stats, v.bytes = tree.tree.Stats(), float64(tree.tree.Bytes())/n
			}
			v.query = append(v.query, measure.Interleave(1, task(boxes, tree))[0]...)
		}
	}
	s.out.Note("sweep", fmt.Sprintf("%d spheres of radius 1, uniform, and boxes of about %d: a leaf of more than threshold objects is\n"+
		"split; a plane with more than the share of straddlers is disabled, unless all are; a node has up to\n"+
		"that many planes: 1 makes a BSP tree, on which the share has no effect. Build is with all\n"+
		"splits; inner objects lie on a plane. 16, 0.25 and 3 are the defaults", len(objects), results))
	cols := []table.Column{{Title: "threshold", Width: 9}, {Title: "straddlers", Width: 10}, {Title: "planes", Width: 6}}
	for _, title := range []string{"build ns/object", "query us", "candidates", "results", "nodes", "depth", "inner %", "B/object"} {
		cols = append(cols, table.Column{Title: title, Width: 8})
	}
	t := s.out.Table("thresholds", cols...)
	for _, v := range all {
		t.Row(fmt.Sprint(v.cfg.SplitAbove), v.share(), fmt.Sprint(v.cfg.Planes),
			table.Number(v.build.Median()), table.Number(v.query.Median()/1e3), table.Number(v.trial.candidates[0]),
			table.Number(v.trial.found), fmt.Sprint(v.stats.Nodes), fmt.Sprint(v.stats.Depth),
			table.Number(100*float64(v.stats.Inner)/n), table.Number(v.bytes))
		add := func(quantity, unit string, samples measure.Series) {
			name := report.Name("Thresholds", "n", len(objects), "above", v.cfg.SplitAbove, "straddlers", v.share(),
				"planes", v.cfg.Planes, "quantity", quantity)
			s.out.Measure(report.Measure{Name: name, Unit: unit, Samples: samples})
		}
		add("build", "ns/object", v.build)
		add("query", "ns/op", v.query)
		add("candidates", "objects", measure.Series{v.trial.candidates[0]})
		add("nodes", "nodes", measure.Series{float64(v.stats.Nodes)})
		add("memory", "B/object", measure.Series{v.bytes})
	}
}
