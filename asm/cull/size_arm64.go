//go:build arm64 && !purego

package cull

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func sizeSmall(small *uint16, packets *soa.Packet, n int, z *Size) {
	if cpu.Active == cpu.NEON {
		sizeSmallNEON(small, packets, n, z)
		return
	}
	sizeSmallGo(small, packets, n, z)
}

//go:noescape
func sizeSmallNEON(small *uint16, packets *soa.Packet, n int, z *Size)
