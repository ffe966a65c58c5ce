package linear

import (
	"fmt"
	"iter"
)

// Map is a tree whose objects have values of the program's own: a [Tree], a [Column] of
// values and the [Handle] of each object, kept together. The zero Map is empty and ready;
// [NewMap] makes one whose tree has another configuration.
//
// A handle is the name of an object. When the object is gone, the handle is stale, and names
// no other, though its ID is given out again. It is a name in its own map, and in clones made
// since: another map may have an object of the same name. Answers of queries are IDs, which are good as
// long as the view that was asked: [Map.At] takes both, so that an ID which is kept for too
// long panics and never shows the value of another object.
//
// All else is done with [Map.Tree]: it ticks, sets masks, moves batches, is saved and shared.
// What is removed there is gone from the map; its value is not shown again, though it stays
// in memory until its ID has another, or the map is cleared. What is inserted there has no
// value until [Map.Set] gives it one.
//
// Get, Ptr, Set and At take constant time; beside what the tree takes there are a value and 4
// bytes, rounded up to the alignment of the value, for each ID.
//
// One goroutine may change a map at a time, and none while others read it. Any number of
// goroutines may read it between changes. A map must not be copied: see [Map.Clone].
type Map[V any] struct {
	tree  Tree
	cells Column[cell[V]]
	ids   []uint32 // of the last batch
}

// cell is a value, and which of the objects that had its ID it belongs to.
type cell[V any] struct {
	gen   uint32 // of the handle of the object; never 0, which is that of no value
	value V
}

// NewMap returns an empty map. The errors are those of [New].
func NewMap[V any](cfg Config) (*Map[V], error) {
	m := new(Map[V])
	if err := m.tree.begin(cfg); err != nil {
		return nil, err
	}
	return m, nil
}

// Tree returns the tree of the map, always the same one.
func (m *Map[V]) Tree() *Tree { return &m.tree }

// View is [Tree.View] of the tree of the map: what queries take, and [Map.At] with what they
// answer.
func (m *Map[V]) View() View { return m.tree.View() }

// Len returns the number of objects, those without a value included.
func (m *Map[V]) Len() int { return m.tree.Len() }

// Insert adds an object with a value and returns its handle. Its mask is 0, as that of the
// zero [Object]: [Map.InsertBatch] takes objects with masks. The errors are those of
// [Tree.Insert], and so are the effects on views; then the map is as before. In steady state
// it allocates nothing.
func (m *Map[V]) Insert(box AABB, value V) (Handle, error) {
	id, err := m.tree.Insert(Object{Box: box})
	if err != nil {
		return Handle{}, err
	}
	return m.give(id, value), nil
}

// InsertBatch adds objects with the values at the same indices, and appends their handles to
// dst: see [Tree.InsertBatch] for the errors, after which the map is as before and dst is
// returned as it was, and for the effects on views. It panics when the slices differ in
// length.
func (m *Map[V]) InsertBatch(dst []Handle, objects []Object, values []V) ([]Handle, error) {
	if len(objects) != len(values) {
		panic(fmt.Sprintf("linear: Map.InsertBatch of %d objects and %d values", len(objects), len(values)))
	}
	ids, err := m.tree.InsertBatch(m.ids[:0], objects)
	m.ids = ids
	if err != nil {
		return dst, err
	}
	for i, id := range ids {
		dst = append(dst, m.give(id, values[i]))
	}
	return dst, nil
}

// give gives a live object a value.
func (m *Map[V]) give(id uint32, value V) Handle {
	h, _ := m.tree.Handle(id)
	*m.cells.At(id) = cell[V]{h.Gen, value}
	return h
}

// cell returns that of an object; nil without a value.
func (m *Map[V]) cell(h Handle) *cell[V] {
	cells := m.cells.Values()
	if uint64(h.ID) >= uint64(len(cells)) || cells[h.ID].gen != h.Gen {
		return nil
	}
	if _, err := m.tree.Resolve(h); err != nil {
		return nil // the tree has removed it
	}
	return &cells[h.ID]
}

