package scene

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Object names an object in a scene: the part that it is in, and its ID there. The scene's
// own have the zero Path.
type Object struct {
	Path Path
	ID   uint32
}

// Compare orders objects by path, those of one part by ID.
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

// Pair is two objects that share a point, A before B ([Object.Compare]). Their paths begin in
// the part of that number ([linear.SceneView.Parts]): 0 is the scene itself.
type Pair struct {
	Part uint32
	A, B Object
}

// PairFilter restricts pairs.
type PairFilter struct {
	// Filter decides by the masks, and by whether both objects are static in their trees: it
	// is nothing to it whether their parts move, so set StaticPairs where they do. Its Mask
	// is also asked of the gates of places ([linear.InstanceOptions]), its layers are not.
	//
	// Exact tests bounds beside boxes: each of the one object and each of the other meet, or
	// the box of one that has none. Images of oriented boxes are compared with these, and with
	// those of boxes, as the latter are with each other. Spheres are bounds where the poses
	// on the way to the object, and to the other one, are similarities, with radii that are
	// larger by 2^-16 for each pose of the kind [linear.TransformSimilarity]; a ball and an
	// oriented box are compared as package query/collide does it.
	//
	// Live and LiveBoth are sets of objects of one tree: of pairs of scenes they say nothing, and
	// are not looked at.
	collide.Filter

	// Instances tells the pairs inside of a part for each path that leads to the part. All pairs
	// then have Part 0 and whole paths. Otherwise they are told once, as pairs of the
	// part.
	Instances bool
}

// AppendPairs appends the pairs of objects of a scene that share a point and pass the
// filter to dst, each once, and returns it: of own objects, of own objects and those in
// places, and of those in two places. So it does for every part at any depth, which is
// asked once, however often it is placed: its pairs are the same wherever it stands.
//
// What is compared are the images of boxes in the space of the innermost scene that holds both
// objects, parallelepipeds, by the fifteen axes that can separate two of these, in float64: the
// three of that space, which tell the boxes around them, then the normals of faces, and those
// to an edge of each. No pair that shares a point in exact arithmetic is lost. What is
// kept besides is not further apart on any of these axes than 2^-40 of the sizes of the
// numbers that were added up to the coordinates of the two, or, on a normal to two edges, that
// divided by the sine of their angle. Pairs of one tree are those of [collide.Append], exactly.
//
// The order is a function of the changes made to the scene and its parts, and of the filter,
// and equal on every CPU: part by part, ascending; in each pairs of own objects, then those of
// an own object and one in a place, then those of two places.
//
// Cost: [collide.Append] of each tree once, and of the tree of places. For each two places whose
// boxes overlap, and each that meets own objects, the bounds of the parts are compared under their
// poses; then those objects of the one are listed that are in the bounds of the other, of
// that which has fewer, and the other is asked for what meets the box around each:
// or, of up to 96 on each side, each is compared with each. With Instances the paths to all parts are
// followed. It allocates only when dst lacks room. A published scene makes the indexes of its
// trees first, if nobody has ([linear.View.Object]). Any number of goroutines may ask one
// view.
func AppendPairs(dst []Pair, v linear.SceneView, flt PairFilter) []Pair {
	w := joins.Get().(*join)
	dst = w.run(dst, v, &flt)
	w.release()
	return dst
}
