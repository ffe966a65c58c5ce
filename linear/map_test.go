package linear_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// mapModel is a map and its expected contents.
type mapModel struct {
	m      *linear.Map[string]
	r      *rand.Rand
	live   map[linear.Handle]string // values of the live objects that have one
	bare   []linear.Handle          // live objects without a value
	old    []linear.Handle          // handles of removed objects
	boxes  map[linear.Handle]soa.AABB
	serial int
}

func (x *mapModel) value() string {
	x.serial++
	return fmt.Sprint("value ", x.serial)
}

func (x *mapModel) box() soa.AABB {
	return cube(x.r.Float32()*20-10, x.r.Float32()*20-10, x.r.Float32()*20-10, 0.1+x.r.Float32())
}

// some returns a live object.
func (x *mapModel) some() (h linear.Handle, ok bool) {
	all := x.sorted()
	if len(all) == 0 {
		return h, false
	}
	return all[x.r.IntN(len(all))], true
}

// sorted returns the live objects by ID.
func (x *mapModel) sorted() (all []linear.Handle) {
	for h := range x.boxes {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b linear.Handle) int { return int(a.ID) - int(b.ID) })
	return all
}

func (x *mapModel) add(h linear.Handle, box soa.AABB, value string) {
	x.boxes[h], x.live[h] = box, value
}

func (x *mapModel) gone(h linear.Handle) {
	delete(x.live, h)
	delete(x.boxes, h)
	x.bare = slices.DeleteFunc(x.bare, func(b linear.Handle) bool { return b == h })
	x.old = append(x.old, h)
}

func (x *mapModel) goneAll() {
	for h := range x.boxes {
		x.gone(h)
	}
}

// step changes the map, through its own methods or through its tree.
func (x *mapModel) step(t *testing.T) {
	m, tree := x.m, x.m.Tree()
	h, ok := x.some()
	box, value := x.box(), x.value()
	switch k := x.r.IntN(40); {
	case k < 10 || !ok:
		h, err := m.Insert(box, value)
		must(t, err)
		x.add(h, box, value)
	case k < 12:
		objects, values := make([]soa.Object, x.r.IntN(30)), []string{}
		for i := range objects {
			objects[i] = soa.Object{Box: x.box(), Mask: 1}
			values = append(values, x.value())
		}
		all, err := m.InsertBatch([]linear.Handle{h}, objects, values)
		must(t, err)
		if all[0] != h || len(all) != 1+len(objects) {
			t.Fatalf("%d handles of %d objects", len(all)-1, len(objects))
		}
		for i, h := range all[1:] {
			x.add(h, objects[i].Box, values[i])
		}
	case k < 18:
		must(t, m.Delete(h))
		x.gone(h)
	case k < 23:
		must(t, m.Move(h, box))
		x.boxes[h] = box
	case k < 26:
		must(t, m.Set(h, value))
		x.live[h] = value
		x.bare = slices.DeleteFunc(x.bare, func(b linear.Handle) bool { return b == h })
	case k < 28:
		if p := m.Ptr(h); p != nil {
			*p = value
			x.live[h] = value
		}
	case k < 31: // changes the tree directly, not through the map
		must(t, tree.Remove(h.ID))
		x.gone(h)
	case k < 33:
		var b linear.Batch
		b.Remove(h.ID)
		b.Insert(soa.Object{Box: box})
		ids, err := tree.Apply(&b)
		must(t, err)
		x.gone(h)
		h, _ = tree.Handle(ids[0])
		x.boxes[h] = box
		x.bare = append(x.bare, h)
	case k < 36:
		must(t, tree.Tick())
	case k == 36:
		must(t, tree.Rebuild(nil, linear.RebuildOptions{Frozen: x.serial%2 == 0}))
	case k == 37:
		x.trim(tree)
	case k == 38 && x.r.IntN(4) == 0:
		if x.r.IntN(2) == 0 {
			m.Clear()
		} else {
			tree.Clear()
		}
		x.goneAll()
	case k == 39:
		c := m.Clone()
		for h := range x.live {
			must(t, m.Delete(h)) // the copy keeps the object
			break
		}
		_, err := m.Insert(box, "not in the copy")
		must(t, err)
		x.m = c
	}
}

