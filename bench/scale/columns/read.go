package columns

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Work counts the work of a query.
type Work struct {
	Groups int // row groups read
	Rows   int // rows of these groups
}

// Append appends the numbers of all objects whose box overlaps the closed box b and which pass the filter.
// They are in file order and exactly the result of one tree of all objects. The box must be finite and not
// inverted; a filter by Exact, Only or Exclude is an error ([row.ErrFilter]). On an error, dst is returned unchanged.
// A box with a NaN overlaps nothing; [File.Rows] reports it.
func (f *File) Append(dst []uint64, b soa.AABB, flt query.Filter) (ids []uint64, work Work, err error) {
	if _, err := query.NewBox(b.Min, b.Max); err != nil {
		return dst, work, fmt.Errorf("columns: %w", err)
	}
	if err := row.CheckFilter(flt); err != nil {
		return dst, work, fmt.Errorf("columns: %w", err)
	}
	ids = dst
	var r reader
	for k := range f.groups {
		g := &f.groups[k]
		if !b.Overlaps(g.tight) {
			continue
		}
		work.Groups++
		work.Rows += g.rows
		if ids, err = r.ask(ids, f, g, b, flt); err != nil {
			return dst, work, fmt.Errorf("columns: row group %d: %w", k, err)
		}
	}
	return ids, work, nil
}

// Rows returns an iterator over all rows in file order. An invalid row or an unreadable part of the file
// yields an error and ends the iteration.
func (f *File) Rows() iter.Seq2[row.Row, error] {
	return func(yield func(row.Row, error) bool) {
		var r reader
		for k := range f.groups {
			g := &f.groups[k]
			if err := r.all(f, g); err != nil {
				yield(row.Row{}, fmt.Errorf("columns: row group %d: %w", k, err))
				return
			}
			for i := range g.rows {
				of, err := r.row(i)
				if err != nil {
					yield(row.Row{}, fmt.Errorf("columns: row group %d, row %d: %w", k, i, err))
					return
				}
				if !yield(of, nil) {
					return
				}
			}
		}
	}
}

// reader holds the columns of a group.
type reader struct {
	ids    []int64
	bounds [6][]float32
	masks  []uint32
	static []bool
	meet   []bool
	values []parquet.Value
}

// ask appends the results of one group.
func (r *reader) ask(dst []uint64, f *File, g *group, b soa.AABB, flt query.Filter) (ids []uint64, err error) {
	defer guard(&err)
	r.meet = fill(r.meet, g.rows, true)
	left := g.rows
	for a := range 3 {
		if err := r.boxes(f, g, a); err != nil {
			return dst, err
		}
		if err := r.boxes(f, g, 3+a); err != nil {
			return dst, err
		}
		left = 0
		for i, lo := range r.bounds[a] {
			if r.meet[i] = r.meet[i] && lo <= b.Max[a] && r.bounds[3+a][i] >= b.Min[a]; r.meet[i] {
				left++
			}
		}
		if left == 0 {
			return dst, nil
		}
	}
	if flt.Mask != 0 {
		err = r.readMasks(f, g)
	}
	if err == nil && flt.Motion != query.AnyMotion {
		err = r.readStatic(f, g)
	}
	if err == nil {
		err = r.readIDs(f, g)
	}
	if err != nil {
		return dst, err
	}
	for i, meets := range r.meet {
		if !meets || flt.Mask != 0 && !row.Keep(r.masks[i], false, query.Filter{Mask: flt.Mask}) ||
			flt.Motion != query.AnyMotion && !row.Keep(0, r.static[i], query.Filter{Motion: flt.Motion}) {
			continue
		}
		if r.ids[i] < 0 {
			return dst, fmt.Errorf("row %d: object %d: numbers begin at 0", i, r.ids[i])
		}
		dst = append(dst, uint64(r.ids[i]))
	}
	return dst, nil
}

// all reads all columns of a group.
func (r *reader) all(f *File, g *group) (err error) {
	defer guard(&err)
	for k := range r.bounds {
		err = errors.Join(err, r.boxes(f, g, k))
	}
	return errors.Join(err, r.readIDs(f, g), r.readMasks(f, g), r.readStatic(f, g))
}

