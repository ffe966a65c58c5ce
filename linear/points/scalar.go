package points

import (
	"encoding/binary"
	"math"
)

// scalar is the type of a number in a binary file.
type scalar struct {
	kind byte  // I signed, U unsigned, F floating
	size int64 // in bytes: 1, 2, 4, 8, for F 4 or 8
}

// bits returns the number's bits, sign not extended.
func (t scalar) bits(b []byte, order binary.ByteOrder) uint64 {
	switch t.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// integer returns a number of kind I, or of kind U and at most 4 bytes.
func (t scalar) integer(b []byte, order binary.ByteOrder) int64 {
	n := int64(t.bits(b, order))
	if t.kind == 'I' {
		unused := 64 - 8*t.size
		n = n << unused >> unused
	}
	return n
}

// float64 returns the nearest float64 of a number, which is exact except for integers of 8 bytes.
func (t scalar) float64(b []byte, order binary.ByteOrder) float64 {
	switch {
	case t.kind == 'U':
		return float64(t.bits(b, order))
	case t.kind == 'I':
		return float64(t.integer(b, order))
	case t.size == 4:
		return float64(math.Float32frombits(order.Uint32(b)))
	}
	return math.Float64frombits(order.Uint64(b))
}
