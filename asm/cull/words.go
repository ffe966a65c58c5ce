package cull

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// Names for assembly: the compiler writes the constants and the field offsets of the types that a
// package names into its go_asm.h.
type (
	Node         = soa.Node
	NodeFilter   = asm.NodeFilter
	VolumeWalk   = asm.VolumeWalk
	Range        = asm.Range
	Picture      = depth.Picture
	PictureLevel = depth.PictureLevel
)

const (
	refIndex = soa.RefIndex //lint:ignore U1000 assembly reads it
	rangeHit = asm.RangeHit //lint:ignore U1000 assembly reads it

	// refKeep masks the bits of a reference that lists of references keep.
	refKeep = soa.RefPacket | soa.RefIndex //lint:ignore U1000 assembly reads it
)
