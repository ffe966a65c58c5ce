//go:build arm64 && !purego

package build

import (
	"math"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func ballBoxes(boxes []soa.AABB, spheres [][4]float32) {
	whole := 0
	if cpu.Active == cpu.NEON && len(spheres) >= 4 {
		whole = len(spheres) &^ 3
		ballBoxesNEON(&boxes[0], &spheres[0], whole)
	}
	ballBoxesGo(boxes[whole:], spheres[whole:])
}

//go:noinline
func writeBalls(packets []soa.Packet, lanes []soa.SphereLanes, counts []uint8, index [][soa.Lanes]uint32, spheres [][4]float32) {
	if cpu.Active == cpu.NEON && len(spheres) <= math.MaxUint32 {
		writeBallsNEON(&packets[0], &lanes[0], &counts[0], &index[0], len(packets), &spheres[0], len(spheres))
		return
	}
	writeBallsGo(packets, lanes, counts, index, spheres)
}

//go:noescape
func ballBoxesNEON(boxes *soa.AABB, spheres *[4]float32, n int)

//go:noescape
func writeBallsNEON(packets *soa.Packet, lanes *soa.SphereLanes, counts *uint8, index *[soa.Lanes]uint32, n int, spheres *[4]float32, limit int)
