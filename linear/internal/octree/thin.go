package octree

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Thin is the thinning of a tree of points: linear.Thin documents the fields.
type Thin struct {
	Cell float64
	Keep Keep
	Most int
}

// Keep is the choice of the points of a cell that a tree keeps.
type Keep uint8

// The points that are kept.
const (
	KeepFirst Keep = iota
	KeepNearest
	KeepNewest
)

// String returns "first", "nearest" or "newest".
func (k Keep) String() string { return enum.Name(uint8(k), "first", "nearest", "newest") }

// CheckCell validates the side of a cell.
func (c *Thin) CheckCell() error {
	switch {
	case !(c.Cell > 0 && c.Cell <= math.MaxFloat64):
		return fmt.Errorf("linear: Config.Thin.Cell %v is not finite, or not more than 0", c.Cell)
	case math.MaxFloat32/c.Cell > math.MaxFloat64:
		return fmt.Errorf("linear: Config.Thin.Cell %v is too small: float64 cannot number the cells of float32", c.Cell)
	}
	return nil
}

// complete validates the thinning and sets its defaults.
func (c *Thin) complete() error {
	if *c == (Thin{}) {
		return nil
	}
	if err := c.CheckCell(); err != nil {
		return err
	}
	switch {
	case c.Keep > KeepNewest:
		return fmt.Errorf("linear: Config.Thin.Keep %d, want at most %d", c.Keep, KeepNewest)
	case c.Most < 0:
		return fmt.Errorf("linear: Config.Thin.Most %d is negative", c.Most)
	case c.Most > 0 && c.Keep != KeepFirst:
		return fmt.Errorf("linear: Config.Thin.Most %d with Keep %v, want 0: it keeps one", c.Most, c.Keep)
	case c.Most == 0 && c.Keep == KeepFirst:
		c.Most = 1
	}
	return nil
}

// Thins reports whether insertions thin. Then all objects are points.
func (t *Tree) Thins() bool { return t.Config.Thin.Cell > 0 }

// thinning is the result of the thinning of a batch.
type thinning struct {
	from   []uint32     // indices of the points that are kept
	ids    []uint32     // the IDs that they will get
	takes  []bool       // the point replaces the object with its ID
	others []uint32     // more objects to remove, of cells in which moves have gathered several
	old    []soa.Handle // all objects that are replaced
	kept   []uint32     // 1 + index in these lists by ID, unless first points are kept. All zero between two batches

	free    uint32   // the free ID that the next insertion gets, or None
	next    uint32   // the new ID that it gets otherwise
	members []uint32 // of a cell
	index   int      // of the IDs of the batch
}

// begin empties the lists. The first object of a build has the ID 0.
func (b *thinning) begin(index int, ids *soa.IDs, build bool) {
	b.from, b.ids, b.takes, b.others, b.old = b.from[:0], b.ids[:0], b.takes[:0], b.others[:0], b.old[:0]
	b.index, b.next, b.free = index, 0, soa.None
	if !build {
		b.next, b.free = uint32(ids.Cap()), ids.State().Free-1 // 0, for no free ID, becomes None
	}
}

// newID returns the ID that the next insertion gets.
func (b *thinning) newID(ids *soa.IDs) (id uint32) {
	if id = b.free; id != soa.None {
		b.free = uint32(ids.Where[id])
		return id
	}
	id = b.next
	b.next++
	return id
}

// add adds a point of the batch.
func (b *thinning) add(i int, id uint32, takes bool) {
	b.from, b.ids, b.takes = append(b.from, uint32(i)), append(b.ids, id), append(b.takes, takes)
}

// note notes the index of the last point by its ID.
func (b *thinning) note(id uint32) {
	if n := len(b.kept); int64(id) >= int64(n) {
		b.kept = mem.Resize(b.kept, int(id)+1)
		clear(b.kept[n:])
	}
	b.kept[id] = uint32(len(b.ids))
}

// bytes returns the memory of the lists in bytes.
func (b *thinning) bytes() int {
	return mem.Bytes(b.from) + mem.Bytes(b.ids) + mem.Bytes(b.takes) + mem.Bytes(b.others) + mem.Bytes(b.old) +
		mem.Bytes(b.kept) + mem.Bytes(b.members)
}

// BeginThin begins the thinning of a batch of points whose IDs begin at an index. If build is true, the tree is empty
// and the points will be built. There are no deferred moves.
//
// The caller passes all points to ThinPart, and then inserts those that EndThin returns, with InsertThinned or a build.
// Or it drops the table of cells, and the tree is unchanged.
func (t *Tree) BeginThin(index int, build bool) {
	t.validVoxels()
	t.Buffers().thinned.begin(index, &t.IDs, build)
}

