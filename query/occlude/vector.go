package occlude

import "math"

// Vectors in float64. Products are rounded before they are added, so that no compiler fuses them.

func lin(r *[4]float64) [3]float64 { return [3]float64{r[0], r[1], r[2]} }

func dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// sizes returns the sum of the absolute values of the terms of dot.
func sizes(a, b [3]float64) float64 {
	return math.Abs(float64(a[0]*b[0])) + math.Abs(float64(a[1]*b[1])) + math.Abs(float64(a[2]*b[2]))
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

func scaled(a [3]float64, s float64) [3]float64 {
	return [3]float64{float64(a[0] * s), float64(a[1] * s), float64(a[2] * s)}
}

func minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func length(a [3]float64) float64 { return math.Sqrt(dot(a, a)) }

// biggest returns the largest absolute value of a component.
func biggest(a [3]float64) float64 { return max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2])) }

// sum returns the sum of the absolute values of the components.
func sum(a [3]float64) float64 { return math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(a[2]) }
