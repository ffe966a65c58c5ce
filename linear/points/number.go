package points

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// cutField returns the first run of bytes above the blank, and what follows it.
// The field is empty at the end of the line.
func cutField(line []byte) (field, rest []byte) {
	i := 0
	for i < len(line) && line[i] <= ' ' {
		i++
	}
	line = line[i:]
	for i = 0; i < len(line) && line[i] > ' '; i++ {
	}
	return line[:i], line[i:]
}

// quote shows a field in an error, cut where it is long.
func quote(field []byte) string {
	if len(field) > 40 {
		return fmt.Sprintf("%.40q...", field)
	}
	return fmt.Sprintf("%q", field)
}

// longestDigits is how many digits fit in a uint64 whatever they are.
const longestDigits = 19

// Powers of ten, exact in float64 as all up to 1e22.
var tens = [longestDigits + 1]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// parseFloat64 returns the float64 nearest to a decimal, infinite where it is
// too large; NaN, with a sign or without, and infinities are understood.
//
// A decimal is m divided by a power of ten. Where m is below 2^53 both are exact
// in float64, and the division rounds once: correctly. All else, exponents
// among it, goes to strconv.
func parseFloat64(s []byte) (float64, bool) {
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, negative = 1, s[0] == '-'
	}
	var m uint64
	start, point := i, -1
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c <= 9 {
			m = m*10 + uint64(c)
		} else if s[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits, fraction := i-start, 0
	if point >= 0 {
		digits--
		fraction = i - point - 1
	}
	if i < len(s) || digits == 0 || digits > longestDigits || m >= 1<<53 {
		return parseSlow(s)
	}
	f := float64(m) / tens[fraction]
	if negative {
		f = -f
	}
	return f, true
}

// parseSlow leaves a decimal to strconv, which takes digits in groups, as Go writes them:
// elsewhere they are no number.
func parseSlow(s []byte) (float64, bool) {
	if bytes.IndexByte(s, '_') >= 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return f, true
	}
	// Programs in C write NaN with its sign, which strconv does not take.
	if len(s) == 4 && (s[0] == '-' || s[0] == '+') && bytes.EqualFold(s[1:], []byte("nan")) {
		return math.NaN(), true
	}
	return 0, false
}

// parseInt returns an integer of up to 18 digits with an optional sign.
func parseInt(s []byte) (int64, bool) {
	negative := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// parseCount returns the number of records that a header claims.
func parseCount(s []byte) (uint32, error) {
	n, ok := parseInt(s)
	if !ok || n < 0 {
		return 0, fmt.Errorf("%s is not a count", quote(s))
	}
	if n > math.MaxUint32 {
		return 0, fmt.Errorf("count %d is more than %d", n, uint32(math.MaxUint32))
	}
	return uint32(n), nil
}

// coordinate checks x on an axis: without the origin it must be a float32.
func (s *source) coordinate(axis int, x float64) error {
	return finite(axis, float64(float32(x-s.origin[axis])))
}

// finite refuses what is left of a coordinate if no float32 can hold it.
func finite(axis int, x float64) error {
	switch {
	case x != x:
		return fmt.Errorf("%c is NaN", 'x'+rune(axis))
	case math.IsInf(x, 0):
		return fmt.Errorf("%c is infinite or beyond float32", 'x'+rune(axis))
	}
	return nil
}
