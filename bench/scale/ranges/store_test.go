package ranges

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// cube returns an object of that half edge.
func cube(x, half float32) soa.Object {
	return soa.Object{Box: soa.AABB{Min: [3]float32{x - half, -half, -half}, Max: [3]float32{x + half, half, half}}}
}

// A rejected call leaves the store unchanged.
func TestRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	bad := map[string]soa.AABB{"NaN": {Min: [3]float32{nan}}, "infinite": {Max: [3]float32{0, inf}}, "inverted": {Min: [3]float32{1}}}
	fs := vfs.NewMem()
	for name, box := range bad {
		if _, err := Create("bad", Layout{}, []row.Row{{ID: 1}, {ID: 2, Object: soa.Object{Box: box}}}, Options{FS: fs}); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
	if _, err := Create("bad", Layout{}, []row.Row{{ID: 1}, {ID: 1}}, Options{FS: fs}); err == nil {
		t.Error("a number twice")
	}
	if _, err := Create("bad", Layout{Small: math.NaN()}, nil, Options{FS: fs}); err == nil {
		t.Error("small up to NaN")
	}
	if _, err := Open("none", Options{FS: fs}); err == nil {
		t.Error("no store is opened")
	}
	for _, opt := range []Options{{Ranges: -1}, {Run: -1}, {Cache: -1}} {
		opt.FS = fs
		if _, err := Create("bad", Layout{}, nil, opt); err == nil {
			t.Errorf("options %+v", opt)
		}
	}
	s := must.Get(Create("store", Layout{Small: 1}, []row.Row{{ID: 1, Object: cube(0, 1)}}, Options{FS: fs}))
	if _, err := Create("store", Layout{}, nil, Options{FS: fs}); err == nil {
		t.Error("no error for creating a store that exists")
	}
	for name, box := range bad {
		for what, do := range map[string]func(tx *Tx) error{
			"put":  func(tx *Tx) error { return tx.Put(row.Row{ID: 3, Object: soa.Object{Box: box}}) },
			"move": func(tx *Tx) error { return tx.Move(1, box) },
		} {
			err := s.Update(func(tx *Tx) error { return errors.Join(tx.Remove(1), tx.Put(row.Row{ID: 1}), do(tx)) })
			if err == nil {
				t.Errorf("%s of %s", what, name)
			}
		}
		dst := []uint64{4}
		if ids, _, err := s.Append(dst, box, query.Filter{}); err == nil || !slices.Equal(ids, dst) {
			t.Errorf("no error for a query with %s: %v", name, ids)
		}
	}
	for what, do := range map[string]func(tx *Tx) error{
		"put":    func(tx *Tx) error { return tx.Put(row.Row{ID: row.MaxID + 1}) },
		"move":   func(tx *Tx) error { return tx.Move(7, soa.AABB{}) },
		"remove": func(tx *Tx) error { return tx.Remove(7) },
	} {
		if err := s.Update(do); err == nil || what != "put" && !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, flt := range []query.Filter{{Exact: true}, {Only: []uint64{}}, {Motion: 77}} {
		if _, _, err := s.Append(nil, soa.AABB{}, flt); err == nil {
			t.Errorf("filter %+v", flt)
		}
	}
	ids, _, err := s.Append(nil, cube(2, 1).Box, query.Filter{})
	if err != nil || !slices.Equal(ids, []uint64{1}) {
		t.Errorf("%v, %v", ids, err)
	}
	must.Do(s.Close())
	_, _, err = s.Append(nil, soa.AABB{}, query.Filter{})
	_, err2 := s.Chill(0, 1)
	for _, err := range []error{err, err2, s.Close(), s.Compact(), s.Update(func(*Tx) error { return nil })} {
		if !errors.Is(err, errClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if s.Bytes() != 0 {
		t.Error("bytes after Close")
	}
}

// One huge box costs only itself.
func TestClasses(t *testing.T) {
	uniform, _ := scene.ByName("uniform")
	objects := uniform.Make(2000, 1)
	read := func(rows []row.Row) (total int) {
		layout := must.Get(Fit(rows))
		s := must.Get(Create("store", layout, rows, Options{FS: vfs.NewMem()}))
		defer s.Close()
		for _, b := range scene.BoxQueries(objects, 5, 20, 1) {
			_, work, err := s.Append(nil, b, query.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			total += work.Rows
		}
		return total
	}
	rows := row.Number(objects)
	before := read(rows)
	huge := append(rows, row.Row{ID: 1 << 30, Object: cube(0, 1e7)})
	if after := read(huge); after > before+20*30 {
		t.Errorf("%d rows read, %d without a huge box", after, before)
	}
}

// A query sees all of a transaction or nothing, also while another query builds trees.
func TestReaders(t *testing.T) {
	uniform, _ := scene.ByName("uniform")
	m := newModel(t, uniform, 500, Options{FS: vfs.NewMem(), Run: 20})
	boxes := []soa.Object{cube(0, 0.5), cube(40, 30)} // small and large
	pair := func(k int) []row.Row {
		return []row.Row{{ID: 1 << 50, Object: boxes[k%2]}, {ID: 1<<50 + 1, Object: boxes[1-k%2]}}
	}
	all := cube(0, 1e6).Box
	put := func(k int) error {
		return m.s.Update(func(tx *Tx) error { return errors.Join(tx.Put(pair(k)[0]), tx.Put(pair(k)[1])) })
	}
	must.Do(put(0))
	done := make(chan struct{})
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				ids, _, err := m.s.Append(nil, all, query.Filter{})
				if err != nil || len(ids) != 502 {
					t.Errorf("%d objects, want 502; %v", len(ids), err)
					return
				}
			}
		})
	}
	for k := range 300 {
		if err := put(k); err != nil {
			t.Error(err)
		}
		if k%2 == 0 {
			if _, err := m.s.Chill(0, 1000); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	wait.Wait()
}

// Every acknowledged change exists after a crash, and no change that was not made; unsynced changes may be
// lost, or not.
func TestCrash(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	fs := vfs.NewCrashableMem()
	objects := scene.All()[0].Make(60, 1)
	rows := row.Number(objects)
	layout := must.Get(Fit(rows))
	s := must.Get(Create("store", layout, rows, Options{FS: fs}))
	defer s.Close()
	o := must.Get(oracle.New(rows))
	for k := range 20 {
		id, to := uint64(rng.IntN(60)), cube(float32(rng.IntN(200)), float32(math.Ldexp(1, k)))
		must.Do(s.Update(func(tx *Tx) error { return tx.Move(id, to.Box) }))
		must.Do(o.Move(id, to.Box))
		s.Update(func(tx *Tx) error { return errors.Join(tx.Remove(id), errors.New("not acknowledged")) })
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * (k % 3), RNG: rand.New(rand.NewPCG(uint64(k), 1))})
		again := must.Get(Open("store", Options{FS: after}))
		all := cube(0, 1e8).Box
		for _, b := range []soa.AABB{all, to.Box, objects[id].Box} {
			ids, _, err := again.Append(nil, b, query.Filter{})
			if err == nil {
				err = o.Agree(ids, b, query.Filter{})
			}
			if err != nil {
				t.Fatalf("crash %d: %v", k, err)
			}
		}
		must.Do(again.Close())
	}
}
