package points

import (
	"bytes"
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/soa"
)

// table is the state of reading a CSV file.
type table struct {
	*layout
	s        *source
	k        *collector
	line     int      // first line of the current record
	joined   []byte   // a record of more than one line
	fields   [][]byte // of the current record
	floats   []int    // for each column of the collector, its column in the file
	texts    []int
	comments int
	guessed  bool   // the format is a guess
	plain    string // format that needs no header line: XYZ or PTS

	marked              bool   // the header is a comment, as CloudCompare writes it
	unnamed             bool   // the file has no header
	announced           uint64 // number of points in a line after the header
	announcedAt         int    // that line; 0 without one
	pointLine, markLine int    // lines of the first number with a decimal point, and with a decimal comma
}

// readCSV reads a CSV file.
func readCSV(s *source, k *collector) (string, error) { return (&table{s: s, k: k}).read() }

func (t *table) read() (string, error) {
	s, k := t.s, t.k
	if err := checkOptions(k.opt); err != nil {
		return "", err
	}
	record, ok, err := t.header()
	for ; err == nil && ok; record, ok = t.next() {
		if t.isComment(record) {
			t.comments++
			continue
		}
		if err = t.row(record); err != nil {
			err = t.errorf(err)
		}
	}
	switch {
	case err != nil:
		return "", err
	case s.failure() != nil:
		return "", s.failure()
	case t.layout == nil:
		return "", s.errorf("no header line: want one that names the columns, such as x,y,z")
	case t.announcedAt > 0 && t.announced != k.seen:
		return "", s.errorf("line %d: a count of %d points, but %d follow", t.announcedAt, t.announced, k.seen)
	}
	if t.boxes && k.boxes == nil {
		k.boxes = []soa.AABB64{}
	}
	k.skip(int64(t.comments), "comment lines")
	if t.unnamed {
		return t.plain, nil
	}
	return "CSV", nil
}

// readTable reads text whose format is a guess as CSV.
func readTable(s *source, k *collector) (string, error) {
	return (&table{s: s, k: k, guessed: true}).read()
}

// readXYZ reads a CSV file that needs no header line.
func readXYZ(s *source, k *collector) (string, error) {
	return (&table{s: s, k: k, plain: "XYZ"}).read()
}

// readPTS is readXYZ with the columns of PTS files.
func readPTS(s *source, k *collector) (string, error) {
	return (&table{s: s, k: k, plain: "PTS"}).read()
}

func (t *table) errorf(err error) error { return t.s.errorf("line %d: %w", t.line, err) }

// next returns the next record: a line, and the following lines while a quote is open.
func (t *table) next() ([]byte, bool) {
	line, ok := t.s.record()
	t.line = t.s.lines
	if !ok || t.isComment(line) || bytes.Count(line, []byte{'"'})%2 == 0 {
		return line, ok
	}
	t.joined = append(t.joined[:0], line...)
	for {
		if line, ok = t.s.line(); !ok {
			if t.s.failure() == nil {
				t.s.err = placed{fmt.Errorf("line %d: a quote is not closed: close it, or double quotes within a field", t.line)}
			}
			return nil, false
		}
		if len(t.joined)+len(line) >= longestLine {
			t.s.lines = t.line - 1
			return t.s.tooLong()
		}
		t.joined = append(append(t.joined, '\n'), line...)
		if bytes.Count(line, []byte{'"'})%2 == 1 {
			return t.joined, true
		}
	}
}

// isComment reports whether a record is a comment. A tab that separates ends an empty field: a # after it begins a
// field, not a comment.
func (t *table) isComment(record []byte) bool {
	if t.layout != nil && t.comma == '\t' {
		record = trimBefore(record, t.comma)
		return !bytes.HasPrefix(record, []byte{'\t'}) && isComment(record)
	}
	return isComment(record)
}

