package input

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
	d      *Data
	opt    *Options
	header []string // in lower case
	record []string
	start  int64 // of the file's first record
	end    int64 // of the record read last, from there

	lo, hi [3]int // columns of coordinates; points have no hi
	floats []kept // of opt.Floats
	texts  []kept // of opt.Texts
}

// kept is a column to keep.
type kept struct {
	name   string // in the options
	column int
}

// readCSV reads a CSV file.
func readCSV(s *source, d *Data, opt *Options) error {
	if string(s.peek(3)) == "\ufeff" {
		s.take(3)
	}
	t := table{s: s, d: d, opt: opt, start: s.offset()}
	r := csv.NewReader(&t)
	r.ReuseRecord = true
	r.FieldsPerRecord = -1
	d.Format = "CSV"
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
		t.header = append(t.header, strings.ToLower(strings.TrimSpace(name)))
	}
	if err := t.coordinates(); err != nil {
		return err
	}
	t.d.Floats, t.d.Texts = map[string][]float64{}, map[string][]string{}
	for _, name := range t.opt.Floats {
		i, err := t.find(name)
		if err != nil {
			return err
		}
		if _, again := t.d.Floats[name]; i >= 0 && !again {
			t.d.Floats[name] = nil
			t.floats = append(t.floats, kept{name, i})
		}
	}
	for _, name := range t.opt.Texts {
		i, err := t.find(name)
		if err != nil {
			return err
		}
		if _, again := t.d.Texts[name]; i >= 0 && !again {
			t.d.Texts[name] = nil
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
		t.d.Kind, t.lo, t.hi = Boxes, lo, hi
		return nil
	}
	t.d.Kind = Points
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

// row adds an object.
func (t *table) row() error {
	if len(t.record) != len(t.header) {
		return fmt.Errorf("%d fields, but %d columns", len(t.record), len(t.header))
	}
	shape := t.point
	if t.d.Kind == Boxes {
		shape = t.box
	}
	box, err := shape()
	if err != nil {
		return err
	}
	for _, k := range t.floats {
		v, ok := parseFloat64([]byte(t.field(k.column)))
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return t.notNumber(k.column)
		}
		t.d.Floats[k.name] = append(t.d.Floats[k.name], v)
	}
	for _, k := range t.texts {
		// A field shares the memory of its whole row.
		t.d.Texts[k.name] = append(t.d.Texts[k.name], strings.Clone(t.record[k.column]))
	}
	t.d.add(box)
	return nil
}

func (t *table) field(i int) string { return strings.TrimSpace(t.record[i]) }

func (t *table) notNumber(i int) error {
	return fmt.Errorf("%s: %s is not a finite number", t.header[i], quote([]byte(t.record[i])))
}

// point returns the row's point, rounded to nearest.
func (t *table) point() (box soa.AABB, err error) {
	for a, i := range t.lo {
		if i < 0 {
			continue
		}
		v, ok := parseFloat32([]byte(t.field(i)))
		if !ok {
			return box, t.notNumber(i)
		}
		if err := checkCoordinate(a, v); err != nil {
			return box, err
		}
		box.Min[a], box.Max[a] = v, v
	}
	return box, nil
}

// box returns the row's box, rounded outward.
func (t *table) box() (box soa.AABB, err error) {
	var lo, hi [3]float64
	for a := range 3 {
		if t.lo[a] < 0 {
			continue
		}
		var ok bool
		if lo[a], ok = parseFloat64([]byte(t.field(t.lo[a]))); !ok {
			return box, t.notNumber(t.lo[a])
		}
		if hi[a], ok = parseFloat64([]byte(t.field(t.hi[a]))); !ok {
			return box, t.notNumber(t.hi[a])
		}
		if lo[a] > hi[a] {
			return box, fmt.Errorf("inverted box: %s %v, %s %v", t.header[t.lo[a]], lo[a], t.header[t.hi[a]], hi[a])
		}
	}
	box = outward(lo, hi)
	for a := range 3 {
		for _, v := range [2]float32{box.Min[a], box.Max[a]} {
			if err := checkCoordinate(a, v); err != nil {
				return box, err
			}
		}
	}
	return box, nil
}
