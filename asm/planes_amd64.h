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
