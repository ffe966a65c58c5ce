package occlude

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/depth"
)

// A mesh is drawn in independent tiles of tileSize x tileSize pixels.
const (
	tileBits = 3 // of tileSize
	tileSize = depth.TileSize

	// listRoom is the maximum length of the list of triangles of a group of tiles. A group is at least one
	// tile.
	listRoom = 1 << 22
)

// resize makes room for a buffer size and a number of workers.
func (d *meshDraw) resize(width, height, workers int) {
	d.width, d.height = int32(width), int32(height)
	d.across = (width + tileSize - 1) >> tileBits
	d.tiles = d.across * ((height + tileSize - 1) >> tileBits)
	if cap(d.ends) < d.tiles+1 {
		d.ends = make([]int32, d.tiles+1)
	}
	d.ends = d.ends[:d.tiles+1]
	if d.room == 0 {
		d.room = listRoom
	}
	for len(d.bands) < workers {
		d.bands = append(d.bands, meshTile{})
		far := &d.bands[len(d.bands)-1].far
		for i := range far {
			far[i] = noDepth
		}
	}
}

// pixelRect is a rectangle of pixels: columns x0 to x1 and rows y0 to y1, inclusive.
type pixelRect struct{ x0, x1, y0, y1 int32 }

// touched returns the pixels that touch the rectangle around points, after growing by offSteps on all sides.
func touched(x0, x1, y0, y1 int32) pixelRect {
	return pixelRect{(x0 - offSteps - 1) >> stepBits, (x1 + offSteps) >> stepBits, (y0 - offSteps - 1) >> stepBits, (y1 + offSteps) >> stepBits}
}

// small reports whether the rectangle has at most smallPixels pixels.
func (r *pixelRect) small() bool {
	width, height := r.x1-r.x0+1, r.y1-r.y0+1
	return width <= smallPixels && height <= smallPixels && width*height <= smallPixels
}

// tilesOf returns the tiles of the image that a triangle comes near.
func (d *meshDraw) tilesOf(t *nearTriangle) (r pixelRect) {
	if t.large >= 0 {
		r = d.large[t.large].r
	} else {
		r.x0, r.y0 = int32(t.x0), int32(t.y0)
		r.x1, r.y1 = r.x0+int32(t.width), r.y0+int32(t.height)
	}
	return pixelRect{max(r.x0, 0) >> tileBits, min(r.x1, d.width-1) >> tileBits, max(r.y0, 0) >> tileBits, min(r.y1, d.height-1) >> tileBits}
}

