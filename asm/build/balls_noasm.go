//go:build (!amd64 && !arm64) || purego

package build

import "github.com/zoctree/zoctree/soa"

func ballBoxes(boxes []soa.AABB, spheres [][4]float32) { ballBoxesGo(boxes, spheres) }

func writeBalls(packets []soa.Packet, lanes []soa.SphereLanes, counts []uint8, index [][soa.Lanes]uint32, spheres [][4]float32) {
	writeBallsGo(packets, lanes, counts, index, spheres)
}
