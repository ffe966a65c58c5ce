package octree

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// queue is a list of objects that must be inserted. Those that have been in packets are copied to it, while records are
// read in place. Scratch.keys has the keys of all, by position:
//
//	0 .. first-1      objects of packets
//	first ...         records
//	after these       more objects of packets
type queue struct {
	packed  []unplaced
	first   int               // position of the first record
	records []soa.Object      // valid until the next insertion
	ids     []uint32          // of the records
	boxes   []soa.OrientedBox // oriented boxes of objects of packets
	sorted  []uint64          // keys of the items of a flush, in their order
}

// unplaced is an object that has been in a packet, and must be inserted.
type unplaced struct {
	id       uint32
	oriented uint32 // 1 + the index of its oriented box in the queue; 0: none
	obj      soa.Object
	sphere   [4]float32 // radius below 0: none
}

// len returns the number of objects.
func (q *queue) len() int { return len(q.packed) + len(q.records) }

// empty removes all objects.
func (q *queue) empty() {
	q.packed, q.boxes = q.packed[:0], q.boxes[:0]
	q.first, q.records, q.ids = 0, nil, nil
}

// recordAt returns the index of the record at a position; ok is false if the object there has been in a packet.
func (q *queue) recordAt(i uint32) (k uint32, ok bool) {
	k = i - uint32(q.first)
	return k, k < uint32(len(q.records))
}

// packedAt returns the object of a packet at a position.
func (q *queue) packedAt(i uint32) *unplaced {
	if i >= uint32(q.first) {
		i -= uint32(len(q.records))
	}
	return &q.packed[i]
}

// object returns the object at a position, and its ID.
func (q *queue) object(i uint32) (id uint32, o *soa.Object) {
	if k, ok := q.recordAt(i); ok {
		return q.ids[k], &q.records[k]
	}
	u := q.packedAt(i)
	return u.id, &u.obj
}

// bounds returns the sphere of the object at a position, with a radius below 0 if it has none, and its oriented box or
// nil.
func (q *queue) bounds(i uint32) (sphere *[4]float32, oriented *soa.OrientedBox) {
	if _, ok := q.recordAt(i); ok {
		return &NoSphere, nil
	}
	u := q.packedAt(i)
	if u.oriented != 0 {
		oriented = &q.boxes[u.oriented-1]
	}
	return &u.sphere, oriented
}

// fetch prefetches the objects of up to BatchStride items.
func (q *queue) fetch(items []uint64) {
	var records, packed [BatchStride]uint32
	n, m := 0, 0
	for _, item := range items[:min(len(items), BatchStride)] {
		i := radix.Index(item)
		if k, ok := q.recordAt(i); ok {
			records[n] = k
			n++
			continue
		}
		if i >= uint32(q.first) {
			i -= uint32(len(q.records))
		}
		packed[m] = i
		m++
	}
	mem.Prefetch(q.records, records[:n], 0)
	mem.Prefetch(q.ids, records[:n], 0)
	mem.Prefetch(q.packed, packed[:m], 0)
}

// bytes returns the memory in bytes, without that of the records.
func (q *queue) bytes() int { return mem.Bytes(q.packed) + mem.Bytes(q.boxes) + mem.Bytes(q.sorted) }

// emptyQueue empties the queue.
func (t *Tree) emptyQueue() {
	sc := t.Buffers()
	sc.queue.empty()
	sc.keys = sc.keys[:0]
}

// addKeys appends n keys of objects to the queue, which the caller writes.
func (sc *Scratch) addKeys(n int) []uint64 {
	at := len(sc.keys)
	sc.keys = mem.Resize(sc.keys, at+n)
	return sc.keys[at:]
}

// takeOriented copies the oriented box of a lane, if any, to the queue, and returns its number for unplaced.
func (t *Tree) takeOriented(slot uint32, lane int) uint32 {
	b, ok := t.Store.Packets.Oriented(slot, lane)
	if !ok {
		return 0
	}
	q := &t.Buffers().queue
	q.boxes = append(q.boxes, b)
	return uint32(len(q.boxes))
}

// queuePacket queues the objects of a packet, and returns their number.
func (t *Tree) queuePacket(slot uint32) (n int) {
	p, sc := &t.Store.Packets, t.Buffers()
	var keys [soa.Lanes]uint64
	var locations [soa.Lanes]soa.Location
	n = t.Code.packets(keys[:], locations[:], p, int(slot), 1, 0)
	copy(sc.addKeys(n), keys[:n])
	q := &sc.queue
	first := len(q.packed)
	q.packed = mem.Resize(q.packed, first+n)
	b, ids, moving := &p.Bounds[slot], &p.IDs[slot], p.Moving[slot]
	for l := range q.packed[first:] {
		u, l := &q.packed[first+l], l&(soa.Lanes-1)
		u.id, u.sphere, u.oriented = ids[l], NoSphere, 0
		u.obj.Box.Min = [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]}
		u.obj.Box.Max = [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]}
		u.obj.Mask, u.obj.Static = p.MaskAt(slot, l), moving>>l&1 == 0
		if p.Bounded() {
			u.sphere, u.oriented = sphereOf(p, slot, l), t.takeOriented(slot, l)
		}
	}
	return n
}

// sortQueue returns the positions of the objects of the queue, in the order of keys.
func (t *Tree) sortQueue() []uint64 {
	sc := t.Buffers()
	items, _ := sc.sort.Order(sc.keys, radix.Options{})
	return items
}
