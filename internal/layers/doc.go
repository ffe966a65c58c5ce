// Package layers holds tests of the whole module: the layers of its packages and their allowed imports, its exported
// names, its retired names and words, and the form of its comments.
//
// # Layers
//
// A package imports packages of lower layers only. A star stands for any name. The tests read this table:
//
//	14  bench
//	13  bench/internal/cmd/* bench/internal/cmd/view/wasm
//	    bench/internal/command/commandtest bench/view
//	12  bench/internal/command bench/internal/lab bench/internal/versus
//	11  bench/internal/cmd/view/demo bench/internal/report
//	10  bench/internal/baseline bench/internal/flat bench/internal/input
//	    bench/internal/measure bench/internal/must bench/internal/prof
//	    bench/internal/count bench/internal/table bench/internal/terminal
//	 9  internal/testkit internal/testkit/kernel internal/testkit/queries
//	    internal/testkit/rational internal/testkit/trees
//	 8  internal/micro internal/scene query/show
//	 7  query/collide query/interest query/occlude query/scene
//	 6  query query/internal/*
//	 5  linear linear/points linear/internal/*
//	 4  morton internal/snap internal/xform
//	 3  asm asm/* asm/internal/lane
//	 2  soa
//	 1  internal/mem internal/bitset internal/radix
//	 0  internal/atomicfile internal/cpu internal/enum internal/fault internal/guard
//	    internal/layers internal/machine internal/nth internal/phase internal/regular internal/team
//
// From below: CPUs and memory, columns (soa), kernels over them (asm, asm/*), keys (morton), the tree with its scenes,
// snapshots and directories (linear; internal/snap encodes their files), queries (query) and the subpackages of query.
// Programs import no higher layer; pictures, tests and benchmarks are above.
//
// # Imports within a layer
//
// These packages may import others of their layer:
//
//	bench/internal/cmd/scaling -> bench/internal/cmd/nested
//	asm/build               -> asm asm/internal/lane
//	asm/cull                -> asm asm/depth asm/internal/lane
//	asm/depth               -> asm asm/internal/lane
//	asm/pair                -> asm asm/internal/lane
//	asm/trace               -> asm asm/internal/lane
//	internal/atomicfile     -> internal/regular
//	internal/radix          -> internal/mem
//	internal/testkit        -> internal/testkit/rational
//	internal/testkit/kernel -> internal/testkit
//	internal/testkit/queries -> internal/testkit
//	internal/testkit/trees  -> internal/testkit
//	linear                  -> linear/internal/*
//	linear/internal/file    -> linear/internal/instance linear/internal/octree
//	linear/internal/instance -> linear/internal/octree
//	linear/internal/shard   -> linear/internal/file linear/internal/octree
//	linear/internal/version -> linear/internal/instance linear/internal/octree
//	query                   -> query/internal/*
//	query/internal/changes  -> query/internal/follow
//	query/internal/space    -> query/internal/exact query/internal/walk
//	query/internal/walk     -> query/internal/exact
//	query/interest          -> query/occlude query/scene
//	query/occlude           -> query/scene
//	query/scene             -> query/collide
//
// Package query/scene finds the pairs of a scene with query/collide, in pairs of trees.
//
// # Complete lists of imports
//
// These packages import no other packages of the module than the listed ones:
//
//	asm                  => internal/cpu internal/mem soa
//	asm/build            => asm asm/internal/lane internal/cpu internal/mem soa
//	asm/cull             => asm asm/depth asm/internal/lane internal/cpu internal/mem soa
//	asm/depth            => asm asm/internal/lane internal/cpu internal/mem soa
//	asm/internal/lane    => soa
//	asm/pair             => asm asm/internal/lane internal/cpu internal/mem soa
//	asm/trace            => asm asm/internal/lane internal/cpu internal/mem soa
//	internal/mem         => internal/cpu
//	internal/scene       => internal/nth soa
//	query/internal/follow => asm/build internal/mem internal/radix morton soa
//	query/internal/walk  => asm asm/cull asm/trace internal/phase query/internal/exact soa
//	soa                  => internal/mem
//
// # Tests
//
// Only tests, bench and the packages below bench import these:
//
//	tests: internal/guard internal/micro internal/scene internal/testkit internal/testkit/*
//
// The tests of a package may import what the package may import, the packages of its layer, and these:
//
//	asm ^ linear
//	linear ^ query query/collide
//	linear/points ^ query
//	query ^ query/collide
//
// # Other modules
//
// These packages of other modules are imported, each by the listed packages only:
//
//	github.com/google/pprof/profile: bench/internal/prof query/show
//	github.com/klauspost/cpuid/v2: internal/machine
//	golang.org/x/sys/cpu: internal/cpu
//	golang.org/x/sys/unix: internal/guard
package layers
