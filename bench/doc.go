// Command bench measures the library.
//
//	go run ./bench            builds a million objects and culls them: under a minute
//	go run ./bench ratios     the figures of the design, as ratios of one run
//	go run ./bench occlusion  what a walking camera sees when solid things hide others
//	go run ./bench scaling    cost against the number of objects
//	go run ./bench classic    the classic benchmark of dynamic octrees, with its fits
//	go run ./bench rivals     the same on other Go libraries and classic octrees
//	go run ./bench interest   what enters and leaves the areas of many viewers
//	go run ./bench scale      more than one machine holds: Pebble, Parquet, Raft
//	go run ./bench replay     boxes and queries from flat files, as a TSV
//	go run ./bench tracks     recorded tracks, replayed
//	go run ./bench export     writes such files
//	go run ./bench save       a snapshot of a tree, which programs map
//	go run ./bench inspect FILE  what is in a snapshot, and whether it is sound
//	go run ./bench profile    where the time and the memory of a workload go
//	go run ./bench tree       the tree as a profile: objects, memory, visits by octant
//	go run ./bench picture    a tree, or a scene of trees, and a query as SVG
//	go run ./bench version    what runs, and on which CPU
//	go run ./bench view       a page in the browser, to turn and touch a tree
//	go run ./bench help       all commands; help COMMAND, or -h after it, tells
//	                          what one does and its flags
//
// Results go to standard output, errors to standard error, the last one in one line. On a terminal
// the last line tells of progress, and verdicts have colours unless NO_COLOR is set. The exit code
// is 0, 1 when something failed or an answer was wrong, 2 for a wrong command line. Numbers are
// written as 100k, 1M, 1e6 or 1_000_000.
// -in FILE runs most of them on a PLY, PCD, OBJ or CSV file, or on a snapshot.
//
// # Measuring
//
// A command that measures takes -format text, markdown, tsv, json or gobench, and
// -count rounds. What is compared runs in turns, A B A B …, and medians are told.
// When the machine is too noisy to tell small differences, the output says so;
// help run states the rule. To compare two versions:
//
//	go run ./bench -count 10 -format gobench >old.txt
//	go run ./bench -count 10 -format gobench >new.txt
//	benchstat old.txt new.txt
//
// The benchmarks of package asm measure every kernel on every tier, in each cache of
// the machine and in memory, beside a copy of as many bytes; those of the other
// packages their operations. Names are key=value:
//
//	go test ./asm -run '^$' -bench .
//	benchstat -col /impl FILE
//
// RESULTS.md has what was measured last. On a clean checkout and a quiet machine
// these renew it, and the table of README.md that is made from it:
//
//	.ci/results
//	go test ./bench -run TestReadmeTable -update
//
// # Profiling
//
// Where the time of a workload goes, by phase, kernel and package, with hints; and
// what has changed since an older profile, as far as the number of samples tells:
//
//	go run ./bench profile -workload frame -o old.pb.gz
//	go run ./bench profile -workload frame -base old.pb.gz
//
// Workload scene is one of parts in places; it also tells how many places its queries
// meet, take whole or enter, and how often they visit each part. What scenes cost beside flat
// trees of the same objects, and what a camera does in one, as a picture:
//
//	go run ./bench ratios -only scene
//	go run ./bench picture -what scene -o scene.svg
//
// What occlusion costs beside the frustum, and what it hides, as a picture:
//
//	go run ./bench occlusion -quick
//	go run ./bench picture -what occlusion -scene partition -o bench/pictures/partition.svg -depths bench/pictures/partition.png
//
// In a program of your own linear.ProfileLabels(true) labels the samples of the
// library by phase: go tool pprof -tags FILE. A label costs 10 ns when it is on and
// under 1 ns when it is off (go test ./internal/phase -run '^$' -bench .).
//
// The tree itself is a profile whose stacks are not functions but octants, a flame
// graph of where objects, packets, nodes, bytes and the visits of queries are:
//
//	go run ./bench tree -scene city -n 3000 -o tree.pb.gz -svg bench/pictures/tree.svg
//	go tool pprof -http=: tree.pb.gz
//	go tool pprof -top -diff_base=old.pb.gz tree.pb.gz
//
// # Profile-guided optimization
//
// go build compiles a program with the profile default.pgo beside its package main
// (https://go.dev/doc/pgo), the library in it, too. Assembly stays as it is, and
// queries spend most of their time there: a profile only inlines and arranges more
// of the Go around it, above all in changes made one by one. Make one of your own
// program under its own load. This command has one, which .ci/pgo renews, and
// .ci/pgo compare measures what it is worth: the geometric mean of 20 times with it
// over those without was 0.94, moves and replacements 0.88 to 0.91, queries 0.91 to
// 1.02.
package main
