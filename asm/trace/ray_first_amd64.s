//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "ray_amd64.h"
#include "sort_amd64.h"
#include "ray_walk_amd64.h"

// The walk to the first hit. For a packet with lanes hit, AX is the minimum of their times and BX
// the lane with it that has the smallest ID; R15 is the packet's slot. R14 is scratch.

// The address of the IDs of slot R15 into R14.
#define IDLINE \
	MOVL R15, R14             \
	SHLQ $6, R14              \
	ADDQ ids+32(FP), R14

// Makes lane BX of slot R15, hit at the time AX, the best, unless the current best has the same
// time and a smaller ID. No time is later, because of Max. LOWER copies AX where Max is read.
#define BEST(LOWER) \
	SHLL $4, R15                    \
	ORL  BX, R15                    \
	MOVQ ids+32(FP), R14            \
	CMPL AX, RayWalk_Time(DI)       \
	JEQ  tie                        \
	MOVL AX, RayWalk_Time(DI)       \
	MOVL R15, RayWalk_Location(DI)     \
	PREFETCHT0 (R14)(R15*4)         \
	MOVL RayWalk_Zero(DI), BX       \
	CMPL AX, BX                     \
	CMOVLCS BX, AX                  \
	CMPL AX, RAY(Ray_Max)           \
	JCC  loop                       \
	MOVL AX, RAY(Ray_Max)           \
	LOWER                           \
	JMP  loop                       \
tie:                                \
	MOVL RayWalk_Location(DI), AX      \
	MOVL (R14)(R15*4), BX           \
	CMPL BX, (R14)(AX*4)            \
	JCC  loop                       \
	MOVL R15, RayWalk_Location(DI)     \
	JMP  loop

#define MAXONLY
#define MAXYMM VPBROADCASTD AX, Y19

// The first of the lanes in K2 with the smallest ID: BX is its mask.
#define LEASTID512 \
	IDLINE                         \
	VMOVDQA32     Z27, Z1          \
	VMOVDQU32     (R14), K2, Z1    \
	VEXTRACTI64X4 $1, Z1, Y2       \
	VPMINUD       Y2, Y1, Y2       \
	VEXTRACTI128  $1, Y2, X3       \
	VPMINUD       X3, X2, X2       \
	LEAST128(X2, X3, BX)           \
	VPBROADCASTD  X2, Z2           \
	VPCMPUD       $0, Z2, Z1, K2   \
	KMOVW         K2, BX

// func rayFirstAVX512(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *uint32)
TEXT ·rayFirstAVX512(SB), NOSPLIT, $8-40
	WALK512

packet:
	PACKETAT(R15)
	SLABS16(Z0, Z1)
	VCMPPS $0x12, Z1, Z0, K1
	KMOVW  K1, AX
	TESTL  AX, AX
	JZ     loop
	VBROADCASTSS RayWalk_Zero(DI), Z1
	VCMPPS       $0x1E, Z1, Z0, K2
	VMOVAPS.Z    Z0, K2, Z0
	VMOVDQA32    Z27, Z1
	VMOVDQA32    Z0, K1, Z1 // times, all ones without a hit
	VEXTRACTI64X4 $1, Z1, Y2
	VPMINUD      Y2, Y1, Y2
	VEXTRACTI128 $1, Y2, X3
	VPMINUD      X3, X2, X2
	LEAST128(X2, X3, AX)
	VPBROADCASTD X2, Z2
	VPCMPUD      $0, Z2, Z1, K2
	KMOVW        K2, BX
	LEAL         -1(BX), R14
	TESTL        R14, BX
	JNZ          several

one:
	TZCNTL BX, BX
	BEST(MAXONLY)

several:
	LEASTID512
	JMP one

	WALKEND
	LEAVE
	RET

// func rayFirstYMM(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *uint32)
TEXT ·rayFirstYMM(SB), NOSPLIT, $8-40
	WALKYMM

packet:
	PACKETAT(R15)
	HITSYMM
	TESTL  AX, AX
	JZ     loop
	VBROADCASTSS RayWalk_Zero(DI), Y16
	VCMPPS     $0x1E, Y16, Y0, K1
	VCMPPS     $0x1E, Y16, Y2, K2
	VMOVAPS.Z  Y0, K1, Y0
	VMOVAPS.Z  Y2, K2, Y2
	VPTERNLOGD $0xF3, Y1, Y1, Y0 // times, all ones without a hit
	VPTERNLOGD $0xF3, Y3, Y3, Y2
	VPMINUD    Y2, Y0, Y16
	VEXTRACTI32X4 $1, Y16, X17
	VPMINUD    X17, X16, X16
	LEAST128(X16, X17, AX)
	VPBROADCASTD X16, Y16
	VPCMPUD    $0, Y16, Y0, K1
	VPCMPUD    $0, Y16, Y2, K2
	KUNPCKBW   K1, K2, K2
	KMOVW      K2, BX
	LEAL       -1(BX), R14
	TESTL      R14, BX
	JNZ        several

one:
	TZCNTL BX, BX
	BEST(MAXYMM)

several:
	LEASTID512
	JMP one

	WALKEND
	LEAVE
	RET

// The lanes in Y2 and Y3 into REG. R14 is scratch.
#define HALVES(REG) \
	VMOVMSKPS Y3, REG \
	VMOVMSKPS Y2, R14 \
	SHLL      $8, REG \
	ORL       R14, REG

// The times of eight lanes from the byte AT of a column on into Y0, all ones without a hit.
#define TIMES256(AT) \
	SLABS8(AT, Y0, Y1)                \
	VCMPPS       $0x12, Y1, Y0, Y1    \
	VBROADCASTSS RayWalk_Zero(DI), Y2 \
	VCMPPS       $0x1E, Y2, Y0, Y2    \
	VANDPS       Y2, Y0, Y0           \
	VPCMPEQD     Y3, Y3, Y3           \
	VPXOR        Y3, Y1, Y1           \
	VPOR         Y1, Y0, Y0

// func rayFirstAVX2(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *uint32)
//
// The times are spilled to Enter.
TEXT ·rayFirstAVX2(SB), NOSPLIT, $8-40
	WALK256

packet:
	TIMES256(32)
	VMOVDQU Y0, (RayWalk_Enter+32)(DI)
	TIMES256(0)
	VMOVDQU Y0, RayWalk_Enter(DI)
	VPMINUD (RayWalk_Enter+32)(DI), Y0, Y2
	VEXTRACTI128 $1, Y2, X3
	VPMINUD X3, X2, X2
	LEAST128(X2, X3, AX)
	CMPL    AX, $-1
	JEQ     loop
	VPBROADCASTD X2, Y2
	VPCMPEQD (RayWalk_Enter+32)(DI), Y2, Y3
	VPCMPEQD Y0, Y2, Y2
	ANDL    $const_refIndex, R15
	HALVES(BX)
	LEAL    -1(BX), R14
	TESTL   R14, BX
	JNZ     several

one:
	TZCNTL BX, BX
	BEST(MAXONLY)

several:
	IDLINE
	VPCMPEQD Y0, Y0, Y0
	VPXOR    Y0, Y2, Y2
	VPXOR    Y0, Y3, Y3
	VPOR     (R14), Y2, Y2 // the IDs of these lanes
	VPOR     32(R14), Y3, Y3
	VPMINUD  Y3, Y2, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMINUD  X1, X0, X0
	LEAST128(X0, X1, BX)
	VPBROADCASTD X0, Y0
	VPCMPEQD Y0, Y2, Y2
	VPCMPEQD Y0, Y3, Y3
	HALVES(BX)
	JMP      one

	WALKEND
	LEAVE
	RET
