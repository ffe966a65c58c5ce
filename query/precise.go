package query

// Precise returns the frustum with a second, exact test, which removes the false positives near
// corners and edges.
//
// It costs about 3 µs for the planes, and per packet with a hit on the border as much as a
// [Convex] of some forty planes (BenchmarkForms, volume=precise).
//
// The six planes must bound a body with the corners and edges of a cube, as those of every camera
// with a far plane and a near plane before the eye do. If not, as with a plane missing or a near
// plane through the eye, the second test removes nothing.
//
// # Test
//
// An object is removed when a plane separates its box from the eight corners of the frustum that
// is parallel to a face of the box, or to an edge of the box and one of the frustum. Together with
// the six planes of the first test these are all planes that can separate two convex bodies of
// these faces and edges (the separating axis theorem), so the remaining objects intersect the
// frustum up to rounding.
//
// The corners belong to the six planes as the first test has widened them, widened once more,
// computed in float64 with a bound of their errors. Each separating plane is moved outward by that
// bound and then tested like the frustum's own, widened for the rounding of the test. So there are
// no false negatives in exact arithmetic, and the answer is the same on every CPU. An object in a
// part of the tree that the first test finds wholly inside passes the second, which is skipped
// there.
func (f Frustum) Precise() Frustum {
	f.q().SetPrecise()
	return f
}
