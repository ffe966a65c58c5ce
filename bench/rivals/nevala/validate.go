package nevala

import "fmt"

// Validate checks that every object is in the smallest cube that contains it, that cubes nest, that the
// tables are right and only expiring leaves are empty.
func (t *Tree) Validate() error {
	count, dying := 0, 0
	for i, it := range t.pending {
		if t.homes[it.ID] != (location{slot: int32(i)}) {
			return fmt.Errorf("nevala: object %d is deferred at %d, its node is %v", it.ID, i, t.homes[it.ID])
		}
		count++
	}
	var err error
	check := func(n *node) {
		if e := t.checkNode(n); e != nil && err == nil {
			err = e
		}
		count += len(n.objects)
		if n.listed {
			dying++
		}
	}
	if t.root != nil {
		t.root.each(check)
	}
	if err != nil {
		return err
	}
	stored := 0
	for _, h := range t.homes {
		if h.slot >= 0 {
			stored++
		}
	}
	if stored != count || dying != len(t.dying) {
		return fmt.Errorf("nevala: %d objects of %d, %d dying of %d", count, stored, dying, len(t.dying))
	}
	return nil
}

func (t *Tree) checkNode(n *node) error {
	for i := range n.objects {
		it := &n.objects[i]
		if t.homes[it.ID] != (location{n, int32(i)}) {
			return fmt.Errorf("nevala: object %d is at %d, want slot %d", it.ID, i, t.homes[it.ID].slot)
		}
		if !n.region.Contains(it.Box) {
			return fmt.Errorf("nevala: object %d, %v, is not in %v", it.ID, it.Box, n.region)
		}
		if o := n.octant(&it.Box); o >= 0 && t.divisible(n) && !n.alone() {
			return fmt.Errorf("nevala: object %d fits octant %d of %v", it.ID, o, n.region)
		}
	}
	for o, c := range n.child {
		if (c != nil) != (n.active>>o&1 == 1) {
			return fmt.Errorf("nevala: children of %v: %08b", n.region, n.active)
		}
		if c != nil && (c.parent != n || int(c.lane) != o || !n.region.Contains(c.region)) {
			return fmt.Errorf("nevala: child %d of %v is %v", o, n.region, c.region)
		}
	}
	empty := n.active == 0 && len(n.objects) == 0 && n.parent != nil
	if empty != (n.life >= 0) || empty && !n.listed || n.life > n.span || n.life == 0 || n.span < spanMin || n.span > spanMax {
		return fmt.Errorf("nevala: node %v, empty %v, has %d of %d frames left", n.region, empty, n.life, n.span)
	}
	return nil
}
