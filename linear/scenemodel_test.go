package linear_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// sceneModel is a set of nested trees and scenes, and a simple model of their contents.
type sceneModel struct {
	r     *rand.Rand
	parts []*modelPart // trees, then scenes
	trees int
	views []modelView // views that are not yet stale
	log   []string

	cycles, deep int // rejected instances
}

// modelPart is a tree or a scene.
type modelPart struct {
	tree      *linear.Tree     // of a scene: its own tree
	scene     *linear.Scene    // nil for a tree
	snap      *linear.Snapshot // of an earlier state of a tree; the tree itself is not among the parts
	live      map[uint32]soa.Object
	ids       []uint32
	instances map[uint32]*modelPlace
	at        []uint32 // IDs of instances
}

type modelPlace struct {
	part      *modelPart
	transform linear.Transform
	o         linear.InstanceOptions
}

type modelView struct {
	of *modelPart
	v  linear.SceneView
}

func newSceneModel(t testing.TB, seed uint64, trees, scenes int, cfg linear.Config) *sceneModel {
	m := &sceneModel{r: testkit.Rand(seed), trees: trees}
	for range trees {
		m.parts = append(m.parts, &modelPart{tree: newTree(t, cfg), live: map[uint32]soa.Object{}})
	}
	for range scenes {
		s, err := linear.NewScene(cfg)
		must(t, err)
		m.parts = append(m.parts, &modelPart{tree: s.Tree(), scene: s, live: map[uint32]soa.Object{}, instances: map[uint32]*modelPlace{}})
	}
	return m
}

func (p *modelPart) as() linear.Part {
	switch {
	case p.scene != nil:
		return p.scene
	case p.snap != nil:
		return p.snap
	}
	return p.tree
}

// saved returns a snapshot of a tree.
func (p *modelPart) saved(t testing.TB) *modelPart {
	t.Helper()
	return &modelPart{snap: opened(t, written(t, p.tree), linear.CheckSafe), live: maps.Clone(p.live), ids: slices.Clone(p.ids)}
}

// below reports whether a part is another part, or inside it.
func (p *modelPart) below(outer *modelPart) bool {
	if p == outer {
		return true
	}
	for _, l := range outer.instances {
		if p.below(l.part) {
			return true
		}
	}
	return false
}

func (p *modelPart) depth() (depth int) {
	for _, l := range p.instances {
		depth = max(depth, l.part.depth()+1)
	}
	return depth
}

func (p *modelPart) total() uint64 {
	n := uint64(len(p.live))
	for _, l := range p.instances {
		n += l.part.total()
	}
	return n
}

func (m *sceneModel) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
	m.log = m.log[max(0, len(m.log)-12):]
}

// name returns the number of a part.
func (m *sceneModel) name(p *modelPart) int { return slices.Index(m.parts, p) }

func (m *sceneModel) pick() *modelPart { return m.parts[m.r.IntN(len(m.parts))] }

func (m *sceneModel) scene() *modelPart { return m.parts[m.trees+m.r.IntN(len(m.parts)-m.trees)] }

func (m *sceneModel) box() soa.AABB {
	at := func() float32 { return float32(m.r.NormFloat64() * 20) }
	b := cube(at(), at(), at(), float32(m.r.Float64()*3))
	if m.r.IntN(4) == 0 {
		b.Max = b.Min
	}
	return b
}

func (m *sceneModel) object() soa.Object {
	return soa.Object{Box: m.box(), Mask: 1 << m.r.UintN(4), Static: m.r.IntN(2) == 0}
}

// transform returns a transform whose images stay near other objects.
func (m *sceneModel) transform(t testing.TB) linear.Transform {
	if m.r.IntN(8) == 0 {
		return linear.Transform{}
	}
	var rows [12]float64
	for {
		p, err := m.anyPose(&rows)
		if err == nil {
			return p
		}
	}
}

func (m *sceneModel) anyPose(rows *[12]float64) (linear.Transform, error) {
	at := [3]float64{m.r.NormFloat64() * 50, m.r.NormFloat64() * 50, float64(m.r.IntN(64))}
	switch m.r.IntN(5) {
	case 0:
		return linear.Similarity(at, [4]float64{3: 1}, 1)
	case 1, 2:
		return linear.Similarity(at, [4]float64{m.r.NormFloat64(), m.r.NormFloat64(), m.r.NormFloat64(), m.r.NormFloat64()}, 0.5+m.r.Float64())
	case 3: // mirrored and scaled
		*rows = [12]float64{0, -0.5, 0, at[0], 1.25, 0, 0, at[1], 0, 0, 1, at[2]}
	default:
		for i := range rows {
			rows[i] = m.r.NormFloat64() * 0.6
		}
		rows[3], rows[7], rows[11] = at[0], at[1], at[2]
	}
	return linear.NewTransform(*rows)
}

