package columns

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// A GeoParquet file has the rows of any other, each with the footprint of its box, and metadata whose covering names
// columns of the file.
func TestGeo(t *testing.T) {
	rows := row.Number(scene.All()[1].Make(1000, 1))
	for i := range rows {
		switch box := &rows[i].Object.Box; i % 4 {
		case 0:
			box.Max = box.Min
		case 1:
			box.Max[0], box.Max[1] = box.Min[0], box.Min[1]
		}
	}
	var to, plain bytes.Buffer
	must.Do(Write(&to, rows, Options{Group: 128, Geo: true}))
	must.Do(Write(&plain, rows, Options{Group: 128}))
	got, want := must.Get(all(opened(t, to.Bytes()))), must.Get(all(opened(t, plain.Bytes())))
	if !slices.Equal(got, want) || len(got) != len(rows) {
		t.Fatalf("%d rows differ from %d", len(got), len(want))
	}
	file := must.Get(parquet.OpenFile(bytes.NewReader(to.Bytes()), int64(to.Len())))
	text, ok := file.Lookup("geo")
	if !ok {
		t.Fatal("no metadata")
	}
	var meta struct {
		Version string
		Primary string `json:"primary_column"`
		Columns map[string]struct {
			Encoding string
			Types    []string `json:"geometry_types"`
			BBox     []float64
			Covering struct{ BBox map[string][]string }
		}
	}
	must.Do(json.Unmarshal([]byte(text), &meta))
	column := meta.Columns[meta.Primary]
	if meta.Version != "1.1.0" || column.Encoding != "WKB" || !slices.Equal(column.Types, []string{"Point Z", "Polygon Z"}) || len(column.Covering.BBox) != 6 {
		t.Errorf("metadata %s", text)
	}
	for side, path := range column.Covering.BBox {
		if _, ok := file.Schema().Lookup(path...); !ok || path[1] != side {
			t.Errorf("covering %s names %v", side, path)
		}
	}
	bounds := soa.Empty()
	for _, r := range rows {
		bounds = bounds.Union(r.Object.Box)
	}
	for a := range 3 {
		if column.BBox[a] != float64(bounds.Min[a]) || column.BBox[3+a] != float64(bounds.Max[a]) {
			t.Errorf("bbox %v, want %v", column.BBox, bounds)
		}
	}
	records := make([]geoRecord, len(rows))
	if n, _ := parquet.NewGenericReader[geoRecord](file).Read(records); n != len(rows) {
		t.Fatalf("%d records", n)
	}
	for i, r := range records {
		box, kind := footprint(t, r.Geometry)
		b := want[i].Object.Box
		b.Max[2] = b.Min[2]
		if box != b || kind == 1001 != (b.Min == b.Max) {
			t.Fatalf("row %d: geometry of type %d from %v to %v, want %v", i, kind, box.Min, box.Max, b)
		}
	}
}

// footprint returns the bounds and the type of a geometry.
func footprint(t *testing.T, wkb []byte) (box soa.AABB, kind uint32) {
	t.Helper()
	kind = binary.LittleEndian.Uint32(wkb[1:])
	at, count := 5, 1
	if kind == 1003 {
		if rings, corners := binary.LittleEndian.Uint32(wkb[5:]), binary.LittleEndian.Uint32(wkb[9:]); rings != 1 || corners != 5 {
			t.Fatalf("%d rings, %d corners", rings, corners)
		}
		at, count = 13, 5
	}
	if wkb[0] != 1 || len(wkb) != at+24*count || !bytes.Equal(wkb[at:at+24], wkb[len(wkb)-24:]) {
		t.Fatalf("geometry %x", wkb)
	}
	box = soa.Empty()
	for ; count > 0; count-- {
		var p [3]float32
		for a := range p {
			p[a] = float32(math.Float64frombits(binary.LittleEndian.Uint64(wkb[at:])))
			at += 8
		}
		box = box.Union(soa.AABB{Min: p, Max: p})
	}
	return box, kind
}

// An empty GeoParquet file is one.
func TestGeoEmpty(t *testing.T) {
	var to bytes.Buffer
	must.Do(Write(&to, nil, Options{Geo: true}))
	if f := opened(t, to.Bytes()); f.Len() != 0 {
		t.Errorf("%d rows", f.Len())
	}
}
