// Package piko implements the octree of the engine Piko3D (Space Partitioning Tutorial: Piko3D's Dynamic
// Octree, piko3d.net, 2010), a loose octree and a rival to measure against. Only the beginning of the
// tutorial was available; the rest follows accounts of it.
//
// Features of the tutorial, according to these accounts, that are implemented:
//
//   - A leaf with more objects than a maximum is split into eight; a subtree with fewer than a minimum
//     becomes a leaf again. Every node stores the number of objects in each of its octants.
//   - Cells are enlarged by some per cent and so overlap: an object that straddles a border a little need not
//     stay in the parent, and one that moves a little need not change its cell. An object is stored in the
//     deepest cell whose enlarged form contains it.
//   - Updates are local: an object that has left its enlarged cell climbs to the first that contains it and
//     descends from there.
//   - The root changes, too. Objects may lie outside of it. If their number or their share exceeds a limit,
//     it doubles towards the octant with most of them. If all objects are in one octant, by the counts, that
//     octant becomes the root. The tree thus follows a moving world without growing in depth.
//   - With 27 children instead of 8 there is a cell over each border, too.
//   - A query takes the volume of the camera, or of an object of the physics. The bounding volume of an object
//     is its box here.
//
// Our choices, where the accounts are silent: an object tries only the child cell whose middle is nearest to
// its own. A leaf holds 32 objects, a subtree of fewer than 16 merges, and cells are enlarged by 25 per cent,
// a good choice on the scenes of the bench (BenchmarkTree). As many objects as a leaf holds may be outside; a
// query tests them one by one. A root that is a leaf grows without a child. The middle cells of the 27 have
// the size of the others. The root shrinks at the end of a frame. An enlarged cell is clipped to the enlarged
// cell of its parent. A cell is not split if float32 cannot distinguish its children. A node wholly in a
// volume is taken without tests. Rays are traversed front to back. The search for pairs runs a query for each
// object.
package piko
