package build

// Bounds of one call of a kernel.
const (
	FillPerCall   = fillPerCall
	ReducePerCall = reducePerCall
	ChoosePerCall = choosePerCall
	MovesPerCall  = movesPerCall
)

// CachedSlots is the largest number of packets that a fill does not prefetch.
const CachedSlots = cachedSlots

// ReduceNodesCall is one call of the kernel of the active tier.
var ReduceNodesCall = reduceNodes
