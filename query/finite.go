package query

import "fmt"

// isFinite reports whether x is neither NaN nor infinite: only then is x-x zero.
func isFinite[F float32 | float64](x F) bool { return x-x == 0 }

// allFinite reports whether the vector is finite.
func allFinite[F float32 | float64](x *[3]F) bool {
	return isFinite(x[0]) && isFinite(x[1]) && isFinite(x[2])
}

// infinite returns the error of a vector that is not finite, which names it.
func infinite[F float32 | float64](what string, x [3]F) error {
	return fmt.Errorf("query: %s %v is not finite", what, x)
}

// finite returns the error of infinite unless the vector is finite.
func finite[F float32 | float64](what string, x *[3]F) error {
	if !allFinite(x) {
		return infinite(what, *x)
	}
	return nil
}

// finitePlane returns an error that names the plane unless it is finite.
func finitePlane[F float32 | float64](i int, p *[4]F) error {
	if !isFinite(p[0]) || !isFinite(p[1]) || !isFinite(p[2]) || !isFinite(p[3]) {
		return infinitePlane(i, *p)
	}
	return nil
}

func infinitePlane[F float32 | float64](i int, p [4]F) error {
	return fmt.Errorf("query: plane %d is not finite: %v", i, p)
}
