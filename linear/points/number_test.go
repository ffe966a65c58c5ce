package points

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// checkNumber compares the parser with strconv.
func checkNumber(t *testing.T, s string) {
	t.Helper()
	want64, _ := strconv.ParseFloat(s, 64)
	if got, ok := parseFloat64([]byte(s)); !ok || math.Float64bits(got) != math.Float64bits(want64) {
		t.Errorf("parseFloat64(%q) = %v %v, want %v", s, got, ok, want64)
	}
}

func TestNumbers(t *testing.T) {
	for _, s := range []string{
		"0", "-0", "+1", "1.", ".5", "-.5e3", "1e22", "1e23", "9007199254740993", "9007199254740992", "0.1", "123456789012345678901",
		"1.00000017881393432617187499", "1.00000017881393432617187500", "1.00000017881393432617187501", // about 1 + 1.5 ulp
		"1.000000178813934326", "16777217", "16777217.000000000001", "16777216.999999999999",
		"1e-45", "7e-46", "7.006492321624085e-46", "1.1754943e-38", "1.17549428e-38",
		"3.4028235e38", "3.4028235677973366e38", "3.4028235677973365e38", "3.5e38", "1e308", "1e309", "-1e400", "1e-400",
		"340282356779733661637539395458142568447.9", "Inf", "-infinity", "00000000000000000000012.5", "0.00000000000000000000001",
	} {
		checkNumber(t, s)
	}
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for range testkit.Count(t, 30_000, 100_000) {
		v := math.Float32frombits(r.Uint32())
		if v != v {
			continue
		}
		// Shortest forms, the midpoint to the next float32, and a neighbour of it.
		next := math.Nextafter32(v, float32(math.Inf(1)))
		half := (float64(v) + float64(next)) / 2
		for _, f := range []float64{float64(v), half, math.Nextafter(half, 0)} {
			checkNumber(t, strconv.FormatFloat(f, "efg"[r.IntN(3)], -1, 64))
		}
		checkNumber(t, strconv.FormatFloat(r.NormFloat64()*1e3, 'f', r.IntN(20), 64))
	}
}

func TestNotNumbers(t *testing.T) {
	for _, s := range []string{"", "-", "+", ".", "-.", "e5", "1e", "1.2.3", "1,5", "abc", "1 ", "--1", "+-1", "1-", "nano", "-na", "1_0", "0x_1p-2", "0x1.8p3", "0X1P3",
		"1.#", "1.#INF1", "2.#INF", "1.#INFx", "nan(", "1.0D", "D5", "1D5D5", "1.0D+02x", "1.0+02", "1#2", "****"} {
		if v, ok := parseFloat64([]byte(s)); ok {
			t.Errorf("parseFloat64(%q) = %v", s, v)
		}
	}
	for _, s := range []string{"nan", "NaN", "-nan", "+NAN", "-nan(ind)", "nan(snan)", "1.#IND", "-1.#IND00", "1.#QNAN", "-1.#SNAN", "1.#J", "1.#QO", "-1.$"} {
		if v, ok := parseFloat64([]byte(s)); !ok || v == v {
			t.Errorf("parseFloat64(%q) = %v %v", s, v, ok)
		}
	}
}

// Numbers in the formats of Fortran and the libraries of C.
func TestNumbersOfOthers(t *testing.T) {
	for s, want := range map[string]float64{
		"1.0D+02": 100, "-2.5d-1": -0.25, "1D0": 1, "1d400": math.Inf(1), "1.#INF": math.Inf(1), "-1.#INF": math.Inf(-1),
		"1.#INF00": math.Inf(1), "inf": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if v, ok := parseFloat64([]byte(s)); !ok || v != want {
			t.Errorf("parseFloat64(%q) = %v %v, want %v", s, v, ok, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "-0": 0, "+7": 7, "-12": -12, "999999999999999999": 999999999999999999} {
		if n, ok := parseInt([]byte(s)); !ok || n != want {
			t.Errorf("parseInt(%q) = %d %v", s, n, ok)
		}
	}
	for _, s := range []string{"", "-", "1.0", "1e3", "9999999999999999999", "x", "1_0"} {
		if n, ok := parseInt([]byte(s)); ok {
			t.Errorf("parseInt(%q) = %d", s, n)
		}
	}
}

func BenchmarkParseFloat64(b *testing.B) {
	for _, s := range []string{"0.0317978", "-128.5", "1e-30"} {
		b.Run(fmt.Sprintf("text=%s", s), func(b *testing.B) {
			b.ReportAllocs()
			field := []byte(s)
			for b.Loop() {
				parseFloat64(field)
			}
		})
	}
}
