//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"

// The convex kernels: the test of the frustum kernels, in a loop over planes
// that ends where no lane is left. In that loop R13 is the address of the
// offsets of a plane and LEFT counts planes; the coefficients lie
// Convex_Off-Convex_Coef before it.

#define OFFSET(i) (4*i)(R13)
#define COEF(i) (Convex_Coef-Convex_Off+4*i)(R13)

#define FIRSTPLANE(LEFT) \
	LEAQ Convex_Off(DX), R13 \
	MOVQ Convex_N(DX), LEFT

// A plane against the eight children at BX: K1 &= p-vertex inside, K2 &=
// n-vertex inside. Y7 is zero.
#define NODEPLANE512 \
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
	VADDPS.BCST COEF(3), Y0, Y0  \
	VADDPS.BCST COEF(3), Y1, Y1  \
	VCMPPS $0x1D, Y7, Y0, K1, K1 \
	VCMPPS $0x1D, Y7, Y1, K2, K2

// func convexNodesAVX512(w *Walk, nodes *Node, p *Convex, sift *Sift, budget int)
//
// R13 holds the inside list only while a node is sorted.
TEXT ·convexNodesAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	VPXORD Y7, Y7, Y7

nodeloop:
	CMPQ R9, R10
	JGE  nodedone
	NEXTNODE
	KXNORB K1, K1, K1
	KXNORB K2, K2, K2
	FIRSTPLANE(DI)

nodeplane:
	NODEPLANE512
	KTESTB K1, K1
	JZ     nodenext
	ADDQ   $16, R13
	DECQ   DI
	JNZ    nodeplane
	MOVQ   w+0(FP), DI
	MOVQ   (Walk_Inside+0)(DI), R13
	SORT512

nodenext:
	DECQ CX
	JNZ  nodeloop

nodedone:
	MOVQ w+0(FP), DI
	NODEDONE
	VZEROUPPER
	RET

// The planes against the 16 boxes at BX until K1 is empty. Z7 is zero, R11
// counts planes.
#define PACKETPLANE512 \
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
	VADDPS Z1, Z0, Z0            \
	VADDPS.BCST COEF(3), Z0, Z0  \
	VCMPPS $0x1D, Z7, Z0, K1, K1

// func convexPacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·convexPacketsAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXORD Z7, Z7, Z7

packetloop:
	CMPQ DI, R15
	JGE  packettest
	FETCHPACKET

packettest:
	NEXTPACKET
	KXNORW K1, K1, K1
	FIRSTPLANE(R11)

packetplane:
	PACKETPLANE512
	KTESTW K1, K1
	JZ     packetnext
	ADDQ   $16, R13
	DECQ   R11
	JNZ    packetplane
	KMOVW  K1, AX
	PUTRANGE

packetnext:
	INCQ DI
	CMPQ DI, CX
	JLT  packetloop
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// func convexSweepAVX512(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·convexSweepAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXORD Z7, Z7, Z7

sweeploop:
	KXNORW K1, K1, K1
	FIRSTPLANE(R11)

sweepplane:
	PACKETPLANE512
	KTESTW K1, K1
	JZ     sweepnext
	ADDQ   $16, R13
	DECQ   R11
	JNZ    sweepplane
	KMOVW  K1, AX
	PUTRANGE

sweepnext:
	ADDQ $384, BX
	INCQ R10
	DECQ CX
	JNZ  sweeploop
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// AVX2: vector masks Y8 (hit) and Y9 (inside). Y12 is zero.
#define NODEPLANE256 \
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
	VADDPS Y3, Y1, Y1           \
	VADDPS Y5, Y0, Y0           \
	VADDPS Y5, Y1, Y1           \
	VCMPPS $0x1D, Y12, Y0, Y0   \
	VCMPPS $0x1D, Y12, Y1, Y1   \
	VANDPS Y0, Y8, Y8           \
	VANDPS Y1, Y9, Y9

// func convexNodesAVX2(w *Walk, nodes *Node, p *Convex, sift *Sift, budget int)
TEXT ·convexNodesAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256

nodeloop2:
	CMPQ R9, R10
	JGE  nodedone2
	NEXTNODE
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	FIRSTPLANE(DI)

nodeplane2:
	NODEPLANE256
	VTESTPS Y8, Y8
	JZ     nodenext2
	ADDQ   $16, R13
	DECQ   DI
	JNZ    nodeplane2
	MOVQ   w+0(FP), DI
	MOVQ   (Walk_Inside+0)(DI), R13
	SORT256

nodenext2:
	DECQ CX
	JNZ  nodeloop2

nodedone2:
	MOVQ w+0(FP), DI
	NODEDONE
	VZEROUPPER
	RET

// The planes against the 16 boxes at BX: Y8 (lanes 0 to 7) and Y9 (8 to 15).
#define PACKETPLANE256 \
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
	VADDPS Y3, Y1, Y1           \
	VADDPS Y5, Y0, Y0           \
	VADDPS Y5, Y1, Y1           \
	VCMPPS $0x1D, Y12, Y0, Y0   \
	VCMPPS $0x1D, Y12, Y1, Y1   \
	VANDPS Y0, Y8, Y8           \
	VANDPS Y1, Y9, Y9           \
	VORPS  Y8, Y9, Y6

#define PACKETMASK256 \
	VMOVMSKPS Y8, AX  \
	VMOVMSKPS Y9, R13 \
	SHLL $8, R13      \
	ORL  R13, AX

// func convexPacketsAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Convex) (written int)
TEXT ·convexPacketsAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXOR Y12, Y12, Y12

packetloop2:
	CMPQ DI, R15
	JGE  packettest2
	FETCHPACKET

packettest2:
	NEXTPACKET
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	FIRSTPLANE(R11)

packetplane2:
	PACKETPLANE256
	VTESTPS Y6, Y6
	JZ     packetnext2
	ADDQ   $16, R13
	DECQ   R11
	JNZ    packetplane2
	PACKETMASK256
	PUTRANGE

packetnext2:
	INCQ DI
	CMPQ DI, CX
	JLT  packetloop2
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// func convexSweepAVX2(out *Range, packets *Packet, first, n int, p *Convex) (written int)
TEXT ·convexSweepAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXOR Y12, Y12, Y12

sweeploop2:
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	FIRSTPLANE(R11)

sweepplane2:
	PACKETPLANE256
	VTESTPS Y6, Y6
	JZ     sweepnext2
	ADDQ   $16, R13
	DECQ   R11
	JNZ    sweepplane2
	PACKETMASK256
	PUTRANGE

sweepnext2:
	ADDQ $384, BX
	INCQ R10
	DECQ CX
	JNZ  sweeploop2
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET
