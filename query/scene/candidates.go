package scene

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// candidates is the queue of the instances that a walk has found and not searched: a heap of packets by their
// nearest instance. Most packets have several instances within the bound of the walk, but few of them are searched.
type candidates struct {
	packets []candidatePacket
	heap    []uint64 // packetKey, the smallest on top
	rest    uint32   // of the packet on top, after take: the smallest key of the other lanes
}

// candidatePacket is a packet with instances that the walk has found.
type candidatePacket struct {
	dist    [soa.Lanes]float32 // squared distances
	keys    [soa.Lanes]uint32  // laneKey; noLane without an instance
	refined uint32             // lanes whose distance includes the distance of their bounds
	slot    uint32
	lane    uint32 // the last lane taken
}

// laneKey compares like the upper 28 bits of a squared distance, then like the lane.
func laneKey(dist float32, lane uint32) uint32 {
	return math.Float32bits(dist)&^(soa.Lanes-1) | lane&(soa.Lanes-1)
}

// noLane is above all keys.
const noLane = ^uint32(0)

func packetKey(key, packet uint32) uint64 { return uint64(key)<<32 | uint64(packet) }

func (m *candidates) reset() { m.packets, m.heap = m.packets[:0], m.heap[:0] }

func (m *candidates) empty() bool { return len(m.heap) == 0 }

// least returns a lower bound of the squared distances of all instances, by its bits.
func (m *candidates) least() uint32 { return uint32(m.heap[0]>>32) &^ (soa.Lanes - 1) }

// add adds the instances in some lanes of a packet.
func (m *candidates) add(slot, lanes uint32, dist *[soa.Lanes]float32) {
	n := len(m.packets)
	if n == cap(m.packets) {
		m.packets = append(m.packets, candidatePacket{})
	}
	m.packets = m.packets[:n+1]
	p := &m.packets[n]
	p.dist, p.refined, p.slot = *dist, 0, slot
	for l := range dist {
		p.keys[l] = laneKey(dist[l], uint32(l))
	}
	for rest := ^lanes & (1<<soa.Lanes - 1); rest != 0; rest &= rest - 1 {
		p.keys[bits.TrailingZeros32(rest)&(soa.Lanes-1)] = noLane
	}
	m.heap = append(m.heap, 0)
	m.raise(len(m.heap)-1, packetKey(p.least(), uint32(n)))
}

// least returns the smallest key of a packet.
func (p *candidatePacket) least() uint32 {
	d := &p.keys
	return min(
		min(min(d[0], d[1]), min(d[2], d[3]), min(d[4], d[5]), min(d[6], d[7])),
		min(min(d[8], d[9]), min(d[10], d[11]), min(d[12], d[13]), min(d[14], d[15])))
}

// take removes the nearest instance. again reports that it was put back before. The caller then calls putBack or
// settle.
func (m *candidates) take() (slot, lane uint32, d2 float32, again bool) {
	p := &m.packets[uint32(m.heap[0])]
	lane = uint32(m.heap[0]>>32) & (soa.Lanes - 1)
	p.keys[lane] = noLane
	p.lane, m.rest = lane, p.least()
	return p.slot, lane, p.dist[lane], p.refined>>lane&1 != 0
}

// next returns the nearest instance, and leaves it there.
func (m *candidates) next() (slot, lane uint32, ok bool) {
	if m.empty() {
		return 0, 0, false
	}
	return m.packets[uint32(m.heap[0])].slot, uint32(m.heap[0]>>32) & (soa.Lanes - 1), true
}

// putBack adds the instance taken last with a larger squared distance, unless it is still the nearest. It reports
// whether it did.
func (m *candidates) putBack(d2 float32) bool {
	p := &m.packets[uint32(m.heap[0])]
	next, key := m.rest, laneKey(d2, p.lane)
	for _, other := range m.heap[1:min(len(m.heap), 3)] {
		next = min(next, uint32(other>>32))
	}
	if key <= next {
		return false
	}
	p.dist[p.lane], p.keys[p.lane] = d2, key
	p.refined |= 1 << p.lane
	m.rest = min(m.rest, key)
	m.settle()
	return true
}

// settle moves the packet of the instance taken last to its position in the heap.
func (m *candidates) settle() {
	if m.rest != noLane {
		m.lower(packetKey(m.rest, uint32(m.heap[0])))
		return
	}
	last := len(m.heap) - 1
	key := m.heap[last]
	if m.heap = m.heap[:last]; last > 0 {
		m.lower(key)
	}
}

// raise places a key at position i of the heap or above.
func (m *candidates) raise(i int, key uint64) {
	heap := m.heap
	for i > 0 {
		up := (i - 1) / 2
		if heap[up] <= key {
			break
		}
		heap[i] = heap[up]
		i = up
	}
	heap[i] = key
}

// lower places a key at the top of the heap or below.
func (m *candidates) lower(key uint64) {
	heap, i := m.heap, 0
	for {
		c := 2*i + 1
		if c >= len(heap) {
			break
		}
		if c+1 < len(heap) && heap[c+1] < heap[c] {
			c++
		}
		if key <= heap[c] {
			break
		}
		heap[i] = heap[c]
		i = c
	}
	heap[i] = key
}
