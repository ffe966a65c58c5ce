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
// A game or a simulation changes its tree in each frame and ends the frame with a tick:
//
//	err = t.MoveBatch(ids, boxes) // or Insert, Remove, Move, MoveSphere ...
//	err = t.Tick()
//
// Insert, Remove, Move and their batches change objects, and so does a [Batch] that [Tree.Apply]
// runs. A change invalidates all views, and an iteration that continues afterwards panics; so a
// handler that iterates records its changes in a Batch. A new object is pending until it has been
// placed: queries find it, and [Tree.Flush] or the [Tree.Tick] at the end of a frame inserts it
// into the tree. Single changes are deferred and applied as one batch by the next View or other
// read of the tree, or by the next change of another kind: to fill a tree one object at a time
// costs little more than a build.
//
// Changing a tree takes one goroutine, and excludes queries; between changes any number of
// goroutines may query it. With [NewPublisher] readers query, and retain, versions that the writer
// has published, while the writer continues; [NewScenePublisher] does the same for a scene with
// all its parts.
//
// [ProfileLabels] labels the phases of the library in a CPU profile of the program.
//
// # Terms
//
// An object is a box with a type mask and a static flag ([Object]); its ID is a dense number.
// Its key is the 63-bit Morton code of its clamped centre in the world cube (package morton). The
// key decides where an object is placed, never whether a query finds it.
//
// A cell is a node that owns an interval of keys. Above cells the tree is an octree, whose nodes
// have their children in key order. Below cells, objects are partitioned in space like in a BVH,
// to keep bounding boxes small. A packet holds up to 16 objects that are close together; its index
// is a slot. A node has up to 16 children, packets or nodes. The tight box of a child is the exact
// union of the boxes below it, and queries test nothing else: an object that straddles the border
// of a cell costs nothing.
//
// An object is far if its box reaches outside the world grown by its side in every direction: an
// outlier, a sky box. Far objects have keys and a branch of the root of their own, and do not
// affect the size of the world of a build; they add only their own cost.
//
// # Changes
//
// A single move is checked and recorded; a read, a change of another kind or the end of a frame
// applies all recorded moves. A moved object stays in its packet while its box is inside the
// packet's placement box. The tight boxes above grow at once, and a refit shrinks them. An object
// that has left the placement box is displaced.
//
// A flush places displaced and pending objects together, in key order. The key of each object
// selects a cell, and in that cell the object is added to the packet whose box grows least. A full
// packet gives some of its objects to a nearby packet, or the packets of its node are partitioned
// again, before it is split. [Tree.Tick] merges underfull packets and partitions some degraded
// nodes again. So a tree that is changed for hours stays about as full, as shallow and as fast as
// a new one (go run ./bench ratios -only "change age").
//
// [PolicyAuto] documents when a rebuild, or only a refit, replaces this incremental work.
// [Config.Cut] chooses whether builds partition cells in space or fill packets along the curve,
// which is faster to build. The world grows when many objects have left it, and shrinks when they
// have gathered in a part of it ([Config.World]). A fixed world can reject or remove objects
// outside the given box ([Outside]).
//
// # Determinism and replication
//
// A tree that is changed only by [Tree.Apply] and [Tree.Tick] is a function of these calls. It
// does not depend on when the tree is read, published or cloned, nor on the number of goroutines
// it uses. So a copy of a tree, and the batches applied since, suffice to restore it:
// [Batch.AppendBinary] encodes a batch for a log. Replicas that get the same batches are equal bit
// by bit, also on other kinds of CPU; [Tree.Digest] compares their contents. A Batch can record
// every change, ticks among them.
//
// # Scenes
//
// A [Scene] implements instancing, nested to any depth: it holds parts, which are trees,
// snapshots and other scenes, under transforms. A part is stored once and may have many instances:
//
//	Scene street              its own objects: a Tree
//	  instances: a Tree of boxes
//	  +-----+   +-----+       the box of an instance holds the image of the bounds of
//	  |  /\ |   | __  |       its part, under the [Transform] of the instance
//	  | /  \|   ||  | |
//	  | \  /|   ||__| |
//	  |  \/ |   |     |
//	  +--+--+   +--+--+
//	     | transforms|
//	     v           v
//	   +---------------+
//	   |part: building |      a Tree, Snapshot or Scene, in a space of its own
//	   +---------------+
//
// Package query/scene transforms a query into the space of each part whose instance it
// intersects, level by level, and reads the parts through a [SceneView]. Moving an instance only
// moves a box. A changed part marks the scenes that hold it dirty, once until their next View; that
// View updates their state. A [Scene.Tick] ticks the scene, inner parts first. Before the
// tick, instances whose parts have outgrown their boxes are kept in a list, and every query
// searches that list.
//
// # Snapshots
//
// [Tree.Save] and [Tree.WriteTo] write a tree to a file: its columns as they are in memory, and
// all state on which later changes depend. [OpenMapped] maps the file: queries of [Snapshot.View]
// run at once, and read only the pages that they visit. [Open], [Read] and [FromBytes] read a
// snapshot from other sources. [Snapshot.Load] makes a tree of it, which gives the same results
// and changes in the same way as the saved one ([Tree.LayoutDigest] compares them).
//
// At the default [CheckLevel] a corrupt file is rejected or harmless: no file can make a query
// crash or hang.
// A file of an earlier version of the format is rejected with [ErrSnapshotVersion]. Within a
// version, numbers that are later added to [Config] or to the state of a tree are rejected by
// name, and only if they are not zero.
//
// [Publisher.Checkpoint] saves a tree while the writer continues: with a log of the calls since
// ([Batch.AppendBinary]) no change is lost. [Scene.Save], [OpenSceneMapped] and
// [ScenePublisher.Checkpoint] do the same for a scene with all its parts.
//
// # Directories
//
// A [Directory] is an out-of-core index: a data set that may be larger than memory, in a folder of
// snapshots called shards. A shard has the objects of one cell, so its shape is about a brick, and
// its tight box is in a small tree. The view of a Directory is a scene of the prepared shards,
// under the identity transform.
//
//	stream --> spill --> parts by keys --> cells --> shards, each built and saved
//	           |                                       |
//	           world                                   manifest: keys, boxes, sums
//
//	Prepare(box)   maps and checks the shards that overlap a box  \
//	View           a SceneView of the prepared shards              > an immutable version
//	Replace(batch) new shards, then a new manifest                /
//
// Readers retain versions while newer ones are made. A file stays as long as a version uses it,
// and a crash leaves the old manifest or the new one.
//
// # Memory layout
//
//	                     +------ root, node 0 ------+
//	                     | box box box box ...      |   512 bytes: six columns of 16
//	                     | ref ref ref ref ...      |   bounds, references, OR of masks
//	                     +--+-------------+---------+
//	                        |             |
//	                  +-----+----+  +-----+----+
//	                  | node     |  | node     |
//	                  +--+-+-+---+  +----------+
//	                     | | |
//	slots   [p0][p1][p2][p3][p4][p5][p6][p7] ...          384 bytes each: six columns of
//	                                                      16 bounds; IDs, masks, flags in
//	                                                      columns of their own
//
// Package soa documents every column and word of it, with pictures, and the contents of free rows.
// A subtree is a run of slots, so a subtree inside a query volume is returned as a range, without
// tests. A tree with room for insertions gives every node of packets a block of 16 slots with
// free lanes; a frozen tree packs them tight.
//
// # Contributing
//
// A move passes through these files, from the call to the columns:
//
//	change, change_wait    Move, and the list of deferred changes
//	change_record          Batch; change_code encodes it as bytes
//	  change_check         validation of a whole batch, before any change
//	  change_apply         Apply, which makes the recorded calls
//	change_batch           MoveBatch and deferred moves, in strides
//	  change_ball          the same for spheres, whose boxes are computed
//	  change_oriented      and for oriented boxes
//	  bodies               the type that represents all three
//	  change_order         moves in memory order
//	  change_admit         validation of one box
//	  home_drift           bulk motion: most objects move at once
//	  packet_boxes         writes boxes packet by packet, and the lanes above
//	home                   tests whether a box has left its placement box
//	packet_edit            writes the box; notifies readers of its row, and the log
//	shape_edit             grows the tight boxes above
//	home_flush             the flush: takes displaced objects out, in key order
//	  home_find            finds a packet for each
//	  shape_overflow       makes room, if necessary
//	  packet_edit          and adds it
//
// Only packet_boxes.go, packet_edit.go and shape_edit.go write to the columns of a tree that is
// changed in place, and only placement.go defines placement boxes.
//
// Scenes:
//
//	part                   links between parts and scenes: changes propagate up, reads down
//	scene, scene_place     entries, one per part; instances, and their changes
//	  scene_depth          no scene contains itself
//	  scene_box            the box of an instance
//	scene_tick             the end of a frame
//	scene_state            the state of a part that views read,
//	  scene_table          of all parts of a scene,
//	  scene_view           and the way from one to the other
//	scene_share            versions for readers
//
// Snapshots, whose container is package internal/snap, independent of trees:
//
//	snapshot               opening, views, loading
//	  snapshot_columns     the list of saved columns and lists
//	  snapshot_state       and of saved numbers
//	  snapshot_save        atomic writing
//	  share_checkpoint     and concurrently with a writer
//	  snapshot_section     a program's own columns
//	  snapshot_scene       scenes: all parts, each once
//	    _sceneopen, _sceneload   and back
//	  scene_checkpoint     and concurrently with a writer
//	snapshot_check         the rules that make a file safe to query:
//	  _nodes, _packets     for data that queries read,
//	  _cold                and for data that changes read
//
// Directories:
//
//	directory              the type; views, and versions of readers
//	  directory_edition    a scene of shards that does not change
//	  directory_prepare    opening shards
//	  directory_folder     reference counts of files
//	directory_create       making a directory
//	  directory_spill      objects in transit, in temporary files
//	  directory_cells      the borders between shards
//	  directory_shard      writing and opening one shard
//	directory_replace      changing a directory
//	directory_manifest     the list of files in the folder
//	directory_disk         the file system, which tests make fail
package linear
