package ranges

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Sizes of stored keys and values, in bytes.
const (
	rowKeyLen   = 1 + 8 + 8
	rowValueLen = 24 + 4 + 1
	indexKeyLen = 1 + 8
	metaLen     = 1 + 4*4 + 8 + 2*3*8
)

// The first bytes of keys, and the end of rows.
const (
	rowTag   = 'r'
	rowEnd   = rowTag + 1
	indexTag = 'i'
	metaTag  = 'm'
)

// classes is the number of classes of size.
const classes = 2

// position is the sort key of a row: its class in bit 63, its Morton key in the others.
type position uint64

const classBit = morton.Bits

func placeOf(class int, k morton.Key) position { return position(class)<<classBit | position(k) }

// appendRowKey appends the key of a row.
func appendRowKey(dst []byte, p position, id uint64) []byte {
	dst = append(dst, rowTag)
	dst = binary.BigEndian.AppendUint64(dst, uint64(p))
	return binary.BigEndian.AppendUint64(dst, id)
}

// appendRowStart appends the lowest key of a row at a position.
func appendRowStart(dst []byte, p position) []byte { return appendRowKey(dst, p, 0) }

// readRowKey is the inverse of appendRowKey.
func readRowKey(key []byte) (p position, id uint64, err error) {
	if len(key) != rowKeyLen || key[0] != rowTag {
		return 0, 0, fmt.Errorf("ranges: %x is no key of a row", key)
	}
	return position(binary.BigEndian.Uint64(key[1:])), binary.BigEndian.Uint64(key[9:]), nil
}

func appendIndexKey(dst []byte, id uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, indexTag), id)
}

func appendIndexValue(dst []byte, p position) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(p))
}

func readIndexValue(value []byte) (position, error) {
	if len(value) != 8 {
		return 0, fmt.Errorf("ranges: an index entry of %d bytes, want 8", len(value))
	}
	return position(binary.BigEndian.Uint64(value)), nil
}

func appendFloats(dst []byte, values [3]float32) []byte {
	for _, x := range values {
		dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func readFloats(src []byte) (values [3]float32) {
	for a := range values {
		values[a] = math.Float32frombits(binary.BigEndian.Uint32(src[4*a:]))
	}
	return values
}

// appendObject appends the value of a row.
func appendObject(dst []byte, o *soa.Object) []byte {
	dst = appendFloats(appendFloats(dst, o.Box.Min), o.Box.Max)
	dst = binary.BigEndian.AppendUint32(dst, o.Mask)
	if o.Static {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// readObject is the inverse of appendObject.
func readObject(value []byte, o *soa.Object) error {
	if len(value) != rowValueLen || value[28] > 1 {
		return fmt.Errorf("ranges: %x is no value of a row", value)
	}
	o.Box.Min, o.Box.Max = readFloats(value), readFloats(value[12:])
	o.Mask = binary.BigEndian.Uint32(value[24:])
	o.Static = value[28] == 1
	return nil
}

// version is the version of the row layout, stored in the first byte of meta.
const version = 1

// meta is the metadata of the store.
type meta struct {
	world morton.World
	small float64            // largest reach of a small box, on each axis
	reach [classes]row.Reach // over all boxes ever stored
}

// class returns the class of a box.
func (m *meta) class(r row.Reach) int {
	if r.Most() <= m.small {
		return 0
	}
	return 1
}

// rowPosition returns the position of the row of a box, and extends the reach of its class so that queries find it.
func (m *meta) rowPosition(b soa.AABB) (p position, grown bool) {
	r := row.Of(b)
	class := m.class(r)
	former := m.reach[class]
	m.reach[class] = former.Union(r)
	return placeOf(class, row.Key(m.world, b)), m.reach[class] != former
}

func (m *meta) append(dst []byte) []byte {
	dst = append(dst, version)
	dst = binary.BigEndian.AppendUint32(dst, uint32(int32(m.world.Exp())))
	for _, cell := range m.world.Origin() {
		dst = binary.BigEndian.AppendUint32(dst, uint32(cell))
	}
	dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(m.small))
	for _, r := range m.reach {
		for _, x := range r {
			dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
		}
	}
	return dst
}

func (m *meta) read(src []byte) (err error) {
	if len(src) == 0 || src[0] != version {
		return fmt.Errorf("ranges: the store is of another version than %d", version)
	}
	if len(src) != metaLen {
		return fmt.Errorf("ranges: meta of %d bytes, want %d", len(src), metaLen)
	}
	number := func(i int) int32 { return int32(binary.BigEndian.Uint32(src[1+4*i:])) }
	if m.world, err = morton.NewWorld(int(number(0)), [3]int32{number(1), number(2), number(3)}); err != nil {
		return err
	}
	rest := src[17:]
	float := func() float64 {
		x := math.Float64frombits(binary.BigEndian.Uint64(rest))
		rest = rest[8:]
		return x
	}
	m.small = float()
	for c := range m.reach {
		for a := range 3 {
			if m.reach[c][a] = float(); !(m.reach[c][a] >= 0) {
				return fmt.Errorf("ranges: a reach of %v", m.reach[c][a])
			}
		}
	}
	return nil
}
