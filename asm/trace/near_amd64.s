//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "sort_amd64.h"
#include "near_amd64.h"

DATA ·nearEntries+0(SB)/8, $0x0000001000000000
DATA ·nearEntries+8(SB)/8, $0x0000001100000001
DATA ·nearEntries+16(SB)/8, $0x0000001200000002
DATA ·nearEntries+24(SB)/8, $0x0000001300000003
DATA ·nearEntries+32(SB)/8, $0x0000001400000004
DATA ·nearEntries+40(SB)/8, $0x0000001500000005
DATA ·nearEntries+48(SB)/8, $0x0000001600000006
DATA ·nearEntries+56(SB)/8, $0x0000001700000007
DATA ·nearEntries+64(SB)/8, $0x0000001800000008
DATA ·nearEntries+72(SB)/8, $0x0000001900000009
DATA ·nearEntries+80(SB)/8, $0x0000001a0000000a
DATA ·nearEntries+88(SB)/8, $0x0000001b0000000b
DATA ·nearEntries+96(SB)/8, $0x0000001c0000000c
DATA ·nearEntries+104(SB)/8, $0x0000001d0000000d
DATA ·nearEntries+112(SB)/8, $0x0000001e0000000e
DATA ·nearEntries+120(SB)/8, $0x0000001f0000000f
GLOBL ·nearEntries(SB), RODATA|NOPTR, $128

// The body of the walks after the registers are loaded, in one form for plain distances and one for
// scaled distances.
#define NEARWALK512(LOAD, SQUARE) \
	NEARSETUP512                  \
	LOAD                          \
loop:                             \
	NEARPOP(loop, empty)          \
taken:                            \
	NEARFETCH                     \
	NEARVISIT                     \
	NEARTEST512(SQUARE)           \
	TESTL   AX, AX                \
	JMI     packet                \
	NEARCHILDREN512(loop, taken, empty) \
packet:                           \
	KTESTW  K1, K1                \
	JZ      loop                  \
	VMOVUPS Z0, NearWalk_Dist(DI) \
	ANDL    $const_refIndex, AX   \
	MOVL    AX, NearWalk_Slot(DI) \
	KMOVW   K1, AX                \
	JMP     out                   \
empty:                            \
	XORL    AX, AX                \
out:                              \
	MOVL    AX, mask+32(FP)       \
	NEAREND

// func nearWalkAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearWalkAVX512(SB), NOSPLIT, $0-36
	NEARWALK512(NEARNOSCALE, NEARPLAIN)

// func nearScaledAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearScaledAVX512(SB), NOSPLIT, $0-36
	NEARWALK512(NEARSCALE512, NEARSCALED512)

#define NEARWALK256(LOAD, SQUARE) \
	NEARBEGIN                            \
	NEARLOAD(Y8, Y9, Y10, Y11, Y14, Y15) \
	LOAD                                 \
loop:                                    \
	NEARPOP(loop, empty)                 \
taken:                                   \
	NEARFETCH                            \
	NEARVISIT                            \
	NEARTEST256(SQUARE)                  \
	TESTL   AX, AX                       \
	JMI     packet                       \
	NEARCHILDREN256(loop, taken, empty)  \
packet:                                  \
	NEARMASK256(R10, R14)                \
	JZ      loop                         \
	VMOVUPS Y0, (NearWalk_Dist+0)(DI)    \
	VMOVUPS Y1, (NearWalk_Dist+32)(DI)   \
	ANDL    $const_refIndex, AX          \
	MOVL    AX, NearWalk_Slot(DI)        \
	MOVL    R10, AX                      \
	JMP     out                          \
empty:                                   \
	XORL    AX, AX                       \
out:                                     \
	MOVL    AX, mask+32(FP)              \
	NEAREND

// func nearWalkAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearWalkAVX2(SB), NOSPLIT, $0-36
	NEARWALK256(NEARNOSCALE, NEARPLAIN)

// func nearScaledAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int) (mask uint32)
TEXT ·nearScaledAVX2(SB), NOSPLIT, $0-36
	NEARWALK256(NEARSCALE256, NEARSCALED256)

