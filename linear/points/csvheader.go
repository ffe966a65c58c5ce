package points

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zoctree/zoctree/internal/fault"
)

// layout assigns the columns of a CSV file to the coordinates. A column is its index, -1 if the file lacks it.
type layout struct {
	comma  byte
	names  []string // of the columns
	lo, hi [3]int   // points have no hi
	boxes  bool
}

// axisNames are the names of coordinate columns in use by programs, in order of preference.
var axisNames = [][3]string{
	{"x", "y", "z"},
	{"x_m", "y_m", "z_m"},
	{"Points:0", "Points:1", "Points:2"},
	{"Points_0", "Points_1", "Points_2"},
	{"Points_m_XYZ:0", "Points_m_XYZ:1", "Points_m_XYZ:2"},
	{"easting", "northing", "elevation"},
	{"easting", "northing", "height"},
	{"easting", "northing", "z"},
}

var (
	minNames = [3]string{"minx", "miny", "minz"}
	maxNames = [3]string{"maxx", "maxy", "maxz"}
)

// separators are tried in this order.
const separators = ",;\t "

// isSeparator reports whether a character may separate fields.
func isSeparator(r rune) bool {
	letter := 'a' <= r|' ' && r|' ' <= 'z'
	digit := '0' <= r && r <= '9'
	return r == '\t' || ' ' <= r && r <= '~' && !letter && !digit && !strings.ContainsRune(`"+-.#`, r)
}

// mostTried is the limit of the bytes of comments that are examined as headers: to examine one takes far longer than
// to skip it.
const mostTried = 32 << 10

// mayBeHeader reports whether a comment contains the names of columns x and y in some spelling. It is a quick test
// for lines that are no headers.
func mayBeHeader(comment []byte, opt *Options) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return containsFold(comment, name) })
	}
	if opt.Axes != [3]string{} {
		return has(opt.Axes[0]) && has(opt.Axes[1])
	}
	return has("x", "points", "easting") && has("y", "points", "northing")
}

// containsFold reports whether a line contains a name without regard to the case of ASCII. A name with other letters
// may be anywhere.
func containsFold(line []byte, name string) bool {
	for _, c := range []byte(name) {
		if c >= utf8.RuneSelf {
			return true
		}
	}
	for i := range len(line) - len(name) + 1 {
		if line[i]|' ' == name[0]|' ' && strings.EqualFold(string(line[i:i+len(name)]), name) {
			return true
		}
	}
	return false
}

// checkOptions returns an error for options that no file can satisfy.
func checkOptions(opt *Options) error {
	if opt.Comma != 0 && !isSeparator(opt.Comma) {
		return fmt.Errorf("points: Options.Comma %q is not a separator: want a comma, semicolon, tab, blank or another ASCII mark", opt.Comma)
	}
	if opt.Axes != [3]string{} && (opt.Axes[0] == "" || opt.Axes[1] == "") {
		return fmt.Errorf("points: Options.Axes %q has no name for x or y: only the name of z may be empty", opt.Axes)
	}
	return nil
}

