package piko

import (
	"fmt"
	"math"
)

// Validate checks the invariants of the tree:
//
//   - Objects are in their enlarged cells, and these in each other.
//   - Few objects are outside, and none that fits the root.
//   - Counts and tables are right.
//   - Leaves have at most SplitAbove objects unless they are too small, and other subtrees at least
//     MergeBelow.
func (t *Tree) Validate() error {
	stored := 0
	for _, h := range t.homes {
		if h.node != nil {
			stored++
		}
	}
	if t.root == nil {
		if stored != 0 || len(t.outside.objects) != 0 {
			return fmt.Errorf("piko: %d objects, %d outside, without a root", stored, len(t.outside.objects))
		}
		return nil
	}
	if int(t.root.count)+len(t.outside.objects) != stored || t.root.count == 0 || t.root.parent != nil {
		return fmt.Errorf("piko: the root counts %d and %d outside of %d objects", t.root.count, len(t.outside.objects), stored)
	}
	if t.crowded() {
		return fmt.Errorf("piko: %d of %d objects are outside", len(t.outside.objects), stored)
	}
	for i := range t.outside.objects {
		it := &t.outside.objects[i]
		if t.homes[it.ID] != (location{&t.outside, int32(i)}) || t.root.loose.Contains(it.Box) {
			return fmt.Errorf("piko: object %d, %v, is outside of %v", it.ID, it.Box, t.root.loose)
		}
	}
	var err error
	t.root.each(func(n *node) {
		if e := t.checkNode(n); e != nil && err == nil {
			err = e
		}
	})
	return err
}

func (t *Tree) checkNode(n *node) error {
	count := len(n.objects)
	for i := range n.objects {
		it := &n.objects[i]
		if t.homes[it.ID] != (location{n, int32(i)}) {
			return fmt.Errorf("piko: object %d is at %d, want slot %d", it.ID, i, t.homes[it.ID].slot)
		}
		if !n.loose.Contains(it.Box) {
			return fmt.Errorf("piko: object %d, %v, is not in %v", it.ID, it.Box, n.loose)
		}
	}
	for lane, c := range n.children {
		if c == nil {
			continue
		}
		count += int(c.count)
		if c.parent != n || int(c.lane) != lane || c.count == 0 || !n.loose.Contains(c.loose) || !t.near(n, c, lane) {
			return fmt.Errorf("piko: child %d of %v is %v about %v with %d objects", lane, n.loose, c.loose, c.center, c.count)
		}
	}
	if count != int(n.count) {
		return fmt.Errorf("piko: node %v counts %d of %d objects", n.loose, n.count, count)
	}
	if n.children == nil && count > t.cfg.SplitAbove && n.divisible() || n.children != nil && count < t.cfg.MergeBelow {
		return fmt.Errorf("piko: node %v of %d objects, split %v", n.loose, count, n.children != nil)
	}
	return nil
}

// near reports whether a child is at the position of its lane, up to rounding when the root grew over it, and
// up to the limits of float32.
func (t *Tree) near(n, c *node, lane int) bool {
	for a, want := range t.cell(n, lane) {
		rounding := math.Abs(float64(want)) * 0x1p-21
		if d := math.Abs(float64(c.center[a]) - float64(want)); d > float64(n.half)/8+rounding && n.half < 0x1p126 {
			return false
		}
	}
	return true
}
