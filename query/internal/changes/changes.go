// Package changes finds the objects and instances of a scene that have changed between two updates. The trackers of
// packages scene and interest use it.
package changes

import (
	"iter"
	"maps"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
)

// Scene finds the changes of a scene between two updates. T is the caller's state of each part. The zero value has seen
// no scene.
type Scene[T any] struct {
	Known     bool       // the last update was of the same scene
	Source    uint64     // of the scene; 0 makes it another one
	Own       follow.IDs // own objects that have changed
	Instances follow.IDs // instances of the scene that have changed, or whose parts have
	Parts     []*Part[T] // by number
	Renews    bool       // an ID has been reused

	update uint64       // number of the last update of another state, from 1 on
	stamp  linear.Stamp // of the last comparison
	log    follow.Position
	parts  map[uint64]*Part[T]
}

// Part is the state of a part at the last update that found it.
type Part[T any] struct {
	State   T
	Known   bool          // the last update found it, too
	Objects bool          // its own objects may have changed
	Changed bool          // its objects or its instances have changed, at any depth
	Moved   follow.IDs    // instances with another transform, mask or part than before, unless they have been removed
	Reused  [2]follow.IDs // IDs of objects, and of instances, that are other ones than before

	update      uint64 // number of that update
	objects     linear.Stamp
	generations []uint32 // by ID of an object
	instances   []instanceState
}

// instanceState is the state of an instance.
type instanceState struct {
	update           uint64 // number of the last update that found it; 0: none
	source           uint64 // of its part
	generation, mask uint32
	kind             linear.TransformKind
	rows             [12]float64
}

// Compare compares a view with the last one.
func (c *Scene[T]) Compare(v linear.SceneView) {
	source, stamp := sourceOf(v), v.Stamp()
	c.Known = c.Source == source && c.update > 0
	same := c.Known && c.stamp == stamp
	c.Source = source
	c.Renews = false
	c.Own.Reset()
	c.Instances.Reset()
	if same {
		for _, p := range c.Parts {
			p.begin()
			p.Known, p.Changed, p.Objects = true, false, false
		}
		return
	}
	c.update++
	c.stamp = linear.Stamp{} // until the comparison is complete
	if c.parts == nil {
		c.parts = map[uint64]*Part[T]{}
	}
	c.Parts = c.Parts[:0]
	for range v.Parts() {
		c.Parts = append(c.Parts, nil)
	}
	c.visit(v, 0, source)
	if len(c.parts) > len(c.Parts) {
		for source, p := range c.parts {
			if p.update != c.update {
				delete(c.parts, source)
			}
		}
	}
	c.stamp = stamp
}

// sourceOf returns the identity of the scene or part of a view.
func sourceOf(v linear.SceneView) uint64 {
	stamp := v.Stamp()
	if stamp.Part != 0 { // Source is that of the scene around it
		return v.Objects().Stamp().Source
	}
	return stamp.Source
}

// visit compares a part, which has an identity, and the parts in it.
func (c *Scene[T]) visit(v linear.SceneView, number uint32, source uint64) *Part[T] {
	p := c.parts[source]
	if p == nil {
		p = new(Part[T])
		c.parts[source] = p
	}
	c.Parts[number] = p
	p.Known = c.Known && p.update == c.update-1
	p.update, p.Changed, p.Objects = c.update, !p.Known, false
	p.begin()
	if stamp := v.Objects().Stamp(); !p.Known || stamp != p.objects {
		p.objects, p.Changed, p.Objects = stamp, true, true
		c.compareObjects(p, v.Objects(), number == 0)
	}
	c.compareInstances(p, v, number == 0)
	return p
}

// begin empties the lists of the part.
func (p *Part[T]) begin() {
	p.Moved.Reset()
	for i := range p.Reused {
		p.Reused[i].Reset()
	}
}

// compareObjects compares the objects of a part, whose tree has changed.
func (c *Scene[T]) compareObjects(p *Part[T], v linear.View, top bool) {
	if log := v.Store().Log; top && log != nil {
		changes, ok := c.log.Changes(log)
		c.log.Advance(log)
		if ok && p.Known {
			for i := range changes {
				id := changes[i].ID
				c.Own.Add(id)
				c.compareObject(p, v, id)
			}
			return
		}
	}
	for slot := range uint32(v.Slots()) {
		for _, id := range v.IDs(slot) {
			c.compareObject(p, v, id)
		}
	}
	if top && p.Known {
		for id := range p.generations {
			c.Own.Add(uint32(id))
		}
	}
}

// compareObject compares the generation of an object, if it exists.
func (c *Scene[T]) compareObject(p *Part[T], v linear.View, id uint32) {
	h, ok := v.Handle(id)
	if !ok {
		return
	}
	if n := int(id) + 1 - len(p.generations); n > 0 {
		p.generations = append(p.generations, make([]uint32, n)...)
	}
	if g := &p.generations[id]; *g != h.Gen {
		if p.Known && *g != 0 {
			p.Reused[0].Add(id)
			c.Renews = true
		}
		*g = h.Gen
	}
}

// compareInstances compares the instances of a part.
//
// It visits them in the order of their IDs, in which the states, the transforms and the generations are adjacent.
func (c *Scene[T]) compareInstances(p *Part[T], v linear.SceneView, top bool) {
	instances := v.Instances()
	most := len(p.instances)
	for slot := range uint32(instances.Slots()) {
		for _, id := range instances.IDs(slot) {
			most = max(most, int(id)+1)
		}
	}
	p.instances = slices.Grow(p.instances, most-len(p.instances))[:most]
	for i := range p.instances {
		id, was := uint32(i), &p.instances[i]
		h, ok := instances.Handle(id)
		if !ok {
			if was.update == c.update-1 { // it has been removed
				c.change(p, id, top)
			}
			continue
		}
		inner, number, transform := v.Instance(id)
		source := inner.Objects().Stamp().Source
		part := c.Parts[number]
		if part == nil {
			part = c.visit(inner, number, source)
		}
		o, _ := instances.Object(id)
		is := instanceState{c.update, source, h.Gen, o.Mask, transform.Kind(), transform.Rows()}
		if p.Known && was.update == c.update-1 && (was.generation != is.generation || was.source != source) {
			p.Reused[1].Add(id)
			c.Renews = true
		}
		if was.update++; *was != is {
			p.Moved.Add(id)
			c.change(p, id, top)
			*was = is
		} else if part.Changed {
			c.change(p, id, top)
		}
	}
}

// change records that an instance of a part has changed.
func (c *Scene[T]) change(p *Part[T], id uint32, top bool) {
	if p.Changed = true; top {
		c.Instances.Add(id)
	}
}

// All returns an iterator over the states of all parts, in any order.
func (c *Scene[T]) All() iter.Seq[*Part[T]] { return maps.Values(c.parts) }

// Trim frees memory, and keeps the state from which the next update continues.
func (c *Scene[T]) Trim() {
	c.Own, c.Instances, c.Parts, c.stamp = follow.IDs{}, follow.IDs{}, nil, linear.Stamp{}
	for _, p := range c.parts {
		p.generations, p.instances = slices.Clone(p.generations), slices.Clone(p.instances)
		p.Moved, p.Reused = follow.IDs{}, [2]follow.IDs{}
	}
}
