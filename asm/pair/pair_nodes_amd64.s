//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// A nodes kernel:
//
//	DI  walk          R11  X    BX   its node    R8   end of the tasks
//	SI  nodes of X    R12  Y    R13  its node    R10  end of the rows
//	DX  nodes of Y    R14  lanes of X left       AX, CX, R9, R15  scratch
//
// The frame holds for a task: the lanes of Y that pass the filter, the lanes of Y that are packets,
// and the lanes of Y that may be paired with a static one. mirror is the part still to be tested
// with X and Y exchanged: lanes of Y that move and, from bit 16 on, lanes of X that do not. lane is
// the tested lane of X.
#define PAIRNODESETUP \
	MOVQ w+0(FP), DI                               \
	MOVQ (Walk_X+Side_Nodes)(DI), SI       \
	MOVQ (Walk_Y+Side_Nodes)(DI), DX       \
	MOVQ (Walk_Tasks+8)(DI), R8                \
	SHLQ $4, R8                                    \
	ADDQ Walk_Tasks(DI), R8                    \
	MOVQ (Walk_Rows+8)(DI), R10                \
	SHLQ $3, R10                                   \
	ADDQ Walk_Rows(DI), R10

#define PAIRNODEDONE \
	SUBQ Walk_Tasks(DI), R8     \
	SHRQ $4, R8                     \
	MOVQ R8, (Walk_Tasks+8)(DI) \
	SUBQ Walk_Rows(DI), R10     \
	SHRQ $3, R10                    \
	MOVQ R10, (Walk_Rows+8)(DI)

// Takes the last task: its lanes into R14 (X) and AX (Y), its Within into CX.
#define PAIRTASK(DONE) \
	CMPQ R8, Walk_Tasks(DI) \
	JEQ  DONE                   \
	DECQ budget+8(FP)           \
	JLT  DONE                   \
	SUBQ $16, R8                \
	MOVL (R8), R11              \
	MOVL 4(R8), R12             \
	MOVL 8(R8), AX              \
	MOVL 12(R8), CX             \
	MOVQ R11, BX                \
	SHLQ $9, BX                 \
	ADDQ SI, BX                 \
	MOVQ R12, R13               \
	SHLQ $9, R13                \
	ADDQ DX, R13                \
	MOVWLZX AX, R14             \
	SHRL $16, AX

// Selects from the wanted lanes R14 of X the ones to test against the wanted lanes AX of Y, and the
// part for the exchanged test. R15 is the lanes of X that may be paired with a static one, CX those
// of Y.
#define PAIRSPLIT(SELF, BOUNDS) \
	MOVL  CX, moving-8(SP)        \
	MOVL  $0, mirror-12(SP)       \
	ANDL  AX, CX                  \
	CMPL  Walk_Self(DI), $0   \
	JNE   SELF                    \
	TESTL CX, CX                  \
	JNZ   BOUNDS                  \
	ANDL  R15, R14                \ // no lane of Y moves: only moving lanes of X
	JMP   BOUNDS                  \
SELF:                                 \
	ANDNL R14, R15, R9            \
	ANDL  R15, R14                \
	CMPQ  BX, R13                 \
	JEQ   BOUNDS                  \
	TESTL R9, R9                  \
	JZ    BOUNDS                  \
	TESTL CX, CX                  \
	JZ    BOUNDS                  \
	SHLL  $16, R9                 \
	ORL   CX, R9                  \
	MOVL  R9, mirror-12(SP)

// The signs of A and B, eight each, into M. R9 is scratch.
#define PAIRSIGNS256(A, B, M) \
	VMOVMSKPS A, M  \
	VMOVMSKPS B, R9 \
	SHLL $8, R9     \
	ORL  R9, M

// Exchanges X and Y if an exchanged test is left: its lanes into R14 (X) and AX (Y). All lanes of
// the new X move.
#define PAIRMIRROR(TASK) \
	MOVL  mirror-12(SP), AX        \
	TESTL AX, AX                   \
	JZ    TASK                     \
	MOVL  $0, mirror-12(SP)        \
	XCHGL R11, R12                 \
	XCHGQ BX, R13                  \
	MOVWLZX AX, R14                \
	SHRL  $16, AX                  \
	VMOVUPS Node_Child(R13), Y0    \
	VMOVUPS (Node_Child+32)(R13), Y1 \
	PAIRSIGNS256(Y0, Y1, CX)       \
	MOVL  CX, packets-4(SP)

