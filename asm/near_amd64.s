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
// SQUARE is one of the next.
#define NEARAXIS(LO, HI, C, ZERO, D, T, SQUARE) \
	VMOVUPS LO, D         \
	VSUBPS  C, D, D       \
	VSUBPS  HI, C, T      \
	VMAXPS  T, D, D       \
	VMAXPS  ZERO, D, D    \
	SQUARE(D)

#define NEARPLAIN(D) VMULPS D, D, D

// The square of the distance times Near.Scale, in Y7 or Z7.
#define NEARSCALED256(D) \
	VMULPS Y7, D, D \
	VMULPS D, D, D

#define NEARSCALED512(D) \
	VMULPS Z7, D, D \
	VMULPS D, D, D

// Loads the scale before a node or packet is tested, or does nothing.
#define NEARNOSCALE
#define NEARSCALE256 VBROADCASTSS NearWalk_Scale(DI), Y7
#define NEARSCALE512 VBROADCASTSS NearWalk_Scale(DI), Z7

// The squared distances of the eight children at BX into Y0.
#define NEARNODE(SQUARE) \
	NEARAXIS(0(BX), 32(BX), Y8, Y12, Y0, Y1, SQUARE)    \
	NEARAXIS(64(BX), 96(BX), Y9, Y12, Y2, Y3, SQUARE)   \
	NEARAXIS(128(BX), 160(BX), Y10, Y12, Y4, Y5, SQUARE) \
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
// onto the stack, the nearest last. R8 is the top of the stack, R13 the filter.
//
// A key is the distance with the lane in its lowest three bits, or 0 for a
// child that is not wanted; as 0 means lane 0 to the permutation, a child in
// lane 0 whose key is 0 is found all the same.
#define NEARCHILDREN(LOOP, UNMASKED, SQUARE) \
	NEARNODE(SQUARE)                    \
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

// Fetches what the second entry from the top refers to, the first if there is
// no other.
#define NEARFETCH(NODE, DONE) \
	LEAQ        -16(R8), BX     \
	CMPQ        BX, R9          \
	CMOVQCS     R9, BX          \
	MOVL        (BX), BX        \
	ADDL        BX, BX          \
	JCC         NODE            \
	LEAQ        (BX)(BX*2), BX  \
	SHLQ        $6, BX          \
	ADDQ        DX, BX          \
	PREFETCHT0  (BX)            \
	PREFETCHT0  64(BX)          \
	PREFETCHT0  128(BX)         \
	PREFETCHT0  192(BX)         \
	PREFETCHT0  256(BX)         \
	PREFETCHT0  320(BX)         \
	JMP         DONE            \
NODE:                           \
	SHLQ        $7, BX          \
	ADDQ        SI, BX          \
	PREFETCHT0  (BX)            \
	PREFETCHT0  64(BX)          \
	PREFETCHT0  128(BX)         \
	PREFETCHT0  192(BX)         \
DONE:

// Loads the state of a walk.
//
//	DI  walk     R9  bottom of the stack      R12  bits of the bound
//	SI  nodes    R8  its top                  R13  mask of the filter
//	DX  packets  CX  entries left to take
//
//	Y8 Y9 Y10 point   Y11 bound   Y12 zero   Y13 lanes   Y14 flags   Y15 refKeep
#define NEARBEGIN \
	MOVQ w+0(FP), DI             \
	MOVQ nodes+8(FP), SI         \
	MOVQ packets+16(FP), DX      \
	MOVQ budget+24(FP), CX       \
	MOVQ (NearWalk_Stack+0)(DI), R9  \
	MOVQ (NearWalk_Stack+8)(DI), AX  \
	LEAQ (R9)(AX*8), R8          \
	MOVL NearWalk_Bound(DI), R12     \
	MOVL (NearWalk_Filter+NodeFilter_Mask)(DI), R13 \
	VPXOR Y12, Y12, Y12          \
	VMOVDQU nearLanes<>(SB), Y13 \
	VPBROADCASTD (NearWalk_Filter+NodeFilter_Flags)(DI), Y14 \
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

// Stores the stack.
#define NEAREND \
	SUBQ R9, R8                 \
	SHRQ $3, R8                 \
	MOVQ R8, (NearWalk_Stack+8)(DI) \
	VZEROUPPER                  \
	RET

