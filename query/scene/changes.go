package scene

import (
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
)

// sceneChanges finds the objects and instances of a scene that have changed between two updates. The zero value has
// seen no scene.
type sceneChanges struct {
	known     bool   // the last update was of the same scene
	source    uint64 // of the scene
	update    uint64 // number of this update, from 1 on
	log       follow.Position
	own       follow.IDs // own objects that have changed
	instances follow.IDs // instances of the scene that have changed
	renews    bool       // an ID has been reused
	parts     map[uint64]*partState
	byNumber  []*partState
}

// partState is the state of a part at the last update that found it.
type partState struct {
	update      uint64 // number of that update
	objects     linear.Stamp
	generations []uint32 // by ID of an object
	instances   []instanceState
	changed     bool
	reused      [2]follow.IDs // IDs of objects, and of instances, that are other ones than before
}

// instanceState is the state of an instance.
type instanceState struct {
	update           uint64 // number of the last update that found it; 0: none
	source           uint64 // of its part
	generation, mask uint32
	transform        linear.Transform
}

// compare compares a view with the last one.
func (c *sceneChanges) compare(v linear.SceneView) {
	source := v.Stamp().Source
	c.known, c.source = c.source == source && c.update > 0, source
	c.update++
	c.renews = false
	c.own.Reset()
	c.instances.Reset()
	if c.parts == nil {
		c.parts = map[uint64]*partState{}
	}
	c.byNumber = c.byNumber[:0]
	for range v.Parts() {
		c.byNumber = append(c.byNumber, nil)
	}
	c.visit(v, 0, source)
	if len(c.parts) > len(c.byNumber) {
		for source, p := range c.parts {
			if p.update != c.update {
				delete(c.parts, source)
			}
		}
	}
}

// visit compares a part, which has an identity, and the parts in it.
func (c *sceneChanges) visit(v linear.SceneView, number uint32, source uint64) *partState {
	p := c.parts[source]
	if p == nil {
		p = new(partState)
		c.parts[source] = p
	}
	c.byNumber[number] = p
	known := c.known && p.update == c.update-1
	p.update, p.changed = c.update, !known
	for i := range p.reused {
		p.reused[i].Reset()
	}
	if stamp := v.Objects().Stamp(); !known || stamp != p.objects {
		p.objects, p.changed = stamp, true
		c.compareObjects(p, v.Objects(), number == 0, known)
	}
	c.compareInstances(p, v, number == 0, known)
	return p
}

// compareObjects compares the objects of a part, whose tree has changed.
func (c *sceneChanges) compareObjects(p *partState, v linear.View, top, known bool) {
	if log := v.Store().Log; top && log != nil {
		changes, ok := c.log.Changes(log)
		c.log.Advance(log)
		if ok && known {
			for i := range changes {
				id := changes[i].ID
				c.own.Add(id)
				c.compareObject(p, v, id, known)
			}
			return
		}
	}
	for slot := range uint32(v.Slots()) {
		for _, id := range v.IDs(slot) {
			c.compareObject(p, v, id, known)
		}
	}
	if top && known {
		for id := range p.generations {
			c.own.Add(uint32(id))
		}
	}
}

// compareObject compares the generation of an object, if it exists.
func (c *sceneChanges) compareObject(p *partState, v linear.View, id uint32, known bool) {
	h, ok := v.Handle(id)
	if !ok {
		return
	}
	if n := int(id) + 1 - len(p.generations); n > 0 {
		p.generations = append(p.generations, make([]uint32, n)...)
	}
	if g := &p.generations[id]; *g != h.Gen {
		if known && *g != 0 {
			p.reused[0].Add(id)
			c.renews = true
		}
		*g = h.Gen
	}
}

// compareInstances compares the instances of a part.
func (c *sceneChanges) compareInstances(p *partState, v linear.SceneView, top, known bool) {
	instances := v.Instances()
	for slot := range uint32(instances.Slots()) {
		for _, id := range instances.IDs(slot) {
			if n := int(id) + 1 - len(p.instances); n > 0 {
				p.instances = append(p.instances, make([]instanceState, n)...)
			}
			inner, number, transform := v.Instance(id)
			source := inner.Objects().Stamp().Source
			part := c.byNumber[number]
			if part == nil {
				part = c.visit(inner, number, source)
			}
			h, _ := instances.Handle(id)
			o, _ := instances.Object(id)
			is := instanceState{c.update, source, h.Gen, o.Mask, *transform}
			was := &p.instances[id]
			if known && was.update == c.update-1 && (was.generation != is.generation || was.source != source) {
				p.reused[1].Add(id)
				c.renews = true
			}
			if was.update++; part.changed || *was != is {
				c.change(p, id, top)
			}
			*was = is
		}
	}
	for id := range p.instances { // those that have been removed
		if p.instances[id].update == c.update-1 {
			c.change(p, uint32(id), top)
		}
	}
}

// change records that an instance of a part has changed.
func (c *sceneChanges) change(p *partState, id uint32, top bool) {
	if p.changed = true; top {
		c.instances.Add(id)
	}
}

// some reports whether anything has changed.
func (c *sceneChanges) some() bool { return len(c.own.List)+len(c.instances.List) > 0 }

// most reports whether at least half of the own objects and instances have changed.
func (c *sceneChanges) most(v linear.SceneView) bool {
	return len(c.own.List)+len(c.instances.List) > (v.Objects().Len()+v.Instances().Len())/2
}

// has reports whether an object has changed, or the instance of the scene that it is in.
func (c *sceneChanges) has(o *Object) bool {
	if o.Path.n == 0 {
		return follow.Has(c.own.Bits, o.ID)
	}
	return follow.Has(c.instances.Bits, o.Path.ids[0])
}

// renewed reports whether a pair has an object that is another one than at the last update.
func (c *sceneChanges) renewed(v linear.SceneView, p *Pair) bool {
	return !c.known || c.renews && (c.reused(v, &p.A) || c.reused(v, &p.B))
}

func (c *sceneChanges) reused(v linear.SceneView, o *Object) bool {
	part := c.byNumber[0]
	for _, id := range o.Path.ids[:o.Path.n] {
		if follow.Has(part.reused[1].Bits, id) {
			return true
		}
		inner, number, _ := v.Instance(id)
		v, part = inner, c.byNumber[number]
	}
	return follow.Has(part.reused[0].Bits, o.ID)
}

// trim frees memory.
func (c *sceneChanges) trim() {
	c.own, c.instances, c.byNumber = follow.IDs{}, follow.IDs{}, nil
	for _, p := range c.parts {
		p.generations, p.instances = slices.Clone(p.generations), slices.Clone(p.instances)
		p.reused = [2]follow.IDs{}
	}
}
