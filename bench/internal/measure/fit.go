package measure

import "math"

// Fit fits a power law: it returns a and b such that a·x^b is nearest to y, by linear least squares in the
// logarithms. All numbers must be above 0; b is NaN unless two of x differ.
func Fit(x, y Series) (a, b float64) {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += math.Log(x[i]) / n
		my += math.Log(y[i]) / n
	}
	var xx, xy float64
	for i := range x {
		d := math.Log(x[i]) - mx
		xx += d * d
		xy += d * (math.Log(y[i]) - my)
	}
	b = xy / xx
	return math.Exp(my - b*mx), b
}