// Selects from the lanes R15 of Y that overlap lane AX of X the ones that may be paired with it:
// packets into CX, nodes stay in R15. In a node paired with itself these are the lanes from AX on,
// and the lanes that are never X.
#define PAIRLANES(LANE, MOVING, APART) \
	TESTL R15, R15                 \
	JZ    LANE                     \
	MOVL  moving-8(SP), CX         \
	BTL   $30, Node_Child(BX)(AX*4) \
	JCS   MOVING                   \
	ANDL  CX, R15                  \
MOVING:                                \
	CMPQ  BX, R13                  \
	JNE   APART                    \
	CMPL  Walk_Self(DI), $0    \
	JEQ   APART                    \
	NOTL  CX                       \
	MOVL  $0xffff, R9              \
	SHLXL AX, R9, R9               \
	ORL   CX, R9                   \
	ANDL  R9, R15                  \
APART:                                 \
	TESTL R15, R15                 \
	JZ    LANE                     \
	MOVL  packets-4(SP), CX        \
	ANDL  R15, CX                  \
	XORL  CX, R15

// Lane AX of X overlaps the packets CX and the nodes R15 of Y: appends tasks, and rows by ROWS. The
// nodes are prefetched, except their masks.
#define PAIRSORT(LANE, PACKET, NODES, ROWS) \
	MOVL  Node_Child(BX)(AX*4), R9 \
	TESTL R9, R9                   \
	JS    PACKET                   \
	ANDL  $const_refIndex, R9      \ // a node with the packets
	MOVL  R9, (R8)                 \
	MOVL  R12, 4(R8)               \
	SHLL  $16, CX                  \
	LEAL  0xffff(CX), AX           \
	MOVL  AX, 8(R8)                \
	MOVL  $-1, 12(R8)              \
	PAIRKEEP(CX, R8)               \
	MOVL  $0xffffffff, CX          \
	JMP   NODES                    \
PACKET:                                \
	MOVL  AX, lane-20(SP)          \
	ROWS                           \ // a packet with the packets
	MOVL  lane-20(SP), AX          \
	MOVL  $1, CX                   \
	SHLXL AX, CX, CX               \
	ORL   $0xffff0000, CX          \
	MOVL  R11, R9                  \
NODES:                                 \
	TESTL R15, R15                 \
	JZ    LANE                     \
	TZCNTL R15, AX                 \
	BLSRL R15, R15                 \
	MOVL  R9, (R8)                 \
	MOVL  CX, 8(R8)                \
	SHLL  $4, R12                  \
	ORL   AX, R12                  \
	MOVL  R12, 12(R8)              \
	SHRL  $4, R12                  \
	MOVL  Node_Child(R13)(AX*4), AX \
	ANDL  $const_refIndex, AX      \
	MOVL  AX, 4(R8)                \
	ADDQ  $16, R8                  \
	SHLQ  $9, AX                   \
	PREFETCHT0 (DX)(AX*1)          \
	PREFETCHT0 64(DX)(AX*1)        \
	PREFETCHT0 128(DX)(AX*1)       \
	PREFETCHT0 192(DX)(AX*1)       \
	PREFETCHT0 256(DX)(AX*1)       \
	PREFETCHT0 320(DX)(AX*1)       \
	PREFETCHT0 384(DX)(AX*1)       \
	JMP   NODES

// Appends rows of the packet in lane AX of X and the packets CX of Y. Z10 holds the lanes of Y, Z11
// and Z12 the permutations that interleave them with X.
#define PAIRROWS512 \
	MOVL  R11, R9                  \
	SHLL  $4, R9                   \
	ORL   AX, R9                   \
	KMOVW CX, K1                   \
	VPCOMPRESSD.Z Z10, K1, Z13     \
	VPBROADCASTD R9, Z14           \
	VMOVDQA32 Z14, Z15             \
	VPERMT2D  Z13, Z11, Z14        \
	VPERMT2D  Z13, Z12, Z15        \
	VMOVDQU32 Z14, (R10)           \
	VMOVDQU32 Z15, 64(R10)         \
	POPCNTL CX, CX                 \
	LEAQ  (R10)(CX*8), R10

