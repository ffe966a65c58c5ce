package build

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// ballsPerCall is the number of spheres whose boxes are computed in one call.
const ballsPerCall = 4096

// BallBoxes computes the bounding boxes of spheres: boxes[i] becomes the box of spheres[i]
// ([soa.Ball.Box]). It panics if boxes is shorter than spheres. It does not allocate.
func BallBoxes(boxes []soa.AABB, spheres [][4]float32) {
	if len(boxes) < len(spheres) {
		panic(fmt.Sprintf("build: BallBoxes: %d boxes of %d spheres", len(boxes), len(spheres)))
	}
	for i := 0; i < len(spheres); i += ballsPerCall {
		k := min(ballsPerCall, len(spheres)-i)
		ballBoxes(boxes[i:i+k], spheres[i:i+k])
	}
}

// WriteBalls overwrites spheres and their boxes in packets. Live lane l of packet i gets the sphere
// with index index[i][l] and the box of that sphere. Lanes whose index is out of range, and lanes
// that are not live, are unchanged. The tight boxes above are not updated.
//
// It panics if lanes, index or counts is shorter than packets. It does not allocate.
func WriteBalls(packets []soa.Packet, lanes []soa.SphereLanes, counts []uint8, index [][soa.Lanes]uint32, spheres [][4]float32) {
	if len(lanes) < len(packets) || len(counts) < len(packets) || len(index) < len(packets) {
		panic(fmt.Sprintf("build: WriteBalls: %d packets, %d of spheres, %d counts, %d rows of the index",
			len(packets), len(lanes), len(counts), len(index)))
	}
	for i := 0; i < len(packets) && len(spheres) > 0; i += writePerCall {
		k := min(writePerCall, len(packets)-i)
		writeBalls(packets[i:i+k], lanes[i:i+k], counts[i:i+k], index[i:i+k], spheres)
	}
}
