//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// cutPlanes on AVX2, with the constants of turn_amd64.s.

// -64 for the three axes, and 0.
DATA planeSteps<>+0(SB)/8, $0xffffffc0ffffffc0
DATA planeSteps<>+8(SB)/8, $0x00000000ffffffc0
GLOBL planeSteps<>(SB), RODATA|NOPTR, $16

// S += P * A for a number A in memory. T is scratch.
#define ADDTERM(A, P, S, T) \
	VBROADCASTSD A, T \
	VMULPD T, P, T    \
	VADDPD T, S, S

// S = Y0*A + Y1*B + Y2*C for numbers A, B, C in memory. T is scratch.
#define SUM(A, B, C, S, T) \
	VBROADCASTSD A, T     \
	VMULPD T, Y0, S       \
	ADDTERM(B, Y1, S, T)  \
	ADDTERM(C, Y2, S, T)

// The plane in ROW becomes the next one, and stays if bit 4 of CX is set after the shift. X4 are the offsets of an
// upward normal, X5 is zero, X6 planeSteps. X7 and AX are scratch.
#define PUTPLANE(ROW, SHIFT) \
	VCMPPS  $0x11, X5, ROW, X7       \
	VPAND   X6, X7, X7               \
	VPADDD  X4, X7, X7               \
	VMOVUPS ROW, Convex_Coef(DI)(R9*1) \
	VMOVDQU X7, Convex_Off(DI)(R9*1) \
	MOVL    CX, AX                   \
	SHLL    SHIFT, AX                \
	ANDL    $16, AX                  \
	ADDQ    AX, R9

// func cutPlanesAVX2(c *Convex, planes *MovingPlanes, numbers *[24]float64, part *[15]float64) (turned Turned)
//
// A lane is a plane, four in an iteration. Its numbers are those of cutPlanesAVX512, with the same roundings.
//
//	Y0, Y1, Y2, Y3     planes                        0(SP)    middle of the bounds
//	Y9, Y10, Y11, Y8   planes in the part            32(SP)   magnitudes of the terms of a point
//	Y7                 magnitudes of all terms       64(SP)   scaled, square, least slack
//	Y15                all bits but signs            CX       planes of the iteration that cut the bounds
TEXT ·cutPlanesAVX2(SB), NOSPLIT, $88-40
	MOVQ c+0(FP), DI
	MOVQ planes+8(FP), R8
	MOVQ numbers+16(FP), DX
	MOVQ part+24(FP), BX
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ   $1, Y15, Y15

	// A lane is an axis: Y0, Y1, Y2 are the columns of the matrix.
	VMOVUPD    104(DX), Y0
	VMOVUPD    128(DX), Y1
	VMOVUPD    152(DX), Y2
	VUNPCKLPD  Y1, Y0, Y8
	VUNPCKHPD  Y1, Y0, Y9
	VUNPCKHPD  Y2, Y2, Y10
	VPERM2F128 $0x20, Y2, Y8, Y0
	VPERM2F128 $0x20, Y10, Y9, Y1
	VPERM2F128 $0x31, Y2, Y8, Y2
	VMOVUPD 80(DX), Y4
	VANDPD  Y15, Y4, Y5
	ADDTERM(48(BX), Y0, Y4, Y8)
	ADDTERM(56(BX), Y1, Y4, Y8)
	ADDTERM(64(BX), Y2, Y4, Y8)
	VANDPD  Y15, Y0, Y0
	VANDPD  Y15, Y1, Y1
	VANDPD  Y15, Y2, Y2
	ADDTERM(96(BX), Y0, Y5, Y8)
	ADDTERM(104(BX), Y1, Y5, Y8)
	ADDTERM(112(BX), Y2, Y5, Y8)
	VMOVUPD Y4, 0(SP)
	VMOVUPD Y5, 32(SP)
	VPERMILPD    $1, X5, X2
	VEXTRACTF128 $1, Y5, X3
	VADDSD ·turnFactors+0(SB), X5, X6
	VADDSD X2, X6, X6
	VADDSD X3, X6, X6
	VMULSD ·turnFactors+16(SB), X6, X6
	VMOVSD X6, 64(SP)
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
	VMOVSD X10, 72(SP)
	VMOVSD 96(BX), X8
	VADDSD 104(BX), X8, X8
	VADDSD 112(BX), X8, X8
	VADDSD ·turnFactors+0(SB), X8, X8
	VCMPSD    $0x19, ·turnFactors+112(SB), X8, X9
	VMOVMSKPD X9, AX
	TESTL     $1, AX
	JNZ       unknown
	VMULSD ·turnFactors+104(SB), X8, X8
	VMOVSD X8, 80(SP)
	MOVQ   MovingPlanes_N(R8), R12
	XORL   R9, R9

