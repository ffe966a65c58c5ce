package scene

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
)

// Path identifies a part by the IDs of its instances, from the scene inwards. The zero value is
// the scene itself, with its own objects. A Path is comparable, so it can be a map key. It
// identifies the same part as long as these instances exist.
type Path struct {
	ids [linear.MaxDepth]uint32
	n   uint8
}

// PathOf returns the path through the instances. It panics for more than [linear.MaxDepth].
func PathOf(instances ...uint32) (p Path) {
	if len(instances) > len(p.ids) {
		panic(fmt.Sprintf("scene: a path of %d instances, at most %d are possible", len(instances), len(p.ids)))
	}
	p.n = uint8(copy(p.ids[:], instances))
	return p
}

// push appends an instance.
func (p *Path) push(id uint32) {
	p.ids[p.n] = id
	p.n++
}

// pop removes the last instance.
func (p *Path) pop() {
	p.n--
	p.ids[p.n] = 0
}

// Len returns the number of instances on the path: 0 for the scene itself.
func (p Path) Len() int { return int(p.n) }

// At returns the ID of an instance, in the scene that the first i instances lead to. It panics
// unless i is at least 0 and below [Path.Len].
func (p Path) At(i int) uint32 {
	if i < 0 || i >= int(p.n) {
		panic(fmt.Sprintf("scene: instance %d of a path of %d", i, p.n))
	}
	return p.ids[i]
}

// All returns an iterator over the IDs of the instances, from the scene inwards.
func (p Path) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, id := range p.ids[:p.n] {
			if !yield(id) {
				return
			}
		}
	}
}

// Compare orders paths lexicographically: by the first instance in which they differ, and a part
// before its instances.
func (p Path) Compare(q Path) int {
	for i := range min(p.n, q.n) {
		if c := cmp.Compare(p.ids[i], q.ids[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(p.n, q.n)
}

// String returns the IDs with a slash before each, "/" for the scene itself.
func (p Path) String() string {
	text := "/"
	for i, id := range p.ids[:p.n] {
		if i > 0 {
			text += "/"
		}
		text += fmt.Sprint(id)
	}
	return text
}

// Instance returns the part at the end of a path, as a view of a scene, and its transform to the
// space of the scene v. The transforms are composed level by level, rounded as
// [linear.Transform.Then] does. It returns an error if the path does not exist, or if Then
// returns one.
func (p Path) Instance(v linear.SceneView) (part linear.SceneView, transform linear.Transform, err error) {
	part = v
	for i, id := range p.ids[:p.n] {
		if _, ok := part.Instances().Object(id); !ok {
			return linear.SceneView{}, linear.Transform{}, fmt.Errorf("scene: path %v: there is no instance %d at depth %d", p, id, i)
		}
		inner, _, at := part.Instance(id)
		if transform, err = at.Then(transform); err != nil {
			return linear.SceneView{}, linear.Transform{}, fault.Errorf("scene: path %v: %w", p, err)
		}
		part = inner
	}
	return part, transform, nil
}
