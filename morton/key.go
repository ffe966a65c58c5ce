package morton

import "fmt"

// The dimensions of a key.
const (
	Levels = 21            // bits of a coordinate
	Bits   = 3 * Levels    // bits of a key
	Max    = 1<<Levels - 1 // the largest coordinate
)

// Key is a 63-bit Morton code (Z-order key): x in bit 0, y in bit 1, z in bit 2 of each of 21
// triples. Bit 63 is 0; methods ignore it unless documented otherwise.
type Key uint64

// MaxKey is the largest key, of the point Max, Max, Max.
const MaxKey Key = 1<<Bits - 1

// The bits of one axis in a key.
const (
	bitsX Key = 0x1249249249249249
	bitsY Key = bitsX << 1
	bitsZ Key = bitsX << 2
)

// axisBits is indexed by axis.
var axisBits = [3]Key{bitsX, bitsY, bitsZ}

// Encode returns the key of a point. It uses the low 21 bits of each
// coordinate and ignores the others.
func Encode(x, y, z uint32) Key {
	return spread(x) | spread(y)<<1 | spread(z)<<2
}

// Decode returns the point of a key.
func (k Key) Decode() (x, y, z uint32) {
	return compact(k), compact(k >> 1), compact(k >> 2)
}

// String returns the key as 21 octal digits, one octant number for each level.
func (k Key) String() string { return fmt.Sprintf("%021o", uint64(k&MaxKey)) }

// spread moves bit i of a 21-bit number to bit 3i. Digits and letters stand
// for bits 0 to 20 (a = 10, k = 20), dashes for zeros.
func spread(v uint32) Key {
	x := uint64(v) & 0x1FFFFF           // ---k jihg fedc ba98 7654 3210
	x = (x | x<<32) & 0x1F00000000FFFF  // ---k jihg, 32 zeros, fedc ba98 7654 3210
	x = (x | x<<16) & 0x1F0000FF0000FF  // ---k jihg, 16 zeros, fedc ba98, 16 zeros, 7654 3210
	x = (x | x<<8) & 0x100F00F00F00F00F // ---k ---- ---- jihg ---- ---- fedc ---- ---- ba98 ---- ---- 7654 ---- ---- 3210
	x = (x | x<<4) & 0x10C30C30C30C30C3 // ---k ---- ji-- --hg ---- fe-- --dc ---- ba-- --98 ---- 76-- --54 ---- 32-- --10
	x = (x | x<<2) & 0x1249249249249249 // ---k --j- -i-- h--g --f- -e-- d--c --b- -a-- 9--8 --7- -6-- 5--4 --3- -2-- 1--0
	return Key(x)
}

// compact is the inverse of spread: the same steps in reverse.
func compact(k Key) uint32 {
	x := uint64(k) & 0x1249249249249249 // ---k --j- -i-- h--g --f- -e-- d--c --b- -a-- 9--8 --7- -6-- 5--4 --3- -2-- 1--0
	x = (x | x>>2) & 0x10C30C30C30C30C3 // ---k ---- ji-- --hg ---- fe-- --dc ---- ba-- --98 ---- 76-- --54 ---- 32-- --10
	x = (x | x>>4) & 0x100F00F00F00F00F // ---k ---- ---- jihg ---- ---- fedc ---- ---- ba98 ---- ---- 7654 ---- ---- 3210
	x = (x | x>>8) & 0x1F0000FF0000FF   // ---k jihg, 16 zeros, fedc ba98, 16 zeros, 7654 3210
	x = (x | x>>16) & 0x1F00000000FFFF  // ---k jihg, 32 zeros, fedc ba98 7654 3210
	x = (x | x>>32) & 0x1FFFFF          // ---k jihg fedc ba98 7654 3210
	return uint32(x)
}
