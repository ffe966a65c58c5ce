// Package table writes aligned text tables incrementally, line by line.
package table

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Column is a title and the width of the cells, which are padded on the left, or on the right if the width is
// negative. A wider title widens the column.
type Column struct {
	Title string
	Width int
}

// Table is a table that is being written. Paint, unless nil, returns a cell with invisible markup, such as
// colours. It is not applied to the titles.
type Table struct {
	Paint func(cell string) string

	out  io.Writer
	cols []Column
}

// New writes the titles and returns the table.
func New(out io.Writer, cols ...Column) *Table {
	t := &Table{out: out, cols: cols}
	titles := make([]string, len(cols))
	for i := range cols {
		c := &cols[i]
		titles[i] = c.Title
		if n := utf8.RuneCountInString(c.Title); c.Width < 0 {
			c.Width = min(c.Width, -n)
		} else {
			c.Width = max(c.Width, n)
		}
	}
	t.Row(titles...)
	return t
}

// Row writes one line.
func (t *Table) Row(cells ...string) {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		padded := fmt.Sprintf("%*s", t.cols[i].Width, cell)
		if t.Paint != nil {
			padded = strings.Replace(padded, cell, t.Paint(cell), 1)
		}
		b.WriteString(padded)
	}
	fmt.Fprintln(t.out, strings.TrimRight(b.String(), " "))
}

// Number formats x with at least three significant digits.
func Number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// Digits formats x with three significant digits or, of 1,000 and more, with all before the point. Unlike the
// verb %.3g it writes no exponent.
func Digits(x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return fmt.Sprint(x)
	}
	decimals := max(2-int(math.Floor(math.Log10(math.Abs(x)))), 0)
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals == 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
