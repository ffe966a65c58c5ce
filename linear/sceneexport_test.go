package linear

import "math"

// Ticks counts the ticks of the tree.
func (t *Tree) Ticks() uint32 { return t.octree.Tick }

// Unused reports whether no scene contains the tree.
func (t *Tree) Unused() bool { return t.octree.Observer == nil }

// PlaceTree returns the tree of the boxes of the instances.
func (s *Scene) PlaceTree() *Tree { return s.instances }

// Due returns the number of entries with work for the next tick.
func (s *Scene) Due() int { return s.due.Len() }

// SceneDamage is damage of a scene with instances of a tree, of which the even IDs turn, an instance of another
// scene, and a free entry, inside a further scene.
type SceneDamage struct {
	Want string // pattern of the error of Validate
	Do   func(s *Scene)
}

// SceneDamages is damage for each message of Validate.
var SceneDamages = []SceneDamage{
	{"tree at version .* is not stale", func(s *Scene) { s.tree.octree.Store.Version++ }},
	{"tree at version .* is not stale", func(s *Scene) { s.instances.octree.Store.Version++ }},
	{"tree at version .* is not stale", func(s *Scene) { s.entries[firstPart].partNode.tree.deferred.synced.Store(false) }},
	{"is stale, and the scene is not", func(s *Scene) { s.entries[firstPart].partNode.stale.Store(true) }},
	{"entry .* is stale .* and not due", func(s *Scene) { s.tree.octree.BeginChange(); s.due.Clear() }},
	{"or not idle .true., and not due", func(s *Scene) { s.tree.octree.Ticked-- }},
	{"entry .* is in the free list twice, or is not free", func(s *Scene) { s.free = append(s.free, firstPart) }},
	{"entry .* is in the free list twice, or is not free", func(s *Scene) { s.free = append(s.free, s.free[0]) }},
	{"entry .* is in the free list twice, or is not free", func(s *Scene) { s.free[0] = 99 }},
	{"is free and not in the free list, or due", func(s *Scene) { s.free = nil }},
	{"is free and not in the free list, or due", func(s *Scene) { s.due.Add(s.free[0]) }},
	{"is free and not in the free list, or due or held", func(s *Scene) { s.held.Add(s.free[0]) }},
	{"has a part and is not held", func(s *Scene) { s.held.Remove(firstPart) }},
	{"parts, .* held", func(s *Scene) { s.held.Add(1 << 10) }},
	{"is not listed by its part", func(s *Scene) { s.entries[firstPart].at++ }},
	{"is not listed by its part", func(s *Scene) { s.entries[firstPart].partNode.by[0].entry++ }},
	{"is of a tree without a reference to it", func(s *Scene) { s.entries[firstPart].partNode.tree.octree.Observer = nil }},
	{"entry 0 has 1 instances", func(s *Scene) { s.entries[ownEntry].ids = []uint32{0} }},
	{"the part of entry .* is found at", func(s *Scene) { s.entryOf[s.entries[firstPart].partNode]++ }},
	{"parts, .* of them found", func(s *Scene) { s.entryOf[&partNode{}] = 9 }},
	{"lists instance .*, which does not exist", func(s *Scene) { s.entries[firstPart].ids[1] = 77 }},
	{"lists instance .* at .*, which is at", func(s *Scene) { s.rows[1].index++ }},
	{"lists instance .* at .*, which is at", func(s *Scene) { s.in[1]++ }},
	{"rotating instances, counted as", func(s *Scene) { s.entries[firstPart].turns++ }},
	{"entry .* instances, out of order", func(s *Scene) {
		e := &s.entries[firstPart]
		e.ids[0], e.ids[1] = e.ids[1], e.ids[0]
		s.rows[e.ids[0]].index, s.rows[e.ids[1]].index = 0, 1
	}},
	{"has the bounds .* and the radius", func(s *Scene) { s.entries[firstPart].bounds.radius = math.NaN() }},
	{"has the bounds .* and the radius", func(s *Scene) { s.entries[firstPart].bounds.bounds.Max[1] = float32(math.Inf(1)) }},
	{"instances in lists, .* exist", func(s *Scene) { e := &s.entries[firstPart]; e.ids = e.ids[:len(e.ids)-1] }},
	{"instance .* is free and has entry", func(s *Scene) { s.in = append(s.in, 0) }},
	{"instance .* rotates with a reach of", func(s *Scene) { s.rows[0].reach *= 2 }},
	{"instance .* rotates with a reach of", func(s *Scene) { s.rows[0].reach *= 0.999 }},
	{"instance .* has the box", func(s *Scene) { shift(&s.transforms[1]) }},
	{"instance .* has the box", func(s *Scene) { shift(&s.transforms[0]) }},
	{"instance .* has the box", func(s *Scene) { s.entries[firstPart].bounds.bounds.Max[1]++ }},
	{"has the mask 0", func(s *Scene) {
		if s.instances.SetMask(1, 0) != nil {
			panic("no place 1")
		}
	}},
	{"levels of instances, counted as", func(s *Scene) { s.depth-- }},
	{"parts of each depth, counted as", func(s *Scene) { s.parts[0]++ }},
	{"outgrown instances .* are not in order", func(s *Scene) { s.partNode.state.outgrown = []uint32{2, 1} }},
	{"outgrown instances .* are not in order", func(s *Scene) { s.partNode.state.outgrown = []uint32{1, 1} }},
	{"of a part with bounds .* and is not outgrown", func(s *Scene) { s.partNode.state.outgrown = nil }},
	{"a view has instance .* of part", func(s *Scene) {
		l := &s.table.levels[0]
		l.inner[firstPart] = l
	}},
	{"a view has instance .* of part", func(s *Scene) { s.table.levels[1].number++ }},
	{"a view has instance .* of part", func(s *Scene) {
		s.partNode.state.transforms = append([]Transform(nil), s.transforms...)
		s.partNode.state.transforms[1] = Transform{}
	}},
	{"bounds .* do not hold", func(s *Scene) { s.partNode.state.bounds = AABB{} }},
	{"objects through all instances, counted as", func(s *Scene) { s.partNode.state.total++ }},
	{"views have bounds .* radius", func(s *Scene) { s.partNode.state.radius++ }},
	{"views have bounds .* radius", func(s *Scene) { s.partNode.state.bounds.Max[0]++ }},
	{"views have bounds .* radius", func(s *Scene) { s.shape++ }},
	{"views have bounds .* radius", func(s *Scene) { s.partNode.state.outgrown = append(s.partNode.state.outgrown, 1000) }},
	{"a tree: linear", func(s *Scene) { s.tree.octree.Store.Count++ }},
	{"a tree: linear", func(s *Scene) { s.instances.octree.Pending++ }},
	{"a tree: linear", func(s *Scene) { s.entries[firstPart].partNode.tree.octree.Pending++ }},
}

// UnusedEntries returns the entries without a part.
func UnusedEntries(s *Scene) []uint32 { return s.free }

// Deepen sets the recorded depth of a scene.
func Deepen(s *Scene, depth int) { s.depth = depth }

// shift translates the image of a transform.
func shift(p *Transform) {
	rows := p.Rows()
	rows[3]++
	*p, _ = NewTransform(rows)
}
