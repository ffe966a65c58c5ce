//go:build amd64 && !purego

#include "textflag.h"

// func ballBoxesAVX2(boxes *AABB, spheres *[4]float32, n int)
//
// One sphere per iteration, with its axes in the lanes of a register. The steps are those of
// Ball.Box in package soa: a sum d, its rounding error e, and a step of its bits towards e.
//
// DI  box      SI  sphere    CX  spheres left
// X0  centre   X1  radius    X15 0
TEXT ·ballBoxesAVX2(SB), NOSPLIT, $0-24
	MOVQ   boxes+0(FP), DI
	MOVQ   spheres+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPS X15, X15, X15

ballloop:
	VMOVUPS   (SI), X0
	VPERMILPS $0xff, X0, X1

	// c - r, rounded down
	VSUBPS  X1, X0, X2  // d
	VSUBPS  X0, X2, X3  // v
	VSUBPS  X3, X2, X4
	VSUBPS  X4, X0, X4
	VADDPS  X3, X1, X5
	VSUBPS  X5, X4, X4  // e
	VADDPS  X15, X4, X4 // not -0
	VPSRLD  $31, X4, X4
	VPSIGND X2, X4, X4
	VPSUBD  X4, X2, X2
	VADDPS  X15, X2, X2

	// c + r, rounded up
	VADDPS  X1, X0, X6  // d
	VSUBPS  X0, X6, X7  // v
	VSUBPS  X7, X6, X8
	VSUBPS  X8, X0, X8
	VSUBPS  X7, X1, X9
	VADDPS  X9, X8, X8  // e
	VSUBPS  X8, X15, X8
	VPSRLD  $31, X8, X8
	VPSIGND X6, X8, X8
	VPADDD  X8, X6, X6
	VADDPS  X15, X6, X6

	// x y z of both; the lane of the radius is overwritten
	VMOVUPS   X2, (DI)
	VMOVQ     X6, 12(DI)
	VPERMILPS $2, X6, X6
	VMOVSS    X6, 20(DI)

	ADDQ $16, SI
	ADDQ $24, DI
	DECQ CX
	JNZ  ballloop

	VZEROUPPER
	RET

// The spheres of a packet are gathered column by column. The spheres of later packets are
// prefetched: a sphere of 16 bytes is mostly on one cache line.
#define AHEAD 6

// FETCH prefetches the sphere of one lane, or the first sphere if its index is not below the limit
// R12: such an address need not be mapped, and the search for its page takes long. R14 is 0.
#define FETCH(lane) \
	MOVL       (AHEAD*64 + 4*lane)(DX), AX \
	CMPL       AX, R12                     \
	CMOVLCC    R14, AX                     \
	ADDQ       AX, AX                      \
	PREFETCHT0 (SI)(AX*8)

#define FETCHROW \
	FETCH(0)  \
	FETCH(1)  \
	FETCH(2)  \
	FETCH(3)  \
	FETCH(4)  \
	FETCH(5)  \
	FETCH(6)  \
	FETCH(7)  \
	FETCH(8)  \
	FETCH(9)  \
	FETCH(10) \
	FETCH(11) \
	FETCH(12) \
	FETCH(13) \
	FETCH(14) \
	FETCH(15)

// GATHER loads a word of the spheres of the lanes K1.
#define GATHER(word, to) \
	KMOVW      K1, K2                     \
	VGATHERDPS (4*word)(SI)(Z3*8), K2, to

// AXIS writes the bounds on an axis: the centre minus and plus the radius, rounded outward, with
// zeros that are +0.
#define AXIS(center, min, max) \
	VSUBPS.RD_SAE Z7, center, Z8 \
	VADDPS.RU_SAE Z7, center, Z9 \
	VADDPS        Z15, Z8, Z8    \
	VADDPS        Z15, Z9, Z9    \
	VMOVUPS       Z8, K1, min(DI) \
	VMOVUPS       Z9, K1, max(DI)

