package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// TiesPatience is the number of packets without a closer hit until ties are deferred.
const TiesPatience = tiesPatience

// sized is a store of so many nodes and slots, with no other content.
func sized(nodes, slots int) *soa.Store {
	s := &soa.Store{}
	s.Nodes.Hot = make([]soa.Node, nodes)
	s.Packets.Counts = make([]uint8, slots)
	return s
}

// Doubter is the bailout test of a walk in a tree of so many slots.
type Doubter struct{ doubt bailout }

func NewDoubter(slots int) *Doubter {
	d := &Doubter{}
	d.doubt.begin(sized(1, slots))
	return d
}

func (d *Doubter) Rest() int               { return d.doubt.rest() }
func (d *Doubter) Due(visits int) bool     { return d.doubt.due(visits) }
func (d *Doubter) Fruitless(left int) bool { return d.doubt.shouldScan(left) }

// VolumeDoubt is the budget with which a walk through the nodes for a volume continues.
func VolumeDoubt(nodes, slots int, l asm.VolumeWalk, tested int) int {
	doubtNodes(&l, sized(nodes, slots), tested)
	return l.Budget
}

// SlotsBelow is the estimate of a node of that height whose slots are not contiguous.
func SlotsBelow(height uint8, slots int) int {
	s := sized(1, slots)
	s.Nodes.Height, s.Nodes.Slots = []uint8{height}, make([]soa.Span, 1)
	return slotsBelow(s, 0)
}

// LeftOfRay and LeftOfPoint estimate the slots left on a stack of packets with these entry times or distances, within
// a bound.
func LeftOfRay(times []float32, bound float32) int {
	c := &Cast{}
	for slot := range times {
		c.walk.Refs = append(c.walk.Refs, soa.PacketRef(uint32(slot)))
	}
	c.walk.Times, c.walk.Ray.Max = times, bound
	return c.left(sized(1, len(times)))
}

func LeftOfPoint(d2 []float32, bound float32) int {
	q := &Nearest{}
	for slot, d := range d2 {
		q.walk.Stack = append(q.walk.Stack, trace.NearEntry(d, soa.PacketRef(uint32(slot))))
	}
	q.walk.Bound = bound
	return q.left(sized(1, len(d2)))
}

// Probes is the order in which the slots of a list are probed, up to the first most.
func Probes(list []uint32, most int) (slots []uint32) {
	for slot := range probes(list) {
		if slots = append(slots, slot); len(slots) == most {
			break
		}
	}
	return slots
}

// HasBelow tests a packet of these IDs; the first n are in use.
func HasBelow(ids [soa.Lanes]uint32, n uint8, limit uint32) bool {
	return hasBelow(&soa.PacketColumns{IDs: [][soa.Lanes]uint32{ids}, Counts: []uint8{n}}, 0, limit)
}

// NearSlots lists the packets below the root within a squared distance.
func NearSlots(s *soa.Store, point [3]float32, d2 float32) []uint32 {
	w := take(s)
	defer w.Release()
	w.near([]uint64{trace.NearEntry(0, 0)}, &trace.NearWalk{Point: point, Bound: d2, Filter: asm.AllNodes})
	return append([]uint32(nil), w.lists.Packets...)
}

// FoundByOne reports whether the search for a single neighbour ends by itself; if not, the search for a few restarts.
// rounds is the number of visits with progress since the last check of the bailout, in units of oneVisits.
func FoundByOne(s *soa.Store, point [3]float32) (found bool, rounds int) {
	q := TakeNearest()
	defer q.Release()
	q.keys = q.keys[:0]
	q.unit = beginNear(&q.walk, s, &point, float32(math.Inf(1)), &Everything)
	q.descend(s)
	return q.one(s), q.bailout.spent / oneVisits
}

// NearStack is the initial stack of a search, without distances.
func NearStack(s *soa.Store) (refs []soa.Ref) {
	for _, e := range fromRoot([]uint64{1, 2, 3}, s) {
		refs = append(refs, soa.Ref(e))
	}
	return refs
}