// sort lists the triangles near the image, counts them by tile, and sorts them by class of depth.
func (d *meshDraw) sort(m *Mesh, drawn uint8) {
	d.mesh = m
	if cap(d.sides) < len(m.triangles) {
		d.sides = make([]uint8, len(m.triangles))
	}
	d.sides = d.sides[:len(m.triangles)]
	d.near, d.large = d.near[:0], d.large[:0]
	clear(d.ends)
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	right, bottom := d.width*steps+offSteps, d.height*steps+offSteps
	clear(d.sides)
	if cap(d.nearIndex) < len(m.triangles) {
		d.nearIndex = make([]int32, len(m.triangles))
	}
	d.nearIndex = d.nearIndex[:len(m.triangles)]
	for i := 0; i < len(m.triangles); i++ {
		if !d.kept[i>>partBits] {
			i |= partSize - 1
			continue
		}
		t := &m.triangles[i]
		a, b, c := &d.points[t[0]], &d.points[t[1]], &d.points[t[2]]
		x0, x1, y0, y1 := min(a.x, b.x, c.x), max(a.x, b.x, c.x), min(a.y, b.y, c.y), max(a.y, b.y, c.y)
		if x0 == away || x1 < -offSteps || y1 < -offSteps || x0 > right || y0 > bottom {
			continue
		}
		side := drawn | flatOnGrid
		if s := area(a, b, c); s > 0 {
			side = drawn & clockwise
		} else if s < 0 {
			side = drawn & counterclockwise
			b, c = c, b
		}
		if side == 0 {
			continue
		}
		d.sides[i], d.nearIndex[i] = side, int32(len(d.near))
		z := max(a.z, b.z, c.z)
		least, most = min(least, z), max(most, z)
		if len(d.near) == cap(d.near) {
			d.near = slices.Grow(d.near, 1)
		}
		d.near = d.near[:len(d.near)+1]
		n := &d.near[len(d.near)-1]
		n.triangle, n.nearest, n.farthest, n.sides = int32(i), z, min(a.z, b.z, c.z), side
		if r := touched(x0, x1, y0, y1); r.small() {
			n.large = -1
			n.setSmall(a, b, c, &r)
		} else {
			n.large = int32(len(d.large))
			t := largeTriangle{p: [3]meshPoint{*a, *b, *c}, r: r}
			if side&flatOnGrid == 0 {
				t.px, t.py, t.p0 = planeOf(a, b, c, &r)
			}
			d.large = append(d.large, t)
		}
		tiles := d.tilesOf(n)
		for y := tiles.y0; y <= tiles.y1; y++ {
			for x := tiles.x0; x <= tiles.x1; x++ {
				d.ends[int(y)*d.across+int(x)]++
			}
		}
	}
	d.classes.set(least, most)
	d.beside = slices.Grow(d.beside[:0], len(d.near))[:len(d.near)]
	for i := range d.near {
		n := &d.near[i]
		d.classes.ends[d.classes.of(n.nearest)]++
		n.borders = 0
		for e, other := range m.beside[n.triangle] {
			beside, index := uint8(0), int32(-1)
			if other >= 0 {
				if beside = d.sides[other]; beside != 0 {
					index = d.nearIndex[other]
				}
			}
			d.beside[i][e] = index
			n.borders |= (^beside&1 | ^beside&2<<2) << e
		}
	}
	at := int32(0)
	for i, n := range d.classes.ends {
		d.classes.ends[i] = at
		at += n
	}
	if cap(d.byDepth) < len(d.near) {
		d.byDepth = make([]int32, len(d.near))
	}
	d.byDepth = d.byDepth[:len(d.near)]
	for i := range d.near {
		end := &d.classes.ends[d.classes.of(d.near[i].nearest)]
		d.byDepth[*end] = int32(i)
		*end++
	}
}

// depthClasses are classes of about equal depths, the nearest first.
type depthClasses struct {
	most  int32
	shift int
	ends  [1 << classBits]int32
}

const classBits = 9

// set makes the classes empty, for depths from least to most.
func (c *depthClasses) set(least, most int32) {
	c.most = most
	c.shift = max(bits.Len32(uint32(most-least))-classBits, 0)
	clear(c.ends[:])
}

// of returns the class of a depth.
func (c *depthClasses) of(z int32) uint32 { return uint32(c.most-z) >> c.shift & (1<<classBits - 1) }

// nearest returns an upper bound of the depths in the class of z and in the classes behind it.
func (c *depthClasses) nearest(z int32) int32 {
	return c.most - int32(uint32(c.most-z)>>c.shift<<c.shift)
}

// bin lists the triangles of tiles, from the first tile on as far as there is room, and sets last. It turns
// the counts in ends into the ends of the tiles in the list.
func (d *meshDraw) bin() {
	d.last = d.first
	n := int32(0)
	for d.last < d.tiles && (d.last == d.first || n+d.ends[d.last] <= d.room) {
		count := d.ends[d.last]
		d.ends[d.last] = n
		n += count
		d.last++
	}
	if cap(d.list) < int(n) {
		d.list = make([]int32, n)
	}
	d.list = d.list[:n]
	for _, i := range d.byDepth {
		t := d.tilesOf(&d.near[i])
		for y := t.y0; y <= t.y1; y++ {
			row := int(y) * d.across
			for tile := max(row+int(t.x0), d.first); tile <= min(row+int(t.x1), d.last-1); tile++ {
				d.list[d.ends[tile]] = i
				d.ends[tile]++
			}
		}
	}
}

// inTile returns the triangles near a tile, the nearest first.
func (d *meshDraw) inTile(tile int) []int32 {
	first := int32(0)
	if tile > d.first {
		first = d.ends[tile-1]
	}
	return d.list[first:d.ends[tile]]
}