// func writeBallsAVX512(packets *Packet, lanes *SphereLanes, counts *uint8, index *[Lanes]uint32, n int, spheres *[4]float32, limit int)
//
//	DI  packet   R10 its spheres   BX  count   DX  row of the index   CX  packets left
//	SI  spheres  Z1  limit         Z3  twice the indices, in units of 8 bytes
//	Z4 to Z7  x, y, z, radius      Z15 0
//	K1  live lanes whose index is below the limit
TEXT ·writeBallsAVX512(SB), NOSPLIT, $0-56
	MOVQ         packets+0(FP), DI
	MOVQ         lanes+8(FP), R10
	MOVQ         counts+16(FP), BX
	MOVQ         index+24(FP), DX
	MOVQ         n+32(FP), CX
	MOVQ         spheres+40(FP), SI
	MOVQ         limit+48(FP), AX
	VPBROADCASTD AX, Z1
	MOVL         AX, R12
	XORL         R14, R14
	MOVQ         $-1, R9
	VXORPS       X15, X15, X15

packetloop:
	CMPQ CX, $AHEAD
	JBE  write
	FETCHROW

write:
	MOVBLZX   (BX), R8
	BZHIL     R8, R9, R8
	KMOVW     R8, K1
	VMOVDQU32 (DX), Z0
	VPCMPUD   $1, Z1, Z0, K1, K1
	VPADDD    Z0, Z0, Z3
	GATHER(0, Z4)
	GATHER(1, Z5)
	GATHER(2, Z6)
	GATHER(3, Z7)
	VMOVUPS   Z4, K1, (R10)
	VMOVUPS   Z5, K1, 64(R10)
	VMOVUPS   Z6, K1, 128(R10)
	VMOVUPS   Z7, K1, 192(R10)
	AXIS(Z4, 0, 64)
	AXIS(Z5, 128, 192)
	AXIS(Z6, 256, 320)

	ADDQ $384, DI
	ADDQ $256, R10
	ADDQ $1, BX
	ADDQ $64, DX
	DECQ CX
	JNZ  packetloop

	VZEROUPPER
	RET

// LOW256 loads the sphere of a lane, whose index is in units of 8 bytes, into the low half of a
// register; HIGH256 loads the sphere of the lane four further on into the high half.
#define LOW256(lane, X) \
	MOVL    (4*(lane))(R11), AX \
	VMOVUPS (SI)(AX*8), X

#define HIGH256(lane, Y) \
	MOVL        (4*(lane))(R11), AX \
	VINSERTF128 $1, (SI)(AX*8), Y, Y

// KEEP256 writes eight lanes of a column, except the unchanged lanes Y14.
#define KEEP256(from, to) \
	VBLENDVPS Y14, to, from, from \
	VMOVUPS   from, to

// AXIS256 writes the bounds on an axis, as in ballBoxesAVX2, and the centre.
#define AXIS256(center, sphere, min, max) \
	VSUBPS  Y3, center, Y4      \ // d
	VSUBPS  center, Y4, Y5      \
	VSUBPS  Y5, Y4, Y6          \
	VSUBPS  Y6, center, Y6      \
	VADDPS  Y5, Y3, Y7          \
	VSUBPS  Y7, Y6, Y6          \ // e
	VADDPS  Y15, Y6, Y6         \
	VPSRLD  $31, Y6, Y6         \
	VPSIGND Y4, Y6, Y6          \
	VPSUBD  Y6, Y4, Y4          \
	VADDPS  Y15, Y4, Y4         \
	KEEP256(Y4, min)            \
	VADDPS  Y3, center, Y8      \ // d
	VSUBPS  center, Y8, Y9      \
	VSUBPS  Y9, Y8, Y10         \
	VSUBPS  Y10, center, Y10    \
	VSUBPS  Y9, Y3, Y11         \
	VADDPS  Y11, Y10, Y10       \ // e
	VSUBPS  Y10, Y15, Y10       \
	VPSRLD  $31, Y10, Y10       \
	VPSIGND Y8, Y10, Y10        \
	VPADDD  Y10, Y8, Y8         \
	VADDPS  Y15, Y8, Y8         \
	KEEP256(Y8, max)            \
	KEEP256(center, sphere)

