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

#define NEARFEWLOAD512 \
	VMOVDQU32 NearFound_Best(R11), Z16 \
	MOVQ NearFound_K(R11), AX          \
	DECQ AX                            \
	VPBROADCASTD AX, Z18

// Each hit shifts the larger distances one lane up: a lane becomes the smaller of itself and the larger of
// the hit and the lane before.
#define NEARFEWINSERT512 \
	VALIGND $15, Z12, Z16, Z1                       \
	VPMAXUD.BCST NearWalk_Dist(DI)(AX*4), Z1, Z1    \
	VPMINUD Z1, Z16, Z16

#define NEARFEWSAVE512 VMOVDQU32 Z16, NearFound_Best(R11)

// func nearFindAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
TEXT ·nearFindAVX512(SB), NOSPLIT, $0-48
	NEARFIND512(NEARFEWLOAD512, NEARFEWINSERT512, Z16, NEARFEWSAVE512)

// The same for 64 distances in Z20 to Z23, the K-th of which is the last.
#define NEARMANYLOAD512 \
	VMOVDQU32 (NearFound_Best+0)(R11), Z20   \
	VMOVDQU32 (NearFound_Best+64)(R11), Z21  \
	VMOVDQU32 (NearFound_Best+128)(R11), Z22 \
	VMOVDQU32 (NearFound_Best+192)(R11), Z23 \
	MOVL $15, AX                             \
	VPBROADCASTD AX, Z18

#define NEARMANYINSERT512 \
	VPBROADCASTD NearWalk_Dist(DI)(AX*4), Z4 \
	VALIGND $15, Z22, Z23, Z3                \
	VALIGND $15, Z21, Z22, Z2                \
	VALIGND $15, Z20, Z21, Z1                \
	VALIGND $15, Z12, Z20, Z0                \
	VPMAXUD Z4, Z3, Z3                       \
	VPMAXUD Z4, Z2, Z2                       \
	VPMAXUD Z4, Z1, Z1                       \
	VPMAXUD Z4, Z0, Z0                       \
	VPMINUD Z3, Z23, Z23                     \
	VPMINUD Z2, Z22, Z22                     \
	VPMINUD Z1, Z21, Z21                     \
	VPMINUD Z0, Z20, Z20

#define NEARMANYSAVE512 \
	VMOVDQU32 Z20, (NearFound_Best+0)(R11)   \
	VMOVDQU32 Z21, (NearFound_Best+64)(R11)  \
	VMOVDQU32 Z22, (NearFound_Best+128)(R11) \
	VMOVDQU32 Z23, (NearFound_Best+192)(R11)

// func nearFindManyAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
TEXT ·nearFindManyAVX512(SB), NOSPLIT, $0-48
	NEARFIND512(NEARMANYLOAD512, NEARMANYINSERT512, Z23, NEARMANYSAVE512)

// The index of the lane before each lane.
DATA nearBefore<>+0(SB)/8, $0x0000000000000007
DATA nearBefore<>+8(SB)/8, $0x0000000200000001
DATA nearBefore<>+16(SB)/8, $0x0000000400000003
DATA nearBefore<>+24(SB)/8, $0x0000000600000005
GLOBL nearBefore<>(SB), RODATA|NOPTR, $32

#define NEARFEWLOAD256 \
	VMOVDQU (NearFound_Best+0)(R11), Y0  \
	VMOVDQU (NearFound_Best+32)(R11), Y1 \
	VMOVDQU nearBefore<>(SB), Y5

#define NEARFEWINSERT256 \
	VPBROADCASTD NearWalk_Dist(DI)(AX*4), Y2 \
	VPERMD   Y0, Y5, Y3      \
	VPERMD   Y1, Y5, Y4      \
	VPBLENDD $1, Y3, Y4, Y4  \
	VPBLENDD $1, Y12, Y3, Y3 \
	VPMAXUD  Y2, Y3, Y3      \
	VPMAXUD  Y2, Y4, Y4      \
	VPMINUD  Y3, Y0, Y0      \
	VPMINUD  Y4, Y1, Y1

