package scene

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// fetchHits is the number of instances that are prefetched at a time.
const fetchHits = 16

// fetchAhead is the number of instances that are prefetched while they are listed. From then on a search is as many
// behind the prefetch.
const fetchAhead = 64

// listAhead is the number of instances from which a sweep lists the next packet before it enters the present one, and a
// search for the nearest prefetches the next instance. In fewer instances, which the cache holds, a hit makes the list
// useless more often than it hides a wait.
var listAhead = 1 << 13

// fetch prefetches up to fetchHits instances, and the transforms of those that may be entered.
func (l *level) fetch(hits []cull.Sided) {
	var ids [fetchHits]uint32
	n, rest := 0, len(hits)
	for _, h := range hits {
		if h.Sides != wholly {
			ids[n&(fetchHits-1)] = h.ID
			n++
		} else {
			rest--
			ids[rest&(fetchHits-1)] = h.ID
		}
	}
	l.view.Prefetch(ids[:len(hits)], n)
}

// fetchReached prefetches the instances of a packet that the sweep reaches, with their transforms.
func (l *castLevel) fetchReached(reached []walk.HitKey) {
	var ids [soa.Lanes]uint32
	n := min(len(reached), len(ids))
	for i := range reached[:n] {
		ids[i] = reached[i].ID()
	}
	l.view.Prefetch(ids[:n], n)
}

// fetch prefetches an instance in a packet, with its transform.
func (r *reached) fetch(s *soa.Store, slot, lane uint32) {
	ids := [1]uint32{s.Packets.IDs[slot][lane&(soa.Lanes-1)]}
	r.view.Prefetch(ids[:], 1)
}

// fetchPairs prefetches the instances of up to fetchHits pairs.
func (s *pairSide) fetchPairs(pairs []collide.Pair) {
	var ids [2 * fetchHits]uint32
	for i := range pairs {
		ids[2*i&(2*fetchHits-1)], ids[(2*i+1)&(2*fetchHits-1)] = pairs[i].A, pairs[i].B
	}
	s.view.Prefetch(ids[:2*len(pairs)], 2*len(pairs))
}
