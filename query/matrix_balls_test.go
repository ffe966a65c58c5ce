package query_test

import "github.com/zoctree/zoctree/soa"

// ballOf returns a ball within the box of an object; ok is false where none has a
// finite box.
func (m *matrixTree) ballOf(o soa.Object) (b soa.Ball, ok bool) {
	s, ok := m.ballWithin(o.Box)
	b = soa.Ball{Sphere: s, Mask: o.Mask, Static: o.Static}
	return b, ok && b.Box().Check() == nil
}

// roll replaces an object of the model by a ball.
func (m *matrixTree) roll(id uint32, b soa.Ball) {
	m.move(id, b.Box())
	m.balls[id] = b.Sphere
}

func (m *matrixTree) addBalls(ids []uint32, balls []soa.Ball) error {
	objects := make([]soa.Object, len(balls))
	for i, b := range balls {
		objects[i] = b.Object()
	}
	if err := m.addAll(ids, objects); err != nil {
		return err
	}
	for i, id := range ids {
		m.balls[id] = balls[i].Sphere
	}
	return nil
}

// insertBalls inserts the balls of objects in a batch, or none if the batch is rejected.
func (m *matrixTree) insertBalls(objects []soa.Object) error {
	var balls []soa.Ball
	var boxes []soa.AABB
	for _, o := range objects {
		if b, ok := m.ballOf(o); ok {
			balls, boxes = append(balls, b), append(boxes, b.Box())
		}
	}
	ids, err := m.tree.InsertBallBatch(nil, balls)
	if no, err := m.refused(err, boxes...); no || err != nil {
		return err
	}
	return m.addBalls(ids, balls)
}
