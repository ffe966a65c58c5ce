// Package linear holds the octree: a Tree that owns objects and a View that
// queries read; and scenes of trees in trees. Package query asks the questions.
//
// # Words
//
// An object is a box with a type mask and a static flag ([soa.Object]); its ID
// is a dense number. Its key is the 63-bit Morton code of its clamped centre in
// the world cube (package morton): the key decides where an object is put, never
// whether a query finds it. A cell is what has the keys of an interval: above cells
// the tree is an octree, whose nodes have their children in the order of keys; below,
// objects are parted in space, wherever that keeps boxes small. A packet is up to 16
// objects that lie together; its index is a slot. A node has up to 16 children, packets
// or nodes. The tight box of a child is the exact union of
// the boxes below it, and queries test nothing else: an object that straddles
// the border of a cell costs nothing.
//
// # Memory
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
// Package soa has every column and word of it, drawn, and what free rows hold. A
// subtree is a run of slots, so what lies wholly inside a query is a range and is
// not tested. A roomy tree gives every node of packets
// a block of 16 slots with free lanes; a frozen one packs them tight.
//
// # Use
//
//	t, err := linear.New(linear.Config{})
//	ids, err := t.InsertBatch(nil, objects)
//	err = t.Rebuild(ctx, linear.RebuildOptions{Frozen: true}) // for what stays
//	v := t.View()                                             // until the next change
//
// Objects come, go and move by Insert, Remove, Move and their batches, or by a
// [Batch] that [Tree.Apply] runs: what a handler records while it iterates, for a
// change ends the life of all views, and an iteration that goes on panics. What
// has no home yet is pending: queries see it, and [Tree.Flush] or the
// [Tree.Tick] that ends a frame brings it home. While nobody looks, changes made one by
// one pile up, and are done together by the look or the change that comes next: to fill
// a tree one by one costs little more than a build.
//
// # Changes
//
// A single move is checked and recorded; a look, another change or the end of a frame
// makes all moves that were recorded. A moved object stays in its packet while its box is in the packet's home box; the
// tight boxes above grow at once, and a refit shrinks them. One that has left is a
// stray: a flush takes strays and pending objects together, in the order of keys. The
// key of each names its cell, and in the cell it goes to the packet whose box grows
// least. A full packet shares its objects with one nearby, or the packets of its node
// are cut anew, before it is split; what becomes thin is merged; and a tick cuts some
// of the nodes anew that are worn.
// So a tree that is changed for hours stays about as full, as shallow and as fast as
// a new one (go run ./bench ratios -only "change age"). [PolicyAuto] says when a rebuild, or
// a refit alone, takes the place of all this, and [Config.Cut] whether builds cut cells or
// fill packets along the curve, which is done sooner. The world grows when many objects have
// left it, and shrinks when they have gathered in a part of it ([Config.World]); a
// fixed one may refuse those outside the box that was given, or remove them ([Outside]).
//
// A moved box, file by file. It is a walk down, and out at the end:
//
//	change, change_wait    Move, which waits for others
//	change_record          a Batch, which is bytes in a log, too: change_code
//	  change_check         what of it is refused, before anything is done
//	  change_apply         and Apply, which makes its calls
//	change_batch           MoveBatch, and what waited: stride by stride
//	  change_ball          the same for spheres, whose boxes are computed
//	  change_oriented      and for oriented boxes
//	  bodies               what all these have in common
//	  change_order         and for boxes that come in the order of memory
//	  change_admit         what is refused at the door
//	  home_drift           the other way, when most objects move at once
//	  packet_boxes         which writes boxes packet by packet, and the lanes above
//	home                   does the box take its object away from home? Then it is a stray
//	packet_edit            the box is written; readers of its row, and the log, are told
//	shape_edit             the tight boxes above grow
//	home_flush             when strays are many: they are taken out, in the order of keys
//	  home_find            each finds its home
//	  shape_overflow       which makes room, if need be
//	  packet_edit          and takes it in
//
// Only packet_boxes.go, packet_edit.go and shape_edit.go write to the columns of a tree
// that is changed in place, and only home.go knows what a home is.
//
// # Losing nothing
//
// A tree that is changed by [Tree.Apply] and [Tree.Tick] alone is a function of these calls:
// when it is looked at, published or cloned, and by how many goroutines it works, is nothing
// to it. So a copy of a tree and the batches since, which [Batch.AppendBinary] makes bytes
// for any log, are all that need be kept, and replicas that get the same batches are equal
// bit by bit, also on other kinds of CPU; [Tree.Digest] compares what they hold. A Batch
// records every change that there is, ticks among them.
//
// # Scenes
//
// A [Scene] holds parts, trees and other scenes, under poses. A part may stand in many
// places, and is there once:
//
//	Scene street              its own objects: a Tree
//	  places: a Tree of boxes
//	  +-----+   +-----+       the box of a place holds the image of the bounds of its
//	  |  /\ |   | __  |       part, under the [Transform] of the place
//	  | /  \|   ||  | |
//	  | \  /|   ||__| |
//	  |  \/ |   |     |
//	  +--+--+   +--+--+
//	     |  poses  |
//	     v         v
//	   +-------------+
//	   | part: house |        a Tree, Snapshot or Scene, in a space of its own
//	   +-------------+
//
// A query goes down with itself moved into the space of each part it meets, level by level
// (package query/scene), and sees all through a [SceneView]. To move a part moves a box.
// What changes tells those who hold it, once until they look; a look renews what has
// changed, and a [Scene.Tick] ticks it, inner parts first. In between, the places of parts
// that have outgrown their boxes are listed, and no query misses them.
//
//	part                   what parts and scenes know of each other: changes go up, looks down
//	scene, scene_place     entries, one for each part; places, and what is done to them
//	  scene_depth          no scene is in itself
//	  scene_box            what the box of a place is made of
//	scene_tick             ends a frame
//	scene_state            what views see of a part,
//	  scene_table          of all parts of a scene,
//	  scene_view           and how they go from one to the other
//	scene_share            versions for readers
//
// A box that reaches beyond the world grown by its side in every direction is far:
// an outlier, a sky box. Far objects have keys of their own and a branch of the root
// for themselves, and do not decide how large the world of a build is; they cost
// themselves alone.
//
// # Snapshots
//
// [Tree.Save] and [Tree.WriteTo] write a tree to a file, as its columns lie in memory, with all
// that later changes depend on. [OpenMapped] maps the file back: queries run on the [Snapshot.View]
// at once, and read what they come to. [Open], [Read] and [FromBytes] take it from elsewhere.
// [Snapshot.Load] makes a tree of it that answers and changes as the saved one would have
// ([Tree.LayoutDigest] tells). Whatever the bytes are, by default they are refused, or no query
// is harmed by them: see [CheckLevel]. A file of an earlier version of the format is refused
// with [ErrSnapshotVersion]. Within a version, numbers that are later added to [Config] or to
// the state of a tree are refused by name, and only if they are not zero. [Publisher.Checkpoint] is a tree that is saved while it
// goes on: with a log of the calls since ([Batch.AppendBinary]) nothing is lost. [Scene.Save],
// [OpenSceneMapped] and [ScenePublisher.Checkpoint] do the same for a scene with all parts in it.
//
//	snapshot               opening, views, loading
//	  snapshot_columns     the list of all that is saved: columns and lists
//	  snapshot_state       and numbers
//	  snapshot_save        writing, whole or not at all
//	  share_checkpoint     and beside a writer
//	  snapshot_section     a program's own columns
//	  snapshot_scene       scenes: all parts, each once
//	    _sceneopen, _sceneload   and back
//	  scene_checkpoint     and beside a writer
//	snapshot_check         what makes a file safe to query, rule by rule:
//	  _nodes, _packets     what queries read,
//	  _cold                and what changes do
//
// The container, which knows nothing of trees, is package internal/snap.
//
// # Directories
//
// A data set that may be larger than memory is a folder of snapshots, the shards. A shard has
// the objects of a cell, so it is about a brick, and its tight box goes into a small tree; what
// is in the view of a [Directory] is a scene of the shards that have been prepared, under the
// identity.
//
//	stream --> spill --> parts by keys --> cells --> shards, each built and saved
//	           |                                       |
//	           world                                   manifest: keys, boxes, sums
//
//	Prepare(box)   maps and checks what meets a box      \
//	View           what has been prepared: a SceneView    > an edition: it never changes
//	Replace(batch) new shards, then a new manifest       /
//
// Readers hold editions while others are made, files stay as long as an edition has them, and a
// crash leaves the old manifest or the new one.
//
//	directory              the type; views, and what readers hold
//	  directory_edition    a scene of shards that does not change
//	  directory_prepare    opening shards
//	  directory_folder     which files somebody needs
//	directory_create       making one
//	  directory_spill      objects on their way, in temporary files
//	  directory_cells      where shards are parted
//	  directory_shard      writing and opening one
//	directory_replace      changing one
//	directory_manifest     what is in the folder
//	directory_disk         the file system, which a test makes fail
//
// [ProfileLabels] makes a CPU profile of the program tell the phases of the
// library apart.
//
// Changing a tree takes one goroutine, and excludes queries; between changes
// any number of goroutines may query it. [NewPublisher] lifts that: readers query, and
// hold, what the writer has published, while it goes on; [NewScenePublisher] does so for
// a scene with all parts in it.
package linear
