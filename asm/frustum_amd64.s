//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

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

// The lanes of Y5 selected by K go to the end of the list at PTR, LEN.
#define APPEND512(K, PTR, LEN) \
	VPCOMPRESSD.Z Y5, K, Y0           \
	VMOVDQU32     Y0, (PTR)(LEN*4)    \
	KMOVB         K, AX               \
	POPCNTL       AX, AX              \
	ADDQ          AX, LEN

// func frustumNodesAVX512(w *Walk, nodes *Node, p *Planes, sift *Sift, budget int)
//
//	R8, R9, R10    queue, head, length      SI  nodes      CX  nodes left
//	R11, R12       packets, length          DX  planes     BX  this node
//	R13, R15       inside, length           R14 sift
TEXT ·frustumNodesAVX512(SB), NOSPLIT, $0-40
	MOVQ w+0(FP), DI
	MOVQ nodes+8(FP), SI
	MOVQ p+16(FP), DX
	MOVQ sift+24(FP), R14
	MOVQ budget+32(FP), CX
	MOVQ (Walk_Queue+0)(DI), R8
	MOVQ (Walk_Queue+8)(DI), R10
	MOVQ Walk_Head(DI), R9
	MOVQ (Walk_Packets+0)(DI), R11
	MOVQ (Walk_Packets+8)(DI), R12
	MOVQ (Walk_Inside+0)(DI), R13
	MOVQ (Walk_Inside+8)(DI), R15
	LOADPLANES512
	VPXORD Y7, Y7, Y7
	MOVL   $const_refKeep, AX
	VPBROADCASTD AX, Y6
	VPBROADCASTD Sift_Flags(R14), Y4

nodeloop:
	CMPQ R9, R10
	JGE  nodedone

	// Fetch the four lines of the node four places on. Beyond the end of the
	// queue the entry is stale, which a prefetch forgives.
	MOVL        16(R8)(R9*4), AX
	SHLQ        $8, AX
	PREFETCHT0  (SI)(AX*1)
	PREFETCHT0  64(SI)(AX*1)
	PREFETCHT0  128(SI)(AX*1)
	PREFETCHT0  192(SI)(AX*1)

	MOVL (R8)(R9*4), BX
	INCQ R9
	SHLQ $8, BX
	ADDQ SI, BX
	KXNORB K1, K1, K1
	KXNORB K2, K2, K2
	NODEPLANE512(0, Y8, Y9, Y10, Y11)
	NODEPLANE512(1, Y12, Y13, Y14, Y15)
	NODEPLANE512(2, Y16, Y17, Y18, Y19)
	NODEPLANE512(3, Y20, Y21, Y22, Y23)
	NODEPLANE512(4, Y24, Y25, Y26, Y27)
	NODEPLANE512(5, Y28, Y29, Y30, Y31)

	// K1: hit and wanted by the sift.
	VMOVDQU32 Node_Child(BX), Y5
	VPTESTMD  Y4, Y5, K1, K1
	MOVL      Sift_Mask(R14), AX
	TESTL     AX, AX
	JZ        nodesort
	VMOVDQU32     Node_Mask(BX), Y0
	VPTESTMD.BCST Sift_Mask(R14), Y0, K1, K1

nodesort:
	VPMOVD2M Y5, K3         // K3: packets
	VPANDD   Y6, Y5, Y5     // index and packet bit
	KANDB    K1, K2, K2     // K2: inside
	KANDNB   K1, K2, K1     // K1: on the border
	KANDB    K1, K3, K4     // K4: packets on the border
	KANDNB   K1, K3, K5     // K5: nodes on the border
	APPEND512(K2, R13, R15)
	APPEND512(K5, R8, R10)
	VPSLLD $1, Y5, Y5       // drop the packet bit
	VPSRLD $1, Y5, Y5
	APPEND512(K4, R11, R12)
	DECQ CX
	JNZ  nodeloop

nodedone:
	MOVQ R10, (Walk_Queue+8)(DI)
	MOVQ R9, Walk_Head(DI)
	MOVQ R12, (Walk_Packets+8)(DI)
	MOVQ R15, (Walk_Inside+8)(DI)
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

// Writes the range of slot R10 with the mask in AX and keeps it if the mask
// is not zero. R8, R12: ranges, count.
#define PUTRANGE \
	XORL  R13, R13             \
	MOVL  R10, (R8)(R12*8)     \
	TESTL AX, AX               \
	SETNE R13                  \
	ORL   $0x80000000, AX      \
	MOVL  AX, 4(R8)(R12*8)     \
	ADDQ  R13, R12

// The address of packet SLOT (destroyed) into SLOT.
#define PACKETADDR(SLOT) \
	LEAQ (SLOT)(SLOT*2), SLOT \
	SHLQ $7, SLOT             \
	ADDQ SI, SLOT

// func frustumPacketsAVX512(out *Range, packets *Packet, slots *uint32, n int, p *Planes) (written int)
TEXT ·frustumPacketsAVX512(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), R8
	MOVQ packets+8(FP), SI
	MOVQ slots+16(FP), R9
	MOVQ n+24(FP), CX
	MOVQ p+32(FP), DX
	XORL R12, R12
	XORL DI, DI
	LEAQ -4(CX), R15        // the last i that may fetch slot i+4
	LOADPLANES512
	VPXORD Z7, Z7, Z7

packetloop:
	CMPQ DI, R15
	JGE  packettest
	MOVL 16(R9)(DI*4), R11
	PACKETADDR(R11)
	PREFETCHT0 (R11)
	PREFETCHT0 64(R11)
	PREFETCHT0 128(R11)
	PREFETCHT0 192(R11)
	PREFETCHT0 256(R11)
	PREFETCHT0 320(R11)

