//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The small boxes of packets: see Size.

// SIZEEDGE(at, k, t, e) sets e to the edges along an axis, scaled.
#define SIZEEDGE(at, k, t, e) \
	VMOVUPS      (at+64)(SI), e        \
	VSUBPS       (at)(SI), e, e        \
	VBROADCASTSS (Size_Scale+k)(DI), t \
	VMULPS       t, e, e

// SIZEEDGES(at, t, s, e) sets e to the longest edges, from the lane at/4 on.
#define SIZEEDGES(at, t, s, e) \
	SIZEEDGE(at, 0, t, e)       \
	SIZEEDGE(at+128, 4, t, s)   \
	VMAXPS s, e, e              \
	SIZEEDGE(at+256, 8, t, s)   \
	VMAXPS s, e, e

// SIZETERM(at, n, off, p) sets p to the product along an axis.
#define SIZETERM(at, n, off, p) \
	MOVL         (off)(DI), AX    \
	VBROADCASTSS (n)(DI), p       \
	VMULPS       (at)(SI)(AX*1), p, p

// SIZEROW(at, n, off, p, s) sets s to a row of the lowest corners.
#define SIZEROW(at, n, off, p, s) \
	SIZETERM(at, n, off, s)       \
	SIZETERM(at, n+4, off+4, p)   \
	VADDPS       p, s, s          \
	SIZETERM(at, n+8, off+8, p)   \
	VADDPS       p, s, s          \
	VBROADCASTSS (n+12)(DI), p    \
	VADDPS       p, s, s

// SIZELIMIT(p, s) turns a depth into the minimum edge.
#define SIZELIMIT(p, s) \
	VBROADCASTSS Size_Least(DI), p \
	VMULPS       p, s, s

#define LESS    $0x11 // ordered
#define GREATER $0x1e

// The small lanes of the packet at SI from the lane at/4 on, with registers a, b and c: their edges in a and the
// minimum edge in c for LESS, then the distance in c for NEAR.
#define SIZETEST(at, a, b, c, LESSER, NEARER) \
	SIZEEDGES(at, b, c, a)                      \
	SIZEROW(at, Size_Depth, Size_off, b, c)     \
	SIZELIMIT(b, c)                             \
	LESSER                                      \
	SIZEROW(at, Size_Near, Size_off+16, b, c)   \
	NEARER

// A kernel. TEST loads the small lanes into AX.
#define SIZESMALL(TEST) \
	MOVQ   small+0(FP), DX   \
	MOVQ   packets+8(FP), SI \
	MOVQ   n+16(FP), CX      \
	MOVQ   z+24(FP), DI      \
	VXORPS X5, X5, X5        \
packet:                  \
	TEST                     \
	MOVW  AX, (DX)           \
	ADDQ  $384, SI           \
	ADDQ  $2, DX             \
	DECQ  CX                 \
	JNZ   packet             \
	VZEROUPPER               \
	RET

#define LESS512 VCMPPS LESS, Z2, Z0, K1
#define NEAR512 VCMPPS GREATER, Z5, Z2, K1, K1
#define LESS256 VCMPPS LESS, Y2, Y0, Y0

#define NEAR256 \
	VCMPPS GREATER, Y5, Y2, Y2 \
	VANDPS Y2, Y0, Y0

#define SMALL512 \
	SIZETEST(0, Z0, Z1, Z2, LESS512, NEAR512) \
	KMOVW K1, AX

#define SMALL256 \
	SIZETEST(0, Y0, Y1, Y2, LESS256, NEAR256)  \
	VMOVMSKPS Y0, R8                           \
	SIZETEST(32, Y0, Y1, Y2, LESS256, NEAR256) \
	VMOVMSKPS Y0, AX                           \
	SHLL $8, AX                                \
	ORL  R8, AX

// func sizeSmallAVX512(small *uint16, packets *Packet, n int, z *Size)
TEXT ·sizeSmallAVX512(SB), NOSPLIT, $0-32
	SIZESMALL(SMALL512)

// func sizeSmallAVX2(small *uint16, packets *Packet, n int, z *Size)
TEXT ·sizeSmallAVX2(SB), NOSPLIT, $0-32
	SIZESMALL(SMALL256)
