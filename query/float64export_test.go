package query

import "github.com/zoctree/zoctree/query/internal/walk"

// Rebase moves planes of float64 to an origin.
func Rebase(p [4]float64, origin [3]float64) [4]float64 {
	walk.Rebase(&p, &origin)
	return p
}
