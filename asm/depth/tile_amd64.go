//go:build amd64 && !purego

package depth

import "github.com/zoctree/zoctree/internal/cpu"

// tileOutside[8-n:] marks the first n columns of a tile, tileOutside[15-n:] the columns after
// column n.
//
//lint:ignore U1000 assembly reads it
var tileOutside = [24]int32{
	-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1,
}

// tileColumns is the column numbers.
//
//lint:ignore U1000 assembly reads it
var tileColumns = [8]int32{0, 1, 2, 3, 4, 5, 6, 7}

//go:noinline
func tileDraw(far *Tile, pieces []TilePiece) {
	if cpu.Active >= cpu.AVX2 {
		tileDrawAVX2(far, &pieces[0], len(pieces))
		return
	}
	tileDrawGo(far, pieces)
}

//go:noinline
func tileRaise(best, far *Tile, rows int) (least int32) {
	if cpu.Active >= cpu.AVX2 {
		return tileRaiseAVX2(best, far, rows)
	}
	return tileRaiseGo(best, far, rows)
}

//go:noescape
func tileDrawAVX2(far *Tile, pieces *TilePiece, n int)

//go:noescape
func tileRaiseAVX2(best, far *Tile, rows int) (least int32)
