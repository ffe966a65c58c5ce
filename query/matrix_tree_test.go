package query_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// matrixCensus is the expected content of a view, ascending by ID: the objects that the oracles of the matrix read.
type matrixCensus struct {
	ids     []uint32
	objects []soa.Object
	balls   [][4]float32       // a radius below 0: none
	turned  []*soa.OrientedBox // nil: none
	births  []int              // which of all objects it is
	gens    []uint32           // generations of the handles
	index   []int32            // by ID: the index in the other columns, or -1
}

func (c *matrixCensus) ball(i int) bool { return c.balls[i][3] >= 0 }

// at returns the index of an ID, or -1.
func (c *matrixCensus) at(id uint32) int {
	if int(id) >= len(c.index) {
		return -1
	}
	return int(c.index[id])
}

// matrixTree is a tree, its expected content, and the script that produced it.
type matrixTree struct {
	tree   *linear.Tree
	cfg    linear.Config
	shared *linear.Publisher
	held   []*matrixHeld
	rng    *rand.Rand
	pool   []soa.Object // source of the objects of insertions and moves
	log    []string     // the last operations
	step   bool         // Validate after each operation

	objects []soa.Object // by ID
	balls   [][4]float32
	turned  []*soa.OrientedBox
	births  []int // 0: not live
	live    []uint32
	born    int
	done    map[string]int // operations, by method of the tree
}

// matrixHeld is a published version that is acquired, and its expected content.
type matrixHeld struct {
	linear.Version
	*matrixCensus
}

func (m *matrixTree) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
	if len(m.log) > 12 {
		m.log = slices.Delete(m.log, 0, 1)
	}
}

func (m *matrixTree) census() *matrixCensus {
	c := &matrixCensus{index: make([]int32, len(m.objects))}
	for id := range m.objects {
		c.index[id] = -1
		if m.births[id] != 0 {
			c.index[id] = int32(len(c.ids))
			c.ids = append(c.ids, uint32(id))
			c.objects = append(c.objects, m.objects[id])
			c.balls = append(c.balls, m.balls[id])
			c.turned = append(c.turned, m.turned[id])
			c.births = append(c.births, m.births[id])
			h, _ := m.tree.Handle(uint32(id))
			c.gens = append(c.gens, h.Gen)
		}
	}
	return c
}

var noBall = [4]float32{0, 0, 0, -1}

func (m *matrixTree) add(id uint32, o soa.Object) error {
	for int(id) >= len(m.objects) {
		m.objects, m.balls, m.births = append(m.objects, soa.Object{}), append(m.balls, noBall), append(m.births, 0)
		m.turned = append(m.turned, nil)
	}
	if m.births[id] != 0 {
		return fmt.Errorf("ID %d was given out twice", id)
	}
	m.born++
	m.objects[id], m.balls[id], m.turned[id], m.births[id] = o, noBall, nil, m.born
	m.live = append(m.live, id)
	return nil
}

func (m *matrixTree) addAll(ids []uint32, objects []soa.Object) error {
	if len(ids) != len(objects) {
		return fmt.Errorf("%d IDs for %d objects", len(ids), len(objects))
	}
	for i, id := range ids {
		if err := m.add(id, objects[i]); err != nil {
			return err
		}
	}
	return nil
}

// forget removes IDs from the model.
func (m *matrixTree) forget(ids ...uint32) {
	for _, id := range ids {
		m.births[id] = 0
	}
	m.live = slices.DeleteFunc(m.live, func(id uint32) bool { return m.births[id] == 0 })
}

// forgetWhere forgets the live objects for which a function returns true.
func (m *matrixTree) forgetWhere(removed func(o soa.Object) bool) {
	for _, id := range slices.Clone(m.live) {
		if removed(m.objects[id]) {
			m.forget(id)
		}
	}
}

func (m *matrixTree) move(id uint32, box soa.AABB) {
	m.objects[id].Box, m.balls[id], m.turned[id] = box, noBall, nil
}

func (m *matrixTree) pick() uint32 { return m.live[m.rng.IntN(len(m.live))] }

// some returns up to n different live IDs, at least one.
func (m *matrixTree) some(n int) []uint32 {
	n = 1 + m.rng.IntN(max(min(n, len(m.live)), 1))
	m.rng.Shuffle(len(m.live), func(i, j int) { m.live[i], m.live[j] = m.live[j], m.live[i] })
	return slices.Clone(m.live[:n])
}

