// Package linear implements a dynamic spatial index of 3-D bounding boxes and points: a linear
// octree above a bounding volume hierarchy (BVH) with 16 children per node. It also has
// instancing ([Scene]), snapshot files that are mapped into memory ([Snapshot]), out-of-core data
// sets ([Directory]) and snapshot isolation for concurrent readers ([Publisher]).
//
// A [Tree] owns the objects. Package query searches a [View] of it:
//
//	t, err := linear.New(linear.Config{})
//	ids, err := t.InsertBatch(nil, objects)
//	err = t.Rebuild(ctx, linear.RebuildOptions{Frozen: true}) // for static data
//	v := t.View()                                             // valid until the next change
//
//	err = t.MoveBatch(ids, boxes) // in each frame: or Insert, Remove, Move, MoveSphere ...
//	err = t.Tick()                // at its end
//
// By default a change, a read or a tick may rebuild the tree, when that is the fastest way. [Config.TickBudget] spreads
// such work over many ticks, for frames of even length.
//
// Changing a tree takes one goroutine, and excludes queries; between changes any number of goroutines may query it.
// With [NewPublisher] readers query, and retain, versions that the writer has published, while the writer continues. A
// [Handle] names an object for good: [Tree.Resolve] detects that the object was removed.
//
// [Tree] explains the placement of objects by Morton codes (package morton), changes, determinism
// and the memory layout, [Scene] instancing, [Snapshot] the files, [Directory] data that exceed
// memory, and [ProfileLabels] profiles of CPU time with pprof.
package linear

// Files of this package.
//
// Trees: these files document, validate, apply deferred moves, and then call the structure in package internal/octree.
//
//	tree, config, types      the tree and its configuration
//	change, change_deferred  Move, and the list of deferred moves
//	change_batch             MoveBatch, moves in memory order and of dirty bits
//	  change_bodies, change_points  spheres, oriented boxes and points
//	change_record            Batch; change_code encodes it as bytes
//	  change_check           validation of a whole batch, before any change
//	  change_apply           Apply, which makes the recorded calls
//	thin                     voxel thinning: which points of a batch are inserted
//	rebuild, tick, lifecycle, stats, digest
//	view, view_cells, map
//	share                    versions for readers, from package internal/version, and saving them
//
// Scenes, whose entries, boxes and states are in package internal/instance:
//
//	scene, scene_stats       instances and their changes
//	part, transform          what a scene places, and how
//	scene_view               views of the parts at all depths
//	scene_share              versions for readers
//
// Snapshots, whose sections and checks are in package internal/file:
//
//	snapshot                 opening, views, loading
//	  snapshot_save          atomic writing, and a program's own columns
//	  share                  and concurrently with a writer
//	  snapshot_scene         scenes: all parts, each once
//	  scene_share            and concurrently with a writer
//
// Directories, whose files package internal/shard makes:
//
//	directory                the type; views, and versions of readers
//	  directory_view         a scene of shards that does not change
//	  directory_prepare      opening shards
//	directory_replace        changing a directory
