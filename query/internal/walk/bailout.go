package walk

import (
	"iter"
	"math"

	"github.com/zoctree/zoctree/soa"
)

// A front-to-back walk, of a ray or towards a point, is faster than a scan as long as it skips
// most of the tree. Two cases prevent that, and the walk detects both by its own counters:
//
//   - All objects are about equally far, as from the middle of a sphere on whose surface they lie.
//     A walk costs two or three times as much for each packet as a scan in the order of slots: see
//     doubt.
//   - Many objects are equally near, and the smallest IDs among them are needed. IDs are a sixth of
//     the packet, so they are read first: see late.

// bailout decides when to replace a walk without progress by a scan. It checks at intervals of
// visits. The walk is fruitless when fewer than gainPerVisit slots for each visit have been
// visited or skipped, and half of all slots are left.
type bailout struct {
	spent     int // visits since the last check
	every     int // visits between two checks
	slotsLeft int // slots left at the last check
	minGain   int // smallest number of slots left for which a scan is faster
}

const (
	// probeShare is the share of all slots after which a walk checks, probeMin the smallest number of
	// visits.
	probeShare = 16
	probeMin   = 16

	gainPerVisit = 2
)

func (d *bailout) begin(s *soa.Store) {
	slots := len(s.Packets.Counts)
	*d = bailout{every: max(slots/probeShare, probeMin), slotsLeft: slots, minGain: slots / 2}
	if len(s.Nodes.Hot) == 0 {
		d.off() // every slot is on the stack
	}
}

// due counts visits and reports whether a check is due.
func (d *bailout) due(visits int) bool {
	d.spent += visits
	return d.spent >= d.every
}

// off disables further checks.
func (d *bailout) off() { d.every, d.spent = math.MaxInt, 0 }

// rest returns the number of visits until the next check, at least 1.
func (d *bailout) rest() int { return max(d.every-d.spent, 1) }

// shouldScan checks the progress: left is the number of slots that are still to be visited.
func (d *bailout) shouldScan(left int) bool {
	passed, spent := d.slotsLeft-left, d.spent
	d.slotsLeft, d.spent = left, 0
	return passed < gainPerVisit*spent && left >= d.minGain
}

// slotsBelow returns the number of slots below a reference: an estimate where they are not
// contiguous.
func slotsBelow(s *soa.Store, ref soa.Ref) int {
	at := ref.Index()
	if ref.IsPacket() {
		return 1
	}
	if span := s.Nodes.Slots[at]; span.End != 0 {
		return int(span.End - span.First)
	}
	return slotsAtHeight(s.Nodes.Height[at], len(s.Packets.Counts))
}

// slotsAtHeight estimates the number of slots below a node of that height, at most slots: nodes
// are three quarters full.
func slotsAtHeight[T int | int32](height uint8, slots T) T {
	const mean = soa.Fan * 3 / 4
	n := T(mean)
	for range height {
		if n > slots/mean {
			return slots
		}
		n *= mean
	}
	return min(n, slots)
}

// allSlots appends every slot.
func allSlots(list []uint32, s *soa.Store) []uint32 {
	for slot := range s.Packets.Counts {
		list = append(list, uint32(slot))
	}
	return list
}

// tiesPatience is the number of consecutive packets without an object nearer than the best so far,
// after which a walk continues with strictly nearer ones and leaves ties for later.
const tiesPatience = 8

// before returns the largest float32 below x, which is above 0.
func before(x float32) float32 { return math.Float32frombits(math.Float32bits(x) - 1) }

// probeSteps are the strides by which the slots of a list are probed for small IDs, in order.
var probeSteps = [...]int{64, 8, 1}

// probes yields the slots of the references in a list, from the coarsest stride to the finest.
// Small IDs are then found early, and nearly all packets can be skipped, for rising and for
// falling IDs.
func probes(list []uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		former := math.MaxInt
		for _, step := range probeSteps {
			for i := 0; i < len(list); i += step {
				if i%former != 0 || former == math.MaxInt {
					if !yield(soa.Ref(list[i]).Index()) {
						return
					}
				}
			}
			former = step
		}
	}
}

// hasBelow reports whether an object of the slot has an ID below the limit.
func hasBelow(p *soa.PacketColumns, slot, limit uint32) bool {
	ids, n := &p.IDs[slot], int(p.Counts[slot])
	if n == soa.Lanes { // without branches
		return min(ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6], ids[7],
			ids[8], ids[9], ids[10], ids[11], ids[12], ids[13], ids[14], ids[15]) < limit
	}
	least := uint32(soa.None)
	for _, id := range ids[:n] {
		least = min(least, id)
	}
	return least < limit
}
