// Package collide finds overlapping pairs of objects: broad-phase collision detection,
// incremental contact events, contact manifolds of boxes and spheres, and continuous collision
// detection. It is a subpackage of package query and queries the same views (package linear).
//
//	pairs = collide.Append(pairs[:0], collide.Within(tree.View()), collide.Filter{})
//
// # Terms
//
//	pair      two objects whose closed boxes overlap, touching included;
//	          with [Filter.Exact] their spheres and oriented boxes overlap, too
//	join      with [Filter.Distance] two objects at most that far apart are a pair
//	within    pairs of two objects of one view, each once, its smaller ID first
//	between   pairs of an object of one view and one of another
//	layer     a bit of a type mask; [Layers] is the matrix of layers that collide
//	contact   position, normal and depth of two objects that touch or penetrate
//	step      motion of a box, and of bounds with it, during a time step
//	impact    the first time in a step at which two objects touch
//	event     a pair that began, or ended, since the last update of a tracker
//
// # Entry points
//
//	Append, Count, All    the pairs within a view or between two: a list, their
//	                      number, an iterator
//	Nearest               the k nearest neighbours of every object: a k-NN join
//	Batch                 Append and Nearest by several goroutines, with progress and
//	                      cancellation
//	Tracker               the pairs of a tree from frame to frame: begun, ended and
//	                      continuing pairs, and the partners of an object
//	BudgetTracker         pairs with a limit to the work of each frame, by priority
//	AppendContacts        the contacts of pairs
//	AppendImpacts         the pairs that touch in a time step, with their times: of boxes,
//	                      or of spheres and oriented boxes
//
// All except Nearest and the trackers take [Views]: [Within] one view or [Between] two. A query panics
// if a view has ended, or is the zero View; a Nearest whose second view is zero is within the first.
//
// # Order
//
// The order of pairs is a function of the calls that made the trees. It is the same on every CPU
// and with any number of workers, and may differ after a change. All, Batch, AppendContacts and
// AppendImpacts return pairs in the order of Append. The neighbours of Nearest ascend by A, then by
// distance, then by B. The begun and ended pairs of a tracker ascend by A and then B. [SortImpacts]
// sorts by time.
//
// Every test is a documented formula, evaluated in a documented order without fused operations,
// so all CPUs return the same bits. Overlaps and distances of boxes are exact. Formulas that round
// are conservative: there are no false negatives, and false positives lie within the stated bound.
//
// # Cost
//
// A dual-tree traversal walks two trees, or one against itself. It descends into pairs of nodes
// whose boxes overlap, down to two packets, and tests one object against 16 at a time. The cost
// is proportional to the pairs of packets that touch, or of a join that are within the distance. A
// join computes 16 distances at a time: of a million points of a scanner with eight partners each it
// takes a tenth of the time of balls with half of the distance as radius, and Exact
// (go test ./query/collide -run '^$' -bench PairsNear). Masks, layers and static objects are tested
// on the way down: neighbouring static objects are never tested, and where few objects move among
// many static ones, each moving one is searched by itself. A tracker searches only around
// changes.
//
// Append methods never read or change existing elements of the slice and allocate only when it
// lacks room. Nothing else allocates in steady state except the goroutines of a batch. A query
// does not write to the tree: any number of goroutines may query one view, while one at a time
// may use a [Batch], a [Tracker] or a [BudgetTracker].
//
// A batch fails with the error of its context, or for a filter out of range ([Filter.Check]). A
// tracker fails with [ErrNoLog], for such a filter, or when there are more pairs than it can hold; a
// budget tracker with ErrNoLog, or for a filter or a setting out of range. After an error they are
// unchanged. Nearest fails for an argument out of range. Other calls panic if the filter is out of range.
//
// # A frame
//
// Objects move, and some spawn others:
//
//	pairs = collide.Append(pairs[:0], collide.Within(v), filter)    // or a Tracker's
//	contacts = collide.AppendContacts(contacts[:0], collide.Within(v), pairs)
//	for _, c := range contacts { … changes.Move(c.A, …); changes.Insert(…) }
//	ids, err := tree.Apply(&changes)
//	err = tree.Tick()
//
// Objects that are fast relative to their size tunnel through others between two frames: store
// their swept boxes in the tree ([Step.Swept]) and compute the impacts.
//
// # Sources
//
// Dual-tree traversal: T. Brinkhoff, H.-P. Kriegel, B. Seeger, Efficient Processing of Spatial
// Joins Using R-trees, 1993. Depth as minimum translational distance: S. Cameron, R. Culley,
// Determining the Minimum Translational Distance between Two Convex Polyhedra, 1986. Tests of
// boxes and spheres, at rest and in motion: C. Ericson, Real-Time Collision Detection, 2005,
// chapter 5. Layers and masks: the collision filters of Box2D and Bullet. Work within a budget,
// by priority: E. Nevala, Introduction to Octrees, 2014; J. Shagam, J. Pfeiffer, Dynamic
// Irregular Octrees, 2003.
package collide
