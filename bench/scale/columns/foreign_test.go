package columns

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
)

// foreignBox and foreign are rows as other programs write them: optional columns in another order, among
// others, with dictionaries, compressed.
type foreignBox struct {
	YMax *float32 `parquet:"ymax,optional,dict"`
	XMax *float32 `parquet:"xmax,optional"`
	ZMax *float32 `parquet:"zmax,optional"`
	XMin *float32 `parquet:"xmin,optional,split"`
	YMin *float32 `parquet:"ymin,optional,dict,snappy"`
	ZMin *float32 `parquet:"zmin,optional,gzip"`
}

type foreign struct {
	Name string      `parquet:"name,dict"`
	BBox *foreignBox `parquet:"bbox,optional"`
	ID   *int64      `parquet:"id,optional,zstd"`
}

func foreignOf(r row.Row) foreign {
	b, id := r.Object.Box, int64(r.ID)
	return foreign{"x", &foreignBox{&b.Max[1], &b.Max[0], &b.Max[2], &b.Min[0], &b.Min[1], &b.Min[2]}, &id}
}

// table writes records of any type.
func table[T any](t *testing.T, records []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var to bytes.Buffer
	w := parquet.NewGenericWriter[T](&to, options...)
	must.Get(w.Write(records))
	must.Do(w.Close())
	return to.Bytes()
}

func opened(t *testing.T, data []byte) *File {
	t.Helper()
	f := must.Get(Open(bytes.NewReader(data), int64(len(data))))
	return f
}

// Files of other programs are read and queried, also without statistics.
func TestForeign(t *testing.T) {
	rows := row.Number(scene.All()[1].Make(3000, 1))
	var records []foreign
	for i := range rows {
		rows[i].Object.Mask, rows[i].Object.Static = 0, false // there are no such columns
		records = append(records, foreignOf(rows[i]))
	}
	o := must.Get(oracle.New(rows))
	small := []parquet.WriterOption{parquet.MaxRowsPerRowGroup(500), parquet.PageBufferSize(700)}
	blind := append(small, parquet.SkipPageBounds("bbox", "xmin"), parquet.SkipPageBounds("bbox", "zmax"), parquet.DataPageVersion(1))
	for _, options := range [][]parquet.WriterOption{small, blind} {
		f := opened(t, table(t, records, options...))
		got, err := all(f)
		if err != nil || !slices.EqualFunc(got, rows, same) || f.Groups() != 6 {
			t.Fatalf("%d rows of %d in %d groups, %v", len(got), len(rows), f.Groups(), err)
		}
		if _, ok := f.World(); ok {
			t.Error("it has keys")
		}
		for _, r := range rows[:50] {
			ids, _, err := f.Append(nil, r.Object.Box, query.Filter{})
			if err == nil {
				err = o.Agree(ids, r.Object.Box, query.Filter{})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Rows that no store accepts are errors that name them.
func TestForeignRefused(t *testing.T) {
	nan, minus := float32(math.NaN()), int64(-1)
	for want, spoil := range map[string]func(f *foreign){
		"row 70":                   func(f *foreign) { f.BBox.XMin = &nan },
		"column id is null":        func(f *foreign) { f.ID = nil },
		"column bbox.zmax is null": func(f *foreign) { f.BBox.ZMax = nil },
		"bbox.xmin is null":        func(f *foreign) { f.BBox = nil },
		"numbers end":              func(f *foreign) { f.ID = &minus },
	} {
		rows := row.Number(scene.All()[0].Make(100, 1))
		var records []foreign
		for _, r := range rows {
			records = append(records, foreignOf(r))
		}
		spoil(&records[70])
		f := opened(t, table(t, records))
		if _, err := all(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
		bounds := scene.Bounds(scene.All()[0].Make(100, 1))
		ids, _, err := f.Append(nil, bounds, query.Filter{})
		if want == "row 70" && (err != nil || len(ids) != 99) || want != "row 70" && (err == nil || ids != nil) {
			t.Errorf("want %q: answered %d, %v", want, len(ids), err)
		}
	}
	for want, data := range map[string][]byte{
		"no column id": table(t, []struct {
			BBox bbox `parquet:"bbox"`
		}{{}}),
		"no column bbox.xmin": table(t, []struct {
			ID int64 `parquet:"id"`
		}{{}}),
		"column id is of type": table(t, []struct {
			ID   string `parquet:"id"`
			BBox bbox   `parquet:"bbox"`
		}{{}}),
		"column id is of type INT(64,true)": table(t, []struct {
			ID   []int64 `parquet:"id"`
			BBox bbox    `parquet:"bbox"`
		}{{}}),
		"world": table(t, []record{{}}, parquet.KeyValueMetadata(worldKey, "[1")),
		"-300":  table(t, []record{{}}, parquet.KeyValueMetadata(worldKey, "[-300,0,0,0]")),
	} {
		if _, err := Open(bytes.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// A truncated file is an error; a file with wrong bytes is an error or is read as it is, since no checksum
// covers all of it. Neither panics.
func TestBroken(t *testing.T) {
	var to bytes.Buffer
	must.Do(Write(&to, row.Number(scene.All()[0].Make(60, 1)), Options{Group: 20}))
	whole := to.Bytes()
	errs, steps := 0, 7
	if testing.Short() {
		steps = 97
	}
	for n := 0; n < len(whole); n += 1 + steps/9 {
		if _, err := Open(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			t.Fatalf("cut at %d of %d bytes", n, len(whole))
		}
	}
	for i := 0; i < len(whole); i += steps {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(whole)
			bad[i] ^= flip
			f, err := Open(bytes.NewReader(bad), int64(len(bad)))
			if err == nil {
				_, err = all(f)
				f.Append(nil, f.groups[0].tight, query.Filter{Mask: 1, Motion: query.MovingOnly})
			}
			if err != nil {
				errs++
			}
		}
	}
	if errs == 0 {
		t.Error("no byte matters")
	}
}
