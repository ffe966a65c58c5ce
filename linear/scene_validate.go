package linear

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Validate checks all invariants of the scene and of the parts below it. It recomputes every stored
// fact, and returns an error that names the first wrong ones, or nil. It is for tests and for bug
// reports: it takes time proportional to the whole scene, each part once, and allocates.
//
// It checks the trees ([Tree.Validate]), but not snapshots, which never change. It also checks the
// following invariants of scenes:
//   - Each instance belongs to one part, which lists it once, and has the box that follows from
//     its transform and the part.
//   - The references between parts and scenes agree.
//   - The depths of scenes are right.
//   - Every changed part is marked in the scenes that hold it.
//   - Views read the current state.
func (s *Scene) Validate() error {
	s.made()
	var all []*partNode
	for _, u := range partsBelow(&s.partNode) {
		all = append(all, u)
		if u.scene != nil {
			all = append(all, u.scene.entries[ownEntry].partNode, u.scene.entries[instancesEntry].partNode)
		}
	}
	c := sceneChecker{}
	for _, u := range all { // before a tree is validated, which may apply deferred changes
		c.notes(u)
	}
	for _, u := range all {
		if u.scene != nil {
			c.scene(u.scene)
		} else if u.snap != nil {
			continue
		} else if err := u.tree.Validate(); err != nil {
			c.fail("a tree: %w", err)
		}
	}
	return errors.Join(c.errs...)
}

type sceneChecker struct {
	s    *Scene
	errs []error
}

func (c *sceneChecker) fail(format string, args ...any) {
	if len(c.errs) < octree.MaxErrors {
		c.errs = append(c.errs, fmt.Errorf("linear: scene: "+format, args...))
	}
}

// notes checks that the changes of a part have been notified.
func (c *sceneChecker) notes(u *partNode) {
	stale, calm := u.stale.Load(), u.isIdle()
	if t := u.tree; t != nil && !stale && (u.state.objects.at != t.octree.Store.Version || !t.deferred.synced.Load()) {
		c.fail("a tree at version %d, last viewed at %d, is not stale", t.octree.Store.Version, u.state.objects.at)
	}
	for _, by := range u.by {
		if stale && !by.scene.partNode.stale.Load() {
			c.fail("entry %d is stale, and the scene is not", by.entry)
		}
		c.listed(by.scene, by.entry, stale, calm)
	}
}

// listed checks that the next tick of a scene finds an entry with pending work.
func (c *sceneChecker) listed(s *Scene, entry uint32, stale, calm bool) {
	if (stale || !calm) && !s.due.Has(entry) {
		c.fail("entry %d is stale (%v) or not idle (%v), and not due", entry, stale, !calm)
	}
}

// scene checks one scene.
func (c *sceneChecker) scene(s *Scene) {
	c.s = s
	before := len(c.errs)
	for _, check := range []func(){c.entryLists, c.instances, c.depth, c.state} {
		if check(); len(c.errs) > before {
			return // the later checks rely on it
		}
	}
}

// entryLists checks the entries, and the references of parts to them.
func (c *sceneChecker) entryLists() {
	s := c.s
	free := make(map[uint32]bool)
	for _, i := range s.free {
		if free[i] || uint64(i) >= uint64(len(s.entries)) || s.entries[i].partNode != nil {
			c.fail("entry %d is in the free list twice, or is not free", i)
		}
		free[i] = true
	}
	parts := 0
	for i := range s.entries {
		e := &s.entries[i]
		if e.partNode == nil {
			if !free[uint32(i)] || s.due.Has(uint32(i)) || s.held.Has(uint32(i)) {
				c.fail("entry %d is free and not in the free list, or due or held", i)
			}
			continue
		}
		if by := e.partNode.by; e.partNode.snap == nil && (uint64(e.at) >= uint64(len(by)) || by[e.at] != (use{s, uint32(i)})) {
			c.fail("entry %d is not listed by its part at %d", i, e.at)
		}
		if t := e.partNode.tree; t != nil && t.octree.Observer != e.partNode {
			c.fail("entry %d is of a tree without a reference to it", i)
		}
		if i < firstPart {
			if len(e.ids) > 0 {
				c.fail("entry %d has %d instances", i, len(e.ids))
			}
			continue
		}
		parts++
		if !s.held.Has(uint32(i)) {
			c.fail("entry %d has a part and is not held", i)
		}
		if at, ok := s.entryOf[e.partNode]; !ok || at != uint32(i) {
			c.fail("the part of entry %d is found at %d, %v", i, at, ok)
		}
	}
	if parts != len(s.entryOf) || parts != s.held.Len() {
		c.fail("%d parts, %d of them found, %d held", parts, len(s.entryOf), s.held.Len())
	}
}

// instances checks the rows of instances and their boxes.
func (c *sceneChecker) instances() {
	s := c.s
	listed := 0
	for i := firstPart; i < len(s.entries); i++ {
		e := &s.entries[i]
		if e.partNode == nil {
			continue
		}
		turns := 0
		for k, id := range e.ids {
			listed++
			if !s.instances.Has(id) || uint64(id) >= uint64(len(s.rows)) {
				c.fail("entry %d lists instance %d, which does not exist", i, id)
				continue
			}
			row := &s.rows[id]
			if s.in[id] != uint32(i) || row.index != uint32(k) {
				c.fail("entry %d lists instance %d at %d, which is at %d of entry %d", i, id, k, row.index, s.in[id])
			}
			if row.turns() {
				turns++
			}
			c.box(id, row, &e.bounds)
		}
		if turns != e.turns {
			c.fail("entry %d has %d rotating instances, counted as %d", i, turns, e.turns)
		}
		if len(e.ids) == 0 || !e.mixed && !slices.IsSorted(e.ids) {
			c.fail("entry %d has %d instances, out of order", i, len(e.ids))
		}
		if e.bounds.bounds.Check() != nil || !(e.bounds.radius >= 0) {
			c.fail("entry %d has the bounds %v and the radius %g", i, e.bounds.bounds, e.bounds.radius)
		}
	}
	if listed != s.instances.Len() {
		c.fail("%d instances in lists, %d exist", listed, s.instances.Len())
	}
	for id, i := range s.in {
		if i != None && !s.instances.Has(uint32(id)) {
			c.fail("instance %d is free and has entry %d", id, i)
		}
	}
}

// box checks the box of an instance.
func (c *sceneChecker) box(id uint32, row *placement, to *instanceBounds) {
	o, _ := c.s.instances.Object(id)
	transform := &c.s.transforms[id]
	want, ok := row.boxOf(transform, to)
	if !ok {
		c.fail("instance %d rotates with a reach of %g, of a part of radius %g stretched to %g", id, row.reach, to.radius, float64(to.radius*transform.longest()))
	}
	if o.Box != want {
		c.fail("instance %d has the box %v, want %v", id, o.Box, want)
	}
	if o.Mask == 0 {
		c.fail("instance %d has the mask 0", id)
	}
}

// depth checks the depth of the scene.
func (c *sceneChecker) depth() {
	depth := 0
	var parts [MaxDepth + 1]int
	for i := firstPart; i < len(c.s.entries); i++ {
		if u := c.s.entries[i].partNode; u != nil {
			depth = max(depth, u.depth()+1)
			parts[u.depth()]++
		}
	}
	if parts != c.s.parts {
		c.fail("%d parts of each depth, counted as %d", parts, c.s.parts)
	}
	if depth != c.s.depth || depth > MaxDepth {
		c.fail("%d levels of instances, counted as %d, at most %d", depth, c.s.depth, MaxDepth)
	}
}

// state compares the state that views read with the current contents.
func (c *sceneChecker) state() {
	s := c.s
	v := s.View()
	st := v.seen()
	bounds, total := s.tree.Bounds(), uint64(s.tree.Len())
	outgrown := make(map[uint32]bool)
	for _, id := range st.outgrown {
		outgrown[id] = true
	}
	if !slices.IsSorted(st.outgrown) || len(outgrown) != len(st.outgrown) {
		c.fail("outgrown instances %v are not in order", st.outgrown)
	}
	for id, i := range s.in {
		if i == None {
			continue
		}
		u, row := s.entries[i].partNode, &s.rows[id]
		inner := u.part().Bounds()
		image := imageOf(&s.transforms[id], &inner)
		o, _ := s.instances.Object(uint32(id))
		to, held := &s.entries[i].bounds, octree.Covers(o.Box, image)
		if row.turns() {
			held = u.part().Radius() <= to.radius
		} else {
			bounds = bounds.Union(image)
		}
		if !held && !outgrown[uint32(id)] {
			c.fail("instance %d has the box %v, of a part with bounds %v and radius %g, and is not outgrown", id, o.Box, inner, u.part().Radius())
		}
		seen, number, transform := v.Instance(uint32(id))
		levels := v.level.table.levels
		if seen.seen() != &u.state || uint64(number) >= uint64(len(levels)) || seen.level != &levels[number] || *transform != s.transforms[id] {
			c.fail("a view has instance %d of part %d, which differs from the scene", id, number)
		}
		total = sumOf(total, seen.Total())
	}
	if !octree.Covers(st.bounds, bounds) {
		c.fail("bounds %v do not hold %v", st.bounds, bounds)
	}
	if total != st.total {
		c.fail("%d objects through all instances, counted as %d", total, st.total)
	}
	var now state
	s.renew(&now)
	if now.bounds != st.bounds || now.radius != st.radius || now.shape != st.shape || !slices.Equal(now.outgrown, st.outgrown) {
		c.fail("views have bounds %v, radius %g, outgrown %v of %d, want %v, %g, %v of %d",
			st.bounds, st.radius, st.outgrown, st.shape, now.bounds, now.radius, now.outgrown, now.shape)
	}
}