#define NEARFEWSAVE256 \
	VMOVDQU Y0, (NearFound_Best+0)(R11)    \
	VMOVDQU Y1, (NearFound_Best+32)(R11)   \
	MOVQ NearFound_K(R11), AX              \
	MOVL (NearFound_Best-4)(R11)(AX*4), R12 \
	VMOVD R12, X11                         \
	VPBROADCASTD X11, Y11

// func nearFindAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
TEXT ·nearFindAVX2(SB), NOSPLIT, $0-48
	NEARFIND256(NEARFEWLOAD256, NEARFEWINSERT256, NEARFEWSAVE256)

// The same for 64 distances in Y0 to Y7, the K-th of which is the last. Registers from Y8 on are loaded again
// after each packet with hits.
#define NEARMANYLOAD256 \
	VMOVDQU (NearFound_Best+0)(R11), Y0   \
	VMOVDQU (NearFound_Best+32)(R11), Y1  \
	VMOVDQU (NearFound_Best+64)(R11), Y2  \
	VMOVDQU (NearFound_Best+96)(R11), Y3  \
	VMOVDQU (NearFound_Best+128)(R11), Y4 \
	VMOVDQU (NearFound_Best+160)(R11), Y5 \
	VMOVDQU (NearFound_Best+192)(R11), Y6 \
	VMOVDQU (NearFound_Best+224)(R11), Y7 \
	VMOVDQU nearBefore<>(SB), Y11

// Inserts the hit in Y8 into BEST. TURNED is BEST and FORMER the register before it, turned by a lane.
#define NEARSHIFT256(BEST, TURNED, FORMER) \
	VPBLENDD $1, FORMER, TURNED, TURNED \
	VPMAXUD  Y8, TURNED, TURNED         \
	VPMINUD  TURNED, BEST, BEST

#define NEARMANYINSERT256 \
	VPBROADCASTD NearWalk_Dist(DI)(AX*4), Y8 \
	VPERMD Y7, Y11, Y9        \
	VPERMD Y6, Y11, Y10       \
	NEARSHIFT256(Y7, Y9, Y10) \
	VPERMD Y5, Y11, Y9        \
	NEARSHIFT256(Y6, Y10, Y9) \
	VPERMD Y4, Y11, Y10       \
	NEARSHIFT256(Y5, Y9, Y10) \
	VPERMD Y3, Y11, Y9        \
	NEARSHIFT256(Y4, Y10, Y9) \
	VPERMD Y2, Y11, Y10       \
	NEARSHIFT256(Y3, Y9, Y10) \
	VPERMD Y1, Y11, Y9        \
	NEARSHIFT256(Y2, Y10, Y9) \
	VPERMD Y0, Y11, Y10       \
	NEARSHIFT256(Y1, Y9, Y10) \
	NEARSHIFT256(Y0, Y10, Y12)

#define NEARMANYSAVE256 \
	VMOVDQU Y0, (NearFound_Best+0)(R11)   \
	VMOVDQU Y1, (NearFound_Best+32)(R11)  \
	VMOVDQU Y2, (NearFound_Best+64)(R11)  \
	VMOVDQU Y3, (NearFound_Best+96)(R11)  \
	VMOVDQU Y4, (NearFound_Best+128)(R11) \
	VMOVDQU Y5, (NearFound_Best+160)(R11) \
	VMOVDQU Y6, (NearFound_Best+192)(R11) \
	VMOVDQU Y7, (NearFound_Best+224)(R11) \
	MOVL (NearFound_Best+252)(R11), R12   \
	MOVL R12, NearWalk_Bound(DI)          \
	NEARLOAD(Y8, Y9, Y10, Y11, Y14, Y15)

// func nearFindManyAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int, p *NearFound, ids *[16]uint32)
TEXT ·nearFindManyAVX2(SB), NOSPLIT, $0-48
	NEARFIND256(NEARMANYLOAD256, NEARMANYINSERT256, NEARMANYSAVE256)