func (m *matrixTree) object() soa.Object { return m.pool[m.rng.IntN(len(m.pool))] }

func (m *matrixTree) draw(n int) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i] = m.object()
	}
	return objects
}

// location returns another box for an object: near the former one, or anywhere.
func (m *matrixTree) location(b soa.AABB) soa.AABB {
	switch m.rng.IntN(6) {
	case 0:
		return m.object().Box
	case 1: // by steps of float32
		for a := range 3 {
			b.Min[a] = math.Nextafter32(b.Min[a], -most)
			b.Max[a] = math.Nextafter32(b.Max[a], most)
		}
		return b
	}
	far := float32(m.rng.Float32() * 2)
	if m.rng.IntN(6) == 0 {
		far *= 20
	}
	for a := range 3 {
		d := float32((m.rng.Float32() - 0.5) * far)
		if size := b.Max[a] - b.Min[a]; size > 0 && m.rng.IntN(2) == 0 {
			d = float32(d * size)
		}
		b.Min[a] += d
		b.Max[a] = max(b.Max[a]+d, b.Min[a])
	}
	return finiteBox(b)
}

// ballWithin returns a sphere in a box; ok is false where rounding leaves none.
func (m *matrixTree) ballWithin(b soa.AABB) (s [4]float32, ok bool) {
	s = testkit.BallIn(b)
	switch m.rng.IntN(4) {
	case 0:
		s[3] = 0
	case 1:
		s[3] /= 2
	}
	c := [3]float32{s[0], s[1], s[2]}
	return s, b.Contains(soa.AABB{Min: c, Max: c})
}

// refused judges the error of a call that takes boxes of new objects: nil and not refused, or ErrOutside when the
// configuration rejects boxes outside and there is one.
func (m *matrixTree) refused(err error, boxes ...soa.AABB) (bool, error) {
	return m.judge(err, m.cfg.Outside != linear.OutsideKeep, boxes)
}

// refusedMove judges the error of a call that takes next boxes of objects.
func (m *matrixTree) refusedMove(err error, boxes ...soa.AABB) (bool, error) {
	return m.judge(err, m.cfg.Outside == linear.OutsideReject, boxes)
}

func (m *matrixTree) judge(err error, refuses bool, boxes []soa.AABB) (bool, error) {
	outside := false
	if refuses {
		outside = slices.ContainsFunc(boxes, func(b soa.AABB) bool { return !m.cfg.World.ContainsPoint(b.Center()) })
	}
	switch {
	case err == nil && !outside:
		return false, nil
	case outside && errors.Is(err, linear.ErrOutside):
		return true, nil
	case err == nil:
		return false, errors.New("a box outside the world was taken")
	}
	return false, err
}

// depart follows a flush or a tick: it removes objects outside, if the configuration removes them.
func (m *matrixTree) depart(err error) error {
	var gone []uint32
	for _, id := range slices.Sorted(slices.Values(m.live)) {
		if m.cfg.Outside == linear.OutsideRemove && !m.cfg.World.ContainsPoint(m.objects[id].Box.Center()) {
			gone = append(gone, id)
		}
	}
	m.forget(gone...)
	same := slices.EqualFunc(m.tree.RemovedOutside(), gone, func(h soa.Handle, id uint32) bool { return h.ID == id })
	if err == nil && !same {
		return fmt.Errorf("%v departed, want %v", m.tree.RemovedOutside(), gone)
	}
	return err
}

func boxesOf(objects []soa.Object) []soa.AABB {
	boxes := make([]soa.AABB, len(objects))
	for i := range boxes {
		boxes[i] = objects[i].Box
	}
	return boxes
}

// inside returns the objects that the tree does not reject.
func (m *matrixTree) inside(objects []soa.Object) []soa.Object {
	if m.cfg.Outside == linear.OutsideKeep {
		return objects
	}
	return slices.DeleteFunc(objects, func(o soa.Object) bool { return !m.cfg.World.ContainsPoint(o.Box.Center()) })
}

