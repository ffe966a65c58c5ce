// Package soa is the memory of a tree: flat columns of nodes, packets and objects,
// without pointers, and the words that lead from a row of one to a row of another.
// This is the page of that memory. What makes the rows a tree is in package linear.
//
// # Terms
//
// An object is a box with a type mask and a static flag ([Object]). Its ID is a
// dense number, which a later object may be given again; a [Handle] tells them apart.
//
// A packet is up to [Lanes] objects, one in each lane, dense from lane 0 on; its
// index is a slot. A node has up to [Fan] children, one in each lane, dense too, which
// are packets or nodes; node 0 is the root. A reference ([Ref]) is what a lane of a
// node says of its child. A place ([Place]) is the slot and the lane of an object. The
// way up ([Up]) of a node or packet is the lane that refers to it.
//
// A cell is a node with a key span ([KeySpan]), the interval of keys whose home it is: the
// spans of all cells of a tree, in the order of its lanes, follow each other from the
// first key to the last, and two share a key that more objects have than one cell takes.
// Each packet is below one cell, and no cell below another. The home box of a packet is
// where its objects stay. A block is [BlockSlots] slots that begin at a multiple of their
// number and belong together. The pending list names the packets that hold objects and
// that no node refers to. A version is the store as it is between two changes.
//
// # Words
//
//	Ref      RefPacket | RefMoving | RefStatic | RefIndex            32 bits, highest first
//	         a packet?   what is below moves,    slot of the packet,
//	                     is static, or both      or node
//	Place    slot                 | lane: log2 Lanes bits            32 bits; NoPlace: none
//	Up       node                 | lane: log2 Fan bits              32 bits; NoUp: none
//	KeySpan  Low, High            both inside; NoSpan: of no cell    2 x 64 bits
//	Span     First, End           slots First to End-1; End 0: the   2 x 32 bits
//	                              slots are not a run
//
// A bound on the index of each leaves a value for none: [MaxNodes], [MaxSlots],
// [MaxIDs]. The reference of an unused lane is 0, which is a reference to the root
// and so to no child.
//
// # Columns
//
// A column is a slice; row i of all columns of a kind is node, slot or ID i. Those of
// nodes and packets begin on a cache line. Machines differ in no byte of them but for
// their byte order.
//
//	node     Hot      Node         bounds | references | masks, of Fan lanes: see Node
//	         Up       Up           the lane above; NoUp: the root
//	         Slots    Span         slots with all objects below and no others
//	         Keys     Fan x uint64 the first key of each lane, ascending; NoKey in cells
//	         Cells    KeySpan      of a cell; else NoSpan
//	         Area     float32      of a node of packets: half the area of these when they
//	                               were cut
//	         Used     uint8        lanes in use
//	         Below    uint32       objects below, if Store.Counted or Height is 0
//	         Height   uint8        0: of packets; else above those of all children
//	         Life     uint8        ticks that it stays when empty; 0: the least
//	         Dies     uint32       the tick at which it is freed; 0: it is in use
//
//	packet   Bounds   Packet       minx | maxx | miny | maxy | minz | maxz, of Lanes lanes
//	         IDs      Lanes x uint32
//	         Masks    Lanes x uint32
//	         Moving   uint16       a bit a lane; 0: the object is static
//	         Counts   uint8        lanes in use
//	         Owner    Up           the lane above; NoUp: pending or unused
//	         Homes    AABB         the home box; empty without an owner, or if nothing is at home
//	         Spheres  SphereLanes  x | y | z | radius, of Lanes lanes; see below
//	         OrientedBoxes         Lanes x OrientedBox: centre | three half axes; see below
//
//	object   Where    Place        and Gen of type uint32: see IDs
//
// Bounds of a node are the exact union of the boxes below each lane, and masks and
// flags the OR, after a refit; between two refits they may be larger. The slots below a
// node of packets are its block, or, as a frozen build leaves them, as many as it has
// packets. Behind the last of Moving there is memory for one more row, when a
// build gathers from it.
//
// # Empty and free rows
//
// A lane that is not in use holds what no test finds: in a packet the empty box
// (minima +Inf, maxima -Inf), ID 0, mask 0, flag 0, a radius below 0 and an infinite centre; in a node the
// empty box, reference 0, mask 0 and the first key [NoKey]. An empty packet has only
// such lanes, Counts 0, NoUp and the empty home box; an unused node only such lanes and no way
// up, and 0 in all other columns. Rows are never taken away one by one: they are
// chained, the last one freed first, through a column that is of no use to them.
//
//	free node     Up of a node = 1 + the next node             0 ends the list
//	free block    Masks[0] of its first slot = 1 + the first
//	              slot of the next block, all slots empty      0 ends the list
//	free ID       Where = the next ID, Gen even; odd: live     None ends the list
//
// Each slot is in one place: below a node or in its block; in a block of the pending
// list; in a free block; or dead until the next build: an empty one that a frozen build
// gave to a node which has a block by now, or is gone, or that fills up its last block.
//
// [Store.Pending] lists the slots of the pending packets. Runs of BlockSlots of them
// are the slots of a block, the last run perhaps fewer; only the last packet has lanes
// that are not in use. Queries look at them all, beside the tree.
//
// Spheres and oriented boxes, the bounds, are optional: each of the columns has no rows
// until one is set ([PacketColumns.UseSpheres], [PacketColumns.UseOriented]), and as many
// as the others from then on. A radius below 0 says that the object has no sphere, an
// infinite first number of a centre that it has no oriented box. An object may have both.
//
// # Who writes
//
// Queries write nothing, so any number of goroutines may read a store between two
// changes. One goroutine changes it, excluding them; a build fills rows by several, each
// its own, of a store that nobody reads yet. [Store.Version] counts the changes: who has
// seen another one looks at memory that means something else. [Store.Log], unless nil,
// holds the last changes of objects, for those who would rather follow than look at
// all; a [Log] forgets a frame of too many.
//
// A published version is a copy. It is brought up to date by [Store.Patch], which copies
// the rows of three sets, and all rows behind its own last ones:
//
//	set       of columns of the [Kind]     marked when
//	nodes     HotNodes, ColdNodes          a column of the node is written
//	packets   Labels                       a column of the packet but these three is
//	boxes     Boxes: Bounds, Spheres,      a box or bound of the packet is
//	          OrientedBoxes
//
// and what is not in rows: the pending list, free lists, extents, counts, the log.
//
// What is done to all columns goes through a list of them: [NodeColumns.Columns],
// [PacketColumns.Columns]. Only Reset, Clear and CopyRow, which run for each row, are
// written out. A new column is a field and a line in there; tests name what misses it.
//
// # For programs
//
// [AABB], [AABB64] and [OrientedBox] are boxes, [Object] what a tree stores. [Handle] is an ID that knows
// when it is stale ([ErrStale]); [ErrFull] says that no ID is left, or no row. [Column]
// holds a program's own values by ID. [Change] is an entry of the log. [None] is the index
// of nothing.
//
// # For packages linear and query
//
// The rest: [Store] with [NodeColumns], [PacketColumns], their rows and words, [IDs] and
// [Log]; [Words] and [BoxWords], the form in which kernels read objects and boxes. Package asm takes the layout of [Node] and
// [Packet] for granted, in assembly, and asserts it.
package soa
