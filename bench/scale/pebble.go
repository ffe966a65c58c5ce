package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/ranges"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/soa"
)

// txSize is the number of changes of a transaction.
const txSize = 10

// pebble runs transactions and queries in a store, and compares all results.
func (s *show) pebble() {
	objects, rows := s.rows()
	kinds := kindsOf(objects, 16, s.Seed)
	o := must.Get(oracle.New(rows))
	layout := must.Get(ranges.Fit(rows))
	dir := cmp.Or(s.Dir, filepath.Join(s.temp, "store"))
	opt := ranges.Options{Run: max(64, s.N/64)} // enough runs for some to be cold and some warm
	var store *ranges.Store
	s.progress("making the store")
	made := took(func() { store = must.Get(ranges.Create(dir, layout, rows, opt)) })
	defer func() { store.Close() }() // after a failure
	s.out.Note("store", fmt.Sprintf("in %.2f s; large are boxes with a face farther than %.3g from the centre; %v", made, layout.Small, layout.World))
	sheet := s.out.Table("steps", table.Column{Title: "after", Width: -46}, table.Column{Title: "seconds", Width: 8},
		table.Column{Title: "objects", Width: 9}, table.Column{Title: "B/object", Width: 8}, table.Column{Title: "in trees", Width: 9},
		table.Column{Title: "rows read by a small box", Width: 9}, table.Column{Title: "by a large", Width: 9})
	step := func(name string, do func() ranges.Chilled) {
		s.progress("%s", name)
		var c ranges.Chilled
		seconds := took(func() { c = do() })
		cells := []string{name, table.Number(seconds), fmt.Sprint(len(o.Rows)), table.Number(float64(store.Bytes()) / float64(max(1, len(o.Rows)))), fmt.Sprint(c.Objects)}
		for _, k := range kinds {
			cells = append(cells, table.Number(agree(o, k.boxes, askStore(store))))
		}
		sheet.Row(cells...)
	}
	rng := rand.New(rand.NewPCG(s.Seed, 7))
	change := func() (none ranges.Chilled) {
		for range s.Steps {
			transact(store, o, rng, objects)
		}
		return none
	}
	for _, x := range []struct {
		name string
		do   func() ranges.Chilled
	}{
		{"making it", func() (none ranges.Chilled) { return none }},
		{"trees of all", func() ranges.Chilled { return must.Get(store.Chill(0, 2*len(o.Rows))) }},
		{fmt.Sprintf("%d transactions of %d changes, synced", s.Steps, txSize), change},
		{"trees of ranges without changes by the last five", func() ranges.Chilled { return must.Get(store.Chill(5, 2*len(o.Rows))) }},
		{"as many transactions again", change},
		{"closing, opening and compaction", func() (none ranges.Chilled) {
			must.Do(store.Close())
			store = must.Get(ranges.Open(dir, opt))
			must.Do(store.Compact())
			return none
		}},
	} {
		must.Within(func() { step(x.name, x.do) }, "%s", x.name)
	}
}

// transact runs a transaction of random changes, in the store and in the tree.
func transact(store *ranges.Store, o *oracle.Oracle, rng *rand.Rand, objects []soa.Object) {
	var same []func() error
	must.Do(store.Update(func(tx *ranges.Tx) error {
		used := map[uint64]bool{}
		for range txSize {
			to := objects[rng.IntN(len(objects))]
			kind := rng.IntN(4)
			if len(o.Rows) < 2*txSize {
				kind = 0
			}
			if kind == 0 {
				r := row.Row{ID: 1<<40 + rng.Uint64N(1<<40), Object: to}
				if err := tx.Put(r); err != nil {
					return err
				}
				same = append(same, func() error { return o.Put(r) })
				continue
			}
			id := o.Rows[rng.IntN(len(o.Rows))].ID
			if used[id] {
				continue
			}
			used[id] = true
			var err error
			if kind == 1 {
				err = tx.Remove(id)
				same = append(same, func() error { return o.Remove(id) })
			} else {
				err = tx.Move(id, to.Box)
				same = append(same, func() error { return o.Move(id, to.Box) })
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
	for _, do := range same {
		must.Do(do())
	}
}