// func pairNodesAVX512(w *Walk, budget int)
//
//	Z0 to Z5  bounds of Y    K7  its lanes that pass the filter    Z16  0 1 2 … 15
//	Z8  flags of the filter  Z9  its mask   Z17  reach
TEXT ·pairNodesAVX512(SB), NOSPLIT, $24-16
	PAIRNODESETUP
	VPBROADCASTD (Walk_Filter+NodeFilter_Flags)(DI), Z8
	VPBROADCASTD (Walk_Filter+NodeFilter_Mask)(DI), Z9
	VBROADCASTSS Walk_Reach(DI), Z17
	VMOVDQU32 ·laneNumbers(SB), Z16
	VMOVDQU32 ·interleave+0(SB), Z11
	VMOVDQU32 ·interleave+64(SB), Z12

task:
	PAIRTASK(done)
	KMOVW R14, K1
	KMOVW AX, K7
	CMPL  CX, $-1
	JEQ   whole
	PAIRLANE(CX, DX, R9)
	VBROADCASTSS 0(CX), Z0
	VBROADCASTSS 64(CX), Z1
	VBROADCASTSS 128(CX), Z2
	VBROADCASTSS 192(CX), Z3
	VBROADCASTSS 256(CX), Z4
	VBROADCASTSS 320(CX), Z5
	PAIRWIDEN(widentask)

taskbox:
	VCMPPS $0x12, 64(BX), Z0, K1, K1
	VCMPPS $0x1D, 0(BX), Z1, K2
	VCMPPS $0x12, 192(BX), Z2, K1, K1
	VCMPPS $0x1D, 128(BX), Z3, K2, K2
	VCMPPS $0x12, 320(BX), Z4, K1, K1
	VCMPPS $0x1D, 256(BX), Z5, K2, K2
	KANDW  K1, K2, K1

whole:
	VMOVDQU32 Node_Child(BX), Z6
	VMOVDQU32 Node_Child(R13), Z7
	VPTESTMD Z8, Z6, K1, K1
	VPTESTMD Z8, Z7, K7, K7
	CMPL  (Walk_Filter+NodeFilter_Mask)(DI), $0
	JEQ   sifted
	VPTESTMD Node_Mask(BX), Z9, K1, K1
	VPTESTMD Node_Mask(R13), Z9, K7, K7

sifted:
	KMOVW K1, R14
	KMOVW K7, AX
	VPMOVD2M Z7, K2
	KMOVW K2, CX
	MOVL  CX, packets-4(SP)
	VPSLLD $1, Z6, Z6
	VPSLLD $1, Z7, Z7
	VPMOVD2M Z6, K1
	VPMOVD2M Z7, K2
	KMOVW K1, R15
	KMOVW K2, CX
	ORL   Walk_Every(DI), R15
	ORL   Walk_Every(DI), CX
	PAIRSPLIT(self, bounds)

bounds:
	TESTL R14, R14
	JZ    mirror
	MOVL  R12, R9
	SHLL  $4, R9
	VPBROADCASTD R9, Z10
	VPORD Z16, Z10, Z10
	VMOVUPS 0(R13), Z0
	VMOVUPS 64(R13), Z1
	VMOVUPS 128(R13), Z2
	VMOVUPS 192(R13), Z3
	VMOVUPS 256(R13), Z4
	VMOVUPS 320(R13), Z5
	PAIRWIDEN(widenbounds)

lane:
	TESTL  R14, R14
	JZ     mirror
	TZCNTL R14, AX
	BLSRL  R14, R14
	VCMPPS.BCST $0x12, 64(BX)(AX*4), Z0, K7, K1
	VCMPPS.BCST $0x1D, 0(BX)(AX*4), Z1, K7, K2
	VCMPPS.BCST $0x12, 192(BX)(AX*4), Z2, K1, K1
	VCMPPS.BCST $0x1D, 128(BX)(AX*4), Z3, K2, K2
	VCMPPS.BCST $0x12, 320(BX)(AX*4), Z4, K1, K1
	VCMPPS.BCST $0x1D, 256(BX)(AX*4), Z5, K2, K2
	KANDW  K1, K2, K1
	KMOVW  K1, R15
	PAIRLANES(lane, moving, apart)
	PAIRSORT(lane, packet, nodes, PAIRROWS512)

mirror:
	PAIRMIRROR(task)
	KMOVW AX, K7
	JMP  bounds

widentask:
	PAIRREACH(Z17, Z0, Z1, Z2, Z3, Z4, Z5)
	JMP  taskbox

widenbounds:
	PAIRREACH(Z17, Z0, Z1, Z2, Z3, Z4, Z5)
	JMP  lane

done:
	PAIRNODEDONE
	VZEROUPPER
	RET

