// The class of boxes for planes with two bounds: those in the near box of the
// volume at DX, where it lies at offset N, by the test of two boxes in closed
// intervals. An empty lane is near. W is the length of a column at BX.

// K3: boxes in the near box. Z is scratch.
#define NEAR512(N, W, Z) \
	KXNORW  K3, K3, K3                        \
	VMOVUPS (0*W)(BX), Z                      \
	VCMPPS.BCST $0x1D, (N+0)(DX), Z, K3, K3   \
	VMOVUPS (1*W)(BX), Z                      \
	VCMPPS.BCST $0x12, (N+4)(DX), Z, K3, K3   \
	VMOVUPS (2*W)(BX), Z                      \
	VCMPPS.BCST $0x1D, (N+8)(DX), Z, K3, K3   \
	VMOVUPS (3*W)(BX), Z                      \
	VCMPPS.BCST $0x12, (N+12)(DX), Z, K3, K3  \
	VMOVUPS (4*W)(BX), Z                      \
	VCMPPS.BCST $0x1D, (N+16)(DX), Z, K3, K3  \
	VMOVUPS (5*W)(BX), Z                      \
	VCMPPS.BCST $0x12, (N+20)(DX), Z, K3, K3

// M: those of the eight boxes at BX+O that lie in the near box. Y0, Y4 and
// Y5 are scratch.
#define NEAR256(N, W, O, M) \
	VBROADCASTSS (N+0)(DX), Y4           \
	VCMPPS $0x12, (0*W+O)(BX), Y4, M     \
	VBROADCASTSS (N+4)(DX), Y5           \
	VCMPPS $0x1D, (1*W+O)(BX), Y5, Y0   \
	VANDPS Y0, M, M                     \
	VBROADCASTSS (N+8)(DX), Y4           \
	VCMPPS $0x12, (2*W+O)(BX), Y4, Y4    \
	VBROADCASTSS (N+12)(DX), Y5          \
	VCMPPS $0x1D, (3*W+O)(BX), Y5, Y0   \
	VANDPS Y4, Y0, Y0                  \
	VANDPS Y0, M, M                     \
	VBROADCASTSS (N+16)(DX), Y4          \
	VCMPPS $0x12, (4*W+O)(BX), Y4, Y4    \
	VBROADCASTSS (N+20)(DX), Y5          \
	VCMPPS $0x1D, (5*W+O)(BX), Y5, Y0   \
	VANDPS Y4, Y0, Y0                  \
	VANDPS Y0, M, M

// The tests of one plane: sums ((nx*x + ny*y) + nz*z) + d that are never fused. A
// file that uses them says where the coefficients and the column offsets of plane
// i are, COEF(i, k) and OFFSET(i, k); the same offset ^ 32 is that of the n-vertex
// in a node, twice the offset is the column in a packet. Comparisons are ordered,
// so a NaN (empty lane times a zero component) is not a hit.

// The sums of plane i without d for the eight children at BX: Y0 at the
// p-vertices, Y1 at the n-vertices.
#define NODESUM512(i, NX, NY, NZ) \
	MOVL    OFFSET(i, 0), AX    \
	VMULPS  (BX)(AX*1), NX, Y0  \
	XORL    $32, AX             \
	VMULPS  (BX)(AX*1), NX, Y1  \
	MOVL    OFFSET(i, 1), AX    \
	VMULPS  (BX)(AX*1), NY, Y2  \
	XORL    $32, AX             \
	VMULPS  (BX)(AX*1), NY, Y3  \
	VADDPS  Y2, Y0, Y0          \
	VADDPS  Y3, Y1, Y1          \
	MOVL    OFFSET(i, 2), AX    \
	VMULPS  (BX)(AX*1), NZ, Y2  \
	XORL    $32, AX             \
	VMULPS  (BX)(AX*1), NZ, Y3  \
	VADDPS  Y2, Y0, Y0          \
	VADDPS  Y3, Y1, Y1

// The sums of plane i without d for the 16 boxes at BX: Z0.
#define PACKETSUM512(i, NX, NY, NZ) \
	MOVL   OFFSET(i, 0), AX     \
	VMULPS (BX)(AX*2), NX, Z0   \
	MOVL   OFFSET(i, 1), AX     \
	VMULPS (BX)(AX*2), NY, Z1   \
	VADDPS Z1, Z0, Z0           \
	MOVL   OFFSET(i, 2), AX     \
	VMULPS (BX)(AX*2), NZ, Z1   \
	VADDPS Z1, Z0, Z0

