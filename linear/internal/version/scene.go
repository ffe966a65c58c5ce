package version

import (
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

// ScenePool holds the versions of a scene: the published one, older ones that readers hold, and free ones. A version
// has a held version of each tree, and a copy of the transforms.
type ScenePool struct {
	scene *instance.Scene
	trees Trees
	Now   atomic.Pointer[SceneBuffer] // the version that readers acquire

	// The remaining fields belong to the writer.
	parts []*instance.Part // parts at the last publication, in the order of the table
	held  []*instance.Part // trees of all parts
	pools []*Pool          // and their versions
	shape uint64           // shape of the scene when these were listed
	epoch uint64           // epoch of the scene after the last publication

	pool  []*SceneBuffer // versions that may be held, the published one included
	free  []*SceneBuffer // versions that are claimed
	turns uint64         // number of publications
}

// Trees shares the versions of a tree among the scenes that hold it.
type Trees interface {
	Retain(u *instance.Part) *Pool // for one more scene
	Pool(u *instance.Part) *Pool
	Release(u *instance.Part)
}

// SceneBuffer is the memory of a version of a scene. Its hold count works as in a [Buffer].
type SceneBuffer struct {
	Holds atomic.Int64
	_     [7]uint64 // padding: the counter is written often, the rest is read

	turn  uint64 // number of its publication
	shape uint64 // shape of the scene
	parts []partVersion
	Table instance.Table
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
	v := p.claimVersion()
	for _, t := range p.pools {
		t.SwapInChanged()
	}
	v.write(p)
	p.pool = append(p.pool, v)
	v.Holds.Add(1 - Claimed) // the publisher's hold; keeps the counts of late readers
	if last := p.Now.Swap(v); last != nil {
		last.Holds.Add(-1)
		p.recycle() // frees buffers for the trees to continue in
	}
	for _, t := range p.pools {
		t.AcquireBuffer()
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

// recycle claims the versions that have no holder, and releases their trees. Versions that have been
// free for long are dropped.
func (p *ScenePool) recycle() {
	p.pool = slices.DeleteFunc(p.pool, func(v *SceneBuffer) bool {
		if !v.Holds.CompareAndSwap(0, Claimed) {
			return false
		}
		for k := range v.parts {
			for _, i := range v.parts[k].trees {
				if i != nil {
					Release(&i.Holds)
				}
			}
			v.parts[k].trees = [2]*Buffer{}
		}
		p.free = append(p.free, v)
		return true
	})
	p.free = slices.DeleteFunc(p.free, func(v *SceneBuffer) bool { return v.turn+IdleTurns <= p.turns })
}

// claimVersion takes the latest free version, which has the fewest rows to copy, or a new one.
func (p *ScenePool) claimVersion() *SceneBuffer {
	if len(p.free) == 0 {
		v := new(SceneBuffer)
		v.Holds.Store(Claimed)
		return v
	}
	best := 0
	for k, v := range p.free {
		if v.turn > p.free[best].turn {
			best = k
		}
	}
	v := p.free[best]
	p.free = slices.Delete(p.free, best, best+1)
	return v
}

// write copies the current state of the scene into the version.
func (v *SceneBuffer) write(p *ScenePool) {
	v.turn = p.turns
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

// arrange sets the parts of the version to the current ones, and keeps the rows that it has of
// them.
func (v *SceneBuffer) arrange(p *ScenePool) {
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

// DropFree drops the free versions.
func (p *ScenePool) DropFree() { p.free = nil }

// Count returns the numbers of versions, of versions that readers hold, and of bytes of rows. Readers may acquire
// and release meanwhile.
func (p *ScenePool) Count() (versions, held, bytes int) {
	now := p.Now.Load()
	for _, list := range [...][]*SceneBuffer{p.pool, p.free} {
		for _, v := range list {
			versions++
			for k := range v.parts {
				bytes += mem.Bytes(v.parts[k].state.In) + mem.Bytes(v.parts[k].state.Transforms)
			}
			readers := v.Holds.Load()
			if v == now {
				readers-- // the pool itself
			}
			if readers > 0 {
				held++
			}
		}
	}
	return versions, held, bytes
}

// Acquire holds the published version for a reader.
func (p *ScenePool) Acquire() *SceneBuffer {
	for {
		if v := p.Now.Load(); Hold(&p.Now, v, &v.Holds) {
			return v
		}
	}
}
