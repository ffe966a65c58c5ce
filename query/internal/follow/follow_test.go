package follow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// A position reads each change once, and has to compare all objects if it does not know the log or misses changes.
func TestPosition(t *testing.T) {
	l, other := soa.NewLog(), soa.NewLog()
	var p Position
	if changes, ok := p.Changes(l); ok || p.Known(l) {
		t.Errorf("an unknown log has the changes %v", changes)
	}
	p.Advance(l)
	if changes, ok := p.Changes(l); !ok || len(changes) > 0 || !p.Known(l) || p.Known(other) || p.MayReuse(l) {
		t.Errorf("changes without a change: %v, %v", changes, ok)
	}
	l.Insert(7, soa.Object{}, [4]float32{}, 1)
	if changes, ok := p.Changes(l); !ok || len(changes) != 1 || changes[0].ID != 7 || !p.MayReuse(l) {
		t.Errorf("changes after an insertion: %v, %v", changes, ok)
	}
	before := p
	p.Advance(l)
	l.Remove(7, 0)
	if changes, ok := p.Changes(l); !ok || len(changes) != 1 || !changes[0].Removed || p.MayReuse(l) {
		t.Errorf("changes after a removal: %v, %v", changes, ok)
	}
	if later := (Position{l.Number, l.Next() + 1}); !later.MayReuse(l) {
		t.Error("an older view has the same objects")
	}
	l.Tick()
	l.Tick()
	if _, ok := before.Changes(l); ok {
		t.Error("dropped changes are read")
	}
}

func TestIDs(t *testing.T) {
	var s IDs
	for range 2 {
		for _, id := range []uint32{3, 700, 3, 64, 63, 700} {
			s.Add(id)
		}
		if want := []uint32{3, 700, 64, 63}; !slices.Equal(s.List, want) {
			t.Errorf("%v, want %v", s.List, want)
		}
		s.Cover(1000)
		for id := range uint32(1000) {
			if in := slices.Contains(s.List, id); Has(s.Bits, id) != in || (s.Bit(id) == 1) != in {
				t.Errorf("ID %d: in the set %v, want %v", id, !in, in)
			}
		}
		s.Reset()
		if len(s.List) > 0 || slices.ContainsFunc(s.Bits, func(w uint64) bool { return w != 0 }) {
			t.Errorf("members after Reset: %v", s.List)
		}
	}
	if Has(s.Bits, 1<<31) {
		t.Error("an ID behind the last word is in the set")
	}
	for _, id := range []uint32{0, 63, 64, 127, 128, 8000} { // alone, it has just enough room
		var one IDs
		if !one.Add(id) || one.Add(id) || !Has(one.Bits, id) || len(one.Bits) != int(id/64)+1 {
			t.Errorf("the set of %d is %x", id, one.Bits)
		}
	}
	used := []uint64{5, 6, 7, 8}
	if got := Cover(used[:1], 200); !slices.Equal(got, []uint64{5, 0, 0, 0}) {
		t.Errorf("room in used memory has the members %x", got)
	}
}

// Boxes of either form are in the order of the keys of their centres, whichever axis is the longest.
func TestCurve(t *testing.T) {
	var c Curve
	rng := rand.New(rand.NewPCG(1, 2))
	for i, n := range []int{0, 1, 100, 100, 100} {
		var boxes []soa.AABB
		var objects []soa.Object
		centres := soa.Empty()
		for range n {
			x := [3]float32{rng.Float32(), rng.Float32(), rng.Float32()}
			x[i%3] *= 8
			b := soa.AABB{Min: x, Max: [3]float32{x[0] + 0.5, x[1] + 0.25, x[2]}}
			boxes, objects = append(boxes, b), append(objects, soa.Object{Box: b})
			centres = centres.Union(soa.AABB{Min: b.Center(), Max: b.Center()})
		}
		for _, items := range [][]uint64{c.Order(soa.BoxWords(boxes), 6, n), c.Order(soa.Words(objects), 8, n)} {
			if len(items) != n {
				t.Fatalf("%d items of %d boxes", len(items), n)
			}
			if n == 0 {
				continue
			}
			world, err := morton.Fit(centres.Min, centres.Max)
			testkit.Must(t, err)
			grid := world.Grid()
			key := func(item uint64) uint64 {
				m := boxes[radix.Index(item)].Center()
				return grid.Key(m[0], m[1], m[2])
			}
			if !slices.IsSortedFunc(items, func(a, b uint64) int { return int(key(a)>>32) - int(key(b)>>32) }) {
				t.Errorf("%d boxes are not in the order of their keys", n)
			}
		}
	}
}
