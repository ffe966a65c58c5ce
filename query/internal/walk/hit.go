package walk

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Hit is the first contact of a ray or a swept shape with the box of an object: the Hit of package query.
type Hit struct {
	ID     uint32
	Dist   float32
	Pos    [3]float32
	Normal [3]float32
}

// HitKey is a hit before its position and normal are computed. The key orders hits: the bits of
// Dist, which is not negative, above the ID.
type HitKey struct {
	key      uint64
	location soa.Location
	time     float32 // time in the kernels' unit
}

func markOf(dist float32, id uint32, location soa.Location, t float32) HitKey {
	return HitKey{uint64(math.Float32bits(dist))<<32 | uint64(id), location, t}
}

// Dist returns the Dist of the hit.
func (m HitKey) Dist() float32 { return math.Float32frombits(uint32(m.key >> 32)) }

// ID returns the ID of the object.
func (m HitKey) ID() uint32 { return uint32(m.key) }

// Location returns the location of the object.
func (m HitKey) Location() soa.Location { return m.location }

// box returns the box of the hit.
func (m HitKey) box(p *soa.PacketColumns) soa.AABB {
	return p.Box(m.location.Slot(), m.location.Lane())
}

// fewMarks is the number of keys up to which insertion sort is faster.
const fewMarks = 24

// sortMarks sorts by Dist, then ID.
func sortMarks(m []HitKey) {
	if len(m) > fewMarks {
		slices.SortFunc(m, func(a, b HitKey) int { return cmp.Compare(a.key, b.key) })
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
