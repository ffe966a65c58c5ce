package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/soa"
)

// The layout of a map: a headline, the map on the left, its legend on the right.
const (
	margin     = 24.0
	headHeight = 72.0  // height if each line of it fits
	sideWidth  = 232.0 // width of the legend, with the gap before it
	lineHeight = 24.0
	mapPadding = 14.0
)

// sheet is a builder of a map.
type sheet struct {
	page
	width int
	top   float64 // top of map and legend
	frame rect    // frame of the map
	scale float64
	x, y  float64 // world coordinates of the left and bottom of the frame
	row   float64 // position of the next line of the legend
}

// sheet returns a page with headline and frame.
func (s *Scene) sheet(title, about string) *sheet {
	if s.Title != "" {
		title = s.Title
	}
	return newSheet(s.Width, sideWidth, s.densestRegion(), title, about)
}

// newSheet returns a page with headline and frame for a map of a box, beside a legend of a width.
func newSheet(width int, legend float64, b soa.AABB, title, about string) *sheet {
	dx, dy := float64(b.Max[0])-float64(b.Min[0]), float64(b.Max[1])-float64(b.Min[1])
	side := float64(width) - 2*margin - legend
	p := &sheet{scale: (side - 2*mapPadding) / max(dx, dy, 1e-30)}
	// A flat scene has a frame of no less than half its width, and a tall one is centred in a
	// square.
	tall := min(max(float64(dy*p.scale)+2*mapPadding, side/2), side)
	p.top = p.head(width, title, about)
	p.frame = rect{margin, p.top, margin + side, p.top + tall}
	p.x = float64(b.Min[0]) - (side/p.scale-dx)/2
	p.y = float64(b.Min[1]) - (tall/p.scale-dy)/2
	p.row = p.top + 6
	p.width = width
	f := p.frame
	p.printf(`<clipPath id="map"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>`+"\n", num(f.x0), num(f.y0), num(f.x1-f.x0), num(f.y1-f.y0))
	p.printf(`<g clip-path="url(#map)" stroke-linejoin="round">` + "\n")
	return p
}

// done ends the map and begins the legend.
func (p *sheet) done() {
	p.printf("</g>\n")
	p.shape(fmt.Sprintf(`fill="none" stroke="%s"`, frameColour), p.frame.path())
}

// end returns the page, with the height of the map or the legend.
func (p *sheet) end() string {
	var head page
	head.begin(p.width, int(max(p.frame.y1, p.row)+margin))
	p.printf("</svg>\n")
	var all strings.Builder
	all.Grow(head.text.Len() + p.text.Len())
	all.Write(head.text.Bytes())
	all.Write(p.text.Bytes())
	return all.String()
}

// at converts a point of the world to the page: x to the right, y upwards.
func (p *sheet) at(x, y float64) (float64, float64) {
	return p.frame.x0 + float64((x-p.x)*p.scale), p.frame.y1 - float64((y-p.y)*p.scale)
}

func (p *sheet) rect(b soa.AABB) rect {
	x0, y1 := p.at(float64(b.Min[0]), float64(b.Min[1]))
	x1, y0 := p.at(float64(b.Max[0]), float64(b.Max[1]))
	return rect{x0, y0, x1, y1}
}

func (p *sheet) rects(boxes []soa.AABB, least float64) []rect {
	list := make([]rect, 0, len(boxes))
	for _, b := range boxes {
		list = append(list, p.rect(b).atLeast(least))
	}
	return list
}

