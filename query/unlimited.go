package query

import "math"

// Unlimited is the distance of a query that no distance ends: for maxDist of rays
// ([NewRay], [NewRay64]) and of what is nearest ([AppendNearest], [NearestBatch.Find]),
// also those of package query/scene, and for [Camera.Far]. It is the largest float32, and
// a constant without type, for both float widths; a number above it, +Inf among them,
// means the same. It is no limit even where it would be one in exact arithmetic: a ray
// with a short direction counts in lengths of that, and diagonals are longer than sides.
const Unlimited = math.MaxFloat32
