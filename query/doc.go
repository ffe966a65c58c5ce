// Package query searches a tree: frustum culling, box, sphere and convex queries, ray casts, swept
// shapes, and k-nearest-neighbour search. A query is a value; its methods run it on a view
// (package linear):
//
//	cam, err := query.FrustumColumnMajor(viewProj, query.ClipZeroToOne)
//	ids = cam.Append(ids[:0], tree.View(), query.Filter{Mask: trees | rocks})
//
// # Queries
//
//	Frustum, Box, OrientedBox, Sphere,      volumes: IDs of the objects they intersect, by
//	Point, Convex                           Append, Count, Any, All; Ranges of slots without
//	                                        a copy; Boxes, for IDs with their boxes. A Sphere
//	                                        is a radius search
//	Func                                    the same of a volume that a function tests;
//	                                        NewCapsule, NewCylinder, NewCone make shapes
//	Frustum.MinSize, Frustum.Precise        frusta without small objects, or without false
//	                                        positives near corners
//	Frustum.Levels, Camera.PixelSize        level of detail (LOD) of each object of an
//	                                        answer, with hysteresis; sizes in pixels
//	Camera, Camera32, Viewport              frusta of cameras; picking: the Ray of a pixel,
//	                                        the Frustum of a rectangle
//	Ray, SweptBox, SweptSphere              ray and shape casts, ordered by time, with
//	                                        position and normal ([Hit]): First, Append,
//	                                        Any, All
//	SweptBox.Entering                       shape casts without what is only touched
//	AppendNearest, Nearby                   the k nearest boxes, or all boxes by distance
//	Unlimited                               no distance limit, for rays and searches
//	FrustumBatch, BoxBatch, SphereBatch,    many queries at once, on several goroutines,
//	RayBatch, NearestBatch                  with the results of single queries
//	Explain                                 counters of the work of a query
//
// Subpackages: query/collide is the broad phase, which finds overlapping pairs; query/occlude
// implements occlusion culling, query/interest interest management, query/scene the queries of
// scenes with instancing; query/show draws trees and queries.
//
// # Contract
//
// Boxes and volumes are closed: touching counts as intersecting. Every test is a documented
// formula, evaluated in a documented order without fused multiply-add. All CPUs therefore give the
// same bits; only the speed differs. Rounding is conservative: there are no false negatives in
// exact arithmetic, and false positives lie within the stated bound.
//
// A [Filter] excludes objects by type mask and motion during the walk, by a bitmap, and one object
// by its handle. With Exact, the bounding sphere or oriented box of an object is tested after its
// box.
//
// The order of results is a function of the calls that made the tree. It is the same on every CPU
// and with any number of workers, and it may differ after a change. Methods whose results are
// ordered by time or distance say so.
//
// A constructor rejects invalid numbers, such as NaN, with an error that names them. Append
// methods never modify the existing elements of the slice and allocate only when it lacks room. In
// steady state nothing else allocates, except starting the goroutines of a batch.
//
// A query never writes to the tree. Any number of goroutines may query one view, which is valid
// until the tree changes. Record changes that result from a query in a Batch of package linear,
// and apply them afterwards.
//
// # Programs
//
// The examples of the package contain whole programs:
//
//	odometry     LiDAR odometry: a local map that follows the sensor, scans aligned with
//	             it by correspondences, and normals from 20 neighbours
//	voxelFilter  a map that keeps a few points in each voxel; the points of a voxel
//	expiry       a map that removes points that recent scans have not hit again
//	mapThread    a thread that changes a map, and a thread that matches scans with it
//	cloud        a point cloud from a file: outliers, thinning, search
//	offline      a tool that saves a tree, and a tool that maps the file
//
// The file RECIPES.md has shorter functions for common tasks.
package query
