package pair

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Order is the order of the two IDs of a pair.
type Order uint8

const (
	Found     Order = iota // object of X first
	Swapped                // object of Y first
	Ascending              // smaller ID first
)

// An emit kernel takes at most pairEmitPerCall hits in one call.
const pairEmitPerCall = 4096

// pairEmitArgs is the argument of an emit kernel of pairs.
type pairEmitArgs struct {
	dst   *[2]uint32 // address of the next pair
	room  int        // room for pairs; a kernel stores 16 at a time
	x, y  *[soa.Lanes]uint32
	hits  *Hit
	n     int
	order Order
	done  int // out: hits finished
	wrote int // out: pairs written
}

// EmitPairs appends the IDs of overlapping pairs to dst, in the order of the hits, lanes ascending;
// x and y are the IDs of X and Y. It allocates only if dst lacks room for the result, and
// overwrites at most the room of 16 pairs behind the result.
func EmitPairs(dst [][2]uint32, hits []Hit, x, y [][soa.Lanes]uint32, order Order) [][2]uint32 {
	e := pairEmitArgs{x: unsafe.SliceData(x), y: unsafe.SliceData(y), order: order}
	for len(hits) > 0 {
		room := dst[len(dst):cap(dst)]
		e.dst, e.room = unsafe.SliceData(room), len(room)
		e.hits, e.n = &hits[0], min(len(hits), pairEmitPerCall)
		if e.room >= soa.Lanes {
			pairEmit(&e)
		} else if left := CountHits(hits); left > e.room {
			dst = slices.Grow(dst, left+soa.Lanes)
			continue
		} else {
			pairEmitGo(&e) // writes no more than the result
		}
		dst = dst[:len(dst)+e.wrote]
		hits = hits[e.done:]
	}
	return dst
}

// CountHits returns the number of pairs of the hits.
func CountHits(hits []Hit) (n int) {
	for i := range hits {
		n += bits.OnesCount32(hits[i].Mask)
	}
	return n
}
