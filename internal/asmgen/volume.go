package main

import "fmt"

// volume is the generator of the kernels of one volume. The surrounding loops are the same for all volumes:
// see nodes, packets, ids, all and scan. Two macros make the tests:
//
//	hits      tests the 16 boxes of the node or packet at R12: words from V20 on
//	          are set for hits. It may jump to next as soon as none is left.
//	INSIDE    tests the children that are hit: words from V24 on are set for those
//	          inside. It may jump to sort as soon as none is left.
//
//	R2    the volume              V8 to V19     loaded by load
//	R12   the node or packet      V0 to V7      scratch, V29 to V31 and R13 to R17 too
type volume struct {
	name  string // with Far for planes with two bounds
	hits  string
	load  func(f *text)
	whole bool // has a kernel for a whole walk

	// hits with other labels, for the packets of a whole walk and for their count; "": hits has no labels
	idHits, countHits string
}

// kernels writes all kernels of a volume.
func (v *volume) kernels(f *text, parameter string) {
	f.define("SORT", "Puts the children at R12 that are hit into the lists of the walk.", sortChildren)
	f.define("RANGE", "Writes a range of the lanes of slot R6 that are hit.", putRange)
	v.nodes(f, parameter)
	v.packets(f, parameter)
	v.ids(f, parameter)
	if v.whole {
		v.all(f, parameter)
	}
	v.scan(f, parameter)
}

// nodes writes the kernel that tests queued nodes and distributes their children to the lists of the walk.
//
//	R0  walk           R5, R6, R7   queue, head, length    R12  this node
//	R1  nodes          R8, R9       packets, length        R20  compressTable
//	R4  nodes left     R10, R11     inside, length
func (v *volume) nodes(f *text, parameter string) {
	f.function(fmt.Sprintf("func volumeNodes%sNEON(w *VolumeWalk, nodes *Node, p *%s, filter *NodeFilter, budget int)", v.name, parameter), 40)
	v.nodeLoop(f, "")
	f.put("RET")
}

// nodeLoop is a nodes kernel without its return. The instructions in turn are inserted at the label to which
// the tests jump if no box is left.
func (v *volume) nodeLoop(f *text, turn string) {
	f.put(`
		MOVD w+0(FP), R0
		MOVD nodes+8(FP), R1
		MOVD p+16(FP), R2
		MOVD filter+24(FP), R3
		MOVD budget+32(FP), R4
		MOVD (VolumeWalk_Queue+0)(R0), R5
		MOVD VolumeWalk_Head(R0), R6
		MOVD (VolumeWalk_Queue+8)(R0), R7
		MOVD (VolumeWalk_Packets+0)(R0), R8
		MOVD (VolumeWalk_Packets+8)(R0), R9
		MOVD (VolumeWalk_Inside+0)(R0), R10
		MOVD (VolumeWalk_Inside+8)(R0), R11
		MOVD $·compressTable(SB), R20
	`)
	loadWeights(f)
	loadFilter(f, "", "R3")
	v.load(f)
	f.put(`
		nodeloop:
		CMP R7, R6
		BGE nodedone

		// Fetch the eight lines of the node four places on. Beyond the end of the
		// queue the entry is stale, which a prefetch forgives.
		ADD R6<<2, R5, R13
		MOVWU 16(R13), R14
		MOVWU (R13), R12
		ADD R14<<9, R1, R14
	`)
	prefetchLines(f, "R14", 512)
	f.put(`
		ADD $1, R6
		ADD R12<<9, R1, R12
	`)
	f.put(v.hits)
	f.put(`
		INSIDE

		sort:
		SORT

		next:
	`)
	f.put(turn)
	f.put(`
		SUBS $1, R4
		BNE nodeloop

		nodedone:
		MOVD R7, (VolumeWalk_Queue+8)(R0)
		MOVD R6, VolumeWalk_Head(R0)
		MOVD R9, (VolumeWalk_Packets+8)(R0)
		MOVD R11, (VolumeWalk_Inside+8)(R0)
	`)
}

// sortChildren appends the children of the node at R12 to the lists, or jumps to next if the filter keeps
// none.
func sortChildren(f *text) {
	siftLanes(f, 20, 0, 4, "filtered")
	appendChildren(f)
}

// appendChildren appends the hit children in V0 to V3, words from V20 on, to the lists: children inside, from
// V24 on, to the list at R10, nodes to the list at R5, packets to the list at R8, each followed by its
// length. It jumps to next if there are none.
func appendChildren(f *text) {
	narrow(f, 20)
	narrow(f, 24)
	packetLanes(f, 0, 4)
	f.put(`
		VAND V20.B16, V24.B16, V24.B16 // inside
		VEOR V24.B16, V20.B16, V20.B16 // on the border
		VAND V4.B16, V20.B16, V21.B16  // packets on the border
		VEOR V21.B16, V20.B16, V20.B16 // nodes on the border
	`)
	sortedLanes(f, 24, 20, 21)
	keepBits(f, "const_refKeep")
	for half := range 2 {
		appendLanes(f, half, 2*half, "R10", "R11")
	}
	for half := range 2 {
		appendLanes(f, 2+half, 2*half, "R5", "R7")
	}
	keepBits(f, "const_refIndex")
	for half := range 2 {
		appendLanes(f, 4+half, 2*half, "R8", "R9")
	}
}

