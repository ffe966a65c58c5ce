//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"

// The frustum kernels. Per plane i the scalar (Planes_Off+16*i)(DX) is the
// byte offset of the column that holds the p-vertex on x, y and z in a node;
// ^ 32 gives the n-vertex, twice the offset is the column in a packet.
//
// Sums are ((nx*x + ny*y) + nz*z) + d and are never fused. Comparisons are
// ordered, so a NaN (empty lane times a zero component) is not a hit.

// Coefficients of plane i into four registers.
#define LOADPLANE(i, NX, NY, NZ, D) \
	VBROADCASTSS (Planes_Coef+16*i+0)(DX), NX  \
	VBROADCASTSS (Planes_Coef+16*i+4)(DX), NY  \
	VBROADCASTSS (Planes_Coef+16*i+8)(DX), NZ  \
	VBROADCASTSS (Planes_Coef+16*i+12)(DX), D

// Z8 to Z31 hold the 24 coefficients during a whole call.
#define LOADPLANES512 \
	LOADPLANE(0, Z8, Z9, Z10, Z11)   \
	LOADPLANE(1, Z12, Z13, Z14, Z15) \
	LOADPLANE(2, Z16, Z17, Z18, Z19) \
	LOADPLANE(3, Z20, Z21, Z22, Z23) \
	LOADPLANE(4, Z24, Z25, Z26, Z27) \
	LOADPLANE(5, Z28, Z29, Z30, Z31)

// Plane i against the eight children at BX: K1 &= p-vertex inside,
// K2 &= n-vertex inside. Y7 is zero.
#define NODEPLANE512(i, NX, NY, NZ, D) \
	MOVL    (Planes_Off+16*i+0)(DX), AX \
	VMULPS  (BX)(AX*1), NX, Y0          \
	XORL    $32, AX                     \
	VMULPS  (BX)(AX*1), NX, Y1          \
	MOVL    (Planes_Off+16*i+4)(DX), AX \
	VMULPS  (BX)(AX*1), NY, Y2          \
	XORL    $32, AX                     \
	VMULPS  (BX)(AX*1), NY, Y3          \
	VADDPS  Y2, Y0, Y0                  \
	VADDPS  Y3, Y1, Y1                  \
	MOVL    (Planes_Off+16*i+8)(DX), AX \
	VMULPS  (BX)(AX*1), NZ, Y2          \
	XORL    $32, AX                     \
	VMULPS  (BX)(AX*1), NZ, Y3          \
	VADDPS  Y2, Y0, Y0                  \
	VADDPS  Y3, Y1, Y1                  \
	VADDPS  D, Y0, Y0                   \
	VADDPS  D, Y1, Y1                   \
	VCMPPS  $0x1D, Y7, Y0, K1, K1       \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

// func frustumNodesAVX512(w *Walk, nodes *Node, p *Planes, sift *Sift, budget int)
TEXT ·frustumNodesAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	LOADPLANES512
	VPXORD Y7, Y7, Y7

nodeloop:
	CMPQ R9, R10
	JGE  nodedone
	NEXTNODE
	KXNORB K1, K1, K1
	KXNORB K2, K2, K2
	NODEPLANE512(0, Y8, Y9, Y10, Y11)
	NODEPLANE512(1, Y12, Y13, Y14, Y15)
	NODEPLANE512(2, Y16, Y17, Y18, Y19)
	NODEPLANE512(3, Y20, Y21, Y22, Y23)
	NODEPLANE512(4, Y24, Y25, Y26, Y27)
	NODEPLANE512(5, Y28, Y29, Y30, Y31)
	SORT512
	DECQ CX
	JNZ  nodeloop

nodedone:
	NODEDONE
	VZEROUPPER
	RET

// Plane i against the 16 boxes at BX: K1 &= p-vertex inside. Z7 is zero.
#define PACKETPLANE512(i, NX, NY, NZ, D) \
	MOVL   (Planes_Off+16*i+0)(DX), AX \
	VMULPS (BX)(AX*2), NX, Z0          \
	MOVL   (Planes_Off+16*i+4)(DX), AX \
	VMULPS (BX)(AX*2), NY, Z1          \
	VADDPS Z1, Z0, Z0                  \
	MOVL   (Planes_Off+16*i+8)(DX), AX \
	VMULPS (BX)(AX*2), NZ, Z1          \
	VADDPS Z1, Z0, Z0                  \
	VADDPS D, Z0, Z0                   \
	VCMPPS $0x1D, Z7, Z0, K1, K1

#define PACKET512 \
	KXNORW K1, K1, K1                      \
	PACKETPLANE512(0, Z8, Z9, Z10, Z11)    \
	PACKETPLANE512(1, Z12, Z13, Z14, Z15)  \
	PACKETPLANE512(2, Z16, Z17, Z18, Z19)  \
	PACKETPLANE512(3, Z20, Z21, Z22, Z23)  \
	PACKETPLANE512(4, Z24, Z25, Z26, Z27)  \
	PACKETPLANE512(5, Z28, Z29, Z30, Z31)

// func frustumPacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	LOADPLANES512
	VPXORD Z7, Z7, Z7

packetloop:
	CMPQ DI, R15
	JGE  packettest
	FETCHPACKET

packettest:
	NEXTPACKET
	PACKET512
	KMOVW K1, AX
	PUTRANGE
	INCQ DI
	CMPQ DI, CX
	JLT  packetloop
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// func frustumSweepAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·frustumSweepAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	LOADPLANES512
	VPXORD Z7, Z7, Z7

