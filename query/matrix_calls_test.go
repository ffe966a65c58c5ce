package query_test

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// matrixOps are the operations of random scripts, by the method of the tree that they call. Operations on an object
// are called only when there is one.
var matrixOps = map[string]func(m *matrixTree) error{
	"Insert": func(m *matrixTree) error {
		o := m.object()
		id, err := m.tree.Insert(o)
		if no, err := m.refused(err, o.Box); no || err != nil {
			return err
		}
		return m.add(id, o)
	},
	"InsertBatch": func(m *matrixTree) error { return m.insert(m.draw(1 + m.rng.IntN(1+len(m.pool)/16))) },
	"InsertBall": func(m *matrixTree) error {
		b, ok := m.ballOf(m.object())
		if !ok {
			return nil
		}
		id, err := m.tree.InsertBall(b)
		if no, err := m.refused(err, b.Box()); no || err != nil {
			return err
		}
		return m.addBalls([]uint32{id}, []soa.Ball{b})
	},
	"InsertBallBatch": func(m *matrixTree) error { return m.insertBalls(m.draw(1 + m.rng.IntN(1+len(m.pool)/16))) },
	"InsertPoints": func(m *matrixTree) error {
		return m.insertPoints(m.tree.InsertPoints)
	},
	"InsertPointColumns": func(m *matrixTree) error {
		return m.insertPoints(func(dst []uint32, points [][3]float32, labels linear.Labels) ([]uint32, error) {
			var columns [3][]float32
			for _, p := range points {
				for a := range p {
					columns[a] = append(columns[a], p[a])
				}
			}
			return m.tree.InsertPointColumns(dst, columns[0], columns[1], columns[2], labels)
		})
	},
	"Remove": func(m *matrixTree) error {
		id := m.pick()
		m.forget(id)
		return m.tree.Remove(id)
	},
	"RemoveBatch": func(m *matrixTree) error {
		ids := m.some(1 + len(m.live)/12)
		m.forget(ids...)
		return m.tree.RemoveBatch(ids)
	},
	"RemoveIn": func(m *matrixTree) error {
		box, flt := m.location(m.objects[m.pick()].Box), linear.Filter{Mask: uint32(m.rng.IntN(4))}
		if box.Check() != nil {
			return nil
		}
		m.forgetWhere(func(o soa.Object) bool { return o.Box.Overlaps(box) && (flt.Mask == 0 || o.Mask&flt.Mask != 0) })
		_, _, err := m.tree.RemoveIn(nil, linear.BoxRegion(box), flt)
		return err
	},
	"RemoveOutside": func(m *matrixTree) error { // those above the box of an object, if they are few
		box, a := soa.AABB{Min: [3]float32{-most, -most, -most}, Max: [3]float32{most, most, most}}, m.rng.IntN(3)
		for _, id := range m.some(40) {
			if x := m.objects[id].Box.Max[a]; box.Max[a] == most || x > box.Max[a] {
				box.Max[a] = x
			}
		}
		above := func(o soa.Object) bool { return !o.Box.Overlaps(box) }
		few := 0
		for _, id := range m.live {
			if above(m.objects[id]) {
				few++
			}
		}
		if few > len(m.live)/8+1 {
			return nil
		}
		m.forgetWhere(above)
		_, _, err := m.tree.RemoveOutside(nil, linear.BoxRegion(box), linear.Filter{})
		return err
	},
	"RemoveDirty": func(m *matrixTree) error {
		ids, dirty := m.some(1+len(m.live)/12), make([]uint64, (len(m.objects)+63)/64)
		for _, id := range ids {
			dirty[id/64] |= 1 << (id % 64)
		}
		m.forget(ids...)
		return m.tree.RemoveDirty(dirty)
	},
	"Move": func(m *matrixTree) error {
		id := m.pick()
		box := m.location(m.objects[id].Box)
		no, err := m.refusedMove(m.tree.Move(id, box), box)
		if !no && err == nil {
			m.move(id, box)
		}
		return err
	},
	"MoveBatch": func(m *matrixTree) error {
		n := len(m.live) / 20
		if m.rng.IntN(6) == 0 {
			n = len(m.live)
		}
		return m.moveAll(m.some(1 + n))
	},
	"MoveInOrder": func(m *matrixTree) error {
		ids, arrangement := m.tree.Order(nil)
		return m.moveBy(ids, func(boxes []soa.AABB) error { return m.tree.MoveInOrder(arrangement, boxes) })
	},
	"MoveDirty": func(m *matrixTree) error {
		ids := m.some(1 + m.rng.IntN(len(m.live)))
		slices.Sort(ids)
		return m.moveBy(ids, func(boxes []soa.AABB) error {
			column, dirty := make([]soa.AABB, len(m.objects)), make([]uint64, (len(m.objects)+63)/64)
			for i, id := range ids {
				column[id] = boxes[i]
				dirty[id/64] |= 1 << (id % 64)
			}
			return m.tree.MoveDirty(column, dirty)
		})
	},
	"MoveSphere": func(m *matrixTree) error {
		id := m.pick()
		b, ok := m.ballOf(soa.Object{Box: m.location(m.objects[id].Box)})
		if !ok {
			return nil
		}
		no, err := m.refusedMove(m.tree.MoveSphere(id, b.Sphere), b.Box())
		if !no && err == nil {
			m.roll(id, b)
		}
		return err
	},
	"MoveBodies": func(m *matrixTree) error {
		n := len(m.live) / 20
		if m.rng.IntN(4) == 0 {
			n = len(m.live)
		}
		return m.moveBodies(m.some(1 + n))
	},
	"MoveOriented": func(m *matrixTree) error {
		id := m.pick()
		b, ok := m.turnedNear(m.objects[id].Box)
		if !ok {
			return nil
		}
		no, err := m.refusedMove(m.tree.MoveOriented(id, *b), b.Box())
		if !no && err == nil {
			m.turn(id, b)
		}
		return err
	},
	"SetOriented": func(m *matrixTree) error {
		id := m.pick()
		b := m.turnedIn(m.objects[id].Box)
		m.turned[id] = b
		return m.tree.SetOriented(id, *b)
	},
	"SetMask": func(m *matrixTree) error {
		id, mask := m.pick(), m.object().Mask
		m.objects[id].Mask = mask
		return m.tree.SetMask(id, mask)
	},
	"SetStatic": func(m *matrixTree) error {
		id := m.pick()
		m.objects[id].Static = !m.objects[id].Static
		return m.tree.SetStatic(id, m.objects[id].Static)
	},
	"SetSphere": func(m *matrixTree) error {
		id := m.pick()
		s, ok := m.ballWithin(m.objects[id].Box)
		if !ok {
			return nil
		}
		m.balls[id] = s
		return m.tree.SetSphere(id, s)
	},
	"SetBounds": func(m *matrixTree) error {
		n := 1 + len(m.live)/4
		return m.setBounds(m.some(n), m.some(n))
	},
	"Apply": (*matrixTree).apply,
	"Flush": func(m *matrixTree) error { return m.depart(m.tree.Flush()) },
	"Tick":  func(m *matrixTree) error { return m.depart(m.tree.Tick()) },
	"Refit": func(m *matrixTree) error { m.tree.Refit(); return nil },
	"Rebuild": func(m *matrixTree) error {
		return m.tree.Rebuild(nil, linear.RebuildOptions{Frozen: m.rng.IntN(2) == 0})
	},
	"Build": (*matrixTree).build,
	"Trim":  func(m *matrixTree) error { m.tree.Trim(); return nil },
	"Clone": (*matrixTree).clone,
	"Clear": func(m *matrixTree) error { m.clear(); return nil },
}

