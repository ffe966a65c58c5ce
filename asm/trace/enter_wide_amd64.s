//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The kernels of enter_amd64.s on AVX-512, with its constants. A point and a direction are moved side by side, in the
// halves of a register.

// The indices 0 3 6 6, twice.
DATA enterRows<>+0(SB)/8, $0
DATA enterRows<>+8(SB)/8, $3
DATA enterRows<>+16(SB)/8, $6
DATA enterRows<>+24(SB)/8, $6
DATA enterRows<>+32(SB)/8, $0
DATA enterRows<>+40(SB)/8, $3
DATA enterRows<>+48(SB)/8, $6
DATA enterRows<>+56(SB)/8, $6
GLOBL enterRows<>(SB), RODATA|NOPTR, $64

// Exponents: -1, 2043, 2045, the bits of the inverse of a power of two and of itself together
DATA wideUnits<>+0(SB)/8, $-1
DATA wideUnits<>+8(SB)/8, $2043
DATA wideUnits<>+16(SB)/8, $2045
DATA wideUnits<>+24(SB)/8, $0x7fe0000000000000
GLOBL wideUnits<>(SB), RODATA|NOPTR, $32

// The largest of four lanes of V into all of them. T is scratch.
#define LARGESTWIDE(V, T) \
	VPERMPD   $0x4E, V, T \
	VMAXPD    T, V, V     \
	VPERMILPD $0x55, V, T \
	VMAXPD    T, V, V

