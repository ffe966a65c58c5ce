package linear

import "github.com/zoctree/zoctree/internal/phase"

// ProfileLabels switches on or off, for all trees and all queries, that the
// library labels its work for CPU profiles, and reports what it was before. It
// is off at first.
//
// When it is on, package runtime/pprof records the label "phase" with each
// sample: encode, sort, topology, fill, refit or flush in package linear, walk
// nodes, walk packets, ranges, pairs, ray or nearest in package query, clear, cones, draw,
// pyramid, pick or seen in package occlude; and the label "zoctree.op", the operation that the
// phase is of: build, change, volume query, pairs, ray query, nearest query or occlusion.
// Goroutines that the library starts have both too. In the profile of any program,
//
//	go tool pprof -tags profile.pb.gz                  the time of each operation and phase
//	go tool pprof -tagfocus=phase=sort profile.pb.gz   only what sorting took
//	go tool pprof -http=: -tagroot=zoctree.op profile.pb.gz
//	                                                   a flame graph with the operations at its root
//
// While a phase lasts its labels stand beside the labels that the program has given the
// goroutine, so that -tagfocus finds all; they are gone when the phase ends, and before the
// loop body of an iteration runs. What a rebuild reports progress to runs in the phase
// that it is told of.
//
// A phase costs about 1 ns when it is off, which no benchmark of a query shows,
// and 10 to 20 ns when it is on: a box query of 550 ns, which has five, then
// takes 620 ns (go test ./query -run xxx -bench Labels). It allocates nothing but when
// it meets labels of the program in a phase for the first time.
// Any goroutine may call ProfileLabels at any time; phases under way end as they
// began.
func ProfileLabels(on bool) (was bool) { return phase.Enable(on) }
