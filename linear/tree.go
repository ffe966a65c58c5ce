package linear

import (
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Tree is an octree over axis-aligned boxes with a 16-wide bounding volume hierarchy (BVH) inside its cells. The zero
// Tree is empty and ready to use, with the zero [Config]; [New] makes a tree with another configuration.
//
// One goroutine may change a tree at a time, and none may query it during the change. Any number of goroutines may
// query it between changes. A tree must not be copied: use [Tree.Clone].
//
// Insert, Remove, Move and their batches change objects, and so does a [Batch] that [Tree.Apply] runs.
// [Tree.RemoveOutside] and [Tree.RemoveIn] remove all objects outside a box or a ball, or in it. A change
// invalidates all views, and an iteration that continues afterwards panics; so a handler that iterates records its
// changes in a Batch. A new object is pending until it has been placed: queries find it, and [Tree.Flush] or the
// [Tree.Tick] at the end of a frame inserts it into the tree. Removals and moves are deferred and applied as one batch
// by the next View or other read of the tree, or by the next change of another kind: to fill a tree one object at a
// time costs little more than a build.
//
// # Terms
//
// An object is a box with a type mask and a static flag ([Object]); its ID is a dense number.
// Its key is the 63-bit Morton code of its clamped centre in the world cube (package morton). The
// key decides where an object is placed, never whether a query finds it.
//
// A cell is a node that owns an interval of keys. Above cells the tree is an octree, whose nodes have their children in
// key order. Below cells, objects are partitioned in space like in a BVH, to keep bounding boxes small. A packet holds
// up to 16 objects that are close together; its index is a slot. A node has up to 16 children, packets or nodes. The
// tight box of a child is the exact union of the boxes below it, and queries test nothing else: an object that
// straddles the border of a cell costs nothing.
//
// An object is far if its box reaches outside the world grown by its side in every direction: an
// outlier, a sky box. Far objects have keys and a branch of the root of their own, and do not
// affect the size of the world of a build; they add only their own cost.
//
// # Changes
//
// A move is checked and recorded; a read, a change of another kind or the end of a frame applies all recorded moves. A
// moved object stays in its packet while its box is inside the packet's placement box. The tight boxes above grow at
// once, and a refit shrinks them. An object that has left the placement box is displaced, and one that has moved far
// becomes pending.
//
// A flush places displaced and pending objects together, in key order. The key of each object selects a cell, and in
// that cell the object is added to the packet whose box grows least. A full packet gives some of its objects to a
// nearby packet, or the packets of its node are partitioned again, before it is split. [Tree.Tick] merges underfull
// packets and partitions some degraded nodes again. So a tree that is changed for hours stays about as full, as shallow
// and as fast as a new one (go run ./bench ratios -only "change age").
//
// [PolicyAuto] documents when a rebuild, or only a refit, replaces this incremental work. [Config.Cut] chooses whether
// builds partition cells in space or fill packets along the curve, which is faster to build. The world grows when many
// objects have left it, and shrinks when they have gathered in a part of it ([Config.World]). A fixed world can reject
// or remove objects outside the given box ([Outside]).
//
// With [Config.Thin] a tree holds points, and insertions drop or replace points in cells of a regular grid that are
// occupied (voxel thinning).
//
// # Determinism and replication
//
// A tree that is changed only by [Tree.Apply] and [Tree.Tick] is a function of these calls. It does not depend on when
// the tree is read, published or cloned, nor on the number of goroutines it uses. So a copy of a tree, and the batches
// applied since, suffice to restore it: [Batch.AppendBinary] encodes a batch for a log. Replicas that get the same
// batches are equal bit by bit, also on other kinds of CPU; [Tree.Digest] compares their contents. A Batch can record
// every change, ticks among them.
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
// Package soa documents every column and word of it, with pictures, and the contents of free rows. A subtree is a run
// of slots, so a subtree inside a query volume is returned as a range, without tests. A tree with room for insertions
// gives every node of packets a free slot, and its packets free lanes; a frozen tree packs them tight.
type Tree struct {
	octree   octree.Tree
	deferred deferred   // deferred moves
	shared   *Publisher // nil if the tree is not published
}

// Len returns the number of objects.
func (t *Tree) Len() int { return t.octree.IDs.Len() }

// Config returns the configuration with defaults filled in. Its World is the box that was configured; [Tree.World]
// returns the cube of the keys.
func (t *Tree) Config() Config {
	t.sync()
	return configOf(&t.octree.Config)
}

// World returns the cube that keys resolve.
func (t *Tree) World() morton.World {
	t.sync()
	return t.octree.World
}

// Handle returns a generational handle of a live object. It stays valid until the object is removed. ok is false
// when the ID is not live.
func (t *Tree) Handle(id uint32) (h Handle, ok bool) { return t.octree.IDs.Handle(id) }

// Resolve returns the ID of a handle, or [ErrStale] when its object has been removed.
func (t *Tree) Resolve(h Handle) (id uint32, err error) { return t.octree.IDs.Resolve(h) }

// Object returns a live object. ok is false when the ID is not live.
func (t *Tree) Object(id uint32) (o Object, ok bool) {
	if !t.octree.IDs.Alive(id) {
		return o, false
	}
	t.sync()
	w := t.octree.IDs.Where[id]
	return t.octree.Store.Packets.Object(w.Slot(), w.Lane()), true
}

// Key returns the Morton key of an object with that box in the tree: [morton.World.KeyOfBox] of [Tree.World]. With
// [Config.MinCell] it is the first key of the object's smallest cell. Boxes that reach beyond the cube grown by its
// side in every direction have keys of their own, in the last octant of level 5, which keeps them apart from other
// objects. The box must be finite and not inverted.
func (t *Tree) Key(box soa.AABB) morton.Key {
	t.sync()
	c := t.octree.Code
	c.Outlier = true
	return morton.Key(c.Key(&box))
}