// func rayEnterAVX512(to *Clipped, from *Motion, inverse *[13]float64, b *soa.AABB, until float64) (entry Entry)
//
// Its numbers are those of rayEnterAVX2, with the same roundings. The fourth lane is a copy of the third.
//
//	Z3, Z4   centre and dir, off and dirOff   K1   three lanes
//	Y3, Y4   centre, off                      K2   axes on which the direction points down
//	Y5, Y6   dir, dirOff                      Z15  all bits but signs
TEXT ·rayEnterAVX512(SB), NOSPLIT, $0-48
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ inverse+16(FP), DX
	MOVQ b+24(FP), BX
	MOVL $7, AX
	KMOVW AX, K1

	VMOVUPD      enterRows<>(SB), Z14
	VMOVUPD      Motion_Center(SI), Y7
	VINSERTF64X4 $1, Motion_Dir(SI), Z7, Z7
	VMOVUPD.Z    80(DX), K1, Z9
	VSUBPD       Z9, Z7, Z9
	VPERMPD      0(DX), Z14, Z0
	VPERMPD      8(DX), Z14, Z1
	VPERMPD      16(DX), Z14, Z2
	VPTERNLOGQ   $0xFF, Z15, Z15, Z15
	VPSRLQ       $1, Z15, Z15
	VPERMPD      $0x00, Z9, Z7
	VPERMPD      $0x55, Z9, Z8
	VPERMPD      $0xAA, Z9, Z9

	// The preimages, and the bounds of their errors: see PREIMAGE.
	VMULPD      Z7, Z0, Z7
	VMULPD      Z8, Z1, Z8
	VMULPD      Z9, Z2, Z9
	VADDPD      Z8, Z7, Z3
	VADDPD      Z9, Z3, Z3
	VPANDQ      Z15, Z7, Z7
	VPANDQ      Z15, Z8, Z8
	VPANDQ      Z15, Z9, Z9
	VADDPD      Z8, Z7, Z7
	VADDPD      Z9, Z7, Z7
	VMULPD.BCST ·enterFactors+0(SB), Z7, Z7 // error of rounding
	VPANDQ      Z15, Z3, Z4
	VADDPD      Z7, Z4, Z4
	LARGESTWIDE(Z4, Z8)
	VMULPD.BCST 72(DX), Z4, Z4
	VADDPD      Z7, Z4, Z4
	VMULPD.BCST ·enterFactors+8(SB), Z4, Z4
	VEXTRACTF64X4 $1, Z3, Y5
	VEXTRACTF64X4 $1, Z4, Y6

	// Y10 and Y11 are the bounds, mirrored by the signs in Y7.
	VCVTPS2PD (BX), Y8
	VCVTPS2PD 8(BX), Y9
	VPERMPD   $0xA4, Y8, Y8
	VPERMPD   $0xF9, Y9, Y9
	VPMOVQ2M  Y5, K2
	VANDNPD   Y5, Y15, Y7
	VBLENDMPD Y9, Y8, K2, Y10
	VBLENDMPD Y8, Y9, K2, Y11
	VXORPD    Y7, Y10, Y10
	VXORPD    Y7, Y11, Y11
	VANDPD    Y15, Y10, Y8
	VANDPD    Y15, Y11, Y9
	VMAXPD    Y9, Y8, Y8
	VANDPD    Y15, Y3, Y9
	VADDPD    Y4, Y9, Y9
	VADDPD    Y8, Y9, Y9
	VMULPD.BCST ·enterFactors+0(SB), Y9, Y9
	VADDPD    Y4, Y9, Y9 // reach
	VXORPD    Y7, Y3, Y7 // centre, mirrored
	VSUBPD    Y9, Y10, Y10
	VSUBPD    Y7, Y10, Y10 // low
	VADDPD    Y9, Y11, Y11
	VSUBPD    Y7, Y11, Y11 // high
	VANDPD    Y15, Y5, Y8 // |dir|
	VADDPD    Y6, Y6, Y9
	VXORPD    X12, X12, X12
	VCMPPD    $0x0A, Y9, Y8, K3 // at rest, nearly, or NaN
	VCMPPD    $3, Y11, Y10, K4
	VCMPPD    $1, Y12, Y11, K5
	KORW      K3, K4, K3

	VADDPD Y6, Y8, Y9
	VSUBPD Y6, Y8, Y13
	VDIVPD Y9, Y10, Y10
	VDIVPD Y13, Y11, Y11
	VMULPD.BCST ·enterFactors+16(SB), Y10, Y10
	VMULPD.BCST ·enterFactors+24(SB), Y11, Y11
	VCMPPD       $3, Y11, Y10, K4
	LARGESTWIDE(Y10, Y9)
	VMAXPD       Y12, Y10, Y10
	VPERMPD      $0x4E, Y11, Y9
	VMINPD       Y9, Y11, Y11
	VPERMILPD    $0x55, Y11, Y9
	VMINPD       Y9, Y11, Y11
	VMINPD.BCST  until+32(FP), Y11, Y11
	VCMPPD       $0x1E, Y11, Y10, K6

	VMOVUPD  Y3, Clipped_Center(DI)
	VMOVUPD  Y4, Clipped_Off(DI)
	VMOVUPD  Y5, Clipped_Dir(DI)
	VMOVUPD  Y6, Clipped_DirOff(DI)
	VMOVSD   X10, (Clipped_Span+Span_From)(DI)
	VMOVSD   X11, (Clipped_Span+Span_To)(DI)
	MOVL     $const_Crosses, AX
	MOVL     $const_Misses, CX
	MOVL     $const_Unknown, DX
	KORTESTW K6, K6
	CMOVLNE  CX, AX
	KORTESTW K4, K4
	CMOVLNE  DX, AX
	KORTESTW K5, K5
	CMOVLNE  CX, AX
	KORTESTW K3, K3
	CMOVLNE  DX, AX
	MOVQ     AX, entry+40(FP)
	VZEROUPPER
	RET

