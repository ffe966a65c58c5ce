package kernel

import (
	"encoding/binary"
	"math"
)

// Reader takes numbers off the input of a fuzz target; zeros follow its end.
type Reader []byte

func (r *Reader) Byte() (b byte) {
	if len(*r) > 0 {
		b, *r = (*r)[0], (*r)[1:]
	}
	return b
}

func (r *Reader) Uint32() uint32 {
	var b [4]byte
	*r = (*r)[copy(b[:], *r):]
	return binary.LittleEndian.Uint32(b[:])
}

func (r *Reader) Float() float32 { return math.Float32frombits(r.Uint32()) }

// Numbers reads n finite floats.
func (r *Reader) Numbers(n int) []float32 {
	f := make([]float32, n)
	for i := range f {
		if f[i] = r.Float(); f[i]-f[i] != 0 {
			f[i] = 0
		}
	}
	return f
}
