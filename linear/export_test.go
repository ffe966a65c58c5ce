package linear

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// SetLimits bounds IDs, packet slots and nodes, for tests of exhaustion. 0
// means the limit of the type.
func (t *Tree) SetLimits(ids uint32, slots, nodes int) {
	t.ids.SetLimit(ids)
	if t.spare == nil {
		t.spare = newStore()
	}
	t.store.Packets.SetLimit(slots)
	t.store.Nodes.SetLimit(nodes)
	t.spare.Packets.SetLimit(slots)
	t.spare.Nodes.SetLimit(nodes)
}

// WithoutIDs returns the view without the tree's index of objects.
func WithoutIDs(v View) View {
	v.ids = nil
	return v
}

// Late returns the two halves of an acquisition of what is published now: the
// look at it, which the reader may be late to make, and what it leaves.
func (s *Publisher) Late() (hold func() bool, look, leave func()) {
	i := s.now.Load()
	return func() bool { return s.hold(i) }, func() { i.holds.Add(1) }, func() { i.holds.Add(-1) }
}

// Differs returns the columns and rows in which the published version is not,
// byte for byte, what the tree has now. There should be none.
func (s *Publisher) Differs() (diff []string) {
	now := s.now.Load()
	got, want := *now.store, *s.tree.store
	if now.world != s.tree.world {
		diff = append(diff, fmt.Sprintf("world %v, want %v", now.world, s.tree.world))
	}
	g, w := reflect.ValueOf(&got).Elem(), reflect.ValueOf(&want).Elem()
	for _, part := range []string{"Nodes", "Packets"} {
		a, b := g.FieldByName(part), w.FieldByName(part)
		for i := range a.NumField() {
			name := part + "." + a.Type().Field(i).Name
			if x, y := a.Field(i), b.Field(i); x.Kind() == reflect.Slice {
				diff = append(diff, differ(name, x, y)...)
			} else if !x.Equal(y) {
				diff = append(diff, fmt.Sprintf("%s is %v, want %v", name, x, y))
			}
		}
	}
	diff = append(diff, differ("Pending", g.FieldByName("Pending"), w.FieldByName("Pending"))...)
	got.Nodes, got.Packets, got.Pending = soa.NodeColumns{}, soa.PacketColumns{}, nil
	want.Nodes, want.Packets, want.Pending = soa.NodeColumns{}, soa.PacketColumns{}, nil
	if g, w := got.Log, want.Log; g != nil && w != nil {
		a, b := *g, *w
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

// differ compares two columns by their bytes.
func differ(name string, x, y reflect.Value) (diff []string) {
	if x.Len() != y.Len() {
		return []string{fmt.Sprintf("%s has %d rows, want %d", name, x.Len(), y.Len())}
	}
	if x.Len() == 0 {
		return nil
	}
	size := int(x.Type().Elem().Size())
	a := unsafe.Slice((*byte)(x.UnsafePointer()), x.Len()*size)
	b := unsafe.Slice((*byte)(y.UnsafePointer()), y.Len()*size)
	for i := range x.Len() {
		if string(a[i*size:(i+1)*size]) != string(b[i*size:(i+1)*size]) {
			diff = append(diff, fmt.Sprintf("%s[%d] is %v, want %v", name, i, x.Index(i), y.Index(i)))
		}
	}
	return diff
}
