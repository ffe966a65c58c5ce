// Package shard holds cells, spills and manifest of a directory. The manifest of a folder is a sorted list of rows, one
// for each shard: the first key of its cell, its file, its box and the range of its numbers. A shard is a file of a
// tree with the numbers of its objects by ID, and the IDs in the order of the numbers. Objects in transit are spilled
// to temporary files by their keys. A replacement writes new files, and then the manifest.
//
// Package linear documents them: a linear.Directory opens the shards of a [Listing] as a scene.
//
// # Files
//
//	create               making a folder
//	  spill              objects in transit, in temporary files
//	  cells              the borders between shards
//	  writer             writing shards
//	  numbers            open shards, and the numbers of their objects
//	replace              changing a folder
//	manifest             the list of files in the folder
//	folder               reference counts of files
//	disk                 the file system, which tests make fail
package shard
