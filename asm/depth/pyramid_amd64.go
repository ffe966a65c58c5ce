//go:build amd64 && !purego

package depth

import "github.com/zoctree/zoctree/internal/cpu"

// pyramidOrder is the permutation that collects the minima of groups of four from a register, for
// both widths.
//
//lint:ignore U1000 assembly reads it
var pyramidOrder = [24]uint32{
	0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
	0, 4, 1, 5, 2, 6, 3, 7,
}

//go:noinline
func pyramidRows(p *Picture, level, y0, y1 int) {
	from, to := &p.Levels[level-1], &p.Levels[level]
	left := from.Height - y0<<LevelShift
	below := &p.Pix[from.Base+y0<<LevelShift*from.Stride:][:left*from.Stride][0]
	row := &p.Pix[to.Base+y0*to.Stride:][:(y1-y0)*to.Stride][0]
	switch cpu.Active {
	case cpu.AVX512:
		pyramidRowsAVX512(below, 4*from.Stride, from.Width, left, row, 4*to.Stride, y1-y0)
	case cpu.AVX2:
		pyramidRowsAVX2(below, 4*from.Stride, from.Width, left, row, 4*to.Stride, y1-y0)
	default:
		pyramidRowsGo(p, level, y0, y1)
	}
}

//go:noescape
func pyramidRowsAVX512(from *float32, stride, width, left int, to *float32, tostride, n int)

//go:noescape
func pyramidRowsAVX2(from *float32, stride, width, left int, to *float32, tostride, n int)
