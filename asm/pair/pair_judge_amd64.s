//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// Kernels that judge pairs of shapes in motion, four at a time, in float64. Every operation is one of the reference in
// Go, and in the same order.

MOVINGROW(movingSize, 0x7FFFFFFFFFFFFFFF)
MOVINGROW(movingOne, 0x3FF0000000000000)
MOVINGROW(movingMinusOne, 0xBFF0000000000000)
MOVINGROW(movingWithin, 0x3FEFFFFE00000000)    // within
MOVINGROW(movingPair, 0x00000000FFFFFFFF)
MOVINGROW(movingApart, 0x0000000100000000)
MOVINGROW(movingTouches, 0x0000000200000000)
MOVINGROW(movingDoubt, 0x0000000400000000)

// Four shapes: the four numbers of the row at OFF of each, in columns. Destroys Y12 to Y15.
#define MOVINGGATHER(OFF, P, Q, R, S, A, B, C, D) \
	VMOVUPD     (OFF)(P), X12                 \
	VMOVUPD     (OFF)(Q), X13                 \
	VMOVUPD     (OFF+16)(P), X14              \
	VMOVUPD     (OFF+16)(Q), X15              \
	VINSERTF128 $1, (OFF)(R), Y12, Y12        \
	VINSERTF128 $1, (OFF)(S), Y13, Y13        \
	VINSERTF128 $1, (OFF+16)(R), Y14, Y14     \
	VINSERTF128 $1, (OFF+16)(S), Y15, Y15     \
	VUNPCKLPD   Y13, Y12, A                   \
	VUNPCKHPD   Y13, Y12, B                   \
	VUNPCKLPD   Y15, Y14, C                   \
	VUNPCKHPD   Y15, Y14, D

// Offsets of columns from DX.
#define MOVINGWAY 0
#define MOVINGMOVE 96
#define MOVINGNEAR 192
#define MOVINGREACH 224
#define MOVINGX 256
#define MOVINGY 672
#define MOVINGINVERSE 288
#define MOVINGLIMIT 384

// Stores the axes and the numbers of Inverse of four shapes as columns at TO.
#define MOVINGAXES(P, Q, R, S, TO)                               \
	MOVINGGATHER(Moving_Axes, P, Q, R, S, Y0, Y1, Y2, Y3)    \
	VMOVUPD Y0, (TO)(DX)                                     \
	VMOVUPD Y1, (TO+32)(DX)                                  \
	VMOVUPD Y2, (TO+64)(DX)                                  \
	MOVINGGATHER(Moving_Axes+32, P, Q, R, S, Y0, Y1, Y2, Y3) \
	VMOVUPD Y0, (TO+96)(DX)                                  \
	VMOVUPD Y1, (TO+128)(DX)                                 \
	VMOVUPD Y2, (TO+160)(DX)                                 \
	MOVINGGATHER(Moving_Axes+64, P, Q, R, S, Y0, Y1, Y2, Y3) \
	VMOVUPD Y0, (TO+192)(DX)                                 \
	VMOVUPD Y1, (TO+224)(DX)                                 \
	VMOVUPD Y2, (TO+256)(DX)                                 \
	MOVINGGATHER(Moving_Inverse, P, Q, R, S, Y0, Y1, Y2, Y3) \
	VMOVUPD Y0, (TO+288)(DX)                                 \
	VMOVUPD Y1, (TO+320)(DX)                                 \
	VMOVUPD Y2, (TO+352)(DX)                                 \
	VMOVUPD Y3, (TO+384)(DX)

// The sum of the products of three columns, STEP bytes apart from AT on, and A, B and C. Destroys Y11.
#define MOVINGSUM(AT, STEP, A, B, C, TO) \
	VMULPD (AT)(DX), A, TO           \
	VMULPD (AT+STEP)(DX), B, Y11     \
	VADDPD Y11, TO, TO               \
	VMULPD (AT+2*STEP)(DX), C, Y11   \
	VADDPD Y11, TO, TO

