package query_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// The matrix finds the fields of filters and configurations by reflection. Each
// must have an entry in one of these maps, or TestMatrixCovers fails.

// matrixFilters set a field of a Filter to a value that excludes some objects.
var matrixFilters = map[string]func(f *query.Filter, c *matrixCensus, rng *rand.Rand){
	"Mask":   func(f *query.Filter, _ *matrixCensus, rng *rand.Rand) { f.Mask = randomMask(rng) },
	"Motion": func(f *query.Filter, _ *matrixCensus, rng *rand.Rand) { f.Motion = query.Motion(1 + rng.IntN(2)) },
	"Only":   func(f *query.Filter, c *matrixCensus, rng *rand.Rand) { f.Only = randomLive(c, rng) },
	"Exact":  func(f *query.Filter, _ *matrixCensus, _ *rand.Rand) { f.Exact = true },

	"Exclude": func(f *query.Filter, c *matrixCensus, rng *rand.Rand) { f.Exclude = randomHandle(c, rng) },
}

// matrixPairFilters do so for a filter of pairs.
var matrixPairFilters = map[string]func(f *collide.Filter, rng *rand.Rand){
	"Mask":        func(f *collide.Filter, rng *rand.Rand) { f.Mask = randomMask(rng) },
	"Layers":      func(f *collide.Filter, rng *rand.Rand) { f.Layers = randomLayers(rng) },
	"StaticPairs": func(f *collide.Filter, _ *rand.Rand) { f.StaticPairs = true },
	"Exact":       func(f *collide.Filter, _ *rand.Rand) { f.Exact = true },
	"Distance":    func(f *collide.Filter, rng *rand.Rand) { f.Distance = 1 + rng.Float32() }, // until pairAsk.fit
	"Live":        func(f *collide.Filter, rng *rand.Rand) { f.Live = randomBits(rng, 1+rng.IntN(100)) },
	"LiveBoth":    func(f *collide.Filter, rng *rand.Rand) { f.LiveBoth = randomBits(rng, 1+rng.IntN(100)) },
	"Exclude": func(f *collide.Filter, rng *rand.Rand) {
		f.Exclude = linear.Handle{ID: rng.Uint32N(1 << rng.IntN(12)), Gen: rng.Uint32N(4)}
	},
}

func randomMask(rng *rand.Rand) uint32 {
	switch rng.IntN(6) {
	case 0:
		return rng.Uint32() | 1
	case 1:
		return 1 << 31
	}
	return 1 + rng.Uint32N(31)
}

// randomLive has a bit for most, some or one of the objects, and may end before
// their last.
func randomLive(c *matrixCensus, rng *rand.Rand) []uint64 {
	words := (len(c.index) + 63) / 64
	if rng.IntN(4) == 0 {
		words = rng.IntN(words + 1)
	}
	return randomBits(rng, words)
}

// randomHandle returns the handle of an object, or one in eight times any handle.
func randomHandle(c *matrixCensus, rng *rand.Rand) (h linear.Handle) {
	if len(c.ids) == 0 || rng.IntN(8) == 0 {
		return linear.Handle{ID: rng.Uint32N(uint32(len(c.index)) + 2), Gen: rng.Uint32N(6)}
	}
	i := rng.IntN(len(c.ids))
	return linear.Handle{ID: c.ids[i], Gen: c.gens[i]}
}

// randomBits returns a set of so many words, dense or not.
func randomBits(rng *rand.Rand, words int) []uint64 {
	live := make([]uint64, words, words+1)
	dense := rng.IntN(3)
	for i := range live {
		switch dense {
		case 0:
			live[i] = rng.Uint64() | rng.Uint64()
		case 1:
			live[i] = rng.Uint64() & rng.Uint64() & rng.Uint64()
		default:
			live[i] = 1 << rng.IntN(64)
		}
	}
	return live
}

func randomLayers(rng *rand.Rand) *collide.Layers {
	var l collide.Layers
	switch rng.IntN(4) {
	case 0:
		l = collide.AllLayers()
	case 1: // not symmetric
		for i := range l {
			l[i] = rng.Uint32()
		}
	default:
		for range 12 {
			l.Set(rng.IntN(6), rng.IntN(6), rng.IntN(3) > 0)
		}
		l.Set(31, rng.IntN(6), true)
	}
	return &l
}

// combinations names the sets of fields; bit i of the index is field i.
func combinations(fields []string) (names []string) {
	for set := range 1 << len(fields) {
		var in []string
		for i, f := range fields {
			if set>>i&1 != 0 {
				in = append(in, f)
			}
		}
		if set == 0 {
			in = []string{"none"}
		}
		names = append(names, strings.Join(in, "+"))
	}
	return names
}

