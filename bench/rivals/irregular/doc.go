// Package irregular implements the octree of J. Shagam and J. Pfeiffer, Dynamic Irregular Octrees (New Mexico
// State University, 2003), a rival to measure against. The report itself was not available: the package
// follows accounts of it.
//
// Features of the report, according to these accounts, that are implemented:
//
//   - A node is split by three planes through one point. The point is not the middle of the node but the mean
//     of the centres of its objects, each weighted by the inverse of its radius, so that clusters of small
//     objects are separated. No bounds of the world are given.
//   - A plane with too many objects on it is disabled: the node then has four children, or two. If that holds
//     for all three, the planes with the fewest straddlers are enabled. Objects on an enabled plane stay in
//     the node.
//   - Splits are lazy. A new object is added to a leaf, however full, and a query that reaches a leaf of more
//     than 16 objects splits it.
//   - Leaves may be split ahead, in the time that a frame has left, with three policies: in the nodes that
//     the last query rejected, in the region of predicted motion, or all of them ([Ahead]).
//   - Each node has a tight bounding box of its subtree. It grows at once. The removal of an object only
//     marks it, and a query that reaches it recomputes it.
//   - An empty branch is freed at once.
//   - Objects are spheres or boxes, here always boxes.
//
// Left out, because nothing is measured with it: an object may be inserted as the volume that it sweeps during
// a frame, to find collisions on the way.
//
// Our choices, where the accounts are silent: a plane is disabled when more than a quarter of the objects lie
// on it, or when it separates nothing. When every object lies on one enabled plane or another, the best plane
// is enabled alone. A leaf that no plane separates is tried again after as many changes as it has objects. A
// node with one child and no objects is replaced by its child. The radius of a box is half its diagonal. A
// node wholly in a volume is taken without tests, and without splits. Rays are traversed front to back. For
// the pairs an object is tested with its node and the subtree, since no object touches one beyond a plane.
package irregular
