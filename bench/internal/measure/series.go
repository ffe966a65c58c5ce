// Package measure implements interleaved benchmarks: it times tasks in turn and reports the spread of the
// times.
package measure

import "slices"

// Series holds one number for each round of a measurement.
type Series []float64

// Median returns the median of the series, 0 if it is empty.
func (s Series) Median() float64 { return s.Quantile(0.5) }

// Min returns the smallest number, 0 of an empty series.
func (s Series) Min() float64 { return s.Quantile(0) }

// Max returns the largest number, 0 of an empty series.
func (s Series) Max() float64 { return s.Quantile(1) }

// Spread returns the interquartile range, which contains half of the rounds.
func (s Series) Spread() float64 { return s.Quantile(0.75) - s.Quantile(0.25) }

// Quantile returns the q-quantile of the series, by linear interpolation between neighbours.
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

// Over returns s/t round by round, so that a disturbed round affects both alike.
func (s Series) Over(t Series) Series {
	r := make(Series, len(s))
	for i, x := range s {
		r[i] = x / t[i]
	}
	return r
}