var (
	filterFields     = testkit.Fields[query.Filter]()
	filterNames      = combinations(filterFields)
	pairFilterFields = testkit.Fields[collide.Filter]()
	pairFilterNames  = combinations(pairFilterFields)
)

// matrixFilter is a filter with the fields of a set, and its expected effect.
type matrixFilter struct {
	query.Filter
	name string
	pass []bool // by index in the census
}

func makeFilter(set int, c *matrixCensus, rng *rand.Rand) matrixFilter {
	f := matrixFilter{name: filterNames[set], pass: make([]bool, len(c.ids))}
	for i, field := range filterFields {
		if set>>i&1 != 0 {
			matrixFilters[field](&f.Filter, c, rng)
		}
	}
	for i, id := range c.ids {
		f.pass[i] = passes(f.Filter, id, &c.objects[i]) && f.Exclude != (linear.Handle{ID: id, Gen: c.gens[i]})
	}
	return f
}

// passes reports whether an object passes the fields of a filter, except Exact and Exclude.
func passes(f query.Filter, id uint32, o *soa.Object) bool {
	switch {
	case f.Mask != 0 && o.Mask&f.Mask == 0,
		f.Motion == query.MovingOnly && o.Static,
		f.Motion == query.StaticOnly && !o.Static:
		return false
	}
	return testkit.Alive(f.Only, int(id))
}

func makePairFilter(set int, rng *rand.Rand) (f collide.Filter) {
	for i, field := range pairFilterFields {
		if set>>i&1 != 0 {
			matrixPairFilters[field](&f, rng)
		}
	}
	return f
}

// A setting is a value of a field of a configuration.
type configSetting struct {
	value string
	set   func(c *linear.Config)
}

// matrixSettings are the values tried for each field of a linear.Config, besides the zero value.
var matrixSettings = map[string][]configSetting{
	"World": {
		{"unit", func(c *linear.Config) { c.World = worldCube(0, 0.5) }},
		{"large", func(c *linear.Config) { c.World = worldCube(0, 1e30) }},
	},
	"Fixed": {
		{"small", func(c *linear.Config) { c.Fixed, c.World = true, worldCube(40, 32) }},
		{"point", func(c *linear.Config) { c.Fixed, c.World = true, worldCube(50, 0x1p-20) }},
		{"large", func(c *linear.Config) { c.Fixed, c.World = true, worldCube(0, 4096) }},
	},
	"GrowShare": {
		{"2", func(c *linear.Config) { c.GrowShare = 2 }}, {"200", func(c *linear.Config) { c.GrowShare = 200 }},
		{"-1", func(c *linear.Config) { c.GrowShare = linear.Off }},
	},
	"ShrinkShare": {
		{"2", func(c *linear.Config) { c.ShrinkShare = 2 }}, {"-1", func(c *linear.Config) { c.ShrinkShare = linear.Off }},
	},
	"MinCell": {
		{"small", func(c *linear.Config) { c.MinCell = 0x1p-10 }}, {"8", func(c *linear.Config) { c.MinCell = 8 }},
		{"huge", func(c *linear.Config) { c.Fixed, c.Outside, c.MinCell = false, linear.OutsideKeep, 1e20 }},
	},
	"Outside": {
		{"refuse", func(c *linear.Config) { c.Fixed, c.Outside, c.World = true, linear.OutsideReject, worldCube(0, 64) }},
		{"remove", func(c *linear.Config) { c.Fixed, c.Outside, c.World = true, linear.OutsideRemove, worldCube(0, 64) }},
	},
	"Frozen": {{"true", func(c *linear.Config) { c.Frozen = true }}},
	"Cut": {
		{"space", func(c *linear.Config) { c.Cut = linear.CutSpace }}, {"curve", func(c *linear.Config) { c.Cut = linear.CutCurve }},
		{"frozen curve", func(c *linear.Config) { c.Cut, c.Frozen = linear.CutCurve, true }},
	},
	"Workers": {{"1", func(c *linear.Config) { c.Workers = 1 }}, {"3", func(c *linear.Config) { c.Workers = 3 }}},
	"PendingMin": {
		{"1", func(c *linear.Config) { c.PendingMin, c.PendingShare = 1, 1<<20 }},
		{"40", func(c *linear.Config) { c.PendingMin, c.PendingShare = 40, 1<<20 }},
	},
	"PendingShare": {
		{"2", func(c *linear.Config) { c.PendingMin, c.PendingShare = 1, 2 }},
		{"1000", func(c *linear.Config) { c.PendingMin, c.PendingShare = 1, 1000 }},
	},
	"Policy": changesSettings(),
	"SplitAbove": {
		{"2", func(c *linear.Config) { c.SplitAbove = 2 }}, {"9", func(c *linear.Config) { c.SplitAbove = 9 }},
	},
	"MergeBelow": {
		{"1", func(c *linear.Config) { c.MergeBelow = 1 }}, {"15", func(c *linear.Config) { c.MergeBelow = 15 }},
	},
	"Lifespan": {
		{"-1", func(c *linear.Config) { c.Lifespan = linear.Off }}, {"1", func(c *linear.Config) { c.Lifespan = 1 }},
		{"64", func(c *linear.Config) { c.Lifespan = 64 }},
	},
	"Log":        {{"true", func(c *linear.Config) { c.Log = true }}},
	"Slack":      {{"1", func(c *linear.Config) { c.Slack = 1 }}, {"100", func(c *linear.Config) { c.Slack = 100 }}},
	"TickBudget": {{"10", func(c *linear.Config) { c.TickBudget = 10 }}, {"1000", func(c *linear.Config) { c.TickBudget = 1000 }}},
	"Thin":       nil, // of trees that hold only points: TestThinModel of package linear queries them
}

