package trace

import (
	"math"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// NearWalk is the state of a k-nearest-neighbour search around a point between two calls of
// [NearNext]: a best-first walk with a stack. The squared distance of a box is in float32, each
// operation rounded separately:
//
//	d  = max(max(lo - c, c - hi), 0)      on each axis, times Scale if that is set
//	d2 = (dx*dx + dy*dy) + dz*dz          +Inf on overflow
//
// Each operation is monotone, so no box has a smaller d2 than a box around it.
//
//	entry   63              32 31           0
//	        |  bits of d2     | reference   |     of the flags, only the packet flag
//
// Entries compare like their distances, because d2 is not negative.
type NearWalk struct {
	Point  [3]float32
	Bound  float32  // limit of d2; not NaN, and +0 or more
	Scale  float32  // a power of two, or 0; must be 0 for [NearFind] and [NearFirst]
	Stack  []uint64 // entries to visit, the next one last
	Filter asm.NodeFilter

	// Budget is the maximum number of entries that the next [NearNext] or [NearFind] may take; 0: no
	// bound.
	Budget int

	// The packet at which the last call ended.
	Slot uint32
	Dist [soa.Lanes]float32 // d2 of each lane

	// Location is the result of [NearFirst]; NoLocation at the beginning.
	Location soa.Location
}

// NoLocation is the location of no object.
const NoLocation = ^soa.Location(0)

// Kernels step over entries by 8 bytes; a register holds all distances of a packet.
var (
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Point) - 3*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Stack[0]) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Dist) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Location) - 4]struct{}{}
)

// NearBound returns the limit of a radius search: of d2 for boxes within the distance r, which must not be
// negative or NaN. It is conservative: every box within r has a d2 of at most the limit.
//
// # Rounding bound
//
// With u = 2^-24 the limit is
//
//	r*r*(1 + 6u) + 2^-148, in float64, rounded up to float32
//
// and +Inf if that is beyond float32. A difference of two float32 has a relative error of u and is
// exact if it is denormal. A square adds a relative error of u or an absolute one of 2^-150, two
// sums u each. So a box within r has a d2 of at most r*r*(1+u)^5 + 3 * 2^-150 * (1+u)^2.
func NearBound(r float32) float32 {
	if r >= 0x1p64 { // its square is beyond float32: the usual case, inlined
		return math.Float32frombits(0x7F800000) // +Inf
	}
	return nearBound(r)
}

func nearBound(r float32) float32 {
	x := float64(r) * float64(r)
	x = float64(x*(1+6*0x1p-24)) + 0x1p-148
	if x > math.MaxFloat32 {
		return float32(math.Inf(1))
	}
	return lane.RoundUp(x)
}

// One call of a near kernel takes at most nearPerCall entries from the stack, pushes at most 16 for
// each, and stores 16 at a time.
const (
	nearPerCall = 128
	nearRoom    = nearPerCall*soa.Fan + soa.Fan
)

// NearEntry is the entry of a node or packet at a squared distance on the stack of a nearest-neighbour search.
func NearEntry(d2 float32, ref soa.Ref) uint64 {
	return uint64(math.Float32bits(d2))<<32 | uint64(ref&refKeep)
}

// NearNext continues a nearest-neighbour search to the next packet with a lane of d2 <= Bound. It
// returns the mask of such lanes, and sets Slot and Dist to that packet. It returns 0 if the stack
// is used up or Budget entries have been taken. The caller may lower Bound between calls.
//
// Children of a node are pushed with the nearest on top, compared by the upper 28 bits of d2; of
// equal ones the higher lane is further down. If Bound is +Inf, the mask may have free lanes of the
// packet. NearNext allocates only while the stack grows.
func NearNext(w *NearWalk, nodes []soa.Node, packets []soa.Packet) (mask uint32) {
	for most := w.Budget; len(w.Stack) > 0 && mask == 0; {
		n := nearPerCall
		if w.Budget > 0 {
			if n = min(n, most); n == 0 {
				break
			}
			most -= n
		}
		w.Stack = slices.Grow(w.Stack, nearRoom)
		mask = nearWalk(w, nodes, packets, n)
	}
	return mask
}

// NearStep is one step of [NearNext], a nearest-neighbour search: it takes one entry from the stack.
func NearStep(w *NearWalk, nodes []soa.Node, packets []soa.Packet) (mask uint32) {
	w.Stack = slices.Grow(w.Stack, 2*soa.Fan)
	return nearWalk(w, nodes, packets, 1)
}

