package depth

// TileSize is the number of columns, and of rows, of a tile of pixels.
const TileSize = 8

// Tile is a square of a depth buffer: the depths of its pixels as integers, row-major.
type Tile [TileSize * TileSize]int32

// Values of a Tile that are no depths.
const (
	NoDepth = 1<<31 - 1 // uncovered pixel; above all depths
	Border  = -1 << 31  // below all depths
)

// TilePiece is a triangle, or a part of one, in columns X0 to X1 and rows Y0 to Y1 of a tile,
// inclusive. A pixel of this rectangle is covered if three edge functions are not below 0. They are
// At in column 0 and row Y0, and change by Right from column to column and by Down from row to row,
// modulo 2^32. There must be at least one column and one row.
//
// The depth of a pixel is PX*(X + column) + (PY*(Y + row - Y0) + P0), each operation rounded to
// float32, or Z if that is nearer. Its bits b are mapped to an integer of the same order:
//
//	b ^ (b >> 31 & 0x7FFFFFFF)
//
// P0 is -Inf if all depths are Z. The numbers of columns and rows are less than 2^24.
type TilePiece struct {
	At, Right, Down [3]int32
	Z               int32
	PX, PY, P0      float32
	X, Y            float32
	X0, X1, Y0, Y1  uint8
}

// A call takes at most tilePiecesPerCall pieces.
const tilePiecesPerCall = 512

// DrawTile rasterizes triangles: it lowers the covered pixels of far to the depths of the pieces.
func DrawTile(far *Tile, pieces []TilePiece) {
	for len(pieces) > 0 {
		n := min(len(pieces), tilePiecesPerCall)
		tileDraw(far, pieces[:n])
		pieces = pieces[n:]
	}
}

// RaiseTile raises the pixels of best to the covered pixels of far, sets far to NoDepth, and
// returns the minimum of best.
func RaiseTile(best, far *Tile) (least int32) { return tileRaise(best, far, 8) }
