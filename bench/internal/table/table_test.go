package table

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	tab := New(&b, Column{"name", -6}, Column{"µs", 5}, Column{"wide title", 2})
	tab.Row("a", "1.25", "x")
	tab.Row("longer", "100", "")
	want := "" +
		"name       µs  wide title\n" +
		"a        1.25           x\n" +
		"longer    100\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// What paints a cell takes no place, and leaves the titles as they are.
func TestPaint(t *testing.T) {
	var b strings.Builder
	tab := New(&b, Column{"verdict", -7}, Column{"x", 4})
	tab.Paint = func(cell string) string { return "<" + cell + ">" }
	tab.Row("ok", "1")
	if want := "verdict     x\n<ok>          <1>\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.00", 1.234: "1.23", 9.996: "10.0", 12.34: "12.3", 99.96: "100", 1234.5: "1234", -0.5: "-0.50",
	} {
		if got := Number(x); got != want {
			t.Errorf("Number(%v) = %q, want %q", x, got, want)
		}
	}
}
