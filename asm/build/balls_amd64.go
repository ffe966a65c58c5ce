//go:build amd64 && !purego

package build

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func ballBoxes(boxes []soa.AABB, spheres [][4]float32) {
	if cpu.Active != cpu.Go {
		ballBoxesAVX2(&boxes[0], &spheres[0], len(spheres))
		return
	}
	ballBoxesGo(boxes, spheres)
}

//go:noinline
func writeBalls(packets []soa.Packet, lanes []soa.SphereLanes, counts []uint8, index [][soa.Lanes]uint32, spheres [][4]float32) {
	switch {
	case len(spheres) > writeMost || cpu.Active < cpu.AVX2:
		writeBallsGo(packets, lanes, counts, index, spheres)
	case cpu.Active == cpu.AVX512:
		writeBallsAVX512(&packets[0], &lanes[0], &counts[0], &index[0], len(packets), &spheres[0], len(spheres))
	default:
		writeBallsAVX2(&packets[0], &lanes[0], &counts[0], &index[0], len(packets), &spheres[0], len(spheres))
	}
}

//go:noescape
func ballBoxesAVX2(boxes *soa.AABB, spheres *[4]float32, n int)

//go:noescape
func writeBallsAVX512(packets *soa.Packet, lanes *soa.SphereLanes, counts *uint8, index *[soa.Lanes]uint32, n int, spheres *[4]float32, limit int)

//go:noescape
func writeBallsAVX2(packets *soa.Packet, lanes *soa.SphereLanes, counts *uint8, index *[soa.Lanes]uint32, n int, spheres *[4]float32, limit int)
