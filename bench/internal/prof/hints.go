package prof

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/phase"
)

// Facts are the inputs of hints, besides the report.
type Facts struct {
	Passes int
	Bytes  []Row  // as returned by [Bytes]
	Tier   string // tier of the kernels that ran
	Best   string // best tier of the machine
}

// Hint is advice: a figure of the profile, the rule that it breaks, and a suggestion.
type Hint struct {
	Figure, Rule, Try string
}

// String returns the hint on one line.
func (h Hint) String() string { return fmt.Sprintf("%s (%s): %s", h.Figure, h.Rule, h.Try) }

const (
	fewSamples    = 1000
	muchCollector = 0.05
	muchRuntime   = 0.10
	besideMin     = 0.05
	manyBytes     = 1 << 10 // bytes a pass
)

// limits are the shares of the library's samples above which phases give a hint.
var limits = []struct {
	what   string
	phases []phase.Phase
	limit  float64
	beside []phase.Phase // unless nil, phases that must also have samples
	try    string
}{
	{"sort", []phase.Phase{phase.Sort}, 0.35, nil,
		"keys are in random order: rebuild the tree instead of making a new one, because a rebuild reads its packets nearly sorted"},
	{"fill", []phase.Phase{phase.Fill}, 0.50, nil,
		"records are gathered from scattered memory: insert objects in spatial order, or rebuild"},
	{"encode, sort, topology and fill", []phase.Phase{phase.Encode, phase.Sort, phase.Topology, phase.Fill}, 0.50,
		[]phase.Phase{phase.Flush, phase.Refit},
		"ticks rebuild the tree: fewer movers a tick, Config.Slack, or Config.Changes incremental"},
	{"ranges", []phase.Phase{phase.Ranges}, 0.30, nil,
		"writing the results is the cost: use Ranges or Count instead of IDs, and filter by mask and motion, not Live"},
	{"walk nodes", []phase.Phase{phase.Nodes}, 0.60, nil,
		"results are small: query in batches, along the curve, and rebuild a tree after much motion"},
}

// Hints returns the hints for a report.
func Hints(r *Report, f Facts) (list []Hint) {
	add := func(figure, rule, try string) { list = append(list, Hint{figure, rule, try}) }
	all := float64(r.Library.Samples)
	if all < fewSamples {
		add(fmt.Sprintf("%.0f samples of the library", all), fmt.Sprintf("fewer than %d", fewSamples),
			fmt.Sprintf("a share is uncertain by up to %.1f points: let it run longer; a workload of bench does with -seconds", 100*math.Sqrt(0.25/max(all, 1))))
	}
	if all == 0 {
		return list
	}
	if f.Tier != f.Best {
		add("tier "+f.Tier, "this machine has "+f.Best, "unset ZOCTREE_TIER and -tier, and build without -tags purego")
	}
	if x := float64(r.Collector.Samples) / float64(r.Total.Samples); x > muchCollector {
		add(fmt.Sprintf("collector %.1f %% of all samples", 100*x), above(muchCollector),
			"reuse results as dst[:0], keep batches, and rebuild one tree instead of making new ones")
	}
	share := func(phases []phase.Phase) (sum float64) {
		for _, p := range phases {
			sum += float64(r.Phases[p].Samples) / all
		}
		return sum
	}
	for _, l := range limits {
		if x := share(l.phases); x > l.limit && (l.beside == nil || share(l.beside) > besideMin) {
			add(fmt.Sprintf("%s %.1f %% of the library", l.what, 100*x), above(l.limit), l.try)
		}
	}
	for _, p := range r.Packages {
		if x := float64(p.Samples) / all; p.Name == "runtime" && x > muchRuntime {
			add(fmt.Sprintf("package runtime %.1f %% of the library", 100*x), above(muchRuntime),
				"memory is allocated or copied: see the bytes of each phase, and pass slices with capacity")
		}
	}
	if len(r.Calls) > 0 {
		if c := r.Calls[0]; c.Entry >= c.even() {
			add(fmt.Sprintf("%s %.1f %% of the library, %.0f %% of that in its first %d of %d bytes",
				c.Name, 100*float64(c.Samples)/all, 100*c.Entry, callEntry, c.Size),
				fmt.Sprintf("above %.0f %%, and no less at the entry than elsewhere", 100*callShare),
				"a small function without a loop is called often: make it small enough to be inlined into "+c.Caller)
		}
	}
	bytes, most := int64(0), Row{}
	for _, b := range f.Bytes {
		bytes += b.Value
		if b.Value > most.Value {
			most = b
		}
	}
	if per := bytes / int64(max(f.Passes, 1)); per >= manyBytes {
		add(fmt.Sprintf("%d bytes allocated a pass, %d of them by %s", per, most.Value/int64(max(f.Passes, 1)), most.Name),
			fmt.Sprintf("%d or more", manyBytes),
			"a steady state allocates nothing: keep the tree, the slices of results, and batches")
	}
	return list
}

func above(limit float64) string { return fmt.Sprintf("above %.0f %%", 100*limit) }
