// Package irregular is the octree of J. Shagam and J. Pfeiffer, Dynamic
// Irregular Octrees (New Mexico State University, 2003), a rival to measure
// against. The report itself was not at hand: it is written after accounts of
// it.
//
// What the report says, as far as they tell, and is here:
//
//   - A node is split by three planes through one point, not in its middle but
//     at the mean of the centres of its objects, each weighted by the inverse of
//     its radius, so that clusters of small objects are parted. No bounds of
//     the world are given.
//   - A plane on which too many objects lie is disabled: the node then has four
//     children, or two. When that is so of all three, those with the least
//     straddlers are enabled. What lies on an enabled plane stays in the node.
//   - Splits are lazy. A new object goes to a leaf, however full, and a query
//     that comes to a leaf of more than 16 objects splits it.
//   - Leaves may be split ahead, in the time that a frame has left, in three
//     ways: in the nodes that the last query rejected, in the region of motion
//     that is anticipated, or all of them ([Ahead]).
//   - Each node has a tight box of all that is below. It grows at once; when an
//     object leaves it is only marked, and found anew when a query comes.
//   - A branch that has lost everything is freed at once.
//   - An object may be inserted as the volume that it sweeps during a frame, so
//     that collisions on the way are found.
//   - Objects are spheres, here with a box around them, or boxes.
//
// Where it is silent, or we chose: a plane is disabled when more than a quarter
// of the objects lie on it, or when it parts nothing. When all objects lie on one
// enabled plane or another, the best plane is enabled alone. A leaf that no plane
// parts is tried again after as many changes as it has objects. A node left with
// one child and no objects gives it its place. The radius of a box is half its
// diagonal. A node wholly in a volume is taken without tests, and without splits;
// rays walk front to back; for the pairs an object is tested with its node and
// with what is below, since no object touches one beyond a plane.
package irregular
