//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"

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
#define SIX512(PLANE) \
	PLANE(0, Z8, Z9, Z10, Z11)   \
	PLANE(1, Z12, Z13, Z14, Z15) \
	PLANE(2, Z16, Z17, Z18, Z19) \
	PLANE(3, Z20, Z21, Z22, Z23) \
	PLANE(4, Z24, Z25, Z26, Z27) \
	PLANE(5, Z28, Z29, Z30, Z31)

// Their lower halves.
#define SIXHALF512(PLANE) \
	PLANE(0, Y8, Y9, Y10, Y11)   \
	PLANE(1, Y12, Y13, Y14, Y15) \
	PLANE(2, Y16, Y17, Y18, Y19) \
	PLANE(3, Y20, Y21, Y22, Y23) \
	PLANE(4, Y24, Y25, Y26, Y27) \
	PLANE(5, Y28, Y29, Y30, Y31)

// The sums of plane i for the eight children at BX: Y0 at the p-vertices without
// d, Y1 at the n-vertices.
#define NODESUM512(i, NX, NY, NZ, D) \
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
	VADDPS  D, Y1, Y1

// K1 &= p-vertex inside, K2 &= n-vertex inside. Y7 is zero.
#define NODEPLANE512(i, NX, NY, NZ, D) \
	NODESUM512(i, NX, NY, NZ, D)        \
	VADDPS  D, Y0, Y0                   \
	VCMPPS  $0x1D, Y7, Y0, K1, K1       \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

// The same with the wide d at the p-vertices of children not in K3.
#define NODEPLANEFAR512(i, NX, NY, NZ, D) \
	NODESUM512(i, NX, NY, NZ, D)        \
	VADDPS.BCST (Planes_Wide+4*i)(DX), Y0, Y2 \
	VADDPS  D, Y0, K3, Y2               \
	VCMPPS  $0x1D, Y7, Y2, K1, K1       \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

#define NODE512 \
	KXNORB K1, K1, K1         \
	KXNORB K2, K2, K2         \
	SIXHALF512(NODEPLANE512)  \
	SORT512

#define NODEFAR512 \
	KXNORB K1, K1, K1           \
	KXNORB K2, K2, K2           \
	NEAR512(Planes_Near, 32, Y0) \
	KORTESTB K3, K3             \
	JCS    near                 \
	SIXHALF512(NODEPLANEFAR512) \
	JMP    sort                 \
near:                          \
	SIXHALF512(NODEPLANE512)    \
sort:                          \
	SORT512

// func frustumNodesAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·frustumNodesAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	SIX512(LOADPLANE)
	VPXORD Y7, Y7, Y7
	NODES(NODE512)

// func frustumNodesFarAVX512(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·frustumNodesFarAVX512(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP512
	SIX512(LOADPLANE)
	VPXORD Y7, Y7, Y7
	NODES(NODEFAR512)

// The sums of plane i without d for the 16 boxes at BX.
#define PACKETSUM512(i, NX, NY, NZ) \
	MOVL   (Planes_Off+16*i+0)(DX), AX \
	VMULPS (BX)(AX*2), NX, Z0          \
	MOVL   (Planes_Off+16*i+4)(DX), AX \
	VMULPS (BX)(AX*2), NY, Z1          \
	VADDPS Z1, Z0, Z0                  \
	MOVL   (Planes_Off+16*i+8)(DX), AX \
	VMULPS (BX)(AX*2), NZ, Z1          \
	VADDPS Z1, Z0, Z0

// K1 &= p-vertex inside. Z7 is zero.
#define PACKETPLANE512(i, NX, NY, NZ, D) \
	PACKETSUM512(i, NX, NY, NZ)        \
	VADDPS D, Z0, Z0                   \
	VCMPPS $0x1D, Z7, Z0, K1, K1

// The same with the wide d for boxes not in K3.
#define PACKETPLANEFAR512(i, NX, NY, NZ, D) \
	PACKETSUM512(i, NX, NY, NZ)        \
	VADDPS.BCST (Planes_Wide+4*i)(DX), Z0, Z1 \
	VADDPS D, Z0, K3, Z1               \
	VCMPPS $0x1D, Z7, Z1, K1, K1

#define PACKET512 \
	KXNORW K1, K1, K1       \
	SIX512(PACKETPLANE512)  \
	KMOVW  K1, AX

#define PACKETFAR512 \
	KXNORW K1, K1, K1             \
	NEAR512(Planes_Near, 64, Z0)  \
	KORTESTW K3, K3               \
	JCS    near                   \
	SIX512(PACKETPLANEFAR512)     \
	JMP    tested                 \
near:                            \
	SIX512(PACKETPLANE512)        \
tested:                          \
	KMOVW  K1, AX

// func frustumPacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	SIX512(LOADPLANE)
	VPXORD Z7, Z7, Z7
	PACKETS(PACKET512)

// func frustumPacketsFarAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsFarAVX512(SB), NOSPLIT, $0-48
	PACKETSETUP
	SIX512(LOADPLANE)
	VPXORD Z7, Z7, Z7
	PACKETS(PACKETFAR512)

// func frustumSweepAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·frustumSweepAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	SIX512(LOADPLANE)
	VPXORD Z7, Z7, Z7
	SWEEP(PACKET512)