// line returns a polygon or, when it is open, a polyline.
func (p *sheet) line(points [][2]float64, closed bool) string {
	var b strings.Builder
	for i, q := range points {
		x, y := p.at(q[0], q[1])
		b.WriteString([]string{"L", "M"}[b2i(i == 0)] + num(x) + " " + num(y))
	}
	if closed && len(points) > 0 {
		b.WriteByte('z')
	}
	return b.String()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// heading writes a heading of the legend.
func (p *sheet) heading(text string) {
	if p.row > p.top+10 {
		p.row += 12
	}
	p.label(p.frame.x1+24, p.row+7, `font-weight="bold"`, text)
	p.row += lineHeight
}

// key writes a line of the legend: a swatch of that style, and text.
func (p *sheet) key(style, text string) {
	x := p.frame.x1 + 24
	p.shape(style, rect{x + 1, p.row - 5, x + 23, p.row + 9}.path())
	p.note(text)
}

// keyLine implements key for a line that starts at a point.
func (p *sheet) keyLine(style, text string) {
	x, y := p.frame.x1+24, p.row+2
	p.shape(style, "M"+num(x+1)+" "+num(y)+"h22")
	p.dot(x+1, y, inkColour)
	p.note(text)
}

// dot draws a dot.
func (p *page) dot(x, y float64, colour string) {
	p.printf(`<circle cx="%s" cy="%s" r="6" fill="%s" stroke="#ffffff" stroke-width="1.5"/>`+"\n", num(x), num(y), colour)
}

// note writes text at a line of the legend, next to a swatch.
func (p *sheet) note(text string) {
	p.label(p.frame.x1+58, p.row+7, "", text)
	p.row += lineHeight
}

// head writes a headline and the line below it, each wrapped into several lines if needed, and
// returns the position of their end.
func (p *page) head(width int, title, about string) (bottom float64) {
	room := float64(width) - 2*margin
	y := 34.0
	for i, line := range wrap(title, int(room/12)) {
		y = 34 + float64(24*float64(i))
		p.label(margin, y, `font-size="20" font-weight="bold"`, line)
	}
	for i, line := range wrap(about, int(room/6.6)) {
		y += []float64{22, 17}[b2i(i > 0)]
		p.label(margin, y, fmt.Sprintf(`fill="%s"`, softColour), line)
	}
	return y + headHeight - 56
}

// after returns text behind the origin of the objects, or alone if that is empty.
func after(about, separator, text string) string {
	if about == "" {
		return text
	}
	return about + separator + text
}

// wrap breaks text into lines of at most that many letters: at blanks, or within a longer word.
func wrap(text string, letters int) (lines []string) {
	letters = max(letters, 1)
	line := []rune(nil)
	for _, word := range strings.Split(text, " ") {
		w := []rune(word)
		if len(line) > 0 && len(line)+1+len(w) <= letters {
			line = append(append(line, ' '), w...)
			continue
		}
		if len(line) > 0 {
			lines = append(lines, string(line))
		}
		for len(w) > letters {
			lines = append(lines, string(w[:letters]))
			w = w[letters:]
		}
		line = w
	}
	return append(lines, string(line))
}

// solid returns the style of objects: a fine white edge separates overlapping ones.
func solid(colour string) string {
	return fmt.Sprintf(`fill="%s" stroke="#ffffff" stroke-width="0.3"`, colour)
}

const (
	// An object is large from largeShare of the map on, and from largeAmong if it is largeTimes
	// as large as the median one. Large objects are drawn translucent and behind the others,
	// which they would hide.
	largeShare, largeAmong, largeTimes = 1.0 / 150, 1.0 / 600, 8

	// Opacity of the smallest large objects and of one that fills the map: many large ones may
	// overlap.
	opaqueMax, opaqueMin = 0.36, 0.05

	// tinySide is the side in pixels below which an object has no edge: the edge would cover most
	// of it.
	tinySide = 3
)

// layer is some objects of one colour.
type layer struct {
	colour string
	group
	least float64 // smallest side in pixels
}

// layers draws the layers of too many objects first, as density maps. Then it draws the large
// objects of the other layers that have others on top, and then layer by layer the rest, larger
// objects behind smaller ones.
func (p *sheet) layers(list ...layer) {
	rects := make([][]rect, len(list))
	for i, l := range list {
		if l.all != nil {
			p.density(l)
			continue
		}
		rects[i] = p.rects(l.boxes, l.least)
	}
	large := p.large(rects)
	small, tiny := make([][]rect, len(list)), make([][]rect, len(list))
	drawn, ink := 0, 0.0
	for i, l := range list {
		for _, r := range rects[i] {
			switch {
			case r.area() > large && drawn < maxLarge && ink < maxInk*p.frame.area() && r.covers(rects):
				// Drawn one by one, so that overlaps are visible.
				drawn++
				ink += r.area()
				opacity := max(opaqueMax*math.Sqrt(large/r.area()), opaqueMin)
				p.shape(fill(l.colour, opacity)+fmt.Sprintf(` stroke="%s" stroke-width="0.75"`, l.colour), r.path())
			case max(r.x1-r.x0, r.y1-r.y0) < tinySide:
				tiny[i] = append(tiny[i], r)
			default:
				small[i] = append(small[i], r)
			}
		}
		slices.SortStableFunc(small[i], func(a, b rect) int { return cmp.Compare(b.area(), a.area()) })
	}
	for i, l := range list {
		p.rectangles(solid(l.colour), small[i])
		p.rectangles(fill(l.colour, 1), tiny[i])
	}
}

// large returns the area in pixels from which an object is large among the objects of some
// layers.
func (p *sheet) large(layers [][]rect) float64 {
	var areas []float64
	for _, list := range layers {
		for _, r := range list {
			areas = append(areas, r.area())
		}
	}
	whole := p.frame.area()
	if len(areas) == 0 {
		return whole
	}
	slices.Sort(areas)
	return min(max(largeTimes*areas[len(areas)/2], largeAmong*whole), largeShare*whole)
}

// covers reports whether the centre of a smaller rectangle lies in it.
func (r rect) covers(layers [][]rect) bool {
	for _, list := range layers {
		for _, o := range list {
			x, y := (o.x0+o.x1)/2, (o.y0+o.y1)/2
			if r.x0 < x && x < r.x1 && r.y0 < y && y < r.y1 && o.area() < r.area() {
				return true
			}
		}
	}
	return false
}

// fill and stroke are styles of shapes.
func fill(colour string, opacity float64) string {
	if opacity == 1 {
		return fmt.Sprintf(`fill="%s"`, colour)
	}
	return fmt.Sprintf(`fill="%s" fill-opacity="%.2f"`, colour, opacity)
}

func stroke(colour string, width float64) string {
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%.2f"`, colour, width)
}

// count formats a number with a noun.
func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + more
}

// thousands formats a number with a blank before each group of three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}
