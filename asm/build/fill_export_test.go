package build

// Bounds of one call of a kernel.
const (
	FillPerCall   = fillPerCall
	ReducePerCall = reducePerCall
	ChoosePerCall = choosePerCall
	MovesPerCall  = movesPerCall
)

// ReduceNodesCall is one call of the kernel of the active tier.
var ReduceNodesCall = reduceNodes