// sortedLanes puts the lanes of three sets of bytes into R13, and the number in each byte into R14. It jumps
// to next if there are none.
func sortedLanes(f *text, inside, nodes, packets int) {
	f.put(`
		// R13: two bytes of lanes for inside, nodes, packets; R14: their numbers.
		VAND V28.B16, V%[1]d.B16, V%[1]d.B16
		VAND V28.B16, V%[2]d.B16, V%[2]d.B16
		VAND V28.B16, V%[3]d.B16, V%[3]d.B16
		VADDP V%[2]d.B16, V%[1]d.B16, V%[1]d.B16
		VADDP V%[3]d.B16, V%[3]d.B16, V%[3]d.B16
		VADDP V%[3]d.B16, V%[1]d.B16, V%[1]d.B16
		VADDP V%[1]d.B16, V%[1]d.B16, V%[1]d.B16
		VMOV V%[1]d.D[0], R13
		CBZ R13, next
		VCNT V%[1]d.B8, V%[1]d.B8
		VMOV V%[1]d.D[0], R14
	`, inside, nodes, packets)
}

// keepBits clears all bits except the given ones of the references in V0 to V3.
func keepBits(f *text, bits string) {
	f.put("MOVD $%s, R15\nVDUP R15, V4.S4", bits)
	for r := range 4 {
		f.put("VAND V4.B16, V%[1]d.B16, V%[1]d.B16", r)
	}
}

// prefetchLines prefetches that many bytes from a register on.
func prefetchLines(f *text, register string, bytes int) {
	f.put("PRFM (%s), PLDL1KEEP", register)
	for at := 64; at < bytes; at += 64 {
		f.put("PRFM %d(%s), PLDL1KEEP", at, register)
	}
}

// packets writes the kernel that tests listed packets.
//
//	R0  next range     R2  volume             R5  slots left    R6  slot
//	R1  packets        R3  next slot number   R7  ranges        R12 this packet
func (v *volume) packets(f *text, parameter string) {
	f.function(fmt.Sprintf("func volumePackets%sNEON(out *Range, packets *Packet, slots *uint32, n int, p *%s) (written int)", v.name, parameter), 48)
	f.put(`
		MOVD out+0(FP), R0
		MOVD packets+8(FP), R1
		MOVD slots+16(FP), R3
		MOVD n+24(FP), R5
		MOVD p+32(FP), R2
		MOVD R0, R7
		MOVD $384, R8
	`)
	loadWeights(f)
	v.load(f)
	f.put(`
		packetloop:
		CMP $4, R5
		BLE packettest
		MOVWU 16(R3), R13    // fetch the packet four places on
		MADD R8, R1, R13, R13
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		packettest:
		MOVWU.P 4(R3), R6
		MADD R8, R1, R6, R12
	`)
	f.put(v.hits + "\nRANGE")
	f.put(`
		next:
		SUBS $1, R5
		BNE packetloop
		SUB R7, R0
		LSR $3, R0
		MOVD R0, written+40(FP)
		RET
	`)
}

// scan writes the kernel that tests consecutive packets; registers as in
// packets.
func (v *volume) scan(f *text, parameter string) {
	f.function(fmt.Sprintf("func volumeScan%sNEON(out *Range, packets *Packet, first, n int, p *%s) (written int)", v.name, parameter), 48)
	f.put(`
		MOVD out+0(FP), R0
		MOVD packets+8(FP), R12
		MOVD first+16(FP), R6
		MOVD n+24(FP), R5
		MOVD p+32(FP), R2
		MOVD R0, R7
	`)
	loadWeights(f)
	v.load(f)
	f.put("scanloop:")
	f.put(v.hits + "\nRANGE")
	f.put(`
		next:
		ADD $384, R12
		ADD $1, R6
		SUBS $1, R5
		BNE scanloop
		SUB R7, R0
		LSR $3, R0
		MOVD R0, written+40(FP)
		RET
	`)
}

// putRange writes the range of slot R6 with the lanes V20 to V23, if any.
func putRange(f *text) {
	maskOf(f, 20, "R13")
	f.put(`
		CBZW R13, next
		ORR $0x80000000, R13
		ADD R13<<32, R6, R14
		MOVD.P R14, 8(R0)
	`)
}