// ThinPart chooses the points of a part of the batch that are kept. It appends the ID that each point will get to ids,
// or None. It returns the index of a point that is not finite, or -1. Most consecutive points in a cell that keeps one
// are compared only with each other.
func (t *Tree) ThinPart(ids []uint32, points [][3]float32) (all []uint32, bad int) {
	v, b, rule := t.voxels, &t.scratch.thinned, t.Config.Thin
	first := len(ids)
	ids = slices.Grow(ids, len(points))[:first+len(points)]
	for i := range ids[first:] {
		ids[first+i] = soa.None
	}
	var cells [BatchStride]voxel
	var hashes, rows [BatchStride]uint32
	var at [BatchStride]int
	for i := 0; i < len(points); {
		n := 0
		// The last two cells, with near set if more points of them may follow. With KeepNearest only the last: if its
		// first point is dropped, a later one replaces objects after those of the cell between.
		var last, before voxel
		for ; i < len(points); i++ {
			p := &points[i]
			x, y, z := v.products(p)
			k := -1
			if last.near && isInside(x, last.x) && isInside(y, last.y) && isInside(z, last.z) {
				k = n - 1
			} else if before.near && rule.Keep != KeepNearest && isInside(x, before.x) && isInside(y, before.y) && isInside(z, before.z) {
				k = n - 2
			}
			if k >= 0 {
				if rule.Keep == KeepNewest || rule.Keep == KeepNearest && v.isNearer(&cells[k], p, &points[at[k]]) {
					at[k] = i
				}
				continue
			}
			if n == BatchStride {
				break
			}
			c := v.cellOf(p)
			if !c.near && !isFinite(p) {
				return ids, i
			}
			cells[n], at[n] = c, i
			n++
			before, last = last, c
			last.near = c.near && rule.Most <= 1
		}
		v.reserve(n)
		for j := range n {
			hashes[j] = cells[j].hash()
			rows[j] = uint32(v.home(hashes[j]))
		}
		mem.Prefetch(v.slots, rows[:n], 0)
		for j := range n {
			rows[j] = uint32(v.slots[rows[j]]) - 1
		}
		mem.Prefetch(v.points, rows[:n], 0)
		for j := range n {
			slot, id := v.find(hashes[j], &cells[j])
			if id != soa.None && rule.Most == 1 {
				continue // dropped
			}
			k := first + at[j]
			ids[k] = t.thinOne(&points[at[j]], hashes[j], &cells[j], slot, id, k-b.index, ids[b.index:])
		}
	}
	return ids, -1
}

// isFinite reports whether a point is finite.
func isFinite(p *[3]float32) bool { return p[0]-p[0] == 0 && p[1]-p[1] == 0 && p[2]-p[2] == 0 }

// thinOne returns the ID of point i of a batch, whose cell has that slot and first object, or None if it is dropped. It
// clears the ID of a point of the batch that it replaces.
func (t *Tree) thinOne(p *[3]float32, hash uint32, c *voxel, slot int, first uint32, i int, ids []uint32) (id uint32) {
	v, b, rule := t.voxels, &t.scratch.thinned, &t.Config.Thin
	if first == soa.None || rule.Keep == KeepFirst && v.count(first) < rule.Most {
		id = b.newID(&t.IDs)
		v.setPoint(id, p)
		v.enter(hash, slot, first, id)
		b.add(i, id, false)
		if rule.Keep != KeepFirst {
			b.note(id)
		}
		return id
	}
	if rule.Keep == KeepFirst || rule.Keep == KeepNearest && !v.isNearest(c, p, first) {
		return soa.None
	}
	if int64(first) < int64(len(b.kept)) && b.kept[first] != 0 {
		k := b.kept[first] - 1
		ids[b.from[k]] = soa.None
		b.from[k], v.points[first] = uint32(i), *p
		return first
	}
	b.members = v.members(b.members[:0], first)
	slices.Sort(b.members)
	for _, id := range b.members {
		h, _ := t.IDs.Handle(id)
		b.old = append(b.old, h)
	}
	id = b.members[0]
	b.others = append(b.others, b.members[1:]...)
	v.setPoint(id, p)
	v.slots[slot] = voxelSlot(hash, id)
	b.add(i, id, true)
	b.note(id)
	return id
}

// EndThin returns the indices of the points of the batch that are kept, in the order in which they are inserted. They
// are valid until the next batch.
func (t *Tree) EndThin() []uint32 {
	b := &t.scratch.thinned
	if len(b.kept) > 0 {
		for _, id := range b.ids {
			b.kept[id] = 0
		}
	}
	return b.from
}

