//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The pair kernels: ordered comparisons, exact, 0x12 for <= and 0x1D for >=.
// Empty lanes (minima +Inf, maxima -Inf) overlap nothing, not even each other.

// Moves PTR one entry on if M (destroyed) is not 0, so that what has been stored
// there stays.
#define PAIRKEEP(M, PTR) \
	NEGL M      \
	SBBQ M, M   \
	ANDL $16, M \
	ADDQ M, PTR

// A nodes kernel:
//
//	DI  walk          R11  X    BX   its node    R8   end of the tasks
//	SI  nodes of X    R12  Y    R13  its node    R10  end of the rows
//	DX  nodes of Y    R14  lanes of X left       AX, CX, R9, R15  scratch
#define PAIRNODESETUP \
	MOVQ w+0(FP), DI                               \
	MOVQ (PairWalk_X+PairSide_Nodes)(DI), SI       \
	MOVQ (PairWalk_Y+PairSide_Nodes)(DI), DX       \
	MOVQ (PairWalk_Tasks+8)(DI), R8                \
	SHLQ $4, R8                                    \
	ADDQ PairWalk_Tasks(DI), R8                    \
	MOVQ (PairWalk_Rows+8)(DI), R10                \
	SHLQ $4, R10                                   \
	ADDQ PairWalk_Rows(DI), R10

#define PAIRNODEDONE \
	SUBQ PairWalk_Tasks(DI), R8     \
	SHRQ $4, R8                     \
	MOVQ R8, (PairWalk_Tasks+8)(DI) \
	SUBQ PairWalk_Rows(DI), R10     \
	SHRQ $4, R10                    \
	MOVQ R10, (PairWalk_Rows+8)(DI)

// Takes the last task: its lanes into R14 (X) and AX (Y).
#define PAIRTASK(DONE) \
	CMPQ R8, PairWalk_Tasks(DI) \
	JEQ  DONE                   \
	DECQ budget+8(FP)           \
	JLT  DONE                   \
	SUBQ $16, R8                \
	MOVL (R8), R11              \
	MOVL 4(R8), R12             \
	MOVL 8(R8), AX              \
	MOVQ R11, BX                \
	SHLQ $8, BX                 \
	ADDQ SI, BX                 \
	MOVQ R12, R13               \
	SHLQ $8, R13                \
	ADDQ DX, R13                \
	MOVBLZX AX, R14             \
	SHRL $8, AX

// In a node paired with itself the lanes from AX on into R9.
#define PAIRONCE(APART) \
	CMPQ  BX, R13                \
	JNE   APART                  \
	CMPL  PairWalk_Self(DI), $0  \
	JEQ   APART                  \
	MOVL  $0xff, R9              \
	SHLXL AX, R9, R9

// X and Y change places. AX holds lanes of the new X, from bit 8 on of Y: the
// former into R14, of the latter those that are packets into CX.
#define PAIRMIRROR \
	XCHGL R11, R12                \
	XCHGQ BX, R13                 \
	MOVBLZX AX, R14               \
	SHRL  $8, AX                  \
	VMOVUPS Node_Child(R13), Y6   \
	VMOVMSKPS Y6, CX

// Lane AX of X overlaps the packets CX and the nodes R15 of Y: tasks and a row.
// The nodes are fetched, and if it is wanted the packets.
#define PAIRSORT(LANE, PACKET, FETCH, KEEP, NODES) \
	MOVL  Node_Child(BX)(AX*4), R9 \
	TESTL R9, R9                   \
	JS    PACKET                   \
	ANDL  $const_refIndex, R9      \ // a node against the packets
	MOVL  R9, (R8)                 \
	MOVL  R12, 4(R8)               \
	SHLL  $8, CX                   \
	LEAL  0xff(CX), AX             \
	MOVL  AX, 8(R8)                \
	PAIRKEEP(CX, R8)               \
	MOVL  $0xffff, CX              \
	JMP   NODES                    \
PACKET:                                \
	LEAL  (AX)(R11*8), R9          \ // a packet against the packets
	MOVL  R9, (R10)                \
	MOVL  R12, 4(R10)              \
	MOVL  CX, 8(R10)               \
	CMPL  PairWalk_Fetch(DI), $0   \
	JEQ   KEEP                     \
FETCH:                                 \
	TZCNTL CX, AX                  \
	JCS   KEEP                     \ // no packet is left
	BLSRL CX, CX                   \
	MOVL  Node_Child(R13)(AX*4), AX \
	ANDL  $const_refIndex, AX      \
	LEAQ  (AX)(AX*2), AX           \
	SHLQ  $7, AX                   \
	MOVQ  (PairWalk_Y+PairSide_Packets)(DI), R9 \
	ADDQ  packetColumns_Bounds(R9), AX \
	PREFETCHT1 0(AX)               \
	PREFETCHT1 64(AX)              \
	PREFETCHT1 128(AX)             \
	PREFETCHT1 192(AX)             \
	PREFETCHT1 256(AX)             \
	PREFETCHT1 320(AX)             \
	JMP   FETCH                    \
