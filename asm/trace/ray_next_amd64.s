//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "ray_amd64.h"
#include "sort_amd64.h"
#include "ray_walk_amd64.h"

// func rayNextAVX512(w *RayWalk, nodes *Node, packets *Packet, budget int)
TEXT ·rayNextAVX512(SB), NOSPLIT, $8-32
	WALK512

packet:
	PACKETAT(R15)
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

// func rayNextYMM(w *RayWalk, nodes *Node, packets *Packet, budget int)
TEXT ·rayNextYMM(SB), NOSPLIT, $8-32
	WALKYMM

packet:
	PACKETAT(R15)
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

// func rayNextAVX2(w *RayWalk, nodes *Node, packets *Packet, budget int)
TEXT ·rayNextAVX2(SB), NOSPLIT, $8-32
	WALK256

packet:
	ANDL $const_refIndex, R15
	MOVL R15, RayWalk_Slot(DI)
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
