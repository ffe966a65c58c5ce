//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"

// The convex kernels: the test of the frustum kernels, in a loop over planes
// that ends where no lane is left. In that loop R13 is the address of the
// offsets of a plane and LEFT counts planes; the coefficients lie
// Convex_Off-Convex_Coef before it.

#define OFFSET(i) (4*i)(R13)
#define COEF(i) (Convex_Coef-Convex_Off+4*i)(R13)

#define FIRSTPLANE(LEFT) \
	LEAQ Convex_Off(DX), R13 \
	MOVQ Convex_N(DX), LEFT

// The number of the plane with so many LEFT, itself one, into AX.
#define PLANENUMBER(LEFT) \
	MOVQ Convex_N(DX), AX \
	SUBQ LEFT, AX

// The sums of a plane for the eight children at BX: Y0 at the p-vertices without
// d, Y1 at the n-vertices.
#define NODESUM512 \
	MOVL   OFFSET(0), AX         \
	VBROADCASTSS COEF(0), Y8     \
	VMULPS (BX)(AX*1), Y8, Y0    \
	XORL   $32, AX               \
	VMULPS (BX)(AX*1), Y8, Y1    \
	MOVL   OFFSET(1), AX         \
	VBROADCASTSS COEF(1), Y8     \
	VMULPS (BX)(AX*1), Y8, Y2    \
	XORL   $32, AX               \
	VMULPS (BX)(AX*1), Y8, Y3    \
	VADDPS Y2, Y0, Y0            \
	VADDPS Y3, Y1, Y1            \
	MOVL   OFFSET(2), AX         \
	VBROADCASTSS COEF(2), Y8     \
	VMULPS (BX)(AX*1), Y8, Y2    \
	XORL   $32, AX               \
	VMULPS (BX)(AX*1), Y8, Y3    \
	VADDPS Y2, Y0, Y0            \
	VADDPS Y3, Y1, Y1            \
	VADDPS.BCST COEF(3), Y1, Y1

// K1 &= p-vertex inside, K2 &= n-vertex inside. Y7 is zero.
#define NODEPLANE512 \
	NODESUM512                   \
	VADDPS.BCST COEF(3), Y0, Y0  \
	VCMPPS $0x1D, Y7, Y0, K1, K1 \
	VCMPPS $0x1D, Y7, Y1, K2, K2

// The same with the wide d at the p-vertices of children not in K3.
#define NODEPLANEFAR512 \
	NODESUM512                   \
	PLANENUMBER(DI)              \
	VADDPS.BCST Convex_Wide(DX)(AX*4), Y0, Y2 \
	VADDPS.BCST COEF(3), Y0, K3, Y2 \
	VCMPPS $0x1D, Y7, Y2, K1, K1 \
	VCMPPS $0x1D, Y7, Y1, K2, K2

// The loop over planes, until no child is hit. R13 holds the inside list only
// while a node is sorted.
#define NODELOOP512(PLANE, LOOP) \
LOOP:                 \
	PLANE              \
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
	INSIDELIST \
	SORT512

#define NODEFAR512 \
	KXNORB K1, K1, K1 \
	KXNORB K2, K2, K2 \
	NEAR512(Convex_Near, 32, Y0) \
	FIRSTPLANE(DI)    \
	KORTESTB K3, K3   \
	JCS    near       \
	NODELOOP512(NODEPLANEFAR512, far) \
	JMP    sort       \
	NODELOOP512(NODEPLANE512, near) \
sort:                \
	INSIDELIST \
	SORT512

// func convexNodesAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·convexNodesAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	VPXORD Y7, Y7, Y7
	NODES(NODE512)

// func convexNodesFarAVX512(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·convexNodesFarAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	VPXORD Y7, Y7, Y7
	NODES(NODEFAR512)

// The sums of a plane without d for the 16 boxes at BX.
#define PACKETSUM512 \
	MOVL   OFFSET(0), AX         \
	VBROADCASTSS COEF(0), Z8     \
	VMULPS (BX)(AX*2), Z8, Z0    \
	MOVL   OFFSET(1), AX         \
	VBROADCASTSS COEF(1), Z8     \
	VMULPS (BX)(AX*2), Z8, Z1    \
	VADDPS Z1, Z0, Z0            \
	MOVL   OFFSET(2), AX         \
	VBROADCASTSS COEF(2), Z8     \
	VMULPS (BX)(AX*2), Z8, Z1    \
	VADDPS Z1, Z0, Z0

