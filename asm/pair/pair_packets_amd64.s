//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// A packets kernel makes two passes, so that no branch has to be predicted. The first pass takes
// rows: it stores the objects of the packet of X that overlap the box of the packet of Y, and the
// lanes of Y that they may be paired with. The second takes these objects one by one, and tests
// them against the packet of Y.
//
//	DI  walk    R10  row    R12  lane of the node of X    SI, DX  nodes of X and Y
//	R8  note    R11  end    R13  lane of the node of Y    BX      bounds of packets of X
//	R14, R15  lanes for the lanes of a packet with another one and with itself
//	R9        differs by tier                             AX, CX  scratch
#define PAIRPACKETSETUP \
	MOVQ w+0(FP), DI                         \
	MOVQ n+8(FP), R11                        \
	MOVQ Walk_Head(DI), R10              \
	SHLQ $3, R10                             \
	ADDQ Walk_Rows(DI), R10              \
	LEAQ (R10)(R11*8), R11                   \
	MOVQ (Walk_X+Side_Nodes)(DI), SI \
	MOVQ (Walk_Y+Side_Nodes)(DI), DX \
	MOVQ (Walk_X+Side_Packets)(DI), BX \
	MOVQ packetColumns_Bounds(BX), BX        \
	MOVQ Walk_notes(DI), R8              \
	LEAQ ·pairLanes(SB), R14                 \
	MOVL Walk_Self(DI), R15              \
	SHLL $6, R15                             \
	ADDQ R14, R15

// For the lane R12 of the node of X: AX becomes its packet.
#define PAIRROWPACKET \
	MOVL Node_Child(R12), AX \
	ANDL $const_refIndex, AX \
	PAIRPACKET(AX, AX, BX)

// P becomes the address of the lanes that the lanes of X may be paired with.
#define PAIRPARTNERS(P) \
	MOVQ R14, P       \
	CMPQ R12, R13     \
	CMOVQEQ R15, P

// The moving lanes of the packet in a lane of a node. Destroys T.
#define PAIRMOVING(LANE, SIDE, T, MOVING) \
	MOVL LANE, T             \
	ANDL $const_refIndex, T  \
	MOVQ (SIDE+Side_Packets)(DI), MOVING    \
	MOVQ packetColumns_Moving(MOVING), MOVING   \
	MOVWLZX (MOVING)(T*2), MOVING

// For R12, the moving lanes of X, and R13, the moving lanes of Y: if Y has none, removes the lanes
// of CX that do not move. Destroys AX.
#define PAIRSTATIC \
	MOVL R13, AX \
	NEGL AX      \
	SBBL AX, AX  \
	ORL  R12, AX \
	ANDL AX, CX

// The second pass:
//
//	R8  end of the hits    R10  note    AX  object of X    BX, DX  bounds of packets of X and Y
//	                       R11  end     CX  slot of Y      R9, R12 to R15  scratch
#define PAIRNOTESETUP \
	MOVQ R8, R11                   \
	MOVQ Walk_notes(DI), R10   \
	MOVQ Walk_Hits(DI), R8     \
	MOVQ (Walk_Y+Side_Packets)(DI), DX \
	MOVQ packetColumns_Bounds(DX), DX

// Takes the next object, which is in lane R14 of the packet R13, and the packet R15.
#define PAIRNOTE \
	MOVL pairNotes_reach(R10), AX \
	MOVL pairNotes_slots(R10), CX \
	MOVL AX, R12             \
	SHRL $4, R12             \
	MOVL AX, R14             \
	ANDL $15, R14            \
	PAIRPACKET(R12, R13, BX) \
	PAIRPACKET(CX, R15, DX)

// The object overlaps the lanes R12 of Y: appends a hit, and keeps it if the object may be paired
// with one of the lanes.
#define PAIROVERLAP \
	ANDL pairNotes_lanes(R10), R12 \
	ADDQ $4, R10            \
	MOVL AX, (R8)           \
	MOVL CX, 4(R8)          \
	MOVL R12, 8(R8)         \
	PAIRKEEP(R12, R8)

// func pairPacketsAVX512(w *Walk, n int)
//
//	R9  the bits of node<<4 | lane in the offset of the bounds    Z12  reach
TEXT ·pairPacketsAVX512(SB), NOSPLIT, $0-16
	PAIRPACKETSETUP
	MOVQ $~0x1C3, R9
	VMOVDQU32 ·laneNumbers(SB), Z10
	MOVL $const_refIndex, AX
	VPBROADCASTD AX, Z11
	VBROADCASTSS Walk_Reach(DI), Z12

