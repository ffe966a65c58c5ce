package nested

import (
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Native is bench native.
var Native = command.Command{
	Name:  "native",
	Short: "files of bench replay export, compared with nanoflann and Embree, in C++",
	Long: `
Compares this library with native ones, on files of bench replay export. With nanoflann, a library of k-d trees, on the
lower corners of the boxes in scene.bin, and the queries in points.bin. The rows:

  build         a frozen tree of all points, and the static index of nanoflann; ns a point
  nearest       the k nearest of each query, in these; ns a query
  window        half of the points in the order of the file: in each round 1/40 enters, and as many leave. A tree
                changes by InsertPoints, RemoveBatch and Tick. The static index of nanoflann is rebuilt, its dynamic
                adaptor changes and marks points as removed; ns a point that enters
  window k = 5  searches after the last round; ns a query

With Embree, a library of ray tracers, on the boxes, as its user geometry:

  build             a frozen tree of all boxes, and the scene of Embree; ns a box
  first ray hit     of the rays in rays.bin; ns a ray
  nearest           the k nearest boxes of each query; ns a query
  instances, ...    the same in scenes of instances, and in flat trees of the boxes around all instanced objects, if the
                    files were written with -instances. A matrix that is no similarity counts as a translation, since
                    distances are defined otherwise there

Both libraries are in processes of their own, on one thread each, and work in turns. Answers are compared before they
are timed: squared distances of points must be equal; of other answers one in a hundred may differ, and a note tells how
many do. Ratios are those of the rounds, with their median and interquartile range. Run it under taskset -c 0, or the
like, for both to have the same core.

The C++ programs are compiled with the compiler of CXX, or c++, for this CPU. Without it, or without the header
nanoflann.hpp or embree3/rtcore.h (Debian: libnanoflann-dev, libembree-dev; CPATH and LIBRARY_PATH may name their
folders) the command says so, and skips that library. The module bench/native, which this command builds and runs,
needs the source tree and the go command.

  go run ./bench replay export -n 200k -o DIR
  go run ./bench native -in DIR
  go run ./bench replay export -n 1M -instances 1000 -o SCENE
  go run ./bench native -in SCENE -k 1,8` + command.AboutOutput,
	Setup: setup("native", "native", func() options { return new(versus.Native) }),
}
