//go:build (!amd64 && !arm64) || purego

package build

import "github.com/zoctree/zoctree/soa"

func moveBoxes(dst []Moved, packets []soa.Packet, placements []soa.AABB, at []soa.Location, boxes []soa.AABB, first uint32) (n int) {
	return moveBoxesGo(dst, packets, placements, at, boxes, first)
}
