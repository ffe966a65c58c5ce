package nested

import (
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Rivals is bench rivals.
var Rivals = command.Command{
	Name:  "rivals",
	Short: "the same scenes and queries on other Go libraries and classic octrees",
	Long: `
Runs the same queries and changes on this library and its rivals, in the same scenes, and
prints a table of each scene: the time of builds, queries, moves and pairs, the
memory, and the cost of a garbage collection with the structure on the heap. Results are
compared before they are timed. Everything runs on one goroutine. At the end it
lists the rows in which a rival leads.

The rivals are libraries that a Go program could use instead, three octrees
after their publications, and a slice that is searched from end to end. They are
in a module of their own, bench/rivals, which this command builds and runs. It needs
the source tree, the go command, and, the first time, the network or a module proxy.

  go run ./bench rivals
  go run ./bench rivals -n 1M
  go run ./bench rivals -n 100k -scenes city -only tidwall,piko -rows box,ray
  go run ./bench rivals -format markdown` + command.AboutOutput,
	Setup: setup("rivals", "rivals", func() options { return new(versus.Options) }),
}

// Small is bench rivals small.
var Small = command.Command{
	Name:  "rivals small",
	Short: "few objects: the number from which the tree beats a slice and an R-tree, for each operation",
	Long: `
Measures each operation, and whole frames of a game, on scenes of 10 to 10,000 objects: in a tree of this library, in
a slice that is searched from end to end, and in the R-tree of github.com/tidwall/rtree. Results are compared with
those of the slice. Everything runs on one goroutine, in turns. There is a table for each number of objects, and one
with the ratios and the numbers of objects from which the tree leads.

In a frame one object in ten changes: it moves, or it is removed, inserted or replaced. The time includes the end of
the frame (Tree.Tick).

The R-tree is a dependency of the module bench/rivals, which this command builds
and runs. It needs the source tree, the go command, and, the first time, the network or a module proxy.

  go run ./bench rivals small
  go run ./bench rivals small -n 100,1k -scenes uniform,city` + command.AboutOutput,
	Setup: setup("rivals", "small", func() options { return new(versus.Small) }),
}

// Interest is bench rivals interest.
var Interest = command.Command{
	Name:  "rivals interest",
	Short: "interest management for many viewers: a tracker compared with sort, map and bitmaps",
	Long: `
Measures interest management. Objects drift, one in a hundred in each frame, and each viewer's box holds about 398 of
them: all viewers walk, a tenth, or none. Each frame is processed by

  tracker   interest.Tracker, which also reports changed objects
  query     the queries alone, which report no changes
  sort      the queries, each sorted and merged with the last one
  map       the queries, each looked up in a set of the last one
  naive     the queries, each looked up in the list of the last one
  roaring   the queries, each a roaring bitmap, and AND NOT of it and the last one both ways

on one goroutine, with the same frames, interleaved; the changes that they report are compared. The table has
medians and minima of a frame in milliseconds, without the moves of the objects.

Roaring bitmaps are a dependency of the module bench/rivals, which this command builds
and runs. It needs the source tree, the go command, and, the first time, the network or a module proxy.

  go run ./bench rivals interest
  go run ./bench rivals interest -n 100k,1M -frames 50` + command.AboutOutput,
	Setup: setup("rivals", "interest", func() options { return new(versus.Interest) }),
}
