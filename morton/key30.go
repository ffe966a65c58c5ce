package morton

import "fmt"

// Levels30 is the number of bits of a coordinate of a [Key30], Max30 the largest coordinate.
const (
	Levels30 = 10
	Max30    = 1<<Levels30 - 1
)

// Key30 is a 30-bit Morton code in the bit order of [Key], with 10 triples: half the size, for
// worlds of 1024 cells on an axis. Bits 30 and 31 are 0; methods ignore them.
type Key30 uint32

// Encode30 returns the key of a point. It uses the low 10 bits of each
// coordinate and ignores the others.
func Encode30(x, y, z uint32) Key30 {
	return spread30(x) | spread30(y)<<1 | spread30(z)<<2
}

// Decode returns the point of a key.
func (k Key30) Decode() (x, y, z uint32) {
	return compact30(k), compact30(k >> 1), compact30(k >> 2)
}

// Key returns the first of the 2^33 keys that lie in the cell of k at level 10.
func (k Key30) Key() Key { return Key(k&(1<<30-1)) << (Bits - 30) }

// Key30 returns the first 30 bits of k: the key of its cell at level 10.
func (k Key) Key30() Key30 { return Key30(k & MaxKey >> (Bits - 30)) }

// String returns the key as 10 octal digits, one octant number for each level.
func (k Key30) String() string { return fmt.Sprintf("%010o", uint32(k&(1<<30-1))) }

// spread30 moves bit i of a 10-bit number to bit 3i.
func spread30(x uint32) Key30 {
	x &= 0x3FF                   // ---- ---- ---- ---- ---- --98 7654 3210
	x = (x | x<<16) & 0x030000FF // ---- --98 ---- ---- ---- ---- 7654 3210
	x = (x | x<<8) & 0x0300F00F  // ---- --98 ---- ---- 7654 ---- ---- 3210
	x = (x | x<<4) & 0x030C30C3  // ---- --98 ---- 76-- --54 ---- 32-- --10
	x = (x | x<<2) & 0x09249249  // ---- 9--8 --7- -6-- 5--4 --3- -2-- 1--0
	return Key30(x)
}

// compact30 is the inverse of spread30: the same steps in reverse.
func compact30(k Key30) uint32 {
	x := uint32(k) & 0x09249249 // ---- 9--8 --7- -6-- 5--4 --3- -2-- 1--0
	x = (x | x>>2) & 0x030C30C3 // ---- --98 ---- 76-- --54 ---- 32-- --10
	x = (x | x>>4) & 0x0300F00F // ---- --98 ---- ---- 7654 ---- ---- 3210
	x = (x | x>>8) & 0x030000FF // ---- --98 ---- ---- ---- ---- 7654 3210
	x = (x | x>>16) & 0x3FF     // ---- ---- ---- ---- ---- --98 7654 3210
	return x
}
