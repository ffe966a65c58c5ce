package replica

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Batch is what is proposed: calls like those of a linear.Batch, as bytes. The zero Batch
// is empty and ready.
//
//	kind (1) | ID (4), but for insertions | box (24), mask (4), static (1): what the kind has
//
// All numbers are little-endian.
type Batch struct{ data []byte }

// The kinds of calls.
const (
	insertCall = iota
	removeCall
	moveCall
	maskCall
	staticCall
)

var order = binary.LittleEndian

// Insert records an insertion. Its ID is among those of the outcome.
func (b *Batch) Insert(o soa.Object) {
	b.data = appendObject(append(b.data, insertCall), &o)
}

// Remove records a removal.
func (b *Batch) Remove(id uint32) { b.call(removeCall, id) }

// Move records a move.
func (b *Batch) Move(id uint32, box soa.AABB) {
	b.call(moveCall, id)
	b.data = appendBox(b.data, &box)
}

// SetMask records a new type mask.
func (b *Batch) SetMask(id, mask uint32) {
	b.call(maskCall, id)
	b.data = order.AppendUint32(b.data, mask)
}

// SetStatic records a new static flag.
func (b *Batch) SetStatic(id uint32, static bool) {
	b.call(staticCall, id)
	b.data = appendBool(b.data, static)
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { b.data = b.data[:0] }

func (b *Batch) call(kind byte, id uint32) {
	b.data = order.AppendUint32(append(b.data, kind), id)
}

// encode returns a batch as bytes of their own.
func encode(b *Batch) []byte { return append([]byte(nil), b.data...) }

var errCut = errors.New("replica: a batch that ends too early")

// decode records the calls of encoded bytes in an empty batch.
func decode(data []byte, to *linear.Batch) error {
	r := reader{data: data}
	for len(r.data) > 0 && r.err == nil {
		kind := r.byte()
		if kind == insertCall {
			o := r.object()
			to.Insert(o)
			continue
		}
		switch id := r.uint32(); kind {
		case removeCall:
			to.Remove(id)
		case moveCall:
			to.Move(id, r.box())
		case maskCall:
			to.SetMask(id, r.uint32())
		case staticCall:
			to.SetStatic(id, r.bool())
		default:
			return fmt.Errorf("replica: a call of kind %d", kind)
		}
	}
	return r.err
}

func appendBox(dst []byte, b *soa.AABB) []byte {
	for _, x := range [...]float32{b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2]} {
		dst = order.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendObject(dst []byte, o *soa.Object) []byte {
	return appendBool(order.AppendUint32(appendBox(dst, &o.Box), o.Mask), o.Static)
}

// reader takes numbers off bytes. Its error stays.
type reader struct {
	data []byte
	err  error
}

// zeros is what a reader gives once its bytes have ended.
var zeros [8]byte

func (r *reader) take(n int) []byte {
	if len(r.data) < n || r.err != nil {
		r.data, r.err = nil, errCut
		return zeros[:n]
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) uint32() uint32 { return order.Uint32(r.take(4)) }
func (r *reader) uint64() uint64 { return order.Uint64(r.take(8)) }

func (r *reader) bool() bool {
	b := r.byte()
	if b > 1 && r.err == nil {
		r.err = fmt.Errorf("replica: %d for true or false", b)
	}
	return b == 1
}

func (r *reader) box() (b soa.AABB) {
	for i := range 6 {
		x := math.Float32frombits(r.uint32())
		if i < 3 {
			b.Min[i] = x
		} else {
			b.Max[i-3] = x
		}
	}
	return b
}

func (r *reader) object() (o soa.Object) {
	o.Box = r.box()
	o.Mask, o.Static = r.uint32(), r.bool()
	return o
}
