// Package interest implements interest management: for each of many viewers it computes the objects that
// enter and leave the viewer's area, and those in it that changed. It is the part of a game or simulation
// server that decides which updates each client receives. It queries views (package linear) with the tests of
// package query.
//
//	player := tracker.Add(area)
//	err := tracker.Update(tree.View())
//	for _, id := range tracker.Entered(player) { … }
//
// # Terms
//
//	viewer     a receiver of events: a number that [Tracker.Add] returns
//	area       the region of interest of a viewer: a volume to enter by and one to leave by
//	in view    the objects that have entered an area and not left it
//	entered, left, touched
//	           the events of a viewer in an update: see [Tracker.Update]
//	dirty      objects that changed since the last update
//	unmoved    an area that is the same as at the last update
//
// # Overview
//
//	Sphere, Box, Frustum     areas, with a margin between entering and leaving (hysteresis)
//	Visible                  the area of objects that are not hidden behind occluders (package occlude)
//	Tracker                  viewers, and their events in each update
//	SceneTracker             the same for scenes, whose objects are in instances at any depth
//
// Every update satisfies
//
//	(in view before, without left) and entered  =  in view now
//
// for objects, not for IDs: an object whose ID has been given to another object has left.
//
// To follow all objects of a tree, for a cache, a replica or an instance buffer, no tracker is needed: see
// the examples of instances, of a replica and of a cache, and [linear.View.Changes].
//
// # Contract
//
// The tests of package query decide which objects are in view, with the same results on every CPU. The events
// depend only on the areas, the filter, the drawings of [Tracker.Draw] and the objects at each update. They
// are the same with any number of workers, and do not depend on how the tracker finds them.
//
// Invalid numbers are rejected when an area is made. Unknown viewers, trees without a log and filters out of
// range are errors that leave the tracker unchanged.
//
// # Cost
//
// An update reads the changes. For each area it runs a query and a few operations for each object in view: on
// the tree if the area has moved, else on the changed objects. Workers ([Tracker.Workers]) share the viewers,
// 64 at a time. An area of visible objects costs a depth buffer and a walk, a thousand times as much: a tenth
// to some milliseconds. The commands
//
//	go test ./query/interest -run xxx -bench Interest
//	go run ./bench rivals interest
//
// measure it. The second compares it with hand-written loops and with roaring bitmaps.
//
// # Memory
//
// The tracker keeps a copy of the objects, by ID, to detect changes:
//
//	record   byte  0              24      28      32      40
//	               | box          | mask  | flags | born  |
//	flags    bit   0 live  1 static  2 has a sphere  3 has an oriented box  4 mark
//	spheres        16 bytes for each ID, none until an object has a sphere
//	oriented       48 bytes for each ID, none until an object has an oriented box
//
// Born is the number of the change in the log that inserted the object. It distinguishes two objects with the
// same ID. The mark flips between 0 and 1 with each reading of all objects: a live record with the old mark
// belongs to a removed object. In addition there are the sets and lists of an update:
//
//	dirty    a bit for each ID      ended    a bit for each ID: dirty, and the object of the
//	                                         last update has been removed
//	then, now                       the dirty objects before and after their changes: packets
//	         along the Morton curve under nodes of 16, as in a tree, so that queries of areas
//	         can search them
//
// for each viewer, in addition to its area, the IDs in its view, 4 bytes each and an eighth more:
//
//	view     | id | id | id | …  | room |     unordered until InView sorts it
//
// and for each worker
//
//	bits     a bit for each ID, all 0 between two viewers
//	events   | entered … | left … | touched … | entered … | …    of one viewer after another
//	eyes     cullers of up to four configurations, if there are areas of visible objects
//	seen     | id | id | …    the visible objects of one viewer after another
//
// # Algorithm
//
// Changed objects are read from the log, or found by comparing all objects with the copy. For an area that
// has moved the tree is queried. The bits of the IDs that were in view are set. An ID of the result whose bit
// is not set has entered. An ID whose bit is set stays, and is touched if it is dirty; its bit is cleared.
// The IDs whose bits are still set at the end have left. These are three passes over lists, without sorting
// and without hashing, and they leave the bits clear. For an unmoved area only the dirty objects are queried:
// as they are now, and as they were. Only the events are sorted.
//
// An area with a margin takes two queries. An object can enter if it intersects both volumes, and stay if it
// intersects the volume to leave by. If the area is unmoved, the dirty objects that were in view are searched
// for in the view, because their boxes do not determine it.
//
// Visibility can change with a distant occluder that no area intersects. So an area of visible objects
// queries the tree in each update, with a culler of the worker that has been reset. Its events therefore do
// not depend on the worker, nor on earlier queries. All cullers run before any other work: when
// [Tracker.Draw] panics, the tracker is unchanged.
//
// # Scenes
//
// A SceneTracker identifies an object by a path and an ID, and keeps each view as ascending IDs in runs by path. It
// compares the instances of the scene and of each part with those of the last update, and has a copy of the
// objects of each part, as above. It queries the scene for each area, except for unmoved areas if nothing has
// changed, and for unmoved spheres and boxes if the few own objects and instances that have changed are neither in view
// nor in the area. It sorts the result, and merges it with the view.
//
// # Sources
//
// K. L. Morse, Interest Management in Large-Scale Distributed Simulations, 1996. A margin against flicker is
// hysteresis, as in a Schmitt trigger.
package interest
