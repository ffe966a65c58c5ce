package points

import (
	"bytes"
	"fmt"
	"math"
)

// obj is a file in the making.
type obj struct {
	s     *source
	raw   [][3]float64
	faces faces
	line  []byte // a continued line, joined

	// Faces may come before their vertices. So the greatest index is kept, with
	// its line, and compared at the end.
	greatest     int64
	greatestLine int
}

// readOBJ reads an OBJ file.
func readOBJ(s *source, c *Cloud, opt *Options) error {
	o := obj{s: s, faces: faces{uncornered: opt.NoFaces}}
	others := 0
	for {
		line, ok := o.statement(s)
		if !ok {
			break
		}
		keyword, rest := cutField(line)
		var err error
		switch string(keyword) {
		case "":
		case "v":
			err = o.vertex(rest)
		case "f":
			err = o.face(rest, s.lines)
		default:
			others++
		}
		if err != nil {
			return s.lineErrorf("%w", err)
		}
	}
	if err := s.failure(); err != nil {
		return err
	}
	if n := len(o.raw); o.greatest > int64(n) {
		s.lines = o.greatestLine
		return s.lineErrorf("face index %d out of range (%d vertices)", o.greatest, n)
	}
	if len(o.raw) == 0 {
		return s.errorf("no vertices")
	}
	c.Format = "OBJ"
	if others > 0 {
		c.Skipped = append(c.Skipped, fmt.Sprintf("%d other statements", others))
	}
	c.raw = o.raw
	c.setFaces(&o.faces)
	return nil
}

// statement returns a line without its comment, joined with the lines that
// continue it.
func (o *obj) statement(s *source) ([]byte, bool) {
	o.line = o.line[:0]
	for {
		line, ok := s.line()
		line, _, _ = bytes.Cut(line, []byte("#"))
		head, continued := bytes.CutSuffix(line, []byte(`\`))
		switch {
		case continued:
			if len(o.line)+len(head) >= longestLine {
				return s.tooLong()
			}
			o.line = append(append(o.line, head...), ' ')
		case len(o.line) > 0:
			o.line = append(o.line, line...)
			return o.line, true
		default:
			return line, ok
		}
	}
}

func (o *obj) vertex(line []byte) error {
	if int64(len(o.raw)) == math.MaxUint32 {
		return fmt.Errorf("more than %d vertices", uint32(math.MaxUint32))
	}
	var v [3]float64
	for a := range 3 {
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			return fmt.Errorf("vertex of %d coordinates", a)
		}
		var ok bool
		if v[a], ok = parseFloat64(field); !ok {
			return fmt.Errorf("%c: %s is not a number", 'x'+a, quote(field))
		}
		if err := o.s.coordinate(a, v[a]); err != nil {
			return err
		}
	}
	for { // a weight or a colour, or else another line
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			break
		}
		if _, ok := parseFloat64(field); !ok {
			return fmt.Errorf("after z: %s is not a number", quote(field))
		}
	}
	o.raw = append(o.raw, v)
	return nil
}

func (o *obj) face(line []byte, lineNumber int) error {
	for {
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			break
		}
		vertex, _, _ := bytes.Cut(field, []byte("/"))
		index, ok := parseInt(vertex)
		if !ok {
			return fmt.Errorf("corner %s is not v, v/vt, v//vn or v/vt/vn", quote(field))
		}
		n := int64(len(o.raw))
		i := index
		if i < 0 {
			i += n + 1
		}
		if i < 1 || i > math.MaxUint32 {
			return fmt.Errorf("face index %d out of range (%d vertices)", index, n)
		}
		if i > o.greatest {
			o.greatest, o.greatestLine = i, lineNumber
		}
		o.faces.corner(uint32(i - 1))
	}
	o.faces.close()
	return nil
}
