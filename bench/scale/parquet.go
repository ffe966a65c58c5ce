package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/columns"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// parquet exports a scene, or takes the given file; imports it, and compares the query results of both.
func (s *show) parquet() error {
	name := s.In
	var want []row.Row
	if name == "" {
		name = cmp.Or(s.Out, filepath.Join(s.temp, "boxes.parquet"))
		_, want = s.rows()
		seconds, err := took(func() error { return export(name, want) })
		if err != nil {
			return err
		}
		s.out.Note("export", fmt.Sprintf("%d rows in %.2f s", len(want), seconds))
	}
	f, file, err := openParquet(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var rows []row.Row
	seconds, err := took(func() error {
		for r, err := range f.Rows() {
			if err != nil {
				return err
			}
			rows = append(rows, r)
		}
		return row.CheckAll(rows)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.out.Note("import", fmt.Sprintf("%d rows in %.2f s", len(rows), seconds))
	if want != nil && len(rows) != len(want) {
		return fmt.Errorf("%d rows were written, %d read", len(want), len(rows))
	}
	if want == nil {
		want = rows // the tree is built from the file itself
	}
	if len(rows) == 0 {
		return nil
	}
	o, err := oracle.New(want)
	if err != nil {
		return err
	}
	objects := make([]soa.Object, len(rows))
	for i := range rows {
		objects[i] = rows[i].Object
	}
	sheet := s.out.Table("boxes", table.Column{Title: "query", Width: -20}, table.Column{Title: "boxes", Width: 6},
		table.Column{Title: "rows read", Width: 10}, table.Column{Title: "of", Width: 10}, table.Column{Title: "us", Width: 10})
	for _, k := range kindsOf(objects, 16, s.Seed) {
		ask := func(dst []uint64, b soa.AABB) ([]uint64, int, error) {
			ids, work, err := f.Append(dst, b, query.Filter{})
			return ids, work.Rows, err
		}
		mean, err := agree(o, k.boxes, ask)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		seconds, err := took(func() error {
			for _, b := range k.boxes {
				if _, _, err := ask(nil, b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		sheet.Row(k.name, fmt.Sprint(len(k.boxes)), table.Number(mean), fmt.Sprint(len(rows)), table.Number(1e6*seconds/float64(len(k.boxes))))
	}
	return nil
}

// export writes a file after all rows have been checked.
func export(name string, rows []row.Row) error {
	var data bytes.Buffer
	if err := columns.Write(&data, rows, columns.Options{}); err != nil {
		return err
	}
	return os.WriteFile(name, data.Bytes(), 0o666)
}
