//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The near kernels. Distances are d = max(max(lo - c, c - hi), 0) on each axis
// and (dx*dx + dy*dy) + dz*dz, never fused. A maximum of two zeros may have
// either sign; the square has none. No operand is NaN: points and bounds of
// live lanes are finite, and a free lane is infinitely far away.

// The lane numbers, and all bits of a distance but those of the lane.
DATA nearLanes<>+0(SB)/8, $0x0000000100000000
DATA nearLanes<>+8(SB)/8, $0x0000000300000002
DATA nearLanes<>+16(SB)/8, $0x0000000500000004
DATA nearLanes<>+24(SB)/8, $0x0000000700000006
GLOBL nearLanes<>(SB), RODATA|NOPTR, $32

// The squared distance on one axis, of the boxes whose columns are LO and HI.
#define NEARAXIS(LO, HI, C, ZERO, D, T) \
	VMOVUPS LO, D         \
	VSUBPS  C, D, D       \
	VSUBPS  HI, C, T      \
	VMAXPS  T, D, D       \
	VMAXPS  ZERO, D, D    \
	VMULPS  D, D, D

// The squared distances of the eight children at BX into Y0.
#define NEARNODE \
	NEARAXIS(0(BX), 32(BX), Y8, Y12, Y0, Y1)    \
	NEARAXIS(64(BX), 96(BX), Y9, Y12, Y2, Y3)   \
	NEARAXIS(128(BX), 160(BX), Y10, Y12, Y4, Y5) \
	VADDPS Y2, Y0, Y0                           \
	VADDPS Y4, Y0, Y0

// One layer of a sorting network: each lane of Y1 meets the lane that is in
// its place in Y2; the lanes in MASK keep the smaller key, the others the
// larger.
#define NEARMEET(MASK) \
	VPMAXUD  Y2, Y1, Y3       \
	VPMINUD  Y2, Y1, Y1       \
	VPBLENDD $MASK, Y1, Y3, Y1

// What both kernels do with a node at BX: its children within the bound go
// onto the stack, the nearest last. R8 is the top of the stack, R13 the Sift.
//
// A key is the distance with the lane in its lowest three bits, or 0 for a
// child that is not wanted; as 0 means lane 0 to the permutation, a child in
// lane 0 whose key is 0 is found all the same.
#define NEARCHILDREN(LOOP, UNMASKED) \
	NEARNODE                            \
	VCMPPS    $0x12, Y11, Y0, Y7        \ // Y7: within the bound
	VMOVDQU   Node_Child(BX), Y5        \
	VPAND     Y14, Y5, Y1               \
	VPCMPEQD  Y12, Y1, Y1               \
	VPANDN    Y7, Y1, Y7                \ // and one of the flags
	TESTL     R13, R13                  \
	JZ        UNMASKED                  \
	VMOVD     R13, X2                   \
	VPBROADCASTD X2, Y2                 \
	VPAND     Node_Mask(BX), Y2, Y1     \
	VPCMPEQD  Y12, Y1, Y1               \
	VPANDN    Y7, Y1, Y7                \ // and a bit of the mask
UNMASKED:                               \
	VMOVMSKPS Y7, AX                    \
	TESTL     AX, AX                    \
	JZ        LOOP                      \
	POPCNTL   AX, AX                    \
	VPSRLD    $3, Y0, Y1                \
	VPSLLD    $3, Y1, Y1                \
	VPOR      Y13, Y1, Y1               \
	VPAND     Y7, Y1, Y1                \
	VPSHUFD   $0xB1, Y1, Y2             \ // 1 0 3 2
	NEARMEET(0xAA)                      \
	VPSHUFD   $0x1B, Y1, Y2             \ // 3 2 1 0
	NEARMEET(0xCC)                      \
	VPSHUFD   $0xB1, Y1, Y2             \
	NEARMEET(0xAA)                      \
	VPERMQ    $0x4E, Y1, Y2             \ // 7 6 5 4 3 2 1 0
	VPSHUFD   $0x1B, Y2, Y2             \
	NEARMEET(0xF0)                      \
	VPSHUFD   $0x4E, Y1, Y2             \ // 2 3 0 1
	NEARMEET(0xCC)                      \
	VPSHUFD   $0xB1, Y1, Y2             \
	NEARMEET(0xAA)                      \
	VPERMD    Y0, Y1, Y0                \ // distances and references in order
	VPERMD    Y5, Y1, Y5                \
	VPAND     Y15, Y5, Y5               \
	VPUNPCKLDQ Y0, Y5, Y1               \ // entries 0 1 4 5
	VPUNPCKHDQ Y0, Y5, Y2               \ // entries 2 3 6 7
	VMOVDQU   X1, (R8)                  \
	VMOVDQU   X2, 16(R8)                \
	VEXTRACTI128 $1, Y1, 32(R8)         \
	VEXTRACTI128 $1, Y2, 48(R8)         \
	LEAQ      (R8)(AX*8), R8

