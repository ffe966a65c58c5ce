package query

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Hit is the first contact of a ray or a swept shape with the box of an object.
type Hit struct {
	ID uint32

	// Dist is the time of entry, in lengths of the direction or motion: a distance if that has length
	// 1. It is 0 for a box hit at the start, finite, and never above the limit of the query.
	Dist float32

	// Pos is the point of the box at the contact, as defined at the query.
	Pos [3]float32

	// Normal is the unit normal of the box at the contact, towards the ray or shape; zero for a box
	// hit at the start.
	Normal [3]float32
}

// hitKey is a hit before its position and normal are computed. The key orders hits: the bits of
// Dist, which is not negative, above the ID.
type hitKey struct {
	key      uint64
	location soa.Location
	time     float32 // time in the kernels' unit
}

func markOf(dist float32, id uint32, location soa.Location, t float32) hitKey {
	return hitKey{uint64(math.Float32bits(dist))<<32 | uint64(id), location, t}
}

func (m hitKey) dist() float32 { return math.Float32frombits(uint32(m.key >> 32)) }
func (m hitKey) id() uint32    { return uint32(m.key) }

// box returns the box of the hit.
func (m hitKey) box(p *soa.PacketColumns) soa.AABB {
	return p.Box(m.location.Slot(), m.location.Lane())
}

// fewMarks is the number of keys up to which insertion sort is faster.
const fewMarks = 24

// sortMarks sorts by Dist, then ID.
func sortMarks(m []hitKey) {
	if len(m) > fewMarks {
		slices.SortFunc(m, func(a, b hitKey) int { return cmp.Compare(a.key, b.key) })
		return
	}
	for i := 1; i < len(m); i++ {
		x, k := m[i], i
		for ; k > 0 && m[k-1].key > x.key; k-- {
			m[k] = m[k-1]
		}
		m[k] = x
	}
}
