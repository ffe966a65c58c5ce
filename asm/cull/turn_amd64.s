//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// 1, 3, 2^-100, 2^-47, 2^-49
DATA ·turnFactors+0(SB)/8, $0x3ff0000000000000
DATA ·turnFactors+8(SB)/8, $0x4008000000000000
DATA ·turnFactors+16(SB)/8, $0x39b0000000000000
DATA ·turnFactors+24(SB)/8, $0x3d00000000000000
DATA ·turnFactors+32(SB)/8, $0x3ce0000000000000

// 2^-50, 1 + 2^-20, 2^-51, 1 + 2^-48
DATA ·turnFactors+40(SB)/8, $0x3cd0000000000000
DATA ·turnFactors+48(SB)/8, $0x3ff0000100000000
DATA ·turnFactors+56(SB)/8, $0x3cc0000000000000
DATA ·turnFactors+64(SB)/8, $0x3ff0000000000010

// 2^-40, 2^60, 2^100, 6 * 2^-24, 2^-148, 1 + 2^-40
DATA ·turnFactors+72(SB)/8, $0x3d70000000000000
DATA ·turnFactors+80(SB)/8, $0x43b0000000000000
DATA ·turnFactors+88(SB)/8, $0x4630000000000000
DATA ·turnFactors+96(SB)/8, $0x3e98000000000000
DATA ·turnFactors+104(SB)/8, $0x36b0000000000000
DATA ·turnFactors+112(SB)/8, $0x3ff0000000001000
GLOBL ·turnFactors(SB), RODATA|NOPTR, $120

// The normals of the sides of a box, lower ones first, and the offsets of their columns.
DATA turnSides<>+0(SB)/8, $0x000000003f800000
DATA turnSides<>+8(SB)/8, $0
DATA turnSides<>+16(SB)/8, $0x3f80000000000000
DATA turnSides<>+24(SB)/8, $0
DATA turnSides<>+32(SB)/8, $0
DATA turnSides<>+40(SB)/8, $0x000000003f800000
DATA turnSides<>+48(SB)/8, $0x00000000bf800000
DATA turnSides<>+56(SB)/8, $0
DATA turnSides<>+64(SB)/8, $0xbf80000000000000
DATA turnSides<>+72(SB)/8, $0
DATA turnSides<>+80(SB)/8, $0
DATA turnSides<>+88(SB)/8, $0x00000000bf800000
GLOBL turnSides<>(SB), RODATA|NOPTR, $96

DATA ·turnOff+0(SB)/8, $0x000000c000000040
DATA ·turnOff+8(SB)/8, $0x0000000000000140
DATA ·turnOff+16(SB)/8, $0x000000c000000000
DATA ·turnOff+24(SB)/8, $0x0000000000000140
DATA ·turnOff+32(SB)/8, $0x0000008000000040
DATA ·turnOff+40(SB)/8, $0x0000000000000140
DATA ·turnOff+48(SB)/8, $0x000000c000000040
DATA ·turnOff+56(SB)/8, $0x0000000000000100
GLOBL ·turnOff(SB), RODATA|NOPTR, $64

// The columns of the rows at A, B and C into Y0, Y1, Y2. Y8 to Y10 are scratch.
#define COLUMNS(A, B, C) \
	VMOVUPD    A, Y0              \
	VMOVUPD    B, Y1              \
	VMOVUPD    C, Y2              \
	VUNPCKLPD  Y1, Y0, Y8         \
	VUNPCKHPD  Y1, Y0, Y9         \
	VUNPCKHPD  Y2, Y2, Y10        \
	VPERM2F128 $0x20, Y2, Y8, Y0  \
	VPERM2F128 $0x20, Y10, Y9, Y1 \
	VPERM2F128 $0x31, Y2, Y8, Y2