// K1 &= p-vertex inside. Z7 is zero.
#define PACKETPLANE512 \
	PACKETSUM512                 \
	VADDPS.BCST COEF(3), Z0, Z0  \
	VCMPPS $0x1D, Z7, Z0, K1, K1

// The same with the wide d for boxes not in K3.
#define PACKETPLANEFAR512 \
	PACKETSUM512                 \
	PLANENUMBER(R11)             \
	VADDPS.BCST Convex_Wide(DX)(AX*4), Z0, Z1 \
	VADDPS.BCST COEF(3), Z0, K3, Z1 \
	VCMPPS $0x1D, Z7, Z1, K1, K1

// The loop over planes, until no box is hit.
#define PACKETLOOP512(PLANE, LOOP) \
LOOP:                 \
	PLANE              \
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

// func convexPacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·convexPacketsAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXORD Z7, Z7, Z7
	PACKETS(PACKET512)

// func convexPacketsFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·convexPacketsFarAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXORD Z7, Z7, Z7
	PACKETS(PACKETFAR512)

// func convexSweepAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·convexSweepAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXORD Z7, Z7, Z7
	SWEEP(PACKET512)

// func convexSweepFarAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·convexSweepFarAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXORD Z7, Z7, Z7
	SWEEP(PACKETFAR512)

// AVX2: vector masks Y8 and Y9. Y12 is zero.

// The sums of a plane without d for the eight children at BX: Y0 at the
// p-vertices, Y1 at the n-vertices. Y5 is d.
#define NODESUM256 \
	MOVL   OFFSET(0), AX        \
	VBROADCASTSS COEF(0), Y4    \
	VMULPS (BX)(AX*1), Y4, Y0   \
	XORL   $32, AX              \
	VMULPS (BX)(AX*1), Y4, Y1   \
	MOVL   OFFSET(1), AX        \
	VBROADCASTSS COEF(1), Y5    \
	VMULPS (BX)(AX*1), Y5, Y2   \
	XORL   $32, AX              \
	VMULPS (BX)(AX*1), Y5, Y3   \
	VADDPS Y2, Y0, Y0           \
	VADDPS Y3, Y1, Y1           \
	MOVL   OFFSET(2), AX        \
	VBROADCASTSS COEF(2), Y4    \
	VMULPS (BX)(AX*1), Y4, Y2   \
	XORL   $32, AX              \
	VMULPS (BX)(AX*1), Y4, Y3   \
	VBROADCASTSS COEF(3), Y5    \
	VADDPS Y2, Y0, Y0           \
	VADDPS Y3, Y1, Y1

// Y8 &= lanes of Y0 of at least 0, Y9 &= those of Y1.
#define BOTH256 \
	VCMPPS $0x1D, Y12, Y0, Y0   \
	VCMPPS $0x1D, Y12, Y1, Y1   \
	VANDPS Y0, Y8, Y8           \
	VANDPS Y1, Y9, Y9

// Y8 &= p-vertex inside, Y9 &= n-vertex inside.
#define NODEPLANE256 \
	NODESUM256        \
	VADDPS Y5, Y0, Y0 \
	VADDPS Y5, Y1, Y1 \
	BOTH256

// The same with the wide d at the p-vertices of children not in Y6.
#define NODEPLANEFAR256 \
	NODESUM256               \
	PLANENUMBER(DI)          \
	VBROADCASTSS Convex_Wide(DX)(AX*4), Y4 \
	VBLENDVPS Y6, Y5, Y4, Y4 \
	VADDPS Y4, Y0, Y0        \
	VADDPS Y5, Y1, Y1        \
	BOTH256

#define NODELOOP256(PLANE, LOOP) \
LOOP:                  \
	PLANE               \
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
	INSIDELIST \
	SORT256

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	NEAR256(Convex_Near, 32, 0, Y6) \
	FIRSTPLANE(DI)      \
	VMOVMSKPS Y6, AX    \
	CMPL AX, $0xff      \
	JEQ  near           \
	NODELOOP256(NODEPLANEFAR256, far) \
	JMP  sort           \
	NODELOOP256(NODEPLANE256, near) \
