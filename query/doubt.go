package query

import (
	"iter"
	"math"

	"github.com/zoctree/zoctree/soa"
)

// A walk from the nearest on, of a ray or towards a point, is worth its while as
// long as most of the tree is left out. Two things keep it from that, and both
// are seen in what the walk itself counts:
//
//   - What is met next is hardly further than what was met first, as from the
//     middle of a sphere that all objects lie on. A walk costs two or three times
//     as much for each packet as a scan in the order of slots: see doubt.
//   - Many objects are equally near, and of those the smallest IDs are wanted.
//     IDs are a sixth of the packet, so they are looked at first: see late.

// doubt ends a walk that gets nowhere. It looks after every so many visits, and
// finds the walk fruitless when for each of them fewer than gainPerVisit slots
// have been visited or left out, and half of all are left.
type doubt struct {
	spent int // visits since the last look
	every int // visits between two looks
	left  int // slots that were left at the last look
	least int // slots that must be left for a scan to be the better way
}

const (
	// lookShare is the share of all slots after which a walk looks, lookLeast
	// the least number of visits.
	lookShare = 16
	lookLeast = 16

	gainPerVisit = 2
)

func (d *doubt) begin(s *soa.Store) {
	slots := len(s.Packets.Counts)
	*d = doubt{every: max(slots/lookShare, lookLeast), left: slots, least: slots / 2}
	if len(s.Nodes.Hot) == 0 {
		d.off() // every slot is on the stack
	}
}

// due counts visits and reports whether it is time to look again.
func (d *doubt) due(visits int) bool {
	d.spent += visits
	return d.spent >= d.every
}

// off makes it look no more.
func (d *doubt) off() { d.every, d.spent = math.MaxInt, 0 }

// rest is the number of visits until the next look, at least 1.
func (d *doubt) rest() int { return max(d.every-d.spent, 1) }

// fruitless looks: left is the number of slots that are still to be visited.
func (d *doubt) fruitless(left int) bool {
	gone, spent := d.left-left, d.spent
	d.left, d.spent = left, 0
	return gone < gainPerVisit*spent && left >= d.least
}

// slotsBelow returns how many slots a reference stands for: an estimate where
// they are not contiguous.
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

// slotsAtHeight estimates how many slots are below a node of that height, at most all of
// them: nodes are three quarters full.
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

// tiesPatience is how many packets in a row may be met in vain, because nothing
// in them is nearer than the best so far, until a walk goes on to what is
// strictly nearer and leaves ties for later.
const tiesPatience = 8

// before returns the largest float32 below x, which is above 0.
func before(x float32) float32 { return math.Float32frombits(math.Float32bits(x) - 1) }

// probeSteps are the distances of the slots of a list that are looked at for small
// IDs first, second and last.
var probeSteps = [...]int{64, 8, 1}

// probes yields the slots that are named by the references in a list, from the
// coarsest steps to the finest, so that small IDs are found early and nearly all
// packets can be skipped, whether IDs rise or fall along the list.
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
