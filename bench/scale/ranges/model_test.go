package ranges

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// scenes are the scenes of the benchmarks, and scenes that are hard for keys and covers.
func scenes() []scene.Scene { return append(scene.All(), testkit.HostileScenes()...) }

// numbered makes rows with scattered numbers.
func numbered(rng *rand.Rand, objects []soa.Object) []row.Row {
	rows := row.Number(objects)
	for i := range rows {
		rows[i].ID = rows[i].ID*7919 + 1
		if i == 0 {
			rows[i].ID = row.MaxID
		}
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// model is a store with its oracle.
type model struct {
	t      *testing.T
	rng    *rand.Rand
	s      *Store
	o      *oracle.Oracle
	fresh  []soa.Object // objects and boxes for later inserts
	opt    Options
	nextID uint64
}

func newModel(t *testing.T, sc scene.Scene, n int, opt Options) *model {
	seed := testkit.Seed(t)
	m := &model{t: t, rng: testkit.Rand(seed), opt: opt, fresh: sc.Make(n, seed+1), nextID: 1 << 40}
	rows := numbered(m.rng, sc.Make(n, seed))
	layout := must.Get(Fit(rows))
	m.s = must.Get(Create("store", layout, rows, opt))
	t.Cleanup(func() {
		if err := m.s.Close(); err != nil {
			t.Error(err)
		}
	})
	m.o = must.Get(oracle.New(rows))
	return m
}

func (m *model) object() soa.Object { return m.fresh[m.rng.IntN(len(m.fresh))] }

func (m *model) known() uint64 { return m.o.Rows[m.rng.IntN(len(m.o.Rows))].ID }

// change runs a random transaction, or one that fails in the end.
func (m *model) change() {
	m.t.Helper()
	fails := m.rng.IntN(4) == 0
	var done []func() error
	broken := errors.New("broken")
	err := m.s.Update(func(tx *Tx) error {
		used := map[uint64]bool{}
		for range 1 + m.rng.IntN(12) {
			o, id := m.object(), uint64(0)
			if len(m.o.Rows) > 0 {
				id = m.known()
			}
			kind := m.rng.IntN(5)
			if len(m.o.Rows) == 0 || used[id] {
				kind = 0
			}
			used[id] = true
			var err error
			switch kind {
			case 0:
				m.nextID++
				r := row.Row{ID: m.nextID, Object: o}
				err = tx.Put(r)
				done = append(done, func() error { return m.o.Put(r) })
				if m.rng.IntN(3) == 0 { // a transaction sees its own changes
					box := m.object().Box
					err = errors.Join(err, tx.Move(r.ID, box))
					done = append(done, func() error { return m.o.Move(r.ID, box) })
				}
			case 1:
				r := row.Row{ID: id, Object: o}
				err = tx.Put(r)
				done = append(done, func() error { return m.o.Put(r) })
			case 2, 3:
				err = tx.Move(id, o.Box)
				done = append(done, func() error { return m.o.Move(id, o.Box) })
			case 4:
				err = tx.Remove(id)
				done = append(done, func() error { return m.o.Remove(id) })
				if _, ok, e := tx.Get(id); ok || e != nil {
					err = fmt.Errorf("removed object %d is there: %v", id, e)
				}
			}
			if err != nil {
				return err
			}
		}
		if fails {
			return broken
		}
		return nil
	})
	if fails && !errors.Is(err, broken) || !fails && err != nil {
		m.t.Fatalf("transaction that fails %v: %v", fails, err)
	}
	if fails {
		return
	}
	for _, do := range done {
		if err := do(); err != nil {
			m.t.Fatal(err)
		}
	}
}

// boxes returns query boxes: small ones, the boxes of objects, and one that holds all.
func (m *model) boxes(n int) (boxes []soa.AABB) {
	objects := []soa.Object{m.object()}
	for _, r := range m.o.Rows {
		objects = append(objects, r.Object)
	}
	boxes = append(boxes, scene.Bounds(objects))
	for _, results := range []int{1, 20, max(1, len(objects)/3)} {
		boxes = append(boxes, scene.BoxQueries(objects, results, n, m.rng.Uint64())...)
	}
	for range n {
		boxes = append(boxes, m.object().Box)
		c := m.object().Box.Center()
		boxes = append(boxes, soa.AABB{Min: c, Max: c})
	}
	return slices.DeleteFunc(boxes, func(b soa.AABB) bool { return b.Check() != nil })
}

var filters = []query.Filter{{}, {Mask: 3}, {Motion: query.MovingOnly}, {Mask: 1 << 31, Motion: query.StaticOnly}}

func (m *model) check(n int) (total Work) {
	m.t.Helper()
	for _, b := range m.boxes(n) {
		flt := filters[m.rng.IntN(len(filters))]
		got, work, err := m.s.Append(nil, b, flt)
		if err == nil {
			err = m.o.Agree(got, b, flt)
		}
		if err != nil {
			m.t.Fatal(err)
		}
		total.Rows += work.Rows
		total.Trees += work.Trees
	}
	return total
}

// A store returns the results of a tree after any changes, with cold runs and without, and after it has
// been reopened.
func TestModel(t *testing.T) {
	n, rounds := 150, 4
	if !testing.Short() {
		n, rounds = 3000, 40
	}
	for _, sc := range scenes() {
		t.Run(sc.Name, func(t *testing.T) {
			m := newModel(t, sc, n, Options{FS: vfs.NewMem(), Ranges: 12, Run: 40})
			m.check(3)
			trees := 0
			for round := range rounds {
				for range 3 {
					m.change()
				}
				m.check(2)
				if round == 2 {
					m.reopen()
				}
				if round%2 == 1 {
					age, most := uint64(m.rng.IntN(4)), m.rng.IntN(2*n)
					if round == 1 {
						age, most = 0, n
					}
					c := must.Get(m.s.Chill(age, most))
					trees += c.Trees
					m.check(2)
				}
			}
			if trees == 0 {
				t.Error("no run has been cold")
			}
			must.Do(m.s.Compact())
			m.check(2)
		})
	}
}

func (m *model) reopen() {
	m.t.Helper()
	layout := m.s.Layout()
	if err := m.s.Close(); err != nil {
		m.t.Fatal(err)
	}
	s, err := Open("store", m.opt)
	if err != nil {
		m.t.Fatal(err)
	}
	m.s = s
	if s.Layout() != layout {
		m.t.Fatalf("layout %v, it was %v", s.Layout(), layout)
	}
}

// Cold runs are queried in trees, and nowhere else; one change warms one run.
func TestChill(t *testing.T) {
	uniform, _ := scene.ByName("uniform")
	m := newModel(t, uniform, 2000, Options{FS: vfs.NewMem(), Run: 100})
	if w := m.check(5); w.Trees != 0 || w.Rows == 0 {
		t.Errorf("before: %+v", w)
	}
	c, err := m.s.Chill(1, math.MaxInt)
	if err != nil || c.Objects != 2000 || c.Trees != c.Runs || c.Runs < 15 || c.Runs > 20 {
		t.Fatalf("%+v, %v", c, err)
	}
	if w := m.check(5); w.Trees == 0 || w.Rows != 0 {
		t.Errorf("cold: %+v", w)
	}
	id := m.known()
	must.Do(m.s.Update(func(tx *Tx) error { return tx.Move(id, m.o.Rows[0].Object.Box) }))
	must.Do(m.o.Move(id, m.o.Rows[0].Object.Box))
	if w := m.check(5); w.Trees == 0 || w.Rows == 0 {
		t.Errorf("after a change: %+v", w)
	}
	// A run changed one transaction ago stays warm: Chill(2, …) requires two.
	if again, err := m.s.Chill(2, math.MaxInt); err != nil || again.Trees >= c.Trees || again.Trees < c.Trees-2 {
		t.Errorf("%+v, %v", again, err)
	}
	if again, err := m.s.Chill(0, 500); err != nil || again.Trees >= c.Trees {
		t.Errorf("more results than requested: %+v, %v", again, err)
	}
	if again, err := m.s.Chill(0, math.MaxInt); err != nil || again.Trees != again.Runs || again.Objects != 2000 {
		t.Errorf("%+v, %v", again, err)
	}
	m.check(5)
}