// header finds the header line: the first line that is not a comment. If that has no columns of coordinates, the
// header is the last comment before it that has them; then the line is returned, to be read as a row.
func (t *table) header() (row []byte, ok bool, err error) {
	var comment *layout
	tried := 0 // bytes of comments
	opt := *t.k.opt
	for {
		line, ok := t.next()
		if !ok {
			if comment == nil {
				return nil, false, nil
			}
			if err = t.begin(comment); err != nil {
				err = t.s.errorf("%w", err)
			}
			return nil, false, err
		}
		if t.line == 1 && len(line) == 5 && bytes.EqualFold(line[:4], []byte("sep=")) && isSeparator(rune(line[4])) { // Excel
			if opt.Comma == 0 {
				opt.Comma = rune(line[4])
			}
			continue
		}
		if isComment(line) {
			if !mayBeHeader(line, &opt) {
				continue
			}
			if tried += len(line); tried > mostTried {
				return nil, false, t.errorf(fmt.Errorf("more than %d bytes of comments that may be the header: take them out, or write the header as a line that is no comment", mostTried))
			}
			if l, err := resolve(bytes.TrimLeft(line, "#/ \t"), &opt); err == nil && l != nil && l.whole(opt.Axes) {
				comment = l
				t.marked = true
			}
			continue
		}
		l, err := resolve(line, &opt)
		switch {
		case l != nil:
			t.marked = false
			if err := t.begin(l); err != nil {
				return nil, false, t.errorf(err)
			}
			row, ok = t.next()
			return row, ok, nil
		case comment != nil:
			if err := t.begin(comment); err != nil {
				return nil, false, t.errorf(err)
			}
			return line, true, nil
		case err == nil && t.plain != "":
			if count, ok := parseInt(trimBlanks(trimBlanksAfter(line))); ok && count >= 0 && t.announcedAt == 0 {
				t.announced, t.announcedAt = uint64(count), t.line
				if err = t.k.claimed(t.announced); err != nil {
					return nil, false, t.errorf(err)
				}
				continue
			}
			if l = unnamed(line, &opt, t.plain == "PTS"); l != nil {
				t.unnamed = true
				return line, true, t.begin(l)
			}
			err = fmt.Errorf("%s is neither a header nor a row of three or more numbers", quoteHeader(line))
		case err == nil:
			err = noColumns(line)
			if t.guessed {
				err = fault.Errorf("neither name nor first line is of "+formats+": %w", err)
			}
		}
		return nil, false, t.errorf(err)
	}
}

// begin finds the other columns of a file whose header has that layout.
func (t *table) begin(l *layout) error {
	t.layout = l
	for a, i := range l.lo {
		if i >= 0 && !l.boxes {
			t.k.axes[a] = l.names[i]
		}
	}
	find := func(name string, found *bool) (int, error) {
		i, err := t.named(name)
		*found = i >= 0
		return i, err
	}
	for k := range t.k.columns {
		c := &t.k.columns[k]
		i, err := find(c.name, &c.found)
		if err != nil {
			return err
		}
		t.floats = append(t.floats, i)
	}
	for k := range t.k.texts {
		c := &t.k.texts[k]
		i, err := find(c.name, &c.found)
		if err != nil {
			return err
		}
		t.texts = append(t.texts, i)
	}
	return nil
}

