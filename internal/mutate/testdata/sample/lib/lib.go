// Package lib is mutated by the tests of the command.
package lib

import "fmt"

// Limit is a declaration outside functions.
const Limit = 10

// Point has fields to give a zero.
type Point struct{ X, Y int }

// String is not mutated.
func (p Point) String() string { return fmt.Sprintf("%d, %d", p.X+0, p.Y) }

// Below is tested on both sides of the limit, not at it.
func Below(n int) bool { return n < Limit }

// Sum ends only if its loop counts.
func Sum(xs []int) int {
	s := 0
	for i := 0; i < len(xs); i++ {
		s += xs[i]
	}
	return s
}

// Far is tested by the package that imports this one.
func Far(a, b int) int { return weigh(a, b) }

func weigh(a, b int) int { return 2*a + b }

// Long is tested by the default form alone.
func Long(p Point) bool {
	if p.X > p.Y {
		return true
	}
	return false
}

// Unused is tested by nothing.
func Unused(a int) int {
	buf := make([]int, 0, a+1)
	return len(buf) - a
}
