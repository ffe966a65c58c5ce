//go:build (!amd64 && !arm64) || purego

package cull

import "github.com/zoctree/zoctree/soa"

func sizeSmall(small *uint16, packets *soa.Packet, n int, z *Size) {
	sizeSmallGo(small, packets, n, z)
}
