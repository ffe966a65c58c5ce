//go:build amd64 && !purego

package depth

import "github.com/zoctree/zoctree/asm/internal/lane"

//lint:ignore U1000 assembly reads it
var laneNumbers = lane.Numbers
