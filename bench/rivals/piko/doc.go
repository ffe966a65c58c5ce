// Package piko is the octree of the engine Piko3D (Space Partitioning Tutorial:
// Piko3D's Dynamic Octree, piko3d.net, 2010), a rival to measure against. Only
// the beginning of the tutorial was at hand; the rest is after accounts of it.
//
// What the tutorial says, as far as they tell, and is here:
//
//   - A leaf with more objects than a maximum is split into eight, a subtree with
//     fewer than a minimum becomes a leaf again. Every node knows how many
//     objects are in each of its octants.
//   - Cells are enlarged by some per cent and so overlap: an object that
//     straddles a border a little need not stay above, and one that moves a
//     little need not go elsewhere. It lies in the deepest cell whose enlarged
//     form holds it.
//   - Updates are local: an object that has left its enlarged cell goes up to the
//     first that holds it and down from there.
//   - The root changes, too. Objects may lie outside of it. When there are more
//     than a number or a share of all, it doubles towards the octant in which
//     most of them are; and when all objects are in one octant, by the counts,
//     that becomes the root: the tree follows a world that moves and its depth
//     does not grow for it.
//   - With 27 children in place of eight there is a cell over each border, too.
//   - A query takes the volume of the camera, or of an object of the physics.
//     Objects have a bounding volume, like a sphere.
//
// Where it is silent, or we chose: an object tries the cell of the child whose
// middle is nearest to its own, no other. A leaf holds 32 objects, a subtree of
// fewer than 16 merges, cells are enlarged by 25 per cent, a good choice on the
// scenes of the bench (BenchmarkTree). As many objects as a leaf holds may be
// outside; a query tests them one by one. A root that is a leaf grows without a
// child. The middle cells of the 27 have the size of the others. The root shrinks
// at the end of a frame. An enlarged cell ends where that of its parent does, and
// a cell is not split where float32 no longer tells its children apart. A node
// wholly in a volume is taken without tests; rays walk front to back; pairs are a
// query for each object.
package piko