sort:                  \
	INSIDELIST \
	SORT256

// func convexNodesAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·convexNodesAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256
	NODES(NODE256)

// func convexNodesFarAVX2(w *VolumeWalk, nodes *Node, p *Convex, filter *NodeFilter, budget int)
TEXT ·convexNodesFarAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256
	NODES(NODEFAR256)

// The sums of a plane without d for the 16 boxes at BX: Y0 (lanes 0 to 7) and Y1
// (8 to 15). Y5 is d.
#define PACKETSUM256 \
	MOVL   OFFSET(0), AX        \
	VBROADCASTSS COEF(0), Y4    \
	VMULPS (BX)(AX*2), Y4, Y0   \
	VMULPS 32(BX)(AX*2), Y4, Y1 \
	MOVL   OFFSET(1), AX        \
	VBROADCASTSS COEF(1), Y5    \
	VMULPS (BX)(AX*2), Y5, Y2   \
	VMULPS 32(BX)(AX*2), Y5, Y3 \
	VADDPS Y2, Y0, Y0           \
	VADDPS Y3, Y1, Y1           \
	MOVL   OFFSET(2), AX        \
	VBROADCASTSS COEF(2), Y4    \
	VMULPS (BX)(AX*2), Y4, Y2   \
	VMULPS 32(BX)(AX*2), Y4, Y3 \
	VBROADCASTSS COEF(3), Y5    \
	VADDPS Y2, Y0, Y0           \
	VADDPS Y3, Y1, Y1

// Y8 and Y9 &= p-vertex inside.
#define PACKETPLANE256 \
	PACKETSUM256      \
	VADDPS Y5, Y0, Y0 \
	VADDPS Y5, Y1, Y1 \
	BOTH256

// The same with the wide d for boxes not in Y6 and Y7.
#define PACKETPLANEFAR256 \
	PACKETSUM256              \
	PLANENUMBER(R11)          \
	VBROADCASTSS Convex_Wide(DX)(AX*4), Y4 \
	VBLENDVPS Y6, Y5, Y4, Y10 \
	VBLENDVPS Y7, Y5, Y4, Y11 \
	VADDPS Y10, Y0, Y0        \
	VADDPS Y11, Y1, Y1        \
	BOTH256

#define PACKETLOOP256(PLANE, LOOP) \
LOOP:                  \
	PLANE               \
	VORPS  Y8, Y9, Y0   \
	VTESTPS Y0, Y0      \
	JZ     miss         \
	ADDQ   $16, R13     \
	DECQ   R11          \
	JNZ    LOOP

#define PACKETMASK256 \
	VMOVMSKPS Y8, AX  \
	VMOVMSKPS Y9, R13 \
	SHLL $8, R13      \
	ORL  R13, AX

#define PACKET256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	FIRSTPLANE(R11)     \
	PACKETLOOP256(PACKETPLANE256, plane) \
	PACKETMASK256

#define PACKETFAR256 \
	VPCMPEQD Y8, Y8, Y8 \
	VPCMPEQD Y9, Y9, Y9 \
	NEAR256(Convex_Near, 64, 0, Y6)  \
	NEAR256(Convex_Near, 64, 32, Y7) \
	FIRSTPLANE(R11)     \
	VANDPS Y6, Y7, Y0   \
	VMOVMSKPS Y0, AX    \
	CMPL AX, $0xff      \
	JEQ  near           \
	PACKETLOOP256(PACKETPLANEFAR256, far) \
	JMP  tested         \
	PACKETLOOP256(PACKETPLANE256, near) \
tested:                \
	PACKETMASK256

// func convexPacketsAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·convexPacketsAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXOR Y12, Y12, Y12
	PACKETS(PACKET256)

// func convexPacketsFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·convexPacketsFarAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXOR Y12, Y12, Y12
	PACKETS(PACKETFAR256)

// func convexSweepAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·convexSweepAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXOR Y12, Y12, Y12
	SWEEP(PACKET256)

// func convexSweepFarAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·convexSweepFarAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXOR Y12, Y12, Y12
	SWEEP(PACKETFAR256)
