//go:build (amd64 || arm64) && !purego

package build

import "github.com/zoctree/zoctree/asm/internal/lane"

//lint:ignore U1000 assembly reads it
var compressTable = lane.CompressTable()
