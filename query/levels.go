package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// MaxLevels is the maximum number of levels of detail that a [Levels] distinguishes.
const MaxLevels = walk.MaxLevels

// Levels selects levels of detail (LOD): it returns the level of each object of an answer by its size in the image of
// a camera. Make one for each frame with [Frustum.Levels], and call [Levels.Append] with the IDs that a query has
// returned: those of the frustum, or of the occlusion culler of package query/occlude with its Frustum. Package
// query/scene has AppendLevels, for answers of scenes.
//
//	levels, err := frustum.Levels(0.1, 1./10, 1./40, 1./160)
//	ids = frustum.Append(ids[:0], view, query.Filter{})
//	lods = levels.Append(lods[:0], view, ids, &last) // lods[i] is the level of ids[i]
//
// # Size and level
//
// The size of an object is that of [Frustum.MinSize]: the longest edge of its box, divided by the depth of the box's
// nearest corner. Its level is the number of sizes of the list that it is below: 0 is the finest level. An object is
// below a size s exactly if a frustum with the minimum size s excludes it, to the last bit, and the same holds under
// the transforms of a scene. So a box that the near plane cuts, or that is before it, has level 0.
//
// In a parallel projection, which has no depths, the size of an object is its longest edge, in units of the tree.
//
// # Hysteresis
//
// An object whose size varies about a listed size would change its level back and forth. A column of levels, which
// the program keeps, prevents that: an object changes its level only when its size passes a listed size by the
// margin. If its last level is L, it is below size i of the list if its size is less than
//
//	size[i] * (1 - margin)    for i >= L: it becomes coarser only from there on
//	size[i] * (1 + margin)    for i < L: it becomes finer only from there on
//
// both rounded to float32, and its level is the number of sizes that it is below. An object that the column does not
// hold counts as of level 0: one that appears has the finer level within the margin.
//
// The zero value has the level 0 alone. A Levels is a value without pointers. Any number of goroutines may use it,
// each with a column of its own.
type Levels walk.Levels

// Levels returns a selection of levels of detail in the image of the frustum. The sizes must descend strictly; there
// are at most [MaxLevels] - 1 of them, which makes one level more. The margin is a part of the sizes, and only read
// for calls with a column. For a camera with the vertical field of view a and an image of height h, an edge that is
// p pixels long in the middle of the image has the size p*2*tan(a/2)/h; [Camera.PixelSize] is the inverse.
//
// It is an error, which names the number, if a size is not finite or not above 0, if the sizes do not descend, if
// there are too many or none, if the margin is not in [0, 1), if the margins exceed float32, and if objects have no
// size in the frustum: one of [FrustumPlanes] or the zero value. The result is a function of the arguments; the
// minimum size of the frustum has no effect. It does not allocate.
func (f Frustum) Levels(margin float32, sizes ...float32) (l Levels, err error) {
	if !(margin >= 0 && margin < 1) {
		return l, fmt.Errorf("query: levels of detail with a margin of %v, want one of at least 0 and below 1", margin)
	}
	if len(sizes) == 0 || len(sizes) >= MaxLevels {
		return l, fmt.Errorf("query: levels of detail with %d sizes, want 1 to %d", len(sizes), MaxLevels-1)
	}
	if !f.q().HasSizes() {
		return l, fmt.Errorf("query: levels of detail from the size %v on, but objects have no size in the frustum: it was made of planes", sizes[0])
	}
	var plain, down, up [MaxLevels - 1]float32
	for i, s := range sizes {
		plain[i] = s
		down[i], up[i] = float32(float64(s)*(1-float64(margin))), float32(float64(s)*(1+float64(margin)))
		switch {
		case !(s > 0 && up[i] <= math.MaxFloat32):
			return l, fmt.Errorf("query: levels of detail with the size %v and the margin %v, want a finite size above 0", s, margin)
		case i > 0 && s >= sizes[i-1]:
			return l, fmt.Errorf("query: levels of detail with the size %v after %v, want sizes that descend", s, sizes[i-1])
		}
	}
	(*walk.Levels)(&l).Set(f.q(), &plain, &down, &up, len(sizes))
	return l, nil
}

// Append appends the level of each object to dst and returns it: dst[i], from its length on, is the level of
// ids[i]. The column holds the last levels by ID, and gets the new ones; with nil there is no hysteresis. Append
// panics if an ID is not of an object of the view.
//
// The cost is that of [linear.View.Object] for each ID. It allocates only when dst or the column lacks room.
func (l *Levels) Append(dst []uint8, v linear.View, ids []uint32, last *linear.Column[uint8]) []uint8 {
	q, p := (*walk.Levels)(l), &v.Store().Packets
	for _, id := range ids {
		slot, lane, ok := v.Locate(id)
		if !ok {
			panic(fmt.Sprintf("query: the level of object %d, which is not in the view", id))
		}
		box := p.Box(slot, lane)
		if last == nil {
			dst = append(dst, q.Level(&box))
			continue
		}
		was := last.At(id)
		*was = q.After(&box, *was)
		dst = append(dst, *was)
	}
	return dst
}

// String returns the sizes, with their margins if there are any, and the number of levels, for people: the text may
// change.
func (l Levels) String() string {
	q := (*walk.Levels)(&l)
	text := fmt.Sprintf("%d levels of detail", q.Len()+1)
	for i := range q.Len() {
		plain, down, up := q.Threshold(i)
		if text += fmt.Sprintf(" %v", plain); down < up {
			text += fmt.Sprintf(" (%v to %v)", down, up)
		}
	}
	return text
}
