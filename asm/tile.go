package asm

// TileSize is the number of columns, and of rows, of a tile of pixels.
const TileSize = 8

// Tile is numbers of pixels, row-major.
type Tile [TileSize * TileSize]int32

// Numbers of a Tile that are no depths.
const (
	NoDepth = 1<<31 - 1 // farther than nothing: nothing is there
	Border  = -1 << 31  // farther than all
)

// TilePiece is a triangle, or a part of one, in columns X0 to X1 and rows Y0 to Y1 of a tile, with the last ones. A pixel of these is in it if
// three numbers are not below 0: those At in column 0 and row Y0, which change by Right from a column to the next, and by Down from
// a row to the next, modulo 2^32. There must be one column and one row.
//
// The depth of a pixel is PX*(X + column) + (PY*(Y + row - Y0) + P0), rounded to float32 by each operation, as a number that is larger if that is:
//
//	b ^ (b >> 31 & 0x7FFFFFFF)   of its bits b
//
// or Z if that is nearer. P0 is -Inf where Z is all there is. The numbers of columns and rows are less than 2^24.
type TilePiece struct {
	At, Right, Down [3]int32
	Z               int32
	PX, PY, P0      float32
	X, Y            float32
	X0, X1, Y0, Y1  uint8
}

// A call takes at most tilePiecesPerCall pieces.
const tilePiecesPerCall = 512

// DrawTile lowers the pixels of pieces to their depths.
func DrawTile(far *Tile, pieces []TilePiece) {
	for len(pieces) > 0 {
		n := min(len(pieces), tilePiecesPerCall)
		tileDraw(far, pieces[:n])
		pieces = pieces[n:]
	}
}

// RaiseTile raises the pixels of best to those of far that are not NoDepth, makes all of far that, and returns the least of best.
func RaiseTile(best, far *Tile) (least int32) { return tileRaise(best, far, 8) }
