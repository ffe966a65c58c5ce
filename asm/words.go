package asm

import "github.com/zoctree/zoctree/soa"

// Names that assembly reads: the compiler writes the constants and the offsets of
// the fields of this package's types into go_asm.h.
type Node = soa.Node

const (
	refPacket = soa.RefPacket
	refMoving = soa.RefMoving
	refStatic = soa.RefStatic
	refIndex  = soa.RefIndex
	siftAny   = soa.RefFlags // keeps everything

	// refKeep is what lists of references keep of one.
	refKeep = soa.RefPacket | soa.RefIndex
)
