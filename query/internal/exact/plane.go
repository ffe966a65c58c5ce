package exact

import "math"

// Direction returns a scaled to length 1; ok is false when a has no direction.
func Direction(a [3]float64) (u [3]float64, ok bool) {
	m := max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2]))
	if !(m > 0) || math.IsInf(m, 0) {
		return a, false
	}
	for i := range a {
		a[i] /= m
	}
	l := math.Sqrt(Dot(a, a))
	for i := range a {
		a[i] /= l
	}
	return a, true
}

// Intersect returns the intersection of three planes by Cramer's rule, and bounds of its errors.
// Products of float32 are exact in float64 and each cross product has a relative error of 2^-53;
// sums of three products add less than 2^-50 of the sum of their sizes.
func Intersect(p, q, r *[4]float64) (c, e [3]float64, ok bool) {
	n := [3][3]float64{{p[0], p[1], p[2]}, {q[0], q[1], q[2]}, {r[0], r[1], r[2]}}
	opposite := [3][3]float64{Cross(n[1], n[2]), Cross(n[2], n[0]), Cross(n[0], n[1])}
	d := [3]float64{p[3], q[3], r[3]}
	det := Dot(n[0], opposite[0])
	size := 0.0
	for a := range 3 {
		size += math.Abs(n[0][a] * opposite[0][a])
	}
	detError := 0x1p-50 * size
	if !(math.Abs(det) > 4*detError) {
		return c, e, false
	}
	for a := range 3 {
		sum, size := 0.0, 0.0
		for i := range 3 {
			t := float64(d[i] * opposite[i][a])
			sum -= t
			size += math.Abs(t)
		}
		c[a] = sum / det
		// |sum/det - exact| with both off by their bounds, and the division.
		off := float64(0x1p-50*size) + float64(math.Abs(c[a])*detError)
		e[a] = float64(off/(math.Abs(det)-detError)*1.01) + float64(0x1p-52*math.Abs(c[a]))
	}
	return c, e, true
}
