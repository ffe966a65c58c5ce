package cull

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// MaxRun is the maximum number of instances of a [Run].
const MaxRun = runPerCall

// A kernel of runs moves a volume into at most runPerCall instances, and tests up to 16 packets in each.
const runPerCall = 16

// Run is a run of instances of one small part, whose objects are tested by one call.
//
// The part has up to 16 packets, Slots, of which Lanes are in use. If Node is set, it is the only node of the part: its
// lane i refers to the packet Slots[i].
type Run struct {
	Planes *MovingPlanes // planes of the volume; nil: the volume is Box
	Box    *[12]float64  // as for [Convex.SetTurned]
	Part   *[15]float64  // as for [Convex.SetTurned]
	Node   *soa.Node     // nil: all packets are tested
	Slots  [soa.Fan]uint32
	Lanes  uint32
	From   int // all IDs of the part are in dst from here
	To     int // to here; not above From: they are unknown

	Maps  [MaxRun]*[24]float64 // transforms, as for [Convex.SetTurned]
	Clear [MaxRun]uint32       // as for [Convex.SetTurned]; AllSides: the instance is inside the volume
	Ends  [MaxRun]uint32       // set by Append: the number of IDs up to each instance

	Image Convex // scratch: the volume in the space of an instance
	back  int    // From, relative to the end of dst
}

// HasRuns reports whether the active tier has the kernel of [Run.Append].
func HasRuns() bool { return cpu.Active >= cpu.AVX2 }

// Append moves the volume into the spaces of the first n instances, one after the other, and appends the IDs of the
// objects of the part that the image intersects: all IDs if the bounds of the part are inside. The result for an
// instance is that of [Convex.SetTurned] or [Convex.SetPlanes], and of [Volume.Nodes], [EmitIDs] and
// [Volume.AppendIDs]. It ends early, after the first done instances, before one that needs all IDs while they are
// unknown, one whose image is unknown, and where dst lacks room. It does none if the tier has no kernel.
//
// It allocates only if dst lacks room for the IDs of one part and 16 more.
func (r *Run) Append(dst []uint32, p *soa.PacketColumns, n int) (to []uint32, done int) {
	need := max(bits.OnesCount32(r.Lanes)*soa.Lanes, r.To-r.From) + soa.Lanes
	dst = slices.Grow(dst, need)
	out := dst[len(dst):cap(dst)]
	r.back = r.From - len(dst)
	if done = runIDs(r, &p.Bounds[0], &p.IDs[0][0], &p.Counts[0], &out[0], len(out)-need, min(n, runPerCall)); done > 0 {
		dst = dst[:len(dst)+int(r.Ends[done-1])]
	}
	return dst, done
}
