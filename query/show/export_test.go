package show

import (
	"encoding/xml"
	"io"
	"math"
)

// Rows returns the number of rows of an image that the sides of all rectangles and paths of its SVG cross, and
// its height. The image takes time proportional to them.
func Rows(svg io.Reader) (rows, height float64, err error) {
	inside := func(y float64) float64 { return min(max(y, 0), height) }
	for dec := xml.NewDecoder(svg); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return rows, height, nil
		}
		if err != nil {
			return rows, height, err
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := attributes{}
		for _, x := range e.Attr {
			a[x.Name.Local] = x.Value
		}
		switch e.Name.Local {
		case "svg":
			height = a.number("height", 0)
		case "rect":
			rows += 2 * a.number("height", 0)
		case "path":
			for l := range lines(a["d"]) {
				for i, p := range l.at {
					rows += math.Abs(inside(l.at[(i+1)%len(l.at)][1]) - inside(p[1]))
				}
			}
		}
	}
}
