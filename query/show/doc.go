// Package show shows a tree and what queries do in it: as a profile for go tool pprof, as pictures
// in SVG and PNG, and over HTTP beside /debug/pprof.
//
//	show.WriteProfile(file, tree.View(), heat)                 // go tool pprof -http=: file
//	q, err := show.AskBox(view, box, query.Filter{})
//	show.Scene{Kind: show.Walk, View: view, Query: q, Width: 960}.SVG(file)
//	http.Handle("/debug/octree/", http.StripPrefix("/debug/octree", show.Handler(look)))
//
// # The tree as a profile
//
// The stacks of the profile are paths of the octree, so that pprof shows where its objects, its
// memory and the visits of queries are.
//
//	root                         every key
//	  octant 5                   keys that begin with octal 5
//	    octant 53                ...
//	      part 53+1              the upper half of that octant: its next bit is 1
//	        node of 8            a node of 8 children: its keys have that prefix in common
//	        packet of 14         a packet of 14 objects of a cell with these keys
//
// A node stands below the longest common prefix of the keys whose home it is, as
// [linear.Tree.Cells] has it. What is in a cell has no keys of its own, but boxes, and
// stands where the cell does. Cells end where they are full and not at octants, so one
// whose interval crosses the border of a large octant stands high up. What has no cell
// is below the root: pending packets, free nodes and slots, and the memory of IDs.
//
// The names of a cell are equal in all trees with the same world, so that
// -diff_base compares them. The file of a function is the level of its cell:
// pprof -files tells what each level holds.
//
// # Pictures
//
// A picture is a map of what a horizontal plane cuts, or of everything seen from above: a [Scene]
// of a tree and a query, [Occlusion] of what an eye of package occlude sees, [Instances] of a scene of
// trees; the [Icicle] of a profile; or a [Animation] of the states of a tree. Each writes itself as SVG, and [PNG] draws the same as an
// image. A picture is a function of the tree and the query, to the byte: coordinates have one
// decimal and products are rounded before they are added.
//
// # Cost
//
// Nothing here is for a frame: each picture looks at every object and allocates. What looks at a
// view needs it to be valid until it returns. A [Handler] bounds the work of a request.
package show
