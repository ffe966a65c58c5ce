// Package query asks the questions of a tree: what is in a volume, what does a
// ray meet first, what is nearest, what overlaps what. A query is a value that is
// run on a view (package linear):
//
//	cam, err := query.FrustumColumnMajor(viewProj, query.ClipZeroToOne)
//	ids = cam.Append(ids[:0], tree.View(), query.Filter{Mask: trees | rocks})
//
// # What there is
//
//	Frustum, Box, Sphere, Point, Convex     IDs of what a volume meets: Append, Count,
//	                                        Any, All; Ranges of slots without a copy
//	Ray, SweptBox, SweptSphere              what they meet, by time, with position and
//	                                        normal ([Hit]): Nearest, Append, Any, All
//	AppendNearest, Nearby                   the k nearest boxes, or all by distance
//	AppendPairs, Pairs, CountPairs          what overlaps in one tree, or …Between two
//	AppendContacts                          position, normal and depth of pairs
//	AppendImpacts                           pairs of a time step, with times of impact
//	PairTracker                             pairs that began and ended since last frame
//	FrustumBatch, BoxBatch, SphereBatch,    many at once, or one large one by several
//	RayBatch, NearestBatch, PairBatch       goroutines, with the results of one by one
//	Explain, Trace                          what a query visited, counted
//
// # Contract
//
// Boxes and volumes are closed: what touches is met. Every test is a documented
// formula, evaluated in a documented order without fusing, so all CPUs give the
// same bits; only the speed differs. Where a formula rounds it errs to one side:
// nothing that is met in exact arithmetic is lost, and what is reported without
// being met lies within the bound that is stated. A [Filter], for pairs a
// [PairFilter], excludes by type mask, motion, layers or a bitmap on the way
// down, and with Exact lets bounding spheres decide instead of boxes.
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
//
// # Collisions
//
// A frame of a physics engine, with objects that move and some that spawn others:
//
//	pairs = query.AppendPairs(pairs[:0], v, filter)         // or a PairTracker's
//	contacts = query.AppendContacts(contacts[:0], v, pairs)
//	for _, c := range contacts { … changes.Move(c.A, …); changes.Insert(…) }
//	ids, err := tree.Apply(&changes)
//	err = tree.Tick()
//
// Objects that are fast against their size tunnel through others between two
// frames: let the tree hold the boxes of all their places ([Step.Swept]) and ask
// for the impacts.
package query
