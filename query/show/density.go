package show

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// The limits of a picture keep its size and drawing time from growing with the tree.
const (
	// maxDrawn is the largest number of objects drawn one by one, and of tight boxes of one
	// style. Groups of objects have equal shares of it.
	maxDrawn = 20_000

	// At most maxLarge large objects are drawn one by one, and at most maxInk times the area of
	// the map. The others are drawn with the small ones.
	maxLarge, maxInk = 2000, 20

	// Smallest side of the squares of the density map in pixels, and largest number of squares in
	// a row.
	densitySide, densityCells = 3, 256
)

// group is a set of objects that are drawn in one colour.
type group struct {
	n     int
	boxes []soa.AABB         // empty if there are too many
	all   iter.Seq[soa.AABB] // all boxes if there are too many, nil otherwise
}

// groupOf returns the group of boxes.
func groupOf(boxes []soa.AABB) group {
	if len(boxes) > maxDrawn {
		return group{n: len(boxes), all: slices.Values(boxes)}
	}
	return group{n: len(boxes), boxes: boxes}
}

// group writes a line of the legend, and marks a density map as such.
func (p *sheet) group(colour string, g group, text string) {
	if g.all == nil {
		p.key(fill(colour, 1), text)
		return
	}
	p.key(fill(colour, densityShade(1, 2)), text)
	p.note("by density")
}

// outlines draws tight boxes, unless there are too many to distinguish.
func (p *sheet) outlines(style string, o *outlined) {
	if o.seen <= maxDrawn {
		p.rectangles(style, p.rects(o.boxes, 0))
	}
}

// density draws a density map: the number of objects of a layer that overlap each square of a
// grid. The shade is the number of bits of this count. It takes time proportional to objects and
// squares.
func (p *sheet) density(l layer) {
	f := p.frame
	wide, tall := f.x1-f.x0, f.y1-f.y0
	side := max(densitySide, max(wide, tall)/densityCells)
	nx, ny := int(wide/side)+1, int(tall/side)+1
	// The number at a square is the sum of the changes in the rows above and the columns to the
	// left.
	row := nx + 1
	change := make([]int32, row*(ny+1))
	for b := range l.all {
		r := p.rect(b)
		if r.x1 < f.x0 || r.x0 > f.x1 || r.y1 < f.y0 || r.y0 > f.y1 {
			continue
		}
		x0, x1 := int(max(r.x0-f.x0, 0)/side), int(min(r.x1-f.x0, wide)/side)+1
		y0, y1 := int(max(r.y0-f.y0, 0)/side), int(min(r.y1-f.y0, tall)/side)+1
		change[y0*row+x0]++
		change[y0*row+x1]--
		change[y1*row+x0]--
		change[y1*row+x1]++
	}
	var most int32
	for y := range ny {
		for x := range nx {
			i := y*row + x
			if x > 0 {
				change[i] += change[i-1]
			}
			if y > 0 {
				change[i] += change[i-row]
			}
			if x > 0 && y > 0 {
				change[i] -= change[i-row-1]
			}
			most = max(most, change[i])
		}
	}
	shades := bits.Len32(uint32(most)) + 1
	// Shades are written one after the other, so that no path is held in memory next to the page.
	for shade := 1; shade < shades; shade++ {
		opened := false
		for y := range ny {
			top := f.y0 + float64(side*float64(y))
			for x, next := 0, 0; x < nx; x = next {
				is := bits.Len32(uint32(change[y*row+x]))
				for next = x + 1; next < nx && bits.Len32(uint32(change[y*row+next])) == is; next++ {
				}
				if is != shade {
					continue
				}
				if !opened {
					p.beginPath(fill(l.colour, densityShade(shade, shades-1)))
					opened = true
				}
				left := f.x0 + float64(side*float64(x))
				p.piece(rect{left, top, f.x0 + float64(side*float64(next)), top + side}.path())
			}
		}
		if opened {
			p.endPath()
		}
	}
}

// densityShade returns the opacity of a shade, out of of shades.
func densityShade(shade, of int) float64 {
	return 0.2 + float64(0.8*float64(shade))/float64(max(of, 1))
}