// The children of a node into C and D, the lanes without a flag of the filter into
// A and B: Y8 is zero, Y9 the flags.
#define PAIRFLAGS256(NODE, C, D, A, B) \
	VMOVDQU  Node_Child(NODE), C      \
	VMOVDQU  (Node_Child+32)(NODE), D \
	VPAND    Y9, C, A                 \
	VPAND    Y9, D, B                 \
	VPCMPEQD Y8, A, A                 \
	VPCMPEQD Y8, B, B

// A and B |= the lanes without a bit of the mask of the filter, which is Y10.
#define PAIRMASKS256(NODE, A, B) \
	VPAND    Node_Mask(NODE), Y10, Y11      \
	VPAND    (Node_Mask+32)(NODE), Y10, Y12 \
	VPCMPEQD Y8, Y11, Y11                   \
	VPCMPEQD Y8, Y12, Y12                   \
	VPOR     Y11, A, A                      \
	VPOR     Y12, B, B

// A minimum or maximum at AT, moved by Y11, against a column in A and B: Y14, Y15 &= bound CMP column.
#define PAIRREACH256(AT, MOVE, CMP, A, B) \
	VBROADCASTSS AT, Y12      \
	MOVE  Y11, Y12, Y12       \
	VCMPPS CMP, A, Y12, Y13   \
	VCMPPS CMP, B, Y12, Y12   \
	VANDPS Y13, Y14, Y14      \
	VANDPS Y12, Y15, Y15

// A bound at AT against a column in A and B: Y14, Y15 &= bound CMP column.
#define PAIRBOUND256(AT, CMP, A, B) \
	VBROADCASTSS AT, Y12      \
	VCMPPS CMP, A, Y12, Y13   \
	VCMPPS CMP, B, Y12, Y12   \
	VANDPS Y13, Y14, Y14      \
	VANDPS Y12, Y15, Y15

// Appends rows of the packet whose parent link is in the low half of each word of Y12 and the
// packets in CX, of eight lanes from the one in the high half on. R9 is compressTable.
#define PAIRROWS8 \
	MOVBLZX CX, AX                \
	SHLL $5, AX                   \
	VPMOVSXDQ (R9)(AX*1), Y13     \
	VPMOVSXDQ 16(R9)(AX*1), Y14   \
	VPSLLQ $32, Y13, Y13          \
	VPSLLQ $32, Y14, Y14          \
	VPADDQ Y12, Y13, Y13          \
	VPADDQ Y12, Y14, Y14          \
	VMOVDQU Y13, (R10)            \
	VMOVDQU Y14, 32(R10)          \
	SHRL $5, AX                   \
	POPCNTL AX, AX                \
	LEAQ (R10)(AX*8), R10

// Appends rows of the packet in lane AX of X and the packets CX of Y.
#define PAIRROWS256 \
	SHLQ $32, R12                 \
	LEAQ (R12)(R11*1), R9         \
	SHRQ $32, R12                 \
	SHLQ $4, R9                   \
	ORQ  AX, R9                   \
	VMOVQ R9, X12                 \
	VPBROADCASTQ X12, Y12         \
	LEAQ ·compressTable(SB), R9   \
	PAIRROWS8                     \
	MOVL $8, AX                   \
	SHLQ $32, AX                  \
	VMOVQ AX, X13                 \
	VPBROADCASTQ X13, Y13         \
	VPADDQ Y13, Y12, Y12          \
	SHRL $8, CX                   \
	PAIRROWS8

// func pairNodesAVX2(w *Walk, budget int)
//
//	Y0 to Y11  bounds of Y, two for each column
TEXT ·pairNodesAVX2(SB), NOSPLIT, $24-16
	PAIRNODESETUP

task2:
	PAIRTASK(done2)
	CMPL  CX, $-1
	JEQ   whole2
	PAIRLANE(CX, DX, R9)
	VPCMPEQD Y14, Y14, Y14
	VPCMPEQD Y15, Y15, Y15
	PAIRWIDEN(widentask2)
	PAIRBOUND256(0(CX), $0x12, 64(BX), 96(BX))
	PAIRBOUND256(64(CX), $0x1D, 0(BX), 32(BX))
	PAIRBOUND256(128(CX), $0x12, 192(BX), 224(BX))
	PAIRBOUND256(192(CX), $0x1D, 128(BX), 160(BX))
	PAIRBOUND256(256(CX), $0x12, 320(BX), 352(BX))
	PAIRBOUND256(320(CX), $0x1D, 256(BX), 288(BX))

