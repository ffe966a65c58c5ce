// Package query asks the questions of a tree: what is in a volume, what does a
// ray meet first, what is nearest. A query is a value that is run on a view
// (package linear):
//
//	cam, err := query.FrustumColumnMajor(viewProj, query.ClipZeroToOne)
//	ids = cam.Append(ids[:0], tree.View(), query.Filter{Mask: trees | rocks})
//
// # What there is
//
//	Frustum, Box, OrientedBox, Sphere,      IDs of what a volume meets: Append, Count,
//	Point, Convex                           Any, All; Ranges of slots without a copy;
//	                                        Boxes, the answer with its boxes
//	Frustum.MinSize, Frustum.Precise      frusta without what is small or just beside
//	Camera, Camera32, Viewport              frusta of views; what is seen at a pixel, by a
//	                                        Ray, or in a rectangle, by a Frustum
//	Ray, SweptBox, SweptSphere              what they meet, by time, with position and
//	                                        normal ([Hit]): Nearest, Append, Any, All
//	AppendNearest, Nearby                   the k nearest boxes, or all by distance
//	Unlimited                               the distance that ends no ray and no search
//	FrustumBatch, BoxBatch, SphereBatch,    many at once, or one large one by several
//	RayBatch, NearestBatch                  goroutines, with the results of one by one
//	Explain                                 what a query visited, counted
//
// What overlaps what, in one tree or between two, is asked of package query/collide.
//
// # Contract
//
// Boxes and volumes are closed: what touches is met. Every test is a documented
// formula, evaluated in a documented order without fusing, so all CPUs give the
// same bits; only the speed differs. Where a formula rounds it errs to one side:
// nothing that is met in exact arithmetic is lost, and what is reported without
// being met lies within the bound that is stated. A [Filter] excludes by type
// mask, motion or a bitmap on the way down, and with Exact lets the bounds of objects,
// spheres and oriented boxes, decide instead of boxes.
//
// The order of results is a function of the calls that made the tree: the same on
// every CPU and with any number of workers, and another one after a change. What
// is ordered by time or distance says so.
//
// Numbers from outside that make no sense, NaN above all, are refused when a
// query is made, by an error that names them. Append methods never touch what is
// in the slice already and allocate only when it lacks room; nothing else
// allocates in steady state but the goroutines of a batch. A query writes nothing
// to the tree: any number of goroutines may ask one view, which is valid until
// the tree changes. Changes that an answer calls for are recorded in a
// Batch of package linear meanwhile and applied afterwards.
package query
