//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// 2^-50, 1 + 2^-20, 1 - 2^-50, 1 + 2^-50
DATA ·enterFactors+0(SB)/8, $0x3cd0000000000000
DATA ·enterFactors+8(SB)/8, $0x3ff0000100000000
DATA ·enterFactors+16(SB)/8, $0x3feffffffffffff8
DATA ·enterFactors+24(SB)/8, $0x3ff0000000000004
GLOBL ·enterFactors(SB), RODATA|NOPTR, $32

// 2^-24 * (1 + 2^-20), 2^-100, the largest float32, 5 * 2^-23, 2^-148, 1/2
DATA ·boxFactors+0(SB)/8, $0x3e70000100000000
DATA ·boxFactors+8(SB)/8, $0x39b0000000000000
DATA ·boxFactors+16(SB)/8, $0x47efffffe0000000
DATA ·boxFactors+24(SB)/8, $0x3ea4000000000000
DATA ·boxFactors+32(SB)/8, $0x36b0000000000000
DATA ·boxFactors+40(SB)/8, $0x3fe0000000000000
GLOBL ·boxFactors(SB), RODATA|NOPTR, $48

// 1, 2^-100, 1 + 5 * 2^-23, all bits but the sign, 64
DATA ·rayFactors+0(SB)/4, $0x3f800000
DATA ·rayFactors+4(SB)/4, $0x0d800000
DATA ·rayFactors+8(SB)/4, $0x3f800005
DATA ·rayFactors+12(SB)/4, $0x7fffffff
DATA ·rayFactors+16(SB)/4, $64
GLOBL ·rayFactors(SB), RODATA|NOPTR, $20

// Ray.Off of a direction that points up all axes
DATA ·rayOff+0(SB)/8, $0x0000008000000000
DATA ·rayOff+8(SB)/8, $0x0000000000000100
GLOBL ·rayOff(SB), RODATA|NOPTR, $16

// 1 + 2^-40, 1 - 2^-20, 2^60
DATA pointFactors<>+0(SB)/8, $0x3ff0000000001000
DATA pointFactors<>+8(SB)/8, $0x3feffffe00000000
DATA pointFactors<>+16(SB)/8, $0x43b0000000000000
GLOBL pointFactors<>(SB), RODATA|NOPTR, $24

// The largest of the lanes of Y into X, both registers of the same number. T is scratch.
#define LARGEST(Y, X, T) \
	VEXTRACTF128 $1, Y, T \
	VMAXPD       T, X, X  \
	VPERMILPD    $1, X, T \
	VMAXPD       T, X, X

// The inverse times the vector in Y7, Y8, Y9, into AT, and the bound of its error, into OFF. X is OFF. Y7 to Y10 are
// scratch. See xform.Transform.localPoint.
#define PREIMAGE(AT, OFF, X) \
	VMULPD Y7, Y0, Y7     \
	VMULPD Y8, Y1, Y8     \
	VMULPD Y9, Y2, Y9     \
	VADDPD Y8, Y7, AT     \
	VADDPD Y9, AT, AT     \
	VANDPD Y15, Y7, Y7    \
	VANDPD Y15, Y8, Y8    \
	VANDPD Y15, Y9, Y9    \
	VADDPD Y8, Y7, Y7     \
	VADDPD Y9, Y7, Y7     \
	VMULPD Y14, Y7, Y7    \ // error of rounding
	VANDPD Y15, AT, OFF   \
	VADDPD Y7, OFF, OFF   \
	LARGEST(OFF, X, X10)  \
	VMULSD 72(DX), X, X \
	VBROADCASTSD X, OFF   \
	VADDPD Y7, OFF, OFF   \
	VMULPD Y13, OFF, OFF