tasksigns2:
	PAIRSIGNS256(Y14, Y15, CX)
	ANDL CX, R14

whole2:
	VPXOR Y8, Y8, Y8
	VPBROADCASTD (Walk_Filter+NodeFilter_Flags)(DI), Y9
	PAIRFLAGS256(BX, Y0, Y1, Y2, Y3)
	PAIRFLAGS256(R13, Y4, Y5, Y6, Y7)
	CMPL  (Walk_Filter+NodeFilter_Mask)(DI), $0
	JEQ   sifted2
	VPBROADCASTD (Walk_Filter+NodeFilter_Mask)(DI), Y10
	PAIRMASKS256(BX, Y2, Y3)
	PAIRMASKS256(R13, Y6, Y7)

sifted2:
	PAIRSIGNS256(Y2, Y3, CX)
	ANDNL R14, CX, R14
	PAIRSIGNS256(Y6, Y7, CX)
	ANDNL AX, CX, AX
	MOVL  AX, wanted-16(SP)
	PAIRSIGNS256(Y4, Y5, CX)
	MOVL  CX, packets-4(SP)
	VPSLLD $1, Y0, Y0
	VPSLLD $1, Y1, Y1
	VPSLLD $1, Y4, Y4
	VPSLLD $1, Y5, Y5
	PAIRSIGNS256(Y0, Y1, R15)
	PAIRSIGNS256(Y4, Y5, CX)
	ORL   Walk_Every(DI), R15
	ORL   Walk_Every(DI), CX
	PAIRSPLIT(self2, bounds2)

bounds2:
	TESTL R14, R14
	JZ    mirror2
	VMOVUPS 0(R13), Y0
	VMOVUPS 32(R13), Y1
	VMOVUPS 64(R13), Y2
	VMOVUPS 96(R13), Y3
	VMOVUPS 128(R13), Y4
	VMOVUPS 160(R13), Y5
	VMOVUPS 192(R13), Y6
	VMOVUPS 224(R13), Y7
	VMOVUPS 256(R13), Y8
	VMOVUPS 288(R13), Y9
	VMOVUPS 320(R13), Y10
	VMOVUPS 352(R13), Y11
	PAIRWIDEN(widenbounds2)

lane2:
	TESTL  R14, R14
	JZ     mirror2
	TZCNTL R14, AX
	BLSRL  R14, R14
	VBROADCASTSS 0(BX)(AX*4), Y12
	VCMPPS $0x12, Y2, Y12, Y14
	VCMPPS $0x12, Y3, Y12, Y15
	PAIRBOUND256(64(BX)(AX*4), $0x1D, Y0, Y1)
	PAIRBOUND256(128(BX)(AX*4), $0x12, Y6, Y7)
	PAIRBOUND256(192(BX)(AX*4), $0x1D, Y4, Y5)
	PAIRBOUND256(256(BX)(AX*4), $0x12, Y10, Y11)
	PAIRBOUND256(320(BX)(AX*4), $0x1D, Y8, Y9)
	PAIRSIGNS256(Y14, Y15, R15)
	ANDL   wanted-16(SP), R15
	PAIRLANES(lane2, moving2, apart2)
	PAIRSORT(lane2, packet2, nodes2, PAIRROWS256)

mirror2:
	PAIRMIRROR(task2)
	MOVL AX, wanted-16(SP)
	JMP  bounds2

widentask2:
	VBROADCASTSS Walk_Reach(DI), Y11
	PAIRREACH256(0(CX), VSUBPS, $0x12, 64(BX), 96(BX))
	PAIRREACH256(64(CX), VADDPS, $0x1D, 0(BX), 32(BX))
	PAIRREACH256(128(CX), VSUBPS, $0x12, 192(BX), 224(BX))
	PAIRREACH256(192(CX), VADDPS, $0x1D, 128(BX), 160(BX))
	PAIRREACH256(256(CX), VSUBPS, $0x12, 320(BX), 352(BX))
	PAIRREACH256(320(CX), VADDPS, $0x1D, 256(BX), 288(BX))
	JMP tasksigns2

widenbounds2:
	VBROADCASTSS Walk_Reach(DI), Y12
	PAIRREACH(Y12, Y0, Y2, Y4, Y6, Y8, Y10)
	PAIRREACH(Y12, Y1, Y3, Y5, Y7, Y9, Y11)
	JMP lane2

done2:
	PAIRNODEDONE
	VZEROUPPER
	RET
