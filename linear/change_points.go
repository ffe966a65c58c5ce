package linear

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Labels are the type masks and the static flag of inserted points; the zero value makes moving points without a type,
// which no filter with a mask finds.
type Labels struct {
	Mask   uint32   // type mask of all points, unless Masks is set; 0: no type
	Masks  []uint32 // type mask of each point; nil: all have Mask
	Static bool     // of all points; false: they move
}

// InsertPoints inserts a point cloud: it is [Tree.InsertBatch] for points, which become objects with boxes of zero
// extent, and which queries treat as exact points. If points and masks differ in number, the error names the first row
// without a counterpart. A point that is not finite is an error, too. After an error nothing is inserted, and dst is
// returned unchanged. [Tree.MoveBatch] moves points, as boxes of zero extent: AABB{Min: p, Max: p}.
//
// It takes less time than a program that makes objects and calls InsertBatch, and not its memory (with [Config.Thin],
// only for points that are kept): into an empty tree an eighth more than InsertBatch with existing objects, and no more
// where points are only made pending (go test ./linear -run '^$' -bench InsertPoints). Into an empty tree, and with
// [Config.Thin], it keeps a buffer of 32 bytes for each point of a batch until [Tree.Trim].
func (t *Tree) InsertPoints(dst []uint32, points [][3]float32, labels Labels) ([]uint32, error) {
	return t.insertPoints(dst, &pointRows{points: points, labels: labels})
}

// InsertPointColumns is [Tree.InsertPoints] for coordinates in columns, the layout of many files
// and simulations: point i is xs[i], ys[i], zs[i]. If columns differ in length, the error names the
// first row that is not in all.
func (t *Tree) InsertPointColumns(dst []uint32, xs, ys, zs []float32, labels Labels) ([]uint32, error) {
	return t.insertPoints(dst, &pointRows{columns: true, xs: xs, ys: ys, zs: zs, labels: labels})
}

func (t *Tree) insertPoints(dst []uint32, rows *pointRows) ([]uint32, error) {
	if err := rows.check(); err != nil {
		return dst, fault.Errorf("linear: %w", err)
	}
	if t.octree.Thins() {
		return t.insertPointRows(dst, rows)
	}
	return t.insertBatch(dst, t.pointObjects(rows), nil)
}

// pointObjects returns points as objects, valid until the next call.
func (t *Tree) pointObjects(rows *pointRows) []soa.Object {
	n := rows.len()
	var objects []soa.Object
	if t.Len() > 0 {
		objects = t.octree.RoomForRecords(n)
	} else {
		objects = t.freshObjects(n)
	}
	if w := min(t.octree.Config.Workers, n/octree.EncodeMin); w > 1 {
		rows := *rows // may escape to the heap
		octree.InParts(0, n, w, func(_, lo, hi int) { rows.fill(objects[lo:hi], lo) })
	} else {
		rows.fill(objects, 0)
	}
	return objects
}

// freshObjects returns a buffer of objects, valid until the next call.
func (t *Tree) freshObjects(n int) []soa.Object {
	objects := mem.Fresh(t.octree.Buffers().Balls, n)
	t.octree.Buffers().Balls = objects
	return objects
}

// pointRows are points in rows or in columns.
type pointRows struct {
	points     [][3]float32
	columns    bool // xs, ys and zs hold the points
	xs, ys, zs []float32
	labels     Labels
}

func (p *pointRows) len() int {
	if p.columns {
		return len(p.xs)
	}
	return len(p.points)
}

// part returns points from row i to row end-1, or fewer in buffer if they are in columns.
func (p *pointRows) part(buffer [][3]float32, i, end int) [][3]float32 {
	if !p.columns {
		return p.points[i:end]
	}
	buffer = buffer[:min(len(buffer), end-i)]
	for k := range buffer {
		buffer[k] = [3]float32{p.xs[i+k], p.ys[i+k], p.zs[i+k]}
	}
	return buffer
}

// check returns an error if columns differ in length.
func (p *pointRows) check() error {
	n, masks := p.len(), len(p.labels.Masks)
	switch x, y, z := len(p.xs), len(p.ys), len(p.zs); {
	case x != y || x != z:
		return fmt.Errorf("columns of %d x, %d y and %d z: row %d is not in all", x, y, z, min(x, y, z))
	case p.labels.Masks != nil && masks != n:
		return fmt.Errorf("%d points and %d masks: row %d is not in both", n, masks, min(n, masks))
	}
	return nil
}

// fill writes the objects of the rows from lo on.
func (p *pointRows) fill(objects []soa.Object, lo int) {
	l, masks := p.labels, p.labels.Masks
	if masks != nil {
		masks = masks[lo:][:len(objects)]
	}
	if !p.columns {
		points := p.points[lo:][:len(objects)]
		for i := range objects {
			if masks != nil {
				l.Mask = masks[i]
			}
			l.write(&objects[i], points[i][0], points[i][1], points[i][2])
		}
		return
	}
	xs, ys, zs := p.xs[lo:][:len(objects)], p.ys[lo:][:len(objects)], p.zs[lo:][:len(objects)]
	for i := range objects {
		if masks != nil {
			l.Mask = masks[i]
		}
		l.write(&objects[i], xs[i], ys[i], zs[i])
	}
}

// write writes the object of a point word by word: copies of arrays would wait for the stores of their parts.
func (l *Labels) write(o *soa.Object, x, y, z float32) {
	lo, hi := &o.Box.Min, &o.Box.Max
	lo[0], lo[1], lo[2] = x, y, z
	hi[0], hi[1], hi[2] = x, y, z
	o.Mask, o.Static = l.Mask, l.Static
}

// InsertPoints records insertions of points, as one InsertBatch. It panics if points and masks
// differ in number.
func (b *Batch) InsertPoints(points [][3]float32, labels Labels) {
	b.insertPoints("InsertPoints", &pointRows{points: points, labels: labels})
}

// InsertPointColumns records insertions of points, as one InsertBatch. It panics if the columns
// differ in length.
func (b *Batch) InsertPointColumns(xs, ys, zs []float32, labels Labels) {
	b.insertPoints("InsertPointColumns", &pointRows{columns: true, xs: xs, ys: ys, zs: zs, labels: labels})
}

func (b *Batch) insertPoints(name string, rows *pointRows) {
	if err := rows.check(); err != nil {
		panic(fmt.Sprintf("linear: %s recorded: %v", name, err))
	}
	if n, have := rows.len(), len(b.objects); n > 0 {
		b.objects = slices.Grow(b.objects, n)[:have+n]
		rows.fill(b.objects[have:], 0)
		b.record(batchInsertion, n)
	}
}