// Loads the state of a walk.
//
//	DI  walk     R9  bottom of the stack      R12  bits of the bound
//	SI  nodes    R8  its top                  R13  mask of the sift
//	DX  packets  CX  entries left to take
//
//	Y8 Y9 Y10 point   Y11 bound   Y12 zero   Y13 lanes   Y14 flags   Y15 refKeep
#define NEARBEGIN \
	MOVQ w+0(FP), DI             \
	MOVQ nodes+8(FP), SI         \
	MOVQ packets+16(FP), DX      \
	MOVQ budget+24(FP), CX       \
	MOVQ (Near_Stack+0)(DI), R9  \
	MOVQ (Near_Stack+8)(DI), AX  \
	LEAQ (R9)(AX*8), R8          \
	MOVL Near_Bound(DI), R12     \
	MOVL (Near_Sift+Sift_Mask)(DI), R13 \
	VPXOR Y12, Y12, Y12          \
	VMOVDQU nearLanes<>(SB), Y13 \
	VPBROADCASTD (Near_Sift+Sift_Flags)(DI), Y14 \
	MOVL $const_refKeep, AX      \
	VMOVD AX, X15                \
	VPBROADCASTD X15, Y15

// Takes an entry: AX is its reference, doubled, with the packet bit in carry.
#define NEARPOP(LOOP, DONE) \
	CMPQ R8, R9       \
	JEQ  DONE         \
	DECQ CX           \
	JLT  DONE         \
	SUBQ $8, R8       \
	MOVL 4(R8), BX    \
	CMPL BX, R12      \
	JHI  LOOP         \
	MOVL (R8), AX     \
	ADDL AX, AX

// Stores the state; AX is the mask.
#define NEAREND \
	MOVL AX, mask+32(FP)        \
	SUBQ R9, R8                 \
	SHRQ $3, R8                 \
	MOVQ R8, (Near_Stack+8)(DI) \
	VZEROUPPER                  \
	RET

// func nearWalkAVX512(w *Near, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearWalkAVX512(SB), NOSPLIT, $0-36
	NEARBEGIN
	VBROADCASTSS (Near_Point+0)(DI), Z8
	VBROADCASTSS (Near_Point+4)(DI), Z9
	VBROADCASTSS (Near_Point+8)(DI), Z10
	VBROADCASTSS Near_Bound(DI), Z11

loop:
	NEARPOP(loop, empty)
	JCS packet
	MOVQ AX, BX
	SHLQ $7, BX
	ADDQ SI, BX
	NEARCHILDREN(loop, unmasked)
	JMP loop

packet:
	LEAQ (AX)(AX*2), BX
	SHLQ $6, BX
	ADDQ DX, BX
	NEARAXIS(0(BX), 64(BX), Z8, Z12, Z0, Z1)
	NEARAXIS(128(BX), 192(BX), Z9, Z12, Z2, Z3)
	NEARAXIS(256(BX), 320(BX), Z10, Z12, Z4, Z5)
	VADDPS Z2, Z0, Z0
	VADDPS Z4, Z0, Z0
	VCMPPS $0x12, Z11, Z0, K1
	KTESTW K1, K1
	JZ     loop
	VMOVUPS Z0, Near_Dist(DI)
	SHRL    $1, AX
	MOVL    AX, Near_Slot(DI)
	KMOVW   K1, AX
	NEAREND

empty:
	XORL AX, AX
	NEAREND

// func nearWalkAVX2(w *Near, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearWalkAVX2(SB), NOSPLIT, $0-36
	NEARBEGIN
	VBROADCASTSS (Near_Point+0)(DI), Y8
	VBROADCASTSS (Near_Point+4)(DI), Y9
	VBROADCASTSS (Near_Point+8)(DI), Y10
	VBROADCASTSS Near_Bound(DI), Y11

loop2:
	NEARPOP(loop2, empty2)
	JCS packet2
	MOVQ AX, BX
	SHLQ $7, BX
	ADDQ SI, BX
	NEARCHILDREN(loop2, unmasked2)
	JMP loop2

packet2:
	LEAQ (AX)(AX*2), BX
	SHLQ $6, BX
	ADDQ DX, BX
	NEARAXIS(0(BX), 64(BX), Y8, Y12, Y0, Y1)
	NEARAXIS(128(BX), 192(BX), Y9, Y12, Y2, Y3)
	NEARAXIS(256(BX), 320(BX), Y10, Y12, Y4, Y5)
	VADDPS Y2, Y0, Y0
	VADDPS Y4, Y0, Y0
	NEARAXIS(32(BX), 96(BX), Y8, Y12, Y1, Y2)
	NEARAXIS(160(BX), 224(BX), Y9, Y12, Y3, Y4)
	NEARAXIS(288(BX), 352(BX), Y10, Y12, Y5, Y6)
	VADDPS Y3, Y1, Y1
	VADDPS Y5, Y1, Y1
	VCMPPS $0x12, Y11, Y0, Y2
	VCMPPS $0x12, Y11, Y1, Y3
	VMOVMSKPS Y2, R10
	VMOVMSKPS Y3, R11
	SHLL $8, R11
	ORL  R11, R10
	JZ   loop2
	VMOVUPS Y0, (Near_Dist+0)(DI)
	VMOVUPS Y1, (Near_Dist+32)(DI)
	SHRL $1, AX
	MOVL AX, Near_Slot(DI)
	MOVL R10, AX
	NEAREND

empty2:
	XORL AX, AX
	NEAREND