next:
	VMOVUPD MovingPlanes_X(R8), Y0
	VMOVUPD MovingPlanes_Y(R8), Y1
	VMOVUPD MovingPlanes_Z(R8), Y2
	VMOVUPD MovingPlanes_D(R8), Y3
	MOVL  $15, CX
	BZHIL R12, CX, CX

	// R10: the ball around the bounds is on one side. R11: it is outside.
	VBROADCASTSD 0(SP), Y5
	VMULPD Y5, Y0, Y4
	VADDPD Y4, Y3, Y4
	ADDTERM(8(SP), Y1, Y4, Y5)
	ADDTERM(16(SP), Y2, Y4, Y5)
	VANDPD Y15, Y3, Y6
	VANDPD Y15, Y4, Y7
	VBROADCASTSD ·planeFactors+0(SB), Y5
	VMULPD Y5, Y6, Y5
	VSUBPD Y5, Y7, Y7
	VXORPD Y13, Y13, Y13
	VCMPPD $0x1E, Y13, Y7, Y9
	VMULPD Y7, Y7, Y7
	VMOVUPD MovingPlanes_Square(R8), Y8
	VBROADCASTSD 72(SP), Y5
	VMULPD Y5, Y8, Y5
	VCMPPD $0x1E, Y5, Y7, Y10
	VBROADCASTSD ·planeFactors+16(SB), Y5
	VCMPPD $0x1E, Y5, Y8, Y11
	VANDPD Y10, Y9, Y9
	VANDPD Y11, Y9, Y9
	VANDPD Y4, Y9, Y4
	VMOVMSKPD Y9, R10
	VMOVMSKPD Y4, R11
	TESTL CX, R11
	JNZ   apart
	ANDNL CX, R10, CX
	JZ    none

	// The magnitudes, and the planes in the part.
	VANDPD Y15, Y0, Y4
	VBROADCASTSD 32(SP), Y5
	VMULPD Y5, Y4, Y7
	VADDPD Y7, Y6, Y7
	VANDPD Y15, Y1, Y4
	ADDTERM(40(SP), Y4, Y7, Y5)
	VANDPD Y15, Y2, Y4
	ADDTERM(48(SP), Y4, Y7, Y5)
	VBROADCASTSD 64(SP), Y5
	VADDPD Y5, Y7, Y7
	VBROADCASTSD 80(DX), Y5
	VMULPD Y5, Y0, Y8
	VADDPD Y8, Y3, Y8
	ADDTERM(88(DX), Y1, Y8, Y5)
	ADDTERM(96(DX), Y2, Y8, Y5)
	SUM(104(DX), 128(DX), 152(DX), Y9, Y5)
	SUM(112(DX), 136(DX), 160(DX), Y10, Y5)
	SUM(120(DX), 144(DX), 168(DX), Y11, Y5)

	// Y12 is the distance of the middle of the bounds, Y13 the reach, Y14 the span, Y4 the largest number.
	VBROADCASTSD 48(BX), Y5
	VMULPD Y5, Y9, Y12
	VADDPD Y12, Y8, Y12
	ADDTERM(56(BX), Y10, Y12, Y5)
	ADDTERM(64(BX), Y11, Y12, Y5)
	VANDPD Y15, Y9, Y0
	VANDPD Y15, Y10, Y1
	VANDPD Y15, Y11, Y2
	SUM(72(BX), 80(BX), 88(BX), Y13, Y5)
	SUM(96(BX), 104(BX), 112(BX), Y14, Y5)
	VMAXPD Y1, Y0, Y4
	VMAXPD Y2, Y4, Y4

	// Planes beyond the bounds end the kernel. CX: the bounds are cut.
	VBROADCASTSD ·turnFactors+24(SB), Y5
	VMULPD Y5, Y7, Y5
	VADDPD Y13, Y12, Y6
	VADDPD Y5, Y6, Y6
	VSUBPD Y13, Y12, Y12
	VSUBPD Y5, Y12, Y12
	VXORPD Y13, Y13, Y13
	VCMPPD $0x11, Y13, Y6, Y6
	VCMPPD $0x19, Y13, Y12, Y12
	VMOVMSKPD Y6, R11
	VMOVMSKPD Y12, R10
	TESTL CX, R11
	JNZ   apart
	ANDL  R10, CX
	JZ    none

	VBROADCASTSD ·turnFactors+32(SB), Y5
	VMULPD Y5, Y7, Y7
	VADDPD Y7, Y8, Y8
	VANDPD Y15, Y8, Y5
	VADDPD Y5, Y14, Y5
	VBROADCASTSD ·turnFactors+72(SB), Y0
	VBROADCASTSD ·turnFactors+80(SB), Y1
	VBROADCASTSD ·turnFactors+88(SB), Y2
	VCMPPD $0x19, Y0, Y4, Y0
	VCMPPD $0x16, Y1, Y4, Y1
	VCMPPD $0x16, Y2, Y5, Y2
	VORPD  Y1, Y0, Y0
	VORPD  Y2, Y0, Y0
	VMOVMSKPD Y0, R10
	TESTL  CX, R10
	JNZ    unknown
	VBROADCASTSD ·turnFactors+96(SB), Y0
	VMULPD Y0, Y5, Y5
	VBROADCASTSD 80(SP), Y0
	VADDPD Y0, Y5, Y5
	VADDPD Y5, Y8, Y8
	VCVTPD2PSY Y9, X0
	VCVTPD2PSY Y10, X1
	VCVTPD2PSY Y11, X2
	VCVTPD2PSY Y8, X3
	VCVTPS2PD  X3, Y4
	VCMPPD     $0x1E, Y4, Y8, Y4 // it was rounded down
	VEXTRACTF128 $1, Y4, X5
	VSHUFPS    $0x88, X5, X4, X4
	VPSRLD     $31, X4, X4
	VPSRAD     $31, X3, X5
	VPXOR      X5, X4, X4
	VPADDD     X4, X3, X3
	VPSUBD     X5, X3, X3

	// The columns become planes.
	VUNPCKLPS X1, X0, X8
	VUNPCKHPS X1, X0, X9
	VUNPCKLPS X3, X2, X10
	VUNPCKHPS X3, X2, X11
	VUNPCKLPD X10, X8, X0
	VUNPCKHPD X10, X8, X1
	VUNPCKLPD X11, X9, X2
	VUNPCKHPD X11, X9, X3
	VMOVDQU   ·turnOff+0(SB), X4
	VPXOR     X5, X5, X5
	VMOVDQU   planeSteps<>(SB), X6
	PUTPLANE(X0, $4)
	PUTPLANE(X1, $3)
	PUTPLANE(X2, $2)
	PUTPLANE(X3, $1)

none:
	ADDQ $32, R8
	SUBQ $4, R12
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
