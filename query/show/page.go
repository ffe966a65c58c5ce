package show

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
)

// The colours: the palette of Okabe and Ito, which colour-blind readers can distinguish, for
// categories, and a scale from dark to light for ordered values.
const (
	inkColour   = "#222222"
	softColour  = "#666666"
	darkColour  = "#888888"
	frameColour = "#b5b9bf"
	missColour  = "#c3c8d0"
	hitColour   = "#0072b2"
	wholeColour = "#009e73"
	lightColour = "#f0e442"
	wrongColour = "#d55e00"
)

// depthColours are the colours of the depths 0, 1, 2, …: the last one is used for all deeper
// ones.
var depthColours = []string{"#2d0b59", "#a52c60", "#d55e00", "#e9a23b", "#c9b400", "#56b4e9", "#0072b2", "#777777"}

func depthColour(depth int) string { return depthColours[min(depth, len(depthColours)-1)] }

// depthWidth returns the width of a line at a depth: the higher the node, the heavier the line.
func depthWidth(depth int) float64 { return max(2.4-float64(0.55*float64(depth)), 0.75) }

// page is a builder of an SVG. Coordinates are pixels, rounded to a tenth. It uses a
// [bytes.Buffer], whose memory doubles: with a [strings.Builder] a page would allocate twice as
// much.
type page struct {
	text bytes.Buffer
	line int // where the line of the path begins in the text
}

// num formats a coordinate.
func num(x float64) string {
	s := strconv.FormatFloat(x, 'f', 1, 64)
	if s == "-0.0" {
		return "0"
	}
	return strings.TrimSuffix(s, ".0")
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

func (p *page) begin(width, height int) {
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="13" fill="%[3]s">`+"\n",
		width, height, inkColour)
	p.printf(`<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
}

func (p *page) end() string {
	p.printf("</svg>\n")
	return p.text.String()
}

// label writes a line of text; style holds further attributes.
func (p *page) label(x, y float64, style, text string) {
	if style != "" {
		style = " " + style
	}
	p.printf(`<text x="%s" y="%s"%s>%s</text>`+"\n", num(x), num(y), style, escape(text))
}

// escape escapes text for XML, and replaces the characters that XML cannot hold.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == '\ufffe', r == '\uffff':
			return '\ufffd'
		}
		return r // invalid UTF-8 is '\ufffd' here
	}, text))
}

// shape draws a path, unless it is empty.
func (p *page) shape(style, d string) {
	if d != "" {
		p.beginPath(style)
		for d != "" {
			next := strings.IndexAny(d[1:], "ML") + 1
			if next == 0 {
				next = len(d)
			}
			p.piece(d[:next])
			d = d[next:]
		}
		p.endPath()
	}
}

// beginPath begins a path, whose commands the caller writes with piece.
func (p *page) beginPath(style string) {
	p.line = p.text.Len()
	p.printf(`<path %s d="`, style)
}

// longestLine is the largest number of characters of a line of a path: editors and reviews are slow with longer ones.
const longestLine = 1000

// piece writes commands of a path, on a new line if this one would be too long.
func (p *page) piece(commands string) {
	if end := p.text.Len() + len(commands) + len(pathEnd); end-p.line > longestLine {
		p.text.WriteByte('\n')
		p.line = p.text.Len()
	}
	p.text.WriteString(commands)
}

const pathEnd = `"/>`

func (p *page) endPath() { p.text.WriteString(pathEnd + "\n") }

// rect is a rectangle of the page.
type rect struct{ x0, y0, x1, y1 float64 }

// path returns the rectangle as a closed path. Sides are differences of rounded corners, so that
// equal edges coincide.
func (r rect) path() string {
	x, y := round(r.x0), round(r.y0)
	w, h := num(round(r.x1)-x), num(round(r.y1)-y)
	return "M" + num(x) + " " + num(y) + "h" + w + "v" + h + "h-" + w + "z"
}

func (r rect) area() float64 { return float64((r.x1 - r.x0) * (r.y1 - r.y0)) }

// atLeast returns the rectangle, enlarged to sides of at least that many pixels.
func (r rect) atLeast(side float64) rect {
	grow := func(a, b float64) (float64, float64) {
		if d := side - (b - a); d > 0 {
			return a - d/2, b + d/2
		}
		return a, b
	}
	r.x0, r.x1 = grow(r.x0, r.x1)
	r.y0, r.y1 = grow(r.y0, r.y1)
	return r
}

// round rounds to a tenth, as num does.
func round(x float64) float64 {
	r, err := strconv.ParseFloat(num(x), 64)
	if err != nil {
		panic(fmt.Sprintf("show: the coordinate %v", x))
	}
	return r
}

// rectangles draws rectangles as one path, unless the list is empty.
func (p *page) rectangles(style string, list []rect) {
	if len(list) == 0 {
		return
	}
	p.beginPath(style)
	for _, r := range list {
		p.piece(r.path())
	}
	p.endPath()
}
