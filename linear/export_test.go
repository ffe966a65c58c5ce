package linear

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// SetLimits bounds IDs, packet slots and nodes, for tests of exhaustion. 0 means the limit of the type.
func (t *Tree) SetLimits(ids uint32, slots, nodes int) {
	t.octree.IDs.SetLimit(ids)
	if t.octree.Spare == nil {
		t.octree.Spare = octree.NewStore()
	}
	t.octree.Tidy = true // permanently
	t.octree.Store.Packets.SetLimit(slots)
	t.octree.Store.Nodes.SetLimit(nodes)
	t.octree.Spare.Packets.SetLimit(slots)
	t.octree.Spare.Nodes.SetLimit(nodes)
}

// Waiting returns the number of moves that the next read or change applies, the number of pending objects, and
// whether the next read flushes them.
func (t *Tree) Waiting() (moves, pending int, crowded bool) {
	return len(t.deferred.ids), t.octree.Pending, t.octree.IsCrowded() && !t.deferred.synced.Load()
}

// WithoutIDs returns the view without the tree's index of objects.
func WithoutIDs(v View) View {
	v.index = &octree.Index{}
	return v
}

// Late loads the published version and returns the later steps of its acquisition: hold acquires it if it still
// can, look counts a reader, and leave uncounts the reader.
func (s *Publisher) Late() (hold func() bool, look, leave func()) {
	i := s.versions.Now.Load()
	return func() bool { return s.versions.Hold(i) }, func() { i.Holds.Add(1) }, func() { i.Holds.Add(-1) }
}

// Differs returns the columns and rows in which the published version differs, byte for byte, from the tree.
// There should be none.
func (s *Publisher) Differs() (diff []string) {
	now := s.versions.Now.Load()
	got, want := *now.Store, *s.tree.octree.Store
	if now.World != s.tree.octree.World {
		diff = append(diff, fmt.Sprintf("world %v, want %v", now.World, s.tree.octree.World))
	}
	diff = append(diff, differ("Nodes", got.Nodes.Columns(nil), want.Nodes.Columns(nil))...)
	diff = append(diff, differ("Packets", got.Packets.Columns(nil), want.Packets.Columns(nil))...)
	if !slices.Equal(got.Pending, want.Pending) {
		diff = append(diff, fmt.Sprintf("Pending is %v, want %v", got.Pending, want.Pending))
	}
	for id, gen := range s.tree.octree.IDs.Gen {
		if s.tree.octree.IDs.Alive(uint32(id)) && (id >= len(now.Index.Gens) || now.Index.Gens[id] != gen) {
			diff = append(diff, fmt.Sprintf("the generation of ID %d is not %d", id, gen))
		}
	}
	// The rest of the columns is free lists and limits.
	rest := func(s *soa.Store) (n soa.NodeColumns, p soa.PacketColumns) {
		n, p = s.Nodes, s.Packets
		for _, v := range []reflect.Value{reflect.ValueOf(&n).Elem(), reflect.ValueOf(&p).Elem()} {
			for i := range v.NumField() {
				if f := v.Field(i); f.Kind() == reflect.Slice {
					f.SetZero()
				}
			}
		}
		return n, p
	}
	got.Nodes, got.Packets = rest(&got)
	want.Nodes, want.Packets = rest(&want)
	got.Pending, want.Pending = nil, nil
	if g, w := got.Log, want.Log; g != nil && w != nil {
		a, b := *g, *w
		// The start of a frame belongs to the tree alone, and a trim cuts only unused rows: neither ends a
		// version.
		shared := func(l *soa.Log) {
			*l = soa.Log{Number: l.Number, Changes: l.Changes, First: l.First, Born: l.Born, Births: l.Births}
		}
		shared(&a)
		shared(&b)
		n := min(len(a.Born), len(b.Born))
		a.Born, b.Born = a.Born[:n], b.Born[:n]
		if slices.Equal(a.Changes, b.Changes) && slices.Equal(a.Born, b.Born) {
			a.Changes, a.Born, b.Changes, b.Born = nil, nil, nil, nil
		}
		if !reflect.DeepEqual(a, b) {
			diff = append(diff, fmt.Sprintf("the log is %+v, want %+v", a, b))
		}
		got.Log, want.Log = nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		diff = append(diff, fmt.Sprintf("the rest is %+v, want %+v", got, want))
	}
	return diff
}

// differ compares columns by their bytes.
func differ(of string, got, want []soa.AnyColumn) (diff []string) {
	for i, x := range got {
		y, size := want[i], x.RowSize()
		if x.Len() != y.Len() {
			diff = append(diff, fmt.Sprintf("%s.%s has %d rows, want %d", of, x.Name, x.Len(), y.Len()))
			continue
		}
		a, b := x.Bytes(), y.Bytes()
		for row := range x.Len() {
			if a, b := a[row*size:][:size], b[row*size:][:size]; string(a) != string(b) {
				diff = append(diff, fmt.Sprintf("%s.%s[%d] is % x, want % x", of, x.Name, row, a, b))
			}
		}
	}
	return diff
}

// Worn returns the number of degraded nodes that are not yet re-split.
func (t *Tree) Worn() int { return t.octree.Degraded.Len() }

// KnownBefore reports whether a new object with this box passes the fast bounds and needs no full check.
func (t *Tree) KnownBefore(box soa.AABB) bool { return t.octree.FastBounds.Contains(&box) }

// OutsideNow returns the number of objects that the tree counts as outside its world.
func (t *Tree) OutsideNow() int { return t.octree.Outside }

// IndexedAnew returns the number of slots that the first lookup of an object in the published version reads.
func (s *Publisher) IndexedAnew() (slots int) {
	i := s.versions.Now.Load()
	x := &i.Index
	return x.Lacks.Len() + len(i.Store.Packets.Counts) - x.Read
}
