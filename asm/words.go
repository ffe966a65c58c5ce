package asm

import (
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Names for assembly: the compiler writes the constants and the field offsets of this package's
// types into go_asm.h.
type (
	Node          = soa.Node
	packetColumns = soa.PacketColumns
)

// Kernels index the columns of packets by shifts.
var (
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.IDs[0]) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Masks[0]) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Moving[0]) - 2]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Counts[0]) - 1]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Parents[0]) - 4]struct{}{}
)

const (
	refPacket = soa.RefPacket //lint:ignore U1000 assembly reads it
	refMoving = soa.RefMoving //lint:ignore U1000 assembly reads it
	refStatic = soa.RefStatic //lint:ignore U1000 assembly reads it
	refIndex  = soa.RefIndex  //lint:ignore U1000 assembly reads it
	everyNode = soa.RefFlags  //lint:ignore U1000 assembly reads it

	// refKeep masks the bits of a reference that lists of references keep.
	refKeep = soa.RefPacket | soa.RefIndex
)
