package columns

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Indices of the columns that the package reads.
const (
	idColumn     = iota
	bboxColumns  // six columns
	maskColumn   = bboxColumns + 6
	staticColumn = maskColumn + 1
	keyColumn    = staticColumn + 1
	columnCount  = keyColumn + 1
)

// wanted lists the columns that the package reads: their paths, kinds, and whether a file may lack them.
var wanted = [columnCount]struct {
	path    string
	kind    parquet.Kind
	missing bool
}{
	idColumn:        {"id", parquet.Int64, false},
	bboxColumns + 0: {"bbox.xmin", parquet.Float, false},
	bboxColumns + 1: {"bbox.ymin", parquet.Float, false},
	bboxColumns + 2: {"bbox.zmin", parquet.Float, false},
	bboxColumns + 3: {"bbox.xmax", parquet.Float, false},
	bboxColumns + 4: {"bbox.ymax", parquet.Float, false},
	bboxColumns + 5: {"bbox.zmax", parquet.Float, false},
	maskColumn:      {"mask", parquet.Int32, true},
	staticColumn:    {"static", parquet.Boolean, true},
	keyColumn:       {"key", parquet.Int64, true},
}

// File is an open file. It is safe for concurrent use.
type File struct {
	file   *parquet.File
	column [columnCount]int // -1: none
	world  morton.World
	keyed  bool
	groups []group
}

// group is a row group.
type group struct {
	rows  int
	tight soa.AABB // bounds of its boxes; infinite without statistics
	chunk []parquet.ColumnChunk
}

// maxGroup is the largest number of rows of a row group: the columns of a group are in memory at once.
const maxGroup = 1 << 24

// Open opens a file of size bytes. A missing column and a column of another type are errors that name it. A
// truncated file and a file in another format are errors too.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer guard(&err)
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	f = &File{file: file}
	if err := f.findColumns(); err != nil {
		return nil, err
	}
	if text, ok := file.Lookup(worldKey); ok && f.column[keyColumn] >= 0 {
		if f.world, err = readWorld(text); err != nil {
			return nil, err
		}
		f.keyed = true
	}
	for _, of := range file.RowGroups() {
		n := of.NumRows()
		if n < 0 || n > maxGroup {
			return nil, fmt.Errorf("columns: a row group of %d rows, at most %d are read", n, maxGroup)
		}
		g := group{rows: int(n), chunk: of.ColumnChunks()}
		g.tight = f.tight(&g)
		f.groups = append(f.groups, g)
	}
	return f, nil
}

// guard converts a panic to an error, because the Parquet library may panic on corrupt files.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("columns: the file is broken: %v", p)
	}
}

func (f *File) findColumns() error {
	schema := f.file.Schema()
	for i, want := range wanted {
		leaf, ok := schema.Lookup(strings.Split(want.path, ".")...)
		if f.column[i] = -1; !ok && want.missing {
			continue
		}
		if !ok {
			return fmt.Errorf("columns: no column %s", want.path)
		}
		if kind := leaf.Node.Type().Kind(); kind != want.kind || leaf.MaxRepetitionLevel > 0 {
			return fmt.Errorf("columns: column %s is of type %v, want one %v in each row", want.path, leaf.Node.Type(), want.kind)
		}
		f.column[i] = leaf.ColumnIndex
	}
	return nil
}

// tight returns the bounding box of a group from the statistics of its columns.
func (f *File) tight(g *group) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = float32(math.Inf(-1)), float32(math.Inf(1))
		if least, _, ok := bounds(g.chunk[f.column[bboxColumns+a]]); ok {
			b.Min[a] = least
		}
		if _, most, ok := bounds(g.chunk[f.column[bboxColumns+3+a]]); ok {
			b.Max[a] = most
		}
	}
	return b
}

// bounds returns the least and the largest number of a column in a group, from its statistics; ok is false if
// there are none, or if one of the two is NaN.
func bounds(c parquet.ColumnChunk) (least, most float32, ok bool) {
	of, ok := c.(*parquet.FileColumnChunk)
	if !ok {
		return 0, 0, false
	}
	lo, hi, ok := of.Bounds()
	if !ok {
		return 0, 0, false
	}
	least, most = lo.Float(), hi.Float()
	return least, most, least <= most
}

// Len returns the number of rows.
func (f *File) Len() int64 { return f.file.NumRows() }

// Groups returns the number of row groups.
func (f *File) Groups() int { return len(f.groups) }

// World returns the world of the keys; ok is false if the file has none.
func (f *File) World() (w morton.World, ok bool) { return f.world, f.keyed }
