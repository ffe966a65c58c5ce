package main

import (
	"fmt"
	"time"

	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// kind is a kind of boxes to ask for.
type kind struct {
	name  string
	boxes []soa.AABB
}

// kindsOf returns small and large boxes: about 450 objects meet a small one, or a tenth
// of all if that is less, and a large one one in sixty-four, or a third.
func kindsOf(objects []soa.Object, count int, seed uint64) []kind {
	n := len(objects)
	small, large := min(450, max(1, n/10)), max(n/64, min(1000, n/3), 1)
	return []kind{
		{fmt.Sprint("box of ", small), scene.BoxQueries(objects, small, count, seed)},
		{fmt.Sprint("box of ", large), scene.BoxQueries(objects, large, count, seed+1)},
	}
}

// asker answers a box and says how many rows it has read for that.
type asker func(dst []uint64, b soa.AABB) (ids []uint64, rows int, err error)

// agree asks for all boxes and compares with one tree. It returns the rows read in the
// mean.
func agree(o *oracle.Oracle, boxes []soa.AABB, ask asker) (mean float64, err error) {
	total := 0
	for _, b := range boxes {
		ids, rows, err := ask(nil, b)
		if err == nil {
			err = o.Agree(ids, b, query.Filter{})
		}
		if err != nil {
			return 0, err
		}
		total += rows
	}
	return float64(total) / float64(len(boxes)), nil
}

// columns of a table of stores: what each is, and what it takes.
func (s *show) sheet(name string, first string, kinds []kind) *report.Table {
	cols := []table.Column{{Title: first, Width: -32}, {Title: "B/object", Width: 8}, {Title: "make s", Width: 7}, {Title: "open ms", Width: 8}}
	for _, k := range kinds {
		cols = append(cols, table.Column{Title: k.name + " us", Width: 16}, table.Column{Title: "rows read", Width: 9})
	}
	return s.out.Table(name, cols...)
}

// took returns the time of work in seconds.
func took(do func() error) (seconds float64, err error) {
	start := time.Now()
	err = do()
	return time.Since(start).Seconds(), err
}
