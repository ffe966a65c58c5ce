package soa_test

import (
	"maps"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func TestColumn(t *testing.T) {
	var c soa.Column[string]
	if c.Len() != 0 || c.Get(0) != "" || c.Get(soa.None) != "" {
		t.Error("an empty column has values")
	}
	c.Set(3, "three")
	if c.Len() != 4 || c.Get(3) != "three" || c.Get(2) != "" || c.Get(4) != "" {
		t.Errorf("length %d, values %q", c.Len(), c.Values())
	}
	*c.At(1) += "one"
	*c.At(1) += "!"
	c.SetBatch([]uint32{5, 0, 5}, []string{"lost", "zero", "five"})
	want := []string{"zero", "one!", "", "three", "", "five"}
	for id, v := range want {
		if c.Get(uint32(id)) != v || c.Values()[id] != v {
			t.Errorf("value %d is %q, want %q", id, c.Get(uint32(id)), v)
		}
	}
	c.Delete(5, 3, 99, soa.None)
	if c.Get(5) != "" || c.Get(3) != "" || c.Get(1) != "one!" || c.Len() != 6 {
		t.Errorf("length %d, values %q after Delete", c.Len(), c.Values())
	}
	panics(t, "a value for no object", func() { c.Set(soa.None, "") })
	panics(t, "more values than IDs", func() { c.SetBatch([]uint32{1}, []string{"", ""}) })
	panics(t, "growing to less than nothing", func() { c.Grow(-1) })
	panics(t, "trimming to less than nothing", func() { c.Trim(-1) })
}

// Values left by Clear or Delete do not reappear when the column grows into its old memory.
func TestColumnDropsRemoved(t *testing.T) {
	var c soa.Column[*int]
	c.Grow(100)
	for id := range uint32(100) {
		c.Set(id, new(int))
	}
	c.Clear()
	if c.Len() != 0 || c.Get(50) != nil {
		t.Errorf("length %d, value %v after Clear", c.Len(), c.Get(50))
	}
	c.Set(99, nil)
	for id, v := range c.Values() {
		if v != nil {
			t.Fatalf("value %d is back", id)
		}
	}
}

func TestColumnModel(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c soa.Column[int]
	model := map[uint32]int{}
	most := 0
	for i := range 20_000 {
		id := rng.Uint32N(uint32(i/10 + 1))
		switch rng.IntN(10) {
		case 0:
			c.Delete(id)
			delete(model, id)
		case 1:
			c.Grow(rng.IntN(i + 1))
		case 2:
			if i%1000 == 0 {
				c.Clear()
				clear(model)
				most = 0
			} else if i%100 == 0 {
				n := rng.IntN(most + most/4 + 1)
				c.Trim(n)
				maps.DeleteFunc(model, func(id uint32, _ int) bool { return int(id) >= n })
				most = min(most, n)
				if room := cap(c.Values()); room > most+most/4+8 {
					t.Fatalf("room for %d values after Trim, want %d", room, most)
				}
			}
		default:
			c.Set(id, i)
			model[id] = i
			most = max(most, int(id)+1)
		}
		if probe := rng.Uint32N(3000); c.Get(probe) != model[probe] || c.Len() != most {
			t.Fatalf("value %d is %d, want %d; length %d, want %d", probe, c.Get(probe), model[probe], c.Len(), most)
		}
	}
}

func TestColumnAllocations(t *testing.T) {
	var c soa.Column[[3]float32]
	c.Grow(1000)
	ids, values := make([]uint32, 1000), make([][3]float32, 1000)
	for i := range ids {
		ids[i] = uint32(i)
	}
	testkit.Allocs(t, 10, func() {
		c.Clear()
		c.SetBatch(ids, values)
		c.At(7)[1]++
		c.Delete(7, 8)
	})
	var grows soa.Column[uint32]
	n := testing.AllocsPerRun(1, func() {
		grows = soa.Column[uint32]{}
		for id := range uint32(100_000) {
			grows.Set(id, id)
		}
	})
	if n > 60 {
		t.Errorf("100000 values one by one cost %v allocations", n)
	}
}