row:
	MOVL   (R10), R12
	MOVL   4(R10), R13
	ADDQ   $8, R10
	PDEPQ  R9, R12, R12
	PDEPQ  R9, R13, R13
	ADDQ   SI, R12
	ADDQ   DX, R13
	PAIRROWPACKET
	VBROADCASTSS 0(R13), Z0
	VBROADCASTSS 64(R13), Z1
	VBROADCASTSS 128(R13), Z2
	VBROADCASTSS 192(R13), Z3
	VBROADCASTSS 256(R13), Z4
	VBROADCASTSS 320(R13), Z5
	PAIRWIDEN(widenrow)

rowbox:
	VCMPPS $0x12, 64(AX), Z0, K1
	VCMPPS $0x1D, 0(AX), Z1, K2
	VCMPPS $0x12, 192(AX), Z2, K1, K1
	VCMPPS $0x1D, 128(AX), Z3, K2, K2
	VCMPPS $0x12, 320(AX), Z4, K1, K1
	VCMPPS $0x1D, 256(AX), Z5, K2, K2
	PAIRPARTNERS(AX)
	VMOVDQU32 (AX), Z8
	VPBROADCASTD Node_Child(R12), Z6
	VPBROADCASTD Node_Child(R13), Z7
	VPSLLD $4, Z6, Z6
	VPORD  Z10, Z6, Z6
	VPANDD Z11, Z7, Z7
	KANDW  K1, K2, K1
	KMOVW  K1, CX
	CMPL   Walk_Every(DI), $0
	JEQ    static

note:
	VPCOMPRESSD.Z Z6, K1, Z6
	VPCOMPRESSD.Z Z8, K1, Z8
	VMOVDQU32 Z6, pairNotes_reach(R8)
	VMOVDQU32 Z7, pairNotes_slots(R8)
	VMOVDQU32 Z8, pairNotes_lanes(R8)
	POPCNTL CX, CX
	LEAQ   (R8)(CX*4), R8
	CMPQ   R10, R11
	JNE    row
	JMP    notes

static:
	PAIRMOVING(Node_Child(R12), Walk_X, AX, R12)
	PAIRMOVING(Node_Child(R13), Walk_Y, AX, R13)
	PAIRSTATIC
	KMOVW  CX, K1
	KMOVW  R12, K2
	KNOTW  K2, K2
	VPBROADCASTD R13, Z9
	VPANDD Z9, Z8, K2, Z8
	JMP    note

widenrow:
	PAIRREACH(Z12, Z0, Z1, Z2, Z3, Z4, Z5)
	JMP    rowbox

notes:
	PAIRNOTESETUP
	MOVL   Walk_Reach(DI), R9
	CMPQ   R10, R11
	JEQ    done

object:
	PAIRNOTE
	VBROADCASTSS 0(R13)(R14*4), Z0
	VBROADCASTSS 64(R13)(R14*4), Z1
	VBROADCASTSS 128(R13)(R14*4), Z2
	VBROADCASTSS 192(R13)(R14*4), Z3
	VBROADCASTSS 256(R13)(R14*4), Z4
	VBROADCASTSS 320(R13)(R14*4), Z5
	TESTL  R9, R9
	JNZ    widenobject

objectbox:
	VCMPPS $0x12, 64(R15), Z0, K1
	VCMPPS $0x1D, 0(R15), Z1, K2
	VCMPPS $0x12, 192(R15), Z2, K1, K1
	VCMPPS $0x1D, 128(R15), Z3, K2, K2
	VCMPPS $0x12, 320(R15), Z4, K1, K1
	VCMPPS $0x1D, 256(R15), Z5, K2, K2
	KANDW  K1, K2, K1
	KMOVW  K1, R12
	PAIROVERLAP
	CMPQ   R10, R11
	JNE    object
	JMP    done

widenobject:
	PAIRREACH(Z12, Z0, Z1, Z2, Z3, Z4, Z5)
	JMP    objectbox

done:
	PAIRHITDONE
	VZEROUPPER
	RET

// One axis of eight boxes at the offset of their packet at P, minima first, against a
// box whose minimum and maximum are in LO and HI: OUT &= overlap.
#define PAIRHALF256(P, OFF, LO, HI, OUT) \
	VCMPPS $0x1D, (OFF)(P), HI, Y2    \
	VCMPPS $0x12, (OFF+64)(P), LO, Y3 \
	VANDPS Y2, OUT, OUT               \
	VANDPS Y3, OUT, OUT

// Loads the box at B into Y0, Y1 and Y12 to Y15.
#define PAIRBOX256(B) \
	VBROADCASTSS 0(B), Y0    \
	VBROADCASTSS 64(B), Y1   \
	VBROADCASTSS 128(B), Y12 \
	VBROADCASTSS 192(B), Y13 \
	VBROADCASTSS 256(B), Y14 \
	VBROADCASTSS 320(B), Y15