// S = P*A + Q*B + R*C for numbers A, B, C in memory. Y8 and Y9 are scratch.
#define SUM(A, B, C, P, Q, R, S) \
	VBROADCASTSD A, Y8 \
	VBROADCASTSD B, Y9 \
	VMULPD Y8, P, S    \
	VMULPD Y9, Q, Y9   \
	VADDPD Y9, S, S    \
	VBROADCASTSD C, Y8 \
	VMULPD Y8, R, Y8   \
	VADDPD Y8, S, S

// The side of bounds to planes at distances IN from their middle, which are D from 0, up to AT. Y7 plus |AT| are sizes,
// Y5 the reach. D is raised, OUT are the lanes outside, and IN those that are not inside. Y10 and Y12 are scratch.
#define SIDE(AT, D, IN, OUT) \
	VANDPD Y15, AT, Y10                    \
	VADDPD Y7, Y10, Y10                    \
	VBROADCASTSD ·turnFactors+24(SB), Y12 \
	VMULPD Y12, Y10, Y12                   \
	VADDPD Y5, IN, OUT                     \
	VADDPD Y12, OUT, OUT                   \
	VSUBPD Y5, IN, IN                      \
	VSUBPD Y12, IN, IN                     \
	VBROADCASTSD ·turnFactors+32(SB), Y12 \
	VMULPD Y12, Y10, Y10                   \
	VADDPD Y10, D, D                       \
	VXORPD Y12, Y12, Y12                   \
	VCMPPD $0x11, Y12, OUT, OUT            \
	VCMPPD $0x19, Y12, IN, IN

// The signs of the first three lanes of LOW and HIGH, by turns, into the six bits of R, and the flag Z if there are none.
// Y10, Y12, AX and CX are scratch.
#define SIDES(LOW, HIGH, R) \
	VUNPCKLPD HIGH, LOW, Y10 \
	VUNPCKHPD HIGH, LOW, Y12 \
	VMOVMSKPD Y10, AX        \
	VMOVMSKPD Y12, R         \
	ANDL $3, R               \
	SHLL $2, R               \
	MOVL AX, CX              \
	ANDL $3, AX              \
	ORL  AX, R               \
	ANDL $12, CX             \
	SHLL $2, CX              \
	ORL  CX, R

// The d of planes at distances D over boxes with these spans: rounded up to float32, in X. TOO are the lanes with terms
// that are too large. Y13 is the least slack. Y8 to Y10 are scratch.
#define WIDEN(D, SPAN, TOO, X) \
	VANDPD Y15, D, Y8                      \
	VADDPD SPAN, Y8, Y8                    \
	VBROADCASTSD ·turnFactors+88(SB), Y9  \
	VCMPPD $0x16, Y9, Y8, TOO              \
	VBROADCASTSD ·turnFactors+96(SB), Y9  \
	VMULPD Y9, Y8, Y8                      \
	VADDPD Y13, Y8, Y8                     \
	VADDPD Y8, D, D                        \
	VCVTPD2PSY D, X8                       \
	VCVTPS2PD  X8, Y9                      \
	VCMPPD     $0x1E, Y9, D, Y9            \ // it was rounded down
	VEXTRACTF128 $1, Y9, X10               \
	VSHUFPS    $0x88, X10, X9, X9          \
	VPSRLD     $31, X9, X9                 \
	VPSRAD     $31, X8, X10                \
	VPXOR      X10, X9, X9                 \
	VPADDD     X9, X8, X8                  \
	VPSUBD     X10, X8, X

// Moves to the next plane if a bit of R is set: bit 4, after the shift.
#define NEXT(R, SHIFT) \
	MOVL R, AX    \
	SHIFT, AX     \
	ANDL $16, AX  \
	ADDQ AX, R9

