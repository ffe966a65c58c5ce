package asm

// What a walk of several boxes can hold.
const (
	BoxNodeLimit    = multiBoxNodeLimit
	BoxPacketLimit  = multiBoxPacketLimit
	BoxInsideLimit  = multiBoxInsideLimit
	BoxNodesPerCall = boxNodesPerCall
)
