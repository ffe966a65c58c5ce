//go:build arm64 && !purego

package build

// emptyRecord is the record of a free lane.
//
//lint:ignore U1000 assembly reads it
var emptyRecord = [8]float32{inf, inf, inf, -inf, -inf, -inf}
