package depth

import "math"

func tileDrawGo(far *Tile, pieces []TilePiece) {
	for i := range pieces {
		p := &pieces[i]
		right, down := &p.Right, &p.Down
		first, last := int32(p.X0), int32(p.X1)
		e0, e1, e2 := p.At[0]+right[0]*first, p.At[1]+right[1]*first, p.At[2]+right[2]*first
		flat := p.P0 == float32(math.Inf(-1))
		for y := p.Y0; y <= p.Y1; y++ {
			row := (*[TileSize]int32)(far[int(y)*TileSize:])
			f0, f1, f2 := e0, e1, e2
			if flat {
				for x := first; x <= last; x++ {
					out := (f0 | f1 | f2) >> 31
					row[x&(TileSize-1)] = min(row[x&(TileSize-1)], p.Z&^out|NoDepth&out)
					f0 += right[0]
					f1 += right[1]
					f2 += right[2]
				}
			} else {
				q := float32(p.PY*(p.Y+float32(y-p.Y0))) + p.P0
				for x := first; x <= last; x++ {
					if f0|f1|f2 >= 0 {
						b := int32(math.Float32bits(float32(p.PX*(p.X+float32(x))) + q))
						row[x&(TileSize-1)] = min(row[x&(TileSize-1)], max(b^int32(uint32(b>>31)>>1), p.Z))
					}
					f0 += right[0]
					f1 += right[1]
					f2 += right[2]
				}
			}
			e0 += down[0]
			e1 += down[1]
			e2 += down[2]
		}
	}
}

func tileRaiseGo(best, far *Tile, rows int) (least int32) {
	least = NoDepth
	for i := range rows * TileSize {
		n := far[i]
		far[i] = NoDepth
		if n == NoDepth {
			n = Border
		}
		n = max(n, best[i])
		best[i] = n
		least = min(least, n)
	}
	return least
}
