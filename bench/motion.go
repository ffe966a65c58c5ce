package main

import (
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	// driftReach is how far an object drifts in a step, at most, on each
	// axis: this part of its largest edge.
	driftReach = 0.25
	// jumpShare is the share of moves, one in so many, that go anywhere in
	// the scene.
	jumpShare = 20
)

// motion moves the objects of a scene: 95 % of the moves drift, 5 % jump.
type motion struct {
	rng    *rand.Rand
	boxes  []soa.AABB // where the objects are now
	bounds soa.AABB   // of the scene
	deck   []uint32   // all IDs, shuffled a little further by each step
}

func newMotion(objects []soa.Object, seed uint64) *motion {
	m := &motion{rng: rand.New(rand.NewPCG(seed, 80)), bounds: scene.Bounds(objects)}
	for i := range objects {
		m.boxes = append(m.boxes, objects[i].Box)
		m.deck = append(m.deck, uint32(i))
	}
	return m
}

// step moves count objects, each once, and appends their IDs and new boxes.
func (m *motion) step(ids []uint32, boxes []soa.AABB, count int) ([]uint32, []soa.AABB) {
	for i := range min(count, len(m.deck)) {
		j := i + m.rng.IntN(len(m.deck)-i)
		m.deck[i], m.deck[j] = m.deck[j], m.deck[i]
		id := m.deck[i]
		if m.rng.IntN(jumpShare) == 0 {
			m.jump(&m.boxes[id])
		} else {
			m.drift(&m.boxes[id])
		}
		ids, boxes = append(ids, id), append(boxes, m.boxes[id])
	}
	return ids, boxes
}

// all makes every object drift and returns the boxes of all, by ID.
func (m *motion) all() []soa.AABB {
	for i := range m.boxes {
		m.drift(&m.boxes[i])
	}
	return m.boxes
}

func (m *motion) drift(b *soa.AABB) {
	edge := 0.0
	for a := range 3 {
		edge = max(edge, float64(b.Max[a])-float64(b.Min[a]))
	}
	for a := range 3 {
		shift(b, a, edge*driftReach*(2*m.rng.Float64()-1))
	}
}

func (m *motion) jump(b *soa.AABB) {
	for a := range 3 {
		low, edge := float64(m.bounds.Min[a]), float64(b.Max[a])-float64(b.Min[a])
		room := max(float64(m.bounds.Max[a])-low-edge, 0)
		shift(b, a, low+float64(room*m.rng.Float64())-float64(b.Min[a]))
	}
}

// shift moves a box on one axis, not beyond float32. What rounds differently
// at its two faces does not invert it: rounding is monotonic.
func shift(b *soa.AABB, axis int, by float64) {
	moved := func(x float32) float32 {
		return float32(min(max(float64(x)+by, -math.MaxFloat32), math.MaxFloat32))
	}
	b.Min[axis], b.Max[axis] = moved(b.Min[axis]), moved(b.Max[axis])
}
