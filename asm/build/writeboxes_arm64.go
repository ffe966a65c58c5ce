//go:build arm64 && !purego

package build

import "math"

// writeMost is the maximum number of boxes or spheres whose indices have 32 bits.
const writeMost = math.MaxUint32
