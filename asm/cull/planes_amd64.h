// The class of boxes for planes with two bounds: near boxes are inside the near box of the volume
// at DX, at offset N, by comparisons of closed intervals. An empty lane is near.

// K3: the near boxes of the 16 at BX. Z0 is scratch.
#define NEAR512(N) \
	KXNORW  K0, K0, K3                        \
	VMOVUPS (BX), Z0                          \
	VCMPPS.BCST $0x1D, (N+0)(DX), Z0, K3, K3  \
	VMOVUPS 64(BX), Z0                        \
	VCMPPS.BCST $0x12, (N+4)(DX), Z0, K3, K3  \
	VMOVUPS 128(BX), Z0                       \
	VCMPPS.BCST $0x1D, (N+8)(DX), Z0, K3, K3  \
	VMOVUPS 192(BX), Z0                       \
	VCMPPS.BCST $0x12, (N+12)(DX), Z0, K3, K3 \
	VMOVUPS 256(BX), Z0                       \
	VCMPPS.BCST $0x1D, (N+16)(DX), Z0, K3, K3 \
	VMOVUPS 320(BX), Z0                       \
	VCMPPS.BCST $0x12, (N+20)(DX), Z0, K3, K3

// M: the near boxes of the eight at BX+O. Y0, Y4 and Y5 are scratch.
#define NEAR256(N, O, M) \
	VBROADCASTSS (N+0)(DX), Y4         \
	VCMPPS $0x12, (O)(BX), Y4, M       \
	VBROADCASTSS (N+4)(DX), Y5         \
	VCMPPS $0x1D, (O+64)(BX), Y5, Y0   \
	VANDPS Y0, M, M                    \
	VBROADCASTSS (N+8)(DX), Y4         \
	VCMPPS $0x12, (O+128)(BX), Y4, Y4  \
	VBROADCASTSS (N+12)(DX), Y5        \
	VCMPPS $0x1D, (O+192)(BX), Y5, Y0  \
	VANDPS Y4, Y0, Y0                  \
	VANDPS Y0, M, M                    \
	VBROADCASTSS (N+16)(DX), Y4        \
	VCMPPS $0x12, (O+256)(BX), Y4, Y4  \
	VBROADCASTSS (N+20)(DX), Y5        \
	VCMPPS $0x1D, (O+320)(BX), Y5, Y0  \
	VANDPS Y4, Y0, Y0                  \
	VANDPS Y0, M, M

// The class of half a node: Y7. The class of a packet: Y7 and Y13, of both halves Y0.
#define NODENEAR256(N) NEAR256(N, 0, Y7)
#define PACKETNEAR256(N) \
	NEAR256(N, 0, Y7)   \
	NEAR256(N, 32, Y13) \
	VANDPS Y7, Y13, Y0

// The test FAR, or the test NEAR if all boxes are near: if the flag C is set, by
// KORTESTW, or by VTESTPS of all ones and the class.
#define CLASS(FAR, NEAR) \
	JCS  near   \
	FAR         \
	JMP  tested \
near:          \
	NEAR        \
tested:

// The tests of one plane: sums ((nx*x + ny*y) + nz*z) + d that are never fused. Comparisons are
// ordered, so a NaN (empty lane times a zero component) is not a hit. AX is scratch. A file that
// includes these macros defines the addresses for plane i,
//
//	COEF(i, k)    the coefficients
//	OFFSET(i, k)  the offsets of the columns of the p-vertex; the same ^ 64
//	              are the offsets of the n-vertex
//	WIDE(i)       the wide d, once NUMBER(i) has loaded AX

#define PVERTEX
#define NVERTEX XORL $64, AX

// AVX-512. The sums of plane i without d at a vertex of the 16 boxes at BX: Z0. Z1
// is scratch.
#define SUM512(i, NX, NY, NZ, VERTEX) \
	MOVL   OFFSET(i, 0), AX     \
	VERTEX                      \
	VMULPS (BX)(AX*1), NX, Z0   \
	MOVL   OFFSET(i, 1), AX     \
	VERTEX                      \
	VMULPS (BX)(AX*1), NY, Z1   \
	VADDPS Z1, Z0, Z0           \
	MOVL   OFFSET(i, 2), AX     \
	VERTEX                      \
	VMULPS (BX)(AX*1), NZ, Z1   \
	VADDPS Z1, Z0, Z0

// K &= vertex inside. Z7 is zero.
#define PLANE512(i, NX, NY, NZ, VERTEX, K) \
	SUM512(i, NX, NY, NZ, VERTEX)     \
	VADDPS.BCST COEF(i, 3), Z0, Z0    \
	VCMPPS $0x1D, Z7, Z0, K, K

