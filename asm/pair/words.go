package pair

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Names for assembly: the compiler writes the constants and the field offsets of the types that a
// package names into its go_asm.h.
type (
	Node          = soa.Node
	NodeFilter    = asm.NodeFilter
	packetColumns = soa.PacketColumns //lint:ignore U1000 assembly reads it
)

const (
	refMoving = soa.RefMoving //lint:ignore U1000 assembly reads it
	refIndex  = soa.RefIndex  //lint:ignore U1000 assembly reads it
)
