//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"

// The sphere kernels. On each axis the distance of the centre c from a box is
// c - min(max(c, box.min), box.max), up to its sign; sums are (x + y) + z and
// never fused. The distance of an empty lane is infinite, the limit finite.

#define LOADSPHERE(X, Y, Z, SCALE, LIMIT) \
	VBROADCASTSS (Sphere_Center+0)(DX), X \
	VBROADCASTSS (Sphere_Center+4)(DX), Y \
	VBROADCASTSS (Sphere_Center+8)(DX), Z \
	VBROADCASTSS Sphere_Scale(DX), SCALE  \
	VBROADCASTSS Sphere_Limit(DX), LIMIT

// The square of the scaled distance on one axis; minima at LO, maxima at HI.
#define NEAREST(LO, HI, C, SCALE, D) \
	VMAXPS (LO)(BX), C, D \
	VMINPS (HI)(BX), D, D \
	VSUBPS D, C, D        \
	VMULPS SCALE, D, D    \
	VMULPS D, D, D

// The same for the further end of the interval.
#define FURTHEST(LO, HI, C, SCALE, D, T) \
	VMOVUPS (HI)(BX), D   \
	VSUBPS  C, D, D       \
	VSUBPS  (LO)(BX), C, T \
	VMAXPS  T, D, D       \
	VMULPS  SCALE, D, D   \
	VMULPS  D, D, D

// func sphereNodesAVX512(w *VolumeWalk, nodes *Node, p *Sphere, filter *NodeFilter, budget int)
TEXT ·sphereNodesAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	LOADSPHERE(Y8, Y9, Y10, Y11, Y12)

nodeloop:
	CMPQ R9, R10
	JGE  nodedone
	NEXTNODE
	NEAREST(0, 32, Y8, Y11, Y0)
	NEAREST(64, 96, Y9, Y11, Y1)
	NEAREST(128, 160, Y10, Y11, Y2)
	VADDPS Y1, Y0, Y0
	VADDPS Y2, Y0, Y0
	FURTHEST(0, 32, Y8, Y11, Y13, Y16)
	FURTHEST(64, 96, Y9, Y11, Y14, Y17)
	FURTHEST(128, 160, Y10, Y11, Y15, Y18)
	VADDPS Y14, Y13, Y13
	VADDPS Y15, Y13, Y13
	VCMPPS $0x12, Y12, Y0, K1
	VCMPPS $0x12, Y12, Y13, K2
	SORT512
	DECQ CX
	JNZ  nodeloop

nodedone:
	NODEDONE
	VZEROUPPER
	RET

// The hit lanes of the 16 boxes at BX into AX.
#define PACKET512 \
	NEAREST(0, 64, Z8, Z11, Z0)     \
	NEAREST(128, 192, Z9, Z11, Z1)  \
	NEAREST(256, 320, Z10, Z11, Z2) \
	VADDPS Z1, Z0, Z0               \
	VADDPS Z2, Z0, Z0               \
	VCMPPS $0x12, Z12, Z0, K1       \
	KMOVW  K1, AX

// func spherePacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Sphere) (written int)
TEXT ·spherePacketsAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	LOADSPHERE(Z8, Z9, Z10, Z11, Z12)

packetloop:
	CMPQ DI, R15
	JGE  packettest
	FETCHPACKET

packettest:
	NEXTPACKET
	PACKET512
	PUTRANGE
	INCQ DI
	CMPQ DI, CX
	JLT  packetloop
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// func sphereSweepAVX512(out *Range, packets *Packet, first, n int, p *Sphere) (written int)
TEXT ·sphereSweepAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	LOADSPHERE(Z8, Z9, Z10, Z11, Z12)

sweeploop:
	PACKET512
	PUTRANGE
	ADDQ $384, BX
	INCQ R10
	DECQ CX
	JNZ  sweeploop
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// func sphereNodesAVX2(w *VolumeWalk, nodes *Node, p *Sphere, filter *NodeFilter, budget int)
TEXT ·sphereNodesAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256
	LOADSPHERE(Y3, Y4, Y5, Y6, Y7)

nodeloop2:
	CMPQ R9, R10
	JGE  nodedone2
	NEXTNODE
	NEAREST(0, 32, Y3, Y6, Y0)
	NEAREST(64, 96, Y4, Y6, Y1)
	VADDPS Y1, Y0, Y0
	NEAREST(128, 160, Y5, Y6, Y1)
	VADDPS Y1, Y0, Y0
	VCMPPS $0x12, Y7, Y0, Y8
	FURTHEST(0, 32, Y3, Y6, Y0, Y11)
	FURTHEST(64, 96, Y4, Y6, Y1, Y11)
	VADDPS Y1, Y0, Y0
	FURTHEST(128, 160, Y5, Y6, Y1, Y11)
	VADDPS Y1, Y0, Y0
	VCMPPS $0x12, Y7, Y0, Y9
	SORT256
	DECQ CX
	JNZ  nodeloop2

nodedone2:
	NODEDONE
	VZEROUPPER
	RET

// The hit lanes of the eight boxes at BX, first column at the offset, into M.
#define HALFPACKET256(OFF, M) \
	NEAREST(OFF, OFF+64, Y3, Y6, Y0)      \
	NEAREST(OFF+128, OFF+192, Y4, Y6, Y1) \
	NEAREST(OFF+256, OFF+320, Y5, Y6, Y2) \
	VADDPS Y1, Y0, Y0                     \
	VADDPS Y2, Y0, Y0                     \
	VCMPPS $0x12, Y7, Y0, Y0              \
	VMOVMSKPS Y0, M

#define PACKET256 \
	HALFPACKET256(0, AX)   \
	HALFPACKET256(32, R13) \
	SHLL $8, R13           \
	ORL  R13, AX

// func spherePacketsAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Sphere) (written int)
TEXT ·spherePacketsAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	LOADSPHERE(Y3, Y4, Y5, Y6, Y7)

packetloop2:
	CMPQ DI, R15
	JGE  packettest2
	FETCHPACKET

packettest2:
	NEXTPACKET
	PACKET256
	PUTRANGE
	INCQ DI
	CMPQ DI, CX
	JLT  packetloop2
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// func sphereSweepAVX2(out *Range, packets *Packet, first, n int, p *Sphere) (written int)
TEXT ·sphereSweepAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	LOADSPHERE(Y3, Y4, Y5, Y6, Y7)

sweeploop2:
	PACKET256
	PUTRANGE
	ADDQ $384, BX
	INCQ R10
	DECQ CX
	JNZ  sweeploop2
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET
