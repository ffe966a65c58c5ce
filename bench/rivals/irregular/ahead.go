package irregular

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/rivals/index"
)

// Ahead says which leaves are split ahead, before a query comes to them, so that
// no frame has to pay for many splits.
type Ahead uint8

const (
	Lazy     Ahead = iota // none
	Rejected              // in the nodes that the last query rejected: they border on what it saw
	Motion                // in the region of motion that is anticipated
	All                   // all
)

// String returns the name of the way.
func (a Ahead) String() string {
	if a > All {
		return fmt.Sprintf("Ahead(%d)", uint8(a))
	}
	return [...]string{"lazy", "rejected", "motion", "all"}[a]
}

// reject notes a node whose box does not meet the volume of a query.
func (t *Tree) reject(n *node) {
	if t.cfg.Ahead == Rejected {
		t.rejected = append(t.rejected, n)
	}
}

// Expect says where the next queries will be, for the tree to split there ahead:
// in one volume, like the box that an object sweeps, or in several, like what the
// camera will see in each of the coming frames.
func (t *Tree) Expect(region ...index.Volume) { t.region = append(t.region[:0], region...) }

// expected reports whether a node is in the region of motion.
func (t *Tree) expected(n *node) bool {
	for i := range t.region {
		if t.region[i].Meets(&n.box) {
			return true
		}
	}
	return false
}

// SplitAhead splits leaves as [Config.Ahead] says, at most that many, and
// returns how many there were: 0 when there is nothing left to do. It changes no
// answer. Nodes come level by level, their children after them, so that what a
// query would come to first is done first.
//
// It is for the time that is left in a frame. It costs the nodes that it looks
// at, and the objects of the leaves that it splits.
func (t *Tree) SplitAhead(most int) (splits int) {
	queue, before := t.queue[:0], t.splits
	switch t.cfg.Ahead {
	case Rejected:
		// What was rejected may be freed meanwhile: then it is empty.
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
