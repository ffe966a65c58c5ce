package linear

import "github.com/zoctree/zoctree/soa"

// The types that programs use with a tree. They are aliases of types of package soa, so that one import is enough.
type (
	// AABB is an axis-aligned box of float32: the closed set of points between Min and Max, both [3]float32.
	AABB = soa.AABB

	// AABB64 is a box of float64, from Min to Max. [AABB64.Box] rounds it outward to a box that a tree stores.
	AABB64 = soa.AABB64

	// OrientedBox is an oriented bounding box: see [Tree.SetOriented]. Its fields are Center [3]float32 and the half
	// edges Axes [3][3]float32.
	OrientedBox = soa.OrientedBox

	// Object is an element of a tree: a box, a type mask that filters test, and whether the object is static.
	// The zero Mask matches no mask filter. Its fields are Box [AABB], Mask uint32 and Static bool.
	Object = soa.Object

	// Ball is an object with a bounding sphere: see [Tree.InsertBall]. Its fields are Sphere [4]float32 (x, y, z and
	// radius), Mask uint32 and Static bool.
	Ball = soa.Ball

	// Handle is a generational handle: an ID and a generation, which detects that the object was removed and
	// its ID used again. See [Tree.Handle] and [Tree.Resolve]. Its fields are ID and Gen uint32.
	Handle = soa.Handle

	// Change is an entry of the change log of a tree: see [View.Changes]. Its fields are Object [Object], Sphere
	// [4]float32 (a radius below 0: none), ID uint32, Removed bool and Oriented bool.
	Change = soa.Change

	// Location is the position of an object in memory: a packet slot and a lane. Programs keep a slice of
	// locations for [View.Locator].
	Location = soa.Location

	// Column holds one value of the program for each object, indexed by ID: the IDs that a query returns index it
	// directly. The zero Column is empty and ready to use. It has no exported fields; Get and Set access a value, and
	// Values the slice.
	Column[T any] = soa.Column[T]
)

// None is the ID that no object has.
const None = soa.None

// Errors of package soa that methods of a tree return.
var (
	// ErrStale is returned for a handle whose object has been removed.
	ErrStale = soa.ErrStale

	// ErrFull is returned when no object ID, packet or node is free.
	ErrFull = soa.ErrFull
)

// BoxAround returns the axis-aligned box from center - half to center + half: a cube if the three components of
// half are equal. Bounds are rounded outward, so that the result contains the exact box; for a ball use [Ball.Box].
// Bounds beyond float32 are infinite, a NaN gives NaN, and a negative half gives an inverted box: trees reject all
// three. But the rounding may undo a negative half of less than a step of float32 at the center. It takes a few
// nanoseconds and does not allocate.
func BoxAround(center, half [3]float32) AABB { return soa.BoxAround(center, half) }

// BoxOf returns the smallest axis-aligned box that contains the points, and [EmptyBox] without points. A NaN makes the
// bounds on its axis NaN. It takes time proportional to the number of points and does not allocate.
func BoxOf(points ...[3]float32) AABB { return soa.BoxOf(points...) }

// EmptyBox returns the box that holds no point, from +Inf to -Inf on each axis: the neutral element of
// [AABB.Union]. Use it as the first value of a union in a loop. Trees reject it.
func EmptyBox() AABB { return soa.Empty() }
