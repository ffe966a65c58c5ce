//go:build !amd64 || purego

package depth

func tileDraw(far *Tile, pieces []TilePiece) { tileDrawGo(far, pieces) }

func tileRaise(best, far *Tile, rows int) (least int32) { return tileRaiseGo(best, far, rows) }
