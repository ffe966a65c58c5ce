//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"

// The box kernels: two ordered comparisons an axis, exact. 0x12 is <=, 0x1D is
// >=, of the register and what is in memory. Empty lanes (minima +Inf, maxima
// -Inf) fail all of them, as the query is finite.

// The six numbers of the query.
#define LOADBOX(MINX, MAXX, MINY, MAXY, MINZ, MAXZ) \
	VBROADCASTSS 0(DX), MINX   \
	VBROADCASTSS 4(DX), MAXX   \
	VBROADCASTSS 8(DX), MINY   \
	VBROADCASTSS 12(DX), MAXY  \
	VBROADCASTSS 16(DX), MINZ  \
	VBROADCASTSS 20(DX), MAXZ

// The eight children at BX: K1 are hit, K2 inside. Four chains of comparisons run
// side by side: the time from a node to its child decides small queries.
#define NODE512 \
	VCMPPS $0x1D, (BX), Y9, K1           \
	VCMPPS $0x12, 32(BX), Y8, K3         \
	VCMPPS $0x12, (BX), Y8, K2           \
	VCMPPS $0x1D, 32(BX), Y9, K4         \
	VCMPPS $0x1D, 64(BX), Y11, K1, K1    \
	VCMPPS $0x12, 96(BX), Y10, K3, K3    \
	VCMPPS $0x12, 64(BX), Y10, K2, K2    \
	VCMPPS $0x1D, 96(BX), Y11, K4, K4    \
	VCMPPS $0x1D, 128(BX), Y13, K1, K1   \
	VCMPPS $0x12, 160(BX), Y12, K3, K3   \
	VCMPPS $0x12, 128(BX), Y12, K2, K2   \
	VCMPPS $0x1D, 160(BX), Y13, K4, K4   \
	KANDB  K1, K3, K1                    \
	KANDB  K2, K4, K2

// func boxNodesAVX512(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int)
TEXT ·boxNodesAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	LOADBOX(Y8, Y9, Y10, Y11, Y12, Y13)

nodeloop:
	CMPQ R9, R10
	JGE  nodedone
	NEXTNODE
	NODE512
	SORT512
	DECQ CX
	JNZ  nodeloop

nodedone:
	NODEDONE
	VZEROUPPER
	RET

// The hit lanes of the 16 boxes at BX into AX: the two chains of comparisons
// run side by side.
#define PACKET512 \
	VCMPPS $0x1D, (BX), Z9, K1          \
	VCMPPS $0x12, 64(BX), Z8, K2        \
	VCMPPS $0x1D, 128(BX), Z11, K1, K1  \
	VCMPPS $0x12, 192(BX), Z10, K2, K2  \
	VCMPPS $0x1D, 256(BX), Z13, K1, K1  \
	VCMPPS $0x12, 320(BX), Z12, K2, K2  \
	KANDW  K1, K2, K1                   \
	KMOVW  K1, AX

// func boxPacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Box) (written int)
TEXT ·boxPacketsAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	LOADBOX(Z8, Z9, Z10, Z11, Z12, Z13)

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

// func boxSweepAVX512(out *Range, packets *Packet, first, n int, p *Box) (written int)
TEXT ·boxSweepAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	LOADBOX(Z8, Z9, Z10, Z11, Z12, Z13)

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

// AVX2.

// One axis of the eight children at BX, minima at the offset: Y8 &= hit, Y9 &=
// inside.
#define NODEAXIS256(OFF, QMIN, QMAX) \
	VCMPPS $0x1D, (OFF)(BX), QMAX, Y0    \
	VCMPPS $0x12, (OFF)(BX), QMIN, Y1    \
	VANDPS Y0, Y8, Y8                    \
	VANDPS Y1, Y9, Y9                    \
	VCMPPS $0x12, (OFF+32)(BX), QMIN, Y0 \
	VCMPPS $0x1D, (OFF+32)(BX), QMAX, Y1 \
	VANDPS Y0, Y8, Y8                    \
	VANDPS Y1, Y9, Y9

// func boxNodesAVX2(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int)
TEXT ·boxNodesAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256
	LOADBOX(Y2, Y3, Y4, Y5, Y6, Y7)

nodeloop2:
	CMPQ R9, R10
	JGE  nodedone2
	NEXTNODE
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	NODEAXIS256(0, Y2, Y3)
	NODEAXIS256(64, Y4, Y5)
	NODEAXIS256(128, Y6, Y7)
	SORT256
	DECQ CX
	JNZ  nodeloop2

nodedone2:
	NODEDONE
	VZEROUPPER
	RET

// The hit lanes of the eight boxes at BX, first column at the offset, into M.
#define HALFPACKET256(OFF, M) \
	VCMPPS $0x1D, (OFF)(BX), Y3, Y0     \
	VCMPPS $0x12, (OFF+64)(BX), Y2, Y1  \
	VANDPS Y1, Y0, Y0                   \
	VCMPPS $0x1D, (OFF+128)(BX), Y5, Y1 \
	VANDPS Y1, Y0, Y0                   \
	VCMPPS $0x12, (OFF+192)(BX), Y4, Y1 \
	VANDPS Y1, Y0, Y0                   \
	VCMPPS $0x1D, (OFF+256)(BX), Y7, Y1 \
	VANDPS Y1, Y0, Y0                   \
	VCMPPS $0x12, (OFF+320)(BX), Y6, Y1 \
	VANDPS Y1, Y0, Y0                   \
	VMOVMSKPS Y0, M

#define PACKET256 \
	HALFPACKET256(0, AX)   \
	HALFPACKET256(32, R13) \
	SHLL $8, R13           \
	ORL  R13, AX

// func boxPacketsAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Box) (written int)
TEXT ·boxPacketsAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	LOADBOX(Y2, Y3, Y4, Y5, Y6, Y7)

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

// func boxSweepAVX2(out *Range, packets *Packet, first, n int, p *Box) (written int)
TEXT ·boxSweepAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	LOADBOX(Y2, Y3, Y4, Y5, Y6, Y7)

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
