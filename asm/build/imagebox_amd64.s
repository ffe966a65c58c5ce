//go:build amd64 && !purego

#include "textflag.h"

// 2^-1, 2^-48
DATA imageFactors<>+0(SB)/8, $0x3fe0000000000000
DATA imageFactors<>+8(SB)/8, $0x3cf0000000000000
GLOBL imageFactors<>(SB), RODATA|NOPTR, $16

// func imageBoxAVX2(image *soa.AABB, numbers *[13]float64, b *soa.AABB) (ok bool)
//
// A lane is an axis of the image. The fourth lane is of no use.
//
//	Y0, Y1, Y2   columns of the matrix    Y5   half edges    Y15   all bits but signs
//	Y3           translation              Y6   centre
TEXT ·imageBoxAVX2(SB), NOSPLIT, $0-25
	MOVQ image+0(FP), DI
	MOVQ numbers+8(FP), DX
	MOVQ b+16(FP), BX
	VMOVUPD 24(DX), Y0
	VMOVUPD 48(DX), Y1
	VMOVUPD 72(DX), Y4 // the last row and the stretch
	VMOVUPD (DX), Y3
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ   $1, Y15, Y15

	// The centre and the half edges.
	VCVTPS2PD    (BX), Y6
	VCVTPS2PD    8(BX), Y7
	VPERMPD      $0xF9, Y7, Y7
	VBROADCASTSD imageFactors<>+0(SB), Y8
	VSUBPD       Y6, Y7, Y5
	VADDPD       Y6, Y7, Y6
	VMULPD       Y8, Y5, Y5
	VMULPD       Y8, Y6, Y6

	// Y13 is the bound of errors.
	VPERMPD      $0xFF, Y4, Y8
	VANDPD       Y15, Y6, Y7
	VADDPD       Y5, Y7, Y7
	VEXTRACTF128 $1, Y7, X9
	VPERMILPD    $1, X7, X10
	VADDSD       X9, X7, X7
	VADDSD       X10, X7, X7
	VBROADCASTSD X7, Y7
	VMULPD       Y8, Y7, Y7
	VANDPD       Y15, Y3, Y13
	VADDPD       Y7, Y13, Y13
	VBROADCASTSD imageFactors<>+8(SB), Y8
	VMULPD       Y8, Y13, Y13

	// The columns.
	VUNPCKLPD  Y1, Y0, Y8
	VUNPCKHPD  Y1, Y0, Y9
	VUNPCKHPD  Y4, Y4, Y10
	VPERM2F128 $0x20, Y4, Y8, Y0
	VPERM2F128 $0x20, Y10, Y9, Y1
	VPERM2F128 $0x31, Y4, Y8, Y2

	// Y4 is the middle, Y7 the reach.
	VPERMPD $0x00, Y6, Y8
	VPERMPD $0x55, Y6, Y9
	VPERMPD $0xAA, Y6, Y10
	VMULPD  Y8, Y0, Y8
	VMULPD  Y9, Y1, Y9
	VMULPD  Y10, Y2, Y10
	VADDPD  Y9, Y8, Y8
	VADDPD  Y10, Y8, Y8
	VADDPD  Y8, Y3, Y4
	VANDPD  Y15, Y0, Y0
	VANDPD  Y15, Y1, Y1
	VANDPD  Y15, Y2, Y2
	VPERMPD $0x00, Y5, Y8
	VPERMPD $0x55, Y5, Y9
	VPERMPD $0xAA, Y5, Y10
	VMULPD  Y8, Y0, Y8
	VMULPD  Y9, Y1, Y9
	VMULPD  Y10, Y2, Y10
	VADDPD  Y9, Y8, Y8
	VADDPD  Y10, Y8, Y7

	// The sides in float32, and by how much they have to go out.
	VSUBPD     Y7, Y4, Y0
	VADDPD     Y7, Y4, Y1
	VCVTPD2PSY Y0, X2
	VCVTPD2PSY Y1, X3
	VCVTPS2PD  X2, Y4
	VCVTPS2PD  X3, Y5
	VSUBPD     Y0, Y4, Y4
	VSUBPD     Y5, Y1, Y5
	VANDPD     Y15, Y4, Y0
	VANDPD     Y15, Y5, Y1
	VCMPPD     $0x1E, Y13, Y0, Y0
	VCMPPD     $0x1E, Y13, Y1, Y1
	VANDPD     Y1, Y0, Y0
	VMOVMSKPD  Y0, AX
	ANDL       $7, AX
	CMPL       AX, $7
	JNE        near

	// A step is 1 for positive numbers and -1 for negative ones, where a side has to go out.
	VXORPD       Y8, Y8, Y8
	VCMPPD       $0x1E, Y8, Y4, Y4
	VCMPPD       $0x1E, Y8, Y5, Y5
	VEXTRACTF128 $1, Y4, X6
	VEXTRACTF128 $1, Y5, X7
	VSHUFPS      $0x88, X6, X4, X4
	VSHUFPS      $0x88, X7, X5, X5
	VPCMPEQD     X9, X9, X9
	VPSRLD       $31, X9, X9
	VPSRAD       $31, X2, X6
	VPSRAD       $31, X3, X7
	VPOR         X9, X6, X6
	VPOR         X9, X7, X7
	VPAND        X4, X6, X6
	VPAND        X5, X7, X7
	VPSUBD       X6, X2, X2
	VPADDD       X7, X3, X3
	VADDPS       X8, X2, X2 // -0 becomes 0
	VADDPS       X8, X3, X3
	VMOVUPS      X2, (DI)
	VMOVLPS      X3, 12(DI)
	VEXTRACTPS   $2, X3, 20(DI)
	MOVB         $1, ok+24(FP)
	VZEROUPPER
	RET

near:
	MOVB $0, ok+24(FP)
	VZEROUPPER
	RET
