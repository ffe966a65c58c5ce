// Package soa defines the memory layout of a tree: a structure of arrays, with flat columns of
// nodes, packets and objects, and 32-bit references between rows instead of pointers. Package
// linear builds the tree from these rows.
//
// Programs use [AABB], [AABB64] and [OrientedBox] for boxes, [Object] and [Ball] for the objects
// that a tree stores, and [Column] for payload values by object ID. [Handle] is a generational
// handle, which detects that its object was removed ([ErrStale]). [ErrFull] reports that no ID or
// row is left. [Change] is an entry of the change log. [None] is the null index.
//
// All else is for packages linear and query: [Store] with [NodeColumns] and [PacketColumns], their
// rows and references, [IDs] and [Log]. [Words] and [BoxWords] are the form in which kernels read
// objects and boxes. Package asm relies on the layout of [Node] and [Packet] in assembly, and
// asserts it.
//
// # Terms
//
// An object is a box with a type mask and a static flag ([Object]). Its ID is a dense number, which
// may be reused after removal; a [Handle] distinguishes the objects of one ID.
//
// A packet holds up to [Lanes] objects, one in each lane, densely from lane 0. The index of a
// packet is its slot. A node has up to [Fan] children, one in each lane, also densely from lane 0;
// children are packets or nodes. Node 0 is the root. A reference ([Ref]) is a lane's link to its
// child. A location ([Location]) is the slot and the lane of an object. The parent link ([Up]) of a
// node or packet is the lane that refers to it.
//
// A cell is a node that owns a key span ([KeySpan]), an interval of keys. In lane order, the spans
// of all cells of a tree cover all keys from the first to the last without a gap. Two adjacent
// cells share a key if more objects have it than fit into one cell. Each packet is below exactly
// one cell, and no cell is below another. Objects of a packet stay in it while their boxes are
// inside its placement box. The pending list holds the packets of objects that have not been placed
// in the tree: no node refers to them. A version is the store as it is between two changes.
//
// # Words
//
//	Ref      RefPacket | RefMoving | RefStatic | RefIndex            32 bits, highest first
//	         a packet?   below are moving or     slot of the packet,
//	                     static objects, or both or node
//	Location slot                 | lane: log2 Lanes bits            32 bits; NoLocation: none
//	Up       node                 | lane: log2 Fan bits              32 bits; NoParent: none
//	KeySpan  Low, High            both inside; NoSpan: no cell       2 x 64 bits
//	Span     First, End           slots First to End-1; End 0: the   2 x 32 bits
//	                              slots are not contiguous
//
// Each index has an upper bound that leaves one value for none: [MaxNodes], [MaxSlots], [MaxIDs].
// The reference of an unused lane is 0: it would refer to the root, which is no node's child.
//
// # Columns
//
// A column is a slice; row i of every column of a kind is node, slot or ID i. Columns of nodes and
// packets begin on a cache line. Their bytes are the same on all machines except for the byte
// order.
//
//	node     Hot      Node         bounds | references | masks, of Fan lanes: see Node
//	         Parents  Up           parent link; NoParent: the root
//	         Slots    Span         slots of all objects below and of no others
//	         Keys     Fan x uint64 first key of each lane, ascending; NoKey in cells
//	         Cells    KeySpan      key span of a cell; else NoSpan
//	         Area     float32      node of packets: half the surface area of the packets
//	                               when they were cut
//	         Used     uint8        lanes in use
//	         Below    uint32       objects below, if Store.Counted or Height is 0
//	         Height   uint8        0: children are packets; else above all children
//	         MinTicks uint8        least number of ticks that it stays when empty
//	         FreeAtTick            uint32: tick at which the empty node is freed; 0: it is in use
//
//	packet   Bounds   Packet       minx | maxx | miny | maxy | minz | maxz, of Lanes lanes
//	         IDs      Lanes x uint32
//	         Masks    Lanes x uint32; no rows while all objects have the mask Mask
//	         Moving   uint16       one bit per lane; 0: the object is static
//	         Counts   uint8        lanes in use
//	         Parents  Up           parent link; NoParent: pending or unused
//	         PlacementBoxes        AABB; empty without a parent, or if all objects are
//	                               displaced
//	         Spheres  SphereLanes  x | y | z | radius, of Lanes lanes; see below
//	         OrientedBoxes         Lanes x OrientedBox: centre | three half axes; see below
//
//	object   Where    Location     see IDs
//	         Gen      Generations  2 x uint16: no rows while all IDs are in their first one,
//	                               no high halves while all of these are 0
//
// After a refit, the bounds of a node are the exact union of the boxes below each lane, and masks
// and flags are the OR. Between two refits they may be larger. A node of packets owns one slot for
// each of its packets. If these are contiguous, it may own up to two more, without a packet: a
// build gives it one, unless the tree is frozen. Nodes of a file that has no SlotForm own up to Fan
// slots. A build that gathers from Moving allocates memory for one more row after its last.
//
// # Empty and free rows
//
// An unused lane holds values that no query test accepts. In a packet they are the empty box
// (minima +Inf, maxima -Inf), ID 0, mask 0, flag 0, a negative radius and an infinite centre. In a
// node they are the empty box, reference 0, mask 0 and the first key [NoKey]. An empty packet has
// only such lanes, Counts 0, NoParent and the empty placement box. An unused node has only such lanes,
// no parent link, and 0 in all other columns. Rows are not removed one by one. They form free
// lists, last freed first, linked through a column that is otherwise unused in free rows.
//
//	free node     Up of a node = 1 + the next node             0 ends the list
//	free ID       Where = the next ID, Gen even; odd: live     None ends the list
//
// Each slot is in exactly one of these states:
//   - below a node of packets, or in its span
//   - in the pending list
//   - free: neither
//
// So the free slots follow from the columns. They are in no list.
//
// [Store.Pending] lists the slots of the pending packets. Only the last packet has unused
// lanes. Queries test all of them in addition to the tree.
//
// Spheres and oriented boxes, the bounds, are optional. Each of the two columns has no rows until
// the first bound is set ([PacketColumns.UseSpheres], [PacketColumns.UseOriented]), and as many
// rows as the others from then on. A negative radius means that the object has no sphere, an
// infinite first coordinate of a centre that it has no oriented box. An object may have both.
//
// # Concurrency
//
// Queries do not write, so any number of goroutines may read a store between two changes. One
// goroutine changes it, excluding all readers. A build fills rows with several goroutines, each its
// own rows, in a store that has no readers yet. [Store.Version] counts the changes: a reader that
// holds an older number must not use its references any more. [Store.Log], unless nil, holds the
// last changes of objects, for readers that follow changes instead of scanning the tree. A [Log]
// drops a frame that has too many changes.
//
// A published version is a copy of the store. [Store.Patch] updates it: it copies the rows of three
// sets, and all rows behind the last row of the copy.
//
//	set       of columns of the [Kind]     marked when
//	nodes     HotNodes, ColdNodes          a column of the node is written
//	packets   Labels                       a column of the packet except Boxes is
//	boxes     Boxes: Bounds, Spheres,      a box or bound of the packet is
//	          OrientedBoxes
//
// It also copies everything outside rows: the pending list, the list of free nodes, extents, counts and the
// log.
//
// # Adding a column
//
// Operations on all columns iterate over [NodeColumns.Columns] and [PacketColumns.Columns]. Only
// Reset, Clear and CopyRow, which run once per row, name each column. A new column is a field and a
// line in each of them; tests report a missing line.
package soa
