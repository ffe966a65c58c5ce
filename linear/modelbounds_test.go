package linear_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// TestModel with oriented boxes.
func TestModelOriented(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, testkit.Again(25, 8), 400)
	testkit.EachTier(t, func(t *testing.T) {
		for k, cfg := range append(slices.Clone(modelConfigs), placeConfigs...) {
			cfg.Log = k%2 == 0
			for i, n := range []int{3, 20, 200} {
				if !testkit.OfTier(t, i+k) {
					continue
				}
				m := newModel(t, cfg, seed+uint64(n), 100)
				m.alternate(seed)
				m.turns = true
				for range steps {
					m.step(t, n)
					m.check(t)
				}
			}
		}
	})
}

// bound is the expected bound of an object, beside its box.
type bound struct {
	sphere   *[4]float32
	oriented *soa.OrientedBox
}

// move gives an object of the model a box, and removes its bounds.
func (m *model) move(id uint32, box soa.AABB) {
	o := m.live[id]
	o.Box = box
	m.live[id] = o
	delete(m.bounds, id)
}

// oriented returns an oriented box about the middle of a box and about as large as it, rotated about one of the
// axes. Some are flat.
func (m *model) oriented(b soa.AABB) (o soa.OrientedBox) {
	o.Center = b.Center()
	a := m.r.IntN(3)
	sin, cos := math.Sincos(m.r.Float64() * 7)
	turn := [3][3]float64{{cos, sin}, {-sin, cos}, {0, 0, 1}}
	for i := range 3 {
		length := (float64(b.Max[i]) - float64(b.Min[i])) / 2 * float64(m.r.IntN(2))
		for k := range 3 {
			o.Axes[i][(k+a)%3] = float32(length * turn[i][k])
		}
	}
	if o.Check() != nil || o.Box().Check() != nil {
		o.Axes = [3][3]float32{}
	}
	return o
}

// orient gives objects oriented boxes by one of the calls.
func (m *model) orient(t testing.TB) {
	t.Helper()
	n := 1
	if m.r.IntN(2) == 0 {
		n = 1 + m.r.IntN(2*len(m.ids))
	}
	var ids []uint32
	var boxes []soa.OrientedBox
	inside := m.r.IntN(3) == 0
	for range n {
		id := m.pick()
		b := m.oriented(m.near(m.live[id].Box))
		if m.r.IntN(10) == 0 {
			b = m.oriented(m.object().Box)
		}
		if inside { // a flat box in a face of its own
			box := m.live[id].Box
			b = soa.OrientedBox{Center: box.Center()}
			b.Axes[2][1] = min(b.Center[1]-box.Min[1], box.Max[1]-b.Center[1])
		}
		ids, boxes = append(ids, id), append(boxes, b)
	}
	switch {
	case inside && n == 1:
		must(t, m.tree.SetOriented(ids[0], boxes[0]))
	case inside:
		must(t, m.tree.SetBounds(ids, linear.Bodies{Oriented: boxes}))
	case n == 1:
		must(t, m.tree.MoveOriented(ids[0], boxes[0]))
	default:
		must(t, m.tree.MoveBodies(ids, linear.Bodies{Oriented: boxes}))
	}
	m.note("%d oriented boxes, inside %v", n, inside)
	for i, id := range ids {
		b := m.bounds[id]
		if !inside {
			m.move(id, boxes[i].Box())
			b = bound{}
		}
		b.oriented = &boxes[i]
		m.bounds[id] = b
	}
}

// moveBodies moves objects to boxes, spheres and oriented boxes in one call, some of them twice.
func (m *model) moveBodies(t testing.TB) {
	t.Helper()
	n := 1 + m.r.IntN(1+len(m.ids)/4)
	if m.r.IntN(3) == 0 {
		n = 1 + m.r.IntN(2*len(m.ids))
	}
	var ids []uint32
	var to linear.Bodies
	draw := func(n int, move func(id uint32, box soa.AABB)) {
		for range n {
			id := m.pick()
			box := m.near(m.live[id].Box)
			if m.r.IntN(20) == 0 {
				box = m.object().Box
			}
			ids = append(ids, id)
			move(id, box)
		}
	}
	var after []func()
	draw(m.r.IntN(n+1), func(id uint32, box soa.AABB) {
		to.Boxes = append(to.Boxes, box)
		after = append(after, func() { m.move(id, box) })
	})
	draw(m.r.IntN(n+1), func(id uint32, box soa.AABB) {
		c := box.Center()
		s := [4]float32{c[0], c[1], c[2], m.r.Float32()}
		to.Spheres = append(to.Spheres, s)
		after = append(after, func() { m.move(id, soa.Ball{Sphere: s}.Box()); m.bounds[id] = bound{sphere: &s} })
	})
	draw(m.r.IntN(n+1), func(id uint32, box soa.AABB) {
		b := m.oriented(box)
		to.Oriented = append(to.Oriented, b)
		after = append(after, func() { m.move(id, b.Box()); m.bounds[id] = bound{oriented: &b} })
	})
	if m.r.IntN(2) == 0 {
		must(t, m.tree.MoveBodies(ids, to))
	} else {
		var b linear.Batch
		b.MoveBodies(ids, to)
		data, err := b.MarshalBinary()
		must(t, err)
		b.Reset()
		must(t, b.UnmarshalBinary(data))
		_, err = m.tree.Apply(&b)
		must(t, err)
	}
	m.note("%d boxes, %d spheres, %d oriented boxes", len(to.Boxes), len(to.Spheres), len(to.Oriented))
	for _, f := range after {
		f()
	}
}

// checkBounds compares the bounds of a view with the expected bounds.
func (m *model) checkBounds(t testing.TB, v linear.View, bounds map[uint32]bound) {
	t.Helper()
	p := &v.Store().Packets
	for slot := range everything(v) {
		for l, id := range v.IDs(slot) {
			want := bounds[id]
			if s, ok := p.Sphere(slot, l); ok != (want.sphere != nil) || ok && s != *want.sphere {
				t.Fatalf("object %d has the sphere %v, %v; want %v, after %v", id, s, ok, want.sphere, m.log)
			}
			o, ok := p.Oriented(slot, l)
			if ok != (want.oriented != nil) || ok && o != *want.oriented {
				t.Fatalf("object %d has the oriented box %v, %v; want %v, after %v", id, o, ok, want.oriented, m.log)
			}
			if got, has := v.Oriented(id); has != ok || got != o {
				t.Fatalf("the view has the oriented box %v, %v of object %d; want %v, %v, after %v", got, has, id, o, ok, m.log)
			}
		}
	}
}
