// Package interest tells what comes into view of each of many viewers, what leaves, and what
// changes meanwhile: interest management, the part of a server of a game or of a simulation that
// decides what each client hears of. It is a wing of package query: its questions are asked of
// views (package linear), too.
//
//	player := tracker.Add(area)
//	err := tracker.Update(tree.View())
//	for _, id := range tracker.Entered(player) { … }
//
// # Terms
//
//	viewer     who is told: a number that [Tracker.Add] gives out
//	area       what a viewer is interested in: a volume to enter by and one to leave by
//	in view    the objects that have entered an area and not left it
//	entered, left, touched
//	           what an update tells a viewer: see [Tracker.Update]
//	dirty      objects that are not what they were at the last update
//	to stand   an area that is the same as at the last update stands
//
// # What there is
//
//	Sphere, Box, Frustum     areas, with a margin between entering and leaving
//	Seen                     the area of what is not hidden by solid things (package occlude)
//	Tracker                  viewers, and what an update tells each
//
// The law is
//
//	(in view before, without what left) and what entered  =  in view now
//
// of objects, which are more than their IDs: one whose ID has been given out again has left.
//
// # What it holds
//
// The tracker has a copy of the objects, by ID, to tell what has changed:
//
//	record   byte  0              24      28      32      40
//	               | box          | mask  | flags | born  |
//	flags    bit   0 live  1 static  2 has a sphere  3 has an oriented box  4 mark
//	spheres        16 bytes for each ID, none until an object has a sphere
//	oriented       48 bytes for each ID, none until an object has an oriented box
//
// Born is the number of the change of the log that inserted the object: of two objects with the
// same ID it is another one. The mark goes from 0 to 1 and back with each reading of all objects:
// what is live and has not got it is no more. Then there are the sets and lists of an update:
//
//	dirty    a bit for each ID      ended    a bit for each ID: dirty, and the object of the
//	                                         last update is no more
//	then, now                       the dirty objects as they were and as they are: packets
//	         along the Morton curve under nodes of 16, as those of a tree, so that areas are
//	         asked of them by the queries themselves
//
// and for each viewer, beside its area, the IDs in its view, 4 bytes each and an eighth more:
//
//	view     | id | id | id | …  | room |     in no order until InView sorts it
//
// and for each worker
//
//	bits     a bit for each ID, all 0 between two viewers
//	events   | entered … | left … | touched … | entered … | …    of one viewer after another
//	eyes     pictures of up to four ways to look, if there are areas of what is seen
//	seen     | id | id | …    what these have answered for one viewer after another
//
// # How an update goes
//
// Objects that have changed are read from the log, or found by comparing all with the copy. An area
// that has moved asks the tree: the bits of what was in view are set; an ID of the answer whose
// bit is not set has entered, and one whose bit is set, and is cleared, stays, touched if it is
// dirty; what is still set in the end has left. That is three passes over lists, without sorting
// and without hashing, and leaves the bits as they were. An area that stands asks what is
// dirty only: the objects as they are now, and as they were then. Only what is told is sorted.
//
// An area with a margin asks twice: what meets the volume to enter by can enter, if it meets that
// to leave by, too; what meets the latter can stay. If it stands, what is dirty and was in its view
// is looked for there, for boxes do not tell.
//
// What is seen can change with a solid far away, which no area meets: such an area asks the tree in each
// update, by an eye of the worker, which has forgotten what it saw before. So what is told does not
// depend on which worker it was, nor on how long it has looked. All eyes look before anything else is done:
// when [Tracker.Draw] panics, nothing has been taken over.
//
// # Cost
//
// An update is a reading of the changes, and for each area a query and a few operations for each
// object in view, on the tree if it has moved, else on the changed objects. Viewers are shared
// among [Tracker.Workers], 64 at a time. An area of what is seen costs a picture and a walk, a thousand
// times as much: a tenth to some milliseconds. The commands
//
//	go test ./query/interest -run xxx -bench Interest
//	go run ./bench interest
//
// measure it, the second beside what programs do by themselves and roaring bitmaps.
//
// # Contract
//
// Who is in view follows from the tests of package query, which are the same on every CPU. What is
// told depends on nothing but the areas, the filter, what is drawn and the objects at each update: the same with
// any number of workers, and whatever the tracker chooses to look at. Numbers that make no sense
// are refused when an area is made; viewers that there are not, trees without a log and filters
// out of range by an error, and nothing has changed then.
//
// To follow all objects of a tree, for a cache, a copy elsewhere or a buffer of instances, no tracker
// is needed: see the examples of instances, of a replica and of a cache, and [linear.View.Changes].
//
// # Sources
//
// K. L. Morse, Interest Management in Large-Scale Distributed Simulations, 1996. A margin against
// flicker is hysteresis, as in a Schmitt trigger.
package interest
