//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// A packets kernel tests the packets of rows: of one packet the lanes that
// reach the box of the other, one by one, against its 16.
//
//	DI   walk        R11  slot of X << 4    BX   its packet    CX  its lanes left
//	R10  row         R12  slot of Y         R13  its packet    SI  0 if they are one, else -1
//	R8   end of the hits    R15  node of Y    R14  its lanes left    AX, DX, R9  scratch
#define PAIRPACKETSETUP \
	MOVQ w+0(FP), DI                \
	MOVQ PairWalk_Head(DI), R10     \
	SHLQ $4, R10                    \
	ADDQ PairWalk_Rows(DI), R10     \
	MOVQ PairWalk_Hits(DI), R8

#define PAIRPACKETDONE \
	SUBQ PairWalk_Rows(DI), R10    \
	SHRQ $4, R10                   \
	MOVQ R10, PairWalk_Head(DI)    \
	SUBQ PairWalk_Hits(DI), R8     \
	SHRQ $4, R8                    \
	MOVQ R8, (PairWalk_Hits+8)(DI)

// Loads the next row: R9 is the set of moving lanes of X.
#define PAIRROW(DONE) \
	DECQ n+8(FP)                  \
	JLT  DONE                     \
	MOVL (R10), R9                \
	MOVL R9, AX                   \
	ANDL $15, AX                  \
	SHRL $4, R9                   \
	SHLQ $9, R9                   \
	ADDQ (PairWalk_X+PairSide_Nodes)(DI), R9 \
	MOVL Node_Child(R9)(AX*4), R11 \
	ANDL $const_refIndex, R11     \
	LEAQ (R11)(R11*2), BX         \
	SHLQ $7, BX                   \
	MOVQ (PairWalk_X+PairSide_Packets)(DI), R9 \
	ADDQ packetColumns_Bounds(R9), BX \
	MOVQ packetColumns_Moving(R9), R9 \
	MOVWLZX (R9)(R11*2), R9       \
	ORL  PairWalk_Every(DI), R9   \
	SHLL $4, R11                  \
	MOVL 4(R10), R15              \
	SHLQ $9, R15                  \
	ADDQ (PairWalk_Y+PairSide_Nodes)(DI), R15 \
	MOVL 8(R10), R14

// Takes the next lane of the node of Y into AX.
#define PAIRLANE(NEXTROW, PARTIAL) \
	TESTL  R14, R14      \
	JZ     NEXTROW       \
	DECQ   budget+16(FP) \
	JLT    PARTIAL       \
	TZCNTL R14, AX       \
	BLSRL  R14, R14

// The packet in lane AX of the node of Y: DX is the set of its moving lanes.
#define PAIRPACKET(APART) \
	MOVL Node_Child(R15)(AX*4), R12 \
	ANDL $const_refIndex, R12       \
	LEAQ (R12)(R12*2), R13          \
	SHLQ $7, R13                    \
	MOVQ (PairWalk_Y+PairSide_Packets)(DI), DX \
	ADDQ packetColumns_Bounds(DX), R13 \
	MOVQ packetColumns_Moving(DX), DX \
	MOVWLZX (DX)(R12*2), DX         \
	ORL  PairWalk_Every(DI), DX     \
	MOVQ $-1, SI                    \
	CMPQ BX, R13                    \
	JNE  APART                      \
	CMPL PairWalk_Self(DI), $0      \
	JEQ  APART                      \
	XORL SI, SI                     \
APART:

// Lane AX of X meets the lanes R9 of Y: a hit that stays if there is one. CX
// holds the lanes of X after AX, which in a packet paired with itself are those
// that AX has not met yet. DX holds the lanes of Y that AX may be paired with.
#define PAIRHIT \
	ANDL DX, R9            \
	MOVL CX, DX            \
	ORL  SI, DX            \
	ANDL DX, R9            \
	ADDL R11, AX           \
	MOVL AX, (R8)          \
	MOVL R12, 4(R8)        \
	MOVL R9, 8(R8)         \
	NEGL R9                \
	SBBQ R9, R9            \
	ANDL $16, R9           \
	ADDQ R9, R8

// func pairPacketsAVX512(w *PairWalk, n, budget int)
//
//	Z0 to Z5  packet of Y     Z6 to Z11  packet of X     K5, K6  moving lanes of X and Y
TEXT ·pairPacketsAVX512(SB), NOSPLIT, $0-24
	PAIRPACKETSETUP

row:
	PAIRROW(done)
	KMOVW R9, K5
	VMOVUPS 0(BX), Z6
	VMOVUPS 64(BX), Z7
	VMOVUPS 128(BX), Z8
	VMOVUPS 192(BX), Z9
	VMOVUPS 256(BX), Z10
	VMOVUPS 320(BX), Z11

pair:
	PAIRLANE(nextrow, partial)
	VCMPPS.BCST $0x12, 64(R15)(AX*4), Z6, K1
	VCMPPS.BCST $0x1D, 0(R15)(AX*4), Z7, K2
	VCMPPS.BCST $0x12, 192(R15)(AX*4), Z8, K1, K1
	VCMPPS.BCST $0x1D, 128(R15)(AX*4), Z9, K2, K2
	VCMPPS.BCST $0x12, 320(R15)(AX*4), Z10, K1, K1
	VCMPPS.BCST $0x1D, 256(R15)(AX*4), Z11, K2, K2
	KANDW K1, K2, K1
	KMOVW K1, CX
	PAIRPACKET(apart)
	KMOVW DX, K6
	TESTL DX, DX
	JNZ   reach
	KMOVW K5, R9    // no lane of Y moves: only those of X that do can hit
	ANDL  R9, CX

