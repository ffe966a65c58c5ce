package points

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// cutField returns the first run of non-blank bytes, and the rest of the line. The field is empty at the end of the
// line.
func cutField(line []byte) (field, rest []byte) {
	line = trimBlanks(line)
	i := 0
	for i < len(line) && line[i] > ' ' {
		i++
	}
	return line[:i], line[i:]
}

// trimBlanks removes blanks and control bytes from the beginning of a line.
func trimBlanks(line []byte) []byte {
	i := 0
	for i < len(line) && line[i] <= ' ' {
		i++
	}
	return line[i:]
}

// trimBlanksAfter removes blanks and control bytes from the end of a line.
func trimBlanksAfter(line []byte) []byte {
	n := len(line)
	for n > 0 && line[n-1] <= ' ' {
		n--
	}
	return line[:n]
}

// quote formats a field for an error, truncated if it is long.
func quote(field []byte) string {
	if len(field) > 40 {
		return fmt.Sprintf("%.40q...", field)
	}
	return fmt.Sprintf("%q", field)
}

// longestDigits is the number of digits that always fit in a uint64.
const longestDigits = 19

// Powers of ten, exact in float64 as all up to 1e22.
var tens = [longestDigits + 1]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// parseFloat64 returns the float64 nearest to a decimal number, infinite if it is too large. The whole of s must be
// the number. NaN and infinities are parsed in the spellings of common programs.
//
// A decimal is m divided by a power of ten. If m is below 2^53 both are exact in float64, and the division rounds
// once: correctly. All other numbers, including exponents, are parsed by strconv.
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

// parseSlow parses a number with strconv. Go's digit groups and hexadecimal digits are rejected: 0x1p3 may be a
// label.
func parseSlow(s []byte) (float64, bool) {
	if bytes.ContainsAny(s, "_xX") {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(s), 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return f, true
	}
	if i := bytes.IndexAny(s, "dD"); i > 0 && i < len(s)-1 { // Fortran: 1.0D+02
		e := bytes.Clone(s)
		e[i] = 'e'
		if f, err = strconv.ParseFloat(string(e), 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return f, true
		}
	}
	return parseSpecial(s)
}

// parseSpecial parses the spellings of C run-time libraries for numbers that are not finite, in addition to the inf
// and nan of strconv:
//
//	-nan   nan(ind)   -nan(ind)   nan(snan)
//	1.#INF   -1.#IND   1.#QNAN   1.#SNAN   with trailing zeros: 1.#INF00
//	1.#J   1.#IO   1.#R   1.#QO   1.#QNB   1.$: the same, rounded like digits
func parseSpecial(s []byte) (float64, bool) {
	sign := 1
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if len(s) >= 3 && bytes.EqualFold(s[:3], []byte("nan")) {
		rest := s[3:]
		return math.NaN(), len(rest) == 0 || rest[0] == '(' && rest[len(rest)-1] == ')'
	}
	body, ok := bytes.CutPrefix(s, []byte("1."))
	if !ok {
		return 0, false
	}
	switch string(bytes.TrimRight(body, "0")) {
	case "#INF":
		return math.Inf(sign), true
	case "#IND", "#QNAN", "#SNAN", "#J", "#IO", "#R", "#T", "#QO", "#SO", "#QNB", "#SNB", "$":
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

// parseCount returns the number of records in a header.
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
