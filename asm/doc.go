// Package asm has the tiers of the SIMD kernels, and the types that the packages of kernels below it
// share. Kernels are the inner loops of queries and builds, in assembly for AVX2, AVX-512 and NEON,
// with a pure-Go reference of each that gives bit-identical results. They work on the columns of
// nodes and packets (package soa) and have no tree of their own. Most programs never import them;
// packages query and linear do.
//
//	cull    volumes, frusta and boxes against nodes and packets; filters; IDs of hits; occlusion tests
//	trace   rays and nearest neighbours
//	pair    overlapping pairs
//	build   keys, partition, packets, refits, placement, replaced boxes
//	depth   depth pictures of occluders
//
// # Terms
//
// A packet is up to 16 boxes in columns ([soa.Packet]); its index is a slot. A node is up to 16
// children, each a node or a packet, with their tight boxes ([soa.Node]). A tier is a set of CPU
// features ([Tier]). [SetTier] or the environment variable ZOCTREE_TIER select a lower tier than
// the machine has.
//
// # Kernels and tiers
//
// Not every tier has code of its own for every kernel. This table lists the code that each tier
// runs. A family is the kernels whose names begin with its name:
//
//	family         avx2  avx512  neon  what
//	volume         avx2  avx512  neon  walk of a frustum, box, sphere, convex volume
//	volumeIDs      avx2  avx512  neon  packets and emit in one; in Go one after the other
//	multiBox       avx2  avx512  neon  walk of several boxes at once
//	turnBox        avx2  avx2    go    a box query moved into the space of a part; the caller does it in Go
//	cutPlanes      avx2  avx512  go    planes moved into the space of a part; the caller does it in Go
//	runIDs         avx2  avx512  go    a volume moved into instances of parts, and their objects; the caller does it in Go
//	boxSides       avx2  avx2    go    sides of a box that contain objects
//	near           avx2  avx512  neon  k nearest neighbours
//	nearFirst      avx2  avx512  neon  nearest neighbour; in Go by steps of near
//	ray            avx2  avx512  neon  ray cast: next packet hit, all hits
//	rayFirst       avx2  avx512  neon  ray cast: first hit; in Go by steps of ray
//	rayEnter       avx2  avx512  go    a ray moved into the space of a part and clipped; the caller does it in Go
//	pointEnter     avx2  avx2    go    a point moved into the space of a part, and its distance; the caller does it in Go
//	pair           avx2  avx512  neon  overlapping pairs (broad phase)
//	pairNear       avx2  avx512  go    distances of pairs; neon runs all pairs with a distance in Go
//	pairMoving     avx2  avx2    go    pairs of shapes in motion
//	visible        avx2  avx512  neon  frustum walk with occlusion culling
//	cone           avx2  avx512  neon  convex occluders, rasterized into a picture
//	boxCone        go    avx512  go    box as a convex occluder; in Go by package query/occlude
//	pyramid        avx2  avx512  neon  levels of a picture
//	tile           avx2  avx2    go    triangles, rasterized into a tile of a picture
//	emit           avx2  avx512  neon  IDs of ranges
//	select         avx2  avx512  neon  objects of ranges that pass a filter
//	survey         avx2  avx512  neon  validation and bounds of input boxes
//	encode         avx2  avx512  neon  Morton keys
//	cut            avx2  avx512  neon  spatial partition of the objects of a cell; decoding of keys
//	fillRecords    avx2  avx512  neon  packets of a build, from records
//	fillPackets    avx2  avx512  neon  packets of a build, from other packets
//	readRecords    avx2  avx2    go    records of the objects of packets
//	reduceNodes    avx2  avx2    neon  boxes of nodes, from their children (refit)
//	reducePackets  avx2  avx2    neon  boxes of lanes, from their packets (refit)
//	writeBoxes     avx2  avx512  neon  replaced boxes of whole packets, and the tight boxes above
//	moveBoxes      avx2  avx2    neon  boxes replaced one by one
//	ballBoxes      avx2  avx2    neon  boxes of spheres
//	writeBalls     avx2  avx512  neon  replaced spheres
//	imageBox       avx2  avx2    go    box of the image of a box under an affine map; the caller does it in Go
//	chooseSubtree  avx2  avx512  neon  descent of inserted boxes: child of least growth
//	sizeSmall      avx2  avx512  neon  boxes that are small for their depth
//	prefetch       avx2  avx2    neon  prefetch of rows; no code in Go
//	readSum        avx2  avx512  neon  reference for kernels bound by memory bandwidth
//
// The kernels of k.go are in k_amd64.s and k_arm64.s, or, if these have parts, in k_part_amd64.s and
// k_part_arm64.s.
//
// On a CPU that divides operations on 512 bits into two of 256, such as AMD Zen 4, tier avx512 runs
// the code of avx2 for nearFirst in trees of up to some 200,000 objects, with the same result to
// the bit.
//
// The pure-Go references run on tier go. On every tier they also process the few rows that do not
// fill a register, and packets whose words exceed an index of 32 bits. [Info] returns the code that
// runs now.
//
// # Bounds
//
// Assembly cannot be preempted. Every kernel therefore runs on a bounded amount of work, some 30
// microseconds at most. Every call passes through a Go function that is never inlined, so that the
// scheduler and the garbage collector can stop the goroutine there (BenchmarkStopTheWorld of
// package query). Assembly does not check indices either: the wrappers reserve the room that a call
// can need before it, and panic with the numbers if a slice is too short. Node and packet
// references inside the slices are trusted.
//
// # Arithmetic
//
// No tier fuses a multiplication with an addition: each operation in float32 is rounded separately.
// Sums are monotone under rounding. So if a box passes the test of a plane, ((nx*x + ny*y) + nz*z) +
// d >= 0, every box around it passes, and a tree returns exactly the set that a loop over all boxes
// returns. The same holds for comparisons with a box and for squared distances.
//
// # Goroutines
//
// All functions may be called by any number of goroutines as long as no goroutine writes to the
// slices that another one uses.
//
// # Adding a kernel
//
// A kernel k is a family of files:
//
//	k.go           wrapper: checks lengths, cuts the work into bounded calls
//	k_generic.go   Go reference, which defines the bits
//	k_amd64.s      assembly; k_amd64.go has its tables, if any
//	k_arm64.s      assembly, which the module internal/asmgen generates
//
// It has a row and a few lines in internal/asmgen/kernels.txt. From these internal/asmgen generates
// the functions that call the kernel of the active tier, with the declarations of the assembly
// (dispatch_amd64.go, dispatch_arm64.go, and dispatch_noasm.go for other CPUs), the families and the
// table above.
//
// The steps are:
//
//   - Write the Go reference. Round each product, float32(a*b) + c, so that Go never fuses it.
//   - Write the assembly without fused instructions; end AVX code with VZEROUPPER. Add it to
//     kernels.txt and run go run . in internal/asmgen.
//   - Test it like the other kernels: equal bits on all tiers, inputs that end at pages without
//     access, sizes around every cutoff. bounded_test.go finds calls without a bound, and another
//     test compares the table above with the code.
//   - Add its benchmark to the others, tier by tier, from L1 to memory.
//
// A tier is a line in internal/cpu (its name, and every CPU flag that its kernels use) and a column
// of kernels.txt; a kernel without code of a tier runs the Go reference. The tests cover a new tier
// without changes.
//
// A mask of all ones is made from K0, which no kernel writes. KXNORW K1, K1, K1 depends on the
// former value of K1, and so in a loop on the packet before (BenchmarkScan on a Zen 5: three fifths
// more time for a frustum).
//
// # Vectors of the Go compiler
//
// Package simd/archsimd of Go 1.26 (GOEXPERIMENT=simd) supports amd64 only, and the compatibility
// promise does not cover it. It would turn the kernels of amd64 into Go code, which can be
// preempted and inlined and needs no bounds on calls. The kernels of arm64 would stay as they are.
//
// The scan of a box written with it gives equal ranges. On packets in L1, as in BenchmarkScan, it
// takes a fifth longer than the assembly on AVX-512 and a third longer on AVX2: it ANDs masks in
// vector registers, and loads before it compares.
package asm
