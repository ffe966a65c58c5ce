package instance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Validate checks all invariants of the scene and of the parts below it, each once: see linear.Scene.Validate.
func (s *Scene) Validate() error {
	var all []*Part
	for _, u := range PartsBelow(&s.Part) {
		all = append(all, u)
		if u.Scene != nil {
			all = append(all, u.Scene.Own(), u.Scene.Boxes())
		}
	}
	c := checker{}
	for _, u := range all { // before a tree is validated, which may apply deferred changes
		c.notes(u)
	}
	for _, u := range all {
		if u.Scene != nil {
			c.scene(u.Scene)
			continue
		}
		if u.Fixed {
			continue
		}
		u.Source.View() // applies deferred changes
		if err := u.Tree.Validate(octree.MaxErrors); err != nil {
			c.fail("a tree: %w", err)
		}
	}
	return errors.Join(c.errs...)
}

// CheckScenes checks the scenes among parts, but not the trees, and returns the first error.
func CheckScenes(parts []*Part) error {
	c := checker{}
	for _, u := range parts {
		c.notes(u)
	}
	for _, u := range parts {
		if u.Scene != nil && len(c.errs) == 0 {
			c.scene(u.Scene)
		}
	}
	return c.first()
}

// CheckDue checks that the next tick of a scene finds the entries of parts with pending work.
func CheckDue(s *Scene, isIdle func(u *Part) bool) error {
	c := checker{}
	for i := range s.Entries {
		if u := s.Entries[i].Part; u != nil {
			c.listed(s, uint32(i), false, isIdle(u))
		}
	}
	return c.first()
}

// checker collects the faults of scenes.
type checker struct {
	s    *Scene
	errs []error
}

// first returns the first fault.
func (c *checker) first() error {
	if len(c.errs) > 0 {
		return c.errs[0]
	}
	return nil
}

func (c *checker) fail(format string, args ...any) {
	if len(c.errs) < octree.MaxErrors {
		c.errs = append(c.errs, fmt.Errorf("linear: scene: "+format, args...))
	}
}

// notes checks that the changes of a part have been notified.
func (c *checker) notes(u *Part) {
	stale, calm := u.Stale.Load(), u.IsIdle()
	if t := u.Tree; t != nil && !u.Fixed && !stale && (u.State.Objects.At != t.Store.Version || !u.Source.Synced()) {
		c.fail("a tree at version %d, last viewed at %d, is not stale", t.Store.Version, u.State.Objects.At)
	}
	for _, by := range u.By {
		if stale && !by.Scene.Part.Stale.Load() {
			c.fail("entry %d is stale, and the scene is not", by.Entry)
		}
		c.listed(by.Scene, by.Entry, stale, calm)
	}
}

// listed checks that the next tick of a scene finds an entry with pending work.
func (c *checker) listed(s *Scene, entry uint32, stale, calm bool) {
	if (stale || !calm) && !s.Due.Has(entry) {
		c.fail("entry %d is stale (%v) or not idle (%v), and not due", entry, stale, !calm)
	}
}

// scene checks one scene.
func (c *checker) scene(s *Scene) {
	c.s = s
	before := len(c.errs)
	for _, check := range []func(){c.entryLists, c.instances, c.depth, c.state} {
		if check(); len(c.errs) > before {
			return // the later checks rely on it
		}
	}
}

// entryLists checks the entries, and the references of parts to them.
func (c *checker) entryLists() {
	s := c.s
	free := make(map[uint32]bool)
	for _, i := range s.Free {
		if free[i] || uint64(i) >= uint64(len(s.Entries)) || s.Entries[i].Part != nil {
			c.fail("entry %d is in the free list twice, or is not free", i)
		}
		free[i] = true
	}
	parts := 0
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Part == nil {
			if !free[uint32(i)] || s.Due.Has(uint32(i)) || s.Held.Has(uint32(i)) {
				c.fail("entry %d is free and not in the free list, or due or held", i)
			}
			continue
		}
		if by := e.Part.By; !e.Part.Fixed && (uint64(e.At) >= uint64(len(by)) || by[e.At] != (Use{s, uint32(i)})) {
			c.fail("entry %d is not listed by its part at %d", i, e.At)
		}
		if t := e.Part.Tree; t != nil && !e.Part.Fixed && t.Observer != e.Part {
			c.fail("entry %d is of a tree without a reference to it", i)
		}
		if i < FirstPart {
			if len(e.IDs) > 0 {
				c.fail("entry %d has %d instances", i, len(e.IDs))
			}
			continue
		}
		parts++
		if !s.Held.Has(uint32(i)) {
			c.fail("entry %d has a part and is not held", i)
		}
		if at, ok := s.EntryOf[e.Part]; !ok || at != uint32(i) {
			c.fail("the part of entry %d is found at %d, %v", i, at, ok)
		}
	}
	if parts != len(s.EntryOf) || parts != s.Held.Len() {
		c.fail("%d parts, %d of them found, %d held", parts, len(s.EntryOf), s.Held.Len())
	}
}