// The columns of the inverse at DX, and the constants Y13 to Y15: see rayEnterAVX2.
#define COLUMNS \
	VMOVUPD 0(DX), Y0                      \
	VMOVUPD 24(DX), Y1                     \
	VMOVUPD 48(DX), Y2                     \
	VUNPCKLPD Y1, Y0, Y3                   \
	VUNPCKHPD Y1, Y0, Y4                   \
	VUNPCKLPD Y2, Y2, Y5                   \
	VUNPCKHPD Y2, Y2, Y6                   \
	VPERM2F128 $0x20, Y5, Y3, Y0           \
	VPERM2F128 $0x20, Y6, Y4, Y1           \
	VPERM2F128 $0x31, Y5, Y3, Y2           \
	VPCMPEQD Y15, Y15, Y15                 \
	VPSRLQ   $1, Y15, Y15                  \
	VBROADCASTSD ·enterFactors+0(SB), Y14 \
	VBROADCASTSD ·enterFactors+8(SB), Y13

// The preimage of the point at SI, into Y3, and the bound of its error, into Y4.
#define CENTER \
	VMOVSD 0(SI), X7      \
	VMOVSD 8(SI), X8      \
	VMOVSD 16(SI), X9     \
	VSUBSD 80(DX), X7, X7 \
	VSUBSD 88(DX), X8, X8 \
	VSUBSD 96(DX), X9, X9 \
	VBROADCASTSD X7, Y7   \
	VBROADCASTSD X8, Y8   \
	VBROADCASTSD X9, Y9   \
	PREIMAGE(Y3, Y4, X4)

// The bounds at BX: the lower sides into Y8, the upper ones into Y9.
#define BOUNDS \
	VCVTPS2PD (BX), Y8    \
	VCVTPS2PD 8(BX), Y9   \
	VPERMPD $0xA4, Y8, Y8 \
	VPERMPD $0xF9, Y9, Y9

// The four numbers in Y, the high half of X, into X as float32, rounded up as by soa.Above. XT, YT, XS and YS are
// scratch, Z is 0.
#define ROUNDUP(Y, X, YT, XT, YS, XS, Z) \
	VCVTPD2PSY   Y, XT          \
	VCVTPS2PD    XT, YS         \
	VCMPPD       $0x1E, YS, Y, Y \ // it was rounded down
	VEXTRACTF128 $1, Y, XS      \
	VSHUFPS      $0x88, XS, X, X \
	VPSRLD       $31, X, X      \
	VPSRAD       $31, XT, XS    \
	VPXOR        XS, X, X       \
	VPADDD       X, XT, X       \
	VPSUBD       XS, X, X       \ // up is towards 0 from below
	VADDPS       Z, X, X