// step makes a call.
func (m *sceneModel) step(t testing.TB) {
	t.Helper()
	switch k := m.r.IntN(100); {
	case k < 30:
		m.changeTree(t, m.pick())
	case k < 45:
		m.place(t, m.scene())
	case k < 65:
		m.move(t, m.scene())
	case k < 73:
		m.remove(t, m.scene())
	case k < 76:
		m.setMask(t, m.scene())
	case k < 84:
		p := m.scene()
		m.note("Tick %d", m.name(p))
		must(t, p.scene.Tick())
		m.mayEnd(p)
	case k < 86:
		p := m.pick()
		m.note("Tick of tree %d", m.name(p))
		must(t, p.tree.Tick())
		m.mayEnd(p)
	case k < 87:
		p := m.scene()
		m.note("Trim %d", m.name(p))
		p.scene.Trim()
		m.mayEnd(p)
	case k < 88:
		m.clear(t, m.pick())
	default:
		p := m.scene()
		m.note("View %d", m.name(p))
		m.views = append(m.views, modelView{p, p.scene.View()})
		if len(m.views) > 8 {
			m.views = m.views[1:]
		}
	}
}

// panics reports whether a view is stale.
func stalePanic(v linear.SceneView) (stale bool) {
	defer func() { stale = recover() != nil }()
	v.Outgrown()
	return
}

// ended checks that a change of a part has invalidated the views of all scenes that contain it, and no others.
func (m *sceneModel) ended(t testing.TB, p *modelPart) {
	t.Helper()
	m.views = slices.DeleteFunc(m.views, func(v modelView) bool {
		in := p.below(v.of)
		if stale := stalePanic(v.v); stale != in {
			t.Fatalf("a view of %d after a change of %d, in it: %v; stale: %v; after %v", m.name(v.of), m.name(p), in, stale, m.log)
		}
		return in
	})
}

// mayEnd drops the views that a call may have invalidated, because it changes parts below the viewed part.
func (m *sceneModel) mayEnd(p *modelPart) {
	m.views = slices.DeleteFunc(m.views, func(v modelView) bool {
		for _, q := range m.parts {
			if q.below(p) && q.below(v.of) {
				return true
			}
		}
		return false
	})
}

// changeTree changes the objects of a part.
func (m *sceneModel) changeTree(t testing.TB, p *modelPart) {
	t.Helper()
	switch n := len(p.ids); {
	case m.r.IntN(3) == 0 || n == 0:
		objects := make([]soa.Object, 1+m.r.IntN(3)*m.r.IntN(20))
		for i := range objects {
			objects[i] = m.object()
		}
		m.note("insert %d into %d", len(objects), m.name(p))
		var ids []uint32
		if len(objects) == 1 {
			id, err := p.tree.Insert(objects[0])
			must(t, err)
			ids = append(ids, id)
		} else {
			ids = insert(t, p.tree, objects)
		}
		for i, id := range ids {
			p.live[id] = objects[i]
		}
		p.ids = append(p.ids, ids...)
	case m.r.IntN(3) == 0:
		k := m.r.IntN(n)
		m.note("remove object %d of %d", p.ids[k], m.name(p))
		must(t, p.tree.Remove(p.ids[k]))
		delete(p.live, p.ids[k])
		p.ids = slices.Delete(p.ids, k, k+1)
	default:
		id := p.ids[m.r.IntN(n)]
		o := p.live[id]
		o.Box = m.box()
		if m.r.IntN(6) == 0 {
			o.Box = cube(float32(m.r.NormFloat64()*300), 0, 0, 1)
		}
		m.note("move object %d of %d", id, m.name(p))
		if m.r.IntN(2) == 0 {
			must(t, p.tree.Move(id, o.Box))
		} else {
			must(t, p.tree.MoveBatch([]uint32{id}, []soa.AABB{o.Box}))
		}
		p.live[id] = o
	}
	m.ended(t, p)
}

func (m *sceneModel) clear(t testing.TB, p *modelPart) {
	m.note("Clear %d", m.name(p))
	if p.scene == nil {
		p.tree.Clear()
	} else {
		p.scene.Clear()
		clear(p.instances)
		p.at = p.at[:0]
	}
	clear(p.live)
	p.ids = p.ids[:0]
	m.ended(t, p)
}

