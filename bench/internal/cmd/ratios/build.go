package ratios

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// sortExperiments compare the radix sort with package slices on random keys and on the keys of the uniform
// scene. These are in random order too, but fill only a part of their range, because the world is larger than
// the scene.
func sortExperiments() []experiment {
	const small, large = 100_000, 1_000_000
	return []experiment{
		{"radix 100k", small, func(s *session) []row { return s.radix("radix 100k", small, 14) }},
		{"radix 1M", large, func(s *session) []row { return s.radix("radix 1M", large, 12) }},
	}
}

func (s *session) radix(name string, n int, least float64) (rows []row) {
	rng := rand.New(rand.NewPCG(s.seed, 0))
	random := make([]uint64, n)
	for i := range random {
		random[i] = rng.Uint64() >> 1
	}
	objects := must.Get(lab.Objects("uniform", n, s.seed))
	instanced := keysOf(objects)
	for _, x := range []struct {
		name string
		keys []uint64
	}{{"random", random}, {"uniform", instanced}} {
		var scratch radix.Scratch
		items := must.Get(scratch.Order(x.keys, radix.Options{}))
		sorted := slices.Sorted(slices.Values(x.keys))
		for i, item := range items {
			if x.keys[radix.Index(item)] != sorted[i] {
				must.Fail("the sorts differ at position %d", i)
			}
		}
		times := measure.Interleave(s.rounds, radixTask(&scratch, x.keys), sortTask(x.keys))
		name := name + " " + x.name + " keys"
		rows = append(rows,
			figure{name: name + ": slices.Sort / radix", values: times[1].Over(times[0]), unit: "x", target: atLeast(least)},
			figure{name: name + ": radix", values: times[0], unit: "ns/key"},
			figure{name: name + ": slices.Sort", values: times[1], unit: "ns/key"},
		)
	}
	return rows
}

// radixTask orders keys with the radix sort, which cannot fail without a context.
func radixTask(scratch *radix.Scratch, keys []uint64) measure.Task {
	return measure.Task{Units: len(keys), Do: func() uint64 {
		items, _ := scratch.Order(keys, radix.Options{})
		return items[len(items)/2]
	}}
}

// keysOf returns the keys of objects in a world fitted to them.
func keysOf(objects []soa.Object) []uint64 {
	t := must.Get(linear.New(linear.Config{World: scene.Bounds(objects)}))
	grid := t.World().Grid()
	keys := make([]uint64, len(objects))
	build.EncodeBoxes(keys, &grid, soa.Words(objects), 8)
	return keys
}

// sortTask sorts copies of keys with package slices.
func sortTask(keys []uint64) measure.Task {
	work := make([]uint64, len(keys))
	return measure.Task{
		Units:  len(keys),
		Before: func() { copy(work, keys) },
		Do: func() uint64 {
			slices.Sort(work)
			return work[len(work)/2]
		},
	}
}

// buildRef is a scene to build. lead is the time of the fastest bulk build of the field, and most the limit
// of a first build along the curve, both in ns per object.
type buildRef struct {
	scene      string
	n          int
	lead, most float64
}

var buildRefs = []buildRef{
	{"uniform", 10_000, 43, 25}, {"city", 10_000, 33, 25}, {"points", 10_000, 0, 20},
	{"uniform", 100_000, 60, 25}, {"city", 100_000, 47, 25}, {"points", 100_000, 0, 20},
	{"uniform", 1_000_000, 93, 48}, {"city", 1_000_000, 88, 70},
}

// buildExperiments measure builds.
func buildExperiments() (all []experiment) {
	for _, x := range buildRefs {
		name := fmt.Sprintf("build %s %s", x.scene, thousands(x.n))
		all = append(all, experiment{name, x.n, func(s *session) []row { return s.build(name, x) }})
	}
	return all
}

// build measures first builds and rebuilds. First builds are cut or along the curve, in memory that the heap
// holds already, in memory that the system has yet to map, and with two workers. No garbage collection runs
// in between.
func (s *session) build(name string, x buildRef) []row {
	n := x.n
	b := s.bed(x.scene, n)
	keys := keysOf(b.Objects)
	// A separate tree, because a rebuild invalidates the views of the bed's tree.
	again := must.Get(lab.Plant(b.Objects, 1, nil))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	ids := make([]uint32, 0, n)
	insert := func(cfg linear.Config) uint64 {
		t := must.Get(linear.New(cfg))
		must.Get(t.InsertBatch(ids[:0], b.Objects))
		return uint64(t.Len())
	}
	one, curve, two := linear.Config{Workers: 1}, linear.Config{Workers: 1, Cut: linear.CutCurve}, linear.Config{Workers: 2}
	first := func(cfg linear.Config, before func()) measure.Task {
		return measure.Task{Units: n, Before: before, Do: func() uint64 { return insert(cfg) }}
	}
	rebuild := func(opt linear.RebuildOptions) measure.Task {
		return measure.Task{Units: n, Before: runtime.GC, Do: func() uint64 {
			must.Do(again.Rebuild(nil, opt))
			return uint64(again.View().Slots())
		}}
	}
	// The runtime returns free memory to the system gradually.
	atHand := func() {
		insert(one)
		runtime.GC()
	}
	times := measure.Interleave(s.rounds,
		first(one, atHand),
		first(curve, atHand),
		first(one, debug.FreeOSMemory),
		first(two, atHand),
		rebuild(linear.RebuildOptions{Frozen: true}),
		rebuild(linear.RebuildOptions{Cut: linear.CutSpace}),
		rebuild(linear.RebuildOptions{Cut: linear.CutCurve}), // twice, so that keys are ordered as in a frame
		rebuild(linear.RebuildOptions{Cut: linear.CutCurve}),
		sortTask(keys),
	)
	ratio := figure{name: name + ": first build / slices.Sort of keys", values: times[0].Over(times[8]), unit: "x"}
	if x.scene == "uniform" && n == 1_000_000 {
		ratio.target = atMost(0.40)
	}
	holder := ""
	if x.lead != 0 {
		holder = "OrthoTree"
	}
	return []row{
		ratio,
		figure{name: name + ": first build", values: times[0], unit: "ns/object", lead: x.lead, holder: holder},
		figure{name: name + ": first build, along the curve", values: times[1], unit: "ns/object", target: atMost(x.most)},
		figure{name: name + ": first build, memory of the system", values: times[2], unit: "ns/object"},
		figure{name: name + ": first build, two workers", values: times[3], unit: "ns/object"},
		figure{name: name + ": frozen rebuild", values: times[4], unit: "ns/object"},
		figure{name: name + ": rebuild", values: times[5], unit: "ns/object"},
		figure{name: name + ": rebuild, along the curve", values: times[7], unit: "ns/object"},
	}
}