// Tests the packet whose doubled slot is in AX: distances into Z0, hits into K1.
#define NEARPACKET512(SQUARE) \
	LEAQ (AX)(AX*2), BX \
	SHLQ $6, BX \
	ADDQ DX, BX \
	NEARAXIS(0(BX), 64(BX), Z8, Z12, Z0, Z1, SQUARE) \
	NEARAXIS(128(BX), 192(BX), Z9, Z12, Z2, Z3, SQUARE) \
	NEARAXIS(256(BX), 320(BX), Z10, Z12, Z4, Z5, SQUARE) \
	VADDPS Z2, Z0, Z0 \
	VADDPS Z4, Z0, Z0 \
	VCMPPS $0x12, Z11, Z0, K1

// The same with distances into Y0 and Y1, hits into R10 and the zero flag.
#define NEARPACKET256(SQUARE) \
	LEAQ (AX)(AX*2), BX \
	SHLQ $6, BX \
	ADDQ DX, BX \
	NEARAXIS(0(BX), 64(BX), Y8, Y12, Y0, Y1, SQUARE) \
	NEARAXIS(128(BX), 192(BX), Y9, Y12, Y2, Y3, SQUARE) \
	NEARAXIS(256(BX), 320(BX), Y10, Y12, Y4, Y5, SQUARE) \
	VADDPS Y2, Y0, Y0 \
	VADDPS Y4, Y0, Y0 \
	NEARAXIS(32(BX), 96(BX), Y8, Y12, Y1, Y2, SQUARE) \
	NEARAXIS(160(BX), 224(BX), Y9, Y12, Y3, Y4, SQUARE) \
	NEARAXIS(288(BX), 352(BX), Y10, Y12, Y5, Y6, SQUARE) \
	VADDPS Y3, Y1, Y1 \
	VADDPS Y5, Y1, Y1 \
	VCMPPS $0x12, Y11, Y0, Y2 \
	VCMPPS $0x12, Y11, Y1, Y3 \
	VMOVMSKPS Y2, R10 \
	VMOVMSKPS Y3, R11 \
	SHLL $8, R11 \
	ORL  R11, R10

#define NEARPOINT512 \
	VBROADCASTSS (NearWalk_Point+0)(DI), Z8  \
	VBROADCASTSS (NearWalk_Point+4)(DI), Z9  \
	VBROADCASTSS (NearWalk_Point+8)(DI), Z10 \
	VBROADCASTSS NearWalk_Bound(DI), Z11

#define NEARPOINT256 \
	VBROADCASTSS (NearWalk_Point+0)(DI), Y8  \
	VBROADCASTSS (NearWalk_Point+4)(DI), Y9  \
	VBROADCASTSS (NearWalk_Point+8)(DI), Y10 \
	VBROADCASTSS NearWalk_Bound(DI), Y11

// What the walks do once the registers are loaded, in one form for distances as
// they are and one for scaled ones.
#define NEARWALK512(LOAD256, SQUARE256, LOAD512, SQUARE512) \
loop:                                       \
	NEARPOP(loop, empty)                    \
	JCS packet                              \
	MOVQ AX, BX                             \
	SHLQ $7, BX                             \
	ADDQ SI, BX                             \
	LOAD256                                 \
	NEARCHILDREN(loop, unmasked, SQUARE256) \
	NEARFETCH(fetchnode, fetched)           \
	JMP loop                                \
packet:                                     \
	LOAD512                                 \
	NEARPACKET512(SQUARE512)                \
	KTESTW K1, K1                           \
	JZ     loop                             \
	VMOVUPS Z0, NearWalk_Dist(DI)               \
	SHRL    $1, AX                          \
	MOVL    AX, NearWalk_Slot(DI)               \
	KMOVW   K1, AX                          \
	JMP     out                             \
empty:                                      \
	XORL AX, AX                             \
out:                                        \
	MOVL AX, mask+32(FP)                    \
	NEAREND

// func nearWalkAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearWalkAVX512(SB), NOSPLIT, $0-36
	NEARBEGIN
	NEARPOINT512
	NEARWALK512(NEARNOSCALE, NEARPLAIN, NEARNOSCALE, NEARPLAIN)

// func nearScaledAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearScaledAVX512(SB), NOSPLIT, $0-36
	NEARBEGIN
	NEARPOINT512
	NEARWALK512(NEARSCALE256, NEARSCALED256, NEARSCALE512, NEARSCALED512)

