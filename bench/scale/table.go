package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/columns"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/ranges"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// entrant is a row of the table: a store, built and ready to be opened.
type entrant struct {
	name  string
	bytes int64
	made  float64 // seconds
	open  func() (ask asker, close func() error, err error)
}

// questions is the number of query boxes of each kind.
const questions = 64

// table compares one tree in memory with the stores.
func (s *show) table() error {
	objects, rows := s.rows()
	kinds := kindsOf(objects, questions, s.Seed)
	o, err := oracle.New(rows)
	if err != nil {
		return err
	}
	entrants, err := s.entrants(objects, rows)
	if err != nil {
		return err
	}
	s.out.Note("cells", fmt.Sprintf("medians of %d rounds over %d boxes of each kind, on one goroutine, after all results have been compared", s.Rounds, questions))
	s.out.Note("cells", "one tree is opened by building it; files are in the page cache")
	sheet := s.sheet("stores", "store", kinds)
	for _, e := range entrants {
		s.progress("querying: %s", e.name)
		if err := s.enter(sheet, e, o, kinds); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	s.out.Note("noise", measure.Heard().String())
	return nil
}

// entrants builds all stores.
func (s *show) entrants(objects []soa.Object, rows []row.Row) ([]entrant, error) {
	one, err := treeEntrant(objects)
	if err != nil {
		return nil, err
	}
	shards, err := s.directoryEntrants(objects)
	if err != nil {
		return nil, err
	}
	all := append([]entrant{one}, shards...)
	dir := filepath.Join(s.temp, "store")
	pebble, err := s.pebbleEntrants(dir, rows)
	if err != nil {
		return nil, err
	}
	all = append(all, pebble...)
	for _, group := range []int{65536, 8192} {
		s.progress("making Parquet, groups of %d", group)
		e, err := parquetEntrant(filepath.Join(s.temp, fmt.Sprint(group, ".parquet")), rows, group)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// build builds one frozen tree.
func build(objects []soa.Object) (*linear.Tree, error) {
	tree, err := linear.New(linear.Config{Frozen: true, Workers: 1})
	if err == nil {
		_, err = tree.InsertBatch(nil, objects)
	}
	return tree, err
}

func treeEntrant(objects []soa.Object) (e entrant, err error) {
	var tree *linear.Tree
	if e.made, err = took(func() error { tree, err = build(objects); return err }); err != nil {
		return e, err
	}
	e.name, e.bytes = "one tree in memory", int64(tree.Stats().LiveBytes())
	e.open = func() (asker, func() error, error) {
		tree, err := build(objects)
		if err != nil {
			return nil, nil, err
		}
		var local []uint32
		v := tree.View()
		return func(dst []uint64, b soa.AABB) ([]uint64, int, error) {
			box, err := query.NewBox(b.Min, b.Max)
			if err != nil {
				return dst, 0, err
			}
			local = box.Append(local[:0], v, query.Filter{})
			for _, id := range local {
				dst = append(dst, uint64(id))
			}
			return dst, 0, nil
		}, func() error { return nil }, nil
	}
	return e, nil
}

// pebbleEntrants returns one store, queried with covers of several sizes and with trees.
func (s *show) pebbleEntrants(dir string, rows []row.Row) (all []entrant, err error) {
	s.progress("making Pebble")
	size := int64(0)
	made, err := took(func() error {
		layout, err := ranges.Fit(rows)
		if err != nil {
			return err
		}
		store, err := ranges.Create(dir, layout, rows, ranges.Options{})
		if err != nil {
			return err
		}
		err = store.Compact()
		size = store.Bytes()
		if e := store.Close(); err == nil {
			err = e
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	opened := func(cover, most int) func() (asker, func() error, error) {
		return func() (asker, func() error, error) {
			store, err := ranges.Open(dir, ranges.Options{Ranges: cover, Cache: 256 << 20})
			if err != nil {
				return nil, nil, err
			}
			if most > 0 {
				if _, err := store.Chill(0, most); err != nil {
					return nil, store.Close, err
				}
			}
			return func(dst []uint64, b soa.AABB) ([]uint64, int, error) {
				ids, work, err := store.Append(dst, b, query.Filter{})
				return ids, work.Rows, err
			}, store.Close, nil
		}
	}
	for _, cover := range []int{8, 32, 128} {
		all = append(all, entrant{fmt.Sprintf("Pebble, covers of %d ranges", cover), size, made, opened(cover, 0)})
	}
	return append(all, entrant{"Pebble, all ranges cold: trees", size, made, opened(32, len(rows))}), nil
}

func parquetEntrant(name string, rows []row.Row, group int) (e entrant, err error) {
	e.name = fmt.Sprintf("Parquet, groups of %d", group)
	var data bytes.Buffer
	e.made, err = took(func() error {
		if err := columns.Write(&data, rows, columns.Options{Group: group}); err != nil {
			return err
		}
		return os.WriteFile(name, data.Bytes(), 0o666)
	})
	e.bytes = int64(data.Len())
	e.open = func() (asker, func() error, error) {
		f, file, err := openParquet(name)
		if err != nil {
			return nil, nil, err
		}
		return func(dst []uint64, b soa.AABB) ([]uint64, int, error) {
			ids, work, err := f.Append(dst, b, query.Filter{})
			return ids, work.Rows, err
		}, file.Close, nil
	}
	return e, err
}

// openParquet opens a file by its name.
func openParquet(name string) (f *columns.File, file *os.File, err error) {
	if file, err = os.Open(name); err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		f, err = columns.Open(file, info.Size())
	}
	if err != nil {
		file.Close()
	}
	return f, file, err
}

// enter opens an entrant, compares its results and measures its times.
func (s *show) enter(sheet *report.Table, e entrant, o *oracle.Oracle, kinds []kind) (err error) {
	var ask asker
	var opens measure.Series
	done := func() error { return nil }
	for range s.Rounds {
		if err := done(); err != nil {
			return err
		}
		seconds, err := took(func() (err error) { ask, done, err = e.open(); return err })
		if err != nil {
			return err
		}
		opens = append(opens, 1e3*seconds)
	}
	defer func() {
		if e := done(); err == nil {
			err = e
		}
	}()
	n := float64(s.N)
	cells := []string{e.name, table.Number(float64(e.bytes) / n), table.Number(e.made), table.Number(opens.Median())}
	for _, k := range kinds {
		rows, err := agree(o, k.boxes, ask)
		if err != nil {
			return err
		}
		var failed error
		var ids []uint64
		times := measure.Interleave(s.Rounds, measure.Task{Units: len(k.boxes), Do: func() (sum uint64) {
			for _, b := range k.boxes {
				if ids, _, failed = ask(ids[:0], b); failed != nil {
					return 0
				}
				sum += uint64(len(ids))
			}
			return sum
		}})[0]
		if failed != nil {
			return failed
		}
		read := "-"
		if rows > 0 {
			read = table.Number(rows)
		}
		cells = append(cells, table.Number(times.Median()/1e3), read)
		s.out.Measure(report.Measure{Name: report.Name("Scale", "store", e.name, "n", s.N, "box", k.name), Unit: "ns/op", Samples: times})
	}
	sheet.Row(cells...)
	return nil
}
