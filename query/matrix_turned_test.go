package query_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	geometry "github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Oracles of the matrix for oriented boxes. They call package exact for each object, one by one; its tests compare it
// with exact arithmetic.

// turnedIn returns an oriented box in a box.
func (m *matrixTree) turnedIn(b soa.AABB) *soa.OrientedBox {
	o := testkit.OrientedIn(m.rng, b)
	return &o
}

// turnedNear returns an oriented box about a box near another one; ok is false where the
// box around it is not finite.
func (m *matrixTree) turnedNear(b soa.AABB) (o *soa.OrientedBox, ok bool) {
	o = m.turnedIn(m.location(b))
	return o, o.Box().Check() == nil
}

// turn moves an object of the model to an oriented box.
func (m *matrixTree) turn(id uint32, b *soa.OrientedBox) {
	m.move(id, b.Box())
	m.turned[id] = b
}

// moveBodies moves objects to boxes, spheres and oriented boxes in a batch, or to bodies of one kind.
func (m *matrixTree) moveBodies(some []uint32) error {
	var ids [3][]uint32
	var balls []soa.Ball
	var turned []*soa.OrientedBox
	var boxes [3][]soa.AABB
	var to linear.Bodies
	only := m.rng.IntN(6)
	for _, id := range some {
		kind := only
		if only > 2 {
			kind = m.rng.IntN(3)
		}
		box := m.location(m.objects[id].Box)
		switch kind {
		case 0:
			to.Boxes = append(to.Boxes, box)
		case 1:
			b, ok := m.ballOf(soa.Object{Box: box})
			if !ok {
				continue
			}
			balls, to.Spheres, box = append(balls, b), append(to.Spheres, b.Sphere), b.Box()
		default:
			b, ok := m.turnedNear(m.objects[id].Box)
			if !ok {
				continue
			}
			turned, to.Oriented, box = append(turned, b), append(to.Oriented, *b), b.Box()
		}
		ids[kind], boxes[kind] = append(ids[kind], id), append(boxes[kind], box)
	}
	err := m.tree.MoveBodies(slices.Concat(ids[:]...), to)
	if no, err := m.refusedMove(err, slices.Concat(boxes[:]...)...); no || err != nil {
		return err
	}
	for i, id := range ids[0] {
		m.move(id, boxes[0][i])
	}
	for i, id := range ids[1] {
		m.roll(id, balls[i])
	}
	for i, id := range ids[2] {
		m.turn(id, turned[i])
	}
	return nil
}

// tilted lets a judgement of their oriented boxes restrict that of the boxes, and of the spheres.
func (t matrixTruth) tilted(c *matrixCensus, on bool, judge func(i int, o *soa.OrientedBox) uint8) matrixTruth {
	for i, s := range t.state {
		if o := c.turned[i]; on && o != nil && s != isOut {
			t.state[i] = min(s, judge(i, o))
		}
	}
	return t
}

func inOrOut(meets bool) uint8 {
	if meets {
		return isIn
	}
	return isOut
}

func solidOf(o *soa.OrientedBox) (s geometry.Solid) {
	s.SetOriented(o)
	return s
}

func frameOf(o *soa.OrientedBox) (f geometry.Frame) {
	f.Set(o)
	return f
}

func boxSolid(b soa.AABB) (s geometry.Solid) {
	s.SetBox(&b)
	return s
}

// laneOf returns a packet with a box in its first lane.
func laneOf(b soa.AABB) (p soa.Packet) {
	for a := range 3 {
		p[2*a][0], p[2*a+1][0] = b.Min[a], b.Max[a]
	}
	return p
}

