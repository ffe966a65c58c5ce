package main

import "fmt"

// volume is what the kernels of one volume are made of. The frames around it
// are the same for all: see nodes, packets and scan.
//
//	R2          the volume            V8 to V19   what load puts there
//	R12         the node or packet    V0 to V7    scratch, R13 to R17 too
type volume struct {
	name string // with Far for planes with two bounds
	load func(f *text)

	// node tests the eight children at R12: lanes hit into V20 and V21,
	// lanes inside into V22 and V23, all ones or zeros.
	node func(f *text)

	// packet tests the 16 boxes at R12: lanes hit into V20 to V23. It may
	// jump to miss as soon as none is left.
	packet func(f *text)
}

// kernels writes all three kernels of a volume.
func (v *volume) kernels(f *text, parameter string) {
	v.nodes(f, parameter)
	v.packets(f, parameter)
	v.scan(f, parameter)
}

// nodes writes the kernel that tests queued nodes and sorts their children into
// the lists of the walk.
//
//	R0  walk           R5, R6, R7   queue, head, length    R12  this node
//	R1  nodes          R8, R9       packets, length        R20  compressTable
//	R4  nodes left     R10, R11     inside, length         R22  mask of the filter
func (v *volume) nodes(f *text, parameter string) {
	f.function(fmt.Sprintf("func volumeNodes%sNEON(w *VolumeWalk, nodes *Node, p *%s, filter *NodeFilter, budget int)", v.name, parameter), 40)
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
		MOVD $const_refPacket, R13
		VDUP R13, V29.S4
		MOVD $const_refKeep, R13
		VDUP R13, V27.S4
		MOVD $const_refIndex, R13
		VDUP R13, V26.S4
	`)
	loadWeights(f)
	loadSift(f, "", "R3")
	v.load(f)
	f.put(`
		nodeloop:
		CMP R7, R6
		BGE nodedone

		// Fetch the four lines of the node four places on. Beyond the end of the
		// queue the entry is stale, which a prefetch forgives.
		ADD R6<<2, R5, R13
		MOVWU 16(R13), R14
		MOVWU (R13), R12
		ADD R14<<8, R1, R14
		PRFM (R14), PLDL1KEEP
		PRFM 64(R14), PLDL1KEEP
		PRFM 128(R14), PLDL1KEEP
		PRFM 192(R14), PLDL1KEEP
		ADD $1, R6
		ADD R12<<8, R1, R12
	`)
	v.node(f)
	f.put(`
		// Eight halfwords for each set of lanes.
		VUZP1 V21.H8, V20.H8, V20.H8
		VUZP1 V23.H8, V22.H8, V22.H8
	`)
	siftLanes(f, 20, 0)
	f.put(`
		VCMTST V29.S4, V24.S4, V0.S4
		VCMTST V29.S4, V25.S4, V1.S4
		VUZP1 V1.H8, V0.H8, V0.H8    // packets
		VAND V22.B16, V20.B16, V1.B16 // inside
		VEOR V1.B16, V20.B16, V20.B16 // on the border
		VAND V0.B16, V20.B16, V2.B16  // packets on the border
		VEOR V2.B16, V20.B16, V3.B16  // nodes on the border

		// R13: a byte of lanes for inside, nodes, packets; R14: their numbers.
		VUZP1 V3.B16, V1.B16, V1.B16
		VUZP1 V2.B16, V2.B16, V2.B16
		VAND V28.B16, V1.B16, V1.B16
		VAND V28.B16, V2.B16, V2.B16
		VADDP V2.B16, V1.B16, V1.B16
		VADDP V1.B16, V1.B16, V1.B16
		VADDP V1.B16, V1.B16, V1.B16
		VMOV V1.S[0], R13
		CBZW R13, nodenext
		VCNT V1.B8, V1.B8
		VMOV V1.S[0], R14
		VAND V27.B16, V24.B16, V24.B16
		VAND V27.B16, V25.B16, V25.B16
	`)
	appendLanes(f, 0, "R10", "R11")
	appendLanes(f, 1, "R5", "R7")
	f.put(`
		VAND V26.B16, V24.B16, V24.B16
		VAND V26.B16, V25.B16, V25.B16
	`)
	appendLanes(f, 2, "R8", "R9")
	f.put(`
		nodenext:
		SUBS $1, R4
		BNE nodeloop

		nodedone:
		MOVD R7, (VolumeWalk_Queue+8)(R0)
		MOVD R6, VolumeWalk_Head(R0)
		MOVD R9, (VolumeWalk_Packets+8)(R0)
		MOVD R11, (VolumeWalk_Inside+8)(R0)
		RET
	`)
}

// appendLanes writes the references V24, V25 that byte k of R13 selects to the
// end of a list, whole registers; byte k of R14 is their number.
func appendLanes(f *text, k int, list, length string) {
	f.put(`
		UBFX $%[1]d, R13, $8, R15
		UBFX $%[1]d, R14, $8, R16
		ADD R15<<5, R20, R15
		FLDPQ (R15), (F0, F1)
		ADD %[3]s<<2, %[2]s, R17
		VTBL V0.B16, [V24.B16, V25.B16], V0.B16
		VTBL V1.B16, [V24.B16, V25.B16], V1.B16
		FSTPQ (F0, F1), (R17)
		ADD R16, %[3]s
	`, 8*k, list, length)
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
		PRFM (R13), PLDL1KEEP
		PRFM 64(R13), PLDL1KEEP
		PRFM 128(R13), PLDL1KEEP
		PRFM 192(R13), PLDL1KEEP
		PRFM 256(R13), PLDL1KEEP
		PRFM 320(R13), PLDL1KEEP

		packettest:
		MOVWU.P 4(R3), R6
		MADD R8, R1, R6, R12
	`)
	v.packet(f)
	putRange(f)
	f.put(`
		miss:
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
	v.packet(f)
	putRange(f)
	f.put(`
		miss:
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
	maskOf16(f, 20, "R13")
	f.put(`
		CBZW R13, miss
		ORR $0x80000000, R13
		ADD R13<<32, R6, R14
		MOVD.P R14, 8(R0)
	`)
}

// missIfNone jumps to miss when no lane of V20 to V23 is hit: the sum of four
// numbers from 0 to -4 is 0 only if all are.
func missIfNone(f *text) {
	f.put(`
		VADD V20.S4, V21.S4, V4.S4
		VADD V22.S4, V23.S4, V5.S4
		VADD V4.S4, V5.S4, V4.S4
		VADDV V4.S4, V4
		VMOV V4.S[0], R13
		CBZW R13, miss
	`)
}

// and makes lanes of the register both true; the first test of a volume finds
// nothing there yet.
func and(f *text, first bool, lanes, with int) {
	if first {
		f.put("VMOV V%d.B16, V%d.B16", with, lanes)
		return
	}
	f.put("VAND V%d.B16, V%d.B16, V%d.B16", with, lanes, lanes)
}
