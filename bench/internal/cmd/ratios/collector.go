package ratios

import (
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// collections is the number of garbage collections of a round.
const collections = 50

// measureCollector compares garbage collections with and without a live tree.
func measureCollector(s *session, name string, objects []soa.Object) []row {
	const limit = 300 // us
	var median, worst, still, with, without, bytes measure.Series
	for range s.rounds {
		tree := must.Get(lab.Insert(objects, 0, make([]uint32, 0, len(objects))))
		must.Do(tree.Rebuild(nil, linear.RebuildOptions{}))
		beside := measure.Collect(collections)
		runtime.KeepAlive(tree)
		tree = nil
		alone := measure.Collect(collections)
		median, worst = append(median, beside.Median/1e3), append(worst, beside.Worst/1e3)
		still = append(still, alone.Worst/1e3)
		with, without = append(with, beside.Mark/1e3), append(without, alone.Mark/1e3)
		bytes = append(bytes, max(beside.Scan-alone.Scan, 0)/float64(len(objects)))
	}
	return []row{
		figure{name: name + ": stop-the-world, median", values: median, unit: "us", target: atMost(limit)},
		figure{name: name + ": stop-the-world, worst", values: worst, unit: "us", target: atMost(limit)},
		figure{name: name + ": stop-the-world, worst without one", values: still, unit: "us"},
		figure{name: name + ": marking with the tree", values: with, unit: "us"},
		figure{name: name + ": marking without one", values: without, unit: "us"},
		figure{name: name + ": to scan", values: bytes, unit: bytesPerObject},
	}
}

// bytesPerObject is the unit of memory that may be zero.
const bytesPerObject = "B/object"