// Numbers between -1 and 1. Y15 is 1, Y14 is -1.
#define MOVINGCLAMP        \
	VMAXPD Y14, Y3, Y3 \
	VMAXPD Y14, Y4, Y4 \
	VMAXPD Y14, Y5, Y5 \
	VMINPD Y15, Y3, Y3 \
	VMINPD Y15, Y4, Y4 \
	VMINPD Y15, Y5, Y5

// The coordinates of the points Y0 to Y2 on the axes of the shapes at AT, in Y3 to Y5.
#define MOVINGLOCAL(AT)                          \
	MOVINGSUM(AT, 32, Y0, Y1, Y2, Y3)        \
	MOVINGSUM(AT+96, 32, Y0, Y1, Y2, Y4)     \
	MOVINGSUM(AT+192, 32, Y0, Y1, Y2, Y5)    \
	VMULPD (AT+MOVINGINVERSE)(DX), Y3, Y3    \
	VMULPD (AT+MOVINGINVERSE+32)(DX), Y4, Y4 \
	VMULPD (AT+MOVINGINVERSE+64)(DX), Y5, Y5

// The points with the coordinates Y3 to Y5.
#define MOVINGPOINT(AT, X, Y, Z)            \
	MOVINGSUM(AT, 96, Y3, Y4, Y5, X)    \
	MOVINGSUM(AT+32, 96, Y3, Y4, Y5, Y) \
	MOVINGSUM(AT+64, 96, Y3, Y4, Y5, Z)

// Adds the size of a product of the normal Y0 to Y2 and the axis at AT to Y9.
#define MOVINGRADIUS(AT)                   \
	MOVINGSUM(AT, 32, Y0, Y1, Y2, Y10) \
	VANDPD movingSize<>(SB), Y10, Y10  \
	VADDPD Y10, Y9, Y9

// Adds the pairs that touch to Y12: those whose projection Y3 to Y5 onto the shapes at AT is inside. Then projects it
// onto these, into Y6 to Y8.
#define MOVINGPROJECT(AT)                          \
	MOVINGLOCAL(AT)                            \
	VMULPD Y3, Y3, Y9                          \
	VMULPD Y4, Y4, Y10                         \
	VMULPD Y5, Y5, Y11                         \
	VMAXPD Y10, Y9, Y9                         \
	VMAXPD Y11, Y9, Y9                         \
	VCMPPD $0x12, (AT+MOVINGLIMIT)(DX), Y9, Y9 \
	VORPD  Y9, Y12, Y12                        \
	MOVINGCLAMP                                \
	MOVINGPOINT(AT, Y6, Y7, Y8)

// Adds the pairs that the normal Y0 to Y2 shows to touch, or to be apart, to Y12 and Y13. The shapes are at P and Q.
#define MOVINGSPLIT(P, Q)                         \
	MOVINGSUM(P, 32, Y0, Y1, Y2, Y9)          \
	VANDPD movingSize<>(SB), Y9, Y9           \
	MOVINGRADIUS(P+96)                        \
	MOVINGRADIUS(P+192)                       \
	MOVINGRADIUS(Q)                           \
	MOVINGRADIUS(Q+96)                        \
	MOVINGRADIUS(Q+192)                       \
	VMULPD  Y0, Y0, Y3                        \
	VMULPD  Y1, Y1, Y4                        \
	VADDPD  Y4, Y3, Y3                        \
	VMULPD  Y2, Y2, Y4                        \
	VADDPD  Y4, Y3, Y3                        \
	VCMPPD  $0x11, MOVINGNEAR(DX), Y3, Y4     \
	VORPD   Y4, Y12, Y12                      \
	VSQRTPD Y3, Y3                            \
	VMULPD  MOVINGREACH(DX), Y3, Y3           \
	VADDPD  Y3, Y9, Y9                        \
	MOVINGSUM(MOVINGWAY, 32, Y0, Y1, Y2, Y3)  \
	MOVINGSUM(MOVINGMOVE, 32, Y0, Y1, Y2, Y4) \
	VADDPD  Y4, Y3, Y4                        \
	VCMPPD  $0x1E, Y9, Y3, Y3                 \
	VCMPPD  $0x1E, Y9, Y4, Y4                 \
	VANDPD  Y4, Y3, Y3                        \
	VORPD   Y3, Y13, Y13

