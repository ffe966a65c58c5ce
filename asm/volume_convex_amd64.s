//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"

// The convex kernels: the test of the frustum kernels, in a loop over planes
// that ends where no lane is left. In that loop R13 is the address of the
// offsets of a plane; the coefficients lie Convex_Off-Convex_Coef before it. In
// place of the number of a plane stands the register LEFT that counts those left.

#define COEF(LEFT, k) (Convex_Coef-Convex_Off+4*k)(R13)
#define OFFSET(LEFT, k) (4*k)(R13)

#define FIRSTPLANE(LEFT) \
	LEAQ Convex_Off(DX), R13 \
	MOVQ Convex_N(DX), LEFT

// The number of the plane with so many LEFT, itself one, into AX.
#define PLANENUMBER(LEFT) \
	MOVQ Convex_N(DX), AX \
	SUBQ LEFT, AX

// The normal of a plane.
#define NORMAL512(LEFT, NX, NY, NZ) \
	VBROADCASTSS COEF(LEFT, 0), NX \
	VBROADCASTSS COEF(LEFT, 1), NY \
	VBROADCASTSS COEF(LEFT, 2), NZ

#define LOAD512 VPXORD Y7, Y7, Y7

// K1 &= p-vertex inside, K2 &= n-vertex inside.
#define NODEPLANE512(LEFT) \
	NORMAL512(LEFT, Y8, Y9, Y10)  \
	NODESUM512(LEFT, Y8, Y9, Y10) \
	VADDPS.BCST COEF(LEFT, 3), Y1, Y1 \
	VADDPS.BCST COEF(LEFT, 3), Y0, Y0 \
	VCMPPS $0x1D, Y7, Y0, K1, K1  \
	VCMPPS $0x1D, Y7, Y1, K2, K2

// The same with the wide d at the p-vertices of children not in K3.
#define NODEPLANEFAR512(LEFT) \
	NORMAL512(LEFT, Y8, Y9, Y10)  \
	NODESUM512(LEFT, Y8, Y9, Y10) \
	VADDPS.BCST COEF(LEFT, 3), Y1, Y1 \
	PLANENUMBER(LEFT)             \
	VADDPS.BCST Convex_Wide(DX)(AX*4), Y0, Y2 \
	VADDPS.BCST COEF(LEFT, 3), Y0, K3, Y2 \
	VCMPPS $0x1D, Y7, Y2, K1, K1  \
	VCMPPS $0x1D, Y7, Y1, K2, K2

// The loop over planes, until no child is hit. R13 holds the inside list only
// while a node is sorted.
#define NODELOOP512(PLANE, LOOP) \
LOOP:                 \
	PLANE(DI)          \
	KTESTB K1, K1      \
	JZ     nodenext    \
	ADDQ   $16, R13    \
	DECQ   DI          \
	JNZ    LOOP

#define NODE512 \
	KXNORB K1, K1, K1 \
	KXNORB K2, K2, K2 \
	FIRSTPLANE(DI)    \
	NODELOOP512(NODEPLANE512, plane) \
	INSIDELIST

#define NODEFAR512 \
	KXNORB K1, K1, K1 \
	KXNORB K2, K2, K2 \
	NEAR512(Convex_Near, 32, Y0) \
	FIRSTPLANE(DI)    \
	KORTESTB K3, K3   \
	JCS    near       \
	NODELOOP512(NODEPLANEFAR512, far) \
	JMP    tested     \
	NODELOOP512(NODEPLANE512, near) \
tested:              \
	INSIDELIST

// K1 &= p-vertex inside.
#define PACKETPLANE512(LEFT) \
	NORMAL512(LEFT, Z8, Z9, Z10)    \
	PACKETSUM512(LEFT, Z8, Z9, Z10) \
	VADDPS.BCST COEF(LEFT, 3), Z0, Z0 \
	VCMPPS $0x1D, Z7, Z0, K1, K1

// The same with the wide d for boxes not in K3.
#define PACKETPLANEFAR512(LEFT) \
	NORMAL512(LEFT, Z8, Z9, Z10)    \
	PACKETSUM512(LEFT, Z8, Z9, Z10) \
	PLANENUMBER(LEFT)               \
	VADDPS.BCST Convex_Wide(DX)(AX*4), Z0, Z1 \
	VADDPS.BCST COEF(LEFT, 3), Z0, K3, Z1 \
	VCMPPS $0x1D, Z7, Z1, K1, K1

