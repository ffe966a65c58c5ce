package pair

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// Limit is the distance of a [Near], prepared for the kernels by [MakeLimit].
type Limit struct {
	Scale float32 // a power of two
	Sure  float32 // up to this square the boxes are surely within the distance
	Most  float32 // beyond this square they are surely not; finite
}

// MakeLimit prepares a distance, which must be above 0 and finite.
//
// # Rounding bound
//
// The square of the distance of two boxes is in float32, each operation rounded by itself:
//
//	d = max(max(b.min - a.max, a.min - b.max), 0) * Scale    on each axis
//	(dx*dx + dy*dy) + dz*dz
//
// With u = 2^-24,
//
//	Scale = 2^k with 2^60 <= R < 2^61, R = distance*Scale; at most 2^127
//	Sure  = R*R*(1 - 6u), rounded down to float32
//	Most  = R*R*(1 + 6u), rounded up to float32
//
// A difference of float32 has a relative error of u and is exact if it would be denormal. A square adds
// a relative error of u, two sums u each: the factor is between (1 - u)^5 and (1 + u)^5. R*R is at least
// 2^-44, so the loss of a square below the normal numbers is far below another u.
func MakeLimit(distance float32) (l Limit) {
	k := min(60-lane.Exponent(float64(distance)), 127)
	scale := lane.Power(k)
	r := float64(distance) * scale
	l.Scale = float32(scale)
	l.Sure = -lane.RoundUp(-float64(r * r * (1 - 6*0x1p-24)))
	l.Most = lane.RoundUp(float64(r * r * (1 + 6*0x1p-24)))
	return l
}

// A near kernel takes at most pairNearPerCall hits in one call.
const pairNearPerCall = 2048

// nearArgs is the argument of a near kernel.
type nearArgs struct {
	hits   *Hit
	n      int
	to     *Hit           // where hits are kept, not after the first hit
	x      unsafe.Pointer // bounds of the first 16 boxes of X
	stride uintptr        // bytes from there to the next 16
	y      *soa.Packet
	limit  Limit
	doubt  uint32 // out: all lanes in doubt
	kept   int    // out: hits kept
}

// Near keeps the hits whose boxes are within a distance: it removes the lanes of the hits beyond Limit.Most,
// and sets Doubt of each hit to the lanes beyond Limit.Sure. It reports whether there are such lanes.
// After [Objects], objects must be set, and the boxes are these of lane i%16 of node i/16 of X for object i.
//
//go:noinline
func Near(w *Walk, limit *Limit, objects bool) (doubt bool) {
	if len(w.Hits) == 0 {
		return false
	}
	a := nearArgs{limit: *limit, y: unsafe.SliceData(w.Y.Packets.Bounds)}
	if objects {
		a.x, a.stride = unsafe.Pointer(unsafe.SliceData(w.X.Nodes)), unsafe.Sizeof(soa.Node{})
	} else {
		a.x, a.stride = unsafe.Pointer(unsafe.SliceData(w.X.Packets.Bounds)), unsafe.Sizeof(soa.Packet{})
	}
	kept, lanes := 0, uint32(0)
	for hits := w.Hits; len(hits) > 0; hits = hits[a.n:] {
		a.hits, a.n, a.to = &hits[0], min(len(hits), pairNearPerCall), &w.Hits[kept]
		pairNear(&a)
		kept, lanes = kept+a.kept, lanes|a.doubt
	}
	w.Hits = w.Hits[:kept]
	return lanes != 0
}

// Bounds of a node come first, as bounds of a packet do.
var _ [0]struct{} = [unsafe.Offsetof(soa.Node{}.Bounds)]struct{}{}

func pairNearGo(a *nearArgs) {
	hits, to := unsafe.Slice(a.hits, a.n), unsafe.Slice(a.to, a.n)
	a.kept, a.doubt = 0, 0
	for _, h := range hits {
		x := (*soa.Packet)(unsafe.Add(a.x, uintptr(h.A.Slot())*a.stride))
		near, sure := nearMasks(x, h.A.Lane(), lane.At(a.y, int(h.B)), &a.limit)
		h.Mask &= near
		h.Doubt = h.Mask &^ sure
		a.doubt |= h.Doubt
		to[a.kept] = h // without a lane the next one overwrites it
		a.kept += int(lane.Bit(h.Mask != 0))
	}
}

// nearMasks returns the lanes of q whose squared distance from lane l of p is within the limits.
func nearMasks(p *soa.Packet, l int, q *soa.Packet, limit *Limit) (near, sure uint32) {
	l &= soa.Lanes - 1
	for k := soa.Lanes - 1; k >= 0; k-- {
		var square [3]float32
		for a := range square {
			lo, hi := int32(math.Float32bits(q[2*a][k]-p[2*a+1][l])), int32(math.Float32bits(p[2*a][l]-q[2*a+1][k]))
			d := math.Float32frombits(uint32(max(lo, hi, 0))) * limit.Scale
			square[a] = d * d
		}
		sum := float32(square[0]+square[1]) + square[2]
		near = near + near + lane.Bit(sum <= limit.Most)
		sure = sure + sure + lane.Bit(sum <= limit.Sure)
	}
	return near, sure
}