// func rayEnterAVX2(to *Clipped, from *Motion, inverse *[13]float64, b *soa.AABB, until float64) (entry Entry)
//
// It has no branches, so that calls in a row do not wait for each other. The fourth lane is a copy of the third.
//
//	Y0, Y1, Y2   columns of the inverse   Y3, Y4   centre, off      Y13   1 + 2^-20
//	Y15          all bits but signs       Y5, Y6   dir, dirOff      Y14   2^-50
TEXT ·rayEnterAVX2(SB), NOSPLIT, $0-48
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ inverse+16(FP), DX
	MOVQ b+24(FP), BX
	COLUMNS
	CENTER
	VBROADCASTSD Motion_Dir+0(SI), Y7
	VBROADCASTSD Motion_Dir+8(SI), Y8
	VBROADCASTSD Motion_Dir+16(SI), Y9
	PREIMAGE(Y5, Y6, X6)

	// Y10 and Y11 are the bounds, mirrored by the signs in Y7.
	VANDNPD   Y5, Y15, Y7
	BOUNDS
	VBLENDVPD Y5, Y9, Y8, Y10
	VBLENDVPD Y5, Y8, Y9, Y11
	VXORPD    Y7, Y10, Y10
	VXORPD    Y7, Y11, Y11
	VANDPD    Y15, Y10, Y8
	VANDPD    Y15, Y11, Y9
	VMAXPD    Y9, Y8, Y8
	VANDPD    Y15, Y3, Y9
	VADDPD    Y4, Y9, Y9
	VADDPD    Y8, Y9, Y9
	VMULPD    Y14, Y9, Y9
	VADDPD    Y4, Y9, Y9 // reach
	VXORPD    Y7, Y3, Y7 // centre, mirrored
	VSUBPD    Y9, Y10, Y10
	VSUBPD    Y7, Y10, Y10 // low
	VADDPD    Y9, Y11, Y11
	VSUBPD    Y7, Y11, Y11 // high
	VANDPD    Y15, Y5, Y8
	VADDPD    Y6, Y6, Y9
	VCMPPD    $0x0A, Y9, Y8, Y9 // at rest, nearly, or NaN
	VCMPPD    $3, Y11, Y10, Y7
	VORPD     Y7, Y9, Y9
	VMOVMSKPD Y9, R8
	VXORPD    Y12, Y12, Y12
	VCMPPD    $1, Y12, Y11, Y9
	VMOVMSKPD Y9, R9 // behind the ray

	VADDPD Y6, Y8, Y9
	VSUBPD Y6, Y8, Y8
	VDIVPD Y9, Y10, Y10
	VDIVPD Y8, Y11, Y11
	VBROADCASTSD ·enterFactors+16(SB), Y14
	VBROADCASTSD ·enterFactors+24(SB), Y13
	VMULPD Y14, Y10, Y10
	VMULPD Y13, Y11, Y11
	VCMPPD    $3, Y11, Y10, Y9
	VMOVMSKPD Y9, R10 // NaN
	LARGEST(Y10, X10, X9)
	VMAXSD       X12, X10, X10
	VEXTRACTF128 $1, Y11, X9
	VMINPD       X9, X11, X11
	VPERMILPD    $1, X11, X9
	VMINPD       X9, X11, X11
	VMINSD       until+32(FP), X11, X11
	VCMPSD       $0x1E, X11, X10, X9
	VMOVQ        X9, R11

	VMOVUPD Y3, Clipped_Center(DI)
	VMOVUPD Y4, Clipped_Off(DI)
	VMOVUPD Y5, Clipped_Dir(DI)
	VMOVUPD Y6, Clipped_DirOff(DI)
	VMOVSD  X10, (Clipped_Span+Span_From)(DI)
	VMOVSD  X11, (Clipped_Span+Span_To)(DI)
	MOVL    $const_Crosses, AX
	MOVL    $const_Misses, CX
	MOVL    $const_Unknown, DX
	TESTL   $1, R11
	CMOVLNE CX, AX
	TESTL   R10, R10
	CMOVLNE DX, AX
	TESTL   R9, R9
	CMOVLNE CX, AX
	TESTL   R8, R8
	CMOVLNE DX, AX
	MOVQ    AX, entry+40(FP)
	VZEROUPPER
	RET

