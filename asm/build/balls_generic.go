package build

import "github.com/zoctree/zoctree/soa"

func ballBoxesGo(boxes []soa.AABB, spheres [][4]float32) { soa.BallBoxes(boxes, spheres) }

// writeBallsGo computes the boxes of one packet at a time, with the ballBoxes kernel of the tier.
func writeBallsGo(packets []soa.Packet, lanes []soa.SphereLanes, counts []uint8, index [][soa.Lanes]uint32, spheres [][4]float32) {
	var of [soa.Lanes]int
	var balls [soa.Lanes][4]float32
	var boxes [soa.Lanes]soa.AABB
	for i := range packets {
		p, s, n := &packets[i], &lanes[i], 0
		for l, k := range index[i][:min(int(counts[i]), soa.Lanes)] {
			if uint64(k) < uint64(len(spheres)) {
				of[n], balls[n] = l, spheres[k]
				n++
			}
		}
		if n == 0 {
			continue
		}
		BallBoxes(boxes[:n], balls[:n])
		for j, l := range of[:n] {
			b, c := &boxes[j], &balls[j]
			p[soa.MinX][l], p[soa.MinY][l], p[soa.MinZ][l] = b.Min[0], b.Min[1], b.Min[2]
			p[soa.MaxX][l], p[soa.MaxY][l], p[soa.MaxZ][l] = b.Max[0], b.Max[1], b.Max[2]
			s[0][l], s[1][l], s[2][l], s[3][l] = c[0], c[1], c[2], c[3]
		}
	}
}