// NearMany is the maximum k of a [NearFind]. For up to NearFew it is faster by some percent.
const (
	NearFew  = soa.Lanes
	NearMany = 4 * soa.Lanes
)

// NearKept is the number of lanes that a NearFind lists before it has to return.
const NearKept = 256

const nearKept = NearKept

// NearFound is the result of a search for the k nearest boxes: their distances, and all candidate
// lanes. A candidate that was listed early may be beyond Bound by now.
type NearFound struct {
	K   int // 1 to NearMany
	Len int // lanes listed

	// Best holds the bits of the smallest d2 so far, ascending: the first NearFew if K is at most NearFew, or all,
	// the last of them the K-th, after zeros.
	Best     [NearMany]uint32
	Dist     [nearKept + soa.Lanes]float32
	Location [nearKept + soa.Lanes]soa.Location
}

// Registers hold Best; lanes are listed by words.
var (
	_ [0]struct{} = [unsafe.Sizeof(NearFound{}.Best) - 256]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearFound{}.Dist[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearFound{}.Location[0]) - 4]struct{}{}
)

// Reset empties the lists. The k-th distance is bound until k boxes are nearer.
func (p *NearFound) Reset(k int, bound float32) {
	p.K, p.Len = k, 0
	if k <= NearFew {
		for i := range p.Best[:NearFew] {
			p.Best[i] = math.Float32bits(bound)
		}
		return
	}
	clear(p.Best[:NearMany-k])
	for i := NearMany - k; i < NearMany; i++ {
		p.Best[i] = math.Float32bits(bound)
	}
}

// Smallest returns the bits of the K smallest d2 so far, ascending.
func (p *NearFound) Smallest() []uint32 {
	if p.K <= NearFew {
		return p.Best[:p.K]
	}
	return p.Best[NearMany-p.K:]
}

// Below returns the number of the K smallest d2 so far that are below a d2 of at most Bound, both by their bits. K must
// be larger than NearFew.
func (p *NearFound) Below(d2 uint32) int {
	// A difference of two is negative if the first is smaller: without branches, which would be mispredicted.
	i := 32 & uint(int32(p.Best[31]-d2)>>31)
	i += 16 & uint(int32(p.Best[i+15]-d2)>>31)
	i &= NearMany - 1 // no check of bounds
	i += 8 & uint(int32(p.Best[i+7]-d2)>>31)
	i += 4 & uint(int32(p.Best[i+3]-d2)>>31)
	i += 2 & uint(int32(p.Best[i+1]-d2)>>31)
	i += 1 & uint(int32(p.Best[i]-d2)>>31)
	return max(int(i)-(NearMany-p.K), 0)
}

// NearFind is the k-nearest-neighbour search: it finds the k nearest boxes. It is a [NearNext] that lowers Bound by
// itself to the K-th smallest d2 so far, and lists the lanes within the Bound after their packet, and on some CPUs
// others that were within the Bound before it. It returns true if the list may lack room for another packet or Budget
// entries have been taken, and false if the stack is used up.
//
// Free lanes are infinitely far away: they are listed only while Bound is +Inf. The IDs of slots
// with listed lanes are prefetched, but not read.
func NearFind(w *NearWalk, p *NearFound, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32) (more bool) {
	for most := w.Budget; len(w.Stack) > 0; {
		if p.Len > nearKept {
			return true
		}
		n := nearPerCall
		if w.Budget > 0 {
			if n = min(n, most); n == 0 {
				return true
			}
			most -= n
		}
		w.Stack = slices.Grow(w.Stack, nearRoom)
		nearFind(w, p, nodes, packets, ids, n)
	}
	return false
}

// NearFirst searches for the nearest box; of equally near boxes, the one with the smallest ID. It
// lowers Bound to its d2 and sets Place to its location. It returns true if Budget entries have
// been taken, and false if the stack is used up. While Bound is +Inf, Place may be a free lane.
func NearFirst(w *NearWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32) (more bool) {
	for most := w.Budget; len(w.Stack) > 0; {
		n := nearPerCall
		if w.Budget > 0 {
			if n = min(n, most); n == 0 {
				return true
			}
			most -= n
		}
		w.Stack = slices.Grow(w.Stack, nearRoom)
		nearFirst(w, nodes, packets, ids, n)
	}
	return false
}
