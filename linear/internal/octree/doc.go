// Package octree implements the structure of a linear octree above a bounding volume hierarchy (BVH): cells, packets
// and nodes in the columns of package soa, the placement of objects, splits and merges, refits, rebuilds and builds.
//
// Package linear documents it: linear.Tree validates arguments, defers moves, and calls a [Tree] of this
// package. The methods of a Tree expect valid arguments. They call nothing above but its [Observer].
//
// # Files
//
// Begin with reference.go: insertion, split and refit in the plainest form, to which tests compare the real ones.
//
// A move passes through these files to the columns:
//
//	deferred                 moves of several calls, in their order
//	move                     makes them together, in strides; boxes, spheres and oriented boxes as one type
//	  placement_bulk         bulk motion: most objects move at once
//	  packet_boxes           writes boxes packet by packet, and the lanes above
//	placement                tests whether a box has left its placement box, and by how much
//	packet_edit              writes the box; marks its row for versions, and writes the log
//	shape_edit               grows the tight boxes above
//	placement_flush          the flush: takes displaced objects out, in key order
//	  placement_queue        lists them, and new objects
//	  placement_many         fills cells that receive many objects anew
//	  placement_find         finds a packet for each other object
//	  shape_overflow         makes room, if necessary
//	  packet_edit            and adds it
//	insert, pending          new objects
//	remove                   removed objects
//	  region, remove_region  those of a region: finds them, and frees whole subtrees
//	  packet_remove          takes them out of their packets
//	thin                     points of cells that are occupied, which are dropped or replace others
//	  voxels                 the table of cells
//	graft                    too many pending objects for a tree with a tick budget
//	frame                    the end of a frame
//	  shape_refit, shape_merge, shape_degraded, shape_split
//	  world                  grows and shrinks the world
//	  world_outliers
//	build                    the phases of a build
//	  build_coder, build_squeeze, build_fit
//	  build_topology, build_cells, cut
//	  build_leaves, build_parts
//	state, lists             the tree
//	settings, admit          limits of values
//	log, touched             records of changes for their readers
//	index                    locations by ID
//	slots                    slots of nodes, and the set of free slots
//	trim                     buffers, and the release of memory
//	validate, validate_bounds
//
// Only packet_boxes.go, packet_copy.go, packet_edit.go, packet_remove.go and shape_edit.go write to the columns of a
// tree that is changed in place, and only placement.go defines placement boxes.
package octree
