package asm

import "github.com/zoctree/zoctree/soa"

func writeBoxesGo(packets []soa.Packet, counts []uint8, index [][soa.Lanes]uint32, boxes []float32) {
	n := uint(len(boxes) / 6)
	for i := range packets {
		p := &packets[i]
		for l, k := range index[i][:min(int(counts[i]), soa.Lanes)] {
			if uint(k) >= n {
				continue
			}
			b := boxes[6*uint(k):][:6]
			p[soa.MinX][l], p[soa.MinY][l], p[soa.MinZ][l] = b[0], b[1], b[2]
			p[soa.MaxX][l], p[soa.MaxY][l], p[soa.MaxZ][l] = b[3], b[4], b[5]
		}
	}
}
