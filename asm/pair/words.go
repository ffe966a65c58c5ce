package pair

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Names for assembly: the compiler writes the constants and the field offsets of the types that a
// package names into its go_asm.h.
type (
	Node          = soa.Node
	NodeFilter    = asm.NodeFilter
	packetColumns = soa.PacketColumns
)

// Kernels index the flags of packets by shifts.
var _ [0]struct{} = [unsafe.Sizeof(packetColumns{}.Moving[0]) - 2]struct{}{}

const (
	refMoving = soa.RefMoving //lint:ignore U1000 assembly reads it
	refIndex  = soa.RefIndex  //lint:ignore U1000 assembly reads it
)
