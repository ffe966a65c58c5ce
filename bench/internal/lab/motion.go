package lab

import (
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	// driftReach is the largest drift of an object in a step on each axis, as a fraction of its largest edge.
	driftReach = 0.25
	// jumpShare is the inverse of the share of moves that jump to anywhere in the scene.
	jumpShare = 20
)

// Motion moves the objects of a scene: 95 % of the moves drift, 5 % jump.
type Motion struct {
	rng    *rand.Rand
	Boxes  []soa.AABB // current boxes of the objects
	bounds soa.AABB   // bounds of the scene
	deck   []uint32   // all IDs, shuffled a little further by each step
}

func NewMotion(objects []soa.Object, seed uint64) *Motion {
	m := &Motion{rng: rand.New(rand.NewPCG(seed, 80)), bounds: scene.Bounds(objects)}
	for i := range objects {
		m.Boxes = append(m.Boxes, objects[i].Box)
		m.deck = append(m.deck, uint32(i))
	}
	return m
}

// Step moves count objects, each once, and appends their IDs and new boxes.
func (m *Motion) Step(ids []uint32, boxes []soa.AABB, count int) ([]uint32, []soa.AABB) {
	for i := range min(count, len(m.deck)) {
		j := i + m.rng.IntN(len(m.deck)-i)
		m.deck[i], m.deck[j] = m.deck[j], m.deck[i]
		id := m.deck[i]
		if m.rng.IntN(jumpShare) == 0 {
			m.jump(&m.Boxes[id])
		} else {
			m.drift(&m.Boxes[id])
		}
		ids, boxes = append(ids, id), append(boxes, m.Boxes[id])
	}
	return ids, boxes
}

// All makes every object drift and returns the boxes of all, by ID.
func (m *Motion) All() []soa.AABB {
	for i := range m.Boxes {
		m.drift(&m.Boxes[i])
	}
	return m.Boxes
}

func (m *Motion) drift(b *soa.AABB) {
	edge := 0.0
	for a := range 3 {
		edge = max(edge, float64(b.Max[a])-float64(b.Min[a]))
	}
	for a := range 3 {
		shift(b, a, edge*driftReach*(2*m.rng.Float64()-1))
	}
}

func (m *Motion) jump(b *soa.AABB) {
	for a := range 3 {
		low, edge := float64(m.bounds.Min[a]), float64(b.Max[a])-float64(b.Min[a])
		room := max(float64(m.bounds.Max[a])-low-edge, 0)
		shift(b, a, low+float64(room*m.rng.Float64())-float64(b.Min[a]))
	}
}

// shift moves a box on one axis, clamped to float32. Rounding cannot invert the box, because it is monotonic.
func shift(b *soa.AABB, axis int, by float64) {
	moved := func(x float32) float32 {
		return float32(min(max(float64(x)+by, -math.MaxFloat32), math.MaxFloat32))
	}
	b.Min[axis], b.Max[axis] = moved(b.Min[axis]), moved(b.Max[axis])
}