// row adds the point or box of a record.
func (t *table) row(record []byte) (err error) {
	columns := len(t.names)
	if t.fields, err = splitRecord(t.fields[:0], record, t.comma, columns+1); err != nil && len(t.fields) <= columns {
		return err
	}
	n := len(t.fields)
	switch {
	case err == nil && n == columns+1 && len(t.fields[columns]) == 0: // a separator at the end of the line
		n--
	case n == columns-1 && t.names[n] == "": // a separator at the end of the header
		t.fields = append(t.fields, nil)
		n++
	case n == 1 && t.marked && t.k.seen == 0 && t.announcedAt == 0:
		count, ok := parseInt(t.fields[0])
		if !ok || count < 0 {
			break
		}
		t.announced, t.announcedAt = uint64(count), t.line
		return t.k.claimed(t.announced)
	}
	if err != nil || n != columns {
		if t.blank() {
			return nil
		}
		count := fmt.Sprint(n)
		if err != nil {
			count = fmt.Sprint("more than ", columns)
		}
		return fmt.Errorf("%s fields, but %d columns, separated by %q: set Options.Comma for another separator", count, columns, t.comma)
	}
	for k, i := range t.floats {
		if c := &t.k.columns[k]; i >= 0 {
			if c.now, _, err = t.parse(i); err != nil {
				return err
			}
		}
	}
	for k, i := range t.texts {
		if i >= 0 {
			t.k.texts[k].now = t.fields[i]
		}
	}
	if t.boxes {
		return t.box()
	}
	return t.point()
}

// blank reports whether all fields are empty, as in the last rows of spreadsheets.
func (t *table) blank() bool {
	for _, f := range t.fields {
		if len(f) > 0 {
			return false
		}
	}
	return true
}

// parse returns the number in a field, NaN if it is empty, and its spelling in the file.
func (t *table) parse(i int) (float64, []byte, error) {
	f := trimBlanksAfter(trimBlanks(t.fields[i]))
	if len(f) == 0 {
		return math.NaN(), f, nil
	}
	spelled := f
	if t.comma != ',' {
		point, mark := bytes.IndexByte(f, '.') >= 0, bytes.IndexByte(f, ',')
		if point && t.pointLine == 0 {
			t.pointLine = t.line
		}
		if mark >= 0 {
			if t.markLine == 0 {
				t.markLine = t.line
			}
			if !point {
				f = bytes.Clone(f)
				f[mark] = '.'
			}
		}
		if t.pointLine > 0 && t.markLine > 0 {
			return 0, f, fmt.Errorf("%s: %s: decimal points (line %d) and decimal commas (line %d) in one file: write all numbers with one of them",
				t.names[i], quote(spelled), t.pointLine, t.markLine)
		}
	}
	v, ok := parseFloat64(f)
	if !ok {
		return 0, f, fmt.Errorf("%s: %s is not a number", t.names[i], quote(spelled))
	}
	return v, spelled, nil
}

// point adds the point of the row.
func (t *table) point() (err error) {
	var p [3]float64
	var text [3][]byte
	for a, i := range t.lo {
		if i < 0 {
			continue
		}
		if p[a], text[a], err = t.parse(i); err != nil {
			return err
		}
	}
	if p[0] != p[0] && t.blank() {
		return nil
	}
	if t.lo[2] < 0 && p[0] != p[0] && p[1] != p[1] {
		p[2] = p[0] // all of the point is NaN
	}
	return t.k.point(p, &text)
}

// box adds the box of the row.
func (t *table) box() (err error) {
	var b soa.AABB64
	var text [6][]byte
	for a := range 3 {
		if t.lo[a] < 0 {
			continue
		}
		if b.Min[a], text[a], err = t.parse(t.lo[a]); err != nil {
			return err
		}
		if b.Max[a], text[3+a], err = t.parse(t.hi[a]); err != nil {
			return err
		}
		if b.Min[a] > b.Max[a] {
			return fmt.Errorf("inverted box: %s %v, %s %v", t.names[t.lo[a]], b.Min[a], t.names[t.hi[a]], b.Max[a])
		}
	}
	if b.Min[0] != b.Min[0] && t.blank() {
		return nil
	}
	if t.lo[2] < 0 && b.Min[0] != b.Min[0] && b.Max[0] != b.Max[0] && b.Min[1] != b.Min[1] && b.Max[1] != b.Max[1] {
		b.Min[2], b.Max[2] = b.Min[0], b.Min[0]
	}
	return t.k.box(&b, &text)
}
