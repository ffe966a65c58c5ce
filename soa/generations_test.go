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
				loaded.SetGenerations(c.Gen)
				d = loaded
			}
			if (len(d.Gen) > 0) != freed {
				t.Fatalf("%d generations of %d IDs, some freed: %v", len(d.Gen), d.Cap(), freed)
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
		if _, err := d.Resolve(h); len(d.Gen) > 0 || !d.Alive(id) || h.ID == id && err == nil {
			t.Fatalf("%d generations after a trim, %v is resolved: %v", len(d.Gen), h, err)
		}
	}
}
