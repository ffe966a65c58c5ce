package scene

import (
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// AppendLevels appends the level of detail (LOD) of each object of an answer to dst and returns it: dst[i], from
// its length on, is the level of a.IDs[i]. The answer is one of the view, of [Append] or of the occlusion culler of
// package query/occlude. Sizes and levels are defined at [query.Levels]; under the transforms of instances the size
// is that of the image, as for [query.Frustum.MinSize] with [Append], to the last bit.
//
// For hysteresis, last returns the column of last levels of an instance of the answer, or nil for none. Use a
// column for each [Answer.Path], since an object of a part has a level in each instance. It is called once a run,
// in their order; last itself may be nil.
//
// AppendLevels panics if the answer names an instance or object that the view does not have. The cost is that of
// [linear.View.Object] for each ID, and for each run time proportional to the length of its path. It allocates only
// when dst or a column lacks room.
func AppendLevels(dst []uint8, a *Answer, l *query.Levels, v linear.SceneView, last func(ref InstanceRef) *linear.Column[uint8]) []uint8 {
	for i := range a.Runs {
		ref, ids := a.Run(i)
		in, objects := a.levelsIn(ref, l, v)
		var column *linear.Column[uint8]
		if last != nil {
			column = last(ref)
		}
		dst = in.Append(dst, objects.Objects(), ids, column)
	}
	return dst
}

// levelsIn returns levels of detail in the space of an instance, and the view of its part.
func (a *Answer) levelsIn(ref InstanceRef, l *query.Levels, v linear.SceneView) (in query.Levels, part linear.SceneView) {
	in, part = *l, v
	path := a.Path(ref)
	var forms [2]walk.Volume
	form := &forms[0]
	(*walk.Levels)(&in).Lift(form)
	moved := false
	for i := range path.Len() {
		inner, _, transform := instanceOf(part, path.At(i))
		if part = inner; !transform.AtMost(xform.Identity) {
			to := &forms[0]
			if form == to {
				to = &forms[1]
			}
			space.MoveSize(to, form, transform)
			form, moved = to, true
		}
	}
	if moved {
		(*walk.Levels)(&in).Lower(form)
	}
	return in, part
}
