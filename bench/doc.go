// Command bench measures the performance of the library.
//
//	go run ./bench            builds a million objects and culls them: under a minute
//	go run ./bench tiers      the same operations on every SIMD tier of the machine
//	go run ./bench noise      the ratios that chance explains
//	go run ./bench ratios     the figures of the design, as ratios of one run
//	go run ./bench occlusion  occlusion culling for a walking camera
//	go run ./bench scaling    cost against the number of objects
//	go run ./bench pauses     the longest calls of trees that change in each frame
//	go run ./bench map        a sliding window of LiDAR scans, as robots map it
//	go run ./bench rivals     the same scenes on other Go libraries and classic octrees
//	go run ./bench native     compared with Embree, Boost.Geometry, Bullet and nanoflann, in C++
//	go run ./bench programs   three programs before and after their move to this library
//	go run ./bench scale      more than one machine holds: Pebble, Parquet, Raft
//	go run ./bench replay     boxes and queries from flat files, as a TSV
//	go run ./bench save       a snapshot of a tree, which programs map
//	go run ./bench profile    the time and the memory of a workload, by phase
//	go run ./bench picture    a tree, or a scene of trees, and a query as SVG
//	go run ./bench view       a page in the browser, to turn a tree and query it
//	go run ./bench version    the versions of the program and of Go, and the CPU
//	go run ./bench help       all commands; help COMMAND, or -h after it, prints
//	                          its description and flags
//
// Some commands have further forms:
//
//	go run ./bench scaling classic    the classic benchmark of dynamic octrees, with its fits
//	go run ./bench scaling changes    queries of a changing tree beside those of a new one
//	go run ./bench rivals small       few objects: where the tree begins to beat a slice
//	go run ./bench rivals interest    interest management: the areas of many viewers
//	go run ./bench replay export -o DIR  writes the files that replay reads
//	go run ./bench replay tracks -in FILE  recorded tracks, replayed
//	go run ./bench save inspect FILE  the contents of a snapshot, and whether it is valid
//	go run ./bench profile tree -o FILE  the tree as a profile: objects, memory, visits by octant
//
// Results are written to standard output, errors to standard error, the last one in one line. On a terminal
// the last line shows progress, and verdicts have colours unless NO_COLOR is set. The exit code is 0, 1 after
// a failure or a wrong result, 2 for an invalid command line. Numbers are written as 100k, 1M, 1e6 or
// 1_000_000. -in FILE runs most commands on a LAS, PLY, PCD, OBJ or CSV file, or on a snapshot.
//
// # Measuring
//
// A measuring command takes -format text, markdown, tsv, json or gobench, and -count rounds. Compared tasks
// run in turns, A B A B …, and minima are reported. If the machine is too noisy for small differences, the
// output says so; help run states the rule. The command noise measures the same work against itself, for the ratio
// from which a difference is one. To compare two versions:
//
//	go run ./bench -count 10 -format gobench >old.txt
//	go run ./bench -count 10 -format gobench >new.txt
//	benchstat old.txt new.txt
//
// The benchmarks of asm and the packages below it measure every kernel on every tier, in each cache of
// the machine and in memory, and next to it a copy of as many bytes. The benchmarks of the other
// packages measure their operations. Names are key=value:
//
//	go test ./asm/... -run '^$' -bench .
//	benchstat -col /impl FILE
//
// The command native compares with libraries in C++, whose drivers it compiles; it skips libraries that are not
// installed. Both work in turns, on the same core under taskset, and their answers are compared first:
//
//	apt-get install libembree-dev libboost-dev libbullet-dev libnanoflann-dev
//	taskset -c 0 go run ./bench native -n 100k,1M -scenes uniform,city
//
// RESULTS.md holds the latest results. On a clean checkout and a quiet machine these commands renew it, and
// the table of README.md that is derived from it:
//
//	.ci/results
//	go test ./bench -run TestReadme -update
//
// # Profiling
//
// The time of a workload by phase, kernel and package, with hints; and the significant changes since an older
// profile:
//
//	go run ./bench profile -workload frame -o old.pb.gz
//	go run ./bench profile -workload frame -base old.pb.gz
//
// Workload scene uses instanced parts. It also reports how many instances its queries intersect, take whole
// or enter, and how often they visit each part. The cost of scenes compared with flat trees of the same
// objects, and a picture of a camera query in a scene:
//
//	go run ./bench ratios -only scene
//	go run ./bench picture -kind scene -o scene.svg
//
// The cost of occlusion culling compared with frustum culling, and a picture of the hidden objects:
//
//	go run ./bench occlusion -quick
//	go run ./bench picture -kind occlusion -scene partition -o bench/pictures/partition.svg -depth bench/pictures/partition.png
//
// In a program of your own linear.ProfileLabels(true) labels the samples of the library by phase: go tool
// pprof -tags FILE. A label costs 10 ns when it is on and under 1 ns when it is off (go test ./internal/phase
// -run '^$' -bench .).
//
// The tree itself can be written as a profile whose stacks are octants instead of functions. It is a flame
// graph of the objects, packets, nodes and bytes, and of the visits of queries:
//
//	go run ./bench profile tree -scene city -n 3000 -o tree.pb.gz -svg bench/pictures/tree.svg
//	go tool pprof -http=: tree.pb.gz
//	go tool pprof -top -diff_base=old.pb.gz tree.pb.gz
//
// # Profile-guided optimization
//
// go build compiles a program, including the library, with the profile default.pgo in the directory of
// package main (https://go.dev/doc/pgo). It does not change the assembly, in which queries spend most of
// their time: a profile only inlines and arranges more of the surrounding Go code, above all in single
// changes. Record a profile of your own program under its own load. This command has one, bench.pgo, which
// .ci/pgo renews, and .ci/pgo compare measures its benefit: the geometric mean of 20 times with it over those
// without was 0.94, moves and replacements 0.88 to 0.91, queries 0.91 to 1.02.
//
//	go build -pgo=bench/bench.pgo ./bench
//
// It does not have the name default.pgo, because go test ./... would then compile all imports of the command
// twice, with and without it.
package main
