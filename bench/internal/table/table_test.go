package table

import (
	"math"
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

// Colour codes of a cell take no width, and leave the titles unchanged.
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

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", -1.5: "-1.5", 1200: "1200", 1234.5: "1234", 999.6: "1000", 99.96: "100", 9.999: "10", 0.1234: "0.123",
		1e-5: "0.00001", 1.2345e-7: "0.000000123", 1.2e9: "1200000000", math.Inf(1): "+Inf",
	} {
		if got := Digits(x); got != want {
			t.Errorf("Digits(%v) = %q, want %q", x, got, want)
		}
	}
}
