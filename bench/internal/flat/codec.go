package flat

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/zoctree/zoctree/soa"
)

// codec encodes and decodes one type of record.
type codec[T any] struct {
	size  int
	get   func(b []byte) T
	put   func(b []byte, v *T) []byte // appends
	check func(v *T) error
}

var (
	boxCodec = codec[soa.AABB]{24, getBox, putBox, func(b *soa.AABB) error { return b.Check() }}

	pointCodec = codec[[3]float32]{12,
		func(b []byte) (v [3]float32) { getFloats(b, v[:]); return v },
		func(b []byte, v *[3]float32) []byte { return putFloats(b, v[:]) },
		func(v *[3]float32) error { return finite("point", v[:]) },
	}
	frustumCodec = codec[[6][4]float32]{96, getFrustum, putFrustum, checkFrustum}

	sphereCodec = codec[[4]float32]{16,
		func(b []byte) (v [4]float32) { getFloats(b, v[:]); return v },
		func(b []byte, v *[4]float32) []byte { return putFloats(b, v[:]) },
		checkSphere,
	}
	rayCodec = codec[[7]float32]{28,
		func(b []byte) (v [7]float32) { getFloats(b, v[:]); return v },
		func(b []byte, v *[7]float32) []byte { return putFloats(b, v[:]) },
		checkRay,
	}
	instanceCodec = codec[Instance]{52,
		func(b []byte) (p Instance) {
			p.Part = binary.LittleEndian.Uint32(b)
			getFloats(b[4:], p.Rows[:])
			return p
		},
		func(b []byte, p *Instance) []byte {
			return putFloats(binary.LittleEndian.AppendUint32(b, p.Part), p.Rows[:])
		},
		func(p *Instance) error { return finite("rows", p.Rows[:]) },
	}
	moveCodec = codec[Move]{28,
		func(b []byte) Move { return Move{binary.LittleEndian.Uint32(b), getBox(b[4:])} },
		func(b []byte, m *Move) []byte {
			return putBox(binary.LittleEndian.AppendUint32(b, m.ID), &m.Box)
		},
		func(m *Move) error { return m.Box.Check() },
	}
)

func getFloats(b []byte, v []float32) {
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func putFloats(b []byte, v []float32) []byte {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

func getBox(b []byte) (box soa.AABB) {
	getFloats(b, box.Min[:])
	getFloats(b[12:], box.Max[:])
	return box
}

func putBox(b []byte, box *soa.AABB) []byte {
	return putFloats(putFloats(b, box.Min[:]), box.Max[:])
}

func getFrustum(b []byte) (planes [6][4]float32) {
	for i := range planes {
		getFloats(b[16*i:], planes[i][:])
	}
	return planes
}

func putFrustum(b []byte, planes *[6][4]float32) []byte {
	for i := range planes {
		b = putFloats(b, planes[i][:])
	}
	return b
}

func finite(what string, v []float32) error {
	for _, f := range v {
		// The difference is NaN for a NaN and for an infinity.
		if f-f != 0 {
			return fmt.Errorf("%s %v is not finite", what, v)
		}
	}
	return nil
}

func checkFrustum(planes *[6][4]float32) error {
	for i := range planes {
		if err := finite(fmt.Sprintf("plane %d", i), planes[i][:]); err != nil {
			return err
		}
	}
	return nil
}

func checkSphere(s *[4]float32) error {
	if s[3] < 0 {
		return fmt.Errorf("radius %v is negative", s[3])
	}
	return finite("sphere", s[:])
}

func checkRay(r *[7]float32) error {
	if err := finite("origin and direction", r[:6]); err != nil {
		return err
	}
	x, y, z := float64(r[3]), float64(r[4]), float64(r[5])
	if square := x*x + y*y + z*z; math.Abs(square-1) > 1e-3 {
		return fmt.Errorf("direction %v has squared length %.6g, want 1", r[3:6], square)
	}
	if !(r[6] >= 0) {
		return fmt.Errorf("greatest t %v is not 0 or more", r[6])
	}
	return nil
}