// resolve finds the columns of a header line. Without a given separator, it uses the first one with which the line
// has them.
func resolve(line []byte, opt *Options) (*layout, error) {
	commas := separators
	if opt.Comma != 0 {
		commas = string(opt.Comma)
	}
	var first error
	for _, comma := range []byte(commas) {
		fields, err := splitRecord(nil, line, comma, mostDeclared)
		if err == nil {
			l := &layout{comma: comma}
			for _, f := range fields {
				l.names = append(l.names, string(f))
			}
			var found bool
			if found, err = l.find(opt.Axes); found && err == nil {
				return l, nil
			}
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return nil, fault.Errorf("header %s: %w", quoteHeader(line), first)
	}
	if opt.Axes != [3]string{} {
		return nil, fmt.Errorf("header %s has no columns %s, which Options.Axes names", quoteHeader(line), strings.Join(opt.Axes[:], ", "))
	}
	return nil, nil
}

// find finds the columns of boxes, or else of points.
func (l *layout) find(axes [3]string) (bool, error) {
	if axes != [3]string{} {
		var err error
		if l.lo, err = l.axes(axes, l.named); err != nil || l.lo[0] < 0 || l.lo[1] < 0 {
			return false, err
		}
		return axes[2] == "" || l.lo[2] >= 0, nil
	}
	lo, err := l.axes(minNames, l.folded)
	if err != nil {
		return false, err
	}
	hi, err := l.axes(maxNames, l.folded)
	if err != nil {
		return false, err
	}
	if min(lo[0], lo[1], hi[0], hi[1]) >= 0 {
		if (lo[2] < 0) != (hi[2] < 0) {
			return false, fmt.Errorf("only one of minz and maxz")
		}
		l.lo, l.hi, l.boxes = lo, hi, true
		return true, nil
	}
	// A file may have both x, y, of an image, and X, Y, Z. A complete set takes precedence over two columns of
	// another set.
	var flat *[3]int
	var flatFault error
	for _, names := range axisNames {
		columns, err := l.spelled(names)
		switch {
		case err != nil && columns[2] >= 0:
			return false, err
		case min(columns[0], columns[1], columns[2]) >= 0:
			l.lo = columns
			return true, nil
		case flat == nil && min(columns[0], columns[1]) >= 0:
			flat, flatFault = &columns, err
		}
	}
	if flat == nil {
		return false, nil
	}
	l.lo = *flat
	return true, flatFault
}

// whole reports whether a comment is certainly a header. Two columns among others may be a sentence: "# x, y, z in
// metres" would leave z out.
func (l *layout) whole(axes [3]string) bool {
	return l.boxes || l.lo[2] >= 0 || len(l.names) == 2 || axes != [3]string{}
}

// spelled returns the columns of a set of names: in lower case, in upper case, or else in any. If two spellings
// have the same number of columns, it returns an error and one of them.
func (l *layout) spelled(names [3]string) (best [3]int, err error) {
	lower, upper := names, names
	for a, n := range names {
		lower[a], upper[a] = strings.ToLower(n), strings.ToUpper(n)
	}
	small, err := l.axes(lower, l.exact)
	if err != nil {
		return small, err
	}
	large, err := l.axes(upper, l.exact)
	if err != nil {
		return large, err
	}
	mixed, foldErr := l.axes(names, l.folded)
	for _, want := range []int{2, 1} { // with z, and without
		has := func(c [3]int) bool { return c[0] >= 0 && c[1] >= 0 && (want == 1 || c[2] >= 0) }
		switch {
		case has(small) && has(large) && small != large:
			return small, fmt.Errorf("both %s and %s: name the columns to read in Options.Axes", strings.Join(lower[:want+1], ","), strings.Join(upper[:want+1], ","))
		case want == 1 && foldErr != nil && (has(small) || has(large) || has(mixed)):
			return [3]int{0, 0, -1}, foldErr
		case foldErr == nil && has(mixed):
			return mixed, nil
		case has(small):
			return small, nil
		case has(large):
			return large, nil
		}
	}
	return [3]int{-1, -1, -1}, nil
}

// axes returns the columns of three names.
func (l *layout) axes(names [3]string, find func(string) (int, error)) (columns [3]int, err error) {
	for a, name := range names {
		var e error
		if columns[a], e = find(name); e != nil && err == nil {
			err = e
		}
	}
	return columns, err
}

// exact returns the column with a name, -1 if there is none. If there are two it returns the first, and an error.
func (l *layout) exact(name string) (int, error) {
	return l.only(func(s string) bool { return s == name || bare(s) == name })
}

// folded is exact without regard to case.
func (l *layout) folded(name string) (int, error) {
	return l.only(func(s string) bool { return strings.EqualFold(s, name) || strings.EqualFold(bare(s), name) })
}

// named returns the column with that spelling, or else with another case; -1 if there is none.
func (l *layout) named(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	if i, err := l.exact(name); i >= 0 {
		return i, err
	}
	return l.folded(name)
}

func (l *layout) only(is func(string) bool) (int, error) {
	found := -1
	for i, s := range l.names {
		switch {
		case !is(s):
		case found < 0:
			found = i
		default:
			return found, fmt.Errorf("second column %s, besides %s: name the columns to read in Options.Axes, or rename one", s, l.names[found])
		}
	}
	return found, nil
}

// bare returns a name without a unit: X of "X (mm)" and "X [m]".
func bare(name string) string {
	for _, pair := range []string{"()", "[]"} {
		if i := strings.IndexByte(name, pair[0]); i > 0 && name[len(name)-1] == pair[1] {
			return strings.TrimSpace(name[:i])
		}
	}
	return name
}

// quoteHeader formats a header line for an error.
func quoteHeader(line []byte) string {
	if len(line) > 160 {
		return fmt.Sprintf("%.160q...", line)
	}
	return fmt.Sprintf("%q", line)
}

// unnamed returns the layout of a file without a header from its first row; nil if that is not three numbers or more.
// The columns after x, y and z have the names 4, 5, and so on, except those of PTS files with a known number of
// columns.
func unnamed(row []byte, opt *Options, pts bool) *layout {
	commas := separators
	if opt.Comma != 0 {
		commas = string(opt.Comma)
	}
	for _, comma := range []byte(commas) {
		fields, err := splitRecord(nil, row, comma, mostDeclared)
		if n := len(fields); n > 0 && len(fields[n-1]) == 0 { // a separator at the end of the line
			fields = fields[:n-1]
		}
		if err != nil || len(fields) < 3 || slices.ContainsFunc(fields, func(f []byte) bool { return !isNumber(f, comma) }) {
			continue
		}
		l := &layout{comma: comma, names: []string{"x", "y", "z"}, lo: [3]int{0, 1, 2}}
		colors := len(fields)
		switch {
		case pts && (colors == 4 || colors == 7):
			l.names = append(l.names, "intensity")
			colors -= 4
		case pts && colors == 6:
			colors = 3
		default:
			colors = 0
		}
		if colors == 3 {
			l.names = append(l.names, "red", "green", "blue")
		}
		for i := len(l.names); i < len(fields); i++ {
			l.names = append(l.names, strconv.Itoa(i+1))
		}
		return l
	}
	return nil
}

// isNumber reports whether a field is a number, with a decimal comma if the separator permits it.
func isNumber(field []byte, comma byte) bool {
	field = bytes.TrimSpace(field)
	if comma != ',' {
		field = bytes.Replace(field, []byte(","), []byte("."), 1)
	}
	_, ok := parseFloat64(field)
	return ok
}

// noColumns returns the error for a first line that is not a header.
func noColumns(line []byte) error {
	numbers := true
	for _, word := range bytes.FieldsFunc(line, func(r rune) bool { return r <= ' ' || r == ',' || r == ';' }) {
		_, ok := parseFloat64(word)
		numbers = numbers && ok
	}
	if numbers {
		return fmt.Errorf("numbers without a header are read only from files named .xyz or .pts: put a line that names the columns before %s, such as x,y,z", quoteHeader(line))
	}
	return fmt.Errorf("header %s has no columns minx, miny, maxx, maxy, nor x, y, nor x_m, y_m, nor Points:0, Points:1, nor easting, northing: "+
		"name its columns in Options.Axes, its separator in Options.Comma", quoteHeader(line))
}
