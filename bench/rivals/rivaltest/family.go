package rivaltest

import (
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// families runs sequences of changes at which trees are known to fail.
func families(t *testing.T, empty func() index.Index, seed uint64) {
	city := testkit.SceneByName(t, "city").Make(300, seed)
	cube := func(x, y, z, side float32) soa.AABB { return Cube(x, y, z, side).Box }
	move := func(m *model, id int, b soa.AABB) { m.move(m.ix.(index.Mover), uint32(id), b) }
	tick := func(m *model, n int) {
		for range n {
			m.change(7, nil, nil)
		}
	}
	each := func(name string, body func(t *testing.T, m *model)) {
		t.Run(name, func(t *testing.T) {
			m := newModel(empty(), city)
			if _, ok := m.ix.(index.Mover); !ok {
				t.Skip("it cannot move")
			}
			body(t, m)
			_, objects := m.stored()
			q := queriesOf(objects, 4, seed)
			m.compare(t, &q)
		})
	}
	each("swarm", func(t *testing.T, m *model) { // crosses the world
		for step := range 40 {
			for id := range 100 {
				move(m, id, cube(float32(step*20+id%10), float32(id/10), 1, 0.5))
			}
			tick(m, 1)
			m.validate(t)
		}
	})
	each("alternating", func(t *testing.T, m *model) { // between two cells
		for step := range 200 {
			move(m, 7, cube(float32(step%2)*50, 10, 1, 0.5))
			tick(m, 1)
			m.validate(t)
		}
	})
	each("away and back", func(t *testing.T, m *model) {
		for _, side := range []float32{1e30, 1} {
			for id := range m.objects {
				move(m, id, cube(float32(id)*side, side, -side, side))
			}
			tick(m, 80)
			m.validate(t)
			_, objects := m.stored()
			q := queriesOf(objects, 4, seed)
			m.compare(t, &q)
		}
	})
	each("one far away", func(t *testing.T, m *model) {
		move(m, 3, cube(1e30, -1e30, 1e30, 1))
		m.validate(t)
		move(m, 4, cube(-1e30, -1e30, 1e30, 1))
		tick(m, 1)
	})
	each("one point", func(t *testing.T, m *model) { // and apart again
		for _, apart := range []float32{0, 3} {
			for id := range m.objects {
				move(m, id, cube(float32(id)*apart, 2, 2, 0))
			}
			tick(m, 2)
			_, objects := m.stored()
			q := queriesOf(objects, 4, seed)
			m.compare(t, &q)
		}
	})
	t.Run("emptied", func(t *testing.T) {
		m := newModel(empty(), nil)
		in, ok := m.ix.(index.Inserter)
		out, ok2 := m.ix.(index.Remover)
		if !ok || !ok2 {
			t.Skip("it cannot insert and remove")
		}
		m.objects, m.live = city, make([]bool, len(city))
		var bytes []int
		for round := range 6 {
			for id, o := range city {
				in.Insert(uint32(id), o)
				m.live[id] = true
			}
			q := queriesOf(city, 3, seed)
			m.compare(t, &q)
			if ix, ok := m.ix.(index.Sizer); ok {
				bytes = append(bytes, ix.Bytes())
			}
			for id := range city {
				out.Remove(uint32(id))
				m.live[id] = false
			}
			tick(m, 1+round)
			m.compare(t, &queries{boxes: q.boxes, rays: q.rays})
		}
		if bytes != nil && bytes[5] > 2*bytes[1] {
			t.Errorf("memory grows: %v", bytes)
		}
	})
}
