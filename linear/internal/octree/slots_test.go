package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A SlotSet has the members, the next members and the runs of a slice of bools.
func TestSlotSet(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, size := range []int{1, 63, 64, 65, 5000, 70_000} {
		var f SlotSet
		in, n := make([]bool, size), 0
		next := func(from int) (int, bool) {
			for ; from < size; from++ {
				if in[from] {
					return from, true
				}
			}
			return 0, false
		}
		for round := range 3000 {
			from, length := r.IntN(size), 1+r.IntN(40)
			for slot := from; slot < min(from+length, size); slot++ {
				switch add := round%4 < 2; {
				case add && !in[slot]:
					f.Add(uint32(slot))
					n++
					in[slot] = true
				case !add && in[slot]:
					f.Remove(uint32(slot))
					n--
					in[slot] = false
				}
			}
			at := r.IntN(size + 100)
			if got, want := f.Has(uint32(at)), at < size && in[at]; got != want || f.Len() != n {
				t.Fatalf("slot %d is in the set: %v, want %v; %d slots, want %d", at, got, want, f.Len(), n)
			}
			want, ok := next(at)
			if got, some := f.Next(uint32(at)); some != ok || int(got) != want {
				t.Fatalf("the slot from %d on is %d, %v, want %d, %v", at, got, some, want, ok)
			}
			first, ok := f.run(uint32(at), length)
			for slot := int(first); ok && slot < int(first)+length; slot++ {
				if slot >= size || !in[slot] {
					t.Fatalf("slot %d of the run of %d from %d on is not free", slot, length, first)
				}
			}
			if one, some := f.run(uint32(at), 1); some != (n > 0) {
				t.Fatalf("a run of one of %d slots is %d, %v", n, one, some)
			}
		}
		c := f.Clone()
		f.Clear()
		for slot := range in {
			if f.Has(uint32(slot)) || c.Has(uint32(slot)) != in[slot] {
				t.Fatalf("slot %d is in the cleared set, or not in the copy", slot)
			}
		}
		f.Add(uint32(size - 1))
		if got, ok := f.Next(0); !ok || int(got) != size-1 || f.Len() != 1 || c.Len() != n {
			t.Fatalf("the only slot is %d, %v", got, ok)
		}
	}
}

// A run is found after slots that are free one by one, and before the first slot.
func TestSlotRun(t *testing.T) {
	var f SlotSet
	for _, slot := range []uint32{3, 4, 5, 70, 72, 73, 127, 128, 129, 130} {
		f.Add(slot)
	}
	for _, c := range []struct {
		near  uint32
		n     int
		first uint32
		ok    bool
	}{{0, 1, 3, true}, {0, 3, 3, true}, {6, 2, 72, true}, {6, 4, 127, true}, {128, 3, 128, true}, {129, 3, 3, true}, {0, 5, 0, false}, {500, 2, 3, true}} {
		if first, ok := f.run(c.near, c.n); ok != c.ok || first != c.first {
			t.Errorf("%d slots near %d: %d, %v, want %d, %v", c.n, c.near, first, ok, c.first, c.ok)
		}
	}
}

// A run is that of a search slot by slot.
func TestSlotRunReference(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 300 {
		var f SlotSet
		size, change, in := 1+r.IntN(4000), r.Float64(), false
		for slot := range size {
			if in = in != (r.Float64() < change*change); in {
				f.Add(uint32(slot))
			}
		}
		for at := r.IntN(4000); r.IntN(2) == 0; at = r.IntN(4000) { // and long runs
			for slot := at; slot < at+100+r.IntN(200); slot++ {
				if !f.Has(uint32(slot)) {
					f.Add(uint32(slot))
				}
			}
			for slot := at + 90; slot < at+100; slot++ {
				if r.IntN(20) == 0 {
					f.Remove(uint32(slot))
				}
			}
		}
		for range 50 {
			near, n := uint32(r.IntN(size+200)), 1+r.IntN(16<<(r.IntN(2)*3))
			first, ok := f.run(near, n)
			if want, some := runRef(&f, near, n); ok != some || ok && first != want {
				t.Fatalf("%d slots of %d from %d on: %d, %v, want %d, %v", n, size, near, first, ok, want, some)
			}
		}
	}
}

