package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Thin configures voxel thinning, a voxel grid filter at insertion: of the points in a cell of a regular grid only a
// few are kept. The zero value keeps all objects.
//
// The cell of a point is floor(float64(x)/Cell) on each axis, a quotient of float64 rounded down: cells are counted
// from 0, in all worlds. An insertion takes its points in their order, as if they were inserted one by one. It
// appends an ID for each point: that of the object, or [None] if the point was dropped, or replaced by a later one of
// the same call. A point that replaces an object takes its ID, with a new generation; [Tree.Thinned] lists the
// objects that were replaced. Masks and static flags make no difference.
//
// Only insertions thin: [Tree.Insert], [Tree.InsertBatch], [Tree.InsertPoints], [Tree.Build] and the others, and a
// [Batch] with them. Moves, rebuilds and loading keep all objects. An object that moves counts in its new cell at once,
// and a removed one no longer counts. All objects are points: other boxes, spheres and oriented boxes are rejected with
// [ErrPoints].
//
// Points of a LiDAR scan, in its order, take some 28 ns each, most of which are dropped. In random order a dropped
// point takes 55 ns among 10,000 objects and 160 among a million (go test ./linear -run '^$' -bench Thin). If
// moves have gathered many objects in a cell, a point that is not the nearest takes time proportional to their
// number. The tree keeps a hash table of the cells, in all 22 to 33 bytes for each object of a cell of its own,
// and 12 more if cells hold several. Insertions grow it, and the first one after [Tree.Trim], [Tree.Clone],
// [Snapshot.Load] or a move of most objects makes it again. [Stats.Scratch] counts it.
type Thin struct {
	// Cell is the side of a cell, at least so large that float64 can number the cells of all points. 0 means no
	// thinning.
	Cell float64

	// Keep chooses the points of a cell that are kept. The zero value is [KeepFirst].
	Keep Keep

	// Most is the number of points that KeepFirst keeps in a cell. 0 means 1. The other choices keep one, and Most is 0.
	Most int
}

// CellBox returns the box of the cell of a point: the smallest box that contains all points of the cell that float32
// can represent. It contains no point of another cell, so that a box query finds the points of a cell, and
// [Tree.RemoveIn] removes them.
//
// The faces are found by bisection, in about a microsecond. CellBox allocates nothing, and any goroutine may call
// it. It returns an error for a point that is not finite, for a Cell of 0, and for one that [New] rejects.
func (c Thin) CellBox(point [3]float32) (box AABB, err error) {
	side := octree.Thin{Cell: c.Cell}
	if err := side.CheckCell(); err != nil {
		return AABB{}, err
	}
	for a, x := range point {
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			return AABB{}, fmt.Errorf("linear: the cell of the point %v: coordinate %d is not finite", point, a)
		}
		i := math.Floor(float64(x) / c.Cell)
		box.Min[a] = firstFloat(func(x float32) bool { return math.Floor(float64(x)/c.Cell) >= i })
		box.Max[a] = -firstFloat(func(x float32) bool { return math.Floor(float64(-x)/c.Cell) <= i })
	}
	return box, nil
}

// firstFloat returns the smallest finite float32 for which a monotonic function is true. There must be one.
func firstFloat(reached func(x float32) bool) float32 {
	const inf = 0xff << 23
	// The numbers from -MaxFloat32 to MaxFloat32, zero once, in their order.
	number := func(k int64) float32 {
		if k < 0 {
			return -math.Float32frombits(uint32(-k))
		}
		return math.Float32frombits(uint32(k))
	}
	low, high := int64(-inf), int64(inf-1) // false, or not finite; true
	for high-low > 1 {
		if k := (low + high) >> 1; reached(number(k)) {
			high = k
		} else {
			low = k
		}
	}
	return number(high)
}

// Keep chooses the points of a cell that a tree keeps: see [Thin].
type Keep uint8

