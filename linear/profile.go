package linear

import "github.com/zoctree/zoctree/internal/phase"

// ProfileLabels switches pprof labels on or off for the work of all trees and all queries, and returns the previous
// setting. They are off at first.
//
// When labels are on, package runtime/pprof records the label "phase" with each sample. Its values are encode,
// sort, topology, fill, refit or flush in package linear, walk nodes, walk packets, ranges, pairs, ray or nearest
// in package query, clear, cones, draw, pyramid, pick or walk in package occlude. It also records the label
// "zoctree.op", the operation that the phase is part of: build, change, volume query, pairs, ray query, nearest
// query or occlusion. Goroutines that the library starts have both labels too. For a profile of any program,
//
//	go tool pprof -tags profile.pb.gz                  lists the time of each operation and phase
//	go tool pprof -tagfocus=phase=sort profile.pb.gz   selects the time of sorting
//	go tool pprof -http=: -tagroot=zoctree.op profile.pb.gz
//	                                                   draws a flame graph with the operations at its root
//
// During a phase its labels are added to the labels that the program has given the goroutine, so that -tagfocus
// finds both. They are removed when the phase ends, and before the loop body of an iteration runs. The progress
// function of a rebuild runs in the phase that it is passed.
//
// A phase costs about 1 ns when labels are off, which no benchmark of a query shows, and 10 to 20 ns when they are
// on: a box query of 550 ns, which has five, then takes 620 ns (go test ./query -run xxx -bench Labels). It
// allocates only for the first phase with a set of labels of the program.
//
// Any goroutine may call ProfileLabels at any time; phases that have begun end with the setting they began with.
func ProfileLabels(on bool) (was bool) { return phase.Enable(on) }