// Get returns the value of an object. ok is false when the handle is stale, or the object has
// no value.
func (m *Map[V]) Get(h Handle) (value V, ok bool) {
	if c := m.cell(h); c != nil {
		return c.value, true
	}
	return value, false
}

// Ptr returns the place of the value of an object, for a change of it where it lies, or nil
// when the handle is stale or the object has no value. The pointer is good until something is
// inserted, set or deleted.
func (m *Map[V]) Ptr(h Handle) *V {
	if c := m.cell(h); c != nil {
		return &c.value
	}
	return nil
}

// Set gives an object a value. The error is [ErrStale]. Views go on.
func (m *Map[V]) Set(h Handle, value V) error {
	id, err := m.tree.Resolve(h)
	if err != nil {
		return err
	}
	m.give(id, value)
	return nil
}

// At returns the place of the value of an object by its ID, as an answer of a query names it,
// or nil when no object of the view has the ID or it has no value. The pointer is as that of
// [Map.Ptr]. It panics when the view is stale, as all that takes one does, and when it is not
// one of [Map.View]: an ID of another view, or of another tree, is that of another object.
func (m *Map[V]) At(v View, id uint32) *V {
	if v.Store(); v.index != &m.tree.index {
		panic("linear: Map.At with a view that is not one of Map.View")
	}
	h, ok := m.tree.Handle(id)
	if !ok {
		return nil
	}
	return m.Ptr(h)
}

// Move is [Tree.Move] of an object. The errors are [ErrStale] and those of Move.
func (m *Map[V]) Move(h Handle, box AABB) error {
	id, err := m.tree.Resolve(h)
	if err != nil {
		return err
	}
	return m.tree.Move(id, box)
}

// Delete removes an object and forgets its value. The error is [ErrStale]. It takes constant
// time, and has the effects of [Tree.Remove] on views.
func (m *Map[V]) Delete(h Handle) error {
	id, err := m.tree.Resolve(h)
	if err != nil {
		return err
	}
	m.cells.Delete(id)
	return m.tree.Remove(id)
}

// All returns an iterator over the objects that have values, in the order of their IDs. It
// takes time proportional to the largest ID ever given out and allocates nothing. Changing
// the tree during the iteration makes it panic; [Map.Set] and [Map.Ptr] do not change it.
func (m *Map[V]) All() iter.Seq2[Handle, V] {
	return func(yield func(Handle, V) bool) { m.each(yield) } // so short that it is inlined
}

func (m *Map[V]) each(yield func(Handle, V) bool) {
	v := m.View()
	for id := 0; id < m.cells.Len(); id++ {
		h := Handle{ID: uint32(id), Gen: m.cells.Values()[id].gen}
		if c := m.cell(h); c != nil && !yield(h, c.value) {
			return
		}
		v.Store() // panics if the tree has changed
	}
}

// Clear removes all objects, as [Tree.Clear] does, and forgets all values. It keeps the
// memory.
func (m *Map[V]) Clear() {
	m.tree.Clear()
	m.cells.Clear()
}

// Trim gives memory back, as [Tree.Trim] does, and forgets the values of objects that have gone.
func (m *Map[V]) Trim() {
	m.tree.Trim()
	m.cells.Trim(m.tree.ids.Cap())
	for id := range m.cells.Values() {
		if h, ok := m.tree.ids.Handle(uint32(id)); !ok || h.Gen != m.cells.Get(uint32(id)).gen {
			m.cells.Delete(uint32(id))
		}
	}
	m.ids = nil
}

// Clone returns an independent copy: the tree is a [Tree.Clone], whose objects have the same
// handles, and the values are copied as an assignment copies them.
func (m *Map[V]) Clone() *Map[V] {
	c := new(Map[V])
	m.tree.cloneTo(&c.tree)
	c.cells.Grow(m.cells.Len())
	for id, x := range m.cells.Values() {
		c.cells.Set(uint32(id), x)
	}
	return c
}
