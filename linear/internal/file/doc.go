// Package file implements the files of trees: the sections of a tree in a container of package internal/snap, their
// checks, and the atomic replacement of a file.
//
// Package linear documents them: linear.Snapshot is a [Tree] of this package with a memory mapping and views.
//
// # Files
//
//	columns                 the list of saved columns and lists
//	state                   and of saved numbers
//	open                    reading a tree
//	check                   the rules that make a file safe to query:
//	  check_nodes, check_packets  for data that queries read,
//	  check_cold            and for data that changes read
//	write                   writing a tree, and its digest
//	layout                  the layout of a program's own columns
//	path, map_unix, map_other  files in a folder
package file