func (x *mapModel) trim(tree *linear.Tree) {
	for h := range x.boxes {
		if h.ID >= 20 && x.r.IntN(2) == 0 {
			_ = tree.Remove(h.ID)
			x.gone(h)
		}
	}
	tree.Trim()
}

func (x *mapModel) check(t *testing.T) {
	t.Helper()
	m := x.m
	if m.Len() != len(x.boxes) {
		t.Fatalf("%d objects, want %d", m.Len(), len(x.boxes))
	}
	var inOrder []linear.Handle
	for h, value := range m.All() {
		if x.live[h] != value {
			t.Fatalf("All has %q of %v, want %q", value, h, x.live[h])
		}
		inOrder = append(inOrder, h)
	}
	if len(inOrder) != len(x.live) || !slices.IsSortedFunc(inOrder, func(a, b linear.Handle) int { return int(a.ID) - int(b.ID) }) {
		t.Fatalf("All has %d values, want %d", len(inOrder), len(x.live))
	}
	for h, want := range x.live {
		if value, ok := m.Get(h); !ok || value != want || *m.Ptr(h) != want {
			t.Fatalf("the value of %v is %q, %v; want %q", h, value, ok, want)
		}
	}
	for _, h := range x.bare {
		if value, ok := m.Get(h); ok || value != "" || m.Ptr(h) != nil || m.At(m.View(), h.ID) != nil {
			t.Fatalf("%v has the value %q, and got none", h, value)
		}
	}
	for _, h := range x.old {
		value, ok := m.Get(h)
		if ok || value != "" || m.Ptr(h) != nil {
			t.Fatalf("%v is gone and has the value %q", h, value)
		}
		for _, err := range []error{m.Set(h, "x"), m.Move(h, cube(0, 0, 0, 1)), m.Delete(h)} {
			if !errors.Is(err, linear.ErrStale) {
				t.Fatalf("%v is gone, and the error is %v", h, err)
			}
		}
	}
	near := cube(x.r.Float32()*10, 0, 0, 5)
	box, err := query.NewBox(near.Min, near.Max)
	must(t, err)
	var got, want []string
	v := m.View()
	for _, id := range box.Append(nil, v, query.Filter{}) {
		if p := m.At(v, id); p != nil {
			got = append(got, *p)
		}
	}
	for h, value := range x.live {
		if b := x.boxes[h]; b.Overlaps(near) {
			want = append(want, value)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("the values in a box are %q, want %q", got, want)
	}
}

// A map under random changes, through the map and through its tree, equals a Go map keyed by handles. A reused
// ID never exposes the value of an earlier object.
func TestMapModel(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range []linear.Config{{}, {PendingMin: 4, PendingShare: 1 << 20, Log: true}} {
		x := &mapModel{r: testkit.Rand(seed + uint64(i)), live: map[linear.Handle]string{}, boxes: map[linear.Handle]soa.AABB{}}
		if x.m = new(linear.Map[string]); i > 0 {
			m, err := linear.NewMap[string](cfg)
			must(t, err)
			x.m = m
		}
		reused, most := 0, 0
		for range testkit.Budget(t, 300, 20_000) {
			x.step(t)
			x.check(t)
			most = max(most, len(x.live)) // the last step may have cleared the map
			if len(x.old) > 200 {
				x.old = x.old[100:]
			}
			for _, h := range x.old {
				if x.m.Tree().Has(h.ID) {
					reused++
				}
			}
		}
		valid(t, x.m.Tree())
		if reused == 0 || most < 20 {
			t.Errorf("%d IDs were given out again, %d values at most", reused, most)
		}
	}
}

// An object that is removed for leaving the world loses its value.
func TestMapRemovedOutside(t *testing.T) {
	m, err := linear.NewMap[int](linear.Config{World: cube(0, 0, 0, 8), Fixed: true, Outside: linear.OutsideRemove})
	must(t, err)
	h, err := m.Insert(cube(1, 1, 1, 1), 7)
	must(t, err)
	must(t, m.Move(h, cube(100, 0, 0, 1)))
	if value, ok := m.Get(h); !ok || value != 7 {
		t.Error("the value went before its object")
	}
	must(t, m.Tree().Tick())
	if _, ok := m.Get(h); ok || m.Len() != 0 {
		t.Error("the object has gone, and its value is there")
	}
	next, err := m.Insert(cube(2, 2, 2, 1), 8)
	must(t, err)
	if value, ok := m.Get(next); next.ID != h.ID || !ok || value != 8 {
		t.Errorf("the next object has the ID %d, and the value %d", next.ID, value)
	}
	if _, ok := m.Get(h); ok {
		t.Error("the value of another object")
	}
}

// Only a current view of the map's tree gives access to values: stale views and views of other trees do not.
func TestMapViews(t *testing.T) {
	var m, other linear.Map[string]
	h, err := m.Insert(cube(0, 0, 0, 1), "first")
	must(t, err)
	_, err = other.Insert(cube(0, 0, 0, 1), "other")
	must(t, err)
	v := m.View()
	must(t, m.Set(h, "second")) // invalidates no view
	if got := m.At(v, h.ID); *got != "second" {
		t.Errorf("the value is %q", *got)
	}
	if m.At(v, 99) != nil || m.At(v, soa.None) != nil {
		t.Error("values of no object")
	}
	panics := func(want string, call func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
				t.Errorf("panic %q, want %q", got, want)
			}
		}()
		call()
	}
	panics("not of Map.View", func() { m.At(other.View(), h.ID) })
	panics("not of Map.View", func() { m.At(m.Tree().Clone().View(), h.ID) })
	shared := linear.NewPublisher(m.Tree())
	held := shared.Acquire()
	panics("not of Map.View", func() { m.At(held.View(), h.ID) })
	held.Release()
	v = m.View()
	panics("zero View", func() { m.At(linear.View{}, h.ID) })
	panics("1 objects and 2 values", func() { _, _ = m.InsertBatch(nil, make([]soa.Object, 1), make([]string, 2)) })
	must(t, m.Delete(h))
	panics("the tree changed", func() { m.At(v, h.ID) })
	again, err := m.Insert(cube(0, 0, 0, 1), "third")
	must(t, err)
	if again.ID != h.ID {
		t.Errorf("ID %d is not given out again: %d is", h.ID, again.ID)
	}
	panics("the tree changed", func() {
		for h := range m.All() {
			must(t, m.Delete(h))
		}
	})
}