// func frustumSweepFarAVX512(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·frustumSweepFarAVX512(SB), NOSPLIT, $0-48
	SWEEPSETUP
	SIX512(LOADPLANE)
	VPXORD Z7, Z7, Z7
	SWEEP(PACKETFAR512)

// AVX2. Coefficients are broadcast from memory: 16 registers do not hold them.

#define SIX256(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

// The sums of plane i without d for the eight children at BX: Y0 at the
// p-vertices, Y1 at the n-vertices.
#define NODESUM256(i) \
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
	VADDPS  Y3, Y1, Y1

// Y8 &= lanes of Y0 of at least 0, Y9 &= those of Y1. Y12 is zero.
#define BOTH256 \
	VCMPPS  $0x1D, Y12, Y0, Y0                \
	VCMPPS  $0x1D, Y12, Y1, Y1                \
	VANDPS  Y0, Y8, Y8                        \
	VANDPS  Y1, Y9, Y9

// Y8 &= p-vertex inside, Y9 &= n-vertex inside.
#define NODEPLANE256(i) \
	NODESUM256(i)      \
	VADDPS  Y5, Y0, Y0 \
	VADDPS  Y5, Y1, Y1 \
	BOTH256

// The same with the wide d at the p-vertices of children not in Y6.
#define NODEPLANEFAR256(i) \
	NODESUM256(i)             \
	VBROADCASTSS (Planes_Wide+4*i)(DX), Y4 \
	VBLENDVPS Y6, Y5, Y4, Y4  \
	VADDPS  Y4, Y0, Y0        \
	VADDPS  Y5, Y1, Y1        \
	BOTH256

#define NODE256 \
	VPCMPEQD Y8, Y8, Y8  \
	VPCMPEQD Y9, Y9, Y9  \
	SIX256(NODEPLANE256) \
	SORT256

#define NODEFAR256 \
	VPCMPEQD Y8, Y8, Y8     \
	VPCMPEQD Y9, Y9, Y9     \
	NEAR256(Planes_Near, 32, 0, Y6) \
	VMOVMSKPS Y6, AX        \
	CMPL AX, $0xff          \
	JEQ  near               \
	SIX256(NODEPLANEFAR256) \
	JMP  sort               \
near:                      \
	SIX256(NODEPLANE256)    \
sort:                      \
	SORT256

// func frustumNodesAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·frustumNodesAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256
	NODES(NODE256)

// func frustumNodesFarAVX2(w *VolumeWalk, nodes *Node, p *Planes, filter *NodeFilter, budget int)
TEXT ·frustumNodesFarAVX2(SB), NOSPLIT, $0-40
	NODESETUP
	SIFTSETUP256
	NODES(NODEFAR256)

// The sums of plane i without d for the 16 boxes at BX: Y0 for lanes 0 to 7, Y1
// for 8 to 15.
#define PACKETSUM256(i) \
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
	VADDPS  Y3, Y1, Y1

// Y8 and Y9 &= p-vertex inside.
#define PACKETPLANE256(i) \
	PACKETSUM256(i)    \
	VADDPS  Y5, Y0, Y0 \
	VADDPS  Y5, Y1, Y1 \
	BOTH256

// The same with the wide d for boxes not in Y6 and Y7.
#define PACKETPLANEFAR256(i) \
	PACKETSUM256(i)            \
	VBROADCASTSS (Planes_Wide+4*i)(DX), Y4 \
	VBLENDVPS Y6, Y5, Y4, Y10  \
	VBLENDVPS Y7, Y5, Y4, Y11  \
	VADDPS  Y10, Y0, Y0        \
	VADDPS  Y11, Y1, Y1        \
	BOTH256

#define PACKETMASK256 \
	VMOVMSKPS Y8, AX  \
	VMOVMSKPS Y9, R13 \
	SHLL $8, R13      \
	ORL  R13, AX

#define PACKET256 \
	VPCMPEQD  Y8, Y8, Y8   \
	VPCMPEQD  Y9, Y9, Y9   \
	SIX256(PACKETPLANE256) \
	PACKETMASK256

#define PACKETFAR256 \
	VPCMPEQD  Y8, Y8, Y8      \
	VPCMPEQD  Y9, Y9, Y9      \
	NEAR256(Planes_Near, 64, 0, Y6)  \
	NEAR256(Planes_Near, 64, 32, Y7) \
	VANDPS    Y6, Y7, Y0      \
	VMOVMSKPS Y0, AX          \
	CMPL AX, $0xff            \
	JEQ  near                 \
	SIX256(PACKETPLANEFAR256) \
	JMP  tested               \
near:                        \
	SIX256(PACKETPLANE256)    \
tested:                      \
	PACKETMASK256

// func frustumPacketsAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXOR Y12, Y12, Y12
	PACKETS(PACKET256)

// func frustumPacketsFarAVX2(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsFarAVX2(SB), NOSPLIT, $0-48
	PACKETSETUP
	VPXOR Y12, Y12, Y12
	PACKETS(PACKETFAR256)

// func frustumSweepAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·frustumSweepAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXOR Y12, Y12, Y12
	SWEEP(PACKET256)

// func frustumSweepFarAVX2(out *Range, packets *Packet, first, n int, p *Planes) (written int)
TEXT ·frustumSweepFarAVX2(SB), NOSPLIT, $0-48
	SWEEPSETUP
	VPXOR Y12, Y12, Y12
	SWEEP(PACKETFAR256)
