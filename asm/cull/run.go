package cull

import (
	"slices"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// MaxRun is the maximum number of instances of a [Run].
const MaxRun = runPerCall

// A kernel of runs moves a volume into at most runPerCall instances, and tests up to 16 packets in each.
const runPerCall = 16

// Run is a run of instances of small parts, whose objects are tested by one call.
type Run struct {
	Planes *MovingPlanes // planes of the volume; nil: the volume is Box
	Box    *[12]float64  // as for [Convex.SetTurned]

	Parts [MaxRun]*RunPart     // part of each instance
	Maps  [MaxRun]*[24]float64 // transforms, as for [Convex.SetTurned]
	Clear [MaxRun]uint32       // as for [Convex.SetTurned]; AllSides: the instance is inside the volume
	Ends  [MaxRun]uint32       // set by Append: the number of IDs up to each instance

	Image Convex // scratch: the volume in the space of an instance
}

// RunPart is a part of up to 16 packets for runs. If it has a node, that is the only one, and its lane i refers to the
// packet Slots[i]. If the border of a volume crosses more than Most of them, all packets are tested, by ascending slot.
type RunPart struct {
	Bounds  *[15]float64 // as the argument part of [Convex.SetTurned]
	Node    *soa.Node    // nil: all packets are tested
	Packets *soa.Packet
	IDs     *[soa.Lanes]uint32
	Counts  *uint8
	Slots   [soa.Fan]uint32
	Lanes   uint32 // of Slots that are in use
	Most    uint32
	Scan    uint32 // bits of all slots
	Room    int    // IDs that an instance may need, and 16
}

// Set sets p to a part with these bounds, and reports whether a run can search it: it has up to 16 slots, and more than
// scan ones only with one node. A run tests them all where the border crosses more than most children of the node.
func (p *RunPart) Set(s *soa.Store, bounds *[15]float64, scan, most int) bool {
	n := len(s.Packets.Counts)
	if n == 0 || n > soa.Fan || n > scan && (len(s.Nodes.Hot) != 1 || len(s.Pending) > 0) {
		return false
	}
	p.Bounds, p.Node, p.Slots, p.Scan, p.Most = bounds, nil, slotOrder, 1<<n-1, uint32(most)
	p.Packets, p.IDs, p.Counts = &s.Packets.Bounds[0], &s.Packets.IDs[0], &s.Packets.Counts[0]
	p.Lanes = p.Scan
	if n > scan {
		p.Node = &s.Nodes.Hot[0]
		used := int(s.Nodes.Used[0])
		p.Lanes = 1<<used - 1
		for i, ref := range p.Node.Child[:used] {
			p.Slots[i] = ref.Index()
		}
	}
	p.Room = (n + 1) * soa.Lanes
	return true
}

// slotOrder are all slots of a part that is scanned.
var slotOrder = [soa.Fan]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// HasRuns reports whether the active tier has the kernel of [Run.Append].
func HasRuns() bool { return cpu.Active >= cpu.AVX2 }

// Append moves the volume into the spaces of the first n instances, one after the other, and appends the IDs of the
// objects of their parts that the image intersects: all IDs, by Slots, if the bounds of the part are inside. The result
// for an instance is that of [Convex.SetTurned] or [Convex.SetPlanes], and of [Volume.Nodes], [EmitIDs] and
// [Volume.AppendIDs]. It ends early, after the first done instances, before one whose image is unknown, and where dst
// lacks room. It does none if the tier has no kernel.
//
// It allocates only if dst lacks room for the IDs of the first part and 16 more.
func (r *Run) Append(dst []uint32, n int) (to []uint32, done int) {
	if n == 0 {
		return dst, 0
	}
	dst = slices.Grow(dst, r.Parts[0].Room)
	out := dst[len(dst):cap(dst)]
	if done = runIDs(r, &out[0], len(out), min(n, runPerCall)); done > 0 {
		dst = dst[:len(dst)+int(r.Ends[done-1])]
	}
	return dst, done
}