reach:
	TESTL CX, CX
	JZ    pair
	VMOVUPS 0(R13), Z0
	VMOVUPS 64(R13), Z1
	VMOVUPS 128(R13), Z2
	VMOVUPS 192(R13), Z3
	VMOVUPS 256(R13), Z4
	VMOVUPS 320(R13), Z5

	PCALIGN $32 // 4 % of the kernel, wherever the rest puts it
lane:
	TZCNTL CX, AX
	BLSRL  CX, CX
	VCMPPS.BCST $0x12, 64(BX)(AX*4), Z0, K1
	VCMPPS.BCST $0x1D, 0(BX)(AX*4), Z1, K2
	VCMPPS.BCST $0x12, 192(BX)(AX*4), Z2, K1, K1
	VCMPPS.BCST $0x1D, 128(BX)(AX*4), Z3, K2, K2
	VCMPPS.BCST $0x12, 320(BX)(AX*4), Z4, K1, K1
	VCMPPS.BCST $0x1D, 256(BX)(AX*4), Z5, K2, K2
	KMOVW K5, DX
	BTL   AX, DX
	SBBL  DX, DX
	KMOVW K6, R9
	ORL   R9, DX
	KANDW K1, K2, K1
	KMOVW K1, R9
	PAIRHIT
	TESTL CX, CX
	JNZ   lane
	JMP   pair

nextrow:
	ADDQ $16, R10
	JMP  row

partial:
	MOVL R14, 8(R10)

done:
	PAIRPACKETDONE
	VZEROUPPER
	RET

// One axis of eight boxes from the offset on, their packet at P with minima in
// column COL, against a box whose minimum and maximum are in LO and HI: OUT &=
// overlap.
#define PAIRHALF256(P, OFF, LO, HI, OUT) \
	VCMPPS $0x1D, (OFF)(P), HI, Y2    \
	VCMPPS $0x12, (OFF+64)(P), LO, Y3 \
	VANDPS Y2, OUT, OUT               \
	VANDPS Y3, OUT, OUT

#define PAIRAXIS256(P, OFF) \
	PAIRHALF256(P, OFF, Y0, Y1, Y4)    \
	PAIRHALF256(P, (OFF+32), Y0, Y1, Y5)

// The lanes of Y4 and Y5 into M. DX is scratch.
#define PAIRMASK256(M) \
	VMOVMSKPS Y4, M  \
	VMOVMSKPS Y5, DX \
	SHLL $8, DX      \
	ORL  DX, M

// func pairPacketsAVX2(w *PairWalk, n, budget int)
//
//	X6, X7  moving lanes of X and Y
TEXT ·pairPacketsAVX2(SB), NOSPLIT, $0-24
	PAIRPACKETSETUP

row2:
	PAIRROW(done2)
	VMOVD R9, X6

pair2:
	PAIRLANE(nextrow2, partial2)
	VPCMPEQD Y4, Y4, Y4
	VPCMPEQD Y5, Y5, Y5
	VBROADCASTSS 0(R15)(AX*4), Y0
	VBROADCASTSS 64(R15)(AX*4), Y1
	PAIRAXIS256(BX, 0)
	VBROADCASTSS 128(R15)(AX*4), Y0
	VBROADCASTSS 192(R15)(AX*4), Y1
	PAIRAXIS256(BX, 128)
	VBROADCASTSS 256(R15)(AX*4), Y0
	VBROADCASTSS 320(R15)(AX*4), Y1
	PAIRAXIS256(BX, 256)
	PAIRMASK256(CX)
	PAIRPACKET(apart2)
	VMOVD DX, X7
	TESTL DX, DX
	JNZ   reach2
	VMOVD X6, R9
	ANDL  R9, CX

reach2:
	TESTL CX, CX
	JZ    pair2

lane2:
	TZCNTL CX, AX
	BLSRL  CX, CX
	VPCMPEQD Y4, Y4, Y4
	VPCMPEQD Y5, Y5, Y5
	VBROADCASTSS 0(BX)(AX*4), Y0
	VBROADCASTSS 64(BX)(AX*4), Y1
	PAIRAXIS256(R13, 0)
	VBROADCASTSS 128(BX)(AX*4), Y0
	VBROADCASTSS 192(BX)(AX*4), Y1
	PAIRAXIS256(R13, 128)
	VBROADCASTSS 256(BX)(AX*4), Y0
	VBROADCASTSS 320(BX)(AX*4), Y1
	PAIRAXIS256(R13, 256)
	VMOVD X6, DX
	BTL   AX, DX
	SBBL  DX, DX
	VMOVD X7, R9
	ORL   DX, R9
	MOVL  R9, R15    // the address of the node is found again below
	PAIRMASK256(R9)
	MOVL  R15, DX
	PAIRHIT
	TESTL CX, CX
	JNZ   lane2
	MOVL  4(R10), R15
	SHLQ  $9, R15
	ADDQ  (PairWalk_Y+PairSide_Nodes)(DI), R15
	JMP   pair2

nextrow2:
	ADDQ $16, R10
	JMP  row2

partial2:
	MOVL R14, 8(R10)

done2:
	PAIRPACKETDONE
	VZEROUPPER
	RET
