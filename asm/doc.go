// Package asm holds the kernels: the loops in which queries and builds spend
// their time, in assembly for tiers of CPUs, with a pure-Go twin that gives
// the same bits. It knows the columns of nodes and packets (package soa) but no tree.
// Most programs never import it; package query and package linear do.
//
// # Terms
//
// A packet is up to 16 boxes in columns ([soa.Packet]); its index is a slot. A
// node is up to 16 children, each a node or a packet, with their tight boxes
// ([soa.Node]). A tier is a set of CPU features ([Tier]); [SetTier] or the
// environment variable ZOCTREE_TIER choose a lower one than the machine has.
//
// # A volume walk
//
// A query of a [Volume] is these kernels, all but emit in the same frames for every
// shape:
//
//	nodes     takes node indices from VolumeWalk.Queue and tests 16 children
//	          at a time: children that are wholly inside go to VolumeWalk.Inside,
//	          nodes that the border crosses to the end of VolumeWalk.Queue, packets
//	          that the border crosses to VolumeWalk.Packets
//	packets   tests 16 boxes at a time and writes a Range with a hit mask
//	          for each packet that has a hit
//	scan      packets, of all slots instead of a list: where a walk would not pay
//	emit      turns ranges into IDs
//	IDs       packets and emit in one, where all that is hit is wanted
//	whole     nodes and IDs in one, where a walk is short and nothing is inside; or
//	          nodes and packets, of which it counts the lanes hit
//
// # What is seen
//
// Package query/occlude leaves out of such a walk what solid things hide:
//
//	DrawCones       solids into a [Picture] of depths, of which [Pyramid] makes levels
//	DrawTile        triangles into a [Tile] of depths, which [RaiseTile] joins
//	Seen.Nodes      nodes of a frustum's walk, and a rectangle of the picture for each child
//	Seen.AppendHits packets, alike
//	SeenRanges      what was seen, once more
//	FinerRanges     what that has left, down to the pixels
//	SeenAreas       how large boxes are on the picture
//
// A seen kernel projects 16 boxes at once, or 8, finds for all of them at once the level of
// the picture at which a rectangle has at most 16 columns and 4 rows, and then takes one box
// after the other: a register of columns from each row, of which the least is compared with the depth. Boxes that this
// shows are looked at on up to two levels below, all rows until one shows them: of what a walk comes to
// most is hidden there, and what is not come to by that is worth many times what it takes.
//
// # Kernels and tiers
//
// Not every tier has code of its own for every kernel. What each runs, by
// families, whose kernels are those whose names begin so:
//
//	family         avx2  avx512  neon  what
//	volume         avx2  avx512  neon  walk of a frustum, box, sphere, convex volume
//	volumeIDs      avx2  avx512  neon  packets and emit in one; in Go one after the other
//	multi          avx2  avx512  neon  walk of several frusta at once
//	multiBox       avx2  avx512  neon  walk of several boxes at once
//	near           avx2  avx512  neon  nearest objects
//	nearFirst      avx2  avx512  neon  the nearest object; in Go by steps of near
//	ray            avx2  avx512  neon  a ray: the packets that it meets, all hits
//	rayFirst       avx2  avx512  neon  a ray: the nearest hit; in Go by steps of ray
//	pair           avx2  avx512  neon  pairs of objects that overlap
//	seen           avx2  avx512  neon  walk of what a picture does not hide
//	cone           avx2  avx512  neon  solids, drawn into a picture
//	boxCone        go    avx512  go    a box as such a solid; in Go that is package query/occlude's
//	pyramid        avx2  avx512  neon  levels of a picture
//	tile           avx2  avx2    go    triangles, drawn into a tile of a picture
//	emit           avx2  avx512  neon  IDs of ranges
//	select         avx2  avx512  neon  which objects of ranges a filter keeps
//	survey         avx2  avx512  neon  checks and bounds of boxes that come in
//	encode         avx2  avx512  neon  keys
//	cut            avx2  avx512  neon  objects of a cell, parted in space; what is in keys
//	fillRecords    avx2  avx512  neon  packets of a build, from objects
//	fillPackets    avx2  avx512  neon  packets of a build, from other packets
//	reduceNodes    avx2  avx2    neon  boxes of nodes, from those below
//	reducePackets  avx2  avx2    neon  boxes of lanes, from their packets
//	writeBoxes     avx2  avx512  neon  boxes that are replaced, and the tight ones above
//	moveBoxes      avx2  avx2    neon  boxes that are replaced one by one
//	ballBoxes      avx2  avx2    neon  boxes of balls
//	writeBalls     avx2  avx512  neon  balls that are replaced
//	homeStep       avx2  avx512  neon  nodes on the way to the homes of boxes
//	sizeSmall      avx2  avx512  neon  which boxes are small for their depth
//	prefetch       avx2  avx2    neon  rows that are used soon; nothing in Go
//	readSum        avx2  avx512  neon  the ruler of what is bound by memory
//
// What k_amd64.go and k_arm64.go declare lies in k_amd64.s and k_arm64.s, or, where it
// has parts, in k_part_amd64.s and k_part_arm64.s.
//
// The pure-Go twins run on tier go, and on every tier for the few rows that are left
// over beside whole registers, and for packets whose words are too many for an index
// of 32 bits. [Info] tells which of this holds now.
//
// # Bounds
//
// Assembly cannot be preempted. Every kernel therefore runs on a bounded
// amount of work, some 30 microseconds at most, and every call goes through a
// Go function that is never inlined, which gives the scheduler and the garbage
// collector a place to stop the goroutine (BenchmarkStopTheWorld of package
// query). Assembly also does not check
// indices: the wrappers make sure of the room that a call can need before it,
// and panic with the numbers where a slice is too short. Node and packet
// references inside the slices are trusted.
//
// # Arithmetic
//
// A plane test is ((nx*x + ny*y) + nz*z) + d >= 0 in float32, each operation
// rounded by itself: no tier fuses a multiplication with an addition. Sums are
// monotone under rounding, so a box around a box that passes, passes too, and
// a tree gives exactly the set that a loop over all boxes gives. The same holds
// for the comparisons of a [Box] and the squared distance of a [Sphere].
//
// # Two bounds
//
// d is raised by a bound of the rounding error, which grows with the coordinates.
// Planes may have two ([MakePlanes]): a box is near if no coordinate of it, without
// sign, exceeds the near bound of its axis, and then has the narrow d; any other
// has the wide one. So a box far away or without end makes the test coarse for
// itself alone. A child of a node is hit, at the p-vertex, by the d of its own
// box's class, and inside, at the n-vertex, by the narrow d. A tree still gives
// exactly the set that a loop gives, for the test is monotone in each coordinate
// and in d, and narrow <= wide: what is below a near child is near, and below any
// other passes by neither d where the child fails by the wide one; and every box
// below a child that is inside by the narrow d passes by either. An empty lane is
// never hit, whatever d.
//
// The far kernels test the class of the boxes of a node or packet at once, and
// where all are near, as most are, do what the kernels of one bound do.
//
// # Adding a kernel
//
// A kernel k is a family of files: k.go (the wrapper: checks lengths, cuts the work
// into bounded calls), k_generic.go (the Go twin, whose bits are the definition),
// k_amd64.go and k_amd64.s, k_arm64.go and k_arm64.s (written by the module
// internal/asmgen), k_asm.go (what both CPUs call them with), k_noasm.go.
//
//   - Write the twin. Round each product, float32(a*b) + c, so that Go never fuses it.
//   - Write the assembly without fused instructions; end AVX code with VZEROUPPER.
//     Choose it by a switch on cpu.Active in a go:noinline function.
//   - Test it like its neighbours: all tiers give equal bits, inputs end at pages
//     without access, sizes around every cutoff; bounded_test.go finds calls without
//     a bound, and the table above is held to the code.
//   - Add its benchmark beside theirs, tier by tier, from L1 to memory.
//
// A tier is a line in internal/cpu (its name, and every CPU flag that its kernels
// use) and a case in those switches; where a kernel has none the Go twin runs. The
// tests run on it by themselves.
//
// A mask of all ones is made from K0, which no kernel writes: KXNORW K1, K1, K1 waits for
// what was in K1, and so in a loop for the packet before (BenchmarkScan on a Zen 5: three
// fifths more time for a frustum).
//
// # Vectors of the Go compiler
//
// Package simd/archsimd of Go 1.26 (GOEXPERIMENT=simd, amd64 alone, outside of the
// promise of compatibility) would make the kernels of amd64 Go code, which can be
// preempted and inlined and needs no bounds on calls, and leave those of arm64 as they
// are. The scan of [Box] written in it, on packets in L1 as in BenchmarkScan, gives
// equal ranges and takes a fifth longer than the code here on AVX-512 and a third on
// AVX2: it ANDs masks in vector registers, and loads before it compares.
//
// # Goroutines
//
// All functions may be called by any number of goroutines as long as none
// writes to the slices another one uses.
package asm
