// Package measure times pieces of work side by side and tells how far the
// times spread.
package measure

import "slices"

// Series is one number for each round of a measurement.
type Series []float64

// Median returns the middle of the series, 0 when it is empty.
func (s Series) Median() float64 { return s.Quantile(0.5) }

// Min returns the smallest number, 0 of an empty series.
func (s Series) Min() float64 { return s.Quantile(0) }

// Max returns the largest number, 0 of an empty series.
func (s Series) Max() float64 { return s.Quantile(1) }

// Spread returns the interquartile range: half of the rounds lie in it.
func (s Series) Spread() float64 { return s.Quantile(0.75) - s.Quantile(0.25) }

// Quantile returns the number below which the share q of the series lies, by
// linear interpolation between neighbours.
func (s Series) Quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	at := q * float64(len(s)-1)
	i := min(int(at), len(s)-1)
	j := min(i+1, len(s)-1)
	return sorted[i] + (sorted[j]-sorted[i])*(at-float64(i))
}

// Each returns the series with f applied to every round.
func (s Series) Each(f func(x float64) float64) Series {
	r := make(Series, len(s))
	for i, x := range s {
		r[i] = f(x)
	}
	return r
}

// Over returns s/t round by round: what disturbs a round falls on both.
func (s Series) Over(t Series) Series {
	r := make(Series, len(s))
	for i, x := range s {
		r[i] = x / t[i]
	}
	return r
}
