package main

import (
	"cmp"
	"fmt"
)

// ids writes the kernel that tests listed packets and writes the IDs of the hit lanes: as many packets as
// there is room for.
//
//	R0  next ID        R3  next slot number                 R8   bytes of a packet
//	R1  packets        R5  slots left, R6 the slot          R9   lanes hit
//	R2  volume         R7  last address with room for 16    R19  IDs    R20  compressTable
func (v *volume) ids(f *text, parameter string) {
	f.function(fmt.Sprintf("func volumeIDs%sNEON(out *uint32, room int, packets *Packet, ids, slots *uint32, n int, p *%s) (done, wrote int)", v.name, parameter), 72)
	f.put(`
		MOVD out+0(FP), R0
		MOVD room+8(FP), R7
		ADD R7<<2, R0, R7
		SUB $64, R7
		MOVD packets+16(FP), R1
		MOVD ids+24(FP), R19
		MOVD slots+32(FP), R3
		MOVD n+40(FP), R5
		MOVD p+48(FP), R2
		MOVD $384, R8
		MOVD $·compressTable(SB), R20
	`)
	loadWeights(f)
	v.load(f)
	v.idLoop(f, v.hits, "next")
	f.put(`
		MOVD n+40(FP), R10
		SUB R5, R10
		MOVD R10, done+56(FP)
		MOVD out+0(FP), R10
		SUB R10, R0
		LSR $2, R0
		MOVD R0, wrote+64(FP)
		RET
	`)
}

// idLoop is the loop of such a kernel, with the test hits; packets without a hit lane continue at the label next.
func (v *volume) idLoop(f *text, hits, next string) {
	f.put(`
		idloop:
		CMP R7, R0
		BGT idsdone
		CMP $4, R5
		BLE idtest
		MOVWU 16(R3), R14    // fetch the packet four places on, and its IDs
		MADD R8, R1, R14, R13
		ADD R14<<6, R19, R14
		PRFM (R14), PLDL1KEEP
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		idtest:
		MOVWU.P 4(R3), R6
		MADD R8, R1, R6, R12
	`)
	f.put(hits)
	maskOf(f, 20, "R9")
	f.put(`
		ADD R6<<6, R19, R10
		VLD1 (R10), [V0.S4, V1.S4, V2.S4, V3.S4]
	`)
	storeLanes(f, "R9", "R0")
	f.put(`
		%s:
		SUBS $1, R5
		BNE idloop

		idsdone:
	`, next)
}

// countLoop is a loop that counts the hit lanes in R0, up to R7, with the test hits; registers as in ids.
func (v *volume) countLoop(f *text, hits string) {
	f.put(`
		countloop:
		CMP R7, R0
		BGE wrote
		CMP $4, R5
		BLE counttest
		MOVWU 16(R3), R13    // fetch the packet four places on
		MADD R8, R1, R13, R13
	`)
	prefetchLines(f, "R13", 384)
	f.put(`
		counttest:
		MOVWU.P 4(R3), R6
		MADD R8, R1, R6, R12
	`)
	f.put(hits)
	maskOf(f, 20, "R9")
	f.put(`
		FMOVS R9, F4
		VCNT V4.B8, V4.B8
		VADDP V4.B16, V4.B16, V4.B16
		VMOV V4.B[0], R12
		ADD R12, R0

		countnext:
		SUBS $1, R5
		BNE countloop
	`)
}

// all writes the kernel of a whole walk: the node kernel and, where the queue ends with few packets to test,
// a packet kernel. Without IDs it counts; it writes IDs only if there is also budget left and nothing inside.
// Bits of R26 indicate the current one of the three.
func (v *volume) all(f *text, parameter string) {
	f.function(fmt.Sprintf("func volumeWhole%sNEON(w *VolumeWalk, nodes *Node, p *%s, filter *NodeFilter, budget int, packets *Packet, ids, out *uint32, room, most int) (done, wrote int)", v.name, parameter), 96)
	f.put("MOVD ZR, R26")
	v.nodeLoop(f, "TBNZ $0, R26, idnext\nTBNZ $1, R26, countnext")
	f.put(`
		MOVD $-1, R13
		MOVD R13, done+80(FP)
		CMP R7, R6
		BLT part
		MOVD most+72(FP), R13
		CMP R13, R9
		BGT part
		MOVD R8, R3
		MOVD R9, R5
		MOVD packets+40(FP), R1
		MOVD ids+48(FP), R19
		MOVD room+64(FP), R7
		MOVD $384, R8
		CBZ R19, counts
		CBZ R4, part
		CBNZ R11, part
		MOVD out+56(FP), R0
		ADD R7<<2, R0, R7
		SUB $64, R7
		MOVD $1, R26
		CBZ R5, idsdone
	`)
	v.idLoop(f, cmp.Or(v.idHits, v.hits), "idnext")
	f.put(`
		MOVD out+56(FP), R10
		SUB R10, R0
		LSR $2, R0

		wrote:
		MOVD w+0(FP), R10
		MOVD (VolumeWalk_Packets+8)(R10), R10
		SUB R5, R10
		MOVD R10, done+80(FP)
		MOVD R0, wrote+88(FP)

		part:
		RET

		counts:
		MOVD ZR, R0
		MOVD $2, R26
		CBZ R5, wrote
	`)
	v.countLoop(f, cmp.Or(v.countHits, v.hits))
	f.put("B wrote")
}