// Takes the arguments.
//
//	DI  arguments  SI  pairs, CX left  DX  columns  AX, BX  shapes
#define MOVINGJUDGE                  \
	MOVQ a+0(FP), DI             \
	MOVQ judgeArgs_pairs(DI), SI \
	MOVQ judgeArgs_n(DI), CX     \
	MOVQ judgeArgs_x(DI), AX     \
	MOVQ judgeArgs_y(DI), BX     \
	LEAQ judgeArgs_rows(DI), DX

// Loads four pairs as columns.
//
//	R8 to R11  four shapes of X    R12 to R15  four shapes of Y
#define MOVINGFOUR                                                      \
	MOVINGSHAPES(0, R8, R12)                                        \
	MOVINGSHAPES(8, R9, R13)                                        \
	MOVINGSHAPES(16, R10, R14)                                      \
	MOVINGSHAPES(24, R11, R15)                                      \
	MOVINGGATHER(Moving_Center, R8, R9, R10, R11, Y4, Y5, Y6, Y7)   \
	MOVINGGATHER(Moving_Center, R12, R13, R14, R15, Y0, Y1, Y2, Y3) \
	VSUBPD  Y4, Y0, Y0                                              \
	VSUBPD  Y5, Y1, Y1                                              \
	VSUBPD  Y6, Y2, Y2                                              \
	VADDPD  Y3, Y7, Y8                                              \
	VADDPD  Y8, Y8, Y8                                              \
	VMOVUPD Y0, MOVINGWAY(DX)                                       \
	VMOVUPD Y1, (MOVINGWAY+32)(DX)                                  \
	VMOVUPD Y2, (MOVINGWAY+64)(DX)                                  \
	MOVINGGATHER(Moving_Move, R8, R9, R10, R11, Y4, Y5, Y6, Y7)     \
	MOVINGGATHER(Moving_Move, R12, R13, R14, R15, Y0, Y1, Y2, Y3)   \
	VSUBPD  Y4, Y0, Y0                                              \
	VSUBPD  Y5, Y1, Y1                                              \
	VSUBPD  Y6, Y2, Y2                                              \
	VADDPD  Y3, Y7, Y3                                              \
	VMOVUPD Y0, MOVINGMOVE(DX)                                      \
	VMOVUPD Y1, (MOVINGMOVE+32)(DX)                                 \
	VMOVUPD Y2, (MOVINGMOVE+64)(DX)                                 \
	VADDPD  Y8, Y3, Y8                                              \
	VMULPD  Y3, Y3, Y3                                              \
	VMULPD  movingWithin<>(SB), Y3, Y3                              \
	VMOVUPD Y8, MOVINGREACH(DX)                                     \
	VMOVUPD Y3, MOVINGNEAR(DX)                                      \
	MOVINGAXES(R8, R9, R10, R11, MOVINGX)                           \
	MOVINGAXES(R12, R13, R14, R15, MOVINGY)

// Stores the verdicts of four pairs. Y12 has the pairs that touch, Y13 the pairs that are apart, and Y1 other bits.
#define MOVINGVERDICTS                        \
	VANDPD  movingTouches<>(SB), Y12, Y12 \
	VANDPD  movingApart<>(SB), Y13, Y13   \
	VMOVUPD (SI), Y0                      \
	VANDPD  movingPair<>(SB), Y0, Y0      \
	VORPD   Y1, Y0, Y0                    \
	VORPD   Y12, Y0, Y0                   \
	VORPD   Y13, Y0, Y0                   \
	VMOVUPD Y0, (SI)                      \
	ADDQ    $32, SI                       \
	SUBQ    $4, CX

// func pairMovingJudgeAVX2(a *judgeArgs)
//
//	Y12 pairs that touch  Y13 pairs that are apart
TEXT ·pairMovingJudgeAVX2(SB), NOSPLIT, $0-8
	MOVINGJUDGE
	TESTQ CX, CX
	JEQ  judged

