package irregular

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/rivals/index"
)

// Ahead is the policy that selects leaves to split ahead of queries, so that no frame pays for many splits.
type Ahead uint8

const (
	Lazy     Ahead = iota // none
	Rejected              // in the nodes that the last query rejected: they are adjacent to its volume
	Motion                // in the region of predicted motion
	All                   // all leaves
)

// String returns the name of the policy.
func (a Ahead) String() string {
	if a > All {
		return fmt.Sprintf("Ahead(%d)", uint8(a))
	}
	return [...]string{"lazy", "rejected", "motion", "all"}[a]
}

// reject records a node whose box does not intersect the volume of a query.
func (t *Tree) reject(n *node) {
	if t.cfg.Ahead == Rejected {
		t.rejected = append(t.rejected, n)
	}
}

// Expect sets the region of the next queries, in which the tree may split ahead: one volume, such as the box
// that an object sweeps, or several, such as the camera frusta of the coming frames.
func (t *Tree) Expect(region ...index.Volume) { t.region = append(t.region[:0], region...) }

// expected reports whether a node overlaps the region of motion.
func (t *Tree) expected(n *node) bool {
	for i := range t.region {
		if t.region[i].Meets(&n.box) {
			return true
		}
	}
	return false
}

// SplitAhead splits at most that many leaves, selected by [Config.Ahead], and returns their number: 0 if no
// work is left. It does not change any result. It visits nodes level by level, parents before children, so
// that nodes are split in the order in which a query would reach them.
//
// Call it in the time that is left in a frame. The cost is proportional to the visited nodes and to the
// objects of the split leaves.
func (t *Tree) SplitAhead(most int) (splits int) {
	queue, before := t.queue[:0], t.splits
	switch t.cfg.Ahead {
	case Rejected:
		// A rejected node may have been freed since: then it is empty.
		queue = append(queue, t.rejected...)
	case Motion, All:
		queue = append(queue, t.root)
	}
	for i := 0; i < len(queue) && t.splits-before < most; i++ {
		n := queue[i]
		if n.refresh(); n.empty() || t.cfg.Ahead == Motion && !t.expected(n) {
			continue
		}
		n.visit(t)
		for _, c := range n.child {
			if c != nil {
				queue = append(queue, c)
			}
		}
	}
	clear(queue)
	t.queue = queue[:0]
	return t.splits - before
}
