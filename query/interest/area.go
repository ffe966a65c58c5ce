package interest

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Area is what a viewer takes an interest in: two volumes, of which the second holds the
// first. An object comes into view when it meets both, and stays until it no longer meets
// the second, so that what goes to and fro over a border does not come and go with it.
// Objects meet a volume as they do in a query of it (package query).
//
// Make one with [Sphere], [Box], [Frustum] or [Visible]. The zero Area is that of nobody: nothing is in
// it. An Area is a comparable value of some 350 bytes, which any number of goroutines may use.
type Area struct {
	kind   kind
	margin bool // the volumes differ
	box    [2]query.Box
	sphere [2]query.Sphere
	planes [2]query.Frustum
	sights *[2]Visibility // never changed
}

// kind says which of its fields an area is.
type kind uint8

const (
	nowhere kind = iota
	boxes
	spheres
	frusta
	sights
)

// The two volumes of an area.
const (
	enter = iota
	leave
)

// Sphere returns the area around a point: what comes within enter of it is in view until it
// is further away than leave. A number that is NaN or infinite, a negative radius, or an enter
// that exceeds leave is an error.
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

// Box returns the area of two boxes: what meets the first is in view until it no longer meets
// the second. A box that is not finite or inverted, or a first one that is not in the second,
// is an error.
func Box(enterBox, leaveBox linear.AABB) (a Area, err error) {
	inner, err := query.NewBox(enterBox.Min, enterBox.Max)
	if err != nil {
		return Area{}, fault.Errorf("interest: to enter: %w", err)
	}
	outer, err := query.NewBox(leaveBox.Min, leaveBox.Max)
	if err != nil {
		return Area{}, fault.Errorf("interest: to leave: %w", err)
	}
	if !leaveBox.Contains(enterBox) {
		return Area{}, fmt.Errorf("interest: the box to enter, %v to %v, is not in that to leave, %v to %v",
			enterBox.Min, enterBox.Max, leaveBox.Min, leaveBox.Max)
	}
	return Area{kind: boxes, margin: inner != outer, box: [2]query.Box{inner, outer}}, nil
}

// Frustum returns the area of two frusta: what meets both comes into view, and stays until it
// no longer meets the second, which may be the same. What is smaller than the least size of one, if it
// has one ([query.Frustum.MinSize]), does not meet it: a smaller one to leave keeps what is on the border
// of that from coming and going.
func Frustum(enterFrustum, leaveFrustum query.Frustum) Area {
	return Area{kind: frusta, margin: enterFrustum != leaveFrustum, planes: [2]query.Frustum{enterFrustum, leaveFrustum}}
}

// append appends the objects of a store that meet one of the volumes.
func (a *Area) append(dst []uint32, s *soa.Store, which int, flt *query.Filter) []uint32 {
	switch a.kind {
	case boxes:
		return query.AppendStore(dst, s, &a.box[which], flt)
	case spheres:
		return query.AppendStore(dst, s, &a.sphere[which], flt)
	case frusta:
		return query.AppendStore(dst, s, &a.planes[which], flt)
	}
	return dst
}