// matrixLooks are the methods of a tree that [matrixTree.check] and the queries of the matrix call.
var matrixLooks = []string{"All", "Bounds", "Cells", "Config", "Digest", "Handle", "Has", "Key", "LayoutDigest", "Len", "Object", "Order", "Oriented", "Packets", "PacketsOf", "Radius", "RemovedOutside", "Resolve", "Save", "Sphere", "Stats", "Thinned", "Validate", "View", "Work", "World", "WriteSnapshot", "WriteTo"}

// perform runs an operation of that name.
func (m *matrixTree) perform(name string) error {
	switch name {
	case "Insert", "InsertBatch", "InsertBall", "InsertBallBatch", "InsertPoints", "InsertPointColumns", "Apply", "Flush", "Tick", "Refit", "Rebuild", "Trim", "Clone", "Clear":
	default:
		if len(m.live) == 0 {
			name = "InsertBatch"
		}
	}
	m.note("%s", name)
	m.done[name]++
	if err := matrixOps[name](m); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if m.step {
		if err := m.check(); err != nil {
			return fmt.Errorf("after %s: %w", name, err)
		}
	}
	return nil
}

// all performs operations in their order, up to the first error.
func (m *matrixTree) all(names ...string) error {
	for _, name := range names {
		if err := m.perform(name); err != nil {
			return err
		}
	}
	return nil
}

