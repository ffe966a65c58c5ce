package nested

import (
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Programs is bench programs.
var Programs = command.Command{
	Name:  "programs",
	Short: "three programs before and after their move to this library: CAD, robot, server",
	Long: `
Compares programs that were moved over to this library with what they were before. Both give the same answers, which
their tests compare. The programs:

  cad        picks the first triangle that a ray hits, in a model of many parts of few shapes. Before: the triangles of
             all parts in the world, and a loop over the boxes of the parts. After: an instance for each part
  robot      a map of obstacles to which each scan adds points. Before: an octree of pointers. After: a tree
  telemetry  a server of the positions of vehicles. Before: a map under a lock, searched by a loop. After: a tree whose
             versions are published

"lines" are those of the source before and after, with comments; "changed" are those that were removed or added.

  go run ./bench programs
  go run ./bench programs -parts 1k -scans 20 -vehicles 1k -count 1

The programs are in the nested module bench/programs, which this command builds and runs: that takes the source tree,
the go command, and once the network or a module proxy. There are packages with the call shape of gonum's k-d tree and
of tidwall/rtree in it, too, and conversions from gonum's r3 and from orb.` + command.AboutOutput,
	Setup: setup("programs", "programs", func() options { return new(versus.Programs) }),
}
