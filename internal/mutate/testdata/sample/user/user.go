// Package user imports the package that is mutated.
package user

import "example.com/sample/lib"

// Twice doubles what lib has.
func Twice(a, b int) int { return 2 * lib.Far(a, b) }