// row returns a row of the group that all has read last.
func (r *reader) row(i int) (of row.Row, err error) {
	for a := range 3 {
		of.Object.Box.Min[a], of.Object.Box.Max[a] = r.bounds[a][i], r.bounds[3+a][i]
	}
	of.ID, of.Object.Mask, of.Object.Static = uint64(r.ids[i]), r.masks[i], r.static[i]
	return of, of.Check()
}

func (r *reader) boxes(f *File, g *group, k int) (err error) {
	r.bounds[k], err = read(r, f, g, bboxColumns+k, r.bounds[k], parquet.Value.Float, floats)
	return err
}

func (r *reader) readIDs(f *File, g *group) (err error) {
	r.ids, err = read(r, f, g, idColumn, r.ids, parquet.Value.Int64, longs)
	return err
}

func (r *reader) readMasks(f *File, g *group) (err error) {
	r.masks, err = read(r, f, g, maskColumn, r.masks, parquet.Value.Uint32, nil)
	return err
}

func (r *reader) readStatic(f *File, g *group) (err error) {
	r.static, err = read(r, f, g, staticColumn, r.static, parquet.Value.Boolean, nil)
	return err
}

func floats(from parquet.ValueReader, to []float32) (n int, err error, ok bool) {
	if typed, is := from.(parquet.FloatReader); is {
		n, err = typed.ReadFloats(to)
		return n, err, true
	}
	return 0, nil, false
}

func longs(from parquet.ValueReader, to []int64) (n int, err error, ok bool) {
	if typed, is := from.(parquet.Int64Reader); is {
		n, err = typed.ReadInt64s(to)
		return n, err, true
	}
	return 0, nil, false
}

// read reads a column of a group into dst, which grows. Pages without nulls are read with typed, if it
// supports them; other pages are read value by value. A missing column reads as zeros.
func read[T any](r *reader, f *File, g *group, column int, dst []T, value func(parquet.Value) T,
	typed func(from parquet.ValueReader, to []T) (n int, err error, ok bool)) (_ []T, err error) {
	var zero T
	dst = fill(dst, g.rows, zero)
	if f.column[column] < 0 {
		return dst, nil
	}
	pages := g.chunk[f.column[column]].Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	done := 0
	for done < len(dst) {
		page, err := pages.ReadPage()
		if err != nil {
			return dst, fmt.Errorf("column %s: after %d of %d rows: %w", wanted[column].path, done, len(dst), err)
		}
		from := page.Values()
		for end := done + int(page.NumValues()); done < end; {
			if end > len(dst) {
				parquet.Release(page)
				return dst, fmt.Errorf("column %s: more than %d values", wanted[column].path, len(dst))
			}
			n, err, ok := 0, error(nil), false
			if typed != nil && page.NumNulls() == 0 {
				n, err, ok = typed(from, dst[done:end])
			}
			if !ok {
				n, err = r.slow(from, wanted[column].path, end-done, func(i int, v parquet.Value) { dst[done+i] = value(v) })
			}
			done += n
			if err != nil && !(err == io.EOF && done == end) || n == 0 {
				parquet.Release(page)
				return dst, fmt.Errorf("column %s, row %d: %w", wanted[column].path, done, err)
			}
		}
		parquet.Release(page)
	}
	return dst, nil
}

// slow reads up to n values one by one.
func (r *reader) slow(from parquet.ValueReader, path string, n int, set func(i int, v parquet.Value)) (int, error) {
	r.values = slices.Grow(r.values[:0], min(n, 1024))[:min(n, 1024)]
	n, err := from.ReadValues(r.values)
	for i, v := range r.values[:n] {
		if v.IsNull() {
			return i, fmt.Errorf("column %s is null", path)
		}
		set(i, v)
	}
	return n, err
}

// fill returns a slice of n copies of value, in the memory of s if it suffices.
func fill[T any](s []T, n int, value T) []T {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = value
	}
	return s
}
