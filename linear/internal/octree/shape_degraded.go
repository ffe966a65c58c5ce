package octree

import (
	"github.com/zoctree/zoctree/soa"
)

// A build fills the packets of a tree with room for insertions along the curve. Later ticks partition the nodes in
// space, some in each tick, which makes packets smaller.
//
// A node of packets degrades: moves, insertions and removals make its packets larger and emptier
// than a new cut would. A refit, which visits changed nodes anyway, lists degraded nodes, and each
// tick cuts some of them anew, in turn.

const (
	// degradedPercent is the growth of the summed area of the packets of a node since they were cut, in
	// per cent, from which it is degraded.
	degradedPercent = 20

	// Work of a tick: it cuts one node anew per recutMoved objects that have moved since the last
	// tick and one per recutArrived that have been inserted, and at least recutMin. The cost is
	// proportional to the changes. After 400 frames in which one object in 100 moves, queries visit
	// 1.1 to 1.2 times as much as in a new tree; much more work hardly lowers that. A tree that has
	// grown since it was built uses recutGrown instead of recutArrived. After each object has been
	// replaced twice by one elsewhere, queries visit 1.03 to 1.07 times as much as in a new tree.
	// As many cuts as in a growing tree would save 3 % of that, and take a tenth of the time of the
	// replacements (go test ./linear -run '^$' -bench 'Replace/./n/far=true').
	recutMoved, recutArrived, recutGrown, recutMin = 512, 64, 16, 2

	// recutOneIn limits the cuts for moved objects to one in so many nodes: frames in which all
	// objects move have other work.
	recutOneIn = 64

	// A tick cuts the nodes that a build has filled along the curve: those of one object in uncutOneIn, or of
	// uncutMin if these are more. All cuts together take longer than the build, so ticks share them. A frame in which
	// objects move has other work, and cuts only uncutMoving per cent of that: otherwise the first frames of a small
	// tree touch three times as many objects as later ones (go test ./linear -run BouncingWork).
	uncutOneIn, uncutMin, uncutMoving = 16, 1024, 80
)

// packetArea returns half of the summed surface of the packets of a node.
func packetArea(n *soa.Node, lanes int) (sum float32) {
	b := &n.Bounds
	for l := 0; l < lanes && l < soa.Fan; l++ {
		x, y, z := b[soa.MaxX][l]-b[soa.MinX][l], b[soa.MaxY][l]-b[soa.MinY][l], b[soa.MaxZ][l]-b[soa.MinZ][l]
		if x >= 0 { // not empty
			sum += float32(float32(x*y)+float32(y*z)) + float32(z*x)
		}
	}
	return sum
}

// freshPackets returns the number of packets that a build gives n objects, at least 1.
func (t *Tree) freshPackets(n int) int {
	fill := t.freshFill()
	return min(max((n+fill-1)/fill, 1), soa.Fan)
}

// freshFill returns the number of objects per packet after a cut.
func (t *Tree) freshFill() int { return max(t.Config.SplitAbove*roomyFill/soa.Lanes, 1) }

// isDegraded reports whether a node of packets is degraded enough to be cut anew.
func (t *Tree) isDegraded(node uint32) bool {
	n := &t.Store.Nodes
	lanes, objects := int(n.Used[node]), int(n.Below[node])
	fresh := t.freshPackets(objects)
	return objects > 0 && (lanes > fresh+fresh/8 ||
		100*packetArea(&n.Hot[node], lanes) > (100+degradedPercent)*n.Area[node])
}

// recutDegraded cuts some degraded nodes anew, beginning after the last one of the previous tick, until they have limit
// objects. It returns the number of their objects.
func (t *Tree) recutDegraded(limit int) (cut int) {
	if t.Degraded.Len() == 0 || t.BulkMotion {
		return 0
	}
	t.BeginChange()
	n := &t.Store.Nodes
	arrived := t.PlacedThisTick / recutArrived
	if t.IDs.Len() > t.Base {
		arrived = t.PlacedThisTick / recutGrown
	}
	most := max(min(t.Work.Moved/recutMoved, len(n.Hot)/recutOneIn)+arrived, recutMin)
	for range min(most, t.Degraded.Len()) {
		if cut >= limit {
			break
		}
		node, ok := t.Degraded.Next(t.RecutCursor)
		if !ok {
			node, _ = t.Degraded.Next(0)
		}
		t.Degraded.Remove(node)
		t.RecutCursor = node + 1
		if int(node) >= len(n.Hot) || n.Used[node] == 0 || n.Height[node] != 0 || !t.isDegraded(node) {
			continue // freed, or no longer degraded
		}
		t.cutFresh(node)
		t.Work.Recut++
		cut += int(n.Below[node])
	}
	return cut
}

// cutUncut cuts some of the nodes in space that the last build has filled along the curve, from the last one down. It
// waits until a tick has passed without a build: a tree that is rebuilt in each frame is never cut. The nodes have
// at most limit objects, but for the last one.
func (t *Tree) cutUncut(limit int) {
	if t.Uncut == 0 || t.builtSoon() || limit <= 0 {
		return
	}
	t.BeginChange()
	n := &t.Store.Nodes
	most, moving := max(t.IDs.Len()/uncutOneIn, uncutMin), t.Work.Moved > 0
	if moving {
		most = most * uncutMoving / 100
	}
	most = min(most, limit)
	node := min(t.Uncut, uint32(len(n.Hot)))
	for left := most; node > 0 && left > 0; node-- {
		at := node - 1
		if n.Height[at] > 0 || n.Used[at] <= 1 {
			continue
		}
		k := int(n.Below[at])
		if moving && 2*left < k && left < most {
			break // to cut it later is nearer to the number, and it is not the first one
		}
		t.cutFresh(at)
		t.Work.Recut++
		left -= k
	}
	if t.Uncut = node; node == 0 && t.BulkMotion {
		t.Refit()
		t.Visits = min(t.Visits, t.sampleVisits(t.Visits))
	}
}

// cutFresh distributes the objects of a node to as many packets as a build gives them, or as there are free slots: a
// cut must not take more memory.
func (t *Tree) cutFresh(node uint32) {
	n := &t.Store.Nodes
	want := t.freshPackets(int(n.Below[node]))
	for t.freeSlots(node)+t.Free.Len() > 0 && int(n.Used[node]) < want {
		t.insertLane(node, int(n.Used[node]), soa.PacketRef(t.slotFor(node)), soa.NoKey)
	}
	t.recutInto(node, min(want, int(n.Used[node])))
}