// func rayEnterBoxAVX2(to *Motion, from *Clipped, box *BoxRay) (entry Entry)
TEXT ·rayEnterBoxAVX2(SB), NOSPLIT, $0-32
	MOVQ    to+0(FP), DI
	MOVQ    from+8(FP), SI
	MOVQ    box+16(FP), R9
	VMOVUPD Clipped_Center(SI), Y3
	VMOVUPD Clipped_Off(SI), Y4
	VMOVUPD Clipped_Dir(SI), Y5
	VMOVUPD Clipped_DirOff(SI), Y6
	VMOVSD  (Clipped_Span+Span_From)(SI), X10
	VMOVSD  (Clipped_Span+Span_To)(SI), X11
	VBROADCASTSD ·enterFactors+24(SB), Y13
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ  $1, Y15, Y15
	VMOVUPD Y3, Motion_Center(DI)
	VMOVUPD Y4, Motion_Off(DI)
	VMOVUPD Y5, Motion_Dir(DI)
	VMOVUPD X6, Motion_DirOff(DI)
	VEXTRACTF128 $1, Y6, X9
	VMOVSD  X9, (Motion_DirOff+16)(DI)

	// Y1 is the unit, Y0 its inverse, AX the exponent of the longest component.
	VANDPD Y15, Y5, Y8
	VMOVAPD Y8, Y1
	LARGEST(Y1, X1, X9)
	VMOVQ  X1, AX
	SHRQ   $52, AX
	LEAQ   -1(AX), CX
	CMPQ   CX, $2043
	JHI    crosses
	MOVQ   $2045, CX
	SUBQ   AX, CX
	INCQ   AX
	SHLQ   $52, CX
	SHLQ   $52, AX
	VMOVQ  CX, X1
	VMOVQ  AX, X0
	VBROADCASTSD X1, Y1
	VMOVSD X1, BoxRay_Unit(R9)

	// Y12 is the half extent of the box, Y7 its negative lower side at the beginning, Y9 the upper side and the end.
	VSUBSD       X10, X11, X2
	VBROADCASTSD X10, Y7
	VBROADCASTSD X11, Y9
	VBROADCASTSD X2, Y2
	VMULPD       Y6, Y9, Y12
	VADDPD       Y12, Y4, Y12
	VMULPD       Y8, Y9, Y9
	VANDPD       Y15, Y3, Y4
	VADDPD       Y9, Y4, Y9
	VBROADCASTSD ·enterFactors+0(SB), Y4
	VMULPD       Y4, Y9, Y9
	VADDPD       Y9, Y12, Y12
	VMULPD       Y2, Y8, Y9
	VBROADCASTSD ·boxFactors+0(SB), Y4
	VMULPD       Y4, Y9, Y9
	VADDPD       Y9, Y12, Y12
	VMULPD       Y13, Y12, Y12
	VMULPD       Y5, Y7, Y7
	VADDPD       Y7, Y3, Y7
	VADDPD       Y12, Y7, Y9
	VSUBPD       Y7, Y12, Y7
	VMULSD       X0, X2, X2
	VMULSD       X13, X2, X2
	VBROADCASTSD X2, Y2
	VBLENDPD     $8, Y2, Y9, Y9

	// X0 is the direction, less than 1. Numbers beyond float32 are left to the caller.
	VMULPD       Y1, Y5, Y0
	VMULPD       Y1, Y8, Y8
	VBROADCASTSD ·boxFactors+8(SB), Y1
	VBROADCASTSD ·boxFactors+16(SB), Y2
	VCMPPD       $9, Y1, Y8, Y8
	VCMPPD       $6, Y2, Y9, Y3
	VCMPPD       $6, Y2, Y7, Y4
	VCVTPD2PSY   Y0, X0
	VORPD        Y3, Y8, Y8
	VORPD        Y4, Y8, Y8
	VMOVMSKPD    Y8, AX
	TESTL        AX, AX
	JNZ          crosses
	VXORPD       X12, X12, X12
	ROUNDUP(Y9, X9, Y3, X3, Y4, X4, X12)
	ROUNDUP(Y7, X7, Y5, X5, Y6, X6, X12)
	VSUBPS       X7, X12, X7 // the lower side

	// X1 is Near, X2 Far.
	VPCMPEQD  X8, X8, X8
	VPSRLD    $1, X8, X8
	VBLENDVPS X0, X7, X9, X1
	VBLENDVPS X0, X9, X7, X2
	VANDPS    X8, X0, X3
	VANDPS    X8, X2, X4
	VBROADCASTSS ·rayFactors+0(SB), X5
	VBROADCASTSS ·rayFactors+4(SB), X6
	VCMPPS    $0x1D, X5, X3, X3
	VCMPPS    $1, X6, X4, X4
	VORPS     X4, X3, X3
	VMOVMSKPS X3, AX
	TESTL     $7, AX
	JNZ       crosses

	// X3 is InvNear, X4 InvFar, X6 Off.
	VADDPS    X0, X0, X3
	VDIVPS    X3, X5, X3
	VBROADCASTSS ·rayFactors+8(SB), X4
	VMULPS    X4, X3, X4
	VPSRLD    $31, X0, X6
	VPSLLD    $6, X6, X6
	VPADDD    ·rayOff+0(SB), X6, X6

	// X7 is Max.
	VPERMILPS $0xFF, X9, X9
	VCVTSS2SD X9, X9, X9
	VMOVSD    X9, BoxRay_Most(R9)
	MOVQ      $0x4000000000000000, AX
	MOVQ      AX, BoxRay_Back(R9)
	VMULSD    ·boxFactors+40(SB), X9, X8
	VMULSD    ·boxFactors+24(SB), X8, X9
	VADDSD    X9, X8, X8
	VADDSD    ·boxFactors+32(SB), X8, X8
	ROUNDUP(Y8, X8, Y5, X5, Y9, X9, X12)

	VINSERTPS $0x30, X2, X1, X1
	VSHUFPS   $0x49, X3, X2, X2
	VPERMILPS $0x90, X4, X4
	VINSERTPS $0x80, X3, X4, X4
	VPERMILPS $0x90, X6, X6
	VINSERTPS $0, X8, X6, X6
	VMOVUPS   X1, (BoxRay_Ray+0)(R9)
	VMOVUPS   X2, (BoxRay_Ray+16)(R9)
	VMOVUPS   X4, (BoxRay_Ray+32)(R9)
	VMOVUPS   X6, (BoxRay_Ray+48)(R9)
	MOVQ      $const_Enters, AX
	MOVQ      AX, entry+24(FP)
	VZEROUPPER
	RET

