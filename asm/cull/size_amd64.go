//go:build amd64 && !purego

package cull

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func sizeSmall(small *uint16, packets *soa.Packet, n int, z *Size) {
	switch cpu.Active {
	case cpu.AVX512:
		sizeSmallAVX512(small, packets, n, z)
	case cpu.AVX2:
		sizeSmallAVX2(small, packets, n, z)
	default:
		sizeSmallGo(small, packets, n, z)
	}
}

//go:noescape
func sizeSmallAVX512(small *uint16, packets *soa.Packet, n int, z *Size)

//go:noescape
func sizeSmallAVX2(small *uint16, packets *soa.Packet, n int, z *Size)
