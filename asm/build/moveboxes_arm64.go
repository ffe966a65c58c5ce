//go:build arm64 && !purego

package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func moveBoxes(dst []Moved, packets []soa.Packet, placements []soa.AABB, at []soa.Location, boxes []soa.AABB, first uint32) (n int) {
	if cpu.Active == cpu.NEON {
		return moveBoxesNEON(&dst[0], unsafe.SliceData(packets), unsafe.SliceData(placements), &at[0], &boxes[0], len(boxes), len(at)-len(boxes), int(first))
	}
	return moveBoxesGo(dst, packets, placements, at, boxes, first)
}

//go:noescape
func moveBoxesNEON(dst *Moved, packets *soa.Packet, placements *soa.AABB, at *soa.Location, boxes *soa.AABB, n, ahead, first int) (moved int)
