package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
)

// What is swept. The middle ones are those of the report, or our choice where it
// is silent.
var (
	sweptAbove      = []int{4, 8, 16, 32, 64}
	sweptStraddlers = []float64{-1, 0.125, 0.25, 0.5, 1} // below 0: none
	sweptPlanes     = []int{3, 1}
)

// thresholds measures trees with other thresholds of a split.
func (s *study) thresholds() error {
	objects := uniform(s.tenth(), s.seed)
	s.out.Note("thresholds", fmt.Sprintf("%d spheres of radius 1, uniform, and boxes of about %d: a leaf of more than threshold objects is\n"+
		"split; a plane with more than the share of straddlers is disabled, unless all are; a node has up to\n"+
		"that many planes: 1 makes a BSP tree. Build is with all splits. 16, 0.25 and 3 are the defaults", len(objects), results))
	cols := []table.Column{{Title: "threshold", Width: 9}, {Title: "straddlers", Width: 10}, {Title: "planes", Width: 6}}
	for _, title := range []string{"build ns/object", "query us", "candidates", "results", "nodes", "depth", "inner %", "B/object"} {
		cols = append(cols, table.Column{Title: title, Width: 8})
	}
	t := s.out.Table("thresholds", cols...)
	n := float64(len(objects))
	for _, planes := range sweptPlanes {
		for _, above := range sweptAbove {
			for _, share := range sweptStraddlers {
				tree := &paper{cfg: irregular.Config{SplitAbove: above, Straddlers: share, Planes: planes}}
				plain := &brute{} // whose answers are compared
				seconds, err := s.builds(objects, []contender{tree, plain})
				if err != nil {
					return err
				}
				build := seconds[0].Each(func(x float64) float64 { return x * 1e9 / n })
				m, err := s.ask(objects, []contender{tree, plain})
				if err != nil {
					return err
				}
				stats := tree.tree.Stats()
				bytes, _ := tree.shape()
				t.Row(fmt.Sprint(above), fmt.Sprint(max(share, 0)), fmt.Sprint(planes),
					table.Number(build.Median()), table.Number(m.times[0].Median()/1e3), table.Number(m.candidates[0]),
					table.Number(m.found), fmt.Sprint(stats.Nodes), fmt.Sprint(stats.Depth),
					table.Number(100*float64(stats.Inner)/n), table.Number(float64(bytes)/n))
				for _, x := range []report.Measure{
					{Name: "build", Unit: "ns/object", Samples: build}, {Name: "query", Unit: "ns/op", Samples: m.times[0]},
					{Name: "candidates", Unit: "objects", Samples: measure.Series{m.candidates[0]}},
					{Name: "nodes", Unit: "nodes", Samples: measure.Series{float64(stats.Nodes)}},
					{Name: "memory", Unit: "B/object", Samples: measure.Series{float64(bytes) / n}},
				} {
					x.Name = report.Name("Thresholds", "n", len(objects), "above", above, "straddlers", max(share, 0), "planes", planes, "quantity", x.Name)
					s.out.Measure(x)
				}
			}
		}
	}
	return nil
}
