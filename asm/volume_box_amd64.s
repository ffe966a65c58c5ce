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

#define LOAD512 LOADBOX(Z8, Z9, Z10, Z11, Z12, Z13)

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

// func volumeNodesBoxAVX512(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int)
TEXT ·volumeNodesBoxAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)

// func volumePacketsBoxAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Box) (written int)
TEXT ·volumePacketsBoxAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512)

// func volumeScanBoxAVX512(out *Range, packets *Packet, first, n int, p *Box) (written int)
TEXT ·volumeScanBoxAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512)

// AVX2.

#define LOAD256 LOADBOX(Y2, Y3, Y4, Y5, Y6, Y7)

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

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8       \
	VPCMPEQD Y9, Y9, Y9       \
	NODEAXIS256(0, Y2, Y3)    \
	NODEAXIS256(64, Y4, Y5)   \
	NODEAXIS256(128, Y6, Y7)

// The hit lanes of the eight boxes at BX, first column at the offset, into M.
#define HALFPACKET256(OFF, M) \
	VCMPPS $0x1D, (OFF)(BX), Y3, M      \
	VCMPPS $0x12, (OFF+64)(BX), Y2, Y1  \
	VANDPS Y1, M, M                     \
	VCMPPS $0x1D, (OFF+128)(BX), Y5, Y1 \
	VANDPS Y1, M, M                     \
	VCMPPS $0x12, (OFF+192)(BX), Y4, Y1 \
	VANDPS Y1, M, M                     \
	VCMPPS $0x1D, (OFF+256)(BX), Y7, Y1 \
	VANDPS Y1, M, M                     \
	VCMPPS $0x12, (OFF+320)(BX), Y6, Y1 \
	VANDPS Y1, M, M

#define PACKET256 \
	HALFPACKET256(0, Y8)   \
	HALFPACKET256(32, Y9)  \
	LANES256

// func volumeNodesBoxAVX2(w *VolumeWalk, nodes *Node, p *Box, filter *NodeFilter, budget int)
TEXT ·volumeNodesBoxAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsBoxAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Box) (written int)
TEXT ·volumePacketsBoxAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256)

// func volumeScanBoxAVX2(out *Range, packets *Packet, first, n int, p *Box) (written int)
TEXT ·volumeScanBoxAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256)
