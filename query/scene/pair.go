package scene

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Object identifies an object in a scene: the path of its part, and its ID there. The scene's own
// objects have the zero Path.
type Object struct {
	Path Path
	ID   uint32
}

// Compare orders objects by path, and objects of one part by ID.
func (o Object) Compare(p Object) int {
	if c := o.Path.Compare(p.Path); c != 0 {
		return c
	}
	switch {
	case o.ID < p.ID:
		return -1
	case o.ID > p.ID:
		return 1
	}
	return 0
}

// Pair is an overlapping pair: two objects that share a point, or are at most Filter.Distance apart, A before B
// ([Object.Compare]).
// Their paths begin in the part of that number ([linear.SceneView.Parts]): 0 is the scene itself.
type Pair struct {
	Part uint32
	A, B Object
}

// PairFilter is the collision filter of a scene, whose zero value keeps every pair except those of
// two static objects, once for each part.
type PairFilter struct {
	// Filter tests the masks, and whether both objects are static in their trees. It ignores
	// whether their parts move, so set StaticPairs if they do. Its Mask is also tested against
	// instance masks ([linear.InstanceOptions]), its layers are not.
	//
	// Exact tests bounds in addition to boxes: each bound of one object must overlap each bound
	// of the other. The box stands for an object without a bound. Images of oriented boxes are
	// compared with each other, and with images of boxes, as the latter are. Spheres count as
	// bounds if the transforms on the paths to both objects are similarities, with radii larger
	// by 2^-16 for each transform of the kind [linear.TransformSimilarity]; a ball and an
	// oriented box are compared as in package query/collide.
	//
	// Live and LiveBoth are sets of the scene's own objects ([linear.Scene.Tree]), and belong to
	// LiveInstances and LiveBothInstances. Exclude refers to the scene's own objects, too.
	//
	// Distance keeps pairs whose images are at most this far apart, in the space of the part of the
	// pair, whatever the transforms inside of it are. With Exact bounds are as near.
	collide.Filter

	// Instances selects the pairs inside of a part for each path that leads to the part. All
	// pairs then have Part 0 and whole paths. Otherwise they are returned once, as pairs of the
	// part.
	Instances bool

	// LiveInstances are the live instances of the scene: bit ID%64 of LiveInstances[ID/64]. All
	// objects in a live instance are live, at any depth, and so are the own objects in Live. Unless
	// Live and LiveInstances are both nil, a pair is kept only if at least one of its objects is
	// live. A typical set is that of the instances that have moved in a frame: only those are
	// searched for, each by its box if they are less than 1 in 16.
	//
	// LiveBoth and LiveBothInstances are likewise the set to which both objects of a pair must
	// belong. Without Instances a pair inside of a part is in no particular instance, and sets leave
	// it out. So two assemblies are compared as two instances of a root scene, with one of them in
	// LiveInstances: the pairs inside of each assembly are left out.
	LiveInstances, LiveBothInstances []uint64
}

// AppendPairs performs a broad phase with instancing: it appends the pairs of objects of a scene
// that overlap and pass the filter to dst, each once, and returns it. It pairs own objects, own
// objects with objects in instances, and objects of two instances, for every part at any depth. A
// part is searched once, however many instances it has, because its pairs are the same in each.
//
// The order is a function of the changes made to the scene and its parts, and of the filter, the
// same on every CPU: part by part, ascending; in each pairs of own objects, then those of an own
// object and one in an instance, then those of two instances.
//
// The cost is that of [collide.Append] for each tree once, and for the tree of instances. For each two instances whose
// boxes overlap, and each that overlaps own objects, the bounds of each part are compared with the image of the other
// part's. Then the tree with fewer objects is queried with that image. The found objects are moved into the space of
// the other tree, and paired there as those of two flat trees (BenchmarkPairsFlat). With Instances the paths to all
// parts are visited. It allocates only when dst lacks room. A published scene first builds missing indexes of its trees
// ([linear.View.Object]). Any number of goroutines may query one view. It panics if the filter is out of range
// ([collide.Filter.Check]).
//
// # Precision
//
// The test compares the images of boxes in the space of the innermost scene that contains both
// objects. These are parallelepipeds, compared in float64 along the fifteen axes that can
// separate two of them: the three axes of that space, which separate the boxes around them, then
// the normals of faces, and the normals to an edge of each. There are no false negatives in exact
// arithmetic. On none of these axes is a false positive further apart than 2^-40 of the
// magnitudes of the summands of the coordinates of the two. On a normal to two edges this is
// divided by the sine of their angle. Pairs of one tree are exactly those of [collide.Append].
//
// With Filter.Distance a pair is left out only if a vector separates the two by more than the distance, larger by a
// relative 2^-40: one of these axes, or a vector between two points that approach nearest points in up to 64 steps.
// There are no false negatives. On the axes the limit above holds. In tests no false positive is further apart than the
// distance by more than 2^-24 of the magnitudes (TestPairsByDistance).
func AppendPairs(dst []Pair, v linear.SceneView, flt PairFilter) []Pair {
	w := joins.Get().(*join)
	dst = w.run(dst, v, &flt)
	w.release()
	return dst
}
