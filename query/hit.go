package query

// Hit is the first contact of a ray or a swept shape with the box of an object.
type Hit struct {
	ID uint32

	// Dist is the time of entry, in lengths of the direction or motion: a distance if that has length
	// 1. It is 0 for a box hit at the start, finite, and never above the limit of the query.
	Dist float32

	// Pos is the point of the box at the contact, as defined at the query.
	Pos [3]float32

	// Normal is the unit normal of the box at the contact, towards the ray or shape. For a box hit at the
	// start it is zero, unless a shape only touches it, as defined at the query.
	Normal [3]float32
}
