package version

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

// ScenePool holds the versions of a scene. A version has a held version of each tree, and a copy of the transforms.
type ScenePool struct {
	pool
	scene *instance.Scene
	trees Trees
	parts []*instance.Part // parts at the last publication, in the order of the table
	held  []*instance.Part // trees of all parts
	pools []*Pool          // and their versions
	shape uint64           // shape of the scene when these were listed
	epoch uint64           // epoch of the scene after the last publication
}

// Trees shares the versions of a tree among the scenes that hold it.
type Trees interface {
	Retain(u *instance.Part) *Pool // for one more scene
	Pool(u *instance.Part) *Pool
	Release(u *instance.Part)
}

// partVersion is a part in a version.
type partVersion struct {
	of    *instance.Part
	state instance.State
	wrote uint64     // last write to an instance of the scene that is in the state
	trees [2]*Buffer // held versions of trees: one for a tree, two for a scene, none for a snapshot
}

// Begin publishes the first version of a scene.
func (p *ScenePool) Begin(s *instance.Scene, trees Trees) {
	p.scene, p.trees = s, trees
	p.publish(s.Part.Sync())
}

// Publish publishes the scene if it has changed.
func (p *ScenePool) Publish() {
	st := p.scene.Part.Sync()
	if p.epoch != p.scene.Epoch {
		p.publish(st)
	}
}

func (p *ScenePool) publish(st *instance.State) {
	p.turns++
	if p.shape != st.Shape {
		p.listParts()
		p.shape = st.Shape
	}
	p.recycle()
	v := p.claim()
	if v == nil {
		v = newBuffer(nil)
	}
	for _, t := range p.pools {
		t.swapInChanged()
	}
	v.write(p)
	p.show(v)
	p.recycle() // frees buffers for the trees to continue in
	for _, t := range p.pools {
		t.acquireBuffer()
	}
	p.scene.Part.Sync() // so that later changes notify the scene
	p.epoch = p.scene.Epoch
}

// listParts lists the parts, and gets the versions of each tree.
func (p *ScenePool) listParts() {
	old := p.held
	p.parts, p.held, p.pools = instance.PartsBelow(&p.scene.Part), nil, nil
	for _, u := range p.parts {
		switch {
		case u.Fixed:
		case u.Scene == nil:
			p.held = append(p.held, u)
		default:
			p.held = append(p.held, u.Scene.Own(), u.Scene.Boxes())
		}
	}
	for _, u := range p.held {
		p.pools = append(p.pools, p.trees.Retain(u))
	}
	for _, u := range old {
		p.trees.Release(u)
	}
}

// recycle releases the trees of versions that have no holder. Versions that have been free for long are dropped.
func (p *ScenePool) recycle() {
	for _, v := range p.list {
		if !v.holder || !v.Holds.CompareAndSwap(0, claimed) {
			continue
		}
		for k := range v.parts {
			for _, i := range v.parts[k].trees {
				if i != nil {
					i.Release()
				}
			}
			v.parts[k].trees = [2]*Buffer{}
		}
		v.holder = false
		v.Holds.Add(-claimed) // keeps the counts of late readers
	}
	p.trim()
}

// write copies the current state of the scene into the version.
func (v *Buffer) write(p *ScenePool) {
	v.holder = true
	v.Table.Source, v.Table.Version = p.scene.Own().Tree.Store.Tree, octree.NextSource()
	if v.shape != p.shape {
		v.arrange(p)
	}
	for k := range v.parts {
		part := &v.parts[k]
		u, st := part.of, &part.state
		now := &u.State
		st.Bounds, st.Radius, st.Total, st.Shape = now.Bounds, now.Radius, now.Total, now.Shape
		switch {
		case u.Fixed:
			st.Objects, st.Instances = now.Objects, instance.Empty
			continue
		case u.Scene == nil:
			st.Objects, st.Instances = part.hold(0, p.trees.Pool(u)), instance.Empty
			continue
		}
		s := u.Scene
		st.Objects, st.Instances = part.hold(0, p.trees.Pool(s.Own())), part.hold(1, p.trees.Pool(s.Boxes()))
		st.Outgrown = append(st.Outgrown[:0], now.Outgrown...)
		part.copyRows(s)
	}
}

// arrange sets the parts of the version to the current ones, and keeps the rows that it has of them.
func (v *Buffer) arrange(p *ScenePool) {
	old := make(map[*instance.Part]*partVersion, len(v.parts))
	for k := range v.parts {
		old[v.parts[k].of] = &v.parts[k]
	}
	v.shape = p.shape
	v.parts = make([]partVersion, len(p.parts))
	for k, u := range p.parts {
		v.parts[k].of = u
		if part := old[u]; part != nil {
			v.parts[k] = *part
		}
	}
	v.Table.Fill(p.parts, func(k int) *instance.State { return &v.parts[k].state })
}

// hold holds the published version of a tree, and returns a view that is valid as long as the view
// that it is reached from.
func (part *partVersion) hold(k int, t *Pool) instance.View {
	i := t.Share()
	part.trees[k] = i
	return instance.View{Store: i.Store, Index: &i.Index}
}

// copyRows copies the rows of instances that have been written since the last copy.
func (part *partVersion) copyRows(s *instance.Scene) {
	st := &part.state
	if cap(st.In) > 2*cap(s.In) { // the scene has been trimmed
		st.In, st.Transforms = nil, nil
	}
	have := min(len(st.In), len(s.In))
	st.In, st.Transforms = mem.Resize(st.In, len(s.In)), mem.Resize(st.Transforms, len(s.In))
	for i, wrote := range s.Wrote[:have] {
		if wrote > part.wrote {
			st.In[i], st.Transforms[i] = s.In[i], s.Transforms[i]
		}
	}
	copy(st.In[have:], s.In[have:])
	copy(st.Transforms[have:], s.Transforms[have:])
	part.wrote = s.Writes
}
