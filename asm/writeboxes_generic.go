package asm

func writeBoxesGo(packets []Packet, counts []uint8, index [][Lanes]uint32, boxes []float32) {
	n := uint(len(boxes) / 6)
	for i := range packets {
		p := &packets[i]
		for l, k := range index[i][:min(int(counts[i]), Lanes)] {
			if uint(k) >= n {
				continue
			}
			b := boxes[6*uint(k):][:6]
			p[MinX][l], p[MinY][l], p[MinZ][l] = b[0], b[1], b[2]
			p[MaxX][l], p[MaxY][l], p[MaxZ][l] = b[3], b[4], b[5]
		}
	}
}