// HALF256 writes eight lanes, from lane 8h on, except the unchanged lanes.
#define HALF256(h, stay) \
	VMOVDQA   stay, Y14   \
	LOW256(8*h, X4)       \
	HIGH256(8*h+4, Y4)    \
	LOW256(8*h+1, X5)     \
	HIGH256(8*h+5, Y5)    \
	LOW256(8*h+2, X6)     \
	HIGH256(8*h+6, Y6)    \
	LOW256(8*h+3, X7)     \
	HIGH256(8*h+7, Y7)    \
	VUNPCKLPS Y5, Y4, Y8  \
	VUNPCKHPS Y5, Y4, Y9  \
	VUNPCKLPS Y7, Y6, Y10 \
	VUNPCKHPS Y7, Y6, Y11 \
	VUNPCKLPD Y10, Y8, Y0 \ // x
	VUNPCKHPD Y10, Y8, Y1 \ // y
	VUNPCKLPD Y11, Y9, Y2 \ // z
	VUNPCKHPD Y11, Y9, Y3 \ // radius
	AXIS256(Y0, (32*h)(R10), (32*h)(DI), (32*h+64)(DI))           \
	AXIS256(Y1, (32*h+64)(R10), (32*h+128)(DI), (32*h+192)(DI))   \
	AXIS256(Y2, (32*h+128)(R10), (32*h+256)(DI), (32*h+320)(DI))  \
	KEEP256(Y3, (32*h+192)(R10))

// ROW256 loads the offsets of the spheres of eight lanes, from lane 8h on, and computes the
// unchanged lanes; a lane without a sphere gets the last one. Y13 limit less 1   Y12 count
#define ROW256(h, stay) \
	VMOVDQU  (32*h)(DX), Y0                   \
	VPMINUD  Y13, Y0, Y1                      \
	VPCMPEQD Y0, Y1, Y0                       \
	VPCMPGTD ·writeIota+(32*h)(SB), Y12, Y2   \
	VPAND    Y0, Y2, stay                     \
	VPADDD   Y1, Y1, Y1                       \
	VMOVDQA  Y1, (32*h)(R11)

// func writeBallsAVX2(packets *Packet, lanes *SphereLanes, counts *uint8, index *[Lanes]uint32, n int, spheres *[4]float32, limit int)
//
// As above, and R11 the aligned frame, for the indices of a packet   Y13 limit less 1
TEXT ·writeBallsAVX2(SB), NOSPLIT, $96-56
	MOVQ         packets+0(FP), DI
	MOVQ         lanes+8(FP), R10
	MOVQ         counts+16(FP), BX
	MOVQ         index+24(FP), DX
	MOVQ         n+32(FP), CX
	MOVQ         spheres+40(FP), SI
	MOVQ         limit+48(FP), AX
	MOVL         AX, R12
	XORL         R14, R14
	DECL         AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	LEAQ         frame-96(SP), R11
	ADDQ         $31, R11
	ANDQ         $~31, R11
	VXORPS       Y15, Y15, Y15

packetloop:
	CMPQ CX, $AHEAD
	JBE  write
	FETCHROW

write:
	MOVBLZX      (BX), AX
	VMOVD        AX, X12
	VPBROADCASTD X12, Y12
	ROW256(0, Y8)
	ROW256(1, Y9)
	VPOR         Y9, Y8, Y0
	VMOVMSKPS    Y0, AX
	TESTL        AX, AX
	JZ           nextpacket
	VPCMPEQD     Y0, Y0, Y0
	VPXOR        Y0, Y8, Y8
	VPXOR        Y0, Y9, Y12
	HALF256(0, Y8)
	HALF256(1, Y12)

nextpacket:
	ADDQ $384, DI
	ADDQ $256, R10
	ADDQ $1, BX
	ADDQ $64, DX
	DECQ CX
	JNZ  packetloop

	VZEROUPPER
	RET
