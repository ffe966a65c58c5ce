package main

import (
	"github.com/zoctree/zoctree/bench/rivals/adapters"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/irregular"
	"github.com/zoctree/zoctree/bench/rivals/nevala"
	"github.com/zoctree/zoctree/bench/rivals/piko"
)

// entrant is a participant of the comparison.
type entrant struct {
	name   string // name in the table
	about  string
	points bool // supports points only
	empty  func() index.Index
}

// Names of entrants with special treatment.
const (
	library = "zoctree" // this library
	frozen  = "frozen"  // this library, with a frozen tree
	plain   = "slice"   // linear search without an index
)

// isOurs reports whether the name is of a tree of this library.
func isOurs(name string) bool { return name == library || name == frozen }

func isIndex(name string) bool { return !isOurs(name) && name != plain }

var entrants = []entrant{
	{library, "this library, one worker, default configuration", false,
		func() index.Index { return new(ours) }},
	{frozen, "the same with Config.Frozen: full packets, no room for changes", false,
		func() index.Index { return &ours{frozen: true} }},
	{plain, "a slice of boxes, searched from end to end", false,
		func() index.Index { return adapters.NewSlice() }},
	{"tidwall", "github.com/tidwall/rtree: x and y, a filter on z; float32; inserted one by one", false,
		func() index.Index { return adapters.NewTidwall() }},
	{"rtreego", "github.com/dhconnelly/rtreego: bulk load; frusta and rays by their bounds and a filter", false,
		func() index.Index { return adapters.NewRtreego() }},
	{"nevala", "E. Nevala, Introduction to Octrees, 2014", false,
		func() index.Index { return nevala.New(nevala.Config{}) }},
	{"irregular", "J. Shagam and J. Pfeiffer, Dynamic Irregular Octrees, 2003", false,
		func() index.Index { return irregular.New(irregular.Config{}) }},
	{"piko", "Piko3D, Dynamic Octree, 2010", false,
		func() index.Index { return piko.New(piko.Config{}) }},
	{"gonum", "gonum.org/v1/gonum/spatial/kdtree: points", true,
		func() index.Index { return adapters.NewGonum() }},
	{"kyroy", "github.com/kyroy/kdtree: points", true,
		func() index.Index { return adapters.NewKyroy() }},
}
