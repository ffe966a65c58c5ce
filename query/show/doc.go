// Package show visualizes a tree and the work of queries: as a profile for go tool pprof, as
// pictures in SVG and PNG, and as live pages over HTTP next to /debug/pprof.
//
//	show.WriteProfile(file, tree.View(), heat)                 // go tool pprof -http=: file
//	trace, err := show.TraceQuery(box, view, query.Filter{})
//	show.Scene{Kind: show.Walk, View: view, Trace: trace, Width: 960}.SVG(file)
//	http.Handle("/debug/octree/", http.StripPrefix("/debug/octree", show.Handler(acquire)))
//
// # The tree as a profile
//
// The stacks of the profile are paths of the octree, so that pprof shows the distribution of its
// objects, its memory and the visits of queries.
//
//	root                         every key
//	  octant 5                   keys that begin with octal 5
//	    octant 53                ...
//	      part 53+1              the upper half of that octant: its next bit is 1
//	        node of 8            a node of 8 children: its keys have that prefix in common
//	        packet of 14         a packet of 14 objects of a cell with these keys
//
// A node is listed below the longest common prefix of its keys, as returned by
// [linear.Tree.Cells]. Nodes and packets inside a cell have boxes but no keys of their own, so
// they are listed with the cell. Cells end where they are full and not at octants, so a cell
// whose interval crosses the border of a large octant is listed at a high level. Data without a
// cell is below the root: pending packets, free nodes and slots, and the memory of IDs.
//
// The names of a cell are equal in all trees with the same world, so that -diff_base compares
// them. The file of a function is the level of its cell, so pprof -files shows the distribution
// over levels.
//
// # Pictures
//
// A picture is a map of a horizontal cut, or a view from above: a [Scene] of a tree and the
// [Trace] of a query, [Occlusion] of a culler of package occlude, or [Instances] of a scene of
// trees. An [Icicle] draws a profile, and an [Animation] the states of a tree. Each has a method
// that writes SVG, and [PNG] draws the same as an image. A picture is a function of the tree and
// the query, to the byte: coordinates have one decimal and products are rounded before they are
// added.
//
// # Cost
//
// Nothing here is meant for every frame: each picture reads every object and allocates. A view
// must stay valid until a call that reads it returns. A [Handler] bounds the work of a request.
package show
