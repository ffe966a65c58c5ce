package soa_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func mustCheck(t *testing.T, d *soa.IDs) {
	t.Helper()
	testkit.Must(t, d.Check())
}

// give takes n IDs.
func give(t *testing.T, d *soa.IDs, n int) (ids []uint32) {
	t.Helper()
	testkit.Must(t, d.Fits(n))
	for range n {
		ids = append(ids, d.New(soa.Location(1000+d.Cap())))
	}
	return ids
}

// IDs are dense, and the one freed last is the first to be reused.
func TestIDsReuseLastFirst(t *testing.T) {
	var d soa.IDs
	mustCheck(t, &d)
	if ids := give(t, &d, 6); !slices.Equal(ids, []uint32{0, 1, 2, 3, 4, 5}) {
		t.Fatalf("new IDs %v", ids)
	}
	for _, id := range []uint32{2, 0, 5} {
		d.Free(id)
		mustCheck(t, &d)
	}
	if d.Len() != 3 || d.Cap() != 6 || d.Alive(2) || !d.Alive(1) {
		t.Errorf("%d live of %d, alive: 2 %v, 1 %v", d.Len(), d.Cap(), d.Alive(2), d.Alive(1))
	}
	if ids := give(t, &d, 5); !slices.Equal(ids, []uint32{5, 0, 2, 6, 7}) {
		t.Errorf("reused IDs %v", ids)
	}
	mustCheck(t, &d)
}

// A batch of new IDs is that of single ones, whether the free list has fewer IDs, as many or more.
func TestIDsNewBatch(t *testing.T) {
	for n := range 8 {
		var single, batch soa.IDs
		for _, d := range []*soa.IDs{&single, &batch} {
			give(t, d, 9)
			for _, id := range []uint32{7, 1, 8, 4} {
				d.Free(id)
			}
		}
		var want []uint32
		for range n {
			want = append(want, single.New(77))
		}
		got := make([]uint32, n)
		batch.NewBatch(got, 77)
		mustCheck(t, &batch)
		if !slices.Equal(got, want) || batch.Len() != single.Len() || !slices.Equal(batch.Where, single.Where) || !slices.Equal(batch.Gen.Low, single.Gen.Low) ||
			batch.State() != single.State() {
			t.Errorf("a batch of %d IDs is %v, want %v: %v, want %v", n, got, want, batch, single)
		}
	}
}

// A batch of released IDs is that of single ones, whether others are free or not, also when a generation needs its high
// half. Claims of a batch are undone together.
func TestIDsFreeBatch(t *testing.T) {
	for n := range 6 {
		for _, before := range [][]uint32{nil, {7}, {7, 1, 8}} {
			var single, batch soa.IDs
			ids := []uint32{5, 0, 6, 2, 4}[:n]
			for _, d := range []*soa.IDs{&single, &batch} {
				give(t, d, 9)
				for _, id := range ids {
					d.Claim(id)
				}
				d.Unclaim(ids...)
				if d.Gen.Len() != 0 {
					t.Fatal("claims that were undone leave generations")
				}
				for _, id := range before {
					d.Free(id)
				}
				for _, id := range ids {
					d.Claim(id)
				}
				d.Unclaim(ids...)
				if d.Gen.Len() > 0 {
					d.Gen.Set(0, 1<<16-1)
				}
			}
			for _, id := range ids {
				single.Free(id)
			}
			batch.FreeBatch(ids)
			mustCheck(t, &batch)
			if batch.Len() != single.Len() || !slices.Equal(batch.Where, single.Where) || !slices.Equal(batch.Gen.Low, single.Gen.Low) ||
				!slices.Equal(batch.Gen.High, single.Gen.High) || batch.State() != single.State() {
				t.Errorf("%v released after %v: %v, want %v", ids, before, batch, single)
			}
		}
	}
}

// Trim drops the free IDs above the last live one. The others are issued in the order as before, and then the dropped
// ones, for other objects.
func TestIDsTrim(t *testing.T) {
	var d soa.IDs
	d.Trim()
	mustCheck(t, &d)
	give(t, &d, 10)
	var stale []soa.Handle
	free := func(ids ...uint32) {
		for _, id := range ids {
			h, _ := d.Handle(id)
			stale = append(stale, h)
			d.Free(id)
		}
	}
	again := func(want ...uint32) {
		t.Helper()
		if got := give(t, &d, len(want)); !slices.Equal(got, want) {
			t.Errorf("IDs %v after Trim, want %v", got, want)
		}
		mustCheck(t, &d)
		for _, h := range stale {
			if id, err := d.Resolve(h); !errors.Is(err, soa.ErrStale) {
				t.Errorf("the handle %v of a removed object means %d", h, id)
			}
		}
	}
	free(2, 8, 0, 7, 9, 4)
	d.Trim()
	if d.Cap() != 7 || d.Len() != 4 {
		t.Errorf("%d IDs of which %d live after Trim", d.Cap(), d.Len())
	}
	mustCheck(t, &d)
	again(4, 0, 2, 7, 8, 9)
	free(9, 9-1)
	again(8, 9)
	free(9)
	again(9)
	for id := range uint32(10) {
		free(id)
	}
	d.Trim()
	if d.Cap() != 0 || d.Bytes() != 0 {
		t.Errorf("%d IDs in %d bytes after Trim of none", d.Cap(), d.Bytes())
	}
	again(0, 1)
	free(0, 1)
	d.Trim()
	d.NewRun(12)
	mustCheck(t, &d)
	for _, h := range stale {
		if id, err := d.Resolve(h); !errors.Is(err, soa.ErrStale) {
			t.Errorf("the handle %v of a removed object means %d of a run", h, id)
		}
	}
	c := d.Clone()
	d = c
	free(0, 11)
	again(11, 0)
}

