package octree

import (
	"errors"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// cached is about the number of objects up to which a tree fits in the cache.
const cached = 1 << 15

// rebuildOneIn is the share of objects, one in so many, from which a rebuild costs less than inserting objects one
// by one. An insertion costs about 6 to 9 times as much as an object of a rebuild, in a tree that fits in the cache
// and in one that does not (go test ./linear -run '^$' -bench 'InsertInto|Build').
const rebuildOneIn = 8

// agedOneIn is the share of objects, one in so many, by which a cached tree may grow one by one before it is
// rebuilt. So an insertion pays for so many objects of a rebuild in the mean. The tree visits less than 1.15 times
// as much as a new one, half of that excess in the mean: go test ./linear -run '^$' -bench SlowFill. Larger trees
// would delay a frame too long; they settle at 1.1 to 1.2 times. In a tree of constant size with insertions and
// removals, ticks re-split degraded nodes: it is rebuilt when as many objects have been inserted as it holds.
const agedOneIn = 12

// deepOneIn is agedOneIn for a tree that is higher than a new one would be.
const deepOneIn = 3 * agedOneIn

// isAged reports whether a cached tree should be rebuilt because of insertions since the last build. m objects are
// to be inserted now.
func (t *Tree) isAged(m int) bool {
	n, came := t.IDs.Len(), t.Arrived+t.Pending
	return n-t.Base > n/agedOneIn || came > n || came > n/deepOneIn && t.tooDeep(m)
}

// tooDeep reports whether a new tree, with m objects more, would be less high.
func (t *Tree) tooDeep(m int) bool {
	n := &t.Store.Nodes
	above := int(n.Height[0]) - 1
	return above >= 0 && !t.forked() && t.IDs.Len()-t.Pending+m <= soa.Fan*roomyFill<<(4*above)
}

// Flush is linear.Tree.Flush without removals.
func (t *Tree) Flush() error { return t.flush(noLimit()) }

// flush is Flush, but leaves displaced and grafted objects to later ticks when it has done most of the work of the
// limit, and then rebuilds only if mayRebuild.
func (t *Tree) flush(limit tickLimit) error {
	defer phase.Enter(phase.Flush).Leave()
	if err := t.growWorld(); err != nil {
		return err
	}
	t.endBulkIfStill()
	// Displaced and grafted objects get half of the budget each, and what the others do not need.
	work, free := limit.left(t), limit.free()
	most := work
	if !free {
		work -= work / recutShare
		most = work/(placeWork+refitWork) + 1
	}
	displaced := min(len(t.Displaced), max(most-t.Grafted, most/2))
	grafted := min(t.Grafted, most-displaced)
	m := t.Pending + displaced + grafted
	if m == 0 {
		t.Strayed = 0
		return nil
	}
	if t.needsRebuild(m, free || t.mayRebuild()) {
		return t.renew()
	}
	t.BeginChange()
	if free {
		t.placeUnplaced(displaced, grafted)
		return nil
	}
	end := t.Work.work() + work
	t.placeUnplaced(displaced, 0)
	t.placeGrafted(grafted, end)
	return nil
}

// needsRebuild chooses between a rebuild and insertion for m objects that must be inserted. If free is false, it
// chooses a rebuild only if insertion is not possible.
func (t *Tree) needsRebuild(m int, free bool) bool {
	s := t.Store
	auto := t.Config.Policy == PolicyAuto && free
	switch {
	case len(s.Nodes.Hot) == 0, t.Config.Policy == PolicyRebuild:
		return true
	case auto && m > t.IDs.Len()/rebuildOneIn:
		return true
	case auto && t.IDs.Len() <= cached && t.isAged(m):
		return true
	case auto && t.Frozen && t.Arrived+m > t.IDs.Len()/agedOneIn:
		return true // packets are full, and cells are large: insertions widen both
	}
	// An insertion splits fewer nodes than this, each with a slot for each lane.
	splits := mostSplits(m, s.Nodes.Height[0])
	return !s.Nodes.Fits(splits) || !t.fitsNodes(splits)
}

// mostSplits is an upper bound of the nodes that n insertions split in a tree of that height, capped at one more
// than the largest possible number. The product does not fit 32 bits.
func mostSplits[T int | int32](n T, height uint8) T {
	return T(min(int64(n)*(2*soa.Fan+int64(height)), soa.MaxSlots+1))
}

// placeUnplaced removes pending objects, and so many displaced and grafted ones, from their packets and inserts them in
// the cells of their keys.
func (t *Tree) placeUnplaced(displaced, grafted int) {
	t.emptyQueue()
	t.takeDisplaced(displaced)
	t.countPlaced(t.Pending)
	t.takePending()
	t.Strayed = 0
	t.takeGrafted(grafted)
	t.insertQueue(t.sortQueue())
}

// countPlaced counts objects that are inserted in the cells of their keys for the first time.
func (t *Tree) countPlaced(n int) {
	t.Arrived += n
	t.PlacedThisTick += n
}

// takeDisplaced queues the last objects of the list of displaced ones that are still displaced.
func (t *Tree) takeDisplaced(most int) {
	if most == 0 {
		return
	}
	sc := t.Buffers()
	sc.at = mem.Fresh(sc.at, BatchStride)
	var boxes [BatchStride]soa.AABB
	var keys [BatchStride]uint64
	first := len(t.Displaced) - most
	t.fetchDisplaced(first)
	for i := first; i < len(t.Displaced); i += BatchStride {
		t.fetchDisplaced(i + BatchStride)
		part := t.Displaced[i:min(i+BatchStride, len(t.Displaced))]
		for j, id := range part {
			boxes[j] = soa.AABB{}
			if t.isDisplaced(id) {
				slot, lane := t.Locate(id)
				boxes[j] = t.Store.Packets.Box(slot, lane)
			}
		}
		t.Code.boxes(keys[:len(part)], soa.BoxWords(boxes[:len(part)]), 6)
		for j, id := range part {
			if t.isDisplaced(id) {
				t.takeDisplacedObject(id, keys[j])
			}
		}
	}
	t.Displaced = t.Displaced[:first]
}

// isDisplaced reports whether a listed ID is that of an object in the tree: it may have been removed, be pending, or be
// listed twice and queued already.
func (t *Tree) isDisplaced(id uint32) bool {
	if !t.IDs.Alive(id) {
		return false
	}
	w := t.IDs.Where[id]
	return w != unplacedLocation && t.Store.Packets.Parents[w.Slot()] != soa.NoParent
}

// fetchDisplaced prefetches the packets of a stride of displaced objects.
func (t *Tree) fetchDisplaced(i int) {
	part := t.Displaced[min(i, len(t.Displaced)):min(i+BatchStride, len(t.Displaced))]
	at := t.Buffers().at[:len(part)]
	for j, id := range part {
		at[j] = 0
		if t.IDs.Alive(id) {
			at[j] = t.IDs.Where[id]
		}
	}
	fetchPackets(t, at, 4)
	fetchLabels(t, at, 4)
}

// takeDisplacedObject queues an object of the tree with that key unless it is back in place.
func (t *Tree) takeDisplacedObject(id uint32, key uint64) {
	p := &t.Store.Packets
	slot, lane := t.Locate(id)
	o := p.Object(slot, lane)
	if t.isPlaced(slot, &o.Box) {
		return
	}
	sc := t.Buffers()
	sc.addKeys(1)[0] = key
	sc.queue.packed = append(sc.queue.packed, unplaced{id, t.takeOriented(slot, lane), o, sphereOf(p, slot, lane)})
	t.takeOut(id, slot, lane)
}

// takePending queues the pending objects.
func (t *Tree) takePending() {
	for _, slot := range t.Store.Pending {
		t.queuePacket(slot)
	}
	t.takeRecords()
	t.dropPending()
}

// insertQueue inserts objects of the queue, which are in the order of keys.
func (t *Tree) insertQueue(items []uint64) {
	s, sc := t.Store, t.Buffers()
	if t.Code.Outlier && len(items) > 0 && sc.keys[radix.Index(items[len(items)-1])] >= outlierLow {
		t.openOutliers()
	}
	items = t.placeMany(items)
	if sc.landings == nil {
		sc.landings = new([3]landing) // to clear them takes longer than to insert an object
	}
	now, next, after := &sc.landings[0], &sc.landings[1], &sc.landings[2]
	sc.cuts = cutNodes{}
	items = t.locateCells(now, items)
	t.locatePackets(now)
	items = t.locateCells(next, items)
	for ; now.n > 0; now, next, after = next, after, now {
		items = t.locateCells(after, items)
		t.locatePackets(next)
		sc.oldCuts, sc.cuts = sc.cuts, cutNodes{}
		for j, i := range now.index[:now.n] {
			slot := now.refs[j].Index()
			if up := s.Packets.Parents[slot]; up == soa.NoParent || sc.oldCuts.has(up.Node()) || sc.cuts.has(up.Node()) {
				slot = packetNear(s, slot, now.keys[j], &now.boxes[j])
			}
			t.insert(slot, i, now.keys[j])
		}
	}
	sc.queue.empty() // the records are invalid after the next insertion
}

// landing is a stride of the queue in a software pipeline. While one stride is inserted, the packets of the next
// are prefetched, and the cells of the one after that:
//
//	approach  [ cells ]
//	land               [ packets ]
//	insert                        [ written ]
//
// Objects whose node is split meanwhile are located again.
type landing struct {
	n     int
	index [BatchStride]uint32 // in the queue
	keys  [BatchStride]uint64
	boxes [BatchStride]soa.AABB
	refs  [BatchStride]soa.Ref // cells, and then packets
}

// cutNodes is a filter of the nodes of packets that were split in a stride; it may have false positives.
type cutNodes [16]uint64

func (c *cutNodes) add(node uint32)      { c[node>>6%16] |= 1 << (node % 64) }
func (c *cutNodes) has(node uint32) bool { return c[node>>6%16]>>(node%64)&1 != 0 }

// locateCells locates the cells of the next stride, prefetches them, and returns the remaining items.
func (t *Tree) locateCells(l *landing, items []uint64) []uint64 {
	s, sc := t.Store, t.Buffers()
	if l.n = min(BatchStride, len(items)); l.n == 0 {
		return items
	}
	for j, item := range items[:l.n] {
		l.index[j] = radix.Index(item)
	}
	sc.queue.fetch(items[l.n:]) // for the next call
	var nodes [BatchStride]uint32
	way := newTrail()
	for j, i := range l.index[:l.n] {
		_, o := sc.queue.object(i)
		l.keys[j], l.boxes[j] = sc.keys[i], o.Box
		nodes[j], _ = way.cell(s, l.keys[j])
		l.refs[j] = soa.Ref(nodes[j])
	}
	fetch(t, s.Nodes.Hot, nodes[:l.n], 0)
	return items[l.n:]
}

// locatePackets locates the packets of a stride and prefetches the columns that insertion reads.
func (t *Tree) locatePackets(l *landing) {
	if l.n == 0 {
		return
	}
	s, sc := t.Store, t.Buffers()
	for j, key := range l.keys[:l.n] {
		if sc.cuts.has(l.refs[j].Index()) {
			l.refs[j] = soa.Ref(LastCell(s, key))
		}
	}
	descendToPackets(s, l.refs[:l.n], l.boxes[:l.n])
	var slots, ids [BatchStride]uint32
	for j, i := range l.index[:l.n] {
		slots[j] = l.refs[j].Index()
		ids[j], _ = sc.queue.object(i)
	}
	fetchPackets(t, slots[:l.n], 0)
	fetchLabels(t, slots[:l.n], 0)
	fetch(t, t.IDs.Where, ids[:l.n], 0)
}

// insert adds the object at a position of the queue to the packet in a slot, and makes room where it is full. The
// placement box grows by as much as that of a packet of this object alone.
func (t *Tree) insert(slot, i uint32, key uint64) {
	s, q := t.Store, &t.Buffers().queue
	id, o := q.object(i)
	for int(s.Packets.Counts[slot]) >= t.Config.SplitAbove {
		t.makeRoom(slot)
		slot = packetNear(s, slot, key, &o.Box)
	}
	sphere, oriented := q.bounds(i)
	t.place(slot, id, o, sphere)
	if oriented != nil {
		t.keepOriented(id, oriented)
	}
	if placement := s.Packets.PlacementBoxes[slot]; t.widenPlacementBox(&placement, &o.Box) {
		t.growPlacementBox(slot, placement)
	}
	t.Work.Placed++
	if node := s.Packets.Parents[slot].Node(); s.Nodes.FreeAtTick[node] != 0 {
		t.reuseNode(node)
	}
}

// IsCrowded reports whether more objects are pending than a query should scan.
func (t *Tree) IsCrowded() bool { return t.Pending > t.pendingMax() || t.Strayed >= strayMax }

// NeedsFlush reports whether a read is to flush: the tree is crowded, or too many objects are displaced.
func (t *Tree) NeedsFlush() bool { return t.IsCrowded() || tooManyDisplaced(t) }

// tooManyDisplaced reports whether displaced objects are to be placed before the next tick. They are in packets, and
// queries visit somewhat more of these. With a tick budget they are left to ticks.
func tooManyDisplaced(t *Tree) bool {
	c := &t.Config
	return c.TickBudget == 0 && len(t.Displaced) > max(c.PendingMin, t.IDs.Len()/c.PendingShare)
}

// pendingMax returns the maximum number of pending objects before a flush.
func (t *Tree) pendingMax() int {
	if t.Config.TickBudget > 0 {
		return min(t.Config.PendingMin, graftMin) // a graft costs less than a flush
	}
	return t.Config.PendingMin
}

// FlushDisplaced flushes if too many objects are displaced, or have become pending by moves. With a tick budget it
// leaves displaced objects to ticks.
func (t *Tree) FlushDisplaced() error {
	t.SingleMoves = 0
	if t.Strayed < strayMax && !tooManyDisplaced(t) {
		return nil
	}
	return t.FlushSome()
}

// FlushFull flushes if too many objects are pending or displaced.
func (t *Tree) FlushFull() error {
	if t.IsCrowded() {
		t.SingleMoves = 0
		return t.FlushSome()
	}
	return t.FlushDisplaced()
}

// FlushSome flushes, or with a tick budget makes the pending objects a graft. If there is no room, the objects stay
// pending or displaced, where queries find them, and the error is dropped. A flush refits the boxes that moved objects
// have left: otherwise those of a program that seldom calls Tick would only grow.
func (t *Tree) FlushSome() error {
	if t.Config.TickBudget > 0 {
		return ignoreFull(t.graft())
	}
	if err := t.Flush(); err != nil {
		return ignoreFull(err)
	}
	t.Refit()
	return nil
}

// ignoreFull returns nil for soa.ErrFull, and other errors as they are.
func ignoreFull(err error) error {
	if errors.Is(err, soa.ErrFull) {
		return nil
	}
	return err
}