sweeploop:
	PACKET512
	KMOVW K1, AX
	PUTRANGE
	ADDQ $384, BX
	INCQ R10
	DECQ CX
	JNZ  sweeploop
	MOVQ R12, written+40(FP)
	VZEROUPPER
	RET

// AVX2. Coefficients are broadcast from memory: 16 registers do not hold them.

// Plane i against the eight children at BX: Y8 &= p-vertex inside,
// Y9 &= n-vertex inside. Y12 is zero.
#define NODEPLANE256(i) \
	VBROADCASTSS (Planes_Coef+16*i+0)(DX), Y4 \
	MOVL    (Planes_Off+16*i+0)(DX), AX       \
	VMULPS  (BX)(AX*1), Y4, Y0                \
	XORL    $32, AX                           \
	VMULPS  (BX)(AX*1), Y4, Y1                \
	VBROADCASTSS (Planes_Coef+16*i+4)(DX), Y5 \
	MOVL    (Planes_Off+16*i+4)(DX), AX       \
	VMULPS  (BX)(AX*1), Y5, Y2                \
	XORL    $32, AX                           \
	VMULPS  (BX)(AX*1), Y5, Y3                \
	VADDPS  Y2, Y0, Y0                        \
	VADDPS  Y3, Y1, Y1                        \
	VBROADCASTSS (Planes_Coef+16*i+8)(DX), Y4 \
	MOVL    (Planes_Off+16*i+8)(DX), AX       \
	VMULPS  (BX)(AX*1), Y4, Y2                \
	XORL    $32, AX                           \
	VMULPS  (BX)(AX*1), Y4, Y3                \
	VBROADCASTSS (Planes_Coef+16*i+12)(DX), Y5 \
	VADDPS  Y2, Y0, Y0                        \
	VADDPS  Y3, Y1, Y1                        \
	VADDPS  Y5, Y0, Y0                        \
	VADDPS  Y5, Y1, Y1                        \
	VCMPPS  $0x1D, Y12, Y0, Y0                \
	VCMPPS  $0x1D, Y12, Y1, Y1                \
	VANDPS  Y0, Y8, Y8                        \
	VANDPS  Y1, Y9, Y9

// func frustumNodesAVX2(w *Walk, nodes *Node, p *Planes, sift *Sift, budget int)
TEXT ·frustumNodesAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256

nodeloop2:
	CMPQ R9, R10
	JGE  nodedone2
	NEXTNODE
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	NODEPLANE256(0)
	NODEPLANE256(1)
	NODEPLANE256(2)
	NODEPLANE256(3)
	NODEPLANE256(4)
	NODEPLANE256(5)
	SORT256
	DECQ CX
	JNZ  nodeloop2

nodedone2:
	NODEDONE
	VZEROUPPER
	RET

// Plane i against the 16 boxes at BX: Y8 (lanes 0 to 7) and Y9 (8 to 15) &=
// p-vertex inside. Y12 is zero.
#define PACKETPLANE256(i) \
	VBROADCASTSS (Planes_Coef+16*i+0)(DX), Y4 \
	MOVL    (Planes_Off+16*i+0)(DX), AX       \
	VMULPS  (BX)(AX*2), Y4, Y0                \
	VMULPS  32(BX)(AX*2), Y4, Y1              \
	VBROADCASTSS (Planes_Coef+16*i+4)(DX), Y5 \
	MOVL    (Planes_Off+16*i+4)(DX), AX       \
	VMULPS  (BX)(AX*2), Y5, Y2                \
	VMULPS  32(BX)(AX*2), Y5, Y3              \
	VADDPS  Y2, Y0, Y0                        \
	VADDPS  Y3, Y1, Y1                        \
	VBROADCASTSS (Planes_Coef+16*i+8)(DX), Y4 \
	MOVL    (Planes_Off+16*i+8)(DX), AX       \
	VMULPS  (BX)(AX*2), Y4, Y2                \
	VMULPS  32(BX)(AX*2), Y4, Y3              \
	VBROADCASTSS (Planes_Coef+16*i+12)(DX), Y5 \
	VADDPS  Y2, Y0, Y0                        \
	VADDPS  Y3, Y1, Y1                        \
	VADDPS  Y5, Y0, Y0                        \
	VADDPS  Y5, Y1, Y1                        \
	VCMPPS  $0x1D, Y12, Y0, Y0                \
	VCMPPS  $0x1D, Y12, Y1, Y1                \
	VANDPS  Y0, Y8, Y8                        \
	VANDPS  Y1, Y9, Y9

#define PACKET256 \
	VPCMPEQD  Y8, Y8, Y8 \
	VPCMPEQD  Y9, Y9, Y9 \
	PACKETPLANE256(0)    \
	PACKETPLANE256(1)    \
	PACKETPLANE256(2)    \
	PACKETPLANE256(3)    \
	PACKETPLANE256(4)    \
	PACKETPLANE256(5)    \
	VMOVMSKPS Y8, AX     \
	VMOVMSKPS Y9, R13    \
	SHLL      $8, R13    \
	ORL       R13, AX

// func frustumPacketsAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXOR Y12, Y12, Y12

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

// func frustumSweepAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·frustumSweepAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXOR Y12, Y12, Y12

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