// The planes of the lower and of the upper side on an axis: the row at ROW of the matrix, and d in lane LANE of X0 and
// of X1.
#define ROWS(ROW, LANE, LOWER, UPPER) \
	VCVTPD2PSY ROW, X2                     \
	VINSERTPS $8, X2, X2, X2               \ // the fourth lane is 0
	VCMPPS    $0x11, X14, X2, X3           \
	VPSLLD    $6, X3, X3                   \
	VPADDD    X3, X13, X3                  \
	VINSERTPS $(LANE<<6|0x30), X0, X2, X4  \
	VMOVUPS   X4, Convex_Coef(DI)(R9*1)    \
	VMOVDQU   X3, Convex_Off(DI)(R9*1)     \
	NEXT(R10, LOWER)                       \
	VXORPS    X12, X2, X2                  \
	VCMPPS    $0x11, X14, X2, X3           \
	VPSLLD    $6, X3, X3                   \
	VPADDD    X3, X13, X3                  \
	VINSERTPS $(LANE<<6|0x30), X1, X2, X4  \
	VMOVUPS   X4, Convex_Coef(DI)(R9*1)    \
	VMOVDQU   X3, Convex_Off(DI)(R9*1)     \
	NEXT(R10, UPPER)

// The same of the box around, with d in X7 and X11.
#define AROUND(AXIS, LOWER, UPPER) \
	VMOVUPS   turnSides<>+(16*AXIS)(SB), X2      \
	VINSERTPS $(AXIS<<6|0x30), X7, X2, X2        \
	VMOVUPS   X2, Convex_Coef(DI)(R9*1)          \
	VMOVDQU   X13, Convex_Off(DI)(R9*1)          \
	NEXT(R11, LOWER)                             \
	VMOVUPS   turnSides<>+(48+16*AXIS)(SB), X2   \
	VINSERTPS $(AXIS<<6|0x30), X11, X2, X2       \
	VMOVDQU   ·turnOff+(16+16*AXIS)(SB), X3     \
	VMOVUPS   X2, Convex_Coef(DI)(R9*1)          \
	VMOVDQU   X3, Convex_Off(DI)(R9*1)           \
	NEXT(R11, UPPER)