// check validates the tree and compares all properties of its objects.
func (m *matrixTree) check() error {
	if err := m.tree.Validate(); err != nil {
		return err
	}
	if m.tree.Len() != len(m.live) || m.tree.View().Len() != len(m.live) || m.tree.Stats().Objects != len(m.live) {
		return fmt.Errorf("%d objects, want %d", m.tree.Len(), len(m.live))
	}
	c, n := m.census(), 0
	for id, o := range m.tree.All() {
		if n == len(c.ids) || id != c.ids[n] || o != c.objects[n] {
			return fmt.Errorf("the iteration gives %d %v as object number %d", id, o, n)
		}
		n++
	}
	if n != len(c.ids) {
		return fmt.Errorf("the iteration gives %d objects, want %d", n, len(c.ids))
	}
	for i, id := range c.ids {
		o, ok := m.tree.Object(id)
		s, has := m.tree.Sphere(id)
		turned, tilted := m.tree.Oriented(id)
		h, handled := m.tree.Handle(id)
		back, err := m.tree.Resolve(h)
		if !ok || !m.tree.Has(id) || o != c.objects[i] || has != c.ball(i) || has && s != c.balls[i] ||
			tilted != (c.turned[i] != nil) || tilted && turned != *c.turned[i] ||
			!handled || err != nil || back != id {
			return fmt.Errorf("object %d is %v, sphere %v %v, handle %v; want %v, sphere %v", id, o, has, s, h, c.objects[i], c.balls[i])
		}
	}
	again := m.tree.Clone()
	if err := again.Rebuild(nil, linear.RebuildOptions{}); err != nil || again.Digest() != m.tree.Digest() {
		return fmt.Errorf("digest %#x, rebuilt %#x, error %v", m.tree.Digest(), again.Digest(), err)
	}
	if cfg := m.tree.Config(); cfg.World != m.cfg.World || cfg.Fixed != m.cfg.Fixed || cfg.Outside != m.cfg.Outside {
		return fmt.Errorf("the configuration is %+v, it was %+v", cfg, m.cfg)
	}
	w := m.tree.World()
	bounds, radius := m.tree.Bounds(), m.tree.Radius()
	for _, o := range c.objects {
		b := o.Box
		if far := farthestOf(b); bounds.Union(b) != bounds || !(far <= radius) {
			return fmt.Errorf("box %v, %v from the origin, in a tree with bounds %v and radius %v", b, far, bounds, radius)
		}
		if w.Inside(b.Min) && w.Inside(b.Max) && m.tree.Key(b) != m.smallest(w.KeyOfBox(b.Min, b.Max)) {
			return fmt.Errorf("box %v in the world %v has the key %v", b, w, m.tree.Key(b))
		}
	}
	homes, pending := 0, m.tree.Stats().Pending
	for cell := range m.tree.Cells() {
		homes += cell.Count
		in := 0
		for packet := range m.tree.PacketsOf(cell) {
			in += packet.Count
		}
		if in != cell.Count {
			return fmt.Errorf("%d objects in the packets of a cell of %d", in, cell.Count)
		}
	}
	in := 0
	for packet := range m.tree.Packets() {
		in += packet.Count
	}
	if in != homes {
		return fmt.Errorf("%d objects in packets, %d in cells", in, homes)
	}
	if homes+pending != len(c.ids) {
		return fmt.Errorf("%d objects in cells and %d pending, want %d", homes, pending, len(c.ids))
	}
	return nil
}

// smallest returns the first key of the smallest cell of a key.
func (m *matrixTree) smallest(key morton.Key) morton.Key {
	side, cell := float64(m.tree.World().CellSide()), key.At(morton.Levels)
	for ; side < float64(m.cfg.MinCell) && cell.Level() > 0; side *= 2 {
		cell, _ = cell.Parent()
	}
	return cell.First()
}

// publish publishes the tree to readers, and acquires some versions.
func (m *matrixTree) publish() {
	if m.shared == nil {
		m.shared = linear.NewPublisher(m.tree)
	} else {
		m.shared.Publish()
	}
	m.note("Publish")
	if len(m.held) == 3 {
		k := m.rng.IntN(3)
		m.held[k].Release()
		m.held = slices.Delete(m.held, k, k+1)
	}
	h := &matrixHeld{matrixCensus: m.census()}
	h.Version = m.shared.Acquire()
	m.held = append(m.held, h)
}

// farthestOf returns the distance from the origin of the farthest corner of a box, rounded down.
func farthestOf(b soa.AABB) float64 {
	square := 0.0
	for a := range 3 {
		x := max(math.Abs(float64(b.Min[a])), math.Abs(float64(b.Max[a])))
		square += float64(x * x)
	}
	return math.Sqrt(square) * (1 - 0x1p-50)
}
