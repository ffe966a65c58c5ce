package occlude_test

import (
	"math"

	"github.com/zoctree/zoctree/query/occlude"
)

// gridSide is the number of cells on a side of a grid.
const gridSide = 16

// grid finds the boxes that a ray may hit beyond the near plane, by their position on the picture. It only
// saves the oracles time: a box is in all cells that a rectangle around its corners, a pixel wider,
// touches.
type grid struct {
	rays  *occlude.Rays
	cells [gridSide][gridSide][]uint32
}

// gridOf returns the grid of the given images of boxes, in their order.
func gridOf(rays *occlude.Rays, near float64, bodies []body, ids []uint32) *grid {
	g := &grid{rays: rays}
	pixels := pixelsOf(rays)
	for _, id := range ids {
		x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, p := range bodies[id].corners {
			x, y, depth := pixels(p)
			if !(rays.Parallel || depth > near/2) || math.IsNaN(x+y) { // through the near plane: anywhere
				x0, y0, x1, y1 = math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)
				break
			}
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
		c0, r0 := g.cell(x0-1, y0-1)
		c1, r1 := g.cell(x1+1, y1+1)
		for r := r0; r <= r1; r++ {
			for c := c0; c <= c1; c++ {
				g.cells[r][c] = append(g.cells[r][c], id)
			}
		}
	}
	return g
}

// cell returns the column and the row of the cell of a point, or of the nearest cell.
func (g *grid) cell(x, y float64) (c, r int) {
	at := func(x float64, n int) int { return int(min(max(x/float64(n)*gridSide, 0), gridSide-1)) }
	return at(x, g.rays.Width), at(y, g.rays.Height)
}

// at returns the boxes that the ray of a point of the picture may hit.
func (g *grid) at(x, y float64) []uint32 {
	c, r := g.cell(x, y)
	return g.cells[r][c]
}
