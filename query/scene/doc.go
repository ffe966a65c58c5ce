// Package scene asks the questions of package query of scenes: of parts that stand in
// places, and of what is placed in these, to a depth of [linear.MaxDepth].
//
//	street, err := linear.NewScene(linear.Config{})
//	id, err := street.Place(house, pose, linear.InstanceOptions{})
//
//	var seen scene.Answer
//	scene.Append(&seen, camera, street.View(), query.Filter{})
//	for i := range seen.Runs {
//		place, ids := seen.Run(i) // one part: one mesh list under one matrix
//	}
//
// # What there is
//
//	Append, Count, Any, All, Ranges    what a volume meets: query.Frustum, Box, Sphere,
//	                                   Point, Convex, OrientedBox
//	Nearest, FirstFunc, AppendHits,  what a query.Ray, SweptBox or SweptSphere meets, by
//	Meets                              time, with position and normal
//	AppendNearest                      the objects nearest to a point
//	AppendPairs, AppendContacts        which objects share a point, and how, of own ones, those
//	                                   in parts, and those of two parts
//	Explain, ExplainSweep              what a query did, counted, also for each part
//
// Volumes, rays and filters are those of package query, those of pairs of package
// query/collide. Its trackers and impacts, and all batches, do not take a scene: ask the
// trees.
//
// # How it works
//
// The query goes into the parts, not the parts to the query:
//
//	scene   camera ---> tree of own objects
//	          |    ---> tree of places: boxes around the images of parts
//	          v
//	        place 12, pose: the camera in the space of the part
//	          |    ---> bounds of the part: outside, done; inside, all of it; else
//	          |    ---> tree of the part
//	          v
//	        place 3 in that part, ...
//
// A part that stands in a thousand places is one tree, asked a thousand times at most. Whom
// an answer is about is told by the ID of an object in its part and the [Path] of places
// that lead there.
//
// # Contract
//
// An object stands where the poses of the places on its path put it: its shape is the
// exact image of its box, a parallelepiped, or, with Filter.Exact, of its bounds. Nothing that
// meets the query in exact arithmetic is lost. Queries are moved level by level in float64,
// each product rounded by itself, and made larger by bounds of what that may have cost; in
// each part they are then rounded to float32, outward, and asked of its tree by package
// query. So the answer is the same on every CPU, and what is reported beyond the exact one
// is that which package query tells, with coordinates of the part, and in the space of the
// part:
//
//	Frustum, Convex  planes moved, raised at each level by 2^-49 of the sizes of what was
//	                 added up, over all that is in the part there, at any depth. The
//	                 tolerance of a plane is 2^-20 of |nx|*X + |ny|*Y + |nz|*Z + |d|, X, Y, Z
//	                 being the largest coordinates of the part's own objects, and that.
//	                 Precise makes its planes in each part that the border crosses.
//	                 With a least size ([query.Frustum.MinSize]) an object is left out if the
//	                 longest edge of the image of its box, a parallelepiped, is less than s times
//	                 the depth of that one's nearest corner, beyond the near plane: by the formula
//	                 there with the depth moved into the part, in float64, and edges times the
//	                 lengths of the images of the axes, both rounded to float32. Parts are left
//	                 out as a whole if they have no places; boxes of places never, for
//	                 that around a turned part may have shorter edges than what is in it.
//	Box, Point       a box up to aligned poses, rounded outward. Under others six planes as
//	                 above and the box around them: what no face of the query and no side
//	                 of the object's box separates.
//	OrientedBox      a parallelepiped, tested in each part along the fifteen axes that can separate
//	                 it from a box, with the error of inverting the poses, and 2^-48 of the
//	                 sizes of what is added up along an axis; the axes are off by 2^-50, divided
//	                 by the sine of the angle of two edges. With Filter.Exact spheres are
//	                 tested by its six planes and the box around it.
//	Sphere           a ball up to similarities, larger by 2^-16. Under others an ellipsoid: an object
//	                 is kept when the box around its image meets the ball.
//	Ray              a ray from where it enters the bounds of the part, as a box that is larger
//	                 by e on each side, which is some 2^-22 of the size of the part, and the
//	                 error of inverting its poses. Dist is at most the exact one, but for a
//	                 relative 2^-20, and at least the time at which the larger box gets there.
//	SweptBox         the same of the box around the moved box.
//	SweptSphere      the same of the ball, tested as that of package query from there on; under poses
//	                 that are no similarities, against the box around the object's image.
//
// Under the identity all is as in package query, with the same order and the same times; so
// are rays and boxes under translations that need no rounding.
//
// A [query.Filter] decides by the mask and the motion of the object, and where it is Exact by its
// sphere and its oriented box, under all poses, as in package query: of an object with both
// both are to be met, in a hit that counts which is met last, of a neighbour that which is
// farther away. They are tested in the space of the part, so what is told of each query holds
// for them; an oriented box counts as a box at right angles where distances do, larger by up
// to 2^-17 of its half axes. Where a sphere, or a ball that moves, has become an ellipsoid, bounds are
// met by the ball around it, and the box around the image of the oriented box stands for that
// of the box. To a swept box bounds are nothing. The mask of a place is a gate ([linear.InstanceOptions]): what is inside is found only
// if the filter's Mask is 0 or shares a bit with it. Only is about the scene's own objects.
//
// The order of answers is a function of the changes made to the scene and its parts. Views of
// scenes end with the next change of any part; a query of an older one panics. Between a change
// of a part and the next Tick of the scene nothing is lost either: places that may have
// outgrown their boxes are looked at one by one.
//
// Nothing allocates in steady state but answers that lack room. Any number of goroutines may ask one view.
package scene