// The program itself deletes values.
func TestMapDropsRemoved(t *testing.T) {
	var m linear.Map[*int]
	h, err := m.Insert(cube(0, 0, 0, 1), new(int))
	must(t, err)
	kept := m.Ptr(h)
	must(t, m.Delete(h))
	if *kept != nil {
		t.Error("a deleted value is kept")
	}
	h, err = m.Insert(cube(0, 0, 0, 1), new(int))
	must(t, err)
	kept = m.Ptr(h)
	if m.Clear(); *kept != nil {
		t.Error("a cleared value is kept")
	}
}

func TestMapAllocations(t *testing.T) {
	m, err := linear.NewMap[[3]int](linear.Config{Workers: 1})
	must(t, err)
	objects, values := grid(8), make([][3]int, 512)
	handles, err := m.InsertBatch(nil, objects, values)
	must(t, err)
	sum := 0
	testkit.Allocs(t, 20, func() {
		for i := range 100 {
			must(t, m.Delete(handles[i]))
		}
		for i := range 100 {
			h, err := m.Insert(objects[i].Box, [3]int{i})
			must(t, err)
			handles[i] = h
			must(t, m.Move(h, objects[511-i].Box))
			must(t, m.Set(h, [3]int{1}))
			m.Ptr(h)[1]++
		}
		must(t, m.Tree().Tick())
		v := m.View()
		for id := range uint32(512) {
			sum += m.At(v, id)[0]
		}
		for _, value := range m.All() {
			sum += value[0]
		}
		for _, h := range handles {
			value, _ := m.Get(h)
			sum += value[1]
		}
	})
	testkit.Allocs(t, 5, func() {
		m.Clear()
		if handles, err = m.InsertBatch(handles[:0], objects, values); err != nil {
			t.Fatal(err)
		}
	})
	if sum == 0 {
		t.Error("no values")
	}
}