// func nearFindAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
//
//	R11  keep     R10  lanes listed
//	Z16  the smallest distances     Z17  lane numbers     Z18  K-1
TEXT ·nearFindAVX512(SB), NOSPLIT, $0-48
	NEARSETUP512
	MOVQ p+32(FP), R11
	MOVQ NearFound_Len(R11), R10
	VMOVDQU32 NearFound_Best(R11), Z16
	VMOVDQU32 ·sortLanes(SB), Z17
	MOVQ NearFound_K(R11), AX
	DECQ AX
	VPBROADCASTD AX, Z18

loop:
	NEARPOP(loop, done)

taken:
	NEARFETCH
	NODEAT(AX)
	NEARTEST512(NEARPLAIN)
	NEARCHILDREN512(loop, taken, done)

packet:
	PACKETAT(AX)
	NEARTEST512(NEARPLAIN)
	KMOVW K1, BX
	TESTL BX, BX
	JZ    loop
	SHLL  $4, AX
	MOVQ  ids+40(FP), R14
	PREFETCHT0 (R14)(AX*4)                  // prefetch the IDs of the slot
	VPBROADCASTD AX, Z1
	VPORD Z17, Z1, Z1                       // locations
	VMOVUPS Z0, NearWalk_Dist(DI)
	VCOMPRESSPS.Z Z0, K1, Z0
	VPCOMPRESSD.Z Z1, K1, Z1
	VMOVUPS   Z0, NearFound_Dist(R11)(R10*4)
	VMOVDQU32 Z1, NearFound_Location(R11)(R10*4)
	POPCNTL BX, AX
	ADDQ    AX, R10

	// Each hit shifts the larger distances one lane up: a lane becomes the smaller of itself and the
	// larger of the hit and the lane before.
insert:
	TZCNTL BX, AX
	BLSRL  BX, BX
	VALIGND $15, Z12, Z16, Z1
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

// The index of the lane before each lane.
DATA nearBefore<>+0(SB)/8, $0x0000000000000007
DATA nearBefore<>+8(SB)/8, $0x0000000200000001
DATA nearBefore<>+16(SB)/8, $0x0000000400000003
DATA nearBefore<>+24(SB)/8, $0x0000000600000005
GLOBL nearBefore<>(SB), RODATA|NOPTR, $32

// Appends the lanes of DIST that M selects, and their locations, to the list from R10 on. X7 is the
// first location.
#define NEARLIST256(M, DIST, T) \
	LEAQ ·compressTable(SB), BX  \
	POPCNTL M, R14               \
	SHLL $5, M                   \
	VMOVDQU (BX)(M*1), Y2       \
	VPERMPS DIST, Y2, T          \
	VMOVUPS T, NearFound_Dist(R11)(R10*4) \
	VPADDD  Y7, Y2, Y2           \
	VMOVDQU Y2, NearFound_Location(R11)(R10*4) \
	ADDQ    R14, R10

// func nearFindAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
//
// The smallest distances are in memory between two packets with hits.
TEXT ·nearFindAVX2(SB), NOSPLIT, $0-48
	NEARBEGIN
	NEARLOAD(Y8, Y9, Y10, Y11, Y14, Y15)

loop:
	NEARPOP(loop, done)

taken:
	NEARFETCH
	NEARVISIT
	NEARTEST256(NEARPLAIN)
	TESTL AX, AX
	JMI   packet
	NEARCHILDREN256(loop, taken, done)

packet:
	NEARMASK256(R10, R14)
	JZ loop
	MOVQ p+32(FP), R11
	VMOVUPS Y0, (NearWalk_Dist+0)(DI)
	VMOVUPS Y1, (NearWalk_Dist+32)(DI)
	SHLL  $4, AX
	MOVQ  ids+40(FP), R14
	PREFETCHT0 (R14)(AX*4)                  // prefetch the IDs of the slot
	VMOVD AX, X7
	VPBROADCASTD X7, Y7                     // first location
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

insert:
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
	JNZ      insert

	VMOVDQU Y0, (NearFound_Best+0)(R11)
	VMOVDQU Y1, (NearFound_Best+32)(R11)
	MOVQ NearFound_K(R11), AX
	MOVL (NearFound_Best-4)(R11)(AX*4), R12
	VMOVD R12, X11
	VPBROADCASTD X11, Y11
	CMPQ R10, $const_nearKept
	JLE  loop

done:
	MOVL R12, NearWalk_Bound(DI)
	NEAREND