four:
	MOVINGFOUR

	VXORPD  Y12, Y12, Y12
	VXORPD  Y13, Y13, Y13
	VMOVUPD movingOne<>(SB), Y15
	VMOVUPD movingMinusOne<>(SB), Y14
	VMOVUPD MOVINGWAY(DX), Y0
	VMOVUPD (MOVINGWAY+32)(DX), Y1
	VMOVUPD (MOVINGWAY+64)(DX), Y2
	MOVINGLOCAL(MOVINGX)
	MOVINGCLAMP
	MOVINGPOINT(MOVINGX, Y0, Y1, Y2)
	VSUBPD  MOVINGWAY(DX), Y0, Y0
	VSUBPD  (MOVINGWAY+32)(DX), Y1, Y1
	VSUBPD  (MOVINGWAY+64)(DX), Y2, Y2

	MOVINGPROJECT(MOVINGY)
	VSUBPD  Y0, Y6, Y0
	VSUBPD  Y1, Y7, Y1
	VSUBPD  Y2, Y8, Y2
	VADDPD  MOVINGWAY(DX), Y6, Y6
	VADDPD  (MOVINGWAY+32)(DX), Y7, Y7
	VADDPD  (MOVINGWAY+64)(DX), Y8, Y8
	MOVINGSPLIT(MOVINGY, MOVINGX)

	VMOVAPD Y6, Y0
	VMOVAPD Y7, Y1
	VMOVAPD Y8, Y2
	MOVINGPROJECT(MOVINGX)
	VSUBPD  Y6, Y0, Y0
	VSUBPD  Y7, Y1, Y1
	VSUBPD  Y8, Y2, Y2
	MOVINGSPLIT(MOVINGX, MOVINGY)

	VANDNPD Y13, Y12, Y13
	VORPD   Y13, Y12, Y2
	VXORPD  Y1, Y1, Y1
	VCMPPD  $0, MOVINGNEAR(DX), Y1, Y1
	VANDNPD Y1, Y2, Y1
	VANDPD  movingDoubt<>(SB), Y1, Y1
	MOVINGVERDICTS
	JNE     four

judged:
	VZEROUPPER
	RET

// Tests the axis Y0 to Y2, along which the sum of the radii is Y9. Y15 is movingSize. Destroys Y3 to Y7, Y9 and Y11.
#define MOVINGAXIS                                \
	MOVINGSUM(MOVINGWAY, 32, Y0, Y1, Y2, Y3)  \
	MOVINGSUM(MOVINGMOVE, 32, Y0, Y1, Y2, Y4) \
	VADDPD  Y4, Y3, Y4                        \
	VANDNPD Y3, Y15, Y5                       \
	VXORPD  Y5, Y4, Y4                        \
	VANDPD  Y15, Y3, Y3                       \
	VANDPD  Y15, Y0, Y6                       \
	VANDPD  Y15, Y1, Y7                       \
	VADDPD  Y7, Y6, Y6                        \
	VANDPD  Y15, Y2, Y7                       \
	VADDPD  Y7, Y6, Y6                        \
	VMULPD  MOVINGREACH(DX), Y6, Y6           \
	VADDPD  Y6, Y3, Y7                        \
	VCMPPD  $0x12, Y9, Y7, Y7                 \
	VANDPD  Y7, Y12, Y12                      \
	VADDPD  Y6, Y9, Y9                        \
	VCMPPD  $0x1E, Y9, Y3, Y3                 \
	VCMPPD  $0x1E, Y9, Y4, Y4                 \
	VANDPD  Y4, Y3, Y3                        \
	VORPD   Y3, Y13, Y13

// One component of a cross product of vectors at P and Q.
#define MOVINGCROSS(P, Q, R, S, TO) \
	VMOVUPD (P)(DX), TO         \
	VMULPD  (S)(DX), TO, TO     \
	VMOVUPD (R)(DX), Y3         \
	VMULPD  (Q)(DX), Y3, Y3     \
	VSUBPD  Y3, TO, TO

