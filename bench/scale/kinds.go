package main

import (
	"fmt"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/columns"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/ranges"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// kind is a named list of query boxes.
type kind struct {
	name  string
	boxes []soa.AABB
}

// kindsOf returns small and large query boxes. A small box overlaps about 450 objects, or a tenth of all if
// that is less. A large box overlaps one object in sixty-four, but at least 1,000, or a third of all if that
// is less.
func kindsOf(objects []soa.Object, count int, seed uint64) []kind {
	n := len(objects)
	small, large := min(450, max(1, n/10)), max(n/64, min(1000, n/3), 1)
	return []kind{
		{fmt.Sprint("box of ", small), scene.BoxQueries(objects, small, count, seed)},
		{fmt.Sprint("box of ", large), scene.BoxQueries(objects, large, count, seed+1)},
	}
}

// asker runs a box query and returns the number of rows that it read.
type asker func(dst []uint64, b soa.AABB) (ids []uint64, rows int)

// askTree returns the asker of a tree; numbers are those of the objects by ID, nil if they are equal.
func askTree(v linear.View, numbers []uint64) asker {
	var local []uint32
	return func(dst []uint64, b soa.AABB) ([]uint64, int) {
		local = must.Get(query.NewBox(b.Min, b.Max)).Append(local[:0], v, query.Filter{})
		for _, id := range local {
			if numbers == nil {
				dst = append(dst, uint64(id))
			} else {
				dst = append(dst, numbers[id])
			}
		}
		return dst, 0
	}
}

func askStore(s *ranges.Store) asker {
	return func(dst []uint64, b soa.AABB) ([]uint64, int) {
		ids, work, err := s.Append(dst, b, query.Filter{})
		must.Do(err)
		return ids, work.Rows
	}
}

func askFile(f *columns.File) asker {
	return func(dst []uint64, b soa.AABB) ([]uint64, int) {
		ids, work, err := f.Append(dst, b, query.Filter{})
		must.Do(err)
		return ids, work.Rows
	}
}

// agree runs all box queries and compares the results with one tree. It returns the mean number of rows read.
func agree(o *oracle.Oracle, boxes []soa.AABB, ask asker) float64 {
	total := 0
	for _, b := range boxes {
		ids, rows := ask(nil, b)
		must.Do(o.Agree(ids, b, query.Filter{}))
		total += rows
	}
	return float64(total) / float64(len(boxes))
}

// columns of a table of stores: name, size and times
func (s *show) sheet(name string, first string, kinds []kind) *report.Table {
	cols := []table.Column{{Title: first, Width: -32}, {Title: "B/object", Width: 8}, {Title: "make s", Width: 7}, {Title: "open ms", Width: 8}}
	for _, k := range kinds {
		cols = append(cols, table.Column{Title: k.name + " us", Width: 16}, table.Column{Title: "rows read", Width: 9})
	}
	return s.out.Table(name, cols...)
}

// took runs do and returns its time in seconds.
func took(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}
