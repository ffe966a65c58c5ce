package testkit

// ReferenceConvex is the reference for convex volumes: it returns the indices, ascending, of the boxes
// that a tree of exactly these boxes must return for the given inward planes. It is the test of
// [ReferenceFrustum] for any number of planes. Without planes all boxes are inside.
func ReferenceConvex[B Boxed](boxes []B, planes [][4]float32) []int {
	extent := Extent(boxes)
	return ReferenceConvexBounds(boxes, planes, extent, extent)
}

// ReferenceConvexBounds is [ReferenceConvex] for a tree with the given bounds of its near boxes and of all.
func ReferenceConvexBounds[B Boxed](boxes []B, planes [][4]float32, near, extent [3]float32) []int {
	return eachSix(len(boxes), planes, func(six [6][4]float32) []int {
		return ReferenceFrustumBounds(boxes, six, near, extent)
	})
}

// DefinitionConvex is [DefinitionFrustum] for any number of planes.
func DefinitionConvex[B Boxed](boxes []B, planes [][4]float32) []int {
	return eachSix(len(boxes), planes, func(six [6][4]float32) []int { return DefinitionFrustum(boxes, six) })
}

// eachSix returns the intersection of the results for all planes, six at a time, padded with planes
// that exclude nothing.
func eachSix(n int, planes [][4]float32, hits func([6][4]float32) []int) (all []int) {
	count := make([]int, n)
	rounds := 0
	for ; rounds == 0 || len(planes) > 0; rounds++ {
		var six [6][4]float32
		planes = planes[copy(six[:], planes):]
		for _, i := range hits(six) {
			count[i]++
		}
	}
	for i, c := range count {
		if c == rounds {
			all = append(all, i)
		}
	}
	return all
}