// IDs whose generations may repeat are not dropped.
func TestIDsTrimOld(t *testing.T) {
	var d soa.IDs
	give(t, &d, 3)
	for id := range uint32(3) {
		d.Free(id)
	}
	d.Gen.Set(1, math.MaxUint32-1)
	give(t, &d, 2) // 2 and 1
	h, _ := d.Handle(1)
	d.Free(1)
	d.Gen.Set(1, math.MaxUint32-1) // as if nearly all were used up
	d.Free(2)
	d.Trim()
	if mustCheck(t, &d); d.Cap() != 2 {
		t.Errorf("%d IDs after Trim, want 2", d.Cap())
	}
	if ids := give(t, &d, 3); !slices.Equal(ids, []uint32{1, 0, 2}) {
		t.Errorf("IDs %v", ids)
	}
	if again, _ := d.Handle(1); again != h {
		t.Errorf("handle %v, want %v", again, h)
	}
}

func TestIDsUnknown(t *testing.T) {
	var d soa.IDs
	give(t, &d, 3)
	for _, id := range []uint32{3, 1 << 31, soa.None} {
		if _, ok := d.Handle(id); ok || d.Alive(id) {
			t.Errorf("ID %d is alive", id)
		}
		if got, err := d.Resolve(soa.Handle{ID: id, Gen: 1}); !errors.Is(err, soa.ErrStale) || got != soa.None {
			t.Errorf("handle of ID %d: %d, %v", id, got, err)
		}
	}
	if _, err := d.Resolve(soa.Handle{}); !errors.Is(err, soa.ErrStale) {
		t.Errorf("the zero handle: %v", err)
	}
}

// A handle ends with its object, however often the ID is reused.
func TestHandleStale(t *testing.T) {
	var d soa.IDs
	give(t, &d, 2)
	var old []soa.Handle
	for range 100 {
		h, ok := d.Handle(1)
		if id, err := d.Resolve(h); !ok || err != nil || id != 1 {
			t.Fatalf("handle %v: %d, %v", h, id, err)
		}
		old = append(old, h)
		d.Free(1)
		for _, h := range old {
			if _, err := d.Resolve(h); !errors.Is(err, soa.ErrStale) {
				t.Fatalf("handle %v of a removed object: %v", h, err)
			}
		}
		if id := d.New(7); id != 1 {
			t.Fatalf("ID %d instead of 1", id)
		}
		for _, h := range old {
			if _, err := d.Resolve(h); !errors.Is(err, soa.ErrStale) {
				t.Fatalf("handle %v means another object: %v", h, err)
			}
		}
	}
}

// Generations wrap around from odd to even: live stays live, free stays free.
func TestGenerationWraps(t *testing.T) {
	var d soa.IDs
	give(t, &d, 2)
	d.Free(0)
	d.Gen.Set(0, math.MaxUint32-1)
	give(t, &d, 1)
	h, ok := d.Handle(0)
	if !ok || h.Gen != math.MaxUint32 {
		t.Fatalf("handle %v, %v", h, ok)
	}
	d.Free(0)
	mustCheck(t, &d)
	if _, err := d.Resolve(h); d.Alive(0) || d.Gen.At(0) != 0 || !errors.Is(err, soa.ErrStale) {
		t.Errorf("generation %d, alive %v, error %v", d.Gen.At(0), d.Alive(0), err)
	}
	give(t, &d, 1)
	if h, ok := d.Handle(0); !ok || h.Gen != 1 {
		t.Errorf("handle %v, %v after the wrap", h, ok)
	}
	mustCheck(t, &d)
}