// changesSettings returns a setting for every policy that has a name.
func changesSettings() (all []configSetting) {
	for p := linear.PolicyAuto; !strings.HasPrefix(p.String(), "unknown"); p++ {
		all = append(all, configSetting{p.String(), func(c *linear.Config) { c.Policy = p }})
	}
	return all
}

// namedSetting is a setting under the name of its cell.
type namedSetting struct {
	name string
	set  func(c *linear.Config)
}

// allSettings lists the zero value and every setting, in the order of fields.
func allSettings() []namedSetting {
	all := []namedSetting{{"zero", func(*linear.Config) {}}}
	for _, field := range testkit.Fields[linear.Config]() {
		for _, s := range matrixSettings[field] {
			all = append(all, namedSetting{field + "=" + s.value, s.set})
		}
	}
	return all
}

// makeConfig applies the k-th setting and some others, and returns the names of the applied settings.
func makeConfig(k int, rng *rand.Rand) (cfg linear.Config, names []string) {
	all := allSettings()
	chosen := []namedSetting{}
	for i, s := range all[1:] {
		if i+1 != k && rng.IntN(len(all)) == 0 {
			chosen = append(chosen, s)
		}
	}
	if rng.IntN(4) == 0 {
		chosen = nil
	}
	for _, s := range append(chosen, all[k]) { // the k-th is the last to be set
		for one, other := range map[string]string{"TickBudget=": "Policy=", "Policy=": "TickBudget="} { // most exclude each other
			if strings.HasPrefix(s.name, one) && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, other) }) {
				cfg.TickBudget, cfg.Policy = 0, linear.PolicyAuto
				names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, other) })
			}
		}
		s.set(&cfg)
		names = append(names, s.name)
	}
	split := cfg.SplitAbove
	if split == 0 {
		split = 16
	}
	if !cfg.Log && rng.IntN(3) == 0 {
		cfg.Log, names = true, append(names, "Log=true")
	}
	cfg.MergeBelow = min(cfg.MergeBelow, split-1)
	if cfg.Fixed {
		cfg.MinCell = min(cfg.MinCell, 0x1p-20) // or it is more than some worlds
	}
	return cfg, names
}

// planesOf returns the planes that the tests of a view use for a volume of any number of planes, by six. They are
// widened by a function of the extents of the near objects of the view, and of all objects.
func planesOf(v linear.View, planes [][4]float32) (all []*testkit.Prepared) {
	s := v.Store()
	for i := 0; i < len(planes); i += 6 {
		var six [6][4]float32
		copy(six[:], planes[i:])
		all = append(all, testkit.PreparePlanes(six, s.Near, s.Extent))
	}
	return all
}

// finiteBox moves the coordinates of a box that left float32 back to its ends.
func finiteBox(b soa.AABB) soa.AABB {
	for a := range 3 {
		b.Min[a] = min(max(b.Min[a], -most), most)
		b.Max[a] = max(min(b.Max[a], most), b.Min[a])
		if math.IsNaN(float64(b.Min[a])) || math.IsNaN(float64(b.Max[a])) {
			b.Min[a], b.Max[a] = 0, 0
		}
	}
	return b
}

// worldCube is the cube of that half side about the point at, at, at.
func worldCube(at, half float32) soa.AABB {
	lo, hi := at-half, at+half
	return soa.AABB{Min: [3]float32{lo, lo, lo}, Max: [3]float32{hi, hi, hi}}
}
