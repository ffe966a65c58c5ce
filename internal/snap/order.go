package snap

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// big reports whether this machine is big-endian: the byte order of words in memory differs from
// files.
var big = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// ordered converts rows of words between the byte order of memory and of files. It returns the rows
// themselves, or a copy on big-endian machines.
func ordered(data []byte, words []uint8) []byte {
	if !big || align(words) == 1 {
		return data
	}
	to := mem.Make[byte](len(data))
	swap(to, data, words)
	return to
}

// swap copies rows of words and reverses the bytes of each word. Both slices have the same length,
// a multiple of the row size; they may be the same slice.
func swap(to, from []byte, words []uint8) {
	e := binary.LittleEndian
	for len(from) > 0 {
		for _, size := range words {
			switch size {
			case 2:
				e.PutUint16(to, bits.ReverseBytes16(e.Uint16(from)))
			case 4:
				e.PutUint32(to, bits.ReverseBytes32(e.Uint32(from)))
			case 8:
				e.PutUint64(to, bits.ReverseBytes64(e.Uint64(from)))
			default:
				to[0] = from[0]
			}
			to, from = to[size:], from[size:]
		}
	}
}

// align returns the alignment that rows of words need in memory.
func align(words []uint8) (most uintptr) {
	most = 1
	for _, size := range words {
		most = max(most, uintptr(size))
	}
	return most
}

// aligned reports whether data has the alignment that rows of words need.
func aligned(data []byte, words []uint8) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(data)))&(align(words)-1) == 0
}

// Digest returns a hash of rows of words in the byte order of files, so that it is the same on all
// machines. Digests are chained by the seed. It is not a cryptographic hash.
func Digest(seed uint64, data []byte, words []uint8) uint64 {
	data = ordered(data, words)
	e := binary.LittleEndian
	seed = fold(fold(seed, 0)+uint64(len(data)), 1)
	h := [4]uint64{seed, seed + 1, seed + 2, seed + 3}
	for ; len(data) >= 32; data = data[32:] {
		for i := range h {
			h[i] = fold(h[i], e.Uint64(data[8*i:]))
		}
	}
	var rest [32]byte
	copy(rest[:], data)
	var sum uint64
	for i := range h {
		sum = fold(sum^h[i], e.Uint64(rest[8*i:]))
	}
	return sum
}

// fold mixes a word into a hash: all bits of both affect the 128-bit product. The sum of its halves
// is added to the rotated former hash, so no word can cancel the former hash.
func fold(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word, 0x9e3779b97f4a7c15)
	return (hi ^ lo) + bits.RotateLeft64(h, 23) + 1
}