// runRef is SlotSet.run, slot by slot.
func runRef(f *SlotSet, near uint32, n int) (first uint32, ok bool) {
	for range runTries {
		if first, ok = f.Next(near); !ok {
			if first, ok = f.Next(0); !ok {
				return 0, false
			}
		}
		for near = first; near < first+uint32(n) && f.Has(near); near++ {
		}
		if near == first+uint32(n) {
			return first, true
		}
	}
	for _, from := range []uint32{near &^ 63, 0} {
		for first = from; n <= 64 && first <= 5000; first += 64 {
			end := first
			for end < first+64 && f.Has(end) {
				end++
			}
			if end == first+64 {
				for least := max(end, 128) - 128; first > least && f.Has(first-1); {
					first--
				}
				return first, true
			}
		}
	}
	return 0, false
}

// A build gives each node of packets a free slot. Slots that nodes do not need any more are free, and are used again:
// while objects come and go the tree does not grow, and nodes keep few slots without packets.
func TestSlotsOfNodes(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		tree := newTestTree(t, Config{Policy: PolicyIncremental, Lifespan: 1})
		objects := someObjects(r, 8000, 100)
		ids := insertAll(t, tree, objects)
		testkit.Must(t, tree.Rebuild(nil, BuildParams{Frozen: frozen}))
		s := tree.Store
		for node, height := range s.Nodes.Height {
			if want := 1; height == 0 && s.Nodes.Used[node] < soa.Fan {
				if frozen {
					want = 0
				}
				if got := tree.freeSlots(uint32(node)); got != want {
					t.Fatalf("frozen %v: node %d of %d packets has %d free slots, want %d", frozen, node, s.Nodes.Used[node], got, want)
				}
			}
		}
		built, freed, used, apart := len(s.Packets.Counts), 0, 0, 0
		for range 40 {
			// A slab of the world becomes empty; as many objects are added to another.
			axis, from, to := r.IntN(3), 90*r.Float32(), 90*r.Float32()
			var gone []uint32
			for id := range objects {
				if b := &objects[id].Box; b.Min[axis] >= from && b.Min[axis] < from+20 {
					gone = append(gone, uint32(id))
				}
			}
			tree.BeginChange()
			tree.RemoveAll(gone)
			tree.ApplyRemovals()
			for range 3 {
				before := tree.Free.Len()
				testkit.Must(t, tree.EndFrame())
				check(t, tree)
				freed += max(tree.Free.Len()-before, 0)
			}
			before := tree.Free.Len()
			for range gone {
				o := someObjects(r, 1, 100)[0]
				size := o.Box.Max[axis] - o.Box.Min[axis]
				o.Box.Min[axis] = to + 10*r.Float32()
				o.Box.Max[axis] = o.Box.Min[axis] + size
				objects[tree.InsertOne(&o, &NoSphere)] = o
			}
			testkit.Must(t, tree.Flush())
			check(t, tree)
			used += max(before-tree.Free.Len(), 0)
			for node, height := range s.Nodes.Height {
				if height == 0 && s.Nodes.Used[node] > 0 {
					if k := tree.freeSlots(uint32(node)); k > keptSlots {
						t.Fatalf("frozen %v: node %d keeps %d slots", frozen, node, k)
					}
					if s.Nodes.Slots[node].End == 0 {
						apart++
					}
				}
			}
			saved := tree.Free.Clone()
			if tree.FindFree(); tree.Free.Len() != saved.Len() {
				t.Fatalf("frozen %v: %d free slots found, %d known", frozen, tree.Free.Len(), saved.Len())
			}
			for slot := range s.Packets.Counts {
				if tree.Free.Has(uint32(slot)) != saved.Has(uint32(slot)) {
					t.Fatalf("frozen %v: slot %d is found to be free, or was", frozen, slot)
				}
			}
		}
		if freed == 0 || used == 0 || apart == 0 {
			t.Errorf("frozen %v: %d slots freed, %d used again, of %d built; %d nodes without a span", frozen, freed, used, built, apart)
		}
		if tree.IDs.Len() != len(ids) || len(s.Packets.Counts) > 2*built {
			t.Errorf("frozen %v: %d objects of %d in %d slots, after %d slots", frozen, tree.IDs.Len(), len(ids), len(s.Packets.Counts), built)
		}
	}
}