packettest:
	MOVL (R9)(DI*4), R10
	MOVL R10, BX
	PACKETADDR(BX)
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
	MOVQ out+0(FP), R8
	MOVQ packets+8(FP), BX
	MOVQ first+16(FP), R10
	MOVQ n+24(FP), CX
	MOVQ p+32(FP), DX
	XORL R12, R12
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

// The lanes of Y10 selected by the mask M (destroyed) go to the end of the
// list at PTR, LEN. BX is compressTable.
#define APPEND256(M, PTR, LEN) \
	MOVL    M, AX                \
	SHLL    $5, AX               \
	VMOVDQU (BX)(AX*1), Y0       \
	VPERMD  Y10, Y0, Y0          \
	VMOVDQU Y0, (PTR)(LEN*4)     \
	POPCNTL M, M                 \
	ADDQ    M, LEN

// func frustumNodesAVX2(w *Walk, nodes *Node, p *Planes, sift *Sift, budget int)
//
// Registers as in the AVX-512 kernel; Y13 index and packet bit, Y14 flags,
// Y15 mask of the sift. After the planes AX, R14, BX are scratch.
TEXT ·frustumNodesAVX2(SB), NOSPLIT, $0-40
	MOVQ w+0(FP), DI
	MOVQ nodes+8(FP), SI
	MOVQ p+16(FP), DX
	MOVQ sift+24(FP), R14
	MOVQ budget+32(FP), CX
	MOVQ (Walk_Queue+0)(DI), R8
	MOVQ (Walk_Queue+8)(DI), R10
	MOVQ Walk_Head(DI), R9
	MOVQ (Walk_Packets+0)(DI), R11
	MOVQ (Walk_Packets+8)(DI), R12
	MOVQ (Walk_Inside+0)(DI), R13
	MOVQ (Walk_Inside+8)(DI), R15
	VPXOR Y12, Y12, Y12
	MOVL  $const_refKeep, AX
	MOVQ  AX, X13
	VPBROADCASTD X13, Y13
	VPBROADCASTD Sift_Flags(R14), Y14
	VPBROADCASTD Sift_Mask(R14), Y15

nodeloop2:
	CMPQ R9, R10
	JGE  nodedone2
	MOVL        16(R8)(R9*4), AX
	SHLQ        $8, AX
	PREFETCHT0  (SI)(AX*1)
	PREFETCHT0  64(SI)(AX*1)
	PREFETCHT0  128(SI)(AX*1)
	PREFETCHT0  192(SI)(AX*1)

	MOVL (R8)(R9*4), BX
	INCQ R9
	SHLQ $8, BX
	ADDQ SI, BX
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	NODEPLANE256(0)
	NODEPLANE256(1)
	NODEPLANE256(2)
	NODEPLANE256(3)
	NODEPLANE256(4)
	NODEPLANE256(5)

	// Y8: hit and wanted by the sift.
	VMOVDQU  Node_Child(BX), Y10
	VPAND    Y14, Y10, Y0
	VPCMPEQD Y12, Y0, Y0
	VANDNPS  Y8, Y0, Y8
	VPTEST   Y15, Y15
	JZ       nodesort2
	VPAND    Node_Mask(BX), Y15, Y0
	VPCMPEQD Y12, Y0, Y0
	VANDNPS  Y8, Y0, Y8

nodesort2:
	LEAQ ·compressTable(SB), BX
	VPSLLD    $1, Y10, Y11
	VANDPS    Y8, Y9, Y9         // Y9: inside
	VMOVMSKPS Y9, R14
	VANDNPS   Y8, Y9, Y8         // Y8: on the border
	VANDPS    Y10, Y8, Y7        // sign bits: packets on the border
	VANDNPS   Y8, Y10, Y6        // sign bits: nodes on the border
	VPAND     Y13, Y10, Y10
	APPEND256(R14, R13, R15)
	VMOVMSKPS Y6, R14
	APPEND256(R14, R8, R10)
	VPSLLD    $1, Y10, Y10       // drop the packet bit
	VPSRLD    $1, Y10, Y10
	VMOVMSKPS Y7, R14
	APPEND256(R14, R11, R12)
	DECQ CX
	JNZ  nodeloop2

nodedone2:
	MOVQ R10, (Walk_Queue+8)(DI)
	MOVQ R9, Walk_Head(DI)
	MOVQ R12, (Walk_Packets+8)(DI)
	MOVQ R15, (Walk_Inside+8)(DI)
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
	MOVQ out+0(FP), R8
	MOVQ packets+8(FP), SI
	MOVQ slots+16(FP), R9
	MOVQ n+24(FP), CX
	MOVQ p+32(FP), DX
	XORL R12, R12
	XORL DI, DI
	LEAQ -4(CX), R15
	VPXOR Y12, Y12, Y12

packetloop2:
	CMPQ DI, R15
	JGE  packettest2
	MOVL 16(R9)(DI*4), R11
	PACKETADDR(R11)
	PREFETCHT0 (R11)
	PREFETCHT0 64(R11)
	PREFETCHT0 128(R11)
	PREFETCHT0 192(R11)
	PREFETCHT0 256(R11)
	PREFETCHT0 320(R11)

packettest2:
	MOVL (R9)(DI*4), R10
	MOVL R10, BX
	PACKETADDR(BX)
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
	MOVQ out+0(FP), R8
	MOVQ packets+8(FP), BX
	MOVQ first+16(FP), R10
	MOVQ n+24(FP), CX
	MOVQ p+32(FP), DX
	XORL R12, R12
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
