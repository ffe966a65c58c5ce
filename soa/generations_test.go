package soa_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Handles of IDs without generations are those of IDs with generations, through random calls: until the first release
// there are none, and a check that is refused leaves none.
func TestGenerationsAreLeftOut(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 300 {
		var d soa.IDs
		var live, stale []soa.Handle
		gens, freed := []uint32{}, false
		insert := func() {
			id := d.New(soa.Location(len(live)))
			if int(id) == len(gens) {
				gens = append(gens, 1)
			} else {
				gens[id]++
			}
			live = append(live, soa.Handle{ID: id, Gen: gens[id]})
		}
		for range 60 {
			switch op := r.IntN(10); {
			case op < 6 || len(live) == 0:
				insert()
			case op < 8: // a check that is refused
				tried := live[:1+r.IntN(len(live))]
				for _, h := range tried {
					if d.Claim(h.ID); d.Alive(h.ID) {
						t.Fatalf("ID %d is claimed and alive", h.ID)
					}
				}
				for _, h := range tried {
					d.Unclaim(h.ID)
				}
			case op == 8 && r.IntN(4) == 0:
				k := r.IntN(len(live))
				h := live[k]
				d.Free(h.ID)
				gens[h.ID]++
				live, stale, freed = slices.Delete(live, k, k+1), append(stale, h), true
			default:
				c := d.Clone()
				var loaded soa.IDs
				loaded.Where = c.Where
				loaded.SetState(c.State())
				loaded.SetGenerations(listOf(&c.Gen))
				d = loaded
			}
			if (d.Gen.Len() > 0) != freed {
				t.Fatalf("%d generations of %d IDs, some freed: %v", d.Gen.Len(), d.Cap(), freed)
			}
			for _, h := range live {
				if got, ok := d.Handle(h.ID); !ok || got != h || !d.Alive(h.ID) || d.Generation(h.ID) != h.Gen {
					t.Fatalf("handle %v, %v, want %v", got, ok, h)
				}
			}
			for _, h := range stale {
				if _, err := d.Resolve(h); err == nil {
					t.Fatalf("the stale handle %v is resolved", h)
				}
			}
			if d.Alive(uint32(d.Cap())) {
				t.Fatalf("ID %d of %d is alive", d.Cap(), d.Cap())
			}
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
		}
		h := soa.Handle{}
		if len(live) > 0 {
			h = live[0]
		}
		d.Clear()
		d.Trim()
		id := d.New(7)
		if _, err := d.Resolve(h); d.Gen.Len() > 0 || !d.Alive(id) || h.ID == id && err == nil {
			t.Fatalf("%d generations after a trim, %v is resolved: %v", d.Gen.Len(), h, err)
		}
	}
}

// listOf returns a list of generations.
func listOf(g *soa.Generations) []uint32 {
	list := make([]uint32, g.Len())
	g.CopyTo(list)
	return list
}

