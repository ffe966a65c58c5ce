// Package occlude asks what a camera really sees of a tree: what is in its frustum, and not
// hidden by solid things before it.
//
//	eye, err := occlude.New(occlude.Config{Solid: walls}) // objects with a bit of walls are opaque boxes
//	for each frame {
//		err = eye.Look(camera)
//		seen = eye.Append(seen[:0], tree.View(), query.Filter{})
//	}
//
// # What there is
//
//	Eye                              what lives as long as a camera: the picture and the memory
//	Look, LookColumnMajor, ...       a new frame: a camera, or any matrix, also parallel or in float64
//	DrawBoxes, DrawHulls             solids that are no objects: Hull, of NewHull, NewPrism, NewPolygon
//	DrawMesh                         surfaces that are no objects: Mesh, of NewMesh
//	Append, Count, Any, All, Ranges  what is seen
//	Hides                            is a box hidden that is in no tree?
//	Depths, Image                    the picture, to look at
//	Explain                          what an answer took, counted
//	AppendScene, CountScene, ...     all this asked of a scene, as package query/scene has it
//
// # Contract
//
// An object is left out only if every ray from the eye through the camera's picture that meets
// its box beyond the near plane enters a solid before it enters the box.
//
// A solid is a box, hull, polygon or triangle of a mesh that was drawn, or an object of the tree whose type mask has a
// bit of Config.OccluderMask: its oriented box if it has one, nothing if it has only a sphere, else its box. Where it
// is entered before the near plane it does not count, for there it is cut open. What touches is
// seen: hidden means strictly behind, so a solid hides neither itself nor what lies on its face.
//
// It holds for rays, not for samples: for every resolution of the screen, with any jitter or
// antialiasing, whatever the size of the picture. So a gap between two solids is open, however narrow, and
// what is behind it is seen. The other way round, not all that is hidden is found: two solids that
// merely abut leave a seam a pixel wide. Let them overlap by a pixel, or give one hull.
//
// Occluders of a tree or a scene are where they are in the view that is asked about. If that
// shows another state ([linear.Stamp]) than the last view of the same tree or scene since Look,
// the answer begins a new frame of the same camera: the picture becomes that of what was
// drawn by hand since Look, and solids are drawn as they are now. Solids of several trees
// hide what is in all of them; those of a tree that is not asked about again are where they
// were in its last answer. A camera that rests needs no further Look.
//
// Answers are a part of those of [Culler.Frustum] with the same filter, and a function of the
// calls made on the tree and on the Eye: the same IDs in the same order on every CPU, with any number
// of workers. The memory of former answers only says which solids are drawn.
//
// # Memory
//
//	picture     float32, row-major, 1/t: 0 is open          of each pixel the largest lower bound
//	            [ v v v v ... v | room for 16 ]             of 1/t, of one solid that covers all of it
//	level 1     the least of 4 x 4 pixels                   until a level is 16 wide and 4 high
//	level 2     the least of 4 x 4 of level 1
//	cones       64 solids that wait to be drawn, 940 bytes each
//	mesh        what the largest mesh takes: 12 bytes a corner, 5 a triangle of the mesh and some 100 one near the picture
//	by hand     a copy of the picture without the solids of trees, if there are solids of both kinds
//	memory      for the n-th answer of a frame, up to 256: places and IDs of up to MaxSolids objects
//	stamps      of up to 1024 trees and scenes that were asked about in the frame
//	lists       nodes and packets of a walk, and what of them is seen
//
// A picture of 512 x 288 pixels is 654 kB with its levels. Nothing is shared between Eyes, nor with a tree,
// which is only read: any number of Eyes may ask a view at a time, each in its goroutine.
//
// # How it works
//
//	Look          a new frame; the picture is cleared when it is next drawn in or looked at
//	Draw...       solids by hand
//	first answer  solids of the tree that were large in the last first answer, as they are now;
//	              if most of these are gone, the largest of the near ones as well
//	              after a pause, of a tree, those that are very large, wherever they are
//	              the levels are made
//	              a walk from the root: what is in the frustum, and whose rectangle on the picture is
//	              not nearer all over. A subtree that is hidden is done with at once
//	              unless much is seen, it is looked at once more, down to the pixels
//	              if large solids are among what is seen, these are drawn and it is looked at once more
//	              the largest solids among what is seen are remembered
//	second ...    the same, with a memory of its own: of another tree, for one
//
// An answer is given up if, once 128 nodes are done with, next to nothing of them and of a sample of
// objects is hidden: less than one in 64, of objects in 16; it then is that of the frustum. If all answers since Look have hidden
// as little, the Eye pauses for 1 answer, after the next try in vain for 2, 4, 8 and then 16: it neither clears
// nor draws, and answers as [query.Frustum] does, in that order and at that cost. So a camera
// that turns from open country to a city is told of what is hidden at most 16 answers late. After what
// was worth it there is no pause, nor after Forget. What is drawn by hand is always looked at, in a pause too. Hides,
// DepthBuffer and Image then tell of that alone: the solids of trees are not in the picture.
//
// A solid covers a pixel if it covers all of it, and there it is as deep as it is anywhere in the
// pixel. So does a piece of a mesh, all of whose triangles are seen from the same side: its depth is that of the farthest of
// them in the pixel, and no edge where it ends or turns over touches the pixel. The picture is a maximum over solids, so the order in which they are drawn is nothing to it. A box is
// hidden if all pixels that its rectangle touches are nearer than its nearest point. Each
// rounding is bounded: at [asm.Lens] of rectangles, in cone.go of solids, in drawmesh.go of meshes. That is the whole proof:
// pixel > z for all pixels of the rectangle, so for a ray in one of them the solid of the pixel is
// entered at 1/t >= pixel > z >= 1/t of the box.
//
// # Scenes
//
// Of a scene ([linear.Scene]) the Eye is asked by methods of their own, whose answers are those of package
// query/scene, of objects by place. It goes into parts as that does, with the camera moved into the space of the part, level by
// level in float64, every rounding bounded and the bound added to rectangles:
//
//	place        its box is in the frustum, and not hidden           in the tree of places, at each level
//	             the bounds of its part are, in the part's space
//	objects      their boxes are                                     by the same kernels, into the same picture
//	solids       their boxes and oriented boxes are drawn            as parallelepipeds, where they stand
//
// The contract is that above for the exact images of boxes under the poses of the places on their paths: an object is left out
// only if every ray that meets its parallelepiped beyond the near plane enters a solid before it. A solid object is
// one that a filter with Mask: Config.OccluderMask would find: it has such a bit, and so have the gates of all places on its path. Poses may
// be of any kind; under one so far from 1 that its part is beyond float32, all that is in the frustum is seen.
//
// Under the identity, and translations that round nothing, an object is seen if and only if it were in one tree of all
// objects, as long as the same solids are drawn. The memory of an answer holds paths of places beside IDs, so a solid is
// remembered in the place where it was large. Places that have outgrown their boxes since the last tick are looked
// at by the bounds of their parts.
//
// # What it is not for
//
// Objects whose mesh is smaller than their box, such as trees, fences, glass or doors that open,
// are not solid: leave their bit out of Solid, and draw hulls that lie in the mesh, or the [Mesh]. A mesh of many small bumps
// hides little: each crest leaves a seam of some pixels. The far plane
// is the only limit of distance. A mirror or a shadow map is another camera, and has an Eye of its own.
// Where little is hidden, but more than next to nothing, a question costs several times what that of the
// frustum does: every box in it is tested. Config.MinSize leaves out what is far away and small there.
package occlude
