package linear

import (
	"fmt"
	"iter"
)

// Map is a map from stable handles to objects with values: a [Tree], a [Column] of values and the [Handle] of each
// object, kept together. The zero Map is empty and ready to use; [NewMap] makes one whose tree has another
// configuration.
//
// A generational handle names one object. After the removal of the object the handle is stale and names no other
// object, even when the ID is used again. Handles are valid in their own map, and in clones made after the object
// was inserted: the same handle may name another object in another map. Queries return IDs, which are valid as long
// as the view that was queried. [Map.At] takes both, so that an ID which is kept for too long panics and never
// returns the value of another object.
//
// All other operations use [Map.Tree]: ticks, masks, batch moves, saving and publishing. Objects removed there are
// removed from the map; their values are no longer returned, though they stay in memory until the ID gets another
// value or the map is cleared. Objects inserted there have no value until [Map.Set] sets it.
//
// Published versions and snapshots contain no values. For concurrent readers a program publishes a copy of the values
// with each version. [Snapshot.Load] makes a [Tree], not a Map; a program saves the values by ID ([SaveColumn]).
// Changes by the methods of a map are not recorded in a [Batch], so a log of batches lacks them.
//
// Get, Ptr, Set and At take constant time. In addition to the memory of the tree, a map takes a value and 4 bytes,
// rounded up to the alignment of the value, for each ID.
//
// One goroutine may change a map at a time, and none may read it during the change. Any number of goroutines may
// read it between changes. A map must not be copied: use [Map.Clone].
type Map[V any] struct {
	tree  Tree
	cells Column[cell[V]]
	ids   []uint32 // IDs of the last batch
}

// cell holds a value and the generation of its object.
type cell[V any] struct {
	gen   uint32 // generation in the handle of the object; 0 means no value
	value V
}

// NewMap returns an empty spatial map: a tree with a value for each object. The errors are those of [New].
func NewMap[V any](cfg Config) (*Map[V], error) {
	m := new(Map[V])
	if err := m.tree.start(cfg); err != nil {
		return nil, err
	}
	return m, nil
}

// Tree returns the tree of the map, always the same one.
func (m *Map[V]) Tree() *Tree { return &m.tree }

// View is [Tree.View] of the tree of the map. Pass the view to queries, and to [Map.At] with the IDs that they return.
func (m *Map[V]) View() View { return m.tree.View() }

// Len returns the number of objects, including objects without a value.
func (m *Map[V]) Len() int { return m.tree.Len() }

// Insert adds an object with a value and returns its handle. The mask of the object is 0, as in the zero [Object];
// use [Map.InsertBatch] for objects with masks. The errors are those of [Tree.Insert], and leave the map unchanged;
// the effects on views are the same, too. In steady state it allocates nothing.
func (m *Map[V]) Insert(box AABB, value V) (Handle, error) {
	id, err := m.tree.Insert(Object{Box: box})
	if err != nil {
		return Handle{}, err
	}
	return m.setValue(id, value), nil
}

// InsertBatch adds objects with the values at the same indices, and appends their handles to dst. The errors and
// the effects on views are those of [Tree.InsertBatch]; after an error the map is unchanged, and dst is returned
// unchanged. With [Config.Thin] a point that is dropped has no value, and its handle names [None] and is stale. It
// panics when the slices differ in length.
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
		dst = append(dst, m.setValue(id, values[i]))
	}
	return dst, nil
}

// setValue sets the value of a live object and returns its handle.
func (m *Map[V]) setValue(id uint32, value V) Handle {
	h, ok := m.tree.Handle(id)
	if !ok { // the tree thins, and has dropped the object
		return Handle{ID: None}
	}
	*m.cells.At(id) = cell[V]{h.Gen, value}
	return h
}

// cell returns the cell of an object, or nil if it has no value.
func (m *Map[V]) cell(h Handle) *cell[V] {
	cells := m.cells.Values()
	if uint64(h.ID) >= uint64(len(cells)) || cells[h.ID].gen != h.Gen {
		return nil
	}
	if _, err := m.tree.Resolve(h); err != nil {
		return nil // removed by the tree
	}
	return &cells[h.ID]
}

// Get returns the value of an object. ok is false when the handle is stale, or the object has no value.
func (m *Map[V]) Get(h Handle) (value V, ok bool) {
	if c := m.cell(h); c != nil {
		return c.value, true
	}
	return value, false
}

// Ptr returns a pointer to the value of an object, for changes in place, or nil when the handle is stale or the
// object has no value. The pointer is valid until the next insertion, Set or Delete.
func (m *Map[V]) Ptr(h Handle) *V {
	if c := m.cell(h); c != nil {
		return &c.value
	}
	return nil
}

// Set sets the value of an object. The error is [ErrStale]. Views stay valid.
func (m *Map[V]) Set(h Handle, value V) error {
	id, err := m.tree.Resolve(h)
	if err != nil {
		return err
	}
	m.setValue(id, value)
	return nil
}

// At returns a pointer to the value of an object by its ID, as a query returns it. It returns nil when no object of
// the view has the ID, or the object has no value. The pointer is valid as long as that of [Map.Ptr]. At panics
// when the view is stale, and when it is not a view of [Map.View]: an ID of another view or of another tree names
// another object.
func (m *Map[V]) At(v View, id uint32) *V {
	if v.Store(); v.index != &m.tree.octree.Index {
		panic("linear: Map.At with a view that is not of Map.View")
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

// Delete removes an object and its value. The error is [ErrStale]. It takes constant time, and has the effects of
// [Tree.Remove] on views.
func (m *Map[V]) Delete(h Handle) error {
	id, err := m.tree.Resolve(h)
	if err != nil {
		return err
	}
	m.cells.Delete(id)
	return m.tree.Remove(id)
}

// All returns an iterator over the objects that have values, in the order of their IDs. It takes time proportional
// to the largest ID ever assigned and allocates nothing. Changing the tree during the iteration makes it panic;
// [Map.Set] and [Map.Ptr] do not change it.
func (m *Map[V]) All() iter.Seq2[Handle, V] {
	return func(yield func(Handle, V) bool) { m.each(yield) } // short enough to be inlined
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

// Clear removes all objects, as [Tree.Clear] does, and all values. It keeps the memory.
func (m *Map[V]) Clear() {
	m.tree.Clear()
	m.cells.Clear()
}

// Trim releases unused memory, as [Tree.Trim] does, and removes the values of removed objects.
func (m *Map[V]) Trim() {
	m.tree.Trim()
	m.cells.Trim(m.tree.octree.IDs.Cap())
	for id := range m.cells.Values() {
		if h, ok := m.tree.octree.IDs.Handle(uint32(id)); !ok || h.Gen != m.cells.Get(uint32(id)).gen {
			m.cells.Delete(uint32(id))
		}
	}
	m.ids = nil
}

// Clone returns an independent copy. Its tree is a [Tree.Clone], whose objects have the same handles. The values
// are copied by assignment.
func (m *Map[V]) Clone() *Map[V] {
	c := new(Map[V])
	m.tree.cloneTo(&c.tree)
	c.cells.Grow(m.cells.Len())
	for id, x := range m.cells.Values() {
		c.cells.Set(uint32(id), x)
	}
	return c
}
