// Package walk searches the columns of a tree: volume queries, ray and shape casts, nearest neighbours, and the exact
// tests of Filter.Exact. It is below package query, whose types are defined over the ones here, so that the packages of
// queries convert pointers to reach methods that programs do not need:
//
//	ids = (*walk.Box)(&box).Begin(store).Append(ids, &filter)
//
// Start with reference.go: it has the box query and the first hit of a ray as plain loops over nodes and packets. The
// other files give the same answers faster, with filters, and with the second tests of bounds.
//
//	filter.go, counters.go        the filter prepared for a store; counters of the work
//	walk.go, count.go             the walk of a volume through a tree: nodes, then packets on its border
//	box.go … oriented.go, size.go the volumes, and what each of them adds to a walk
//	separators.go, bounds.go      exact tests: precise frusta, spheres and oriented boxes of objects
//	sweep.go, cast.go, ray….go    ray and shape casts
//	ball….go, cull.go             moving balls against boxes, spheres and oriented boxes
//	nearest….go, frontier.go      k nearest neighbours, and neighbours one after the other
//	bailout.go                    when a walk from the nearest on becomes a scan
//	volume.go, lower.go           volumes in float64, which a transform moves to another space
package walk
