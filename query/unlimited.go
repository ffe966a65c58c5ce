package query

import "math"

// Unlimited means no distance limit: for maxDist of rays ([NewRay], [NewRay64]) and of
// nearest-neighbour searches ([AppendNearest], [NearestBatch.Find]), also those of package
// query/scene, and for [Camera.Far].
//
// It is the largest float32, and an untyped constant, for both float widths. A larger number, +Inf
// among them, means the same. It is no limit even where the number would be one in exact
// arithmetic: a ray with a short direction has its maxDist in lengths of that, and diagonals are
// longer than sides.
const Unlimited = math.MaxFloat32
