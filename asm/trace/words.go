package trace

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Names for assembly: the compiler writes the constants and the field offsets of the types that a
// package names into its go_asm.h.
type (
	Node       = soa.Node
	NodeFilter = asm.NodeFilter
	VolumeWalk = asm.VolumeWalk
)

const (
	refIndex  = soa.RefIndex //lint:ignore U1000 assembly reads it
	everyNode = soa.RefFlags //lint:ignore U1000 assembly reads it

	// refKeep masks the bits of a reference that lists of references keep.
	refKeep = soa.RefPacket | soa.RefIndex
)
