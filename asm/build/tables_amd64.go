//go:build amd64 && !purego

package build

import "github.com/zoctree/zoctree/asm/internal/lane"

var (
	laneNumbers = lane.Numbers    //lint:ignore U1000 assembly reads it
	interleave  = lane.Interleave //lint:ignore U1000 assembly reads it
)
