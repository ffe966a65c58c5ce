package cull

// Limits of a walk of several boxes.
const (
	BoxNodeLimit    = multiBoxNodeLimit
	BoxPacketLimit  = multiBoxPacketLimit
	BoxInsideLimit  = multiBoxInsideLimit
	BoxNodesPerCall = boxNodesPerCall
)