// func rayEnterBoxAVX512(to *Motion, from *Clipped, box *BoxRay) (entry Entry)
TEXT ·rayEnterBoxAVX512(SB), NOSPLIT, $0-32
	MOVQ         to+0(FP), DI
	MOVQ         from+8(FP), SI
	MOVQ         box+16(FP), R9
	MOVL         $7, AX
	KMOVW        AX, K1
	VMOVUPD      Clipped_Center(SI), Y3
	VMOVUPD      Clipped_Off(SI), Y4
	VMOVUPD      Clipped_Dir(SI), Y5
	VMOVUPD      Clipped_DirOff(SI), Y6
	VBROADCASTSD (Clipped_Span+Span_From)(SI), Y10
	VBROADCASTSD (Clipped_Span+Span_To)(SI), Y11
	VPTERNLOGQ   $0xFF, Y15, Y15, Y15
	VPSRLQ       $1, Y15, Y15
	VMOVUPD      Y3, Motion_Center(DI)
	VMOVUPD      Y4, Motion_Off(DI)
	VMOVUPD      Y5, Motion_Dir(DI)
	VMOVUPD      Y6, K1, Motion_DirOff(DI)
	VANDPD       Y15, Y3, Y14 // |centre|
	VANDPD       Y15, Y5, Y8  // |dir|
	VPMOVQ2M     Y5, K2

	// Y1 is the unit, X0 its inverse. K3 collects the axes whose numbers are left to the caller.
	VMOVAPD     Y8, Y1
	LARGESTWIDE(Y1, Y9)
	VPSRLQ      $52, Y1, Y1
	VPADDQ.BCST wideUnits<>+0(SB), Y1, Y0
	VPCMPUQ.BCST $6, wideUnits<>+8(SB), Y0, K3
	VPBROADCASTQ wideUnits<>+16(SB), Y0
	VPSUBQ      Y1, Y0, Y1
	VPSLLQ      $52, Y1, Y1
	VPBROADCASTQ wideUnits<>+24(SB), Y0
	VPSUBQ      Y1, Y0, Y0
	VMOVSD      X1, BoxRay_Unit(R9)

	// Y12 is the half extent of the box, Y7 its negative lower side at the beginning, Y9 the upper side and the end.
	VBROADCASTSD ·enterFactors+24(SB), Y13
	VSUBPD       Y10, Y11, Y2
	VMULPD       Y6, Y11, Y12
	VADDPD       Y12, Y4, Y12
	VMULPD       Y8, Y11, Y9
	VADDPD       Y9, Y14, Y9
	VMULPD.BCST  ·enterFactors+0(SB), Y9, Y9
	VADDPD       Y9, Y12, Y12
	VMULPD       Y2, Y8, Y9
	VMULPD.BCST  ·boxFactors+0(SB), Y9, Y9
	VADDPD       Y9, Y12, Y12
	VMULPD       Y13, Y12, Y12
	VMULPD       Y5, Y10, Y7
	VADDPD       Y7, Y3, Y7
	VADDPD       Y12, Y7, Y9
	VSUBPD       Y7, Y12, Y7
	VMULPD       Y0, Y2, Y2
	VMULPD       Y13, Y2, Y2
	VBLENDPD     $8, Y2, Y9, Y9

	// X0 is the direction, less than 1. Numbers beyond float32 are left to the caller.
	VINSERTF64X4 $1, Y9, Z7, Z7
	VMULPD       Y1, Y5, Y0
	VMULPD       Y1, Y8, Y8
	VCMPPD.BCST  $9, ·boxFactors+8(SB), Y8, K4
	VCMPPD.BCST  $6, ·boxFactors+16(SB), Z7, K5
	VCVTPD2PSY   Y0, X0
	VXORPS       X12, X12, X12
	VCVTPD2PS.RU_SAE Z7, Y7
	VADDPS       Y12, Y7, Y7
	VEXTRACTF128 $1, Y7, X9
	VSUBPS       X7, X12, X7 // the lower side

	// X1 is Near, X2 Far.
	VBLENDMPS   X7, X9, K2, X1
	VBLENDMPS   X9, X7, K2, X2
	VANDPS.BCST ·rayFactors+12(SB), X0, X3
	VANDPS.BCST ·rayFactors+12(SB), X2, X4
	VBROADCASTSS ·rayFactors+0(SB), X5
	KORW        K3, K4, K3
	VCMPPS      $0x1D, X5, X3, K1, K4
	VCMPPS.BCST $1, ·rayFactors+4(SB), X4, K1, K6
	KORW        K5, K3, K3
	KORW        K6, K4, K4
	KORTESTW    K3, K4
	JNZ         crosses

	// X3 is InvNear, X4 InvFar, X6 Off.
	VADDPS      X0, X0, X3
	VDIVPS      X3, X5, X3
	VMULPS.BCST ·rayFactors+8(SB), X3, X4
	VMOVDQU     ·rayOff+0(SB), X6
	VPADDD.BCST ·rayFactors+16(SB), X6, K2, X6

	// X8 is Max.
	VPERMILPS $0xFF, X9, X9
	VCVTSS2SD X9, X9, X9
	VMOVSD    X9, BoxRay_Most(R9)
	MOVQ      $0x4000000000000000, AX
	MOVQ      AX, BoxRay_Back(R9)
	VMULSD    ·boxFactors+40(SB), X9, X8
	VMULSD    ·boxFactors+24(SB), X8, X9
	VADDSD    X9, X8, X8
	VADDSD    ·boxFactors+32(SB), X8, X8
	VCVTSD2SS.RU_SAE X8, X8, X8

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