// scriptOps are the operations of a random script, each repeated by its likelihood.
var scriptOps = []string{
	"Insert", "Insert", "InsertBatch", "InsertBatch", "Remove", "Remove", "RemoveBatch", "RemoveDirty", "RemoveIn", "RemoveOutside",
	"InsertBall", "InsertBallBatch", "InsertPoints", "InsertPointColumns", "MoveSphere", "MoveSphere", "MoveBodies", "MoveBodies", "MoveBodies",
	"Move", "Move", "Move", "MoveBatch", "MoveBatch", "MoveBatch", "MoveInOrder", "MoveDirty", "SetMask", "SetMask", "SetStatic", "SetStatic",
	"MoveOriented", "SetOriented", "SetSphere", "SetBounds", "SetBounds",
	"Apply", "Apply", "Flush", "Tick", "Tick", "Tick", "Refit", "Trim",
}

// script performs n random operations, rarely one that begins anew.
func (m *matrixTree) script(n int) error {
	for range n {
		name := scriptOps[m.rng.IntN(len(scriptOps))]
		if m.rng.IntN(60) == 0 {
			name = []string{"Rebuild", "Clone", "Rebuild", "Build"}[m.rng.IntN(4)]
		}
		if err := m.perform(name); err != nil {
			return err
		}
		if m.shared != nil && m.rng.IntN(6) == 0 {
			m.publish()
		}
	}
	return nil
}

func (m *matrixTree) clear() {
	m.forget(slices.Clone(m.live)...)
	m.tree.Clear()
	m.objects, m.balls, m.turned, m.births = m.objects[:0], m.balls[:0], m.turned[:0], m.births[:0]
}

// build builds a tree that is empty. A tree that is not rejects it, and is then cleared.
func (m *matrixTree) build() error {
	n := 1 + m.rng.IntN(1+len(m.pool)/8)
	if m.tree.Len() > 0 {
		if err := m.tree.Build(nil, m.draw(n), linear.RebuildOptions{}); err == nil {
			return fmt.Errorf("Build in a tree of %d objects is accepted", m.tree.Len())
		}
		m.clear()
	}
	objects := m.draw(n)
	opt := linear.RebuildOptions{Frozen: m.rng.IntN(2) == 0}
	no, err := m.refused(m.tree.Build(nil, objects, opt), boxesOf(objects)...)
	if err == nil && no {
		objects = m.inside(objects)
		err = m.tree.Build(nil, objects, opt)
	}
	if err != nil {
		return err
	}
	ids := make([]uint32, len(objects))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return m.addAll(ids, objects)
}

// insert inserts a batch, or, when it is rejected, the objects that are not outside.
func (m *matrixTree) insert(objects []soa.Object) error {
	ids, err := m.tree.InsertBatch(nil, objects)
	no, err := m.refused(err, boxesOf(objects)...)
	if err != nil {
		return err
	}
	if no {
		objects = m.inside(objects)
		if ids, err = m.tree.InsertBatch(nil, objects); err != nil {
			return err
		}
	}
	return m.addAll(ids, objects)
}

// insertPoints inserts corners of objects by a call, or none if the call is rejected.
func (m *matrixTree) insertPoints(call func([]uint32, [][3]float32, linear.Labels) ([]uint32, error)) error {
	objects := m.draw(1 + m.rng.IntN(1+len(m.pool)/32))
	points := make([][3]float32, len(objects))
	labels := linear.Labels{Masks: make([]uint32, len(objects)), Static: m.rng.IntN(2) == 0}
	for i, o := range objects {
		p := o.Box.Min
		points[i], labels.Masks[i] = p, o.Mask
		objects[i] = soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: o.Mask, Static: labels.Static}
	}
	ids, err := call(nil, points, labels)
	if no, err := m.refused(err, boxesOf(objects)...); no || err != nil {
		return err
	}
	return m.addAll(ids, objects)
}