// Tests the normal of a face: the axis at AT, or the cross product of the axes at P and Q where it is 0. Where this is
// 0, too, pairs do not touch for sure. The other shapes are at OTHER.
#define MOVINGFACE(AT, P, Q, OTHER)             \
	MOVINGCROSS(P+32, Q+32, P+64, Q+64, Y0) \
	MOVINGCROSS(P+64, Q+64, P, Q, Y1)       \
	MOVINGCROSS(P, Q, P+32, Q+32, Y2)       \
	VMOVUPD (AT)(DX), Y5                    \
	VMOVUPD (AT+32)(DX), Y6                 \
	VMOVUPD (AT+64)(DX), Y7                 \
	VORPD   Y6, Y5, Y4                      \
	VORPD   Y7, Y4, Y4                      \
	VXORPD  Y3, Y3, Y3                      \
	VCMPPD  $0, Y3, Y4, Y4                  \
	VBLENDVPD Y4, Y0, Y5, Y0                \
	VBLENDVPD Y4, Y1, Y6, Y1                \
	VBLENDVPD Y4, Y2, Y7, Y2                \
	VXORPD  Y9, Y9, Y9                      \
	MOVINGRADIUS(AT)                        \
	MOVINGRADIUS(OTHER)                     \
	MOVINGRADIUS(OTHER+96)                  \
	MOVINGRADIUS(OTHER+192)                 \
	MOVINGAXIS                              \
	VXORPD  Y7, Y7, Y7                      \
	VCMPPD  $0x1E, Y7, Y6, Y7               \
	VANDPD  Y7, Y12, Y12

// Tests the normals of the faces of the shapes at AT.
#define MOVINGFACES(AT, OTHER)                   \
	MOVINGFACE(AT, (AT+96), (AT+192), OTHER) \
	MOVINGFACE((AT+96), (AT+192), AT, OTHER) \
	MOVINGFACE((AT+192), AT, (AT+96), OTHER)

// Tests the cross product of the axes at P and Q. P1, P2, Q1 and Q2 are the other axes of both.
#define MOVINGEDGES(P, P1, P2, Q, Q1, Q2)       \
	MOVINGCROSS(P+32, Q+32, P+64, Q+64, Y0) \
	MOVINGCROSS(P+64, Q+64, P, Q, Y1)       \
	MOVINGCROSS(P, Q, P+32, Q+32, Y2)       \
	VXORPD Y9, Y9, Y9                       \
	MOVINGRADIUS(P1)                        \
	MOVINGRADIUS(P2)                        \
	MOVINGRADIUS(Q1)                        \
	MOVINGRADIUS(Q2)                        \
	MOVINGAXIS

// Tests the cross products of an axis at P and the axes of Y.
#define MOVINGEDGE(P, P1, P2)                                      \
	MOVINGEDGES(P, P1, P2, MOVINGY, MOVINGY+96, MOVINGY+192)   \
	MOVINGEDGES(P, P1, P2, (MOVINGY+96), MOVINGY+192, MOVINGY) \
	MOVINGEDGES(P, P1, P2, (MOVINGY+192), MOVINGY, MOVINGY+96)

// func pairMovingAxesAVX2(a *judgeArgs)
//
//	Y12 pairs that touch  Y13 pairs that are apart
TEXT ·pairMovingAxesAVX2(SB), NOSPLIT, $0-8
	MOVINGJUDGE
	TESTQ CX, CX
	JEQ  tested

test:
	MOVINGFOUR
	VMOVUPD movingSize<>(SB), Y15
	VXORPD  Y13, Y13, Y13
	VPCMPEQD Y12, Y12, Y12
	MOVINGFACES(MOVINGX, MOVINGY)
	MOVINGFACES(MOVINGY, MOVINGX)
	MOVINGEDGE(MOVINGX, MOVINGX+96, MOVINGX+192)
	MOVINGEDGE((MOVINGX+96), MOVINGX+192, MOVINGX)
	MOVINGEDGE((MOVINGX+192), MOVINGX, MOVINGX+96)
	VXORPD Y1, Y1, Y1
	MOVINGVERDICTS
	JNE test

tested:
	VZEROUPPER
	RET