// The loop over planes, until no box is hit.
#define PACKETLOOP512(PLANE, LOOP) \
LOOP:                 \
	PLANE(R11)         \
	KTESTW K1, K1      \
	JZ     miss        \
	ADDQ   $16, R13    \
	DECQ   R11         \
	JNZ    LOOP

#define PACKET512 \
	KXNORW K1, K1, K1 \
	FIRSTPLANE(R11)   \
	PACKETLOOP512(PACKETPLANE512, plane) \
	KMOVW  K1, AX

#define PACKETFAR512 \
	KXNORW K1, K1, K1 \
	NEAR512(Convex_Near, 64, Z0) \
	FIRSTPLANE(R11)   \
	KORTESTW K3, K3   \
	JCS    near       \
	PACKETLOOP512(PACKETPLANEFAR512, far) \
	JMP    tested     \
	PACKETLOOP512(PACKETPLANE512, near) \
tested:              \
	KMOVW  K1, AX

// func volumeNodesConvexAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODE512)

// func volumePacketsConvexAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKET512)

// func volumeScanConvexAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKET512)

// func volumeNodesConvexFarAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexFarAVX512(SB), NOSPLIT, $0-40
	NODES512(LOAD512, NODEFAR512)

// func volumePacketsConvexFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexFarAVX512(SB), NOSPLIT, $0-48
	PACKETS(LOAD512, PACKETFAR512)

// func volumeScanConvexFarAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexFarAVX512(SB), NOSPLIT, $0-48
	SCAN(LOAD512, PACKETFAR512)

// AVX2.

#define LOAD256 VPXOR Y12, Y12, Y12

#define BOTH256 SIGNS256(Y8, Y9)

#define WIDE256(LEFT) \
	PLANENUMBER(LEFT)  \
	VBROADCASTSS Convex_Wide(DX)(AX*4), Y4

#define NODELOOP256(PLANE, LOOP) \
LOOP:                  \
	PLANE(DI)           \
	VTESTPS Y8, Y8      \
	JZ     nodenext     \
	ADDQ   $16, R13     \
	DECQ   DI           \
	JNZ    LOOP

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE(DI)      \
	NODELOOP256(NODEPLANE256, plane) \
	INSIDELIST

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	NEAR256(Convex_Near, 32, 0, Y7) \
	FIRSTPLANE(DI)      \
	VMOVMSKPS Y7, AX    \
	CMPL AX, $0xff      \
	JEQ  near           \
	NODELOOP256(NODEPLANEFAR256, far) \
	JMP  tested         \
	NODELOOP256(NODEPLANE256, near) \
tested:                \
	INSIDELIST

#define PACKETLOOP256(PLANE, LOOP) \
LOOP:                  \
	PLANE(R11)          \
	VORPS  Y8, Y9, Y0   \
	VTESTPS Y0, Y0      \
	JZ     miss         \
	ADDQ   $16, R13     \
	DECQ   R11          \
	JNZ    LOOP

#define PACKET256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE(R11)     \
	PACKETLOOP256(PACKETPLANE256, plane) \
	LANES256

#define PACKETFAR256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	NEAR256(Convex_Near, 64, 0, Y7)  \
	NEAR256(Convex_Near, 64, 32, Y13) \
	FIRSTPLANE(R11)     \
	VANDPS Y7, Y13, Y0   \
	VMOVMSKPS Y0, AX    \
	CMPL AX, $0xff      \
	JEQ  near           \
	PACKETLOOP256(PACKETPLANEFAR256, far) \
	JMP  tested         \
	PACKETLOOP256(PACKETPLANE256, near) \
tested:                \
	LANES256

// func volumeNodesConvexAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODE256)

// func volumePacketsConvexAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKET256)

// func volumeScanConvexAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKET256)

// func volumeNodesConvexFarAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·volumeNodesConvexFarAVX2(SB), NOSPLIT, $0-40
	NODES256(LOAD256, NODEFAR256)

// func volumePacketsConvexFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·volumePacketsConvexFarAVX2(SB), NOSPLIT, $0-48
	PACKETS(LOAD256, PACKETFAR256)

// func volumeScanConvexFarAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·volumeScanConvexFarAVX2(SB), NOSPLIT, $0-48
	SCAN(LOAD256, PACKETFAR256)
