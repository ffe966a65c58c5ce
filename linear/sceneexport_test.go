package linear

import (
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/soa"
)

// Ticks counts the ticks of the tree.
func (t *Tree) Ticks() uint32 { return t.octree.Tick }

// Unused reports whether no scene contains the tree.
func (t *Tree) Unused() bool { return t.octree.Observer == nil }

// PlaceTree returns the tree of the boxes of the instances.
func (s *Scene) PlaceTree() *Tree { return s.instances }

// Due returns the number of entries with work for the next tick.
func (s *Scene) Due() int { return s.scene.Due.Len() }

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
	{"tree at version .* is not stale", func(s *Scene) {
		s.scene.Entries[instance.FirstPart].Part.Source.(*treePart).deferred.synced.Store(false)
	}},
	{"is stale, and the scene is not", func(s *Scene) { s.scene.Entries[instance.FirstPart].Part.Stale.Store(true) }},
	{"entry .* is stale .* and not due", func(s *Scene) { s.tree.octree.BeginChange(); s.scene.Due.Clear() }},
	{"or not idle .true., and not due", func(s *Scene) { s.tree.octree.Ticked-- }},
	{"entry .* is in the free list twice, or is not free", func(s *Scene) { s.scene.Free = append(s.scene.Free, instance.FirstPart) }},
	{"entry .* is in the free list twice, or is not free", func(s *Scene) { s.scene.Free = append(s.scene.Free, s.scene.Free[0]) }},
	{"entry .* is in the free list twice, or is not free", func(s *Scene) { s.scene.Free[0] = 99 }},
	{"is free and not in the free list, or due", func(s *Scene) { s.scene.Free = nil }},
	{"is free and not in the free list, or due", func(s *Scene) { s.scene.Due.Add(s.scene.Free[0]) }},
	{"is free and not in the free list, or due or held", func(s *Scene) { s.scene.Held.Add(s.scene.Free[0]) }},
	{"has a part and is not held", func(s *Scene) { s.scene.Held.Remove(instance.FirstPart) }},
	{"parts, .* held", func(s *Scene) { s.scene.Held.Add(1 << 10) }},
	{"is not listed by its part", func(s *Scene) { s.scene.Entries[instance.FirstPart].At++ }},
	{"is not listed by its part", func(s *Scene) { s.scene.Entries[instance.FirstPart].Part.By[0].Entry++ }},
	{"is of a tree without a reference to it", func(s *Scene) { s.scene.Entries[instance.FirstPart].Part.Tree.Observer = nil }},
	{"entry 0 has 1 instances", func(s *Scene) { s.scene.Entries[instance.OwnEntry].IDs = []uint32{0} }},
	{"the part of entry .* is found at", func(s *Scene) { s.scene.EntryOf[s.scene.Entries[instance.FirstPart].Part]++ }},
	{"parts, .* of them found", func(s *Scene) { s.scene.EntryOf[&instance.Part{}] = 9 }},
	{"lists instance .*, which does not exist", func(s *Scene) { s.scene.Entries[instance.FirstPart].IDs[1] = 77 }},
	{"lists instance .* at .*, which is at", func(s *Scene) { s.scene.Rows[1].Index++ }},
	{"lists instance .* at .*, which is at", func(s *Scene) { s.scene.In[1]++ }},
	{"rotating instances, counted as", func(s *Scene) { s.scene.Entries[instance.FirstPart].Turns++ }},
	{"entry .* instances, out of order", func(s *Scene) {
		e := &s.scene.Entries[instance.FirstPart]
		e.IDs[0], e.IDs[1] = e.IDs[1], e.IDs[0]
		s.scene.Rows[e.IDs[0]].Index, s.scene.Rows[e.IDs[1]].Index = 0, 1
	}},
	{"has the bounds .* and the radius", func(s *Scene) { s.scene.Entries[instance.FirstPart].Bounds.Radius = math.NaN() }},
	{"has the bounds .* and the radius", func(s *Scene) { s.scene.Entries[instance.FirstPart].Bounds.Box.Max[1] = float32(math.Inf(1)) }},
	{"instances in lists, .* exist", func(s *Scene) { e := &s.scene.Entries[instance.FirstPart]; e.IDs = e.IDs[:len(e.IDs)-1] }},
	{"instance .* is free and has entry", func(s *Scene) { s.scene.In = append(s.scene.In, 0) }},
	{"instance .* rotates with a reach of", func(s *Scene) { s.scene.Rows[0].Reach *= 2 }},
	{"instance .* rotates with a reach of", func(s *Scene) { s.scene.Rows[0].Reach *= 0.999 }},
	{"instance .* has the box", func(s *Scene) { shift((*Transform)(&s.scene.Transforms[1])) }},
	{"instance .* has the box", func(s *Scene) { shift((*Transform)(&s.scene.Transforms[0])) }},
	{"instance .* has the box", func(s *Scene) { s.scene.Entries[instance.FirstPart].Bounds.Box.Max[1]++ }},
	{"has the mask 0", func(s *Scene) {
		if s.instances.SetMask(1, 0) != nil {
			panic("no place 1")
		}
	}},
	{"levels of instances, counted as", func(s *Scene) { s.scene.Depth-- }},
	{"parts of each depth, counted as", func(s *Scene) { s.scene.Parts[0]++ }},
	{"outgrown instances .* are not in order", func(s *Scene) { s.scene.Part.State.Outgrown = []uint32{2, 1} }},
	{"outgrown instances .* are not in order", func(s *Scene) { s.scene.Part.State.Outgrown = []uint32{1, 1} }},
	{"of a part with bounds .* and is not outgrown", func(s *Scene) { s.scene.Part.State.Outgrown = nil }},
	{"a view has instance .* of part", func(s *Scene) {
		l := &s.scene.Table.Levels[0]
		l.Inner[instance.FirstPart] = l
	}},
	{"a view has instance .* of part", func(s *Scene) { s.scene.Table.Levels[1].Number++ }},
	{"a view has instance .* of part", func(s *Scene) {
		s.scene.Part.State.Transforms = append([]xform.Transform(nil), s.scene.Transforms...)
		s.scene.Part.State.Transforms[1] = xform.Transform{}
	}},
	{"views find other entries", func(s *Scene) {
		s.scene.Part.State.In = append([]uint32(nil), s.scene.In...)
		s.scene.Part.State.In[1] = soa.None
	}},
	{"views find other entries", func(s *Scene) { s.scene.Part.State.Transforms = s.scene.Transforms[:1] }},
	{"bounds .* do not hold", func(s *Scene) { s.scene.Part.State.Bounds = AABB{} }},
	{"objects through all instances, counted as", func(s *Scene) { s.scene.Part.State.Total++ }},
	{"views have bounds .* radius", func(s *Scene) { s.scene.Part.State.Radius++ }},
	{"views have bounds .* radius", func(s *Scene) { s.scene.Part.State.Bounds.Max[0]++ }},
	{"views have bounds .* radius", func(s *Scene) { s.scene.Shape++ }},
	{"views have bounds .* radius", func(s *Scene) { s.scene.Part.State.Outgrown = append(s.scene.Part.State.Outgrown, 1000) }},
	{"a tree: linear", func(s *Scene) { s.tree.octree.Store.Count++ }},
	{"a tree: linear", func(s *Scene) { s.instances.octree.Pending++ }},
	{"a tree: linear", func(s *Scene) { s.scene.Entries[instance.FirstPart].Part.Tree.Pending++ }},
}

// UnusedEntries returns the entries without a part.
func UnusedEntries(s *Scene) []uint32 { return s.scene.Free }

// Deepen sets the recorded depth of a scene.
func Deepen(s *Scene, depth int) { s.scene.Depth = depth }

// shift translates the image of a transform.
func shift(p *Transform) {
	rows := p.Rows()
	rows[3]++
	*p, _ = NewTransform(rows)
}
