package asm

import "github.com/zoctree/zoctree/soa"

// The pair kernels for a test that bounds the calls itself.
func PairNodesCall(w *PairWalk, budget int) { pairNodes(w, budget) }
func PairPacketsCall(w *PairWalk, n int)    { pairPackets(w, n) }
func PairObjectsCall(w *PairWalk, n int)    { pairObjects(w, n) }

// Notes gives the packets kernels of a walk memory for what they note.
func (w *PairWalk) Notes(reach []soa.Place, slots []uint32) { w.reach, w.slots = reach, slots }

const (
	PairNodesPerCall   = pairNodesPerCall
	PairPacketsPerCall = pairPacketsPerCall
	PairEmitPerCall    = pairEmitPerCall
	PairStored         = pairStored
)
