package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/columns"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/ranges"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// entrant is a row of the table: a store, built and ready to be opened.
type entrant struct {
	name  string
	bytes int64
	made  float64 // seconds
	open  func() (ask asker, close func() error)
}

// questions is the number of query boxes of each kind.
const questions = 64

// table compares one tree in memory with the stores.
func (s *show) table() {
	objects, rows := s.rows()
	kinds := kindsOf(objects, questions, s.Seed)
	o := must.Get(oracle.New(rows))
	entrants := s.entrants(objects, rows)
	s.out.Note("cells", fmt.Sprintf("medians of %d rounds over %d boxes of each kind, on one goroutine, after all results have been compared", s.Rounds, questions))
	s.out.Note("cells", "one tree is opened by building it; files are in the page cache")
	sheet := s.sheet("stores", "store", kinds)
	for _, e := range entrants {
		s.progress("querying: %s", e.name)
		must.Within(func() { s.enter(sheet, e, o, kinds) }, "%s", e.name)
	}
	s.out.Note("noise", measure.Heard().String())
}

// entrants builds all stores.
func (s *show) entrants(objects []soa.Object, rows []row.Row) []entrant {
	all := append([]entrant{treeEntrant(objects)}, s.directoryEntrants(objects)...)
	all = append(all, s.pebbleEntrants(filepath.Join(s.temp, "store"), rows)...)
	for _, group := range []int{65536, 8192} {
		s.progress("making Parquet, groups of %d", group)
		all = append(all, parquetEntrant(filepath.Join(s.temp, fmt.Sprint(group, ".parquet")), rows, group))
	}
	return all
}

// build builds one frozen tree.
func build(objects []soa.Object) *linear.Tree {
	tree := must.Get(linear.New(linear.Config{Frozen: true, Workers: 1}))
	must.Get(tree.InsertBatch(nil, objects))
	return tree
}

func treeEntrant(objects []soa.Object) (e entrant) {
	var tree *linear.Tree
	e.made = took(func() { tree = build(objects) })
	e.name, e.bytes = "one tree in memory", int64(tree.Stats().LiveBytes())
	e.open = func() (asker, func() error) {
		return askTree(build(objects).View(), nil), func() error { return nil }
	}
	return e
}

// pebbleEntrants returns one store, queried with covers of several sizes and with trees.
func (s *show) pebbleEntrants(dir string, rows []row.Row) (all []entrant) {
	s.progress("making Pebble")
	size := int64(0)
	made := took(func() {
		store := must.Get(ranges.Create(dir, must.Get(ranges.Fit(rows)), rows, ranges.Options{}))
		err := store.Compact()
		size = store.Bytes()
		must.Do(errors.Join(err, store.Close()))
	})
	opened := func(cover, most int) func() (asker, func() error) {
		return func() (asker, func() error) {
			store := must.Get(ranges.Open(dir, ranges.Options{Ranges: cover, Cache: 256 << 20}))
			if most > 0 {
				if _, err := store.Chill(0, most); err != nil {
					must.Do(errors.Join(err, store.Close()))
				}
			}
			return askStore(store), store.Close
		}
	}
	for _, cover := range []int{8, 32, 128} {
		all = append(all, entrant{fmt.Sprintf("Pebble, covers of %d ranges", cover), size, made, opened(cover, 0)})
	}
	return append(all, entrant{"Pebble, all ranges cold: trees", size, made, opened(32, len(rows))})
}

func parquetEntrant(name string, rows []row.Row, group int) (e entrant) {
	e.name = fmt.Sprintf("Parquet, groups of %d", group)
	e.made = took(func() { e.bytes = export(name, rows, columns.Options{Group: group}) })
	e.open = func() (asker, func() error) {
		f, file := openParquet(name)
		return askFile(f), file.Close
	}
	return e
}

// openParquet opens a file by its name.
func openParquet(name string) (*columns.File, *os.File) {
	file := must.Get(os.Open(name))
	info, err := file.Stat()
	if err == nil {
		var f *columns.File
		if f, err = columns.Open(file, info.Size()); err == nil {
			return f, file
		}
	}
	must.Do(errors.Join(err, file.Close()))
	return nil, nil
}

// enter opens an entrant, compares its results and measures its times.
func (s *show) enter(sheet *report.Table, e entrant, o *oracle.Oracle, kinds []kind) {
	var ask asker
	var opens measure.Series
	done := func() error { return nil }
	defer must.Close(func() error { return done() })
	for range s.Rounds {
		must.Do(done())
		done = func() error { return nil }
		opens = append(opens, 1e3*took(func() { ask, done = e.open() }))
	}
	n := float64(s.N)
	cells := []string{e.name, table.Number(float64(e.bytes) / n), table.Number(e.made), table.Number(opens.Median())}
	for _, k := range kinds {
		rows := agree(o, k.boxes, ask)
		var ids []uint64
		times := measure.Interleave(s.Rounds, measure.Task{Units: len(k.boxes), Do: func() (sum uint64) {
			for _, b := range k.boxes {
				ids, _ = ask(ids[:0], b)
				sum += uint64(len(ids))
			}
			return sum
		}})[0]
		read := "-"
		if rows > 0 {
			read = table.Number(rows)
		}
		cells = append(cells, table.Number(times.Median()/1e3), read)
		s.out.Measure(report.Measure{Name: report.Name("Scale", "store", e.name, "n", s.N, "box", k.name), Unit: "ns/op", Samples: times})
	}
	sheet.Row(cells...)
}
