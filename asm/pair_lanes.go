//go:build (amd64 || arm64) && !purego

package asm

import "github.com/zoctree/zoctree/soa"

// pairLanes are the lanes of a packet that each of its lanes, or of those of another
// one, may be paired with: of another packet all, of its own those after it.
//
//lint:ignore U1000 assembly reads it
var pairLanes = func() (t [2][soa.Lanes]uint32) {
	for l := range soa.Lanes {
		t[0][l], t[1][l] = 0xffff, 0xfffe<<l&0xffff
	}
	return t
}()
