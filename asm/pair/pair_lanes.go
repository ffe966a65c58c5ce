//go:build (amd64 || arm64) && !purego

package pair

import "github.com/zoctree/zoctree/soa"

// pairLanes is the lanes that may be paired with each lane of a packet: all lanes of another
// packet, or the lanes after it in the same packet.
//
//lint:ignore U1000 assembly reads it
var pairLanes = func() (t [2][soa.Lanes]uint32) {
	for l := range soa.Lanes {
		t[0][l], t[1][l] = 0xffff, 0xfffe<<l&0xffff
	}
	return t
}()