crosses:
	MOVQ $const_Crosses, AX
	MOVQ AX, entry+24(FP)
	VZEROUPPER
	RET

// func pointEnterAVX2(to *Arrival, point *[3]float64, inverse *[13]float64, b *soa.AABB) (ok bool)
//
// The registers are those of rayEnterAVX2. Stores of four lanes overlap the next field, which is stored later.
TEXT ·pointEnterAVX2(SB), NOSPLIT, $0-33
	MOVQ to+0(FP), DI
	MOVQ point+8(FP), SI
	MOVQ inverse+16(FP), DX
	MOVQ b+24(FP), BX
	COLUMNS
	CENTER
	BOUNDS
	VANDPD       Y15, Y8, Y10
	VANDPD       Y15, Y9, Y11
	VMAXPD       Y11, Y10, Y10
	VANDPD       Y15, Y3, Y11
	VMAXPD       Y11, Y10, Y10 // NaN, if the centre is
	VBROADCASTSD pointFactors<>+16(SB), Y11
	VCMPPD       $0x16, Y11, Y10, Y10 // not at most 2^60
	VMOVMSKPD    Y10, AX
	TESTL        AX, AX
	JNZ          far

	// Y8 is the gap between the point and the bounds, Y6 the error of the rounded point.
	VSUBPD     Y3, Y8, Y8
	VSUBPD     Y4, Y8, Y8
	VSUBPD     Y9, Y3, Y9
	VSUBPD     Y4, Y9, Y9
	VXORPD     Y10, Y10, Y10
	VMAXPD     Y9, Y8, Y8
	VMAXPD     Y10, Y8, Y8
	VCVTPD2PSY Y3, X5
	VCVTPS2PD  X5, Y6
	VSUBPD     Y6, Y3, Y6
	VANDPD     Y15, Y6, Y6
	VADDPD     Y4, Y6, Y6

	// The lengths of both, side by side.
	VMULPD       Y6, Y6, Y6
	VMULPD       Y8, Y8, Y8
	VUNPCKLPD    Y8, Y6, Y9
	VUNPCKHPD    Y8, Y6, Y10
	VADDPD       X10, X9, X10
	VEXTRACTF128 $1, Y9, X9
	VADDPD       X9, X10, X10
	VSQRTPD      X10, X10
	VMULPD       pointFactors<>+0(SB), X10, X10
	VMOVUPD      Y3, Arrival_Center(DI)
	VMOVUPD      Y4, Arrival_Off(DI)
	VMOVUPD      X10, Arrival_Gap(DI)
	VMOVSD       X5, Arrival_Point(DI)
	VEXTRACTPS   $2, X5, (Arrival_Point+8)(DI)
	MOVB         $1, ok+32(FP)
	VZEROUPPER
	RET

far:
	MOVB $0, ok+32(FP)
	VZEROUPPER
	RET
