// Package collide asks what overlaps what: the broad phase of a physics engine, and
// what the narrow phase of boxes and balls needs. It is a wing of package query: its
// questions are asked of views (package linear), too.
//
//	pairs = collide.Append(pairs[:0], collide.Within(tree.View()), collide.Filter{})
//
// # Terms
//
//	pair      two objects whose closed boxes share a point, one on the border
//	          among them; with [Filter.Exact] their spheres and oriented boxes meet, too
//	within    pairs of two objects of one view, each once, its smaller ID first
//	between   pairs of an object of one view and one of another
//	layer     a bit of a type mask; [Layers] says which layers collide
//	contact   how two objects touch or penetrate: position, normal, depth
//	step      how a box moves during a time step
//	impact    the first time in a step at which two objects touch
//	event     a pair that began, or ended, since the last update of a tracker
//
// # What there is
//
//	Append, Count, All    the pairs within a view or between two: a list, their
//	                      number, an iterator
//	Batch                 Append by several goroutines, with progress and an end
//	Tracker               the pairs of a tree from frame to frame: which began,
//	                      ended, stayed, and with what an object is paired
//	Watch                 pairs with a limit to the work of each frame, what is urgent first
//	AppendContacts        the contacts of pairs
//	AppendImpacts         the pairs that touch in a time step, and when
//
// All but the tracker and the watch take [Views]: [Within] one view or [Between] two. A view that has
// ended is a panic, and so is the zero one.
//
// # Order
//
// The order of pairs is a function of the calls that made the trees, the same on
// every CPU and with any number of workers, and another one after a change. All,
// Batch, AppendContacts and AppendImpacts keep to that of Append. What a tracker says
// has begun or ended is ascending by A and then B. [SortImpacts] sorts by time.
//
// Every test is a documented formula, evaluated in a documented order without fusing,
// so all CPUs give the same bits. Overlaps of boxes are exact. Where a formula rounds
// it errs to one side: no pair that meets is lost, and what is kept without meeting
// lies within the bound that is stated.
//
// # Cost
//
// Two trees, or one and itself, are walked in step: of two nodes the children whose
// boxes overlap are looked at next, down to two packets, of which one object is tested
// against 16 at a time. That is proportional to the packets that touch. Masks, layers
// and static objects are looked at on the way down: static objects next to each other
// are never tested, and where few objects move among many that do not, each is looked
// up for itself. A tracker looks only where something has changed.
//
// Append methods never touch what is in the slice already and allocate only when it
// lacks room. Nothing else allocates in steady state but the goroutines of a batch. A
// question writes nothing to the tree: any number of goroutines may ask one view,
// while one at a time may use a [Batch], a [Tracker] or a [BudgetTracker].
//
// A batch fails with the error of its context only; a tracker with [ErrNoLog], or when
// there are more pairs than it can hold; a watch with ErrNoLog, or for a setting out of range. All
// are then as before.
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
// Objects that are fast against their size tunnel through others between two frames:
// let the tree hold the boxes of all their places ([Step.Swept]) and ask for the
// impacts.
//
// # Sources
//
// Two trees that are walked in step: T. Brinkhoff, H.-P. Kriegel, B. Seeger, Efficient
// Processing of Spatial Joins Using R-trees, 1993. Depth as the shortest way apart:
// S. Cameron, R. Culley, Determining the Minimum Translational Distance between Two
// Convex Polyhedra, 1986. Tests of boxes and spheres, at rest and in motion: C. Ericson,
// Real-Time Collision Detection, 2005, chapter 5. Layers and masks: the collision
// filters of Box2D and Bullet. Work within a budget, what matters first: E. Nevala, Introduction
// to Octrees, 2014; J. Shagam, J. Pfeiffer, Dynamic Irregular Octrees, 2003.
package collide
