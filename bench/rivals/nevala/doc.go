// Package nevala implements the octree of E. Nevala, Introduction to Octrees (gamedev.net, 2014), a rival to
// measure against.
//
// Features of the article that are implemented:
//
//   - A node is a cube. An object is stored in the smallest cube that contains it, so an object that
//     straddles the border between octants stays in the list of the larger cube. A node with a single object
//     is not divided, nor is a node whose cube has the minimum size, side 1.
//   - New objects are queued. The queue is flushed by a query or at the end of the frame. The first flush
//     builds the tree from all of them, in a cube whose side is a power of two; later ones insert them one by
//     one.
//   - A moved object climbs the parents until a cube contains it, and descends from there as far as it fits.
//     If not even the root contains it, all objects return to the queue and the tree is rebuilt.
//   - An empty leaf is kept for 8 more frames. Its lifespan doubles whenever it is used again before that, up
//     to 64.
//   - A recursive test finds all pairs: it tests the objects of a node against each other and against a list
//     of the objects of all its ancestors. Two static objects are never tested.
//   - An object has a bounding box or a bounding sphere; here it always has the box.
//   - Queries by frustum, ray, box and sphere.
//
// Left out, because nothing is measured with it: queries take a mask of object types, and pairs and rays have
// records with the position of the intersection.
//
// Our choices, where the article is silent, and improvements: moves are applied at once, not once a frame, so
// that every result is up to date. A frame visits only the empty leaves, not all nodes. The second object of
// a leaf divides it, and both descend. A child gets the part of the ancestors' list that overlaps its cube;
// the article passes on the whole list, without static objects, and so loses a moving object in a cube below
// a static one. A node wholly in a volume is taken without tests. The search for the first hit of a ray
// proceeds front to back. A cube too small to have a middle in float32 is not divided.
package nevala
