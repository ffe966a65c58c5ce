// Package count reads and writes numbers of objects, queries and rounds as people do: 100k, 1M,
// 1.5M, 1e6 or 1_000_000. All flags of bench that count something are of it.
package count

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// number is digits, perhaps with underscores between them, a fraction, an exponent and a unit.
var number = regexp.MustCompile(`^(\d+(?:_\d+)*(?:\.\d+)?)(?:[eE]\+?(\d{1,2}))?([kKMG]?)$`)

// units are powers of ten.
var units = map[string]int{"": 0, "k": 3, "K": 3, "M": 6, "G": 9}

// largest is the largest number that is read: up to here all are float64s.
const largest = min(1<<53, math.MaxInt)

// Parse reads a number, 0 or more and whole.
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

// Format writes a number as Parse reads it, in thousands, millions or thousands of millions where
// that loses nothing.
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

// value is a flag.
type value struct {
	to          *int
	least, most int
}

// Var declares a flag of a number, least or more, with its default.
func Var(flags *flag.FlagSet, to *int, name string, otherwise, least int, usage string) {
	Range(flags, to, name, otherwise, least, largest, usage)
}

// Range is Var of a number up to most.
func Range(flags *flag.FlagSet, to *int, name string, otherwise, least, most int, usage string) {
	*to = otherwise
	flags.Var(&value{to, least, most}, name, usage)
}

// String is that of no flag, too: package flag asks it for the value that is not worth telling.
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
	if v.most < largest {
		return fmt.Errorf("want %s to %s", Format(v.least), Format(v.most))
	}
	return fmt.Errorf("want %s or more, like 5, 100k, 1M or 1e6", Format(v.least))
}

// List reads numbers, separated by commas, each from least to most.
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
