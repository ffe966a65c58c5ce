package pair

// The pair kernels for a test that bounds the calls itself.
func NodesCall(w *Walk, budget int) { pairNodes(w, budget) }
func PacketsCall(w *Walk, n int)    { pairPackets(w, n) }
func ObjectsCall(w *Walk, n int)    { pairObjects(w, n) }

// Notes is the scratch memory of packets kernels, which Notes sets.
type Notes = pairNotes

func (w *Walk) Notes(n *Notes) { w.notes = n }

const (
	NodesPerCall   = pairNodesPerCall
	PacketsPerCall = pairPacketsPerCall
	EmitPerCall    = pairEmitPerCall
	NearPerCall    = pairNearPerCall
	MovingPerCall  = movingPerCall
	RowsStored     = pairRowsStored
	TasksStored    = pairTasksStored
)
