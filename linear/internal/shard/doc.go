// Package shard implements the folders of out-of-core directories: the manifest, the cells of objects that become
// shards, temporary files of objects in transit, and the writing of shards.
//
// Package linear documents them: a linear.Directory opens the shards of a [Listing] as a scene.
//
// # Files
//
//	create               making a folder
//	  spill              objects in transit, in temporary files
//	  cells              the borders between shards
//	  writer             writing shards
//	  numbers            the numbers of the objects of a shard
//	manifest             the list of files in the folder
//	folder               reference counts of files
//	disk                 the file system, which tests make fail
package shard
