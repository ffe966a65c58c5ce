package interest

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Area is the region of interest of a viewer: two volumes, of which the second contains the first. An object
// enters the view when it intersects both, and stays until it no longer intersects the second. The margin
// between the volumes is hysteresis: an object that oscillates about a border causes no stream of events.
// Objects intersect a volume as in a query of it (package query).
//
// Make one with [Sphere], [Box], [Frustum] or [Visible]. The zero Area is empty. An Area is a comparable
// value of some 350 bytes, which any number of goroutines may use.
type Area struct {
	kind   kind
	margin bool // the volumes differ
	box    [2]query.Box
	sphere [2]query.Sphere
	planes [2]query.Frustum
	sights *[2]Visibility // immutable
}

// kind selects the fields of an area that are in use.
type kind uint8

const (
	nowhere kind = iota
	boxes
	spheres
	frusta
	sights
)

// Indices of the two volumes of an area.
const (
	enter = iota
	leave
)

// Sphere returns a spherical area around a point: objects within enterRadius enter the view, and stay until
// they are farther away than leaveRadius. A NaN or an infinite number, a negative radius, or an enterRadius
// above leaveRadius is an error.
func Sphere(center [3]float32, enterRadius, leaveRadius float32) (a Area, err error) {
	inner, err := query.NewSphere(center, enterRadius)
	if err != nil {
		return Area{}, fault.Errorf("interest: to enter: %w", err)
	}
	outer, err := query.NewSphere(center, leaveRadius)
	if err != nil {
		return Area{}, fault.Errorf("interest: to leave: %w", err)
	}
	if enterRadius > leaveRadius {
		return Area{}, fmt.Errorf("interest: a radius %v to enter exceeds %v to leave", enterRadius, leaveRadius)
	}
	return Area{kind: spheres, margin: inner != outer, sphere: [2]query.Sphere{inner, outer}}, nil
}

// Box returns the area of two axis-aligned boxes: objects that intersect the first enter the view, and stay
// until they no longer intersect the second. It is an error if a box is not finite or inverted, or if the
// second does not contain the first.
func Box(enter, leave linear.AABB) (a Area, err error) {
	inner, err := query.NewBox(enter.Min, enter.Max)
	if err != nil {
		return Area{}, fault.Errorf("interest: to enter: %w", err)
	}
	outer, err := query.NewBox(leave.Min, leave.Max)
	if err != nil {
		return Area{}, fault.Errorf("interest: to leave: %w", err)
	}
	if !leave.Contains(enter) {
		return Area{}, fmt.Errorf("interest: the box to enter, %v to %v, is not in that to leave, %v to %v",
			enter.Min, enter.Max, leave.Min, leave.Max)
	}
	return Area{kind: boxes, margin: inner != outer, box: [2]query.Box{inner, outer}}, nil
}

// Frustum returns the area of two frusta: objects that intersect both enter the view, and stay until they no
// longer intersect the second, which may be the same. An object below the minimum size of a frustum
// ([query.Frustum.MinSize]) does not intersect it: a smaller minimum in leave gives hysteresis for
// sizes, too.
func Frustum(enter, leave query.Frustum) Area {
	return Area{kind: frusta, margin: enter != leave, planes: [2]query.Frustum{enter, leave}}
}

// append appends the objects of a store that intersect one of the volumes. The store need not be of a tree: it has
// the columns of packets except Parents and PlacementBoxes, and Near and Extent; with more than eight slots it also has
// the hot nodes over them and their slots.
func (a *Area) append(dst []uint32, s *soa.Store, which int, keep *walk.Filter) []uint32 {
	switch a.kind {
	case boxes:
		return (*walk.Box)(&a.box[which]).Begin(s).Append(dst, keep)
	case spheres:
		return (*walk.Sphere)(&a.sphere[which]).Begin(s).Append(dst, keep)
	case frusta:
		return (*walk.Frustum)(&a.planes[which]).Begin(s).Append(dst, keep)
	}
	return dst
}
