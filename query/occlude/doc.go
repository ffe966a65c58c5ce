// Package occlude implements software occlusion culling with a depth buffer: it finds the objects of a tree
// that are inside a camera's frustum and not hidden behind occluders.
//
// A [Culler] belongs to one camera. Set the camera once per frame, then query any number of trees or scenes:
//
//	c, err := occlude.New(occlude.Config{OccluderMask: walls}) // objects with a bit of walls are opaque boxes
//	for each frame {
//		err = c.SetCamera(camera)
//		visible = c.Append(visible[:0], tree.View(), query.Filter{})
//	}
//
// Occluders are objects whose type mask has a bit of Config.OccluderMask, and boxes, hulls and meshes that
// the program draws. The culler rasterizes the large occluders into a small depth buffer and builds a pyramid
// of minima over it (hierarchical Z). It tests nodes and objects against the pyramid while it walks the tree.
//
// # Overview
//
//	Culler                           the depth buffer of a camera, and the large occluders of earlier queries
//	SetCamera                        begins a frame with a camera
//	SetViewProjectionColumnMajor, …  begins a frame with any matrix, also parallel or in float64
//	DrawBoxes, DrawHulls             occluders that are not objects: Hull, of NewHull, NewPrism, NewPolygon
//	DrawMesh                         surfaces that are not objects: Mesh, of NewMesh
//	SetShapes, SetPartShapes         hulls and meshes of objects and parts, which the culler draws itself
//	Append, Count, Any, All, Ranges  queries for the visible objects
//	Occluded                         whether a box is hidden that is in no tree
//	DepthBuffer, DepthImage          the depth buffer, for debugging
//	Explain                          the work of a query, counted
//	AppendScene, CountScene, ...     the same queries on a scene, with the results of package query/scene
//
// # Contract
//
// Culling is conservative. An object is culled only if every ray from the eye through the image that hits the
// object's box beyond the near plane enters an occluder before it enters the box.
//
// An occluder is a box, hull, polygon or triangle of a mesh that was drawn, or an object of the tree whose
// type mask has a bit of Config.OccluderMask. Such an object occludes by its oriented box if it has one, not
// at all if it has only a sphere, else by its box. With [Culler.SetShapes] it occludes by its own shape, a hull
// or a mesh, or not at all. An occluder that a ray enters before the near plane does
// not count for that ray, because the near plane cuts it open. Hidden means strictly behind: touching is not
// hidden, so an occluder hides neither itself nor an object on its surface.
//
// The contract holds for rays, not for pixels: for every resolution of the screen, with any jitter or
// antialiasing, at any size of the depth buffer. A gap between two occluders stays open, however narrow, and
// objects behind it are visible.
//
// The converse does not hold: some hidden objects are returned. Two occluders that merely abut leave a seam
// one pixel wide. Overlap them by a pixel, or merge them into one hull.
//
// With Filter.Exact the contract holds for the bounds of an object in place of its box: for the part of its
// sphere, of its oriented box, or of both that is in its box. A diagonal pole behind a turned wall is culled,
// though its box extends in front of the wall.
//
// The results are a subset of the results of [Culler.Frustum] with the same filter. They are a function of the
// calls made on the tree and on the Culler: the same IDs in the same order on every CPU, with any number of
// workers. The memory of earlier queries only selects the occluders to draw.
//
// # Changing trees
//
// Occluders of a tree or a scene are drawn at their positions in the queried view. If the view shows another
// state ([linear.Stamp]) than the last view of the same tree or scene since SetCamera, the query begins a new
// frame of the same camera: the depth buffer is reset to the occluders drawn by the program since SetCamera,
// and the occluders of the tree are drawn at their current positions. So a camera at rest needs no further
// SetCamera.
//
// Occluders of several trees hide objects in all of them. Occluders of a tree that is not queried again stay
// where its last query drew them, until a new frame begins.
//
// # Memory
//
//	depth buffer float32, row-major, 1/t: 0 is open         of each pixel the largest lower bound
//	             [ v v v v ... v | room for 16 ]            of 1/t, of one occluder that covers all of it
//	level 1      the minimum of 4 x 4 pixels                until a level is 16 wide and 4 high
//	level 2      the minimum of 4 x 4 of level 1
//	cones        64 occluders that wait to be drawn, 940 bytes each
//	mesh         for the largest mesh: 12 bytes a corner, 5 a triangle, and some 100 a triangle near the image
//	base         a copy of the buffer without the occluders of trees, if there are occluders of both kinds
//	memory       for the n-th query of a frame, up to 256: locations and IDs of up to MaxOccluders objects
//	stamps       of up to 1024 trees and scenes that were queried in the frame
//	lists        nodes and packets of a walk, and the visible ones
//
// A buffer of 512 x 288 pixels is 654 kB with its levels. Cullers share no memory, neither with each other
// nor with a tree, which they only read. Any number of Cullers may query a view concurrently, each in its
// goroutine.
//
// # Cost
//
// A frame costs one clear of the buffer, the drawing of the occluders, and one or two walks. Where little is
// hidden, but more than next to nothing, a query costs several times a frustum query, because it tests every
// box in the frustum against the pyramid. Config.MinSize culls objects that are small on the image. For levels of
// detail of the visible objects, pass them to [query.Levels] of [Culler.Frustum], or to AppendLevels of package scene.
//
// Filter.Exact adds two tests of each visible object with bounds: that of [query.Frustum], and one against at
// most 2,048 texels of the buffer. The second ends early if the middle of the bounds, or of a face, is in front
// of the buffer, as it is for most visible objects. BenchmarkExactBounds measures both.
//
// A query is abandoned if, after 128 nodes, next to nothing is hidden: fewer than one in 64 of the nodes and
// packets, and fewer than one in 16 of a sample of objects. It then returns the result of the frustum query.
// If all queries since SetCamera hid that little, the culler pauses: it falls back to [query.Frustum] for 1
// query, and after further unsuccessful tries for 2, 4, 8 and then 16 queries (exponential back-off). During
// a pause it neither clears nor draws, and queries have the order and the cost of [query.Frustum]. So a
// camera that turns from open country to a city gets culled results at most 16 queries late. A successful try
// ends the pauses, and so does Reset.
//
// After the program has drawn occluders, queries do not pause until the next SetCamera: these occluders always
// count. After a paused query, Occluded, DepthBuffer and DepthImage refer to the occluders drawn by the
// program alone, because the occluders of trees are not in the buffer.
//
// # Algorithm
//
//	SetCamera     begins a frame; the buffer is cleared when it is next drawn to or read
//	Draw...       draws occluders that are not objects of a tree
//	first query   draws the occluders that were large in the first query of the last frame, at their current positions
//	              if at most half of them are still large, draws the largest nearby ones as well; also if they
//	              hide next to nothing, as after a cut: it then walks again
//	              after a pause, draws very large ones of a tree, at any distance
//	              builds the pyramid
//	              walks the tree from the root: culls nodes outside the frustum, and nodes whose rectangle
//	              on the image is farther than the buffer everywhere. A hidden subtree is not entered
//	              unless there are many visible objects, retests them at full resolution
//	              if large occluders are among them, draws these and retests
//	              remembers the largest visible occluders
//	second ...    the same, with a memory of its own: for example of another tree
//
// # Proof
//
// A convex occluder covers a pixel if it covers the whole pixel. Its depth there is its greatest depth in the
// pixel. A piece of a mesh whose triangles all face the same side covers a pixel if one of them touches the
// pixel, and no edge at which the piece ends or turns over does. Its depth is the depth of the farthest of
// its triangles in the pixel. The buffer holds a maximum of 1/t over occluders, so it does not depend on the
// order in which they are drawn. A box is hidden if all pixels that its rectangle touches are nearer than the
// nearest point of the box.
//
// Each rounding is bounded: at [cull.Lens] for rectangles, in cone.go for convex occluders, in drawmesh.go for
// meshes. This completes the proof: pixel > z for all pixels of the rectangle, so for a ray in one of them
// the occluder of the pixel is entered at 1/t >= pixel > z >= 1/t of the box.
//
// # Scenes
//
// The methods AppendScene, CountScene, AllScene, RangesScene, AnyScene and ExplainScene query a scene
// ([linear.Scene]) with instancing. Their results have the form of package query/scene: objects by instance.
// The walk enters parts as package query/scene does. It transforms the camera into the space of the part,
// level by level in float64, bounds every rounding and adds the bound to the rectangles:
//
//	instance     its box is in the frustum, and not hidden           in the tree of instances, at each level
//	             so are the bounds of its part, in the part's space
//	objects      so are their boxes                                  by the same kernels, with the same buffer
//	occluders    their boxes and oriented boxes are drawn            as parallelepipeds, transformed
//
// The contract above holds for the exact images of boxes under the transforms of the instances on their
// paths: an object is culled only if every ray that hits its parallelepiped beyond the near plane enters an
// occluder before it. An object occludes if a filter with Mask: Config.OccluderMask finds it: it has such a
// bit, and so have the masks of all instances on its path. Transforms of any kind are supported. In a part
// that a transform scales beyond float32, all objects in the frustum are returned.
//
// Under the identity, and under translations without rounding, an object is visible if and only if it would
// be in one tree of all objects, as long as the same occluders are drawn. The memory of a query holds paths
// of instances as well as IDs, so an occluder is remembered in the instance in which it was large. Instances that
// have outgrown their boxes since the last tick are tested by the bounds of their parts.
//
// # Limits
//
// Objects whose mesh is smaller than their box, such as trees, fences, glass or gates that open, are no
// occluders: leave their bit out of OccluderMask, draw hulls inside the mesh, or the [Mesh] itself, or give
// them shapes. A mesh of many small bumps hides little: each crest leaves a seam of some pixels. The far plane
// is the only limit of distance. A mirror or a shadow map is another camera, with a Culler of its own.
package occlude
