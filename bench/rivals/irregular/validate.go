package irregular

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// Validate checks the invariants of the tree:
//
//   - Objects are in the right node and on the right side of each plane.
//   - Fresh boxes are the exact unions.
//   - No branch is empty, and no node could be replaced by its only child.
//   - Counts and tables are right.
func (t *Tree) Validate() error {
	stored, count := 0, 0
	for _, h := range t.homes {
		if h.node != nil {
			stored++
		}
	}
	var err error
	t.root.each(func(n *node) {
		count += len(n.objects)
		if e := t.checkNode(n); e != nil && err == nil {
			err = e
		}
	})
	if err == nil && (count != stored || t.root.parent != nil) {
		err = fmt.Errorf("irregular: %d objects of %d", count, stored)
	}
	return err
}

func (t *Tree) checkNode(n *node) error {
	box, kids := soa.Empty(), 0
	for i := range n.objects {
		it := &n.objects[i]
		if h := t.homes[it.ID]; h.node != n || int(h.slot) != i {
			return fmt.Errorf("irregular: object %d is at %d, want slot %d", it.ID, i, h.slot)
		}
		if at, lane := t.target(&it.Box); at != n || lane >= 0 {
			return fmt.Errorf("irregular: object %d, %v, belongs elsewhere", it.ID, it.Box)
		}
		box = box.Union(it.Box)
	}
	for lane, c := range n.child {
		if c == nil {
			continue
		}
		kids++
		if c.parent != n || int(c.lane) != lane || c.empty() || !n.box.Contains(c.box) {
			return fmt.Errorf("irregular: child %d of %v is %v, fresh %v", lane, n.box, c.box, c.fresh)
		}
		c.each(func(x *node) {
			for i := range x.objects {
				box = box.Union(x.objects[i].Box)
			}
		})
	}
	if n.fresh && n.box != box || !n.box.Contains(box) {
		return fmt.Errorf("irregular: the box of a node is %v, fresh %v, the union of its contents %v", n.box, n.fresh, box)
	}
	if kids == 1 && len(n.objects) == 0 {
		return fmt.Errorf("irregular: node %v has one child and no objects", n.box)
	}
	if kids != int(n.kids) || (kids == 0) != (n.on == 0) || int(n.wait) < 0 {
		return fmt.Errorf("irregular: %d children of %d, planes %03b", kids, n.kids, n.on)
	}
	return nil
}
