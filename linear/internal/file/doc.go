// Package file holds images and checks of trees and scenes: the sections of a tree, or of a scene with all its parts,
// in a container of package internal/snap, their checks, and the atomic replacement of a file.
//
// Package linear documents them: linear.Snapshot is a [Snapshot] of this package.
//
// # Files
//
//	columns                 the list of saved columns and lists
//	state                   and of saved numbers
//	open                    the snapshot of a tree, and reading it
//	check                   the rules that make a file safe to query:
//	  check_nodes, check_packets  for data that queries read,
//	  check_cold            and for data that changes read
//	write                   writing a tree to a file, and the digest of its layout
//	digest                  the digest of its objects
//	checkpoint              the image of a tree that changes while it is saved
//	scene                   the image of a scene: kinds, entries and transforms of its parts
//	  scene_load            the rules that make a scene of it
//	  scene_open            reading a scene
//	layout                  the columns of a program
package file