KEEP:                                  \
	MOVL  (R10), AX                \
	ANDL  $7, AX                   \
	MOVL  8(R10), CX               \
	PAIRKEEP(CX, R10)              \
	MOVL  $1, CX                   \
	SHLXL AX, CX, CX               \
	ORL   $0xff00, CX              \
	MOVL  R11, R9                  \
NODES:                                 \
	TESTL R15, R15                 \
	JZ    LANE                     \
	TZCNTL R15, AX                 \
	BLSRL R15, R15                 \
	MOVL  Node_Child(R13)(AX*4), AX \
	ANDL  $const_refIndex, AX      \
	MOVL  R9, (R8)                 \
	MOVL  AX, 4(R8)                \
	MOVL  CX, 8(R8)                \
	ADDQ  $16, R8                  \
	SHLQ  $8, AX                   \
	PREFETCHT0 (DX)(AX*1)          \
	PREFETCHT0 64(DX)(AX*1)        \
	PREFETCHT0 128(DX)(AX*1)       \
	PREFETCHT0 192(DX)(AX*1)       \
	JMP   NODES

// Of the lanes in K those that the filter wants. Children are in Y6, K4 holds all
// lanes if the filter has no mask.
#define PAIRSIFT512(NODE, K) \
	VPTESTMD.BCST (PairWalk_Filter+NodeFilter_Flags)(DI), Y6, K, K \
	VMOVDQU32     Node_Mask(NODE), Y7                       \
	VPTESTMD.BCST (PairWalk_Filter+NodeFilter_Mask)(DI), Y7, K1     \
	KORB          K1, K4, K1                                \
	KANDB         K1, K, K

// func pairNodesAVX512(w *PairWalk, budget int)
//
//	K7  lanes of Y wanted    K6  its packets    K5  its lanes that move
//	K3  all lanes if static pairs are wanted    Y0 to Y5  bounds of Y
//	K0  lanes of Y that move, from bit 8 on those of X that do not: yet to be
//	    tested the other way round
TEXT ·pairNodesAVX512(SB), NOSPLIT, $0-16
	PAIRNODESETUP
	VPBROADCASTD (PairWalk_Filter+NodeFilter_Mask)(DI), Y7
	VPTESTNMD Y7, Y7, K4
	MOVL  PairWalk_Every(DI), AX
	KMOVB AX, K3

task:
	PAIRTASK(done)
	KMOVB AX, K7
	VMOVDQU32 Node_Child(BX), Y6
	KMOVB R14, K2
	PAIRSIFT512(BX, K2)
	KMOVB K2, R14
	VPSLLD   $1, Y6, Y6
	VPMOVD2M Y6, K1
	KORB     K3, K1, K1
	KMOVB    K1, R15         // the lanes of X that move
	VMOVDQU32 Node_Child(R13), Y6
	PAIRSIFT512(R13, K7)
	VPMOVD2M Y6, K6
	VPSLLD   $1, Y6, Y6
	VPMOVD2M Y6, K5
	KORB     K3, K5, K5
	KXORW    K0, K0, K0
	CMPL     PairWalk_Self(DI), $0
	JNE      self
	KTESTB   K5, K7
	JNZ      bounds
	ANDL     R15, R14        // no lane of Y moves: only those of X that do
	JMP      bounds

self:
	ANDNL    R14, R15, CX
	ANDL     R15, R14
	CMPQ     BX, R13
	JEQ      bounds
	KANDB    K5, K7, K1
	KMOVB    K1, AX
	TESTL    CX, CX
	JZ       bounds
	TESTL    AX, AX
	JZ       bounds
	SHLL     $8, CX
	ORL      CX, AX
	KMOVW    AX, K0

bounds:
	TESTL   R14, R14
	JZ      mirror
	VMOVUPS 0(R13), Y0
	VMOVUPS 32(R13), Y1
	VMOVUPS 64(R13), Y2
	VMOVUPS 96(R13), Y3
	VMOVUPS 128(R13), Y4
	VMOVUPS 160(R13), Y5

lane:
	TESTL  R14, R14
	JZ     mirror
	TZCNTL R14, AX
	BLSRL  R14, R14
	VCMPPS.BCST $0x12, 32(BX)(AX*4), Y0, K7, K1
	VCMPPS.BCST $0x1D, 0(BX)(AX*4), Y1, K7, K2
	VCMPPS.BCST $0x12, 96(BX)(AX*4), Y2, K1, K1
	VCMPPS.BCST $0x1D, 64(BX)(AX*4), Y3, K2, K2
	VCMPPS.BCST $0x12, 160(BX)(AX*4), Y4, K1, K1
	VCMPPS.BCST $0x1D, 128(BX)(AX*4), Y5, K2, K2
	KANDB  K1, K2, K1
	KMOVB  K1, R15
	BTL    $30, Node_Child(BX)(AX*4)
	JCS    moving
	KMOVB  K5, CX
	ANDL   CX, R15

moving:
	PAIRONCE(apart)
	KMOVB K5, CX
	NOTL  CX
	ORL   CX, R9
	ANDL  R9, R15

