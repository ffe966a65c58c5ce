package pair

// The pair kernels for a test that bounds the calls itself.
func PairNodesCall(w *PairWalk, budget int) { pairNodes(w, budget) }
func PairPacketsCall(w *PairWalk, n int)    { pairPackets(w, n) }
func PairObjectsCall(w *PairWalk, n int)    { pairObjects(w, n) }

// PairNotes is the scratch memory of packets kernels, which Notes sets.
type PairNotes = pairNotes

func (w *PairWalk) Notes(n *PairNotes) { w.notes = n }

const (
	PairNodesPerCall   = pairNodesPerCall
	PairPacketsPerCall = pairPacketsPerCall
	PairEmitPerCall    = pairEmitPerCall
	PairRowsStored     = pairRowsStored
	PairTasksStored    = pairTasksStored
)