#define NEARWALK256(LOAD, SQUARE) \
loop:                                    \
	NEARPOP(loop, empty)                 \
	JCS packet                           \
	MOVQ AX, BX                          \
	SHLQ $7, BX                          \
	ADDQ SI, BX                          \
	LOAD                                 \
	NEARCHILDREN(loop, unmasked, SQUARE) \
	NEARFETCH(fetchnode, fetched)        \
	JMP loop                             \
packet:                                  \
	LOAD                                 \
	NEARPACKET256(SQUARE)                \
	JZ   loop                            \
	VMOVUPS Y0, (NearWalk_Dist+0)(DI)        \
	VMOVUPS Y1, (NearWalk_Dist+32)(DI)       \
	SHRL $1, AX                          \
	MOVL AX, NearWalk_Slot(DI)               \
	MOVL R10, AX                         \
	JMP  out                             \
empty:                                   \
	XORL AX, AX                          \
out:                                     \
	MOVL AX, mask+32(FP)                 \
	NEAREND

// func nearWalkAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearWalkAVX2(SB), NOSPLIT, $0-36
	NEARBEGIN
	NEARPOINT256
	NEARWALK256(NEARNOSCALE, NEARPLAIN)

// func nearScaledAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearScaledAVX2(SB), NOSPLIT, $0-36
	NEARBEGIN
	NEARPOINT256
	NEARWALK256(NEARSCALE256, NEARSCALED256)

// Where the lane before a lane is, and the lane numbers as a packet has them.
DATA nearBefore<>+0(SB)/8, $0x0000000000000007
DATA nearBefore<>+8(SB)/8, $0x0000000200000001
DATA nearBefore<>+16(SB)/8, $0x0000000400000003
DATA nearBefore<>+24(SB)/8, $0x0000000600000005
GLOBL nearBefore<>(SB), RODATA|NOPTR, $32

DATA nearLanes16<>+0(SB)/8, $0x0000000100000000
DATA nearLanes16<>+8(SB)/8, $0x0000000300000002
DATA nearLanes16<>+16(SB)/8, $0x0000000500000004
DATA nearLanes16<>+24(SB)/8, $0x0000000700000006
DATA nearLanes16<>+32(SB)/8, $0x0000000900000008
DATA nearLanes16<>+40(SB)/8, $0x0000000b0000000a
DATA nearLanes16<>+48(SB)/8, $0x0000000d0000000c
DATA nearLanes16<>+56(SB)/8, $0x0000000f0000000e
GLOBL nearLanes16<>(SB), RODATA|NOPTR, $64

// func nearFindAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
//
//	R11  keep     R10  lanes listed
//	Z16  the smallest distances     Z17  lane numbers     Z18  K-1
TEXT ·nearFindAVX512(SB), NOSPLIT, $0-48
	NEARBEGIN
	NEARPOINT512
	MOVQ p+32(FP), R11
	MOVQ NearFound_Len(R11), R10
	VMOVDQU32 NearFound_Best(R11), Z16
	VMOVDQU32 nearLanes16<>(SB), Z17
	MOVQ NearFound_K(R11), AX
	DECQ AX
	VPBROADCASTD AX, Z18
	VPXORD Y19, Y19, Y19

loop:
	NEARPOP(loop, done)
	JCS packet
	MOVQ AX, BX
	SHLQ $7, BX
	ADDQ SI, BX
	NEARCHILDREN(loop, unmasked, NEARPLAIN)
	NEARFETCH(fetchnode, fetched)
	JMP loop

packet:
	NEARPACKET512(NEARPLAIN)
	KMOVW K1, BX
	TESTL BX, BX
	JZ    loop
	SHLL  $3, AX
	MOVQ  ids+40(FP), R14
	PREFETCHT0 (R14)(AX*4)                  // the IDs of the slot, for later
	VPBROADCASTD AX, Z1
	VPORD Z17, Z1, Z1                       // places
	VMOVUPS Z0, NearWalk_Dist(DI)
	VCOMPRESSPS.Z Z0, K1, Z0
	VPCOMPRESSD.Z Z1, K1, Z1
	VMOVUPS   Z0, NearFound_Dist(R11)(R10*4)
	VMOVDQU32 Z1, NearFound_Place(R11)(R10*4)
	POPCNTL BX, AX
	ADDQ    AX, R10

	// Each hit moves what is larger one lane up: the lane takes the smaller
	// of itself and the larger of the hit and the lane before.
