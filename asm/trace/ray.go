package trace

import (
	"math"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// Ray is a ray cast or a shape cast, prepared for the kernels: a box moved along a vector. A ray is
// a cast of a box without extent. The cast hits a box from the time t of the last entry into a slab
// to the time of the first exit. Per axis, the facing column is the minimum if the direction points
// up the axis, else the maximum, and the opposite column is the other one. In float32, left to
// right:
//
//	enter = (facing   - Near) * InvNear       t = max(0, enter x, y, z)
//	leave = (opposite - Far)  * InvFar        hit: t <= min(Max, leave x, y, z)
//
// On an axis without motion both inverses are +Inf, so that enter is -Inf or +Inf depending on
// whether the slab contains the box. 0 * Inf, exact contact, is NaN, which max and min ignore. An
// empty lane is entered at +Inf, beyond Max, and needs no mask.
//
// All steps are monotone: a box around another one is entered no later and left no earlier, so a
// tree finds exactly the set that a loop over all boxes finds.
type Ray struct {
	Near, Far       [3]float32
	InvNear, InvFar [3]float32
	Max             float32   // finite, not negative
	Off             [3]uint32 // byte offset in a Node or Packet of the facing column; ^ 64 is the opposite one
}

// Kernels read the axes by words.
var (
	_ [0]struct{} = [unsafe.Sizeof(Ray{}.Near) - 3*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Ray{}.Far) - 3*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Ray{}.InvNear) - 3*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Ray{}.InvFar) - 3*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Ray{}.Off) - 3*4]struct{}{}
)

const (
	// rayWiden is 1 + 10u, u = 2^-24. A time of entry is at most 1+3u times the exact one. A time of
	// exit with this factor has five roundings, so it is at least 1+10u-5u times the exact one.
	rayWiden = 1 + 5.0/(1<<23)

	// rayReach limits every ray: up to it, (facing - Near) does not overflow.
	rayReach = 0x1p127
)

// MakeRay prepares a ray or shape cast: the motion of the box lo, hi from time 0 at lo, hi to time
// maxT at lo + maxT*dir, hi + maxT*dir. All numbers must be finite, except maxT, which may be +Inf.
// The test is conservative: every box that the motion hits in exact arithmetic is hit.
//
// Kernels use units of time of 2^-exp, in which the longest component of the direction is in [1,
// 2). A time t of a kernel is Ldexp(t, -exp) in units of dir. A ray ends at the time 2^127 of the
// kernels.
//
// # Rounding
//
//	InvNear = 1 / d                   d: the component in units of the kernels
//	InvFar  = InvNear * (1 + 5*2^-23)
//	Max     = T + T*5*2^-23 + 2^-148, rounded up
//
// If exit times can be denormal, |Far| < 2^-100, Far is moved back by 2^-147, rounded outward. A
// component below 2^-126, whose inverse is no float32, counts as no motion of a box that covers the
// whole path on that axis.
func MakeRay(lo, hi, dir [3]float32, maxT float32) (r Ray, exp int) {
	exp = r.Set(&lo, &hi, &dir, maxT)
	return r, exp
}

// Set sets r to the ray that [MakeRay] returns, and returns its exp.
func (r *Ray) Set(lo, hi, dir *[3]float32, maxT float32) (exp int) {
	if m := lane.Largest(dir[0], dir[1], dir[2]); m > 0 {
		exp = lane.Exponent(float64(m))
	}
	reach := min(float64(maxT)*lane.Power(exp), rayReach)
	unit := lane.Power(-exp)
	for a := range 3 {
		d := float64(dir[a]) * unit
		// The facing side is as good as random, so it is selected without a branch. The bits of down are
		// all set if the direction points down.
		down := -lane.Bit(d < 0)
		l, h := math.Float32bits(lo[a]), math.Float32bits(hi[a])
		near, far := math.Float32frombits(h^(h^l)&down), math.Float32frombits(l^(h^l)&down)
		inv := 1 / float32(d)
		if math.Abs(d) < 0x1p-126 {
			inv = math.Float32frombits(math.Float32bits(float32(math.Inf(1))) | down&(1<<31))
			if d != 0 {
				near = lane.Outward(float64(near)+d*reach, d)
			}
		} else if lane.Abs(far) < 0x1p-100 {
			far = lane.Outward(float64(far)-math.Copysign(0x1p-147, d), -d)
		}
		r.Near[a], r.Far[a] = near, far
		r.InvNear[a], r.InvFar[a] = inv, float32(inv*rayWiden)
		r.Off[a] = (2*uint32(a) - down) * 64
	}
	r.Max = lane.Outward(reach+float64(reach*(rayWiden-1))+0x1p-148, 1)
	return exp
}

// RayWalk is the state of a ray cast. A walk visits the nearest packets first, as far as one
// descent can order them:
//
//	Refs    stack of references, flags as in Node.Child
//	Times   entry time of each box, or a lower bound; 0 is always valid
//	Slot    the packet found, Mask its lanes hit, Enter their times
//
// A walk to the first hit lowers Ray.Max itself:
//
//	Time    the earliest so far, +Inf at the beginning; up to Zero counts as 0
//	Place   location of that hit; of equally early ones the smallest ID
//
// A walk for all hits has
//
//	Lists   nodes and packets, as in a volume walk
//	Places  locations of the hits, At the time of each
//
// In the other walks the caller lowers Ray.Max to exclude boxes that are entered later.
type RayWalk struct {
	Ray    Ray
	Mask   uint32
	Slot   uint32
	Filter asm.NodeFilter
	Refs   []soa.Ref
	Times  []float32
	Enter  [soa.Lanes]float32

	Time, Zero float32
	Location   soa.Location

	Lists     asm.VolumeWalk
	Locations []soa.Location
	At        []float32
}

