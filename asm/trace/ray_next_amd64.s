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
	KMOVW   K1, AX
	TESTL   AX, AX
	JZ      loop
	ANDL    $const_refIndex, R15
	MOVL    R15, RayWalk_Slot(DI)
	VMOVUPS Z0, RayWalk_Enter(DI)
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
