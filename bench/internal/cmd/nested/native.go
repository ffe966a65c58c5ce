package nested

import (
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Native is bench native.
var Native = command.Command{
	Name:  "native",
	Short: "nearest points in files of bench replay export, compared with nanoflann, in C++",
	Long: `
Compares this library with nanoflann, a C++ library of k-d trees, on the lower corners of the boxes in scene.bin, and
the queries in points.bin. The rows:

  build         a frozen tree of all points, and the static index of nanoflann; ns a point
  nearest       the k nearest of each query, in these; ns a query
  window        half of the points in the order of the file: in each round 1/40 enters, and as many leave. A tree
                changes by InsertPoints, RemoveBatch and Tick. The static index of nanoflann is rebuilt, its dynamic
                adaptor changes and marks points as removed; ns a point that enters
  window k = 5  searches after the last round; ns a query

Both libraries are in processes of their own, on one thread each, and work in turns. Squared distances of all neighbours
are compared before they are timed. Ratios are those of the rounds, with their median and interquartile range. Run it
under taskset -c 0, or the like, for both to have the same core.

The C++ program is compiled with the compiler of CXX, or c++, for this CPU. Without it, or without the header
nanoflann.hpp (Debian: libnanoflann-dev; CPATH may name its folder) the command says so, and ends. The module
bench/native, which this command builds and runs, needs the source tree and the go command.

  go run ./bench replay export -n 200k -o DIR
  go run ./bench native -in DIR` + command.AboutOutput,
	Setup: setup("native", "native", func() options { return new(versus.Native) }),
}
