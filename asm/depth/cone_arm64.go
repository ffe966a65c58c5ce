//go:build arm64 && !purego

package depth

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func drawCone(p *Picture, c *Cone, y0, y1 int) {
	if cpu.Active == cpu.NEON {
		l := &p.Levels[0]
		row := &p.Pix[l.Base+y0*l.Stride : l.Base+y1*l.Stride][0]
		coneRowsNEON(row, 4*l.Stride, l.Width, c, y0, y1-y0)
		return
	}
	drawConeGo(p, c, y0, y1)
}

//go:noescape
func coneRowsNEON(row *float32, stride, width int, c *Cone, y, n int)
