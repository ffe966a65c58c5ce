// Package count parses and formats numbers of objects, queries and rounds in human-readable form: 100k, 1M,
// 1.5M, 1e6 or 1_000_000. All counting flags of bench use it.
package count

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// number matches digits, optionally with underscores, a fraction, an exponent and a unit.
var number = regexp.MustCompile(`^(\d+(?:_\d+)*(?:\.\d+)?)(?:[eE]\+?(\d{1,2}))?([kKMG]?)$`)

// units maps a unit to its power of ten.
var units = map[string]int{"": 0, "k": 3, "K": 3, "M": 6, "G": 9}

// largest is the largest valid number: all integers up to it are exact in float64.
const largest = min(1<<53, math.MaxInt)

// Parse parses a non-negative integer.
func Parse(text string) (int, error) {
	m := number.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is no number like 5, 100k, 1M or 1e6", text)
	}
	power := units[m[3]]
	if m[2] != "" {
		e, _ := strconv.Atoi(m[2]) // one or two digits
		power += e
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", "")+"e"+strconv.Itoa(power), 64)
	if err != nil || x > float64(largest) {
		return 0, fmt.Errorf("%q is above %d", text, largest)
	}
	if x != math.Trunc(x) {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	return int(x), nil
}

// Format formats a number for Parse, in thousands, millions or billions if that is exact.
func Format(n int) string {
	for _, u := range []struct {
		of   int
		name string
	}{{1_000_000_000, "G"}, {1_000_000, "M"}, {1000, "k"}} {
		if n != 0 && n%u.of == 0 {
			return strconv.Itoa(n/u.of) + u.name
		}
	}
	return strconv.Itoa(n)
}

// Of names a number of things: "1 query", "2 queries". The noun is one of English with a regular plural.
func Of(n int, noun string) string {
	before, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
	case y && !strings.ContainsAny(before[max(len(before)-1, 0):], "aeiou"):
		noun = before + "ies"
	case strings.HasSuffix(noun, "x") || strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// value is a flag.Value of a number.
type value struct {
	to          *int
	least, most int
}

// Var declares a flag for a number of at least least, with a default.
func Var(flags *flag.FlagSet, to *int, name string, otherwise, least int, usage string) {
	Range(flags, to, name, otherwise, least, largest, usage)
}

// MaxObjects is the largest number of objects of a tree.
const MaxObjects = math.MaxInt32

// Objects is Var for a number of objects, instances or points, which is at most MaxObjects.
func Objects(flags *flag.FlagSet, to *int, name string, otherwise, least int, usage string) {
	Range(flags, to, name, otherwise, least, MaxObjects, usage)
}

// Range is Var with an upper bound.
func Range(flags *flag.FlagSet, to *int, name string, otherwise, least, most int, usage string) {
	*to = otherwise
	flags.Var(&value{to, least, most}, name, usage)
}

// String also handles the zero value, on which package flag calls it to recognize defaults.
func (v *value) String() string {
	if v.to == nil {
		return "0"
	}
	return Format(*v.to)
}

func (v *value) Set(text string) error {
	n, err := Parse(text)
	if err == nil && n >= v.least && n <= v.most {
		*v.to = n
		return nil
	}
	want := Format(v.least) + " or more"
	if v.most < largest {
		want = Format(v.least) + " to " + Format(v.most)
	}
	if v.most >= MaxObjects {
		want += ", like 5, 100k, 1M or 1e6"
	}
	return fmt.Errorf("want %s", want)
}

// List parses comma-separated numbers, each from least to most.
func List(text string, least, most int) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := Parse(word)
		if err != nil || n < least || n > most {
			return nil, fmt.Errorf("%q: want %s to %s", word, Format(least), Format(most))
		}
		list = append(list, n)
	}
	return list, nil
}
