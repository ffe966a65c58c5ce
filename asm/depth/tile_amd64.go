//go:build amd64 && !purego

package depth

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