apart:
	TESTL R15, R15
	JZ    lane
	KMOVB K6, CX
	ANDL  R15, CX
	XORL  CX, R15
	PAIRSORT(lane, packet, fetch, keep, nodes)

mirror:
	KMOVW K0, AX
	TESTL AX, AX
	JZ    task
	KXORW K0, K0, K0
	PAIRMIRROR
	KMOVB AX, K7
	KMOVB CX, K6
	JMP   bounds

done:
	PAIRNODEDONE
	VZEROUPPER
	RET

// Of the lanes in L those that the filter wants, children in Y6: Y8 is zero, Y9
// the flags, Y10 the mask, Y11 all ones if it is 0.
#define PAIRSIFT256(NODE, L) \
	VPAND     Y9, Y6, Y0               \
	VPCMPEQD  Y8, Y0, Y0               \
	VPAND     Node_Mask(NODE), Y10, Y1 \
	VPCMPEQD  Y8, Y1, Y1               \
	VPANDN    Y1, Y11, Y1              \
	VPOR      Y1, Y0, Y0               \
	VMOVMSKPS Y0, CX                   \
	ANDNL     L, CX, L

// One axis of Y against lane AX of X, minima at the offset: Y7 &= overlap.
#define PAIRAXIS256(OFF) \
	VBROADCASTSS (OFF+32)(BX)(AX*4), Y0 \
	VBROADCASTSS (OFF)(BX)(AX*4), Y1    \
	VCMPPS $0x1D, (OFF)(R13), Y0, Y0    \
	VCMPPS $0x12, (OFF+32)(R13), Y1, Y1 \
	VANDPS Y0, Y7, Y7                   \
	VANDPS Y1, Y7, Y7

// func pairNodesAVX2(w *PairWalk, budget int)
//
//	X12  lanes of Y wanted, with the packets and the moving ones in bytes 1 and 2
//	X13  what K0 is above
TEXT ·pairNodesAVX2(SB), NOSPLIT, $0-16
	PAIRNODESETUP
	VPXOR Y8, Y8, Y8
	VPBROADCASTD (PairWalk_Filter+NodeFilter_Flags)(DI), Y9
	VPBROADCASTD (PairWalk_Filter+NodeFilter_Mask)(DI), Y10
	VPCMPEQD Y8, Y10, Y11

task2:
	PAIRTASK(done2)
	VMOVDQU Node_Child(BX), Y6
	PAIRSIFT256(BX, R14)
	VPSLLD $1, Y6, Y6
	VMOVMSKPS Y6, R15
	ORL   PairWalk_Every(DI), R15 // the lanes of X that move
	VMOVDQU Node_Child(R13), Y6
	PAIRSIFT256(R13, AX)
	VMOVMSKPS Y6, CX
	SHLL  $8, CX
	ORL   CX, AX
	VPSLLD $1, Y6, Y6
	VMOVMSKPS Y6, CX
	ORL   PairWalk_Every(DI), CX
	MOVBLZX CX, CX
	SHLL  $16, CX
	ORL   CX, AX
	VMOVD AX, X12
	SHRL  $16, CX
	ANDL  AX, CX
	VPXOR X13, X13, X13
	CMPL  PairWalk_Self(DI), $0
	JNE   self2
	TESTL CX, CX
	JNZ   lane2
	ANDL  R15, R14              // no lane of Y moves: only those of X that do
	JMP   lane2

self2:
	ANDNL R14, R15, AX
	ANDL  R15, R14
	CMPQ  BX, R13
	JEQ   lane2
	TESTL AX, AX
	JZ    lane2
	TESTL CX, CX
	JZ    lane2
	SHLL  $8, AX
	ORL   CX, AX
	VMOVD AX, X13

lane2:
	TESTL  R14, R14
	JZ     mirror2
	TZCNTL R14, AX
	BLSRL  R14, R14
	VPCMPEQD Y7, Y7, Y7
	PAIRAXIS256(0)
	PAIRAXIS256(64)
	PAIRAXIS256(128)
	VMOVMSKPS Y7, R15
	VMOVD X12, CX
	ANDL  CX, R15
	BTL   $30, Node_Child(BX)(AX*4)
	JCS   moving2
	MOVL  CX, R9
	SHRL  $16, R9
	ANDL  R9, R15

moving2:
	PAIRONCE(apart2)
	VMOVD X12, CX
	SHRL  $16, CX
	NOTL  CX
	ORL   CX, R9
	ANDL  R9, R15

apart2:
	TESTL R15, R15
	JZ    lane2
	VMOVD X12, CX
	SHRL  $8, CX
	ANDL  R15, CX
	XORL  CX, R15
	PAIRSORT(lane2, packet2, fetch2, keep2, nodes2)

mirror2:
	VMOVD X13, AX
	TESTL AX, AX
	JZ    task2
	VPXOR X13, X13, X13
	PAIRMIRROR
	SHLL  $8, CX
	ORL   CX, AX
	VMOVD AX, X12
	JMP   lane2

done2:
	PAIRNODEDONE
	VZEROUPPER
	RET