// instances checks the rows of instances and their boxes.
func (c *checker) instances() {
	s := c.s
	listed := 0
	for i := FirstPart; i < len(s.Entries); i++ {
		e := &s.Entries[i]
		if e.Part == nil {
			continue
		}
		turns := 0
		for k, id := range e.IDs {
			listed++
			if !s.IsLive(id) || uint64(id) >= uint64(len(s.Rows)) {
				c.fail("entry %d lists instance %d, which does not exist", i, id)
				continue
			}
			row := &s.Rows[id]
			if s.In[id] != uint32(i) || row.Index != uint32(k) {
				c.fail("entry %d lists instance %d at %d, which is at %d of entry %d", i, id, k, row.Index, s.In[id])
			}
			if row.Turns() {
				turns++
			}
			c.box(id, row, &e.Bounds)
		}
		if turns != e.Turns {
			c.fail("entry %d has %d rotating instances, counted as %d", i, turns, e.Turns)
		}
		if len(e.IDs) == 0 || !e.mixed && !slices.IsSorted(e.IDs) {
			c.fail("entry %d has %d instances, out of order", i, len(e.IDs))
		}
		if e.Bounds.Box.Check() != nil || !(e.Bounds.Radius >= 0) {
			c.fail("entry %d has the bounds %v and the radius %g", i, e.Bounds.Box, e.Bounds.Radius)
		}
	}
	if listed != s.Boxes().Tree.IDs.Len() {
		c.fail("%d instances in lists, %d exist", listed, s.Boxes().Tree.IDs.Len())
	}
	for id, i := range s.In {
		if i != soa.None && !s.IsLive(uint32(id)) {
			c.fail("instance %d is free and has entry %d", id, i)
		}
	}
}

// box checks the box of an instance.
func (c *checker) box(id uint32, row *Placement, to *Bounds) {
	o := c.s.boxOf(id)
	transform := &c.s.Transforms[id]
	want, ok := row.BoxOf(transform, to)
	if !ok {
		c.fail("instance %d rotates with a reach of %g, of a part of radius %g stretched to %g", id, row.Reach, to.Radius, float64(to.Radius*longest(transform)))
	}
	if o.Box != want {
		c.fail("instance %d has the box %v, want %v", id, o.Box, want)
	}
	if o.Mask == 0 {
		c.fail("instance %d has the mask 0", id)
	}
}

// depth checks the depth of the scene.
func (c *checker) depth() {
	depth := 0
	var parts [MaxDepth + 1]int
	for i := FirstPart; i < len(c.s.Entries); i++ {
		if u := c.s.Entries[i].Part; u != nil {
			depth = max(depth, u.Depth()+1)
			parts[u.Depth()]++
		}
	}
	if parts != c.s.Parts {
		c.fail("%d parts of each depth, counted as %d", parts, c.s.Parts)
	}
	if depth != c.s.Depth || depth > MaxDepth {
		c.fail("%d levels of instances, counted as %d, at most %d", depth, c.s.Depth, MaxDepth)
	}
}

// state compares the state that views read with the current contents.
func (c *checker) state() {
	s := c.s
	l := s.Level()
	st := l.State
	bounds, _ := s.Own().size()
	total := uint64(s.Own().Tree.IDs.Len())
	outgrown := make(map[uint32]bool)
	for _, id := range st.Outgrown {
		outgrown[id] = true
	}
	if !slices.IsSorted(st.Outgrown) || len(outgrown) != len(st.Outgrown) {
		c.fail("outgrown instances %v are not in order", st.Outgrown)
	}
	if !slices.Equal(st.In, s.In) || len(st.Transforms) != len(s.Transforms) {
		c.fail("views find other entries of %d instances than the scene of %d", len(st.Transforms), len(s.Transforms))
		return
	}
	for id, i := range s.In {
		if i == soa.None {
			continue
		}
		u, row := s.Entries[i].Part, &s.Rows[id]
		inner, radius := u.size()
		image := imageOf(&s.Transforms[id], &inner)
		o := s.boxOf(uint32(id))
		to, held := &s.Entries[i].Bounds, octree.Covers(o.Box, image)
		if row.Turns() {
			held = radius <= to.Radius
		} else {
			bounds = bounds.Union(image)
		}
		if !held && !outgrown[uint32(id)] {
			c.fail("instance %d has the box %v, of a part with bounds %v and radius %g, and is not outgrown", id, o.Box, inner, radius)
		}
		below, transform := l.Inner[i], &st.Transforms[id]
		levels := l.Table.Levels
		if number := below.Number; below.State != &u.State || uint64(number) >= uint64(len(levels)) || below != &levels[number] || *transform != s.Transforms[id] {
			c.fail("a view has instance %d of part %d, which differs from the scene", id, number)
		}
		total = sumOf(total, below.State.Total)
	}
	if !octree.Covers(st.Bounds, bounds) {
		c.fail("bounds %v do not hold %v", st.Bounds, bounds)
	}
	if total != st.Total {
		c.fail("%d objects through all instances, counted as %d", total, st.Total)
	}
	var now State
	s.renew(&now)
	if now.Bounds != st.Bounds || now.Radius != st.Radius || now.Shape != st.Shape || !slices.Equal(now.Outgrown, st.Outgrown) {
		c.fail("views have bounds %v, radius %g, outgrown %v of %d, want %v, %g, %v of %d",
			st.Bounds, st.Radius, st.Outgrown, st.Shape, now.Bounds, now.Radius, now.Outgrown, now.Shape)
	}
}

// boxOf returns the box of an instance, as an object.
func (s *Scene) boxOf(id uint32) soa.Object {
	u := s.Boxes()
	u.Source.View()
	slot, lane := u.Tree.Locate(id)
	return u.Tree.Store.Packets.Object(slot, lane)
}

// size returns the current bounds and radius of a part.
func (u *Part) size() (bounds soa.AABB, radius float64) {
	if u.Scene != nil || u.Fixed {
		st := u.Sync()
		return st.Bounds, st.Radius
	}
	s := u.Source.View().Store
	return octree.BoundsOf(s), octree.RadiusOf(s)
}
