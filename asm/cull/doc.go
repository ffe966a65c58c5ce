// Package cull has the kernels of volumes, frusta and boxes: they test nodes and packets, filter the
// hits, turn them into IDs and exclude objects that a depth picture hides.
//
// # A volume walk
//
// A query of a [Volume] runs the following kernels. All except emit have the same loops for every
// shape:
//
//	nodes     takes node indices from VolumeWalk.Queue and tests 16 children
//	          at a time: contained children go to VolumeWalk.Inside, nodes
//	          that cross the border to the end of VolumeWalk.Queue, packets
//	          that cross the border to VolumeWalk.Packets
//	packets   tests 16 boxes at a time and writes a Range with a hit mask
//	          for each packet that has a hit
//	scan      packets, of all slots instead of a list: where a walk would not pay
//	emit      turns ranges into IDs
//	IDs       packets and emit in one, for queries that report every hit
//	whole     nodes and IDs in one, if the walk is short and no child is contained;
//	          or nodes and packets, counting the lanes hit
//
// # Occlusion culling
//
// Package query/occlude removes hidden objects from such a walk, with the pictures of
// package depth:
//
//	VisibleWalk.Nodes       nodes kernel of a frustum walk with a depth test for each child
//	VisibleWalk.AppendHits  packets kernel with a depth test for each box
//	VisibleRanges           repeats the depth test for hit ranges
//	VisibleRangesByPixel    refines the test of VisibleRanges down to single pixels
//	VisibleAreas            areas of boxes in the picture, in pixels
//
// A visibility kernel projects 8 or 16 boxes at once. For each rectangle it selects the level of the
// picture at which the rectangle has at most 16 columns and 4 rows. It then takes one box at a
// time: it loads each row into a register and compares the minimum with the depth of the box. A box
// that is visible at this level is tested again on up to two finer levels, all rows until one row
// shows it. Most boxes that a walk reaches are hidden at these levels, and a hidden node saves many
// times the cost of the tests.
//
// # Two bounds
//
// The number d of a plane is raised by a bound of the rounding error, which grows with the coordinates. Planes may have
// two bounds ([MakePlanes]). A box is near if the absolute values of its coordinates do not exceed
// the near bound of their axes. Near boxes are tested with the narrow d, all others with the wide
// d. So a distant or infinite box makes the test coarse for itself only.
//
// A child of a node is hit, at the p-vertex, by the d of the class of its own box. It is inside, at
// the n-vertex, by the narrow d. A tree still returns exactly the set that a loop returns, because
// the test is monotone in each coordinate and in d, and narrow <= wide. Boxes below a near child
// are near. If any other child fails by the wide d, the boxes below it pass by neither d. If a
// child is inside by the narrow d, every box below it passes by either. An empty lane is never hit,
// whatever d.
//
// The far kernels test the class of all boxes of a node or packet at once. If all are near, as is
// usual, they do the work of the kernels with one bound.
package cull
