package main

import (
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// change is a new box of an object.
type change struct {
	id  uint32
	box soa.AABB
}

// motion moves the objects of a scene: 95 % of the moves drift by up to a quarter of the object's largest
// edge, and 5 % jump anywhere.
type motion struct {
	rng    *rand.Rand
	boxes  []soa.AABB
	bounds soa.AABB
	order  []int // cyclic order of the moves; each object once per cycle
}

func newMotion(objects []soa.Object, seed uint64) *motion {
	rng := rand.New(rand.NewPCG(seed, 80))
	m := &motion{rng: rng, bounds: scene.Bounds(objects), order: rng.Perm(len(objects))}
	for i := range objects {
		m.boxes = append(m.boxes, objects[i].Box)
	}
	return m
}

// list returns the first count changes.
func (m *motion) list(count int) []change {
	list := make([]change, count)
	for i := range list {
		id := m.order[i%len(m.order)]
		b := &m.boxes[id]
		edge := max(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1], b.Max[2]-b.Min[2])
		jump := m.rng.IntN(20) == 0
		for a := range 3 {
			by := edge * 0.25 * (2*m.rng.Float32() - 1)
			if jump {
				room := m.bounds.Max[a] - m.bounds.Min[a] - (b.Max[a] - b.Min[a])
				by = m.bounds.Min[a] + max(room, 0)*m.rng.Float32() - b.Min[a]
			}
			b.Min[a], b.Max[a] = b.Min[a]+by, b.Max[a]+by
		}
		list[i] = change{uint32(id), *b}
	}
	return list
}

// native returns the box query of a valid box.
func native(b soa.AABB) query.Box {
	return must.Get(query.NewBox(b.Min, b.Max))
}
