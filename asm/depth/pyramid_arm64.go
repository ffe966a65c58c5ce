//go:build arm64 && !purego

package depth

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func pyramidRows(p *Picture, level, y0, y1 int) {
	if cpu.Active == cpu.NEON {
		pyramidRowsNEON(p, level, y0, y1)
		return
	}
	pyramidRowsGo(p, level, y0, y1)
}

//go:noescape
func pyramidRowsNEON(p *Picture, level, y0, y1 int)