// A limit counts live IDs; freeing makes room.
func TestIDsExhausted(t *testing.T) {
	var d soa.IDs
	d.SetLimit(5)
	give(t, &d, 4)
	if err := d.Fits(1); err != nil {
		t.Error(err)
	}
	if err := d.Fits(2); !errors.Is(err, soa.ErrFull) {
		t.Errorf("a sixth of five IDs: %v", err)
	}
	give(t, &d, 1)
	if err := d.Fits(1); !errors.Is(err, soa.ErrFull) {
		t.Errorf("a sixth of five IDs: %v", err)
	}
	if err := d.Fits(0); err != nil {
		t.Error(err)
	}
	d.Free(3)
	if ids := give(t, &d, 1); ids[0] != 3 || d.Cap() != 5 {
		t.Errorf("ID %v of %d", ids, d.Cap())
	}
	mustCheck(t, &d)
	var all soa.IDs
	if err := all.Fits(math.MaxInt32); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// A run takes the lowest IDs of an index without live objects and leaves the rest free, lowest first.
func TestNewRun(t *testing.T) {
	for _, former := range []int{0, 1, 5, 40} {
		for _, n := range []int{0, 1, 4, 5, 6, 100} {
			var d soa.IDs
			give(t, &d, former)
			var handles []soa.Handle
			for id := range uint32(former) {
				h, _ := d.Handle(id)
				handles = append(handles, h)
				d.Free(id)
			}
			d.NewRun(n)
			for id := range n {
				d.Where[id] = soa.Location(id) // unspecified until set
			}
			mustCheck(t, &d)
			if d.Len() != n || d.Cap() != max(n, former) {
				t.Fatalf("%d IDs over %d: %d live of %d", n, former, d.Len(), d.Cap())
			}
			for id := range uint32(d.Cap()) {
				if d.Alive(id) != (int(id) < n) {
					t.Fatalf("%d IDs over %d: ID %d alive %v", n, former, id, d.Alive(id))
				}
			}
			for _, h := range handles {
				if _, err := d.Resolve(h); !errors.Is(err, soa.ErrStale) {
					t.Fatalf("%d IDs over %d: handle %v: %v", n, former, h, err)
				}
			}
			for want, last := n, d.Cap()+2; want < last; want++ {
				if id := give(t, &d, 1)[0]; int(id) != want {
					t.Fatalf("%d IDs over %d: then ID %d, want %d", n, former, id, want)
				}
			}
			mustCheck(t, &d)
		}
	}
	var d soa.IDs
	give(t, &d, 1)
	panics(t, "NewRun over a live object", func() { d.NewRun(3) })
}

// Random births and deaths against a plain list.
func TestIDsModel(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var d soa.IDs
	var free []uint32
	next := uint32(0)
	alive := map[uint32]uint32{} // where
	for range 20_000 {
		if rng.IntN(5) < 3 || len(alive) == 0 {
			want := next
			if k := len(free); k > 0 {
				want, free = free[k-1], free[:k-1]
			} else {
				next++
			}
			where := rng.Uint32()
			if id := d.New(soa.Location(where)); id != want {
				t.Fatalf("ID %d, want %d", id, want)
			}
			alive[want] = where
		} else {
			id := rng.Uint32N(next)
			if d.Alive(id) {
				d.Free(id)
				free = append(free, id)
				delete(alive, id)
			}
		}
		if d.Len() != len(alive) || d.Cap() != int(next) {
			t.Fatalf("%d live of %d, want %d of %d", d.Len(), d.Cap(), len(alive), next)
		}
	}
	mustCheck(t, &d)
	for id, where := range alive {
		if !d.Alive(id) || d.Where[id] != soa.Location(where) {
			t.Fatalf("ID %d: alive %v, where %d, want %d", id, d.Alive(id), d.Where[id], where)
		}
	}
}

func TestIDsCheckFindsDamage(t *testing.T) {
	for name, damage := range map[string]func(d *soa.IDs){
		"a live ID in the list":           func(d *soa.IDs) { d.Where[6] = 1 },
		"a freed one that looks live":     func(d *soa.IDs) { d.Gen.Low[4]++ },
		"a live one that looks free":      func(d *soa.IDs) { d.Gen.Low[1]++; d.Where[2] = 1; d.Where[1] = soa.NoLocation },
		"a list that ends early":          func(d *soa.IDs) { d.Where[4] = soa.NoLocation },
		"a list that is a ring":           func(d *soa.IDs) { d.Where[2] = 6 },
		"a list that leads out":           func(d *soa.IDs) { d.Where[2] = 8 },
		"a list that leads far out":       func(d *soa.IDs) { d.Where[2] = soa.NoLocation - 1 },
		"a missing generation":            func(d *soa.IDs) { d.Gen.Low = d.Gen.Low[:7] },
		"a missing high half":             func(d *soa.IDs) { d.Gen.Set(1, 1<<16+1); d.Gen.High = d.Gen.High[:7] },
		"an ID that is in the list twice": func(d *soa.IDs) { d.Where[4] = 6 },
	} {
		var d soa.IDs
		give(t, &d, 8)
		for _, id := range []uint32{2, 4, 6} { // the list is 6 4 2
			d.Free(id)
		}
		mustCheck(t, &d)
		damage(&d)
		if d.Check() == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}