// The same in AVX2, with d in Y5.
#define NODESUM256(i) \
	VBROADCASTSS COEF(i, 0), Y4 \
	MOVL    OFFSET(i, 0), AX    \
	VMULPS  (BX)(AX*1), Y4, Y0  \
	XORL    $32, AX             \
	VMULPS  (BX)(AX*1), Y4, Y1  \
	VBROADCASTSS COEF(i, 1), Y5 \
	MOVL    OFFSET(i, 1), AX    \
	VMULPS  (BX)(AX*1), Y5, Y2  \
	XORL    $32, AX             \
	VMULPS  (BX)(AX*1), Y5, Y3  \
	VADDPS  Y2, Y0, Y0          \
	VADDPS  Y3, Y1, Y1          \
	VBROADCASTSS COEF(i, 2), Y4 \
	MOVL    OFFSET(i, 2), AX    \
	VMULPS  (BX)(AX*1), Y4, Y2  \
	XORL    $32, AX             \
	VMULPS  (BX)(AX*1), Y4, Y3  \
	VBROADCASTSS COEF(i, 3), Y5 \
	VADDPS  Y2, Y0, Y0          \
	VADDPS  Y3, Y1, Y1

// Lanes 0 to 7 in Y0, 8 to 15 in Y1.
#define PACKETSUM256(i) \
	VBROADCASTSS COEF(i, 0), Y4 \
	MOVL    OFFSET(i, 0), AX    \
	VMULPS  (BX)(AX*2), Y4, Y0  \
	VMULPS  32(BX)(AX*2), Y4, Y1 \
	VBROADCASTSS COEF(i, 1), Y5 \
	MOVL    OFFSET(i, 1), AX    \
	VMULPS  (BX)(AX*2), Y5, Y2  \
	VMULPS  32(BX)(AX*2), Y5, Y3 \
	VADDPS  Y2, Y0, Y0          \
	VADDPS  Y3, Y1, Y1          \
	VBROADCASTSS COEF(i, 2), Y4 \
	MOVL    OFFSET(i, 2), AX    \
	VMULPS  (BX)(AX*2), Y4, Y2  \
	VMULPS  32(BX)(AX*2), Y4, Y3 \
	VBROADCASTSS COEF(i, 3), Y5 \
	VADDPS  Y2, Y0, Y0          \
	VADDPS  Y3, Y1, Y1

// P &= lanes of Y0 of at least 0, N &= those of Y1. Y12 is zero. A file says which
// two these are: BOTH256.
#define SIGNS256(P, N) \
	VCMPPS  $0x1D, Y12, Y0, Y0  \
	VCMPPS  $0x1D, Y12, Y1, Y1  \
	VANDPS  Y0, P, P            \
	VANDPS  Y1, N, N

// The first &= p-vertex inside, the second &= n-vertex inside.
#define NODEPLANE256(i) \
	NODESUM256(i)      \
	VADDPS  Y5, Y0, Y0 \
	VADDPS  Y5, Y1, Y1 \
	BOTH256

// The same with the wide d, which WIDE256(i) puts into Y4, at the p-vertices of
// children not in Y7.
#define NODEPLANEFAR256(i) \
	NODESUM256(i)             \
	WIDE256(i)                \
	VBLENDVPS Y7, Y5, Y4, Y4  \
	VADDPS  Y4, Y0, Y0        \
	VADDPS  Y5, Y1, Y1        \
	BOTH256

// Both &= p-vertex inside.
#define PACKETPLANE256(i) \
	PACKETSUM256(i)    \
	VADDPS  Y5, Y0, Y0 \
	VADDPS  Y5, Y1, Y1 \
	BOTH256

// The same with the wide d for boxes not in Y7 and Y13.
#define PACKETPLANEFAR256(i) \
	PACKETSUM256(i)            \
	WIDE256(i)                 \
	VBLENDVPS Y7, Y5, Y4, Y2   \
	VBLENDVPS Y13, Y5, Y4, Y3  \
	VADDPS  Y2, Y0, Y0         \
	VADDPS  Y3, Y1, Y1         \
	BOTH256
