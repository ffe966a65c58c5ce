package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func sizeSmallGo(small *uint16, packets *soa.Packet, n int, z *Size) {
	of := unsafe.Slice(packets, n)
	to := unsafe.Slice(small, n)
	for i := range to {
		to[i] = uint16(sizeMask(&of[i], z))
	}
}

// sizeMask returns the lanes whose boxes are small.
func sizeMask(b *soa.Packet, z *Size) (small uint32) {
	depth, near := z.columns(b, 0), z.columns(b, 1)
	d, n, k := &z.Depth, &z.Near, &z.Scale
	for l := range soa.Lanes {
		x := float32(k[0] * float32(b[soa.MaxX][l]-b[soa.MinX][l]))
		y := float32(k[1] * float32(b[soa.MaxY][l]-b[soa.MinY][l]))
		z1 := float32(k[2] * float32(b[soa.MaxZ][l]-b[soa.MinZ][l]))
		at := float32(float32(d[0]*depth[0][l])+float32(d[1]*depth[1][l])) + float32(d[2]*depth[2][l])
		if !(max(x, y, z1) < float32(z.Least*float32(at+d[3]))) {
			continue
		}
		at = float32(float32(n[0]*near[0][l])+float32(n[1]*near[1][l])) + float32(n[2]*near[2][l])
		small |= lane.Bit(float32(at+n[3]) > 0) << l
	}
	return small & (1<<soa.Lanes - 1)
}

// Columns returns the columns of the lowest corners along a row.
func (z *Size) columns(b *soa.Packet, row int) (c [3]*[soa.Lanes]float32) {
	for a := range c {
		c[a] = &b[z.off[row][a]/64%uint32(len(b))]
	}
	return c
}