insert:
	TZCNTL BX, AX
	BLSRL  BX, BX
	VALIGND $15, Z19, Z16, Z1
	VPMAXUD.BCST NearWalk_Dist(DI)(AX*4), Z1, Z1
	VPMINUD Z1, Z16, Z16
	TESTL  BX, BX
	JNZ    insert

	VPERMD Z16, Z18, Z11
	VMOVD  X11, R12
	CMPQ   R10, $const_nearKept
	JLE    loop

done:
	MOVQ R10, NearFound_Len(R11)
	VMOVDQU32 Z16, NearFound_Best(R11)
	MOVL R12, NearWalk_Bound(DI)
	NEAREND

// The lanes of DIST and the places from R10 on that M selects go to the end of
// the list. X7 is the first place.
#define NEARLIST256(M, DIST, T) \
	LEAQ ·compressTable(SB), BX  \
	POPCNTL M, R14               \
	SHLL $5, M                   \
	VMOVDQU (BX)(M*1), Y2       \
	VPERMPS DIST, Y2, T          \
	VMOVUPS T, NearFound_Dist(R11)(R10*4) \
	VPADDD  Y7, Y2, Y2           \
	VMOVDQU Y2, NearFound_Place(R11)(R10*4) \
	ADDQ    R14, R10

// func nearFindAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
//
// The smallest distances are in memory between two packets with hits.
TEXT ·nearFindAVX2(SB), NOSPLIT, $0-48
	NEARBEGIN
	NEARPOINT256

loop2:
	NEARPOP(loop2, done2)
	JCS packet2
	MOVQ AX, BX
	SHLQ $7, BX
	ADDQ SI, BX
	NEARCHILDREN(loop2, unmasked2, NEARPLAIN)
	NEARFETCH(fetchnode2, fetched2)
	JMP loop2

packet2:
	NEARPACKET256(NEARPLAIN)
	JZ loop2
	MOVQ p+32(FP), R11
	VMOVUPS Y0, (NearWalk_Dist+0)(DI)
	VMOVUPS Y1, (NearWalk_Dist+32)(DI)
	SHLL  $3, AX
	MOVQ  ids+40(FP), R14
	PREFETCHT0 (R14)(AX*4)                  // the IDs of the slot, for later
	VMOVD AX, X7
	VPBROADCASTD X7, Y7                     // first place
	MOVL R10, R15
	MOVQ NearFound_Len(R11), R10
	MOVBLZX R15B, AX
	NEARLIST256(AX, Y0, Y3)
	MOVL $8, AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	VPADDD Y2, Y7, Y7
	MOVL R15, AX
	SHRL $8, AX
	NEARLIST256(AX, Y1, Y3)
	MOVQ R10, NearFound_Len(R11)

	VMOVDQU (NearFound_Best+0)(R11), Y0
	VMOVDQU (NearFound_Best+32)(R11), Y1
	VMOVDQU nearBefore<>(SB), Y5

insert2:
	TZCNTL R15, AX
	BLSRL  R15, R15
	VPBROADCASTD NearWalk_Dist(DI)(AX*4), Y2
	VPERMD   Y0, Y5, Y3
	VPERMD   Y1, Y5, Y4
	VPBLENDD $1, Y3, Y4, Y4
	VPBLENDD $1, Y12, Y3, Y3
	VPMAXUD  Y2, Y3, Y3
	VPMAXUD  Y2, Y4, Y4
	VPMINUD  Y3, Y0, Y0
	VPMINUD  Y4, Y1, Y1
	TESTL    R15, R15
	JNZ      insert2

	VMOVDQU Y0, (NearFound_Best+0)(R11)
	VMOVDQU Y1, (NearFound_Best+32)(R11)
	MOVQ NearFound_K(R11), AX
	MOVL (NearFound_Best-4)(R11)(AX*4), R12
	VMOVD R12, X11
	VPBROADCASTD X11, Y11
	CMPQ R10, $const_nearKept
	JLE  loop2

done2:
	MOVL R12, NearWalk_Bound(DI)
	NEAREND
