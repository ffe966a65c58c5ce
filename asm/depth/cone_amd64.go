//go:build amd64 && !purego

package depth

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func drawCone(p *Picture, c *Cone, y0, y1 int) {
	l := &p.Levels[0]
	row := &p.Pix[l.Base+y0*l.Stride : l.Base+y1*l.Stride][0]
	switch cpu.Active {
	case cpu.AVX512:
		coneRowsAVX512(row, 4*l.Stride, l.Width, c, y0, y1-y0)
	case cpu.AVX2:
		coneRowsAVX2(row, 4*l.Stride, l.Width, c, y0, y1-y0)
	default:
		drawConeGo(p, c, y0, y1)
	}
}

//go:noescape
func coneRowsAVX512(row *float32, stride, width int, c *Cone, y, n int)

//go:noescape
func coneRowsAVX2(row *float32, stride, width int, c *Cone, y, n int)
