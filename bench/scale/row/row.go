// Package row is what the stores of this module have in common: an object with a
// number, the order in which rows lie, and how far a query is to be widened so
// that a scan by keys finds every box that it meets.
//
// A row is found by the key of one point, the centre of its box (package morton).
// A box may reach beyond any cell that its centre is in, so a query asks for the
// keys of all centres that boxes which meet it can have:
//
//	   reach      query       reach
//	|<-------->|###########|<-------->|      on each axis
//	|          |           |          |
//	+--c-------|--- box ---|-------c--+      c: centres of boxes that meet the query
//
// The reach is the largest distance of a centre from a face of its box, over all
// rows: one huge box widens every query. That is why rows are best parted by size.
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

// MaxID is the largest number of an object: formats without unsigned numbers hold
// it, too.
const MaxID = math.MaxInt64

// Row is an object under a number of the program's own.
type Row struct {
	ID     uint64
	Object soa.Object
}

// Check returns an error that tells what no store takes: a number above [MaxID],
// or a box that is not finite or is inverted.
func (r *Row) Check() error {
	if r.ID > MaxID {
		return fmt.Errorf("object %d: numbers end at %d", r.ID, uint64(MaxID))
	}
	if err := r.Object.Box.Check(); err != nil {
		return fmt.Errorf("object %d: %w", r.ID, err)
	}
	return nil
}

// CheckAll checks all rows, and that no number is there twice. It takes memory for
// the numbers.
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

// Number makes rows of objects: the index of each is its number.
func Number(objects []soa.Object) []Row {
	rows := make([]Row, len(objects))
	for i := range rows {
		rows[i] = Row{uint64(i), objects[i]}
	}
	return rows
}

// World returns the smallest world of the centres of all rows. Keys of two stores, or
// of two writes to one, compare only in the same world: it is fixed before the first
// key. The boxes must be sound.
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

// Key returns the key of a box: that of its centre.
func Key(w morton.World, b soa.AABB) morton.Key { return w.KeyOfBox(b.Min, b.Max) }

// Keyed is a row with its key.
type Keyed struct {
	Key morton.Key
	Row Row
}

// Sort returns the rows with their keys, in the order of keys, equal keys in the
// order of numbers.
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

// Reach is, on each axis, no less than the distance of any centre from the faces of
// its box. The zero Reach is that of points.
type Reach [3]float64

// Of returns the reach of one box, which must be sound.
func Of(b soa.AABB) (r Reach) {
	c := b.Center()
	for a := range 3 {
		// A float64 holds the difference of two float32 with an error of half a step.
		far := max(float64(c[a])-float64(b.Min[a]), float64(b.Max[a])-float64(c[a]))
		if far > 0 {
			r[a] = math.Nextafter(far, math.Inf(1))
		}
	}
	return r
}

// Most returns the largest number of the reach.
func (r Reach) Most() float64 { return max(r[0], r[1], r[2]) }

// Union returns the reach of two sets of rows together.
func (r Reach) Union(s Reach) Reach {
	for a := range 3 {
		r[a] = max(r[a], s[a])
	}
	return r
}

// Widen returns a box that holds the centre of every box which meets b and has no
// larger reach. What exceeds float32 is infinite, which [morton.World.AppendCover]
// takes.
//
// A box that meets b has a face at x >= b.Min[a] and its centre at c >= x - reach.
// Rounding is monotone and leaves c, a float32, as it is: so c is no less than the
// rounded difference of b.Min[a] and the reach, either.
func (r Reach) Widen(b soa.AABB) (lo, hi [3]float32) {
	for a := range 3 {
		lo[a], hi[a] = float32(float64(b.Min[a])-r[a]), float32(float64(b.Max[a])+r[a])
	}
	return lo, hi
}

// ErrFilter is returned for filters by what rows do not have: bounds tighter than
// boxes, and bitmaps of small numbers.
var ErrFilter = errors.New("a store filters by Mask and Motion only")

// CheckFilter returns the error of a filter that [Keep] does not know.
func CheckFilter(f query.Filter) error {
	if f.Exact || f.Only != nil {
		return ErrFilter
	}
	return f.Check()
}

// Keep reports whether the object passes a filter: what a tree answers with the same.
func Keep(mask uint32, static bool, f query.Filter) bool {
	return (f.Mask == 0 || mask&f.Mask != 0) &&
		(f.Motion == query.AnyMotion || static == (f.Motion == query.StaticOnly))
}
