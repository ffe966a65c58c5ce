package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// candidates is the queue of the instances that a walk has found and not searched: a heap of packets by their
// nearest instance. Most packets have several instances within the bound of the walk, of which few are searched.
type candidates struct {
	packets []candidatePacket
	heap    []uint64 // packetKey, the smallest on top
	rest    uint32   // of the packet on top, after take: the smallest distance of the other lanes
}

// candidatePacket is a packet with instances that the walk has found.
type candidatePacket struct {
	dist    [soa.Lanes]uint32 // bits of squared distances; noLane without one in the lane
	refined uint32            // lanes whose distance includes the distance of their bounds
	slot    uint32
	lane    uint32 // the last lane taken
}

// noLane is above the bits of all distances.
const noLane = ^uint32(0)

func packetKey(dist, packet uint32) uint64 { return uint64(dist)<<32 | uint64(packet) }

func (m *candidates) reset() { m.packets, m.heap = m.packets[:0], m.heap[:0] }

func (m *candidates) empty() bool { return len(m.heap) == 0 }

// least returns the bits of the squared distance of the nearest instance.
func (m *candidates) least() uint32 { return uint32(m.heap[0] >> 32) }

// add adds the instances in some lanes of a packet.
func (m *candidates) add(slot, lanes uint32, dist *[soa.Lanes]float32) {
	n := len(m.packets)
	if n == cap(m.packets) {
		m.packets = append(m.packets, candidatePacket{})
	}
	m.packets = m.packets[:n+1]
	p := &m.packets[n]
	p.refined, p.slot = 0, slot
	for l := range dist {
		p.dist[l] = math.Float32bits(dist[l]) | (lanes>>l&1 - 1)
	}
	m.heap = append(m.heap, 0)
	m.raise(len(m.heap)-1, packetKey(p.least(), uint32(n)))
}

// least returns the smallest distance in a packet.
func (p *candidatePacket) least() uint32 {
	d := &p.dist
	return min(
		min(min(d[0], d[1]), min(d[2], d[3]), min(d[4], d[5]), min(d[6], d[7])),
		min(min(d[8], d[9]), min(d[10], d[11]), min(d[12], d[13]), min(d[14], d[15])))
}

// take removes the nearest instance. again reports that it was put back before. The caller then calls putBack or
// settle.
func (m *candidates) take() (slot, lane uint32, again bool) {
	p, least := &m.packets[uint32(m.heap[0])], m.least()
	for p.dist[lane&(soa.Lanes-1)] != least {
		lane++
	}
	lane &= soa.Lanes - 1
	p.dist[lane] = noLane
	p.lane, m.rest = lane, p.least()
	return p.slot, lane, p.refined>>lane&1 != 0
}

// putBack adds the instance taken last with a larger squared distance, unless it is still the nearest. It reports
// whether it did.
func (m *candidates) putBack(d2 float32) bool {
	next, dist := m.rest, math.Float32bits(d2)
	for _, key := range m.heap[1:min(len(m.heap), 3)] {
		next = min(next, uint32(key>>32))
	}
	if dist <= next {
		return false
	}
	p := &m.packets[uint32(m.heap[0])]
	p.dist[p.lane] = dist
	p.refined |= 1 << p.lane
	m.rest = min(m.rest, dist)
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
