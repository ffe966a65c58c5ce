package asm

import (
	"math"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// NearWalk is the state of a walk towards a point between two calls of
// [NearNext]. The distance of a box, squared, is in float32, each operation
// rounded by itself:
//
//	d  = max(max(lo - c, c - hi), 0)      on each axis, times Scale if that is set
//	d2 = (dx*dx + dy*dy) + dz*dz          +Inf where it overflows
//
// Each operation is monotone, so no box has a smaller d2 than a box around it.
//
//	entry   63              32 31           0
//	        |  bits of d2     | reference   |     flags dropped but the packet's
//
// Entries compare like their distances, because d2 is not negative.
type NearWalk struct {
	Point  [3]float32
	Bound  float32  // a larger d2 is left out; not NaN, and +0 or more
	Scale  float32  // a power of two, or 0; [NearFind] and [NearFirst] take no other than 0
	Stack  []uint64 // entries to visit, the next one last
	Filter NodeFilter

	// Budget is the largest number of entries that the next [NearNext] or
	// [NearFind] may take; 0: no bound.
	Budget int

	// What the last call ended at.
	Slot uint32
	Dist [soa.Lanes]float32 // d2 of each lane

	// What [NearFirst] has found; NoPlace to begin with.
	Place soa.Place
}

// NoPlace is where nothing is.
const NoPlace = ^soa.Place(0)

// Kernels step over entries by 8 bytes; a register holds all distances of a packet.
var (
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Point) - 3*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Stack[0]) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Dist) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearWalk{}.Place) - 4]struct{}{}
)

// NearBound returns the bound of d2 for boxes within the distance r, which must
// not be negative or NaN: with u = 2^-24,
//
//	r*r*(1 + 6u) + 2^-148, in float64, rounded up to float32
//
// and +Inf if that is beyond float32. A difference of two float32 has a relative
// error of u and is exact where it is denormal; a square adds a relative error of
// u or an absolute one of 2^-150, two sums u each. So a box within r has a d2 of
// at most r*r*(1+u)^5 + 3 * 2^-150 * (1+u)^2, and none is lost.
func NearBound(r float32) float32 {
	x := float64(r) * float64(r)
	x = float64(x*(1+6*0x1p-24)) + 0x1p-148
	if x > math.MaxFloat32 {
		return float32(math.Inf(1))
	}
	return roundUp(x)
}

// One call of a near kernel takes at most nearPerCall entries from the stack,
// pushes at most 16 for each, and stores 16 at a time.
const (
	nearPerCall = 128
	nearRoom    = nearPerCall*soa.Fan + soa.Fan
)

// NearEntry is the entry of a reference at a squared distance.
func NearEntry(d2 float32, ref soa.Ref) uint64 {
	return uint64(math.Float32bits(d2))<<32 | uint64(ref&refKeep)
}

// NearNext takes entries from the stack until it comes to a packet that has a
// lane with d2 <= Bound, and returns the mask of such lanes; Slot and Dist are
// then of that packet. It returns 0 when the stack is used up or Budget entries
// have been taken. The caller may lower Bound between calls.
//
// Children of a node go onto the stack with the nearest on top, as far as the
// upper 28 bits of d2 tell; the higher lane is further down among equals. When
// Bound is +Inf, the mask may hold free lanes of the packet. It allocates only
// while the stack grows.
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

// NearStep is one step of [NearNext]: it takes one entry from the stack.
func NearStep(w *NearWalk, nodes []soa.Node, packets []soa.Packet) (mask uint32) {
	w.Stack = slices.Grow(w.Stack, 2*soa.Fan)
	return nearWalk(w, nodes, packets, 1)
}

// NearFew is the largest k of a [NearFind].
const NearFew = soa.Lanes

// NearKept is how many lanes a NearFind lists before it has to return.
const NearKept = 256

const nearKept = NearKept

// NearFound is what a walk towards the k nearest boxes has found: their distances,
// and all lanes that may be among them. A lane that was listed early may be
// beyond Bound by now.
type NearFound struct {
	K     int             // 1 to NearFew
	Best  [NearFew]uint32 // ascending: bits of the smallest d2 so far
	Len   int             // lanes listed
	Dist  [nearKept + soa.Lanes]float32
	Place [nearKept + soa.Lanes]soa.Place
}

// A register holds the best; lanes are listed by words.
var (
	_ [0]struct{} = [unsafe.Sizeof(NearFound{}.Best) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearFound{}.Dist[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(NearFound{}.Place[0]) - 4]struct{}{}
)

// Reset empties the lists. The k-th distance is bound until k boxes are nearer.
func (p *NearFound) Reset(k int, bound float32) {
	p.K, p.Len = k, 0
	for i := range p.Best {
		p.Best[i] = math.Float32bits(bound)
	}
}

// NearFind is a [NearNext] that lowers Bound by itself to the K-th smallest d2
// that it has met and lists the lanes that were within Bound when it met them.
// It returns when the list may lack room for another packet or Budget entries have
// been taken, with true, or when the stack is used up, with false.
//
// Free lanes are infinitely far away: they are listed only while Bound is +Inf.
// The IDs of slots with listed lanes are fetched into the cache, no more.
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

// NearFirst is a [NearNext] that goes on to the nearest box, of equally near ones that
// of the smallest ID: Place is its lane, and Bound, which it lowers by itself, its d2.
// It returns with true when Budget entries have been taken, or with false when the stack
// is used up. While Bound is +Inf a free lane may take the place.
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