// The free slots are those without an owner, also in a file whose spans overlap, are empty, or exceed the columns.
func TestFindFree(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 300 {
		var tree Tree
		var s soa.Store
		tree.Store = &s
		slots, want := 1+r.IntN(200), map[uint32]bool{}
		s.Packets.Resize(slots)
		for slot := range uint32(slots) {
			s.Packets.Clear(slot)
			want[slot] = true
			if r.IntN(3) == 0 {
				s.Packets.Parents[slot] = 1
				delete(want, slot)
			}
		}
		for range r.IntN(8) {
			node := s.Nodes.Alloc()
			s.Nodes.Used[node], s.Nodes.Height[node] = uint8(r.IntN(3)), uint8(r.IntN(2))
			span := soa.Span{First: r.Uint32N(250), End: r.Uint32N(250)}
			if r.IntN(9) == 0 {
				span.End = soa.None
			}
			s.Nodes.Slots[node] = span
			for slot := span.First; s.Nodes.Used[node] > 0 && s.Nodes.Height[node] == 0 && slot < min(span.End, 250); slot++ {
				delete(want, slot)
			}
		}
		for range r.IntN(5) {
			slot := r.Uint32N(250)
			s.Pending = append(s.Pending, slot)
			delete(want, slot)
		}
		tree.FindFree()
		for slot := range uint32(250) {
			if tree.Free.Has(slot) != want[slot] {
				t.Fatalf("slot %d of %d is free: %v, want %v", slot, slots, tree.Free.Has(slot), want[slot])
			}
		}
	}
}

// A node that moves to other slots, or frees some, ends the spans of the nodes above it: they would miss its packets,
// or contain those of the next owner of its slots.
func TestSpansAbove(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	released, moved := 0, 0
	for range 20 {
		tree := newTestTree(t, Config{Policy: PolicyIncremental})
		insertAll(t, tree, someObjects(r, 8000, 100))
		testkit.Must(t, tree.Rebuild(nil, BuildParams{}))
		n := &tree.Store.Nodes
		leaf := func() uint32 {
			for {
				if i := uint32(r.IntN(len(n.Hot))); n.Height[i] == 0 && n.Used[i] > 9 {
					return i
				}
			}
		}
		// Some packets of a node become empty.
		node := leaf()
		var gone []uint32
		for _, child := range n.Hot[node].Child[:5] {
			slot := child.Index()
			gone = append(gone, tree.Store.Packets.IDs[slot][:tree.Store.Packets.Counts[slot]]...)
		}
		tree.BeginChange()
		tree.RemoveAll(gone)
		tree.ApplyRemovals()
		testkit.Must(t, tree.EndFrame())
		check(t, tree)
		if tree.Free.Len() > 0 {
			released++
		}
		// Others receive as many objects as fill the cell anew.
		for range 3 {
			node = leaf()
			before := n.Slots[node]
			o := tree.Store.Packets.Object(n.Hot[node].Child[2].Index(), 0)
			for range 2 * manyMin {
				tree.InsertOne(&o, &NoSphere)
			}
			testkit.Must(t, tree.Flush())
			check(t, tree)
			if n.Slots[node] != before {
				moved++
			}
		}
	}
	if released == 0 || moved == 0 {
		t.Errorf("%d nodes have freed slots, %d have moved", released, moved)
	}
}