// Kernels write the lists by words.
var (
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.Refs[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.Times[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.Enter) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.Time) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.Location) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.Locations[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(RayWalk{}.At[0]) - 4]struct{}{}
)

// RayVisits is the maximum number of visits of one [RayWalk.Step].
const RayVisits = rayPerCall

// A ray kernel takes at most rayPerCall references from the stack; each adds at most 15, and a
// kernel stores whole registers of 16. A kernel for all hits tests at most rayNodesPerCall nodes,
// each of which adds at most 16 entries to each list, or rayPacketsPerCall packets.
const (
	rayPerCall        = 96
	rayRoom           = rayPerCall*(soa.Fan-1) + soa.Fan
	rayNodesPerCall   = 64
	rayNodesRoom      = rayNodesPerCall*soa.Fan + 16
	rayPacketsPerCall = 512
)

// Push puts a reference on top of the stack.
func (w *RayWalk) Push(ref soa.Ref) {
	w.Refs = append(w.Refs, ref)
	w.Times = append(w.Times, 0)
}

// Next advances the ray cast to the next packet with lanes hit and reports whether there is one.
// Mask may have lanes that do not pass the filter, because the filter tests nodes only. Next
// allocates only while the stack grows.
func (w *RayWalk) Next(nodes []soa.Node, packets []soa.Packet) bool {
	for len(w.Refs) > 0 {
		if w.Step(nodes, packets, nil, rayPerCall); w.Mask != 0 {
			return true
		}
	}
	return false
}

// Step takes at most visits references from the stack, and stops after a packet with lanes hit.
// Mask is 0 if there was none. ids are the IDs of the packets, or nil if the caller reads none: it
// prefetches those of the packets that it tests. It ends with a prefetch of the top of the stack,
// so that interleaved walks do not block on memory.
func (w *RayWalk) Step(nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, visits int) {
	if cap(w.Refs)-len(w.Refs) < rayRoom || cap(w.Times) < cap(w.Refs) {
		w.reserve()
	}
	rayNext(w, nodes, packets, ids, min(visits, rayPerCall))
}

// First advances a ray cast for the first hit. It takes at most visits references from the stack
// and keeps the earliest hit, of equally early ones the smallest ID, in Time and Place. Boxes that
// are entered later are excluded from then on. The filter tests nodes only.
func (w *RayWalk) First(nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, visits int) {
	if cap(w.Refs)-len(w.Refs) < rayRoom || cap(w.Times) < cap(w.Refs) {
		w.reserve()
	}
	rayFirst(w, nodes, packets, ids, min(visits, rayPerCall))
}

func (w *RayWalk) reserve() {
	w.Refs = slices.Grow(w.Refs, rayRoom)
	w.Times = slices.Grow(w.Times, cap(w.Refs)-len(w.Times))
}

// Begin starts a walk for all hits: it moves the references of the stack to Lists.
func (w *RayWalk) Begin() {
	l := &w.Lists
	l.Queue, l.Packets, l.Head, l.Budget = l.Queue[:0], l.Packets[:0], 0, 0
	w.Locations, w.At = w.Locations[:0], w.At[:0]
	for _, ref := range w.Refs {
		if ref.IsPacket() {
			l.Packets = append(l.Packets, uint32(ref))
		} else {
			l.Queue = append(l.Queue, uint32(ref))
		}
	}
	w.Refs, w.Times = w.Refs[:0], w.Times[:0]
}

// Nodes tests the children of some queued nodes, at most 64 or Lists.Budget, and lists the children
// that the ray hits. Call it until Lists is done. It allocates only while lists grow.
func (w *RayWalk) Nodes(nodes []soa.Node) {
	l := &w.Lists
	if l.Done() {
		return
	}
	l.Queue, l.Packets = slices.Grow(l.Queue, rayNodesRoom), slices.Grow(l.Packets, rayNodesRoom)
	rayNodes(w, nodes, lane.Allowed(l.Budget, rayNodesPerCall))
}

// Hits appends the hits in the packets of these slots, which may have flags, in the order of slots
// and lanes. ids are the IDs of the packets: rows with hits are prefetched. Hits allocates only
// while lists grow.
func (w *RayWalk) Hits(packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32) {
	for len(slots) > 0 {
		k := min(len(slots), rayPacketsPerCall)
		w.Locations = slices.Grow(w.Locations, k*soa.Lanes)
		w.At = slices.Grow(w.At, k*soa.Lanes)
		rayPackets(w, packets, ids, slots[:k])
		slots = slots[k:]
	}
}

// All appends all hits of a ray cast that begins with the references on the stack, and empties the
// stack: [RayWalk.Begin], then [RayWalk.Nodes], then [RayWalk.Hits].
func (w *RayWalk) All(nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32) {
	w.Begin()
	for !w.Lists.Done() {
		w.Nodes(nodes)
	}
	w.Hits(packets, ids, w.Lists.Packets)
}
