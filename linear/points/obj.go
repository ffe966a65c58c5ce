package points

import (
	"bytes"
	"fmt"
	"math"
)

// obj is the state of reading an OBJ file.
type obj struct {
	s        *source
	k        *collector
	vertices uint64 // number of vertices in the file so far
	line     []byte // continued line, joined
	first    int    // first line of the statement

	// Faces may precede their vertices. So the largest index is kept, with its line, and compared at the end.
	greatest     int64
	greatestLine int
}

// readOBJ reads an OBJ file.
func readOBJ(s *source, k *collector) (string, error) {
	o := obj{s: s, k: k}
	others := 0
	for {
		line, ok := o.statement()
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
			err = o.face(rest)
		default:
			others++
		}
		if err != nil {
			return "", s.errorf("line %d: %w", o.first, err)
		}
	}
	if err := s.failure(); err != nil {
		return "", err
	}
	if o.greatest > int64(o.vertices) {
		return "", s.errorf("line %d: face index %d out of range (%d vertices)", o.greatestLine, o.greatest, o.vertices)
	}
	if o.vertices == 0 {
		return "", s.errorf("no vertices: a line of one is v and three numbers")
	}
	k.skip(int64(others), "other statements")
	return "OBJ", nil
}

// statement returns a line without its comment. A vertex or a face is joined with its continuation lines. Other
// statements end with their line, because a name may end with a backslash.
func (o *obj) statement() ([]byte, bool) {
	line, ok := o.s.line()
	o.first = o.s.lines
	line = cutComment(line)
	keyword, _ := cutField(line)
	switch head, continued := bytes.CutSuffix(line, []byte(`\`)); {
	case !continued:
		return line, ok
	case string(keyword) != "v" && string(keyword) != "f" && string(keyword) != `v\` && string(keyword) != `f\`:
		return line, ok
	default:
		o.line = append(o.line[:0], head...)
	}
	for {
		if line, ok = o.s.line(); !ok { // a backslash at the end of the file continues nothing
			return o.line, o.s.failure() == nil
		}
		head, continued := bytes.CutSuffix(cutComment(line), []byte(`\`))
		if len(o.line)+len(head) >= longestLine {
			o.s.lines = o.first - 1
			return o.s.tooLong()
		}
		o.line = append(append(o.line, ' '), head...)
		if !continued {
			return o.line, true
		}
	}
}

// cutComment removes the comment of a line, which begins with a # at the start of the line or after a blank. Inside
// a word a # is part of it, as in the 1.#INF of some C libraries.
func cutComment(line []byte) []byte {
	for i := 0; ; i++ {
		k := bytes.IndexByte(line[i:], '#')
		if k < 0 {
			return line
		}
		if i += k; i == 0 || line[i-1] <= ' ' {
			return line[:i]
		}
	}
}

func (o *obj) vertex(line []byte) error {
	var v [3]float64
	var text [3][]byte
	for a := range 3 {
		if text[a], line = cutField(line); len(text[a]) == 0 {
			return fmt.Errorf("vertex of %d coordinates, want 3", a)
		}
		var ok bool
		if v[a], ok = parseFloat64(text[a]); !ok {
			return fmt.Errorf("%c: %s is not a number", 'x'+a, quote(text[a]))
		}
	}
	for { // a weight or a colour
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			break
		}
		if _, ok := parseFloat64(field); !ok {
			return fmt.Errorf("after z: %s is not a number", quote(field))
		}
	}
	o.vertices++
	return o.k.point(v, &text)
}

func (o *obj) face(line []byte) error {
	for {
		var field []byte
		if field, line = cutField(line); len(field) == 0 {
			break
		}
		index, ok := cornerIndex(field)
		if !ok {
			return fmt.Errorf("corner %s is not v, v/vt, v//vn or v/vt/vn", quote(field))
		}
		n := int64(o.vertices)
		i := index
		if i < 0 {
			i += n + 1
		}
		if i < 1 || i > math.MaxUint32 {
			return fmt.Errorf("face index %d out of range (%d vertices)", index, n)
		}
		if i > o.greatest {
			o.greatest, o.greatestLine = i, o.first
		}
		if err := o.k.faces.corner(uint32(i - 1)); err != nil {
			return err
		}
	}
	o.k.faces.close()
	return nil
}

// cornerIndex returns the vertex index of a corner. The indices of texture and normal may be missing.
func cornerIndex(field []byte) (int64, bool) {
	vertex, rest, more := bytes.Cut(field, []byte("/"))
	index, ok := parseInt(vertex)
	for parts := 1; more && ok; parts++ {
		var part []byte
		part, rest, more = bytes.Cut(rest, []byte("/"))
		if len(part) > 0 {
			_, ok = parseInt(part)
		}
		ok = ok && parts <= 2
	}
	return index, ok
}
