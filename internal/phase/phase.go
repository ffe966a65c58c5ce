// Package phase adds profiler labels (pprof) to goroutines, so that a CPU profile shows the time of
// each phase of the library. The label "phase" is the phase, and the label "zoctree.op" the
// operation that it belongs to.
//
//	defer phase.Enter(phase.Flush).Leave()
//
//	m := phase.Enter(phase.Nodes)
//	...
//	m.Next(phase.Packets)
//	...
//	m.Leave()
//
// Phases nest: Leave restores the labels that Enter found, of the program and of an outer phase.
// During a phase its label is merged with the labels of the program; this allocates when a label
// set first occurs in a phase. A new goroutine inherits the labels of the one that starts it, so
// workers are in the phase of their work.
//
// # Cost
//
// Labels are off until [Enable]. When off, Enter and Leave are inlined: a load and two predictable
// branches, together 0.6 ns beyond an empty loop on a 2-core Xeon. When on, they are calls that
// read and write a word of the goroutine, together 10 ns, and some more if the program has labels.
// Neither allocates. The command is
//
//	go test ./internal/phase -run xxx -bench .
//
// [Times] measures the time of each phase of one call without a profile.
package phase

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Key is the key of the label of phases, OpKey the key of the label of operations.
const (
	Key   = "phase"
	OpKey = "zoctree.op"
)

// Phase is a kind of work of the library, shown in profiles.
type Phase uint8

// Phases.
const (
	Encode   Phase = iota // centres to keys
	Sort                  // keys to order
	Topology              // order to packets and nodes
	Fill                  // objects to columns, boxes upwards
	Refit                 // boxes after changes
	Flush                 // changes: placement, splits, merges
	Nodes                 // volume queries: children against the volume
	Packets               // volume queries: objects against the volume
	Ranges                // volume queries: filters and IDs of the results
	Pairs                 // overlapping pairs
	Ray                   // rays and swept volumes
	Nearest               // nearest neighbours
	Clear                 // occlusion: a new frame
	Cones                 // occluders to lines and planes
	Draw                  // lines and planes to pixels
	Pyramid               // levels of the depth pyramid
	Pick                  // selection of the occluders to draw
	Visible               // walk with the depth pyramid, filters and IDs of the results

	Count // number of phases
)

var names = [Count]string{
	"encode", "sort", "topology", "fill", "refit", "flush",
	"walk nodes", "walk packets", "ranges", "pairs", "ray", "nearest",
	"clear", "cones", "draw", "pyramid", "pick", "walk",
}

// String returns the value of the label.
func (p Phase) String() string { return names[p] }

// Operations. Builds within a change count as build.
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

// Named returns the phase with a label value.
func Named(name string) (p Phase, ok bool) {
	for p, n := range names {
		if n == name {
			return Phase(p), true
		}
	}
	return 0, false
}

// Modes of Enter.
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

// Enable switches labels on or off for all goroutines and returns the former state. Phases that
// have begun end with the labels with which they began.
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

// makeSets makes the label sets with contexts, the only interface of package pprof, and reads each
// from the goroutine that it was set on.
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

// Mark is an active phase: it holds the labels to restore. The zero Mark belongs to no phase.
type Mark struct{ before unsafe.Pointer }

// bare represents an empty label set; nil means that there is nothing to restore.
var bare byte

// Enter begins a phase on this goroutine. A typical call is defer phase.Enter(p).Leave().
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

// Next ends the phase and begins another.
func (m Mark) Next(p Phase) {
	if m.before != nil {
		m.next(p)
	}
}

//go:noinline
func (m Mark) next(p Phase) { // separate, like leave
	if _, ok := m.timed(); ok {
		turn(p)
		return
	}
	setLabels(of(m.before, p))
}

// Leave ends the phase and restores the labels. It must run on the goroutine that entered the
// phase.
func (m Mark) Leave() {
	if m.before != nil {
		m.leave()
	}
}

//go:noinline
func (m Mark) leave() { // separate, so that Leave is inlined
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

// The runtime keeps the labels of a goroutine in one word. It offers these two functions to outside
// programs, with a promise that their signatures do not change. Package pprof itself can only set
// labels, not read them to restore them.

//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer

//go:linkname setLabels runtime/pprof.runtime_setProfLabel
func setLabels(unsafe.Pointer)