// The points of a cell that are kept.
const (
	// KeepFirst keeps the first points, as many as [Thin.Most], and drops later ones.
	KeepFirst Keep = Keep(octree.KeepFirst)
	// KeepNearest keeps the point nearest to the centre of the cell, and of equally near ones the first. A nearer
	// point replaces all objects of the cell. Distances are computed in float64: the sum of the squares of
	// x - (i+0.5)*Cell, where i is the index of the cell on the axis.
	KeepNearest Keep = Keep(octree.KeepNearest)
	// KeepNewest keeps the last point, which replaces all objects of the cell.
	KeepNewest Keep = Keep(octree.KeepNewest)
)

// String returns "first", "nearest" or "newest".
func (k Keep) String() string { return octree.Keep(k).String() }

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (k Keep) MarshalText() ([]byte, error) { return enum.Marshal("linear", k) }

// UnmarshalText parses the text of MarshalText. For another text it returns an error and leaves the value unchanged.
func (k *Keep) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", k, text) }

// ErrPoints is returned for an object with an extent, a sphere or an oriented box, if the tree thins: see [Thin].
var ErrPoints = errors.New("linear: a tree that thins holds only points")

// Thinned returns handles of the objects that the last insertion replaced, if the tree thins ([Thin]). They are in the
// order of the cells in which the insertion replaced them, and of their IDs in a cell. The handles are stale, and
// equal to those that [Tree.Handle] returned for the objects. Points of the insertion itself are not listed.
//
// All insertions of a [Batch] count as one, and an object that one of them inserted and a later one replaced is listed.
// An insertion that fails, or of no objects, leaves the list unchanged. [Tree.Clone] copies it, and a snapshot does not
// hold it.
//
// The slice belongs to the tree and must not be written to. It is valid until the next insertion. Thinned takes
// constant time and allocates nothing.
func (t *Tree) Thinned() []Handle { return t.octree.Thinned }

// checkPoint returns the error of a valid box that a tree which thins rejects.
func (t *Tree) checkPoint(box *soa.AABB) error {
	if t.octree.Thins() && box.Min != box.Max {
		return fmt.Errorf("%w: the box %v to %v has an extent", ErrPoints, box.Min, box.Max)
	}
	return nil
}

// checkNoBounds returns the error of spheres and oriented boxes in a tree that thins.
func (t *Tree) checkNoBounds() error {
	if t.octree.Thins() {
		return fmt.Errorf("%w, without spheres and oriented boxes", ErrPoints)
	}
	return nil
}

// checkPoints returns the index and the error of the first valid body that a tree which thins rejects.
func (t *Tree) checkPoints(to *octree.Bodies) (bad int, err error) {
	if !t.octree.Thins() {
		return -1, nil
	}
	for i := range to.Boxes {
		if err := t.checkPoint(&to.Boxes[i]); err != nil {
			return i, err
		}
	}
	if n := len(to.Boxes); n < to.Len() {
		return n, t.checkNoBounds()
	}
	return -1, nil
}

// insertPoint inserts one point into a tree that thins.
func (t *Tree) insertPoint(o *soa.Object) (id uint32, err error) {
	if err := t.checkBox(&o.Box); err != nil {
		return soa.None, fault.Errorf("linear: %w", err)
	}
	if err := t.octree.AdmitsPending(1); err != nil {
		return soa.None, err
	}
	objects, ids := [1]soa.Object{*o}, [1]uint32{}
	all, keep := t.thin(ids[:0], objects[:], false)
	t.insertThinned(keep)
	return all[0], nil
}

// thin thins validated points, and appends the IDs that they will get to dst. It returns the points that are kept.
func (t *Tree) thin(dst []uint32, objects []soa.Object, build bool) (ids []uint32, keep []soa.Object) {
	t.octree.BeginThin(len(dst), build)
	var points [octree.BatchStride][3]float32
	ids = slices.Grow(dst, len(objects))
	for i := 0; i < len(objects); i += len(points) {
		part := objects[i:min(i+len(points), len(objects))]
		for j := range part {
			points[j] = part[j].Box.Min
		}
		ids, _ = t.octree.ThinPart(ids, points[:len(part)])
	}
	from := t.octree.EndThin()
	keep = t.freshObjects(len(from))
	for i, k := range from {
		keep[i] = objects[k]
	}
	return ids, keep
}