// InsertThinned adds the points that EndThin has returned, as objects, to the pending list. It removes the objects that
// they replace, and adds these to Thinned. centres and union contain the centres and the boxes of the points. It
// returns true if some removals from packets of the tree are deferred.
func (t *Tree) InsertThinned(objects []soa.Object, centres, union soa.AABB) (deferred bool) {
	b := &t.Buffers().thinned
	t.Thinned = append(t.Thinned, b.old...)
	t.holdNew(objects, centres, union)
	t.growRecords(len(objects))
	for i := range objects {
		if b.takes[i] {
			t.removeObject(b.ids[i]) // the next new object gets this ID
		}
		t.addRecord(&objects[i])
	}
	for _, id := range b.others {
		t.removeObject(id)
	}
	t.FitPending()
	return len(t.Removed) > 0
}

// validVoxels returns the table of cells of a tree without deferred moves.
func (t *Tree) validVoxels() *voxels {
	if t.voxels == nil {
		t.voxels = &voxels{grid: gridOf(t.Config.Thin.Cell)}
	}
	if !t.voxels.valid {
		t.renewVoxels()
	}
	return t.voxels
}

// renewVoxels makes the table of cells.
func (t *Tree) renewVoxels() {
	v, p := t.voxels, &t.Store.Packets
	v.clear()
	v.reserve(t.IDs.Len())
	v.points = mem.Resize(v.points, t.IDs.Cap())
	for slot, n := range p.Counts {
		for l, id := range p.IDs[slot][:n] {
			// A removed object may still be in its packet, and its ID belong to another one.
			if at := soa.MakeLocation(uint32(slot), l); t.IDs.Alive(id) && t.IDs.Where[id] == at {
				b := &p.Bounds[slot]
				v.add(id, &[3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]})
			}
		}
	}
	if t.Unpacked() > 0 {
		objects, ids := t.records.list()
		for i, id := range ids {
			v.add(id, &objects[i].Box.Min)
		}
	}
	v.valid = true
}

// DropVoxels makes the next insertion renew the table of cells.
func (t *Tree) DropVoxels() {
	if t.voxels != nil {
		t.voxels.valid = false
	}
}

// VoxelBytes returns the memory of the table of cells in bytes.
func (t *Tree) VoxelBytes() int {
	if t.voxels == nil {
		return 0
	}
	return t.voxels.bytes()
}

// MovePoint records that an object moves to a box without extent.
func (t *Tree) MovePoint(id uint32, box *soa.AABB) {
	if v := t.voxels; v != nil && v.valid {
		v.move(id, &box.Min)
	}
}

// MovePoints is MovePoint for a batch.
func (t *Tree) MovePoints(ids []uint32, boxes []soa.AABB) {
	v := t.voxels
	if v == nil || !v.valid {
		return
	}
	if t.dropVoxelsBefore(len(ids)); !v.valid {
		return
	}
	for i := 0; i < len(ids); i += BatchStride {
		part := ids[i:min(i+BatchStride, len(ids))]
		t.fetchVoxels(ids, i)
		for j, id := range part {
			v.move(id, &boxes[i+j].Min)
		}
	}
}

// dropVoxelsBefore drops the table of cells before n objects move or leave, if it is faster to make it again.
func (t *Tree) dropVoxelsBefore(n int) {
	if n > t.IDs.Len()/2 {
		t.DropVoxels()
	}
}

// leaveVoxels records that objects will be removed.
func (t *Tree) leaveVoxels(ids []uint32) {
	v := t.voxels
	if v == nil || !v.valid {
		return
	}
	for i := 0; i < len(ids); i += BatchStride {
		t.fetchVoxels(ids, i)
		for _, id := range ids[i:min(i+BatchStride, len(ids))] {
			v.remove(id)
		}
	}
}

// fetchVoxels prefetches the cells of the stride of objects from i on, and the points of the next one.
func (t *Tree) fetchVoxels(ids []uint32, i int) {
	v := t.voxels
	part := ids[i:min(i+BatchStride, len(ids))]
	if i == 0 {
		mem.Prefetch(v.points, part, 0)
	}
	mem.Prefetch(v.points, ids[i+len(part):min(i+2*BatchStride, len(ids))], 0)
	var rows [BatchStride]uint32
	for j, id := range part {
		c := v.cellOf(&v.points[id])
		rows[j] = uint32(v.home(c.hash()))
	}
	mem.Prefetch(v.slots, rows[:len(part)], 0)
}
