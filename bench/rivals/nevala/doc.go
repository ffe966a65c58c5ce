// Package nevala is the octree of E. Nevala, Introduction to Octrees
// (gamedev.net, 2014), a rival to measure against.
//
// What the article says, and is here:
//
//   - A node is a cube. An object lies in the smallest cube that holds it, so
//     one that straddles the border between octants stays in the list of the
//     larger cube. A node with a single object is not divided, nor is one whose
//     cube is as small as the minimum, side 1.
//   - New objects wait in a queue. It is emptied when somebody asks or the frame
//     ends: the first time the tree is built from all of them, in a cube whose
//     side is a power of two, later they are inserted one by one.
//   - An object that moves goes up the parents until a cube holds it, and from
//     there down as far as it fits. If not even the root holds it, everything
//     goes back to the queue and the tree is built anew.
//   - A leaf that has become empty lives for 8 frames more. Its lifespan doubles
//     whenever it is used again before that, up to 64.
//   - A recursive test finds all pairs: the objects of a node against each other
//     and against a list of those of all nodes above. Two static objects are
//     never tested. Intersection records say where.
//   - An object has a box or a sphere around it; here the box is always there.
//   - Queries by frustum, ray, box and sphere take a mask of the types of object
//     that are of interest. There are records of what a ray meets, too.
//
// Where it is silent, or we chose better: moves are made at once, not once a
// frame, so that every answer is right at any time. The frame looks only at the
// leaves that are empty, not at all nodes. A second object that comes to a leaf
// divides it, and both move down. Of the list from above, a child gets what
// overlaps its cube; the article hands all of it down, without static objects,
// and so loses a moving object in a cube below a static one. A node wholly in a
// volume is taken without tests; the first hit of a ray is looked for front to
// back. A cube too small to have a middle in float32 is not divided.
package nevala
