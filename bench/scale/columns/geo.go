package columns

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/soa"
)

// geoRecord is a row of a GeoParquet file.
type geoRecord struct {
	record
	Geometry []byte `parquet:"geometry"`
}

// geoMetadata returns the metadata of GeoParquet 1.1.0: geoparquet.org/releases/v1.1.0. The coordinates have no
// reference system. Readers prune by the covering, whose columns are those of the boxes.
func geoMetadata(rows []row.Row) string {
	type paths map[string][]string
	covering, bounds := paths{}, soa.Empty()
	for _, side := range []string{"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"} {
		covering[side] = []string{"bbox", side}
	}
	types := map[string]bool{}
	for i := range rows {
		box := rows[i].Object.Box
		bounds = bounds.Union(box)
		types[geometryType(box)] = true
	}
	kinds := []string{}
	for kind := range types {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	column := map[string]any{"encoding": "WKB", "geometry_types": kinds, "crs": nil, "covering": map[string]paths{"bbox": covering}}
	if len(rows) > 0 {
		box := make([]float64, 6) // as float32 they would be rounded to fewer digits
		for a := range 3 {
			box[a], box[3+a] = float64(bounds.Min[a]), float64(bounds.Max[a])
		}
		column["bbox"] = box
	}
	text, err := json.Marshal(map[string]any{"version": "1.1.0", "primary_column": "geometry", "columns": map[string]any{"geometry": column}})
	if err != nil {
		panic(err) // strings and finite numbers
	}
	return string(text)
}

// geometryType returns the type of the geometry of a box: its footprint, at its lowest height.
func geometryType(b soa.AABB) string {
	if b.Min[0] == b.Max[0] && b.Min[1] == b.Max[1] {
		return "Point Z"
	}
	return "Polygon Z"
}

// geometry returns the footprint in well-known binary (ISO 19125, with heights), little-endian.
func geometry(b soa.AABB) []byte {
	const point, polygon = 1001, 1003
	var to bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			binary.Write(&to, binary.LittleEndian, v) // to memory: no error
		}
	}
	corner := func(x, y float32) { put(float64(x), float64(y), float64(b.Min[2])) }
	if geometryType(b) == "Point Z" {
		put(uint8(1), uint32(point))
		corner(b.Min[0], b.Min[1])
		return to.Bytes()
	}
	put(uint8(1), uint32(polygon), uint32(1), uint32(5)) // one ring, which ends where it begins
	corner(b.Min[0], b.Min[1])
	corner(b.Max[0], b.Min[1])
	corner(b.Max[0], b.Max[1])
	corner(b.Min[0], b.Max[1])
	corner(b.Min[0], b.Min[1])
	return to.Bytes()
}
