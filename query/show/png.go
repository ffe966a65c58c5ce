package show

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/zoctree/zoctree/internal/fault"
)

// Drawing is a picture: a [Scene], [Occlusion], [Instances], [Icicle] or *[Animation].
type Drawing interface {
	// SVG writes the picture.
	SVG(w io.Writer) error
	ours()
}

func (Scene) ours()      {}
func (Occlusion) ours()  {}
func (Instances) ours()  {}
func (Icicle) ours()     {}
func (*Animation) ours() {}

// PNG draws a picture as an image of the same size as its SVG. Text is drawn in a small bitmap
// font, of ASCII alone. It takes the time of the SVG, plus time proportional to the covered
// pixels. It returns the error of the picture or of w.
func PNG(w io.Writer, d Drawing) error {
	var text bytes.Buffer
	if err := d.SVG(&text); err != nil {
		return err
	}
	return pngOf(w, &text, limits{}, png.DefaultCompression)
}

// limits are the limits of an image. The zero value sets none.
type limits struct {
	pixels int
	stop   func() error // returns the reason if the image is cancelled, nil otherwise
}

// check returns the error of stop.
func (l *limits) check() error {
	if l.stop == nil {
		return nil
	}
	return l.stop()
}

// pngOf writes the image of an SVG of this package.
func pngOf(w io.Writer, svg io.Reader, l limits, level png.CompressionLevel) error {
	img, err := rasterise(svg, l)
	if err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	e := png.Encoder{CompressionLevel: level}
	return e.Encode(w, img)
}

// raster is the state of drawing an image.
type raster struct {
	img  *image.RGBA
	clip image.Rectangle // clip of the map
	fill filler
}

// attributes are the attributes of an element.
type attributes map[string]string

// number returns a numeric attribute, or a default if it is missing.
func (a attributes) number(name string, otherwise float64) float64 {
	if x, err := strconv.ParseFloat(a[name], 64); err == nil {
		return x
	}
	return otherwise
}

// ink returns a colour with its opacity.
func (a attributes) ink(name, otherwise string) (c color.RGBA, alpha float64, ok bool) {
	text := a[name]
	if text == "" {
		text = otherwise
	}
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		return c, 0, false // none
	}
	return c, a.number(name+"-opacity", 1), true
}

// rasterise draws an SVG of this package: rectangles, paths of straight lines, circles and text.
func rasterise(r io.Reader, limit limits) (*image.RGBA, error) {
	var p raster
	dec := xml.NewDecoder(r)
	inClip, inTitle := false, false
	var label attributes
	for {
		token, err := dec.Token()
		if err == io.EOF && p.img != nil {
			return p.img, nil
		}
		if err != nil {
			return nil, fault.Errorf("show: a picture that is not an SVG: %w", err)
		}
		if err := limit.check(); err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.StartElement:
			a := attributes{}
			for _, x := range e.Attr {
				a[x.Name.Local] = x.Value
			}
			if a["visibility"] == "hidden" {
				dec.Skip()
				continue
			}
			switch name := e.Name.Local; {
			case name == "svg":
				size := image.Rect(0, 0, int(a.number("width", 0)), int(a.number("height", 0)))
				if limit.pixels > 0 && size.Dx()*size.Dy() > limit.pixels {
					return nil, tooLarge(fmt.Sprintf("an image of %d x %d pixels, want at most %d in all: use a smaller width, or format=svg", size.Dx(), size.Dy(), limit.pixels))
				}
				p.img = image.NewRGBA(size)
				p.clip = p.img.Rect
			case name == "clipPath":
				inClip = true
			case name == "title":
				inTitle = true
			case name == "rect" && inClip:
				x, y := a.number("x", 0), a.number("y", 0)
				p.clip = image.Rect(int(x), int(y), int(x+a.number("width", 0)+0.5), int(y+a.number("height", 0)+0.5)).Intersect(p.img.Rect)
			case name == "rect":
				x, y := a.number("x", 0), a.number("y", 0)
				p.shape(a, only(box2(x, y, x+a.number("width", 0), y+a.number("height", 0))))
			case name == "path":
				p.shape(a, lines(a["d"]))
			case name == "circle":
				var dot line
				for _, c := range circle {
					dot.at = append(dot.at, [2]float64{a.number("cx", 0) + float64(c[0]*a.number("r", 0)), a.number("cy", 0) + float64(c[1]*a.number("r", 0))})
				}
				dot.closed = true
				p.shape(a, only(dot))
			case name == "text":
				label = a
			}
		case xml.CharData:
			if label != nil && !inTitle {
				p.text(label, string(e))
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "clipPath":
				inClip = false
			case "title":
				inTitle = false
			case "text":
				label = nil
			case "g":
				p.clip = p.img.Rect
			}
		}
	}
}

// line is a polyline or a polygon.
type line struct {
	at     [][2]float64
	closed bool
}

func box2(x0, y0, x1, y1 float64) line {
	return line{[][2]float64{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, true}
}

// only returns an iterator over one line.
func only(l line) iter.Seq[line] {
	return func(yield func(line) bool) { yield(l) }
}

// lines reads a path of the commands M, L, H, h, v and z. A line is valid until the next one.
func lines(d string) iter.Seq[line] {
	return func(yield func(line) bool) {
		var l line
		var at [2]float64
		for d != "" {
			command := d[0]
			end := 1 + strings.IndexAny(d[1:], "MLHhvz")
			if end == 0 {
				end = len(d)
			}
			first, second, _ := strings.Cut(strings.TrimSpace(d[1:end]), " ")
			d = d[end:]
			if command == 'z' { // no number follows; ParseFloat would allocate an error
				l.closed = true
				continue
			}
			x, _ := strconv.ParseFloat(first, 64) // in the format of num
			switch command {
			case 'M', 'L':
				y, _ := strconv.ParseFloat(second, 64)
				if command == 'M' && len(l.at) > 0 {
					if !yield(l) {
						return
					}
					l.at, l.closed = l.at[:0], false
				}
				at = [2]float64{x, y}
			case 'H':
				at[0] = x
			case 'h':
				at[0] += x
			case 'v':
				at[1] += x
			}
			l.at = append(l.at, at)
		}
		if len(l.at) > 0 {
			yield(l)
		}
	}
}

// shape fills and strokes lines.
func (p *raster) shape(a attributes, list iter.Seq[line]) {
	p.fill.begin(p.clip)
	if c, alpha, ok := a.ink("fill", inkColour); ok {
		for l := range list {
			p.fill.polygon(l.at)
		}
		p.fill.paint(p.img, c, alpha)
	}
	if c, alpha, ok := a.ink("stroke", "none"); ok {
		width := a.number("stroke-width", 1)
		on, off := 0.0, 0.0
		if dash := strings.Fields(a["stroke-dasharray"]); len(dash) == 2 {
			on, _ = strconv.ParseFloat(dash[0], 64)
			off, _ = strconv.ParseFloat(dash[1], 64)
		}
		for l := range list {
			p.fill.stroke(l, width, on, off)
		}
		p.fill.paint(p.img, c, alpha)
	}
}
