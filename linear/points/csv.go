package points

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/soa"
)

// table is a CSV file in the making. A column is its index, -1 where the file
// lacks it.
type table struct {
	s      *source
	c      *Cloud
	opt    *Options
	header []string // in lower case
	record []string
	start  int64 // of the file's first record
	end    int64 // of the record read last, from there

	lo, hi [3]int // columns of coordinates; points have no hi
	boxes  bool
	floats []kept // of opt.Columns
	texts  []kept // of opt.Texts
}

// kept is a column to keep.
type kept struct {
	name   string // in the options
	column int
}

// readCSV reads a CSV file.
func readCSV(s *source, c *Cloud, opt *Options) error {
	t := table{s: s, c: c, opt: opt, start: s.offset()}
	r := csv.NewReader(&t)
	r.ReuseRecord = true
	r.FieldsPerRecord = -1
	c.Format = "CSV"
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return t.readError(err)
		}
		t.record, t.end = record, r.InputOffset()
		s.lines, _ = r.FieldPos(0)
		add := t.row
		if t.header == nil {
			add = t.columns
		}
		if err := add(); err != nil {
			return s.lineErrorf("%w", err)
		}
	}
	if t.header == nil {
		return s.errorf("no header line")
	}
	if t.boxes && c.boxes == nil {
		c.boxes = []soa.AABB64{}
	}
	return nil
}

// Read hands the csv package the file, until a record is longer than
// longestRecord: a field in quotes may go on over lines without end.
func (t *table) Read(p []byte) (int, error) {
	if t.s.offset()-t.start-t.end > longestRecord {
		which := "the header"
		if t.header != nil {
			which = fmt.Sprintf("the record after that of line %d", t.s.lines)
		}
		t.s.err = fmt.Errorf("%s goes on for more than %d bytes: look for a quote that is not closed, or shorten it", which, longestRecord)
		return 0, t.s.err
	}
	return t.s.Read(p)
}

// readError gives an error of the csv package our form.
func (t *table) readError(err error) error {
	if broken := t.s.failure(); broken != nil {
		return broken
	}
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		t.s.lines = p.Line
		return t.s.lineErrorf("%w", p.Err)
	}
	return t.s.errorf("%w", err)
}

// columns finds the columns by the header line.
func (t *table) columns() error {
	for _, name := range t.record {
		name = strings.TrimSpace(name)
		if strings.Contains(name, "\r") { // or all the file would be a header
			return fmt.Errorf("column %s: lines end with \\r alone, want \\n or \\r\\n", quote([]byte(name)))
		}
		t.header = append(t.header, strings.ToLower(name))
	}
	if err := t.coordinates(); err != nil {
		return err
	}
	t.c.Columns, t.c.Texts = map[string][]float64{}, map[string][]string{}
	for _, name := range t.opt.Columns {
		i, err := t.find(name)
		if err != nil {
			return err
		}
		if _, again := t.c.Columns[name]; i >= 0 && !again {
			t.c.Columns[name] = nil
			t.floats = append(t.floats, kept{name, i})
		}
	}
	for _, name := range t.opt.Texts {
		i, err := t.find(name)
		if err != nil {
			return err
		}
		if _, again := t.c.Texts[name]; i >= 0 && !again {
			t.c.Texts[name] = nil
			t.texts = append(t.texts, kept{name, i})
		}
	}
	return nil
}

// coordinates finds the box columns, or else the point columns.
func (t *table) coordinates() error {
	lo, err := t.axes("minx", "miny", "minz")
	if err != nil {
		return err
	}
	hi, err := t.axes("maxx", "maxy", "maxz")
	if err != nil {
		return err
	}
	if min(lo[0], lo[1], hi[0], hi[1]) >= 0 {
		if (lo[2] < 0) != (hi[2] < 0) {
			return fmt.Errorf("only one of minz and maxz")
		}
		t.lo, t.hi, t.boxes = lo, hi, true
		return nil
	}
	for _, names := range [][3]string{{"x", "y", "z"}, {"x_m", "y_m", "z_m"}} {
		if t.lo, err = t.axes(names[0], names[1], names[2]); err != nil {
			return err
		}
		if min(t.lo[0], t.lo[1]) >= 0 {
			return nil
		}
	}
	return fmt.Errorf("no columns minx, miny, maxx, maxy, nor x, y, nor x_m, y_m")
}

func (t *table) axes(names ...string) (columns [3]int, err error) {
	for a, name := range names {
		if columns[a], err = t.find(name); err != nil {
			return columns, err
		}
	}
	return columns, nil
}

// find returns the column of a name, -1 without one.
func (t *table) find(name string) (int, error) {
	name = strings.ToLower(name)
	i := slices.Index(t.header, name)
	if i >= 0 && slices.Contains(t.header[i+1:], name) {
		return i, fmt.Errorf("second column %s", name)
	}
	return i, nil
}

// row takes a point or a box.
func (t *table) row() error {
	if len(t.record) != len(t.header) {
		return fmt.Errorf("%d fields, but %d columns", len(t.record), len(t.header))
	}
	shape := t.point
	if t.boxes {
		shape = t.box
	}
	if err := shape(); err != nil {
		return err
	}
	for _, k := range t.floats {
		v, ok := parseFloat64([]byte(t.field(k.column)))
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return t.notNumber(k.column)
		}
		t.c.Columns[k.name] = append(t.c.Columns[k.name], v)
	}
	for _, k := range t.texts {
		// A field shares the memory of its whole row.
		t.c.Texts[k.name] = append(t.c.Texts[k.name], strings.Clone(t.record[k.column]))
	}
	return nil
}

func (t *table) field(i int) string { return strings.TrimSpace(t.record[i]) }

func (t *table) notNumber(i int) error {
	return fmt.Errorf("%s: %s is not a finite number", t.header[i], quote([]byte(t.record[i])))
}

// point takes the row's point.
func (t *table) point() error {
	var p [3]float64
	for a, i := range t.lo {
		if i < 0 {
			continue
		}
		var ok bool
		if p[a], ok = parseFloat64([]byte(t.field(i))); !ok {
			return t.notNumber(i)
		}
		if err := t.s.coordinate(a, p[a]); err != nil {
			return err
		}
	}
	t.c.raw = append(t.c.raw, p)
	return nil
}

// box takes the row's box.
func (t *table) box() error {
	var b soa.AABB64
	for a := range 3 {
		if t.lo[a] < 0 {
			continue
		}
		var ok bool
		if b.Min[a], ok = parseFloat64([]byte(t.field(t.lo[a]))); !ok {
			return t.notNumber(t.lo[a])
		}
		if b.Max[a], ok = parseFloat64([]byte(t.field(t.hi[a]))); !ok {
			return t.notNumber(t.hi[a])
		}
		if b.Min[a] > b.Max[a] {
			return fmt.Errorf("inverted box: %s %v, %s %v", t.header[t.lo[a]], b.Min[a], t.header[t.hi[a]], b.Max[a])
		}
	}
	outward := b.Box(t.s.origin)
	for a := range 3 {
		for _, v := range [2]float32{outward.Min[a], outward.Max[a]} {
			if err := finite(a, float64(v)); err != nil {
				return err
			}
		}
	}
	t.c.boxes = append(t.c.boxes, b)
	return nil
}
