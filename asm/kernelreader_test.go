package asm_test

import (
	"encoding/binary"
	"math"
)

// reader takes numbers off the input of a fuzz target; zeros follow its end.
type reader []byte

func (r *reader) byte() (b byte) {
	if len(*r) > 0 {
		b, *r = (*r)[0], (*r)[1:]
	}
	return b
}

func (r *reader) uint32() uint32 {
	var b [4]byte
	*r = (*r)[copy(b[:], *r):]
	return binary.LittleEndian.Uint32(b[:])
}

func (r *reader) float() float32 { return math.Float32frombits(r.uint32()) }

// numbers reads n finite floats.
func (r *reader) numbers(n int) []float32 {
	f := make([]float32, n)
	for i := range f {
		if f[i] = r.float(); f[i]-f[i] != 0 {
			f[i] = 0
		}
	}
	return f
}
