// Package scene queries scenes, which hold instances of trees: frustum culling, ray and shape
// casts, k-nearest-neighbour search, and collision pairs with instancing. A scene holds its own
// objects and instances of parts, which may hold instances in turn, to a depth of
// [linear.MaxDepth].
//
//	street, err := linear.NewScene(linear.Config{})
//	id, err := street.AddInstance(building, transform, linear.InstanceOptions{})
//
//	var visible scene.Answer
//	scene.Append(&visible, camera, street.View(), query.Filter{})
//	for i := range visible.Runs {
//		instance, ids := visible.Run(i) // one part: one mesh list under one matrix
//	}
//
// # Entry points
//
//	Append, Count, All, Ranges         the objects that intersect a volume: query.Frustum, Box,
//	                                   Sphere, Point, Convex, OrientedBox, Func
//	First, FirstFunc, AppendHits       the objects that a query.Ray, SweptBox or SweptSphere
//	                                   hits, by time, with position and normal
//	Any                                whether a volume, ray or moving shape finds any object
//	AppendNearest, Nearby              the objects nearest to a point: the first k, an iterator
//	AppendPairs, AppendContacts        pairs of overlapping objects, and their contacts: of own
//	                                   objects, objects in parts, and objects of two parts
//	Tracker                            the pairs from frame to frame: begun, ended and continuing
//	BudgetTracker                      the pairs of some objects and instances in each frame
//	AppendImpacts                      pairs that touch while instances and objects move: continuous
//	                                   collision detection
//	Instances                          all instances, at any depth
//	AppendLevels                       the level of detail of each object of an Answer
//	VolumeBatch, SweepBatch,           Append, First, AppendHits and AppendNearest of many
//	NearestBatch                       queries by several goroutines, with progress and cancellation
//	Explain, ExplainSweep              counters of a query, also for each part
//
// Volumes, rays and filters are those of package query, filters of pairs those of package
// query/collide.
//
// # Operations
//
// All functions take the views of a [linear.Scene], of a version of a [linear.ScenePublisher], of a
// [linear.SceneSnapshot] and of a [linear.Directory]. A scene may also hold the shards of a version of a directory
// together with live objects ([linear.DirectoryVersion.Parts]). The functions also take the view of a part
// ([linear.SceneView.Instance]): the part then is the scene, with the number 0 and the empty path. A test runs each
// cell of this table:
//
//	operation           tree, package query         scene, published, snapshot, directory
//	volume              Box.Append                  Append
//	iteration           Box.All                     All
//	any hit             Box.Any                     Any
//	first hit           Ray.First                   First
//	all hits            Ray.Append                  AppendHits
//	nearest             AppendNearest               AppendNearest
//	incremental search  Nearby.All                  Nearby
//	volume batch        BoxBatch.Find               VolumeBatch.Find
//	ray batch           RayBatch.FindAll            SweepBatch.FindAll
//	nearest batch       NearestBatch.Find           NearestBatch.Find
//	pairs               collide.Append              AppendPairs
//	contacts            collide.AppendContacts      AppendContacts
//	pair tracker        collide.Tracker.Update      Tracker.Update
//	impacts             collide.AppendImpacts       AppendImpacts
//	interest            interest.Tracker.Update     interest.SceneTracker.Update
//
// Three trackers need the log of a tree or scene ([linear.Config.Log]), which snapshots and directories lack: those
// of package collide, interest.Tracker, and BudgetTracker, which takes scenes and their published versions. The
// others need none.
//
// # How it works
//
// The query is transformed into the space of each part; the parts are not transformed:
//
//	scene   camera ---> tree of own objects
//	          |    ---> tree of instances: boxes around the images of parts
//	          v
//	        instance 12, transform: the camera in the space of the part
//	          |    ---> bounds of the part: outside, done; inside, all of it; else
//	          |    ---> tree of the part
//	          v
//	        instance 3 in that part, ...
//
// A part with a thousand instances is one tree, queried a thousand times at most. A result
// identifies an object by its ID in its part and the [Path] of instances that lead there.
//
// # Contract
//
// The transforms of the instances on its path place an object in the scene. Its shape is the
// exact image of its box, a parallelepiped, or, with Filter.Exact, of its bounds. There are no
// false negatives: each object that intersects the query in exact arithmetic is returned. The
// result is the same on every CPU.
//
// A [query.Filter] tests the mask and the motion of the object, and if it is Exact its sphere and
// its oriented box, under all transforms, as in package query. If an object has both bounds, both
// must be hit: the later hit counts, and for a neighbour the larger distance. Bounds are tested
// in the space of the part, so the limits below hold for them. For distances an oriented box
// counts as a right-angled box, larger by up to 2^-17 of its half axes. If a sphere, or a moving
// ball, has become an ellipsoid, the ball around it is tested against bounds. The box around the
// image of the oriented box then replaces the one around the image of the box. Swept boxes ignore
// bounds. The mask of an instance is an instance mask ([linear.InstanceOptions]): the objects
// inside are found only if the filter's Mask is 0 or shares a bit with it. Only and Exclude refer
// to the scene's own objects ([linear.Scene.Tree]): they do not apply to objects in parts.
//
// The order of results is a function of the changes made to the scene and its parts. A change of
// any part invalidates the views of scenes; a query of an older view panics. Between a change of
// a part and the next Tick of the scene there are no false negatives either: instances that may
// have outgrown their boxes are tested one by one.
//
// Nothing allocates in steady state except results that lack room. Any number of goroutines may
// query one view.
//
// # Rounding
//
// Queries are transformed level by level in float64, each product rounded by itself, and enlarged
// by bounds of the rounding errors. In each part they are then rounded to float32, outward, and
// passed to package query. False positives are limited to the margins given by package query,
// with coordinates of the part, and in the space of the part:
//
//	Frustum, Convex  planes transformed, raised at each level by 2^-49 of the magnitudes of the
//	                 summands, over all objects that are in the part there, at any depth. The
//	                 tolerance of a plane is 2^-20 of |nx|*X + |ny|*Y + |nz|*Z + |d|, X, Y, Z
//	                 being the largest coordinates of the part's own objects, and that.
//	                 Precise makes its planes in each part that the border crosses.
//	                 With a least size ([query.Frustum.MinSize]) an object is left out if the
//	                 longest edge of the image of its box, a parallelepiped, is less than s times
//	                 the depth of that one's nearest corner, beyond the near plane: by the formula
//	                 there with the depth moved into the part, in float64, and edges times the
//	                 lengths of the images of the axes, both rounded to float32. Parts without
//	                 instances may be left out as a whole; boxes of instances never, for the box
//	                 around a rotated part may have shorter edges than its objects.
//	Box, Point       a box up to aligned transforms, rounded outward. Under others six planes as
//	                 above and the box around them: objects that no face of the query and no side
//	                 of the object's box separates. A part that only one face cuts is tested by
//	                 that plane alone. A part, or an instance in it, counts as a whole only if all
//	                 of it is surely inside the exact faces.
//	OrientedBox      a parallelepiped, tested in each part along the fifteen axes that can separate
//	                 it from a box, with the error of inverting the transforms, in tests below 2^-47 of the
//	                 magnitudes in the scene times the product of most over least of their
//	                 stretches, and 2^-48 of the magnitudes of the summands along an axis; the
//	                 axes are off by 2^-50, divided by the sine of the angle of two edges. With
//	                 Filter.Exact spheres are tested by its six planes and the box around it.
//	Sphere           a ball up to similarities, larger by 2^-16. Under others an ellipsoid: an object
//	                 is kept when the box around its image overlaps the ball.
//	Func             its test takes boxes of the scene: for a node, an object or the bounds of a part,
//	                 the smallest box of float32 around the exact image, up to the rounding of the
//	                 transforms, some 2^-50 of the magnitudes of the summands. The test is not
//	                 called for images that are surely beyond the bounds of the Func. An object is
//	                 kept unless its image is beyond them, or the test returns Outside for its box
//	                 or one around it. Bounds of instances are tested once for each. A result Inside
//	                 counts for the whole part.
//	Ray              a ray from where it enters the bounds of the part, as a box that is larger
//	                 by e on each side, which is some 2^-22 of the size of the part, and the
//	                 error of inverting its transforms. Dist is at most the exact one, within a
//	                 relative 2^-20 and, where numbers are denormal, the absolute terms of
//	                 query.Ray, and at least the time at which the larger box gets there.
//	SweptBox         the same of the box around the moved box.
//	SweptSphere      the same of the ball, tested as that of package query from there on; under
//	                 transforms other than similarities, against the box around the object's image.
//
// Entering of a SweptBox or SweptSphere, and the normals of what they only touch at the start, are judged
// for the same shapes without e: an object that is touched in exact arithmetic and not entered is left
// out, and so may be one that is entered by less than twice the error of the transforms. Axes are
// those of the part. An ellipsoid touches the box around the object's image.
//
// Under the identity all is as in package query, with the same order and the same times; so are
// rays and boxes under translations that need no rounding.
package scene
