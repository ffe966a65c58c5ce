package show

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

const (
	// maxHouses is the largest number of boxes drawn with their walls, those nearest to the camera, and of bases.
	maxHouses = 1500

	// regionRim is the width of the rim around the visible objects, as a share of the larger side.
	regionRim = 0.06

	// maxDepthSide is the largest width of the legend that has the depth buffer.
	maxDepthSide = 400

	// depthCell is the side in pixels of a sample of the depth buffer, and depthShades the number of shades.
	depthCell, depthShades = 2, 16
)

// oblique projects the world to a map in which a horizontal direction is upwards: an axonometric view.
type oblique struct {
	right, ahead [2]float64 // horizontal unit vectors
	ground, rise float64    // lengths on the map of a unit ahead and of a unit upwards
}

// fromAbove is the projection of the other maps.
var fromAbove = oblique{right: [2]float64{1, 0}, ahead: [2]float64{0, 1}, ground: 1}

// obliqueOf returns the view from behind and above a camera, at an angle of 45°.
func obliqueOf(c *query.Camera) oblique {
	o := fromAbove
	o.ground, o.rise = math.Sqrt2/2, math.Sqrt2/2
	if length := math.Hypot(c.Forward[0], c.Forward[1]); length > 1e-6*math.Abs(c.Forward[2]) {
		o.ahead = [2]float64{c.Forward[0] / length, c.Forward[1] / length}
		o.right = [2]float64{o.ahead[1], -o.ahead[0]}
	}
	return o
}

// at projects a point.
func (o *oblique) at(p [3]float64) [2]float64 {
	w := float64(p[0]*o.ahead[0]) + float64(p[1]*o.ahead[1])
	return [2]float64{float64(p[0]*o.right[0]) + float64(p[1]*o.right[1]), float64(w*o.ground) + float64(p[2]*o.rise)}
}

// corner projects a corner of a box: bit a of the number is set for the upper end of axis a.
func (o *oblique) corner(b *soa.AABB, number int) [2]float64 {
	var p [3]float64
	for a := range p {
		p[a] = float64([2]float32{b.Min[a], b.Max[a]}[number>>a&1])
	}
	return o.at(p)
}

// flatBox is a rectangle of the map, from its lower left to its upper right corner.
type flatBox [2][2]float64

// box returns the rectangle around a projected box.
func (o *oblique) box(b *soa.AABB) (r flatBox) {
	r[0] = o.corner(b, 0)
	r[1] = r[0]
	for i := range 8 {
		c := o.corner(b, i)
		r = r.union(flatBox{c, c})
	}
	return r
}

func (r flatBox) union(s flatBox) flatBox {
	for a := range 2 {
		r[0][a], r[1][a] = min(r[0][a], s[0][a]), max(r[1][a], s[1][a])
	}
	return r
}

func (r flatBox) overlaps(s flatBox) bool {
	return r[0][0] < s[1][0] && s[0][0] < r[1][0] && r[0][1] < s[1][1] && s[0][1] < r[1][1]
}

// aabb returns the rectangle with a rim, as a flat box.
func (r flatBox) aabb(rim float64) (b soa.AABB) {
	by := float64(rim * max(r[1][0]-r[0][0], r[1][1]-r[0][1]))
	for a := range 2 {
		b.Min[a] = float32(max(r[0][a]-by, -math.MaxFloat32))
		b.Max[a] = float32(min(r[1][a]+by, math.MaxFloat32))
	}
	return b
}

// shown returns the rectangle of the map that the frame shows.
func (p *sheet) shown() flatBox {
	f := p.frame
	return flatBox{{p.x, p.y}, {p.x + (f.x1-f.x0)/p.scale, p.y + (f.y1-f.y0)/p.scale}}
}

// quad returns the polygon of four corners of a box, by number.
func (p *sheet) quad(o *oblique, b *soa.AABB, numbers [4]int) string {
	var points [4][2]float64
	for i, n := range numbers {
		points[i] = o.corner(b, n)
	}
	return p.line(points[:], true)
}

// The corners of the base, the roof and the walls of a box, in their order.
var (
	baseCorners = [4]int{0, 1, 3, 2}
	roofCorners = [4]int{4, 5, 7, 6}
	wallCorners = [2][2][4]int{{{0, 2, 6, 4}, {1, 3, 7, 5}}, {{0, 1, 5, 4}, {2, 3, 7, 6}}} // by axis, and end of it
)

// bases returns the bases of the boxes in the frame, and a remark: too many are not drawn.
func (p *sheet) bases(o *oblique, boxes []soa.AABB, most int) (path, remark string) {
	var b strings.Builder
	frame, drawn := p.shown(), 0
	for i := range boxes {
		if o.box(&boxes[i]).overlaps(frame) {
			if drawn++; drawn > most {
				return "", ", not drawn"
			}
			b.WriteString(p.quad(o, &boxes[i], baseCorners))
		}
	}
	return b.String(), ""
}

// house is a box to be drawn.
type house struct {
	soa.AABB
	class    int
	on       flatBox
	distance float64 // of its centre from the camera, on the map
	depth    float64 // of its centre, along the view
	behind   int     // number of houses that have to be drawn first
	after    []int   // houses to be drawn later
}

