//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// An objects kernel tests the object of a row against the packets of the row,
// all 16 lanes at once. Nothing but the end of the hits depends on a packet, so
// the next ones are fetched meanwhile.
//
//	DI   walk    R11  object of X    BX   its node, then its moving lanes    CX  moving lanes of Y
//	R10  row     R12  slot of Y      R13  its packet                         DX, SI  nodes and packets of Y
//	R8   end of the hits    R15  node of Y    R14  its lanes left            AX, R9  scratch
#define PAIROBJECTSETUP \
	MOVQ w+0(FP), DI                \
	MOVQ PairWalk_Head(DI), R10     \
	SHLQ $4, R10                    \
	ADDQ PairWalk_Rows(DI), R10     \
	MOVQ PairWalk_Hits(DI), R8      \
	MOVQ (PairWalk_Y+PairSide_Nodes)(DI), DX   \
	MOVQ (PairWalk_Y+PairSide_Packets)(DI), CX \
	MOVQ packetColumns_Bounds(CX), SI          \
	MOVQ packetColumns_Moving(CX), CX

#define PAIROBJECTDONE \
	SUBQ PairWalk_Rows(DI), R10    \
	SHRQ $4, R10                   \
	MOVQ R10, PairWalk_Head(DI)    \
	SUBQ PairWalk_Hits(DI), R8     \
	SHRQ $4, R8                    \
	MOVQ R8, (PairWalk_Hits+8)(DI)

// Finds the node and the lane AX of the next row: the object is in that lane of BX.
#define PAIROBJECTROW(DONE) \
	DECQ n+8(FP)                   \
	JLT  DONE                      \
	MOVL (R10), BX                 \
	MOVL BX, AX                    \
	ANDL $15, AX                   \
	SHRL $4, BX                    \
	SHLQ $9, BX                    \
	ADDQ (PairWalk_X+PairSide_Nodes)(DI), BX \
	MOVL Node_Child(BX)(AX*4), R11 \
	MOVL 4(R10), R15               \
	SHLQ $9, R15                   \
	ADDQ DX, R15                   \
	MOVL 8(R10), R14

// With the box loaded: BX becomes all ones if the object may be paired with a
// static one, else 0, and R11 its number.
#define PAIROBJECTMOVES \
	BTL  $30, R11               \
	SBBL BX, BX                 \
	ORL  PairWalk_Every(DI), BX \
	ANDL $const_refIndex, R11

// Takes the next packet of the row.
#define PAIROBJECTLANE(NEXTROW, PARTIAL) \
	TESTL  R14, R14                 \
	JZ     NEXTROW                  \
	DECQ   budget+16(FP)            \
	JLT    PARTIAL                  \
	TZCNTL R14, AX                  \
	BLSRL  R14, R14                 \
	MOVL   Node_Child(R15)(AX*4), R12 \
	ANDL   $const_refIndex, R12     \
	LEAQ   (R12)(R12*2), R13        \
	SHLQ   $7, R13                  \
	ADDQ   SI, R13

// The object meets the lanes R9: a hit that stays if there is one that may be.
// The IDs of its packet are fetched.
#define PAIROBJECTHIT \
	MOVWLZX (CX)(R12*2), AX \
	ORL  BX, AX        \
	ANDL AX, R9        \
	MOVL R11, (R8)     \
	MOVL R12, 4(R8)    \
	MOVL R9, 8(R8)     \
	SHLQ $6, R12       \
	MOVQ (PairWalk_Y+PairSide_Packets)(DI), AX \
	ADDQ packetColumns_IDs(AX), R12 \
	NEGL R9            \
	CMOVQCC R8, R12    \
	PREFETCHT0 (R12)   \
	SBBQ R9, R9        \
	ANDL $16, R9       \
	ADDQ R9, R8

// func pairObjectsAVX512(w *PairWalk, n, budget int)
TEXT ·pairObjectsAVX512(SB), NOSPLIT, $0-24
	PAIROBJECTSETUP

row:
	PAIROBJECTROW(done)
	VBROADCASTSS 0(BX)(AX*4), Z0
	VBROADCASTSS 64(BX)(AX*4), Z1
	VBROADCASTSS 128(BX)(AX*4), Z2
	VBROADCASTSS 192(BX)(AX*4), Z3
	VBROADCASTSS 256(BX)(AX*4), Z4
	VBROADCASTSS 320(BX)(AX*4), Z5
	PAIROBJECTMOVES

packet:
	PAIROBJECTLANE(nextrow, partial)
	VCMPPS $0x1D, 0(R13), Z1, K1
	VCMPPS $0x12, 64(R13), Z0, K2
	VCMPPS $0x1D, 128(R13), Z3, K1, K1
	VCMPPS $0x12, 192(R13), Z2, K2, K2
	VCMPPS $0x1D, 256(R13), Z5, K1, K1
	VCMPPS $0x12, 320(R13), Z4, K2, K2
	KANDW K1, K2, K1
	KMOVW K1, R9
	PAIROBJECTHIT
	JMP  packet

nextrow:
	ADDQ $16, R10
	JMP  row

partial:
	MOVL R14, 8(R10)

done:
	PAIROBJECTDONE
	VZEROUPPER
	RET

// One axis of eight boxes from the offset on, minima in their column, against
// the interval LO to HI: OUT &= overlap.
#define PAIROBJECTHALF(OFF, LO, HI, OUT) \
	VCMPPS $0x1D, (OFF)(R13), HI, Y8    \
	VCMPPS $0x12, (OFF+64)(R13), LO, Y9 \
	VANDPS Y8, OUT, OUT                 \
	VANDPS Y9, OUT, OUT

// func pairObjectsAVX2(w *PairWalk, n, budget int)
TEXT ·pairObjectsAVX2(SB), NOSPLIT, $0-24
	PAIROBJECTSETUP

row2:
	PAIROBJECTROW(done2)
	VBROADCASTSS 0(BX)(AX*4), Y0
	VBROADCASTSS 64(BX)(AX*4), Y1
	VBROADCASTSS 128(BX)(AX*4), Y2
	VBROADCASTSS 192(BX)(AX*4), Y3
	VBROADCASTSS 256(BX)(AX*4), Y4
	VBROADCASTSS 320(BX)(AX*4), Y5
	PAIROBJECTMOVES

packet2:
	PAIROBJECTLANE(nextrow2, partial2)
	VPCMPEQD Y6, Y6, Y6
	VPCMPEQD Y7, Y7, Y7
	PAIROBJECTHALF(0, Y0, Y1, Y6)
	PAIROBJECTHALF(32, Y0, Y1, Y7)
	PAIROBJECTHALF(128, Y2, Y3, Y6)
	PAIROBJECTHALF(160, Y2, Y3, Y7)
	PAIROBJECTHALF(256, Y4, Y5, Y6)
	PAIROBJECTHALF(288, Y4, Y5, Y7)
	VMOVMSKPS Y6, R9
	VMOVMSKPS Y7, AX
	SHLL $8, AX
	ORL  AX, R9
	PAIROBJECTHIT
	JMP  packet2

nextrow2:
	ADDQ $16, R10
	JMP  row2

partial2:
	MOVL R14, 8(R10)

done2:
	PAIROBJECTDONE
	VZEROUPPER
	RET
