//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// An objects kernel tests the object of each row against the packet of the row, all 16 lanes at
// once. Rows are independent, except for the end of the hits, so the packets of later rows are
// prefetched.
//
//	DI  walk               R10  row             R12  lane of X     SI, DX  nodes of X and Y
//	R8  end of the hits    R11  end of rows     R13  packet of Y   BX      bounds of packets of Y
//	R9  moving lanes of packets of Y            R14  its slot      AX, CX, R15  scratch
#define PAIROBJECTSETUP \
	MOVQ w+0(FP), DI                           \
	MOVQ n+8(FP), R11                          \
	MOVQ Walk_Head(DI), R10                \
	SHLQ $3, R10                               \
	ADDQ Walk_Rows(DI), R10                \
	LEAQ (R10)(R11*8), R11                     \
	MOVQ Walk_Hits(DI), R8                 \
	MOVQ (Walk_X+Side_Nodes)(DI), SI   \
	MOVQ (Walk_Y+Side_Nodes)(DI), DX   \
	MOVQ (Walk_Y+Side_Packets)(DI), R9 \
	MOVQ packetColumns_Bounds(R9), BX          \
	MOVQ packetColumns_Moving(R9), R9

// The packet in lane R13 of Y: R14 is its slot.
#define PAIROBJECTPACKET \
	PAIRLANE(R13, DX, AX)     \
	MOVL Node_Child(R13), R14 \
	ANDL $const_refIndex, R14 \
	PAIRPACKET(R14, R13, BX)

// Takes the next row, and prefetches the packet of the row sixteen on.
#define PAIROBJECTROW(DONE, LAST) \
	CMPQ R10, R11        \
	JEQ  DONE            \
	LEAQ 128(R10), R15   \
	CMPQ R15, R11        \
	JGE  LAST            \
	MOVL 4(R15), R13     \
	PAIROBJECTPACKET     \
	PREFETCHT0 0(R13)    \
	PREFETCHT0 64(R13)   \
	PREFETCHT0 128(R13)  \
	PREFETCHT0 192(R13)  \
	PREFETCHT0 256(R13)  \
	PREFETCHT0 320(R13)  \
LAST:                        \
	MOVL (R10), R12      \
	MOVL 4(R10), R13     \
	ADDQ $8, R10         \
	PAIRLANE(R12, SI, AX) \
	PAIROBJECTPACKET

// The object overlaps the lanes CX: appends a hit, and keeps it if the pair may be reported. The
// IDs of its packet are prefetched.
#define PAIROBJECTHIT \
	MOVL Node_Child(R12), AX    \
	BTL  $30, AX                \
	SBBL R15, R15               \
	ORL  Walk_Every(DI), R15 \
	MOVWLZX (R9)(R14*2), R12    \
	ORL  R12, R15               \
	ANDL R15, CX                \
	ANDL $const_refIndex, AX    \
	MOVL AX, (R8)               \
	MOVL R14, 4(R8)             \
	MOVL CX, 8(R8)              \
	SHLQ $6, R14                \
	MOVQ (Walk_Y+Side_Packets)(DI), AX \
	ADDQ packetColumns_IDs(AX), R14 \
	NEGL CX                     \
	CMOVQCC R8, R14             \
	PREFETCHT0 (R14)            \
	SBBQ CX, CX                 \
	ANDL $16, CX                \
	ADDQ CX, R8

// func pairObjectsAVX512(w *Walk, n int)
TEXT ·pairObjectsAVX512(SB), NOSPLIT, $0-16
	PAIROBJECTSETUP
	VBROADCASTSS Walk_Reach(DI), Z6

row:
	PAIROBJECTROW(done, last)
	VBROADCASTSS 0(R12), Z0
	VBROADCASTSS 64(R12), Z1
	VBROADCASTSS 128(R12), Z2
	VBROADCASTSS 192(R12), Z3
	VBROADCASTSS 256(R12), Z4
	VBROADCASTSS 320(R12), Z5
	PAIRWIDEN(widen)

widened:
	VCMPPS $0x1D, 0(R13), Z1, K1
	VCMPPS $0x12, 64(R13), Z0, K2
	VCMPPS $0x1D, 128(R13), Z3, K1, K1
	VCMPPS $0x12, 192(R13), Z2, K2, K2
	VCMPPS $0x1D, 256(R13), Z5, K1, K1
	VCMPPS $0x12, 320(R13), Z4, K2, K2
	KANDW K1, K2, K1
	KMOVW K1, CX
	PAIROBJECTHIT
	JMP  row

widen:
	PAIRREACH(Z6, Z0, Z1, Z2, Z3, Z4, Z5)
	JMP widened

done:
	PAIRHITDONE
	VZEROUPPER
	RET

// One axis of eight boxes from the offset on, minima in their column, against
// the interval LO to HI: OUT &= overlap.
#define PAIROBJECTHALF(OFF, LO, HI, OUT) \
	VCMPPS $0x1D, (OFF)(R13), HI, Y8    \
	VCMPPS $0x12, (OFF+64)(R13), LO, Y9 \
	VANDPS Y8, OUT, OUT                 \
	VANDPS Y9, OUT, OUT

// func pairObjectsAVX2(w *Walk, n int)
TEXT ·pairObjectsAVX2(SB), NOSPLIT, $0-16
	PAIROBJECTSETUP
	VBROADCASTSS Walk_Reach(DI), Y10

row2:
	PAIROBJECTROW(done2, last2)
	VBROADCASTSS 0(R12), Y0
	VBROADCASTSS 64(R12), Y1
	VBROADCASTSS 128(R12), Y2
	VBROADCASTSS 192(R12), Y3
	VBROADCASTSS 256(R12), Y4
	VBROADCASTSS 320(R12), Y5
	PAIRWIDEN(widen2)

widened2:
	VPCMPEQD Y6, Y6, Y6
	VPCMPEQD Y7, Y7, Y7
	PAIROBJECTHALF(0, Y0, Y1, Y6)
	PAIROBJECTHALF(32, Y0, Y1, Y7)
	PAIROBJECTHALF(128, Y2, Y3, Y6)
	PAIROBJECTHALF(160, Y2, Y3, Y7)
	PAIROBJECTHALF(256, Y4, Y5, Y6)
	PAIROBJECTHALF(288, Y4, Y5, Y7)
	VMOVMSKPS Y6, CX
	VMOVMSKPS Y7, AX
	SHLL $8, AX
	ORL  AX, CX
	PAIROBJECTHIT
	JMP  row2

widen2:
	PAIRREACH(Y10, Y0, Y1, Y2, Y3, Y4, Y5)
	JMP widened2

done2:
	PAIRHITDONE
	VZEROUPPER
	RET
