// Package phase labels goroutines with the phase of the library that they are
// in, so that a CPU profile tells the time of each: the pprof label "phase", and with it
// "zoctree.op", the operation that the phase is of.
//
//	defer phase.Enter(phase.Flush).Leave()
//
//	m := phase.Enter(phase.Nodes)
//	...
//	m.Next(phase.Packets)
//	...
//	m.Leave()
//
// Phases nest: Leave puts back the labels that Enter found, those of the program
// as well as those of an outer phase. While a phase lasts, its label stands beside
// the labels of the program; to join them allocates when a set of labels is met in a
// phase for the first time. A goroutine starts with the labels of the one that starts it, so workers are in
// the phase of their work.
//
// # Cost
//
// Labels are off until [Enable]. Off, Enter and Leave are inlined: a load and two
// branches that never change, together 0.6 ns beyond an empty loop on a 2-core
// Xeon. On, they call and read and write a word of the goroutine, together
// 10 ns, and some more where the program has labels. Neither allocates. The command is
//
//	go test ./internal/phase -run xxx -bench .
//
// [Times] tells the time of each phase of one call without a profile.
package phase

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Key is the key of the label, OpKey that of the operation.
const (
	Key   = "phase"
	OpKey = "zoctree.op"
)

// Phase is a kind of work of the library.
type Phase uint8

// The phases.
const (
	Encode   Phase = iota // centres to keys
	Sort                  // keys to order
	Topology              // order to packets and nodes
	Fill                  // objects to columns, boxes upwards
	Refit                 // boxes after changes
	Flush                 // changes: homes, splits, merges
	Nodes                 // volume queries: children against the volume
	Packets               // volume queries: objects against the volume
	Ranges                // volume queries: filters and IDs of the answer
	Pairs                 // overlapping pairs
	Ray                   // rays and swept volumes
	Nearest               // nearest neighbours
	Clear                 // occlusion: a new frame
	Cones                 // solids to lines and planes
	Draw                  // these to pixels
	Pyramid               // the levels of the picture
	Pick                  // which solids are drawn
	Seen                  // the walk with the picture, filters and IDs of its answer

	Count // the number of phases
)

var names = [Count]string{
	"encode", "sort", "topology", "fill", "refit", "flush",
	"walk nodes", "walk packets", "ranges", "pairs", "ray", "nearest",
	"clear", "cones", "draw", "pyramid", "pick", "seen",
}

// String returns the value of the label.
func (p Phase) String() string { return names[p] }

// The operations. What a change rebuilds is build.
const (
	opBuild   = "build"
	opChange  = "change"
	opVolume  = "volume query"
	opPairs   = "pairs"
	opRay     = "ray query"
	opNearest = "nearest query"
	opOcclude = "occlusion"
)

var ops = [Count]string{
	opBuild, opBuild, opBuild, opBuild, opChange, opChange,
	opVolume, opVolume, opVolume, opPairs, opRay, opNearest,
	opOcclude, opOcclude, opOcclude, opOcclude, opOcclude, opOcclude,
}

// Op returns the operation of the phase, the value of its label.
func (p Phase) Op() string { return ops[p] }

// Named returns the phase of a label's value.
func Named(name string) (p Phase, ok bool) {
	for p, n := range names {
		if n == name {
			return Phase(p), true
		}
	}
	return 0, false
}

// mode is what Enter does.
const (
	off = iota
	labelled
	timed
)

var (
	mode   atomic.Uint32
	sets   [Count]unsafe.Pointer // label sets, written once
	makeUp sync.Once
)

// Enable switches labels on or off for all goroutines and reports what they
// were. Phases under way end with the labels that they began with.
func Enable(yes bool) (was bool) {
	if yes {
		makeUp.Do(makeSets)
	}
	to := uint32(off)
	if yes {
		to = labelled
	}
	return mode.Swap(to) == labelled
}

// makeSets makes the label sets by way of contexts, as package pprof wants it,
// and reads each from the goroutine that has been given it.
func makeSets() {
	before := labels()
	defer setLabels(before)
	for p := range sets {
		ctx := pprof.WithLabels(context.Background(), pprof.Labels(Key, names[p], OpKey, ops[p]))
		pprof.SetGoroutineLabels(ctx)
		sets[p] = labels()
	}
	known := bareSets()
	merged.known.Store(&known)
}

// Mark is a phase under way: the labels to put back. The zero Mark is of no
// phase.
type Mark struct{ before unsafe.Pointer }

// bare stands for no labels, where nil means that there is nothing to put back.
var bare byte

// Enter begins a phase on this goroutine.
func Enter(p Phase) Mark {
	if mode.Load() != off {
		return enter(p)
	}
	return Mark{}
}

func enter(p Phase) Mark {
	if mode.Load() == timed {
		return Mark{turn(p)}
	}
	before := labels()
	if before == nil {
		before = unsafe.Pointer(&bare)
	}
	setLabels(of(before, p))
	return Mark{before}
}

// Next ends a phase and begins another.
func (m Mark) Next(p Phase) {
	if m.before != nil {
		m.next(p)
	}
}

//go:noinline
func (m Mark) next(p Phase) { // apart, as leave is
	if _, ok := m.timed(); ok {
		turn(p)
		return
	}
	setLabels(of(m.before, p))
}

// Leave ends the phase. It must run on the goroutine that entered it.
func (m Mark) Leave() {
	if m.before != nil {
		m.leave()
	}
}

//go:noinline
func (m Mark) leave() { // apart, so that Leave is inlined
	if p, ok := m.timed(); ok {
		turn(p)
		return
	}
	before := m.before
	if before == unsafe.Pointer(&bare) {
		before = nil
	}
	setLabels(before)
}

// The runtime keeps the labels of a goroutine in one word. It offers these two
// functions, whose form is promised not to change, to programs outside of it:
// package pprof itself can only set labels, not read them to put them back.

//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer

//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(unsafe.Pointer)
