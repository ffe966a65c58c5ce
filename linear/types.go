package linear

import "github.com/zoctree/zoctree/soa"

// The types of a program that uses a tree. They are those of package soa, whose
// names are the same types: one import is enough.
type (
	// AABB is an axis-aligned box of float32: the closed set of points between
	// Min and Max.
	AABB = soa.AABB

	// AABB64 is a box of float64. [AABB64.Box] rounds it outward to a box
	// that a tree stores.
	AABB64 = soa.AABB64

	// OrientedBox is a box that is turned: see [Tree.SetOriented].
	OrientedBox = soa.OrientedBox

	// Object is what a tree stores: a box, a type mask that filters test, and
	// whether the object is static. The zero Mask matches no mask filter.
	Object = soa.Object

	// Ball is an object that is a ball: see [Tree.InsertBall].
	Ball = soa.Ball

	// Handle names an object beyond its frame: an ID, and which of the objects
	// that had it one after the other. See [Tree.Handle] and [Tree.Resolve].
	Handle = soa.Handle

	// Change is an entry of the log of a tree: see [View.Changes].
	Change = soa.Change

	// Instance is where an object lives: a slot and a lane. Programs keep a slice of
	// them for [View.Locator].
	Location = soa.Location

	// Column holds a value of the program's own for each object, by its ID: the
	// answer of a query indexes it directly. The zero Column is empty and ready.
	Column[T any] = soa.Column[T]
)

// None is the ID that no object has.
const None = soa.None

// Errors of package soa that methods of a tree return.
var (
	// ErrStale is returned for a handle whose object has been removed.
	ErrStale = soa.ErrStale

	// ErrFull is returned when no object ID is left, no packet, or no node.
	ErrFull = soa.ErrFull
)
