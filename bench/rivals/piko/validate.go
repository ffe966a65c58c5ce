package piko

import (
	"fmt"
	"math"
)

// Validate checks that objects lie in their enlarged cells and these in each
// other, that counts and tables are right, that leaves have at most SplitAbove
// objects unless they are too small, and other subtrees at least MergeBelow.
func (t *Tree) Validate() error {
	stored := 0
	for _, h := range t.homes {
		if h.node != nil {
			stored++
		}
	}
	if t.root == nil {
		if stored != 0 {
			return fmt.Errorf("piko: %d objects without a root", stored)
		}
		return nil
	}
	if int(t.root.count) != stored || t.root.parent != nil {
		return fmt.Errorf("piko: the root counts %d of %d objects", t.root.count, stored)
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
		if t.homes[it.id] != (home{n, int32(i)}) {
			return fmt.Errorf("piko: object %d is at %d, its home is slot %d", it.id, i, t.homes[it.id].slot)
		}
		if !n.loose.Contains(it.Box) {
			return fmt.Errorf("piko: object %d, %v, is not in %v", it.id, it.Box, n.loose)
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

// near reports whether a child is where its lane says, but for rounding when the
// root grew over it, and for the ends of float32.
func (t *Tree) near(n, c *node, lane int) bool {
	for a, want := range t.cell(n, lane) {
		rounding := math.Abs(float64(want)) * 0x1p-21
		if d := math.Abs(float64(c.center[a]) - float64(want)); d > float64(n.half)/8+rounding && n.half < 0x1p126 {
			return false
		}
	}
	return true
}
