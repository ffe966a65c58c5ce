package octree

import (
	"math/bits"

	"github.com/zoctree/zoctree/morton"
)

// squeeze compresses keys for the sort: it removes bits that all keys of a build share. In a flat
// scene these are the bits of one axis, between the bits of the others. They fill items, which hold
// only the top bits of a key, so that many items are equal although their keys differ. Squeezing
// moves the varying bits up, in their order, which keeps the order of keys.
//
//	key        0zyx 0zyx 0zyx …      z = 0 in all keys
//	squeezed   yxyx yx…
//
// The keys that the topology derives are stretched back.
type squeeze struct {
	on    bool
	fixed uint64 // the values of the shared bits
	vary  uint64 // the mask of the other bits

	// move[i] holds the bits that step i moves up by 1<<i. In all steps together a bit moves up by
	// the number of shared bits above it.
	move [6]uint64
}

// SqueezeMin is the minimum number of shared bits, among the top ones, for which squeezing is worth
// a pass over the keys; a variable for tests. The world is a cube whose side is a power of two, so
// up to three or four bits are shared in any scene.
var SqueezeMin = 5

// squeezeKeys is the minimum number of keys of a build that tries to squeeze.
const squeezeKeys = 4096

// pays reports whether to squeeze keys that vary in these bits: only if some varying bits would
// move into the top ones.
func pays(vary uint64) bool {
	shared := bits.OnesCount64(^vary & uint64(morton.MaxKey) >> lowBits)
	return shared >= SqueezeMin && vary<<(64-lowBits) != 0
}

// squeezing returns the squeeze of keys that differ from key in these bits.
func squeezing(key, vary uint64) (q squeeze) {
	q.on, q.fixed, q.vary = true, key&^vary, vary
	up := 0
	for b := uint64(1) << (63 - 1); b != 0; b >>= 1 {
		if vary&b == 0 {
			up++
			continue
		}
		at := b
		for i := range q.move {
			if up>>i&1 != 0 {
				q.move[i] |= at
				at <<= 1 << i
			}
		}
	}
	return q
}

// squeeze squeezes keys in place. Few bits are usually shared, and then the last two steps are
// skipped.
func (q *squeeze) squeeze(keys []uint64) {
	m := q.move
	few := m[4]|m[5] == 0
	for i, x := range keys {
		x &= q.vary
		x += x & m[0]
		x += (x & m[1]) * 3
		x += (x & m[2]) * (1<<4 - 1)
		x += (x & m[3]) * (1<<8 - 1)
		if !few {
			x += (x & m[4]) * (1<<16 - 1)
			x += (x & m[5]) * (1<<32 - 1)
		}
		keys[i] = x
	}
}

// stretch moves the bits of a squeezed key back.
func (q *squeeze) stretch(x uint64) uint64 {
	for i := len(q.move) - 1; i >= 0; i-- {
		moved := x & (q.move[i] << (1 << i))
		x = x&^moved | moved>>(1<<i)
	}
	return x
}

// key returns the original of a squeezed key.
func (q *squeeze) key(x uint64) uint64 {
	if !q.on {
		return x
	}
	return q.stretch(x) | q.fixed
}

// face returns the original of x, a squeezed key at the face of a cell: all bits below the lowest
// set bit of x are 0 in the result.
func (q *squeeze) face(x uint64) uint64 {
	if !q.on {
		return x
	}
	x = q.stretch(x)
	return x | q.fixed&^(x&-x-1)
}

// differing returns the bits in which keys differ from key.
func differing(keys []uint64, key uint64) (vary uint64) {
	for _, k := range keys {
		vary |= k ^ key
	}
	return vary
}
