package snap

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// big says that words have another order of bytes in memory than in a file.
var big = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// ordered returns rows of words in the order of bytes of the other side, file or memory:
// the rows themselves, or, where bytes come in another order, a copy.
func ordered(data []byte, words []uint8) []byte {
	if !big || align(words) == 1 {
		return data
	}
	to := mem.Make[byte](len(data))
	swap(to, data, words)
	return to
}

// swap copies rows of words with the bytes of each in the opposite order. Both slices have
// the same length, a multiple of that of a row; they may be one.
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

// aligned reports whether rows of words may begin there.
func aligned(data []byte, words []uint8) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(data)))&(align(words)-1) == 0
}

// Digest hashes rows of words, in the order of bytes of files, so that it is the same on
// all machines. Digests are chained by the seed. It is no signature.
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

// fold takes a word into a hash: all bits of both go into the 128 of a product, whose halves
// are added up with the former hash, which no word takes away.
func fold(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word, 0x9e3779b97f4a7c15)
	return (hi ^ lo) + bits.RotateLeft64(h, 23) + 1
}
