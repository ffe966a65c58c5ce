package nested

import (
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Native is bench native.
var Native = command.Command{
	Name:  "native",
	Short: "the best native libraries in C++: Embree, Boost.Geometry, Bullet and nanoflann",
	Long: `
Compares this library with native ones, on scenes of boxes and of instances, or on the files of bench replay export:

  embree     Embree 3, a library of ray tracers: boxes as user geometry, and instances of such scenes. Moves refit
  boost      Boost.Geometry: its R-tree, packed, or by insertions and removals with quadratic<16>. Moves of all objects
             pack again
  bullet     Bullet: btDbvt, built by insertions and optimizeTopDown; moves and frames in btDbvtBroadphase, whose margins
             are tested again
  nanoflann  k-d trees of points, the lower corners of the boxes

The rows of objects:

  build            a frozen tree of all, at once; the others as above
  insert, remove   one by one, into an empty tree, and a tenth of all from it
  box, frustum     queries of about as many results, or with that share of all objects
  ray              all that it hits, or the first. Bullet finds the first among all
  nearest          the k nearest of a point
  all pairs        of overlapping boxes. Boost.Geometry queries with each box
  move             1 % of all objects, or all, and the end of the frame: 95 % drift by up to a quarter of their size, 5 %
                   jump
  frame            moves of 1 %, and the pairs that begin and end, of a collide.Tracker; and a frustum of 10 %, and 100
                   boxes of 450
  instances        searches in a scene of instances; the other rows there are those of the flat tree of the boxes around
                   all instanced objects. A matrix that is no similarity counts as a translation, since distances are
                   defined otherwise there

The rows of points have the k nearest, those within a radius, and a sliding window: half of the points in the order of the
file, of which in each round 1/40 enters and as many leave. The static index of nanoflann is rebuilt for that, the dynamic
one marks points as removed.

A table has, for each row, the time of this library in ns, and how many times longer the others take. The last table has
the rows in which another library leads, or does in a quarter of the rounds. With the defaults a run takes about three
minutes; each table is written when its scene is done.

Each library is in a process of its own, on one thread, and works in turns with this one. Answers are compared before they
are timed: IDs as sets, and distances within rounding. Pairs and boxes must be equal. A note has the number of others:
at most 1 in 100 of rays, which graze boxes, and of nearest boxes in instances, and 1 in 10,000 of frusta and spheres,
or one of few. The ratio is that of the minima; the spread is the interquartile range of the ratios of the rounds. Run it under taskset -c 0,
or the like, for both to have the same core. Where Linux groups processes by session, nice does not hold back programs of
other sessions, and long samples suffer most: echo -20 >/proc/self/autogroup, as root, does.

The C++ programs are compiled with the compiler of CXX, or c++, for this CPU. Without it, or without the headers of a
library (Debian: libembree-dev, libboost-dev, libbullet-dev, libnanoflann-dev; CPATH and LIBRARY_PATH may name other
folders) the command says so, and skips that library. The module bench/native, which this command builds and runs,
needs the source tree and the go command.

  go run ./bench native
  taskset -c 0 go run ./bench native -n 100k,1M -scenes uniform,city
  go run ./bench native -only bullet -rows frame,pairs
  go run ./bench native -format gobench >FILE && benchstat -col /library FILE
  go run ./bench replay export -n 1M -instances 1000 -o SCENE
  go run ./bench native -in SCENE -k 1,8` + command.AboutOutput,
	Setup: setup("native", "native", func() options { return new(versus.Native) }),
}
