package asm

import (
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// The assertions next to a type check the assumptions of the assembly about that type. These check
// the layout that the assembly has in shifts, masks and offsets of its own: slot<<4 | lane, node<<4
// | lane, columns of 64 bytes from the first byte on, and the flags of a reference in the bits 31,
// 30 and 29, next to each other.
var (
	_ [0]struct{} = [soa.Lanes - 16]struct{}{}
	_ [0]struct{} = [soa.Fan - 16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.Packet{}[0]) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.Node{}.Bounds[0]) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(soa.Node{}.Bounds)]struct{}{}
	_ [0]struct{} = [soa.RefPacket>>31 - 1]struct{}{}
	_ [0]struct{} = [soa.RefMoving>>30 - 1]struct{}{}
	_ [0]struct{} = [soa.RefStatic>>29 - 1]struct{}{}
	_ [0]struct{} = [RangeHit>>31 - 1]struct{}{}
)

// Kernels index the columns of packets by shifts.
var (
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.IDs[0]) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Masks[0]) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Moving[0]) - 2]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Counts[0]) - 1]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(soa.PacketColumns{}.Parents[0]) - 4]struct{}{}
)