// insertThinned makes an insertion of the points of a batch that are kept. The caller has made room.
func (t *Tree) insertThinned(keep []soa.Object) {
	t.octree.Thinned = t.octree.Thinned[:0]
	if len(keep) > 0 {
		t.octree.BeginChange()
		t.insertKept(keep)
		t.markInserted()
	}
}

// insertKept inserts the points of a batch that are kept, as a part of a change.
func (t *Tree) insertKept(keep []soa.Object) {
	centres, union, _ := t.octree.Survey(keep)
	if t.octree.InsertThinned(keep, centres, union) {
		t.deferred.markUnsynced()
	}
}

// buildThinned builds an empty tree without deferred changes from the points of a batch that are kept. After an error
// or a panic the tree is unchanged.
func (t *Tree) buildThinned(ctx context.Context, keep []soa.Object, opt octree.BuildParams) error {
	done := false
	defer func() {
		if !done {
			t.octree.DropVoxels()
		}
	}()
	centres, union, _ := t.octree.Survey(keep)
	if err := t.octree.Build(ctx, keep, nil, centres, union, opt); err != nil {
		return err
	}
	done = true
	t.octree.Thinned = t.octree.Thinned[:0]
	return nil
}

// pointStride is the number of points that are checked and thinned while they are in the cache.
const pointStride = 1024

// insertPointRows inserts points into a tree that thins, without making objects of those that are dropped. After an
// error the tree is unchanged.
func (t *Tree) insertPointRows(dst []uint32, rows *pointRows) ([]uint32, error) {
	n, build := rows.len(), t.Len() == 0
	if n == 0 {
		return dst, nil
	}
	m := phase.Enter(phase.Encode)
	defer m.Leave()
	if err := t.octree.Admits(n); err != nil {
		return dst, err
	}
	if build {
		t.applyDeferred()
	} else {
		t.applyDeferredMoves()
		if err := t.octree.AdmitsPending(n); err != nil {
			return dst, err
		}
	}
	t.octree.BeginThin(len(dst), build)
	ids := slices.Grow(dst, n)
	var column [octree.BatchStride][3]float32
	for i := 0; i < n; {
		points := rows.part(column[:], i, min(i+pointStride, n))
		bad, err := t.checkInside(points)
		if err == nil {
			if ids, bad = t.octree.ThinPart(ids, points); bad >= 0 {
				err = soa.AABB{Min: points[bad], Max: points[bad]}.Check()
			}
		}
		if err != nil {
			if from := t.octree.EndThin(); len(from) > 0 {
				t.octree.DropVoxels()
			}
			return dst, fault.Errorf("linear: object %d: %w", i+bad, err)
		}
		i += len(points)
	}
	from := t.octree.EndThin()
	keep := t.freshObjects(len(from))
	for i, k := range from {
		rows.fill(keep[i:i+1], int(k))
	}
	if !build {
		m.Next(phase.Flush)
		t.insertThinned(keep)
		return ids, nil
	}
	if err := t.buildThinned(nil, keep, octree.BuildParams{Frozen: t.octree.Config.Frozen}); err != nil {
		return dst, err
	}
	return ids, nil
}

// checkInside returns the index and the error of the first point that is outside the world, if the tree rejects such
// points.
func (t *Tree) checkInside(points [][3]float32) (bad int, err error) {
	if t.octree.Config.Outside != octree.OutsideKeep {
		for i, p := range points {
			if err := t.checkBox(&soa.AABB{Min: p, Max: p}); err != nil {
				return i, err
			}
		}
	}
	return -1, nil
}
