package scene

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
)

// Path names a part of a scene, wherever it is: the IDs of the places on the way to it,
// from the scene inwards. The zero value is the scene itself, where its own objects are. A
// Path is comparable, a key of a map say, and stands for the same part as long as these
// places do.
type Path struct {
	ids [linear.MaxDepth]uint32
	n   uint8
}

// PathOf returns the path of these places. More than [linear.MaxDepth] are a panic.
func PathOf(places ...uint32) (p Path) {
	if len(places) > len(p.ids) {
		panic(fmt.Sprintf("scene: a path of %d places, at most %d are possible", len(places), len(p.ids)))
	}
	p.n = uint8(copy(p.ids[:], places))
	return p
}

// push goes on to a place.
func (p *Path) push(id uint32) {
	p.ids[p.n] = id
	p.n++
}

// Len returns the number of places on the way: 0 for the scene itself.
func (p Path) Len() int { return int(p.n) }

// At returns the ID of a place: in the scene that i places lead to. It panics unless i is
// at least 0 and below [Path.Len].
func (p Path) At(i int) uint32 {
	if i < 0 || i >= int(p.n) {
		panic(fmt.Sprintf("scene: place %d of a path of %d", i, p.n))
	}
	return p.ids[i]
}

// All returns the IDs of the places, from the scene inwards.
func (p Path) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, id := range p.ids[:p.n] {
			if !yield(id) {
				return
			}
		}
	}
}

// Compare orders paths: by the first place in which they differ, and a part before what
// is placed in it.
func (p Path) Compare(q Path) int {
	for i := range min(p.n, q.n) {
		if c := cmp.Compare(p.ids[i], q.ids[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(p.n, q.n)
}

// String returns the IDs with a stroke before each, "/" for the scene itself.
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

// InstanceRef returns what is at the end of a path: the part as a view of a scene, and the pose
// under which it stands in the space of the scene v, rounded level by level as
// [linear.Transform.Then] does. A path that leads nowhere, or a pose that Then refuses, is an
// error.
func (p Path) Instance(v linear.SceneView) (part linear.SceneView, pose linear.Transform, err error) {
	part = v
	for i, id := range p.ids[:p.n] {
		if _, ok := part.Instances().Object(id); !ok {
			return linear.SceneView{}, linear.Transform{}, fmt.Errorf("scene: path %v: there is no place %d at depth %d", p, id, i)
		}
		inner, _, at := part.Instance(id)
		if pose, err = at.Then(pose); err != nil {
			return linear.SceneView{}, linear.Transform{}, fault.Errorf("scene: path %v: %w", p, err)
		}
		part = inner
	}
	return part, pose, nil
}
