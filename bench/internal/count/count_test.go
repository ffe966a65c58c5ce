package count

import (
	"bytes"
	"flag"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "7": 7, "007": 7, "100k": 100_000, "100K": 100_000, "1M": 1_000_000, "1e6": 1_000_000, "1E+6": 1_000_000,
		"1_000_000": 1_000_000, "1.5M": 1_500_000, "1.1M": 1_100_000, "0.5k": 500, "2.5e3": 2500, "1e3k": 1_000_000, "2.0": 2, "1G": 1_000_000_000,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "k", "-1", "+1", "many", "1.5", "1e-3", "1.23456k", "1_", "_1", "1__0", "1k5", "1kk", "1m", " 1", "1,000", "0x10", "NaN", "Inf", "1e99", "99999999999999999999", "1e16k",
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %d", text, got)
		}
	}
}

// A written number is read again without loss.
func TestFormat(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1k", 1200: "1200", 50_000: "50k", 1_000_000: "1M", 1_500_000: "1500k", 2_000_000_000: "2G"} {
		if got := Format(n); got != want {
			t.Errorf("Format(%d) = %q, want %q", n, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := r.IntN(1 << (1 + r.IntN(30)))
		if r.IntN(2) == 0 {
			n -= n % 1000
		}
		if got, err := Parse(Format(n)); err != nil || got != n {
			t.Errorf("%d is written as %q and read as %d, %v", n, Format(n), got, err)
		}
	}
}

func TestVar(t *testing.T) {
	var n, wide int
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	Var(flags, &n, "n", 1_000_000, 1, "`number` of objects")
	Range(flags, &wide, "wide", 960, 640, 10_000, "pixels")
	var objects int
	Objects(flags, &objects, "objects", 7, 1, "`number` of objects")
	if n != 1_000_000 || wide != 960 || objects != 7 {
		t.Errorf("defaults %d and %d", n, wide)
	}
	if err := flags.Parse([]string{"-n", "2k", "-wide=1e3"}); err != nil || n != 2000 || wide != 1000 {
		t.Errorf("%d and %d, %v", n, wide, err)
	}
	for arg, want := range map[string]string{"-n=0": "want 1 or more, like 5", "-objects=2147483648": "want 1 to 2147483647, like 5", "-n=many": "flag -n", "-wide=639": "want 640 to 10k", "-wide=1M": "flag -wide"} {
		if err := flags.Parse([]string{arg}); err == nil || !strings.Contains(err.Error(), want) || objects != 7 || n != 2000 || wide != 1000 {
			t.Errorf("%s: %v, want %q; %d and %d", arg, err, want, n, wide)
		}
	}
	var usage bytes.Buffer
	flags.SetOutput(&usage)
	flags.PrintDefaults()
	if text := usage.String(); !strings.Contains(text, "-n number") || !strings.Contains(text, "(default 1M)") || !strings.Contains(text, "(default 960)") {
		t.Errorf("usage %q", text)
	}
}

func TestList(t *testing.T) {
	if list, err := List("1k,2e4,3", 3, 20_000); err != nil || !slices.Equal(list, []int{1000, 20_000, 3}) {
		t.Errorf("%v, %v", list, err)
	}
	for _, text := range []string{"", "1k,", "1k,2", "20001", "x"} {
		if list, err := List(text, 3, 20_000); err == nil {
			t.Errorf("List(%q) = %v", text, list)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{
		{0, "core", "0 cores"}, {1, "core", "1 core"}, {2, "core", "2 cores"}, {1, "query", "1 query"}, {3, "query", "3 queries"},
		{4, "day", "4 days"}, {1, "box", "1 box"}, {9, "box", "9 boxes"}, {2, "pass", "2 passes"}, {5, "batch", "5 batches"},
		{1_000_000, "object", "1000000 objects"}, {-1, "step", "-1 steps"},
	} {
		if got := Of(c.n, c.noun); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}
