//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "ray_amd64.h"
#include "sort_amd64.h"
#include "ray_walk_amd64.h"

// Prefetches the IDs of slot R15, unless the caller reads none. AX and R14 are scratch.
#define FETCHIDS \
	MOVQ  ids+32(FP), R14 \
	TESTQ R14, R14        \
	JZ    test            \
	MOVL  R15, AX         \
	SHLQ  $6, AX          \
	PREFETCHT0 (R14)(AX*1) \
test:

// func rayNextAVX512(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *[Lanes]uint32)
TEXT ·rayNextAVX512(SB), NOSPLIT, $8-40
	WALK512

packet:
	PACKETAT(R15)
	FETCHIDS
	SLABS16(Z0, Z1)
	VCMPPS  $0x12, Z1, Z0, K1
	KMOVW   K1, AX
	TESTL   AX, AX
	JZ      loop
	MOVL    R15, RayWalk_Slot(DI)
	VMOVUPS Z0, RayWalk_Enter(DI)
	LEAVE
	RET

	WALKEND
	LEAVE
	RET

// func rayNextYMM(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *[Lanes]uint32)
TEXT ·rayNextYMM(SB), NOSPLIT, $8-40
	WALKYMM

packet:
	PACKETAT(R15)
	FETCHIDS
	HITSYMM
	TESTL   AX, AX
	JZ      loop
	MOVL    R15, RayWalk_Slot(DI)
	VMOVUPS Y0, RayWalk_Enter(DI)
	VMOVUPS Y2, (RayWalk_Enter+32)(DI)
	LEAVE
	RET

	WALKEND
	LEAVE
	RET

// func rayNextAVX2(w *RayWalk, nodes *Node, packets *Packet, budget int, ids *[Lanes]uint32)
TEXT ·rayNextAVX2(SB), NOSPLIT, $8-40
	WALK256

packet:
	ANDL $const_refIndex, R15
	MOVL R15, RayWalk_Slot(DI)
	FETCHIDS
	SLABS8(32, Y0, Y1)
	VCMPPS    $0x12, Y1, Y0, Y1
	VMOVUPS   Y0, (RayWalk_Enter+32)(DI)
	VMOVMSKPS Y1, R15
	SLABS8(0, Y0, Y1)
	VCMPPS    $0x12, Y1, Y0, Y1
	VMOVMSKPS Y1, AX
	SHLL      $8, R15
	ORL       R15, AX
	TESTL     AX, AX
	JZ        loop
	VMOVUPS   Y0, RayWalk_Enter(DI)
	LEAVE
	RET

	WALKEND
	LEAVE
	RET