// func turnBoxAVX2(c *Convex, numbers *[24]float64, box *[12]float64, part *[15]float64, clear uint32) (turned Turned)
//
// A lane is an axis. The fourth lane is of no use.
//
//	Y0, Y1, Y2   columns of the matrix    Y4   middle    Y6   span     Y15   all bits but signs
//	Y3           translation              Y5   reach     Y7   sizes
//
// R10 are the sides of the box that cut the bounds of the part, R11 those of the box around, by bits 2*axis of the
// lower side and 2*axis + 1 of the upper one.
TEXT ·turnBoxAVX2(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ numbers+8(FP), DX
	MOVQ box+16(FP), SI
	MOVQ part+24(FP), BX
	MOVL clear+32(FP), R8
	NOTL R8
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ   $1, Y15, Y15
	COLUMNS(104(DX), 128(DX), 152(DX))
	VMOVUPD 80(DX), Y3
	SUM(48(BX), 56(BX), 64(BX), Y0, Y1, Y2, Y4)
	VANDPD  Y15, Y0, Y0
	VANDPD  Y15, Y1, Y1
	VANDPD  Y15, Y2, Y2
	SUM(72(BX), 80(BX), 88(BX), Y0, Y1, Y2, Y5)
	SUM(96(BX), 104(BX), 112(BX), Y0, Y1, Y2, Y6)

	// Y2: the rows whose largest number needs scaling.
	VMAXPD Y1, Y0, Y0
	VMAXPD Y2, Y0, Y0
	VBROADCASTSD ·turnFactors+72(SB), Y8
	VBROADCASTSD ·turnFactors+80(SB), Y9
	VCMPPD $0x19, Y8, Y0, Y8
	VCMPPD $0x16, Y9, Y0, Y9
	VORPD  Y9, Y8, Y2

	VANDPD       Y15, Y3, Y12
	VEXTRACTF128 $1, Y12, X10
	VPERMILPD    $1, X12, X9
	VADDSD       X9, X12, X11
	VADDSD       X10, X11, X11
	VADDSD       ·turnFactors+0(SB), X11, X11
	VMOVSD       96(BX), X8
	VADDSD       104(BX), X8, X8
	VADDSD       112(BX), X8, X8
	VADDSD       ·turnFactors+0(SB), X8, X13 // sum of the largest coordinates, and 1
	VMOVSD       ·turnFactors+8(SB), X9
	VMULSD       176(DX), X9, X9
	VMULSD       X8, X9, X9
	VADDSD       X9, X11, X11
	VMULSD       ·turnFactors+16(SB), X11, X11
	VBROADCASTSD X11, Y11
	VADDPD       Y6, Y12, Y7
	VADDPD       Y11, Y7, Y7

	// The lower sides are at Y9, the upper ones at Y0.
	VMOVUPD (SI), Y8
	VSUBPD  Y8, Y3, Y9
	VADDPD  Y4, Y9, Y11
	SIDE(Y8, Y9, Y11, Y14)
	VMOVUPD 24(SI), Y8
	VSUBPD  Y3, Y8, Y0
	VSUBPD  Y4, Y0, Y4
	SIDE(Y8, Y0, Y4, Y1)
	SIDES(Y14, Y1, R9)
	TESTL   R8, R9
	JNZ     apart
	SIDES(Y11, Y4, R10)
	ANDL    R8, R10
	JZ      held

	// The d of both in X0 and X1. Y13 is the least slack.
	VCMPSD    $0x19, ·turnFactors+112(SB), X13, X8
	VMOVMSKPD X8, AX
	TESTL     $1, AX
	JNZ       unknown
	VMULSD   ·turnFactors+104(SB), X13, X13
	VBROADCASTSD X13, Y13
	VMOVAPD  Y9, Y4
	WIDEN(Y0, Y6, Y5, X1)
	WIDEN(Y4, Y6, Y7, X0)
	VORPD    Y2, Y5, Y5
	VORPD    Y2, Y7, Y7
	SIDES(Y7, Y5, R12)
	TESTL    R10, R12
	JNZ      unknown
	XORL     R11, R11
	LEAL     -1(R10), AX
	TESTL    AX, R10
	JZ       planes // there is one

	// The box around the image: Y4 is the centre, Y6 the half edges, Y5 the error. X0 and X1 are kept in X11 and X14.
	VMOVAPS X0, X11
	VMOVAPS X1, X14
	COLUMNS((DX), 24(DX), 48(DX))
	VMOVUPD 48(SI), Y8
	VSUBPD  Y3, Y8, Y8
	VPERMPD $0x00, Y8, Y9
	VPERMPD $0x55, Y8, Y10
	VPERMPD $0xAA, Y8, Y8
	VMULPD  Y9, Y0, Y9
	VMULPD  Y10, Y1, Y10
	VMULPD  Y8, Y2, Y8
	VADDPD  Y10, Y9, Y4
	VADDPD  Y8, Y4, Y4
	VANDPD  Y15, Y9, Y9
	VANDPD  Y15, Y10, Y10
	VANDPD  Y15, Y8, Y8
	VADDPD  Y10, Y9, Y5
	VADDPD  Y8, Y5, Y5
	VANDPD  Y15, Y0, Y0
	VANDPD  Y15, Y1, Y1
	VANDPD  Y15, Y2, Y2
	SUM(72(SI), 80(SI), 88(SI), Y0, Y1, Y2, Y6)
	VADDPD       Y6, Y5, Y5
	VBROADCASTSD ·turnFactors+40(SB), Y8
	VMULPD       Y8, Y5, Y5
	VANDPD       Y15, Y4, Y9
	VADDPD       Y6, Y9, Y7
	VPERMILPD    $1, X7, X8
	VEXTRACTF128 $1, Y7, X10
	VADDSD       X8, X7, X7
	VADDSD       X10, X7, X7
	VMULSD       72(DX), X7, X7
	VBROADCASTSD X7, Y7
	VADDPD       Y7, Y5, Y5
	VBROADCASTSD ·turnFactors+48(SB), Y8
	VMULPD       Y8, Y5, Y5
	VBROADCASTSD ·turnFactors+56(SB), Y8
	VMULPD       Y8, Y9, Y9
	VADDPD       Y5, Y6, Y8
	VADDPD       Y9, Y8, Y8
	VBROADCASTSD ·turnFactors+64(SB), Y9
	VMULPD       Y9, Y8, Y8
	VSUBPD       Y8, Y4, Y2 // its lower sides
	VADDPD       Y8, Y4, Y3 // its upper sides

	VMOVUPD (BX), Y5
	VMOVUPD 24(BX), Y6
	VCMPPD  $0x1E, Y6, Y2, Y7
	VCMPPD  $0x11, Y5, Y3, Y8
	VORPD   Y7, Y8, Y7
	VMOVMSKPD Y7, AX
	TESTL   $7, AX
	JNZ     apart
	VCMPPD  $0x16, Y5, Y2, Y5
	VCMPPD  $0x19, Y6, Y3, Y6
	SIDES(Y5, Y6, R11)
	VMOVAPS X11, X0
	VMOVAPS X14, X1
	JZ      planes

	VPXOR   Y7, Y7, Y7
	VMOVUPD 96(BX), X4
	VMOVSD  112(BX), X5
	VINSERTF128 $1, X5, Y4, Y4
	VSUBPD  Y2, Y7, Y2
	WIDEN(Y2, Y4, Y5, X7)
	WIDEN(Y3, Y4, Y6, X11)
	SIDES(Y5, Y6, R12)
	TESTL   R11, R12
	JNZ     unknown

planes:
	XORL    R9, R9
	VPXOR   X14, X14, X14
	VPCMPEQD X12, X12, X12
	VPSLLD  $31, X12, X12
	VMOVDQU ·turnOff+0(SB), X13
	ROWS(104(DX), 0, SHLL $4, SHLL $3)
	ROWS(128(DX), 1, SHLL $2, SHLL $1)
	ROWS(152(DX), 2, SHLL $0, SHRL $1)
	TESTL   R11, R11
	JZ      done
	AROUND(0, SHLL $4, SHLL $3)
	AROUND(1, SHLL $2, SHLL $1)
	AROUND(2, SHLL $0, SHRL $1)

done:
	SHRQ $4, R9
	MOVQ R9, Convex_N(DI)
	MOVB $0, Convex_Two(DI)
	MOVQ $const_TurnedCuts, AX
	MOVQ AX, turned+40(FP)
	VZEROUPPER
	RET

apart:
	MOVQ $const_TurnedApart, AX
	MOVQ AX, turned+40(FP)
	VZEROUPPER
	RET

held:
	MOVQ $const_TurnedHolds, AX
	MOVQ AX, turned+40(FP)
	VZEROUPPER
	RET

unknown:
	MOVQ $const_TurnedUnknown, AX
	MOVQ AX, turned+40(FP)
	VZEROUPPER
	RET

// 2^-46, 1 + 2^-40, 2^-900
DATA ·planeFactors+0(SB)/8, $0x3d10000000000000
DATA ·planeFactors+8(SB)/8, $0x3ff0000000001000
DATA ·planeFactors+16(SB)/8, $0x07b0000000000000
GLOBL ·planeFactors(SB), RODATA|NOPTR, $24

// S += P * A for a number A in memory. Y8 is scratch.
#define ADDLANES(A, P, S) \
	VBROADCASTSD A, Y8 \
	VMULPD Y8, P, Y8   \
	VADDPD Y8, S, S

// S += P * A for a register A, and for a number A in memory. Z5 is scratch.
#define ADDTERM(A, P, S) \
	VMULPD A, P, Z5 \
	VADDPD Z5, S, S

#define ADDNUMBER(A, P, S) \
	VMULPD.BCST A, P, Z5 \
	VADDPD Z5, S, S

// A column of the normals, N = X*A + Y*B + Z*C.
#define NORMALS(A, B, C, N) \
	VMULPD.BCST A, Z0, N \
	ADDNUMBER(B, Z1, N)  \
	ADDNUMBER(C, Z2, N)

// The offsets of the columns of the p-vertices of normals in Y, those of the axis at BASE. Y7 is zero, K1 scratch.
#define OFFSETS(Y, BASE, TO) \
	VCMPPS $0x11, Y7, Y, K1            \
	VPBROADCASTD ·turnOff+BASE(SB), TO \
	VPSUBD Y28, TO, K1, TO

// Eight planes: their columns become planes 0 and 4, 1 and 5, 2 and 6, 3 and 7. Y9 to Y12 are scratch.
#define TRANSPOSE(X, Y, Z, D) \
	VUNPCKLPS Y, X, Y9                 \
	VUNPCKHPS Y, X, Y10                \
	VUNPCKLPS D, Z, Y11                \
	VUNPCKHPS D, Z, Y12                \
	VUNPCKLPD Y11, Y9, X               \
	VUNPCKHPD Y11, Y9, Y               \
	VUNPCKLPD Y12, Y10, Z              \
	VUNPCKHPD Y12, Y10, D

// func cutPlanesAVX512(c *Convex, planes *MovingPlanes, numbers *[24]float64, part *[15]float64) (turned Turned)
//
// A lane is a plane, eight in an iteration.
//
//	Z0, Z1, Z2, Z3     planes                        Z16, Z17, Z18   middle of the bounds
//	Z9, Z10, Z11, Z8   planes in the part            Z19, Z20, Z21   magnitudes of the terms of a point
//	Z7                 magnitudes of all terms       Z22, Z23, Z24   scaled, square, least slack
TEXT ·cutPlanesAVX512(SB), NOSPLIT, $0-40
	MOVQ c+0(FP), DI
	MOVQ planes+8(FP), R8
	MOVQ numbers+16(FP), DX
	MOVQ part+24(FP), BX
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ   $1, Y15, Y15
	COLUMNS(104(DX), 128(DX), 152(DX))
	VMOVUPD 80(DX), Y4
	VANDPD  Y15, Y4, Y5
	ADDLANES(48(BX), Y0, Y4)
	ADDLANES(56(BX), Y1, Y4)
	ADDLANES(64(BX), Y2, Y4)
	VANDPD  Y15, Y0, Y0
	VANDPD  Y15, Y1, Y1
	VANDPD  Y15, Y2, Y2
	ADDLANES(96(BX), Y0, Y5)
	ADDLANES(104(BX), Y1, Y5)
	ADDLANES(112(BX), Y2, Y5)
	VPERMILPD    $1, X4, X0
	VEXTRACTF128 $1, Y4, X1
	VPERMILPD    $1, X5, X2
	VEXTRACTF128 $1, Y5, X3
	VBROADCASTSD X4, Z16
	VBROADCASTSD X0, Z17
	VBROADCASTSD X1, Z18
	VBROADCASTSD X5, Z19
	VBROADCASTSD X2, Z20
	VBROADCASTSD X3, Z21
	VADDSD ·turnFactors+0(SB), X5, X6
	VADDSD X2, X6, X6
	VADDSD X3, X6, X6
	VMULSD ·turnFactors+16(SB), X6, X6
	VBROADCASTSD X6, Z22
	VADDSD X2, X5, X9
	VADDSD X3, X9, X9
	VADDSD X6, X9, X9
	VMULSD ·planeFactors+0(SB), X9, X9
	VMOVSD 72(BX), X10
	VMOVSD 80(BX), X11
	VMOVSD 88(BX), X12
	VMULSD X10, X10, X10
	VMULSD X11, X11, X11
	VMULSD X12, X12, X12
	VADDSD X11, X10, X10
	VADDSD X12, X10, X10
	VSQRTPD X10, X10
	VMULSD 176(DX), X10, X10
	VADDSD X9, X10, X10
	VMULSD X10, X10, X10
	VMULSD ·planeFactors+8(SB), X10, X10
	VBROADCASTSD X10, Z23
	VMOVSD 96(BX), X8
	VADDSD 104(BX), X8, X8
	VADDSD 112(BX), X8, X8
	VADDSD ·turnFactors+0(SB), X8, X8
	VCMPSD    $0x19, ·turnFactors+112(SB), X8, X9
	VMOVMSKPD X9, AX
	TESTL     $1, AX
	JNZ       unknown
	VMULSD ·turnFactors+104(SB), X8, X8
	VBROADCASTSD X8, Z24
	VPTERNLOGQ $0xFF, Z25, Z25, Z25
	VPSRLQ     $1, Z25, Z25
	VPXORQ     Z26, Z26, Z26
	MOVL       $64, AX
	VPBROADCASTD AX, Y28
	MOVQ MovingPlanes_N(R8), R12
	XORL R9, R9

next:
	VMOVUPD MovingPlanes_X(R8), Z0
	VMOVUPD MovingPlanes_Y(R8), Z1
	VMOVUPD MovingPlanes_Z(R8), Z2
	VMOVUPD MovingPlanes_D(R8), Z3
	MOVL  $255, AX
	BZHIL R12, AX, AX
	KMOVB AX, K6

	// K1: the ball around the bounds is on one side. K5: it is outside.
	VMULPD Z16, Z0, Z4
	VADDPD Z4, Z3, Z4
	ADDTERM(Z17, Z1, Z4)
	ADDTERM(Z18, Z2, Z4)
	VPANDQ Z25, Z3, Z6
	VPANDQ Z25, Z4, Z7
	VMULPD.BCST ·planeFactors+0(SB), Z6, Z5
	VSUBPD Z5, Z7, Z7
	VCMPPD $0x1E, Z26, Z7, K6, K1
	VMULPD Z7, Z7, Z7
	VMOVUPD MovingPlanes_Square(R8), Z8
	VMULPD Z23, Z8, Z5
	VCMPPD $0x1E, Z5, Z7, K1, K1
	VCMPPD.BCST $0x1E, ·planeFactors+16(SB), Z8, K1, K1
	VCMPPD $0x11, Z26, Z4, K1, K5
	KANDNB K6, K1, K6

	// The magnitudes, and the planes in the part.
	VPANDQ Z25, Z0, Z4
	VMULPD Z19, Z4, Z7
	VADDPD Z7, Z6, Z7
	VPANDQ Z25, Z1, Z4
	ADDTERM(Z20, Z4, Z7)
	VPANDQ Z25, Z2, Z4
	ADDTERM(Z21, Z4, Z7)
	VADDPD Z22, Z7, Z7
	VMULPD.BCST 80(DX), Z0, Z8
	VADDPD Z8, Z3, Z8
	ADDNUMBER(88(DX), Z1, Z8)
	ADDNUMBER(96(DX), Z2, Z8)
	NORMALS(104(DX), 128(DX), 152(DX), Z9)
	NORMALS(112(DX), 136(DX), 160(DX), Z10)
	NORMALS(120(DX), 144(DX), 168(DX), Z11)

	// Z12 is the distance of the middle of the bounds, Z13 the reach, Z14 the span, Z4 the largest number.
	VMULPD.BCST 48(BX), Z9, Z12
	VADDPD Z12, Z8, Z12
	ADDNUMBER(56(BX), Z10, Z12)
	ADDNUMBER(64(BX), Z11, Z12)
	VPANDQ Z25, Z9, Z0
	VPANDQ Z25, Z10, Z1
	VPANDQ Z25, Z11, Z2
	VMULPD.BCST 72(BX), Z0, Z13
	ADDNUMBER(80(BX), Z1, Z13)
	ADDNUMBER(88(BX), Z2, Z13)
	VMULPD.BCST 96(BX), Z0, Z14
	ADDNUMBER(104(BX), Z1, Z14)
	ADDNUMBER(112(BX), Z2, Z14)
	VMAXPD Z1, Z0, Z4
	VMAXPD Z2, Z4, Z4

	// K5: the bounds are outside. K6: they are cut.
	VMULPD.BCST ·turnFactors+24(SB), Z7, Z5
	VADDPD Z13, Z12, Z15
	VADDPD Z5, Z15, Z15
	VCMPPD $0x11, Z26, Z15, K6, K2
	KORB   K2, K5, K5
	KORTESTB K5, K5
	JNZ    apart
	VSUBPD Z13, Z12, Z15
	VSUBPD Z5, Z15, Z15
	VCMPPD $0x19, Z26, Z15, K6, K6
	KORTESTB K6, K6
	JZ     none

	VMULPD.BCST ·turnFactors+32(SB), Z7, Z7
	VADDPD Z7, Z8, Z8
	VPANDQ Z25, Z8, Z5
	VADDPD Z5, Z14, Z5
	VCMPPD.BCST $0x19, ·turnFactors+72(SB), Z4, K6, K1
	VCMPPD.BCST $0x16, ·turnFactors+80(SB), Z4, K6, K2
	VCMPPD.BCST $0x16, ·turnFactors+88(SB), Z5, K6, K3
	KORB   K1, K2, K1
	KORTESTB K1, K3
	JNZ    unknown
	VMULPD.BCST ·turnFactors+96(SB), Z5, Z5
	VADDPD Z24, Z5, Z5
	VADDPD Z5, Z8, Z8
	VCVTPD2PS        Z9, Y0
	VCVTPD2PS        Z10, Y1
	VCVTPD2PS        Z11, Y2
	VCVTPD2PS.RU_SAE Z8, Y3
	VCOMPRESSPS.Z Z0, K6, Z0
	VCOMPRESSPS.Z Z1, K6, Z1
	VCOMPRESSPS.Z Z2, K6, Z2
	VCOMPRESSPS.Z Z3, K6, Z3
	VPXOR  Y7, Y7, Y7
	OFFSETS(Y0, 0, Y4)
	OFFSETS(Y1, 4, Y5)
	OFFSETS(Y2, 8, Y6)
	TRANSPOSE(Y0, Y1, Y2, Y3)
	TRANSPOSE(Y4, Y5, Y6, Y7)
	LEAQ (DI)(R9*1), R11
	VMOVUPS X0, (Convex_Coef+0)(R11)
	VMOVUPS X1, (Convex_Coef+16)(R11)
	VMOVUPS X2, (Convex_Coef+32)(R11)
	VMOVUPS X3, (Convex_Coef+48)(R11)
	VMOVUPS X4, (Convex_Off+0)(R11)
	VMOVUPS X5, (Convex_Off+16)(R11)
	VMOVUPS X6, (Convex_Off+32)(R11)
	VMOVUPS X7, (Convex_Off+48)(R11)
	KMOVB   K6, AX
	POPCNTL AX, AX
	CMPL    AX, $4
	JLE     few
	VEXTRACTF128 $1, Y0, (Convex_Coef+64)(R11)
	VEXTRACTF128 $1, Y1, (Convex_Coef+80)(R11)
	VEXTRACTF128 $1, Y2, (Convex_Coef+96)(R11)
	VEXTRACTF128 $1, Y3, (Convex_Coef+112)(R11)
	VEXTRACTF128 $1, Y4, (Convex_Off+64)(R11)
	VEXTRACTF128 $1, Y5, (Convex_Off+80)(R11)
	VEXTRACTF128 $1, Y6, (Convex_Off+96)(R11)
	VEXTRACTF128 $1, Y7, (Convex_Off+112)(R11)

few:
	SHLL $4, AX
	ADDQ AX, R9

none:
	ADDQ $64, R8
	SUBQ $8, R12
	JGT  next
	MOVQ $const_TurnedHolds, AX
	TESTQ R9, R9
	JZ   done
	MOVQ $const_TurnedCuts, AX
	MOVB $0, Convex_Two(DI)

done:
	SHRQ $4, R9
	MOVQ R9, Convex_N(DI)
	MOVQ AX, turned+32(FP)
	VZEROUPPER
	RET

apart:
	MOVQ $const_TurnedApart, AX
	MOVQ AX, turned+32(FP)
	VZEROUPPER
	RET

unknown:
	MOVQ $const_TurnedUnknown, AX
	MOVQ AX, turned+32(FP)
	VZEROUPPER
	RET