// place adds an instance of a part to a scene, or checks the error.
func (m *sceneModel) place(t testing.TB, p *modelPart) {
	t.Helper()
	part, transforms := m.pick(), make([]linear.Transform, 1+m.r.IntN(2)*m.r.IntN(5))
	if next := m.name(p) + 1; next < len(m.parts) && m.r.IntN(2) == 0 { // chains
		part = m.parts[next]
	}
	if part.scene == nil && m.r.IntN(3) == 0 {
		part = part.saved(t)
	}
	o := linear.InstanceOptions{Mask: m.r.Uint32N(4), Turns: m.r.IntN(3) == 0}
	for i := range transforms {
		transforms[i] = m.transform(t)
	}
	m.note("place %d in %d, %d times", m.name(part), m.name(p), len(transforms))
	ids, err := p.scene.AddInstances(nil, part.as(), transforms, o)
	var want error
	if p.below(part) {
		want = linear.ErrCycle
		m.cycles++
	} else if part.depth()+1+m.height(p) > linear.MaxDepth {
		want = linear.ErrDepth
		m.deep++
	}
	if !errors.Is(err, want) || (err != nil) != (want != nil) {
		t.Fatalf("placing %d in %d gives the error %v, want %v, after %v", m.name(part), m.name(p), err, want, m.log)
	}
	if err != nil {
		if len(ids) != 0 {
			t.Fatalf("IDs %v of a placement refused", ids)
		}
		for _, v := range m.views {
			if stalePanic(v.v) {
				t.Fatalf("a placement that was refused has ended a view of %d", m.name(v.of))
			}
		}
		return
	}
	for i, id := range ids {
		p.instances[id] = &modelPlace{part, transforms[i], o}
	}
	p.at = append(p.at, ids...)
	m.ended(t, p)
}

// height returns the greatest number of nested instances around a part.
func (m *sceneModel) height(p *modelPart) (height int) {
	for _, q := range m.parts {
		for _, l := range q.instances {
			if l.part == p {
				height = max(height, m.height(q)+1)
				break
			}
		}
	}
	return height
}

func (m *sceneModel) move(t testing.TB, p *modelPart) {
	t.Helper()
	n := len(p.at)
	if n == 0 {
		if err := p.scene.Move(uint32(n), linear.Transform{}); !errors.Is(err, linear.ErrUnknown) {
			t.Fatalf("moving a place that is not there: %v", err)
		}
		return
	}
	next := func(id uint32) linear.Transform {
		transform := m.transform(t)
		if m.r.IntN(2) == 0 { // only rotates
			rows, old := transform.Rows(), p.instances[id].transform.Rows()
			rows[3], rows[7], rows[11] = old[3], old[7], old[11]
			transform, _ = linear.NewTransform(rows)
		}
		return transform
	}
	if m.r.IntN(2) == 0 {
		id := p.at[m.r.IntN(n)]
		transform := next(id)
		m.note("move place %d of %d", id, m.name(p))
		must(t, p.scene.Move(id, transform))
		p.instances[id].transform = transform
	} else {
		ids, transforms := make([]uint32, 1+m.r.IntN(6)), make([]linear.Transform, 0, 6)
		for i := range ids { // some instances twice
			ids[i] = p.at[m.r.IntN(n)]
			transforms = append(transforms, next(ids[i]))
		}
		m.note("move places %v of %d", ids, m.name(p))
		must(t, p.scene.MoveBatch(ids, transforms))
		for i, id := range ids {
			p.instances[id].transform = transforms[i]
		}
	}
	m.ended(t, p)
}

// remove removes some instances, and returns their IDs.
func (m *sceneModel) remove(t testing.TB, p *modelPart) (gone []uint32) {
	t.Helper()
	n := min(len(p.at), 1+m.r.IntN(2)*m.r.IntN(5))
	m.r.Shuffle(len(p.at), func(i, j int) { p.at[i], p.at[j] = p.at[j], p.at[i] })
	gone = p.at[:n:n]
	m.note("remove places %v of %d", gone, m.name(p))
	handles := make([]linear.Handle, n)
	for i, id := range gone {
		handles[i], _ = p.scene.Handle(id)
		if got, err := p.scene.Resolve(handles[i]); got != id || err != nil {
			t.Fatalf("the handle of place %d is that of %d, %v", id, got, err)
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		must(t, p.scene.Remove(gone[0]))
	default:
		must(t, p.scene.RemoveBatch(gone))
	}
	for i, id := range gone {
		delete(p.instances, id)
		if _, err := p.scene.Resolve(handles[i]); !errors.Is(err, linear.ErrStale) {
			t.Fatalf("the handle of place %d, which is removed: %v", id, err)
		}
	}
	p.at = p.at[n:]
	m.ended(t, p)
	return gone
}

func (m *sceneModel) setMask(t testing.TB, p *modelPart) {
	if len(p.at) == 0 {
		return
	}
	id, mask := p.at[m.r.IntN(len(p.at))], m.r.Uint32N(4)
	m.note("SetMask of place %d of %d", id, m.name(p))
	must(t, p.scene.SetMask(id, mask))
	p.instances[id].o.Mask = mask
	m.ended(t, p)
}
