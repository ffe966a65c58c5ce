package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/columns"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/soa"
)

// parquet exports a scene, or takes the given file; imports it, and compares the query results of both.
func (s *show) parquet() {
	name := s.In
	var want []row.Row
	if name == "" {
		name = cmp.Or(s.Out, filepath.Join(s.temp, "boxes.parquet"))
		_, want = s.rows()
		seconds := took(func() { export(name, want, columns.Options{Geo: s.Geo}) })
		s.out.Note("export", fmt.Sprintf("%d rows in %.2f s", len(want), seconds))
	}
	f, file := openParquet(name)
	defer file.Close()
	must.Within(func() { s.read(f, want) }, "%s", name)
}

// read imports a file and compares the query results of the file and of a tree.
func (s *show) read(f *columns.File, want []row.Row) {
	var rows []row.Row
	seconds := took(func() {
		for r, err := range f.Rows() {
			must.Do(err)
			rows = append(rows, r)
		}
		must.Do(row.CheckAll(rows))
	})
	s.out.Note("import", fmt.Sprintf("%d rows in %.2f s", len(rows), seconds))
	if want != nil && len(rows) != len(want) {
		must.Fail("%d rows were written, %d read", len(want), len(rows))
	}
	if want == nil {
		want = rows // the tree is built from the file itself
	}
	if len(rows) == 0 {
		return
	}
	o := must.Get(oracle.New(want))
	objects := make([]soa.Object, len(rows))
	for i := range rows {
		objects[i] = rows[i].Object
	}
	sheet := s.out.Table("boxes", table.Column{Title: "query", Width: -20}, table.Column{Title: "boxes", Width: 6},
		table.Column{Title: "rows read", Width: 10}, table.Column{Title: "of", Width: 10}, table.Column{Title: "us", Width: 10})
	ask := askFile(f)
	for _, k := range kindsOf(objects, 16, s.Seed) {
		mean := agree(o, k.boxes, ask)
		seconds := took(func() {
			for _, b := range k.boxes {
				ask(nil, b)
			}
		})
		sheet.Row(k.name, fmt.Sprint(len(k.boxes)), table.Number(mean), fmt.Sprint(len(rows)), table.Number(1e6*seconds/float64(len(k.boxes))))
	}
}

// export writes a file after all rows have been checked, and returns its size.
func export(name string, rows []row.Row, opt columns.Options) int64 {
	var data bytes.Buffer
	must.Do(columns.Write(&data, rows, opt))
	must.Do(os.WriteFile(name, data.Bytes(), 0o666))
	return int64(data.Len())
}
