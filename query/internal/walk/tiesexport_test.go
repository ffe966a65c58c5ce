package walk

import "github.com/zoctree/zoctree/soa"

// NearestMeets is the maximum number of packets whose hits [Sweep.FirstHit] reads: the packets that kernels visit
// before they hand over, and the packets read one by one after that.
func NearestMeets(r *Sweep, s *soa.Store) int {
	c := takeCast(r, s, &Everything)
	defer c.Release()
	c.first(r, s, &Everything)
	if c.kernelOnly { // it did not hand over
		return len(s.Packets.Counts)
	}
	return kernelVisits + c.packetsHit
}

// RayWork is the work of [Sweep.FirstHit] with a mask: packets whose hits it read one by one, and slots that it listed
// to search for ties at last.
func RayWork(r *Sweep, s *soa.Store, mask uint32) (hit uint32, met, listed int) {
	f := Filter{Mask: mask}
	c := takeCast(r, s, &f)
	defer c.Release()
	c.walk.Lists.Packets = c.walk.Lists.Packets[:0]
	m, _ := c.first(r, s, &f)
	return m.ID(), c.packetsHit, len(c.walk.Lists.Packets)
}
