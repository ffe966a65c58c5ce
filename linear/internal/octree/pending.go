package octree

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// New objects without a sphere are appended to a list of records, which a first build reads as they are, and from
// which a flush places them. A read packs the records that are left into pending packets, which queries scan:
//
//	Insert, Insert ...   records
//	View                 packed, or flushed when too many objects are pending
//	Tick                 flushed
//
// Records are the tail of the pending list, so the times of reads do not affect its order.

// pendingRecords are the pending objects that are in no packet yet, in the order of their insertion. The location of
// each is unplacedLocation.
type pendingRecords struct {
	n       int          // number of records
	objects []soa.Object // the first n are records, all others room; an insertion writes no pointer
	ids     []uint32     // of the same length
	slots   []uint32     // of the first packets that Pack will fill, the first one last: the others are not known yet
}

// Unpacked returns the number of pending objects that no read can find before Pack.
func (t *Tree) Unpacked() int {
	if t.records == nil {
		return 0
	}
	return t.records.n
}

// list returns the records and their IDs, which are valid until the next insertion.
func (r *pendingRecords) list() ([]soa.Object, []uint32) { return r.objects[:r.n], r.ids[:r.n] }

const (
	minRecords    = 16      // length of the first list of records
	doubleRecords = 1 << 14 // length from which on it is doubled; shorter ones grow by a factor of 4
)

// growRecords makes room for n more records.
func (t *Tree) growRecords(n int) *pendingRecords {
	if t.records == nil {
		t.records = new(pendingRecords)
	}
	r := t.records
	if n > len(r.objects)-r.n {
		room := max(r.n+n, 2*r.n, minRecords)
		if r.n > 0 {
			room = max(room, min(4*r.n, doubleRecords))
		}
		objects, ids := mem.Make[soa.Object](room), mem.Make[uint32](room)
		copy(objects, r.objects[:r.n])
		copy(ids, r.ids[:r.n])
		r.objects, r.ids = objects, ids
	}
	return r
}

// addRecord appends a new object to the records and returns its ID.
func (t *Tree) addRecord(o *soa.Object) uint32 {
	t.admitMask(o.Mask)
	r := t.records
	if r == nil || r.n == len(r.objects) {
		r = t.growRecords(1)
	}
	id := t.IDs.New(unplacedLocation)
	r.objects[r.n], r.ids[r.n] = *o, id
	t.countRecords(r.ids[r.n : r.n+1])
	if l := t.Store.Log; l != nil {
		l.Insert(id, *o, NoSphere, t.IDs.Len())
	}
	return id
}

// TryRecord adds an object as a record if nothing else is to be done for it: its box is inside the fast bounds, a
// record, an ID and a packet are free, and nothing is notified. The caller has applied deferred moves.
func (t *Tree) TryRecord(o *soa.Object) (id uint32, ok bool) {
	r, s := t.records, t.Store
	if r == nil || r.n == len(r.objects) || t.freePending() == 0 && t.recordPackets() >= t.spareSlots() || t.Thins() ||
		s.Log != nil || t.Touched != nil || t.Observer != nil || !s.Packets.Masked() && o.Mask != s.Packets.Mask ||
		t.IDs.Len() == radix.MaxLen || t.IDs.Fits(1) != nil || !t.FastBounds.Contains(&o.Box) {
		return 0, false
	}
	id = t.IDs.New(unplacedLocation)
	r.objects[r.n], r.ids[r.n] = *o, id
	r.n++
	s.Count++
	s.Version++
	t.Pending++
	t.Arrangement++
	return id, true
}

// countRecords counts new records with these IDs.
func (t *Tree) countRecords(ids []uint32) {
	if t.Touched != nil {
		for _, id := range ids {
			t.touchID(id)
		}
	}
	n := len(ids)
	t.records.n += n
	t.Store.Count += n
	t.Pending += n
	t.Arrangement += uint64(n)
}

// RoomForRecords returns room for n objects, valid until the next insertion, from which InsertMore need not copy them
// to the records.
func (t *Tree) RoomForRecords(n int) []soa.Object {
	r := t.growRecords(n)
	return r.objects[r.n:][:n]
}

// addRecords appends new objects to the records, and their IDs to dst.
func (t *Tree) addRecords(dst []uint32, objects []soa.Object) []uint32 {
	t.admitMasks(objects)
	r := t.growRecords(len(objects))
	if len(objects) > 0 && &r.objects[r.n] != &objects[0] { // see RoomForRecords
		copy(r.objects[r.n:], objects)
	}
	ids := r.ids[r.n : r.n+len(objects)]
	t.IDs.NewBatch(ids, unplacedLocation)
	t.countRecords(ids)
	if l := t.Store.Log; l != nil {
		before := t.IDs.Len() - len(objects)
		for i := range objects {
			l.Insert(ids[i], objects[i], NoSphere, before+i+1)
		}
	}
	return append(dst, ids...)
}

// clearRecords removes all records and keeps their memory.
func (t *Tree) clearRecords() {
	if t.records != nil {
		t.records.n = 0
	}
}

// recordsBytes returns the memory of the records in bytes.
func (t *Tree) recordsBytes() int {
	if t.records == nil {
		return 0
	}
	return mem.Bytes(t.records.objects) + mem.Bytes(t.records.ids)
}

// addRecordPackets adds the packets that Pack would fill to the pending list.
func (t *Tree) addRecordPackets() {
	for n := packetsFor(t.Pending); len(t.Store.Pending) < n; {
		t.addPending()
	}
}

// takeRecords queues the records, which are then read in place. It allocates the packets that Pack would have filled,
// which dropPending frees: a read before the flush must not affect the slots of later packets.
func (t *Tree) takeRecords() {
	if t.Unpacked() == 0 {
		return
	}
	t.addRecordPackets()
	sc := t.Buffers()
	q := &sc.queue
	q.first = len(q.packed)
	q.records, q.ids = t.records.list()
	t.Code.boxes(sc.addKeys(len(q.records)), soa.Words(q.records), 8)
	t.clearRecords()
}

// buildRecords builds the tree of the records, which are all its objects. No view reads a row of the store, so it is
// built in place. After an error or a panic the records are still pending.
func (t *Tree) buildRecords(j *job) error {
	if err := j.runInPlace(); err != nil {
		return err
	}
	t.Frozen = j.opt.Frozen
	t.clearRecords() // the job still reads their IDs
	t.finish(j)
	return nil
}