// houses draws the roofs and visible walls of the boxes in the frame, far ones first, each list in a colour. It returns
// the number of those left out, which are further from a point than others.
func (p *sheet) houses(o *oblique, from [2]float64, lists [][]soa.AABB, colours []string) (left int) {
	frame := p.shown()
	var list []house
	for class, boxes := range lists {
		for i := range boxes {
			b := &boxes[i]
			on := o.box(b)
			if !on.overlaps(frame) {
				continue
			}
			m := b.Center()
			c := o.at([3]float64{float64(m[0]), float64(m[1]), float64(m[2])})
			ahead := float64(float64(m[0])*o.ahead[0]) + float64(float64(m[1])*o.ahead[1])
			list = append(list, house{AABB: *b, class: class, on: on, distance: math.Hypot(c[0]-from[0], c[1]-from[1]),
				depth: float64(ahead*o.rise) - float64(float64(m[2])*o.ground)})
		}
	}
	slices.SortStableFunc(list, func(a, b house) int { return cmp.Compare(a.distance, b.distance) })
	left = max(len(list)-maxHouses, 0)
	list = list[:len(list)-left]
	for _, round := range rounds(o, list) {
		for class, colour := range colours {
			var roofs strings.Builder
			var walls [2]strings.Builder
			for _, i := range round {
				h := &list[i]
				if h.class != class {
					continue
				}
				roofs.WriteString(p.quad(o, &h.AABB, roofCorners))
				for axis := range 2 {
					if o.rise > 0 && o.ahead[axis] != 0 && h.Min[2] < h.Max[2] {
						walls[axis].WriteString(p.quad(o, &h.AABB, wallCorners[axis][b2i(o.ahead[axis] < 0)]))
					}
				}
			}
			p.shape(houseStyle(colour, 0.66), walls[0].String())
			p.shape(houseStyle(colour, 0.82), walls[1].String())
			p.shape(houseStyle(colour, 1), roofs.String())
		}
	}
	return left
}

// rounds returns the houses in the rounds in which they are drawn: none hides another one of its round or of an earlier
// one. If boxes intersect, the centres decide.
func rounds(o *oblique, list []house) (all [][]int) {
	for i := range list {
		for k := range i {
			a, b := &list[i], &list[k]
			if !a.on.overlaps(b.on) {
				continue
			}
			over, under := hides(o, a, b), hides(o, b, a)
			if over && under {
				over = a.depth < b.depth
			}
			if over {
				a.behind++
				b.after = append(b.after, i)
			} else if under {
				b.behind++
				a.after = append(a.after, k)
			}
		}
	}
	var next []int
	for i := range list {
		if list[i].behind == 0 {
			next = append(next, i)
		}
	}
	for left := len(list); left > 0; {
		if len(next) == 0 { // a cycle
			far := -1
			for i := range list {
				if list[i].behind > 0 && (far < 0 || list[i].depth > list[far].depth) {
					far = i
				}
			}
			list[far].behind = 0
			next = append(next, far)
		}
		round := next
		all, next, left = append(all, round), nil, left-len(round)
		for _, i := range round {
			for _, k := range list[i].after {
				if list[k].behind--; list[k].behind == 0 {
					next = append(next, k)
				}
			}
		}
	}
	return all
}

// hides reports whether a may hide a part of b: no plane between them has b on the side of the viewer.
func hides(o *oblique, a, b *house) bool {
	for axis, ahead := range [3]float64{o.ahead[0], o.ahead[1], -o.ground} {
		if ahead > 0 && b.Max[axis] <= a.Min[axis] || ahead < 0 && a.Max[axis] <= b.Min[axis] {
			return false
		}
	}
	return true
}

// houseStyle returns the style of a face, darker by a factor.
func houseStyle(colour string, light float64) string {
	var c [3]uint8
	fmt.Sscanf(colour, "#%02x%02x%02x", &c[0], &c[1], &c[2])
	for i := range c {
		c[i] = uint8(float64(c[i]) * light)
	}
	edge := "#ffffff"
	if colour == paleColour {
		edge = hiddenColour
	}
	return fmt.Sprintf(`fill="#%02x%02x%02x" stroke="%s" stroke-width="0.4"`, c[0], c[1], c[2], edge)
}

// depths draws samples of a depth buffer in the legend, in shades of grey from black to white.
func (p *sheet) depths(img *image.Gray16) {
	b := img.Bounds()
	x0 := p.frame.x1 + 24
	columns := int((float64(p.width) - margin - x0) / depthCell)
	lines := max(columns*b.Dy()/b.Dx(), 1)
	if lines > columns { // an upright image
		columns, lines = max(columns*columns/lines, 1), columns
	}
	var shades [depthShades][]rect
	at := func(column, line int) int {
		y := img.Gray16At(b.Min.X+(2*column+1)*b.Dx()/(2*columns), b.Min.Y+(2*line+1)*b.Dy()/(2*lines)).Y
		return int(y) * (depthShades - 1) / math.MaxUint16
	}
	for line := range lines {
		for from, to := 0, 0; from < columns; from = to {
			shade := at(from, line)
			for to = from + 1; to < columns && at(to, line) == shade; to++ {
			}
			if y := p.row + float64(depthCell*line); shade > 0 {
				shades[shade] = append(shades[shade], rect{x0 + float64(depthCell*from), y, x0 + float64(depthCell*to), y + depthCell})
			}
		}
	}
	whole := rect{x0, p.row, x0 + float64(depthCell*columns), p.row + float64(depthCell*lines)}
	p.rectangles(fill("#000000", 1), []rect{whole})
	for shade, list := range shades {
		grey := shade * 255 / (depthShades - 1)
		p.rectangles(fmt.Sprintf(`fill="#%02[1]x%02[1]x%02[1]x" shape-rendering="crispEdges"`, grey), list)
	}
	p.row = whole.y1 + 6
}
