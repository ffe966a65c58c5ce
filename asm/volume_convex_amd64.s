//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"

// The convex kernels: the test of the frustum kernels, in a loop over planes
// that ends where no lane is left. In that loop DI counts the planes left, and R14
// is the address of the offsets of a plane; the coefficients lie
// Convex_Off-Convex_Coef before it. In place of the number of a plane stands NEXT.

#define COEF(NEXT, k) (Convex_Coef-Convex_Off+4*k)(R14)
#define OFFSET(NEXT, k) (4*k)(R14)
#define WIDE(NEXT) Convex_Wide(DX)(AX*4)
#define NUMBER(NEXT) \
	MOVQ Convex_N(DX), AX \
	SUBQ DI, AX

#define FIRSTPLANE \
	LEAQ Convex_Off(DX), R14 \
	MOVQ Convex_N(DX), DI

#define LOAD512 VPXORD Z7, Z7, Z7

#define MEETS512 \
	NORMAL512(NEXT, Z8, Z9, Z10) \
	PLANE512(NEXT, Z8, Z9, Z10, PVERTEX, K1)

#define MEETSFAR512 \
	NORMAL512(NEXT, Z8, Z9, Z10) \
	PLANEFAR512(NEXT, Z8, Z9, Z10)

#define HOLDS512 \
	NORMAL512(NEXT, Z8, Z9, Z10) \
	PLANE512(NEXT, Z8, Z9, Z10, NVERTEX, K2)

// The loop over planes, until no box is left in K.
#define LOOP512(PLANE, K, NONE, LOOP) \
LOOP:                 \
	PLANE              \
	KTESTW K, K        \
	JZ     NONE        \
	ADDQ   $16, R14    \
	DECQ   DI          \
	JNZ    LOOP

// The 16 boxes at BX: K1 are hit.
#define HIT512 \
	KXNORW K1, K1, K1 \
	FIRSTPLANE        \
	LOOP512(MEETS512, K1, miss, plane)

#define HITFAR512 \
	KXNORW K1, K1, K1    \
	NEAR512(Convex_Near) \
	FIRSTPLANE           \
	KORTESTW K3, K3      \
	JCS    near          \
	LOOP512(MEETSFAR512, K1, miss, far) \
	JMP    tested        \
	LOOP512(MEETS512, K1, miss, near) \
tested:

// K2 are inside.
#define INSIDE512 \
	KMOVW  K1, K2     \
	FIRSTPLANE        \
	LOOP512(HOLDS512, K2, sort, inside) \
sort:

// func volumeNodesConvexAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, HIT512, INSIDE512)

// func volumePacketsConvexAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, HIT512, LANES512)

// func volumeScanConvexAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, HIT512, LANES512)

// func volumeNodesConvexFarAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexFarAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, HITFAR512, INSIDE512)

// func volumePacketsConvexFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexFarAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, HITFAR512, LANES512)

// func volumeScanConvexFarAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexFarAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, HITFAR512, LANES512)

// AVX2.

#define LOAD256 VPXOR Y12, Y12, Y12

#define BOTH256 SIGNS256(Y8, Y9)

// The loops over planes, until no box is hit.
#define NODELOOP256(PLANE, LOOP) \
LOOP:                  \
	PLANE(NEXT)         \
	VTESTPS Y8, Y8      \
	JZ     miss         \
	ADDQ   $16, R14     \
	DECQ   DI           \
	JNZ    LOOP

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE          \
	NODELOOP256(NODEPLANE256, plane)

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	NEAR256(Convex_Near, 0, Y7) \
	FIRSTPLANE          \
	VMOVMSKPS Y7, AX    \
	CMPL AX, $0xff      \
	JEQ  near           \
	NODELOOP256(NODEPLANEFAR256, far) \
	JMP  tested         \
	NODELOOP256(NODEPLANE256, near) \
tested:

#define PACKETLOOP256(PLANE, LOOP) \
LOOP:                  \
	PLANE(NEXT)         \
	VORPS  Y8, Y9, Y0   \
	VTESTPS Y0, Y0      \
	JZ     miss         \
	ADDQ   $16, R14     \
	DECQ   DI           \
	JNZ    LOOP

#define PACKET256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE          \
	PACKETLOOP256(PACKETPLANE256, plane)

#define PACKETFAR256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	NEAR256(Convex_Near, 0, Y7)  \
	NEAR256(Convex_Near, 32, Y13) \
	FIRSTPLANE          \
	VANDPS Y7, Y13, Y0  \
	VMOVMSKPS Y0, AX    \
	CMPL AX, $0xff      \
	JEQ  near           \
	PACKETLOOP256(PACKETPLANEFAR256, far) \
	JMP  tested         \
	PACKETLOOP256(PACKETPLANE256, near) \
tested:

// func volumeNodesConvexAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsConvexAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256, LANES256)

// func volumeScanConvexAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256, LANES256)

// func volumeNodesConvexFarAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexFarAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODEFAR256)

// func volumePacketsConvexFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexFarAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKETFAR256, LANES256)

// func volumeScanConvexFarAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexFarAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKETFAR256, LANES256)
