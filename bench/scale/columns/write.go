package columns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/morton"
)

// record is a row of a file. Its tags define the columns.
type record struct {
	Key    int64  `parquet:"key,delta"`
	ID     int64  `parquet:"id,delta"`
	BBox   bbox   `parquet:"bbox"`
	Mask   uint32 `parquet:"mask"`
	Static bool   `parquet:"static"`
}

type bbox struct {
	XMin float32 `parquet:"xmin,plain"`
	YMin float32 `parquet:"ymin,plain"`
	ZMin float32 `parquet:"zmin,plain"`
	XMax float32 `parquet:"xmax,plain"`
	YMax float32 `parquet:"ymax,plain"`
	ZMax float32 `parquet:"zmax,plain"`
}

// worldKey is the key of the world in the metadata.
const worldKey = "zoctree:world"

// Options configures the writing of a file. The zero value is a good default.
type Options struct {
	Group int  // rows of a row group; 0: 8,192; fewer suit queries with smaller boxes
	Geo   bool // GeoParquet: a column of geometries, and the metadata that names bbox as its covering
}

// pageRows is the largest number of rows of a page of a column.
const pageRows = 1 << 16

// Write writes a file of the rows, sorted by key in the smallest world of the rows. It sorts a copy in
// memory. An invalid row or a duplicate number is an error before anything is written. A geometry takes up to 177
// bytes of a row.
func Write(to io.Writer, rows []row.Row, opt Options) error {
	group := cmp.Or(opt.Group, 8192)
	if group < 1 {
		return fmt.Errorf("columns: row groups of %d rows", group)
	}
	if err := row.CheckAll(rows); err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	w, err := row.World(rows)
	if err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	at := w.Origin()
	world, err := json.Marshal([4]int{w.Exp(), int(at[0]), int(at[1]), int(at[2])})
	if err != nil {
		return err
	}
	keyed := row.Sort(w, rows)
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(int64(group)),
		parquet.PageBufferSize(8 * min(group, pageRows)),
		parquet.DataPageVersion(1), // the version that every reader supports
		parquet.DataPageStatistics(true),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("key"), parquet.Ascending("id"))),
		parquet.KeyValueMetadata(worldKey, string(world)),
		parquet.CreatedBy("zoctree", fmt.Sprint(1), ""),
	}
	if !opt.Geo {
		return write(to, keyed, group, options, recordOf)
	}
	options = append(options, parquet.KeyValueMetadata("geo", geoMetadata(rows)))
	return write(to, keyed, group, options, func(k row.Keyed) geoRecord { return geoRecord{recordOf(k), geometry(k.Row.Object.Box)} })
}

// write writes records in row groups.
func write[T any](to io.Writer, rows []row.Keyed, group int, options []parquet.WriterOption, of func(k row.Keyed) T) error {
	out := parquet.NewGenericWriter[T](to, options...)
	records := make([]T, 0, group)
	for i, k := range rows {
		records = append(records, of(k))
		if len(records) == group || i == len(rows)-1 {
			if _, err := out.Write(records); err != nil {
				return fmt.Errorf("columns: %w", err)
			}
			records = records[:0]
		}
	}
	return out.Close()
}

func recordOf(k row.Keyed) record {
	o := &k.Row.Object
	lo, hi := o.Box.Min, o.Box.Max
	return record{int64(k.Key), int64(k.Row.ID), bbox{lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]}, o.Mask, o.Static}
}

// readWorld parses the world in the metadata.
func readWorld(text string) (morton.World, error) {
	var n [4]int32
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return morton.World{}, fmt.Errorf("columns: %s %q: %w", worldKey, text, err)
	}
	return morton.NewWorld(int(n[0]), [3]int32(n[1:]))
}