// K1 &= p-vertex inside, with the wide d for boxes not in K3.
#define PLANEFAR512(i, NX, NY, NZ) \
	SUM512(i, NX, NY, NZ, PVERTEX)     \
	NUMBER(i)                          \
	VADDPS.BCST WIDE(i), Z0, Z1        \
	VADDPS.BCST COEF(i, 3), Z0, K3, Z1 \
	VCMPPS $0x1D, Z7, Z1, K1, K1

// The normal of plane i.
#define NORMAL512(i, NX, NY, NZ) \
	VBROADCASTSS COEF(i, 0), NX \
	VBROADCASTSS COEF(i, 1), NY \
	VBROADCASTSS COEF(i, 2), NZ

// Plane i, with its normal in Z13 to Z15: K1 &= p-vertex inside, for FAR with the wide d for boxes
// not in K3. For a node also K2 &= n-vertex inside.
#define PACKETPLANE512(i) \
	NORMAL512(i, Z13, Z14, Z15) \
	PLANE512(i, Z13, Z14, Z15, PVERTEX, K1)

#define PACKETPLANEFAR512(i) \
	NORMAL512(i, Z13, Z14, Z15) \
	PLANEFAR512(i, Z13, Z14, Z15)

#define NODEPLANE512(i) \
	PACKETPLANE512(i) \
	PLANE512(i, Z13, Z14, Z15, NVERTEX, K2)

#define NODEPLANEFAR512(i) \
	PACKETPLANEFAR512(i) \
	PLANE512(i, Z13, Z14, Z15, NVERTEX, K2)

// AVX2. The sums of plane i without d at the p-vertices of the eight boxes at BX, Y0,
// and at the vertices SECOND of the eight O bytes on, Y1. Y5 is d.
#define SUMS256(i, SECOND, O) \
	VBROADCASTSS COEF(i, 0), Y4   \
	MOVL    OFFSET(i, 0), AX      \
	VMULPS  (BX)(AX*1), Y4, Y0    \
	SECOND                        \
	VMULPS  (O)(BX)(AX*1), Y4, Y1 \
	VBROADCASTSS COEF(i, 1), Y5   \
	MOVL    OFFSET(i, 1), AX      \
	VMULPS  (BX)(AX*1), Y5, Y2    \
	SECOND                        \
	VMULPS  (O)(BX)(AX*1), Y5, Y3 \
	VADDPS  Y2, Y0, Y0            \
	VADDPS  Y3, Y1, Y1            \
	VBROADCASTSS COEF(i, 2), Y4   \
	MOVL    OFFSET(i, 2), AX      \
	VMULPS  (BX)(AX*1), Y4, Y2    \
	SECOND                        \
	VMULPS  (O)(BX)(AX*1), Y4, Y3 \
	VBROADCASTSS COEF(i, 3), Y5   \
	VADDPS  Y2, Y0, Y0            \
	VADDPS  Y3, Y1, Y1

// For half a node, both vertices; for a packet, lanes 0 to 7 in Y0, 8 to 15 in Y1.
#define NODESUMS256(i)   SUMS256(i, NVERTEX, 0)
#define PACKETSUMS256(i) SUMS256(i, PVERTEX, 32)

// P &= lanes of Y0 that are at least 0, N &= lanes of Y1. Y12 is zero. A file defines the two
// registers: BOTH256.
#define SIGNS256(P, N) \
	VCMPPS  $0x1D, Y12, Y0, Y0  \
	VCMPPS  $0x1D, Y12, Y1, Y1  \
	VANDPS  Y0, P, P            \
	VANDPS  Y1, N, N

// The first &= p-vertex inside, the second &= n-vertex inside.
#define NODEPLANE256(i) \
	NODESUMS256(i)     \
	VADDPS  Y5, Y0, Y0 \
	VADDPS  Y5, Y1, Y1 \
	BOTH256

// The same with the wide d at the p-vertices of children not in Y7.
#define NODEPLANEFAR256(i) \
	NODESUMS256(i)            \
	NUMBER(i)                 \
	VBROADCASTSS WIDE(i), Y4  \
	VBLENDVPS Y7, Y5, Y4, Y4  \
	VADDPS  Y4, Y0, Y0        \
	VADDPS  Y5, Y1, Y1        \
	BOTH256

// Both &= p-vertex inside.
#define PACKETPLANE256(i) \
	PACKETSUMS256(i)   \
	VADDPS  Y5, Y0, Y0 \
	VADDPS  Y5, Y1, Y1 \
	BOTH256

// The same with the wide d for boxes not in Y7 and Y13.
#define PACKETPLANEFAR256(i) \
	PACKETSUMS256(i)           \
	NUMBER(i)                  \
	VBROADCASTSS WIDE(i), Y4   \
	VBLENDVPS Y7, Y5, Y4, Y2   \
	VBLENDVPS Y13, Y5, Y4, Y3  \
	VADDPS  Y2, Y0, Y0         \
	VADDPS  Y3, Y1, Y1         \
	BOTH256