// The lanes of the packet at P that overlap the loaded box into M. Destroys T.
#define PAIROVERLAP256(P, M, T) \
	VPCMPEQD Y4, Y4, Y4         \
	VPCMPEQD Y5, Y5, Y5         \
	PAIRHALF256(P, 0, Y0, Y1, Y4)       \
	PAIRHALF256(P, 32, Y0, Y1, Y5)      \
	PAIRHALF256(P, 128, Y12, Y13, Y4)   \
	PAIRHALF256(P, 160, Y12, Y13, Y5)   \
	PAIRHALF256(P, 256, Y14, Y15, Y4)   \
	PAIRHALF256(P, 288, Y14, Y15, Y5)   \
	VMOVMSKPS Y4, M             \
	VMOVMSKPS Y5, T             \
	SHLL $8, T                  \
	ORL  T, M

// Stores the lanes of the low byte of CX, of eight from Y6 on, whose partners are at OFF from AX.
#define PAIRNOTE8(OFF) \
	MOVBLZX CX, R12            \
	SHLL $5, R12               \
	VMOVDQU (R9)(R12*1), Y4    \
	VPADDD  Y4, Y6, Y5         \
	VPERMD  OFF(AX), Y4, Y4    \
	VMOVDQU Y5, pairNotes_reach(R8) \
	VMOVDQU Y7, pairNotes_slots(R8) \
	VMOVDQU Y4, pairNotes_lanes(R8) \
	SHRL $5, R12               \
	POPCNTL R12, R12           \
	LEAQ (R8)(R12*4), R8

// Restricts the partners OUT of eight lanes of X from OFF/4 on: static lanes lose their static
// partners. Y4 is the moving lanes of X, Y5 the moving lanes of Y.
#define PAIRSTATIC8(OFF, OUT) \
	VPSLLVD ·laneNumbers+OFF(SB), Y10, Y0 \
	VPAND Y0, Y4, Y1          \
	VPCMPEQD Y0, Y1, Y1       \
	VPOR  Y5, Y1, Y1          \
	VPAND Y1, OUT, OUT

// func pairPacketsAVX2(w *Walk, n int)
//
//	R9  compressTable    Y11  reach
TEXT ·pairPacketsAVX2(SB), NOSPLIT, $64-16
	PAIRPACKETSETUP
	LEAQ ·compressTable(SB), R9
	MOVL $const_refIndex, AX
	VMOVD AX, X9
	VPBROADCASTD X9, Y9
	MOVL $8, AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8
	MOVL $1, AX
	VMOVD AX, X10
	VPBROADCASTD X10, Y10
	VBROADCASTSS Walk_Reach(DI), Y11

row2:
	MOVL (R10), R12
	MOVL 4(R10), R13
	ADDQ $8, R10
	PAIRLANE(R12, SI, AX)
	PAIRLANE(R13, DX, AX)
	PAIRROWPACKET
	PAIRBOX256(R13)
	PAIRWIDEN(widenrow2)

rowbox2:
	PAIROVERLAP256(AX, CX, AX)
	PAIRPARTNERS(AX)
	VPBROADCASTD Node_Child(R12), Y6
	VPBROADCASTD Node_Child(R13), Y7
	VPSLLD $4, Y6, Y6
	VPAND  Y9, Y7, Y7
	CMPL   Walk_Every(DI), $0
	JEQ    static2

note2:
	PAIRNOTE8(0)
	VPADDD Y8, Y6, Y6
	SHRL   $8, CX
	PAIRNOTE8(32)
	CMPQ   R10, R11
	JNE    row2
	JMP    notes2

static2:
	VMOVDQU (AX), Y2
	VMOVDQU 32(AX), Y3
	PAIRMOVING(Node_Child(R12), Walk_X, AX, R12)
	PAIRMOVING(Node_Child(R13), Walk_Y, AX, R13)
	PAIRSTATIC
	VMOVD R12, X4
	VPBROADCASTD X4, Y4
	VMOVD R13, X5
	VPBROADCASTD X5, Y5
	PAIRSTATIC8(0, Y2)
	PAIRSTATIC8(32, Y3)
	VMOVDQU Y2, partners-64(SP)
	VMOVDQU Y3, partners-32(SP)
	LEAQ  partners-64(SP), AX
	JMP   note2

widenrow2:
	PAIRREACH(Y11, Y0, Y1, Y12, Y13, Y14, Y15)
	JMP  rowbox2

notes2:
	PAIRNOTESETUP
	CMPQ R10, R11
	JEQ  done2

object2:
	PAIRNOTE
	LEAQ (R13)(R14*4), R13
	PAIRBOX256(R13)
	PAIRWIDEN(widenobject2)

objectbox2:
	PAIROVERLAP256(R15, R12, R14)
	PAIROVERLAP
	CMPQ R10, R11
	JNE  object2
	JMP  done2

widenobject2:
	PAIRREACH(Y11, Y0, Y1, Y12, Y13, Y14, Y15)
	JMP  objectbox2

done2:
	PAIRHITDONE
	VZEROUPPER
	RET