// orientedAsk draws an oriented box: in a box that is likely to be hard, or beyond it.
func orientedAsk(a *matrixArtist) (matrixAsk, error) {
	b := testkit.OrientedIn(a.rng, a.boxAround())
	if a.rng.IntN(3) == 0 {
		big := b
		for i := range 3 {
			for k := range 3 {
				big.Axes[i][k] *= 2
			}
		}
		if big.Box().Check() == nil {
			b = big
		}
	}
	q, err := query.NewOrientedBox(b)
	return matrixAsk{"OrientedBox", q, fmt.Sprintf("oriented box %x", b), func(_ linear.View, c *matrixCensus, exactly bool) matrixTruth {
		solid, frame, outer := solidOf(&b), frameOf(&b), b.Box()
		var slabs geometry.Slabs
		slabs.Set(&solid, &outer)
		t := matrixTruth{state: make([]uint8, len(c.ids))}
		for i, o := range c.objects {
			p := laneOf(o.Box)
			t.state[i] = inOrOut(slabs.Overlaps(&p, 0))
		}
		t.balls(c, exactly, func(s [4]float32) uint8 {
			return inOrOut(frame.Distance([3]float64{float64(s[0]), float64(s[1]), float64(s[2])}) <= float64(s[3]))
		})
		return t.tilted(c, exactly, func(_ int, o *soa.OrientedBox) uint8 {
			s := solidOf(o)
			return inOrOut(solid.Overlaps(&s))
		})
	}}, err
}

// tiltedInPlanes judges an oriented box by planes and by the widened planes.
func tiltedInPlanes(planes, wider [][4]float32, o *soa.OrientedBox) uint8 {
	x := testkit.TurnedOf(*o)
	height := func(p [4]float32) (h, slack float64) {
		n := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
		size := math.Abs(float64(p[3])) + x.Reach(n)
		for k := range 3 {
			size += math.Abs(n[k] * x.Center[k])
		}
		return dotProduct(n, x.Center) + float64(p[3]) + x.Reach(n), size * 0x1p-38
	}
	state := uint8(isIn)
	for i := range planes {
		if low, slack := height(planes[i]); low < slack {
			state = min(state, isOpen)
		}
		if high, slack := height(wider[i]); high < -slack {
			return isOut
		}
	}
	return state
}

// open leaves it open whether and when a motion hits the oriented boxes of objects whose boxes it hits: package exact
// has tests of its own.
func (t *matrixTruth) open(c *matrixCensus, on bool) {
	for i, s := range t.state {
		if on && c.turned[i] != nil && s != isOut {
			t.state[i], t.last[i] = isOpen, infinity
		}
	}
}

// near reports whether all bounds of two objects intersect, or are at most a distance apart.
func (s *pairSide) near(i int, o *pairSide, j int, distance float32) bool {
	a, b := s.solid(i), o.solid(j)
	x, y := s.c.turned[i], o.c.turned[j]
	ballAndTurned := func(ball *[4]float32, o *soa.OrientedBox) bool {
		if ball == nil || o == nil {
			return true
		}
		f := frameOf(o)
		return f.Distance([3]float64{float64(ball[0]), float64(ball[1]), float64(ball[2])}) <= float64(ball[3])+float64(float64(distance)*(1+0x1p-40))
	}
	framesNear := func(f, g geometry.Frame) bool { return distance > 0 && f.Near(&g, float64(distance)) }
	turnedAndBox := func(o *soa.OrientedBox, b *testkit.Solid, other *soa.OrientedBox) bool {
		if o == nil || b.Ball != nil || other != nil {
			return true
		}
		s, box := solidOf(o), boxSolid(b.Box)
		var f geometry.Frame
		f.SetBox(&b.Box)
		return s.Overlaps(&box) || framesNear(frameOf(o), f)
	}
	if x != nil && y != nil {
		s, o := solidOf(x), solidOf(y)
		if !s.Overlaps(&o) && !framesNear(frameOf(x), frameOf(y)) {
			return false
		}
	}
	if a.Ball != nil && (b.Ball != nil || y == nil) || b.Ball != nil && x == nil {
		if !testkit.MeetWithin(&a, &b, 1+0x1p-40, distance) {
			return false
		}
	}
	return ballAndTurned(a.Ball, y) && ballAndTurned(b.Ball, x) && turnedAndBox(x, &b, y) && turnedAndBox(y, &a, x)
}

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
