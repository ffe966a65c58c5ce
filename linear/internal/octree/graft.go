package octree

import (
	"math"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// Grafts. A tree with Config.TickBudget limits the work of each call to the objects that it is given, and of each tick
// to the budget. Many pending objects are not placed at once, but become a graft: a subtree of their own, built
// along the curve, from whose leaves ticks take objects and place them (the small-tree-large-tree approach: L. Chen,
// R. Choubey, E. Rundensteiner, Bulk-Insertions into R-Trees, 1998). Each graft is a cell at the front of the near
// branch, whose interval is the first key of the next cell. So no search for a cell ends there, and queries find its
// objects on their way through the tree:
//
//	keys       {0}       {0}      0 .. a   a+1 .. b ...
//	lanes    [ graft ] [ graft ] [ cell ] [ cell ]
//
// A new graft absorbs those of less than twice its size: so there are few, and each object is absorbed a few times.
// Objects in a graft are in place while their boxes are inside the placement boxes of their packets.

// graftSpan is the interval of a graft. A cell of objects with the first key of all may have it, too. If it is taken
// for a graft, its objects are placed again, in a cell of that key.
var graftSpan = soa.KeySpan{}

// unlimited is a budget for all work.
const unlimited = math.MaxInt

// The work of a tick is counted in moves: an object that moves to another packet of its node is one. The other weights
// are ratios of times in a tree beyond the cache. In a smaller tree all work takes less time, and the budget is larger.
const (
	placeWork       = 8  // to find the packet of an object and to insert it
	refitWork       = 2  // to refit a packet, and its share of the nodes above it
	budgetWork      = 7  // moves for each object of the budget
	budgetWorkLarge = 3  // the same in a tree of more than manyLarge objects
	behindOneIn     = 4  // the share of the budget, one in so many, of grafted objects with which ticks are behind
	behindWork      = 16 // the work of a tick that is behind, for each object put in a graft
	leastOneIn      = 8  // the share of its work, one in so many, that a tick does in each of its steps in any case
	recutShare      = 4  // the share, one in so many, that is left to partition nodes again
)

// work returns the work since the last tick, in moves, without nodes that were partitioned again.
func (w *Work) work() int { return placeWork*w.Placed + w.Shifted + refitWork*w.RefitPackets }

// tickBudget returns the objects that a tick may partition again.
func (t *Tree) tickBudget() int {
	if t.Config.TickBudget == 0 {
		return unlimited
	}
	return t.Config.TickBudget
}

// budgetMax is the largest budget of work, so that the work fits 32 bits.
const budgetMax = 1 << 26

// tickLimit limits the work of a tick.
type tickLimit struct {
	end   int // the work since the last tick, with which this one ends
	least int // what each of its steps may do in any case
}

// noLimit returns the limit of a tree without a budget.
func noLimit() tickLimit { return tickLimit{end: unlimited, least: unlimited} }

// free reports whether there is no limit.
func (l tickLimit) free() bool { return l.end == unlimited }

// limitTick returns the limit of a tick.
func limitTick(t *Tree) tickLimit {
	if t.Config.TickBudget == 0 {
		return noLimit()
	}
	return limitBudget(t)
}

// limitBudget returns the limit of a tick with a budget. The tick refits what is to be refitted in any case. Ticks are
// behind if many objects are left in grafts from earlier frames, or if the calls of this frame have placed more than
// twice the budget, which they do when grafts are full. Then the tick places as many objects as these calls have put in
// grafts, up to the budget: otherwise grafts would grow and slow all queries down.
func limitBudget(t *Tree) tickLimit {
	budget := min(t.Config.TickBudget, budgetMax)
	most := budgetWork * budget
	if t.IDs.Len() > manyLarge {
		most = budgetWorkLarge * budget
	}
	least := most/leastOneIn + 1
	work := workAhead(t) + least
	if added := t.Work.Shifted; t.Grafted-added > budget/behindOneIn || t.Work.Placed > 2*budget {
		work += behindWork * min(added, budget)
	}
	return tickLimit{t.Work.work() + max(most, work), least}
}

// workAhead returns the work that a tick cannot put off.
func workAhead(t *Tree) int { return refitWork*t.Dirty.Len() + t.Underfull.Len() }

// left returns the work that is left, without what cannot be put off.
func (l tickLimit) left(t *Tree) int {
	if l.free() {
		return unlimited
	}
	return l.leftOf(t)
}

// leftOf is left with a limit. It is apart so that left is inlined.
func (l tickLimit) leftOf(t *Tree) int { return max(l.end-t.Work.work()-workAhead(t), l.least) }

// mayRebuild reports whether changes may rebuild the tree: it has no budget, or not more objects than that or than a
// node of packets.
func (t *Tree) mayRebuild() bool { return t.IDs.Len() <= max(t.tickBudget(), soa.Fan*roomyFill) }

// isGraft reports whether a node is a graft.
func (t *Tree) isGraft(node uint32) bool {
	return t.Grafted > 0 && t.Store.Nodes.Cells[node] == graftSpan
}

// firstGraft returns the graft in the first lane, if there is one beside other cells.
func (t *Tree) firstGraft() (cell uint32, ok bool) {
	s := t.Store
	if t.Grafted == 0 || len(s.Nodes.Hot) == 0 || IsCell(s, 0) {
		return 0, false
	}
	for cell = 0; !IsCell(s, cell); {
		cell = s.Nodes.Hot[cell].Child[0].Index()
	}
	return cell, t.isGraft(cell) && s.Nodes.Used[s.Nodes.Parents[cell].Node()] > 1
}

// graftedOneIn is the largest share of objects, one in so many, in grafts.
const graftedOneIn = 8

// fullOneIn is the share of objects, one in so many, from which a call rebuilds the tree if grafts have no room for its
// objects: it costs as much as placing them, and places those in grafts, too.
const fullOneIn = 12

// graftMin is the maximum number of pending objects before they become a graft. Queries scan pending objects one by
// one, and grafts of few objects are absorbed often.
const graftMin = 128

// callOneIn is the share of the budget, one object in so many, that a call may place, and as many grafted ones. All
// calls of a frame may place as many objects as the budget.
const callOneIn = 8

// AtOnce returns the number of pending objects up to which a call places them.
func (c *Config) AtOnce() int {
	if c.TickBudget == 0 {
		return unlimited
	}
	return max(c.TickBudget/callOneIn, strayMax)
}

// graft makes the pending objects a graft, except far ones, which it places. If they are few it places them, and as
// many grafted ones. It places all of them, or rebuilds, if grafts would have too many objects: ticks cannot keep up.
func (t *Tree) graft() error {
	s := t.Store
	leaves := 2*(t.Pending+t.Grafted)/t.leafFill() + 2 // or fewer
	if t.needsRebuild(t.Pending, t.mayRebuild()) || t.Config.Policy == PolicyAuto && t.Pending > t.IDs.Len()/rebuildOneIn {
		return t.renew()
	}
	t.BeginChange()
	if t.Pending <= min(t.Config.AtOnce(), t.Config.TickBudget-t.Work.Placed) {
		grafted := min(t.Pending, t.Grafted)
		if t.needsRebuild(t.Pending+grafted, false) {
			grafted = 0 // there is no room
		}
		t.placeUnplaced(0, grafted)
		t.Refit()
		return nil
	}
	if t.Pending+t.Grafted > t.IDs.Len()/graftedOneIn || !s.Nodes.Fits(2*leaves+soa.Fan) || !t.fitsNodes(leaves) {
		if t.Config.Policy == PolicyAuto && t.Pending > t.IDs.Len()/fullOneIn {
			return t.renew()
		}
		t.placeUnplaced(0, 0)
		return nil
	}
	sc := t.Buffers()
	t.emptyQueue()
	t.takePending()
	t.Work.Shifted += sc.queue.len()
	t.Strayed = 0
	for cell, ok := t.firstGraft(); ok && int(s.Nodes.Below[cell]) < 2*sc.queue.len(); cell, ok = t.firstGraft() {
		t.takeGraft(cell)
	}
	items := t.sortQueue()
	near := len(items)
	for near > 0 && sc.keys[radix.Index(items[near-1])] >= outlierLow {
		near--
	}
	t.countPlaced(len(items) - near)
	if near > 0 {
		t.attach(t.buildGraft(items[:near]))
		t.Grafted += near
	}
	t.insertQueue(items[near:])
	return nil
}

// leafFill returns the number of objects that a graft puts below a node of height 0.
func (t *Tree) leafFill() int { return soa.Fan * t.freshFill() }

// buildGraft builds a subtree of objects of the queue and returns its node.
func (t *Tree) buildGraft(items []uint64) uint32 {
	fill := t.leafFill()
	level := t.Buffers().list[:0]
	for i := 0; i < len(items); i += fill {
		level = append(level, t.newLeaf(items[i:min(i+fill, len(items))]))
	}
	for height := uint8(1); len(level) > 1; height++ {
		above := level[:0]
		for i := 0; i < len(level); i += soa.Fan {
			node := t.newNode(height)
			for l, child := range level[i:min(i+soa.Fan, len(level))] {
				t.insertLane(node, l, soa.Ref(child), soa.NoKey)
				t.setNodeLane(child)
			}
			t.recount(node)
			above = append(above, node)
		}
		level = above
	}
	t.Buffers().list = level
	t.setCell(level[0], graftSpan)
	return level[0]
}

// newLeaf makes a node of packets of objects of the queue, which it fills in their order.
func (t *Tree) newLeaf(items []uint64) uint32 {
	c := t.copyQueue(items)
	node := t.newNode(0)
	t.addPackets(node, t.freshPackets(c.n), 0)
	var room [soa.Fan]uint32
	t.refillEvenly(t.slotsOf(room[:0], node), c)
	t.count(node, uint32(c.n))
	t.setArea(node)
	return node
}

// attach makes a subtree the first lane of the near branch.
func (t *Tree) attach(top uint32) {
	n := &t.Store.Nodes
	near := uint32(0)
	if t.forked() {
		near = n.Hot[0].Child[0].Index()
	}
	for IsCell(t.Store, near) || n.Used[near] == soa.Fan || n.Height[near] <= n.Height[top] {
		if near == 0 {
			t.deepen()
		} else {
			t.deepenBranch(near)
			near = n.Hot[0].Child[0].Index()
		}
	}
	t.insertLane(near, 0, soa.Ref(top), graftSpan.Low)
	t.setNodeLane(top)
	if near != 0 {
		t.setNodeLane(near)
	}
	t.scatter(soa.MakeUp(near, 0))
}

// takeGraft queues all objects of a graft and removes it.
func (t *Tree) takeGraft(cell uint32) {
	for at, ok := cell, true; ok && at == cell; at, ok = t.firstGraft() {
		t.takeLeaf(cell, unlimited)
	}
}

// takeGrafted queues the objects of some packets of grafts, at least most objects unless there are fewer.
func (t *Tree) takeGrafted(most int) (taken int) {
	for taken < most {
		cell, ok := t.firstGraft()
		if !ok {
			t.Grafted = 0
			break
		}
		taken += t.takeLeaf(cell, most-taken)
	}
	t.countPlaced(taken)
	return taken
}

// placeGrafted places at most about so many objects of grafts, a leaf at a time, and less towards the end: to place
// one object may move many. It stops when the work is that of end.
func (t *Tree) placeGrafted(grafted, end int) {
	for grafted > 0 {
		left := end - t.Work.work()
		if left <= 0 {
			break
		}
		t.emptyQueue()
		taken := t.takeGrafted(min(grafted, left/(2*placeWork)+1, t.leafFill()))
		if taken == 0 && t.Grafted == 0 {
			break
		}
		t.insertQueue(t.sortQueue())
		grafted -= taken
	}
}

// takeLeaf queues the objects of the last packets of a graft's last leaf, at least most objects unless there are fewer,
// and removes these packets, and the leaf if it is empty. It returns the number of objects.
func (t *Tree) takeLeaf(node uint32, most int) (taken int) {
	s := t.Store
	for s.Nodes.Height[node] > 0 {
		node = s.Nodes.Hot[node].Child[s.Nodes.Used[node]-1].Index()
	}
	child := s.Nodes.Hot[node].Child[:s.Nodes.Used[node]]
	kept := len(child)
	for ; kept > 0 && taken < most; kept-- {
		taken += t.queuePacket(child[kept-1].Index())
	}
	t.Grafted = max(t.Grafted-taken, 0)
	for l := len(child) - 1; l >= kept; l-- {
		slot := child[l].Index()
		if kept > 0 {
			t.removeLane(node, l)
			t.dropSlot(node, slot)
		} else {
			t.clearSlot(slot)
		}
	}
	if kept > 0 {
		t.count(node, -uint32(taken))
	} else {
		t.removeNode(node)
	}
	return taken
}