// moveAll moves objects in a batch.
func (m *matrixTree) moveAll(ids []uint32) error {
	return m.moveBy(ids, func(boxes []soa.AABB) error { return m.tree.MoveBatch(ids, boxes) })
}

// moveBy moves objects by a call.
func (m *matrixTree) moveBy(ids []uint32, call func(boxes []soa.AABB) error) error {
	boxes := make([]soa.AABB, len(ids))
	for i, id := range ids {
		boxes[i] = m.location(m.objects[id].Box)
	}
	no, err := m.refusedMove(call(boxes), boxes...)
	if no || err != nil {
		return err
	}
	for i, id := range ids {
		m.move(id, boxes[i])
	}
	return nil
}

// setBounds gives objects spheres and others, or the same, oriented boxes inside their boxes.
func (m *matrixTree) setBounds(balls, turned []uint32) error {
	var ids []uint32
	var to linear.Bodies
	for _, id := range balls {
		if s, ok := m.ballWithin(m.objects[id].Box); ok {
			ids, to.Spheres = append(ids, id), append(to.Spheres, s)
			m.balls[id] = s
		}
	}
	for _, id := range turned {
		b := m.turnedIn(m.objects[id].Box)
		m.turned[id] = b
		ids, to.Oriented = append(ids, id), append(to.Oriented, *b)
	}
	return m.tree.SetBounds(ids, to)
}

// apply runs a batch of changes of every kind, each object in one of them.
func (m *matrixTree) apply() error {
	var b linear.Batch
	var added []soa.Object
	var gone []uint32
	var boxes, moved []soa.AABB
	then := []func(){}
	n := m.rng.IntN(24)
	if len(m.live) > 0 {
		for _, id := range m.some(n) {
			switch o := &m.objects[id]; m.rng.IntN(7) {
			case 0:
				b.Remove(id)
				gone = append(gone, id)
			case 1:
				mask := m.object().Mask
				b.SetMask(id, mask)
				then = append(then, func() { o.Mask = mask })
			case 2:
				static := !o.Static
				b.SetStatic(id, static)
				then = append(then, func() { o.Static = static })
			case 3:
				ball, ok := m.ballOf(soa.Object{Box: m.location(o.Box)})
				if !ok {
					continue
				}
				b.MoveSphere(id, ball.Sphere)
				moved = append(moved, ball.Box())
				then = append(then, func() { m.roll(id, ball) })
			case 4:
				turned, ok := m.turnedNear(o.Box)
				if !ok {
					continue
				}
				b.MoveOriented(id, *turned)
				moved = append(moved, turned.Box())
				then = append(then, func() { m.turn(id, turned) })
			default:
				box := m.location(o.Box)
				b.Move(id, box)
				moved = append(moved, box)
				then = append(then, func() { m.move(id, box) })
			}
		}
	}
	for range n / 3 {
		o := m.object()
		b.Insert(o)
		added, boxes = append(added, o), append(boxes, o.Box)
	}
	if want := len(then) + len(gone) + len(added); b.Len() != want {
		return fmt.Errorf("a batch of %d changes has %d", want, b.Len())
	}
	ids, err := m.tree.Apply(&b)
	if m.cfg.Outside == linear.OutsideReject {
		boxes = append(boxes, moved...)
	}
	if no, err := m.refused(err, boxes...); no || err != nil {
		return err
	}
	for _, f := range then {
		f()
	}
	m.forget(gone...)
	return m.addAll(ids, added)
}

// clone continues with a copy and wrecks the original, which shared its versions.
func (m *matrixTree) clone() error {
	old := m.tree
	m.tree, m.shared = old.Clone(), nil
	for i, id := range m.live {
		if i%2 == 0 {
			if err := old.Remove(id); err != nil {
				return err
			}
		}
	}
	for id := range m.births { // to a tracker they are others
		if m.births[id] != 0 {
			m.born++
			m.births[id] = m.born
		}
	}
	return old.Tick()
}
