package points

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/internal/fault"
)

// largestPoint is the limit of the size of a point in bytes, which prevents overflow of products.
const largestPoint = 1 << 20

// pcdField is a field of a point. Its position is counted in values for ascii, and in bytes for binary.
type pcdField struct {
	name         string
	typ          scalar
	count        int64
	value, start int64
}

// pcdHeader has the lines up to DATA.
type pcdHeader struct {
	lines  map[string][]string
	fields []pcdField
	taken  []pcdField // x, y and z, then the fields of the columns
	values int64      // values in a point
	size   int64      // bytes in a point
	width  uint32
	height uint32
	points uint32
	data   string
}

// header reads the lines up to DATA, each once, in any order.
func (h *pcdHeader) header(s *source) error {
	h.lines = map[string][]string{}
	for h.lines["DATA"] == nil {
		line, ok := s.record()
		if !ok {
			return s.lineEnd("no DATA line")
		}
		if word, _ := cutField(line); word[0] == '#' {
			continue
		}
		words, err := splitFields(line)
		if err != nil {
			return s.lineErrorf("%w", err)
		}
		key := words[0]
		switch key {
		case "COLUMNS":
			key = "FIELDS"
		case "VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA":
		default:
			return s.lineErrorf("unknown header word %s: remove its line, or begin it with #", quote(line))
		}
		if h.lines[key] != nil {
			return s.lineErrorf("second %s line", key)
		}
		if len(words) == 1 {
			return s.lineErrorf("%s line without a value", key)
		}
		switch key {
		case "VERSION", "WIDTH", "HEIGHT", "POINTS", "DATA":
			if len(words) > 2 {
				return s.lineErrorf("%s line of %d values, want 1", key, len(words)-1)
			}
		}
		h.lines[key] = words[1:]
	}
	if err := h.interpret(); err != nil {
		return s.lineErrorf("%w", err)
	}
	return nil
}

// interpret derives the other fields from the lines.
func (h *pcdHeader) interpret() error {
	for _, key := range []string{"VERSION", "FIELDS", "SIZE", "TYPE", "WIDTH", "HEIGHT"} {
		if h.lines[key] == nil {
			return fmt.Errorf("header lacks %s", key)
		}
	}
	switch v := h.lines["VERSION"][0]; v {
	case "0.6", ".6", "0.7", ".7":
	default:
		return fmt.Errorf("PCD version %s, want 0.6 or 0.7", quote([]byte(v)))
	}
	switch h.data = h.lines["DATA"][0]; h.data {
	case "ascii", "binary", "binary_compressed":
	default:
		return fmt.Errorf("PCD data %s, want ascii, binary or binary_compressed", quote([]byte(h.data)))
	}
	if err := h.layout(); err != nil {
		return err
	}
	if err := h.findAxes(); err != nil {
		return err
	}
	return h.countPoints()
}

// layout computes the positions of the fields of a point.
func (h *pcdHeader) layout() error {
	names, counts := h.lines["FIELDS"], h.lines["COUNT"]
	if counts == nil {
		counts = slices.Repeat([]string{"1"}, len(names))
	}
	for _, key := range []string{"SIZE", "TYPE"} {
		if n := len(h.lines[key]); n != len(names) {
			return fmt.Errorf("%d fields, but %d values of %s", len(names), n, key)
		}
	}
	if len(counts) != len(names) {
		return fmt.Errorf("%d fields, but %d values of COUNT", len(names), len(counts))
	}
	for i, name := range names {
		size, _ := parseInt([]byte(h.lines["SIZE"][i]))
		kind := strings.ToUpper(h.lines["TYPE"][i])
		valid := size == 4 || size == 8 || kind != "F" && (size == 1 || size == 2)
		if !valid || kind != "I" && kind != "U" && kind != "F" {
			return fmt.Errorf("field %s: no type %s of size %s", name, kind, h.lines["SIZE"][i])
		}
		count, ok := parseInt([]byte(counts[i]))
		if !ok || count < 0 || count > largestPoint {
			return fmt.Errorf("field %s: COUNT %s is not 0 to %d", name, counts[i], largestPoint)
		}
		if count == 0 { // padding without data, as some sensors write it
			continue
		}
		if h.data == "binary_compressed" && name == "_" {
			continue
		}
		h.fields = append(h.fields, pcdField{name, scalar{kind[0], size}, count, h.values, h.size})
		h.values += count
		if h.size += count * size; h.size > largestPoint {
			return fmt.Errorf("a point of more than %d bytes", largestPoint)
		}
	}
	return nil
}

func (h *pcdHeader) findAxes() error {
	for _, name := range [3]string{"x", "y", "z"} {
		found := false
		for _, f := range h.fields {
			if f.name != name {
				continue
			}
			if found {
				return fmt.Errorf("second field %s", name)
			}
			if f.typ.kind != 'F' || f.count != 1 {
				return fmt.Errorf("field %s has TYPE %c COUNT %d, want F and 1", name, f.typ.kind, f.count)
			}
			found = true
			h.taken = append(h.taken, f)
		}
		if !found {
			return fmt.Errorf("no field %s among %s, without the fields of COUNT 0", name, quote([]byte(strings.Join(h.lines["FIELDS"], " "))))
		}
	}
	return nil
}

func (h *pcdHeader) countPoints() error {
	var n [2]uint32
	for i, key := range [2]string{"WIDTH", "HEIGHT"} {
		var err error
		if n[i], err = parseCount([]byte(h.lines[key][0])); err != nil {
			return fault.Errorf("%s: %w", key, err)
		}
	}
	grid := uint64(n[0]) * uint64(n[1])
	if grid > math.MaxUint32 {
		return fmt.Errorf("WIDTH %d times HEIGHT %d is more than %d", n[0], n[1], uint32(math.MaxUint32))
	}
	h.width, h.height, h.points = n[0], n[1], uint32(grid)
	if h.lines["POINTS"] == nil {
		return nil
	}
	points, err := parseCount([]byte(h.lines["POINTS"][0]))
	if err != nil {
		return fault.Errorf("POINTS: %w", err)
	}
	if points != h.points {
		return fmt.Errorf("POINTS is %d, WIDTH times HEIGHT is %d", points, h.points)
	}
	return nil
}
