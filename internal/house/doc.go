// Package house holds, by its tests, what keeps the module habitable: which
// package may import which, how many names each exports, and which names are not
// to come back.
//
// # Floors
//
// A package imports what is on floors below its own. Some of these packages are
// still to come; a star stands for any name. The tests read this table:
//
//	14  bench
//	13  bench/internal/cmd/* bench/internal/cmd/view/wasm
//	    bench/internal/command/commandtest bench/view
//	12  bench/internal/command bench/internal/lab bench/internal/versus
//	11  bench/internal/cmd/view/demo bench/internal/report
//	10  bench/internal/baseline bench/internal/flat bench/internal/input
//	    bench/internal/measure bench/internal/nested bench/internal/prof
//	    bench/internal/count bench/internal/table bench/internal/terminal
//	 9  internal/testkit internal/testkit/trees
//	 8  internal/micro internal/scene query/show
//	 7  query/collide query/interest query/occlude query/scene
//	 6  query query/internal/*
//	 5  linear linear/points
//	 4  morton internal/snap
//	 3  asm
//	 2  soa
//	 1  internal/mem internal/bitset internal/radix
//	 0  internal/atomicfile internal/cpu internal/enum internal/fault internal/guard
//	    internal/house internal/machine internal/nth internal/phase internal/regular internal/team
//
// From below: CPUs and memory, columns (soa), kernels over them (asm), keys (morton),
// the tree with its scenes, snapshots and directories (linear; internal/snap is their
// codec), the questions (query) and its wings, which do not know each other. A program
// needs no floor above; what draws, tests and measures lives there.
//
// # Beams
//
// On one floor, these may import those:
//
//	internal/atomicfile     -> internal/regular
//	internal/radix          -> internal/mem
//	internal/testkit/trees  -> internal/testkit
//	query                   -> query/internal/*
//	query/interest          -> query/occlude
//	query/occlude           -> query/scene
//	query/scene             -> query/collide
//
// Pairs through the parts of a scene are those of their trees, of trees of places, and of
// own objects and places: what query/collide finds.
//
// These import no more of the module than those:
//
//	asm             => internal/cpu internal/mem soa
//	internal/mem    => internal/cpu
//	internal/scene  => soa
//	soa             => internal/mem
//
// # Tests
//
// These are for tests; beside them only bench, and what is below it, imports them:
//
//	tests: internal/guard internal/micro internal/scene internal/testkit internal/testkit/trees
//
// The tests of a package import, besides, what the package may, what is on its own
// floor, and what these look up to:
//
//	asm ^ linear
//	linear ^ query query/collide
//	linear/points ^ query
//	query ^ query/collide query/interest query/occlude query/scene query/show
//
// # From outside
//
// A requirement of go.mod is there for one of these, and nothing else of other
// modules is imported, and by nobody else:
//
//	github.com/google/pprof/profile: bench/internal/prof query/show
//	github.com/klauspost/cpuid/v2: internal/machine
//	golang.org/x/sys/cpu: internal/cpu
//	golang.org/x/sys/unix: internal/guard
package house