// Random calls about the generations at which a half overflows agree with a model of 32 bits.
func TestGenerationsOverflow(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	near := []uint32{0, 1<<16 - 4, 1<<17 - 4, 1<<31 - 4, 1<<32 - 4} // a few releases before an overflow
	widened := 0
	for range 400 {
		var d soa.IDs
		var gens []uint32 // the model
		var floor uint32
		live := map[uint32]bool{}
		for range 1 + r.IntN(20) {
			live[d.New(0)] = true
			gens = append(gens, 1)
		}
		d.Claim(0) // the column is in use
		d.Unclaim(0)
		first := true
		from := near[r.IntN(len(near))]
		for range 80 {
			some := r.Uint32N(uint32(d.Cap()))
			switch op := r.IntN(24); {
			case first || op == 0 && live[some]: // as if IDs had been reused
				d.Free(some)
				gens[some], first = gens[some]+1, false
				delete(live, some)
				for id := range gens {
					gens[id] = from&^1 + 2*r.Uint32N(3) + gens[id]&1
				}
				floor = near[r.IntN(len(near))] & (1<<31 - 1) &^ 1
				state := d.State()
				state.Floor = floor
				d.SetGenerations(gens)
				d.SetState(state)
			case op < 9 && live[some]:
				d.Free(some)
				gens[some]++
				delete(live, some)
			case op < 16:
				ids := make([]uint32, 1+r.IntN(3))
				if len(ids) > 1 {
					d.NewBatch(ids, 7)
				} else {
					ids[0] = d.New(7)
				}
				for _, id := range ids {
					if int(id) == len(gens) {
						gens = append(gens, floor)
					}
					gens[id]++
					live[id] = true
				}
			case op < 18 && live[some]:
				if d.Claim(some); d.Alive(some) {
					t.Fatalf("ID %d is claimed and alive", some)
				}
				d.Unclaim(some)
			case op == 18:
				d.Clear()
				for id, gen := range gens {
					gens[id] = gen + gen&1
				}
				clear(live)
			case op == 19 && len(live) == 0:
				n := r.IntN(2 * len(gens))
				d.NewRun(n)
				for id := range n {
					if d.Where[id] = 7; id == len(gens) {
						gens = append(gens, floor)
					}
					gens[id]++
					live[uint32(id)] = true
				}
			case op == 20 && len(live) > 0:
				d.Trim()
				n := len(gens)
				for ; gens[n-1]&1 == 0 && gens[n-1] < 1<<31; n-- {
					floor = max(floor, gens[n-1])
				}
				gens = gens[:n]
				if wide := slices.ContainsFunc(gens, func(gen uint32) bool { return gen > 1<<16-1 }); wide != (len(d.Gen.High) > 0) {
					t.Fatalf("%d high halves after a trim, generations %d", len(d.Gen.High), gens)
				}
			case op == 21:
				c := d
				d = d.Clone()
				for id := range c.Gen.Len() {
					c.Gen.Set(uint32(id), 1<<31)
				}
			}
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			if got := listOf(&d.Gen); !slices.Equal(got, gens) || len(live) != d.Len() {
				t.Fatalf("generations %d, want %d; %d live", got, gens, d.Len())
			}
			for id, gen := range gens {
				h := soa.Handle{ID: uint32(id), Gen: gen}
				if d.Alive(h.ID) != live[h.ID] || d.Generation(h.ID) != gen {
					t.Fatalf("%v: alive %v, generation %d", h, d.Alive(h.ID), d.Generation(h.ID))
				}
				for _, off := range []uint32{2, 1 << 15, 1 << 16, 1 << 31} {
					if _, err := d.Resolve(soa.Handle{ID: h.ID, Gen: gen - off}); err == nil {
						t.Fatalf("%v minus %d is resolved", h, off)
					}
				}
			}
		}
		if len(d.Gen.High) > 0 {
			widened++
		}
	}
	if widened < 100 || widened > 390 {
		t.Errorf("%d of 400 have high halves", widened)
	}
}

// Copies of generations in used memory equal a list, with and without high halves.
func TestGenerationsCopies(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var g, c soa.Generations
	g.Fill(10_000, 1<<20)
	if c.CopyFrom(&g); c.Bytes() < 40_000 {
		t.Errorf("%d bytes for 10,000 IDs", c.Bytes())
	}
	if c.Trim(3); c.Bytes() > 128 {
		t.Errorf("%d bytes for 3 IDs", c.Bytes())
	}
	for round := range 300 {
		want := make([]uint32, r.IntN(40))
		wide := r.IntN(2) == 0
		for id := range want {
			if want[id] = r.Uint32N(1 << 16); wide && r.IntN(8) == 0 {
				want[id] = r.Uint32()
			}
		}
		g.SetAll(want)
		if c.CopyFrom(&g); !slices.Equal(listOf(&g), want) || !slices.Equal(listOf(&c), want) {
			t.Fatalf("round %d: %d, a copy %d, want %d", round, listOf(&g), listOf(&c), want)
		}
		n := len(want)
		if c.Resize(n + r.IntN(9)); n > 0 {
			for id := range want {
				if r.IntN(4) == 0 {
					want[id] = r.Uint32() >> (16 * r.IntN(2))
					c.Set(uint32(id), want[id])
				}
			}
		}
		if got := listOf(&c)[:n]; !slices.Equal(got, want) {
			t.Fatalf("round %d: set to %d, want %d", round, got, want)
		}
		if n > 0 {
			keep := r.IntN(n + 5)
			c.Resize(n)
			c.Trim(keep)
			if want = want[:min(keep, n)]; !slices.Equal(listOf(&c), want) {
				t.Fatalf("round %d: trimmed to %d, want %d", round, listOf(&c), want)
			}
		}
		gen := r.Uint32() >> (16 * r.IntN(2))
		c.Fill(7, gen)
		if got := listOf(&c); !slices.Equal(got, slices.Repeat([]uint32{gen}, 7)) {
			t.Fatalf("round %d: filled with %d, want %d", round, got, gen)
		}
	}
}
