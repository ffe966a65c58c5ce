// Package row provides the common basis of the stores of this module: objects with numbers (rows), their
// order by Morton key, and the widening of a query so that a key scan finds every overlapping box.
//
// A row is found by the key of one point, the centre of its box (package morton). A box may extend beyond any
// cell that contains its centre. A query therefore scans the keys of all possible centres of overlapping
// boxes:
//
//	   reach      query       reach
//	|<-------->|###########|<-------->|      on each axis
//	|          |           |          |
//	+--c-------|--- box ---|-------c--+      c: centres of boxes that overlap the query
//
// The reach is the largest distance of a centre from a face of its box, over all rows: one huge box widens
// every query. Rows are therefore best partitioned by size.
package row

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// MaxID is the largest number of an object. Formats without unsigned integers can hold it.
const MaxID = math.MaxInt64

// Row is an object under a number of the program's own.
type Row struct {
	ID     uint64
	Object soa.Object
}

// Check returns an error for a row that no store accepts: a number above [MaxID], or a box that is not finite
// or is inverted.
func (r *Row) Check() error {
	if r.ID > MaxID {
		return fmt.Errorf("object %d: numbers end at %d", r.ID, uint64(MaxID))
	}
	if err := r.Object.Box.Check(); err != nil {
		return fmt.Errorf("object %d: %w", r.ID, err)
	}
	return nil
}

// CheckAll checks all rows, and that no number occurs twice. It allocates memory for the numbers.
func CheckAll(rows []Row) error {
	ids := make([]uint64, len(rows))
	for i := range rows {
		if err := rows[i].Check(); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		ids[i] = rows[i].ID
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			return fmt.Errorf("object %d is there twice", ids[i])
		}
	}
	return nil
}

// Number makes rows of objects, numbered by their indices.
func Number(objects []soa.Object) []Row {
	rows := make([]Row, len(objects))
	for i := range rows {
		rows[i] = Row{uint64(i), objects[i]}
	}
	return rows
}

// World returns the smallest world of the centres of all rows. Keys of two stores, or of two writes to one,
// are comparable only in the same world, so it is fixed before the first key. The boxes must be valid.
func World(rows []Row) (morton.World, error) {
	if len(rows) == 0 {
		return morton.World{}, nil
	}
	b := soa.Empty()
	for i := range rows {
		c := rows[i].Object.Box.Center()
		b = b.Union(soa.AABB{Min: c, Max: c})
	}
	return morton.Fit(b.Min, b.Max)
}

// Key returns the key of the centre of a box.
func Key(w morton.World, b soa.AABB) morton.Key { return w.KeyOfBox(b.Min, b.Max) }

// Keyed is a row with its key.
type Keyed struct {
	Key morton.Key
	Row Row
}

// Sort returns the rows with their keys, sorted by key and then by number.
func Sort(w morton.World, rows []Row) []Keyed {
	sorted := make([]Keyed, len(rows))
	for i, r := range rows {
		sorted[i] = Keyed{Key(w, r.Object.Box), r}
	}
	slices.SortFunc(sorted, func(a, b Keyed) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Row.ID, b.Row.ID))
	})
	return sorted
}

// Reach is an upper bound, on each axis, of the distance of any centre from the faces of its box. The zero
// Reach fits points.
type Reach [3]float64

// Of returns the reach of one box, which must be valid.
func Of(b soa.AABB) (r Reach) {
	c := b.Center()
	for a := range 3 {
		// The difference of two float32 in float64 has an error of at most half a step.
		far := max(float64(c[a])-float64(b.Min[a]), float64(b.Max[a])-float64(c[a]))
		if far > 0 {
			r[a] = math.Nextafter(far, math.Inf(1))
		}
	}
	return r
}

// Most returns the largest component of the reach.
func (r Reach) Most() float64 { return max(r[0], r[1], r[2]) }

// Union returns the reach of the union of two sets of rows.
func (r Reach) Union(s Reach) Reach {
	for a := range 3 {
		r[a] = max(r[a], s[a])
	}
	return r
}

// Widen returns a box that contains the centre of every box that overlaps b and has no larger reach. Values
// beyond float32 become infinite, which [morton.World.AppendCover] accepts.
//
// A box that overlaps b has a face at x >= b.Min[a] and its centre at c >= x - reach. Rounding is monotone
// and does not change c, a float32: so c is not less than the rounded difference of b.Min[a] and the reach,
// either.
func (r Reach) Widen(b soa.AABB) (lo, hi [3]float32) {
	for a := range 3 {
		lo[a], hi[a] = float32(float64(b.Min[a])-r[a]), float32(float64(b.Max[a])+r[a])
	}
	return lo, hi
}

// ErrFilter is returned for filters by data that rows do not have: bounds tighter than boxes, bitmaps of
// small numbers, and handles.
var ErrFilter = errors.New("a store filters by Mask and Motion only")

// CheckFilter returns an error for a filter that [Keep] does not support.
func CheckFilter(f query.Filter) error {
	if f.Exact || f.Only != nil || f.Exclude != (soa.Handle{}) {
		return ErrFilter
	}
	return f.Check()
}

// Keep reports whether an object passes a filter, with the same result as a tree's.
func Keep(mask uint32, static bool, f query.Filter) bool {
	return (f.Mask == 0 || mask&f.Mask != 0) &&
		(f.Motion == query.AnyMotion || static == (f.Motion == query.StaticOnly))
}
