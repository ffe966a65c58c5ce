//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// Computes the silhouette of a box in a perspective: see BoxCone.
//
//	SI  cone     DI  BoxEye     BX  silhouette     Z1  coordinates relative to the eye     K1  their six lanes
//	Z31 all bits except signs    Z30 signs    Z29 zero

// Indices into ·boxNumbers: 0 visibility threshold, relative to the largest coordinate; 1 slope of
// horizontal lines; 2 error of lines; 3 rounding of lines and planes; 4 tiny; 5 huge; 6 is 1; 7 is
// -1; 8 all bits except the sign; 9 the sign.
#define NUMBER(i) ·boxNumbers+(8*i)(SB)

// The maximum or the minimum of eight numbers, in the lowest lane.
#define REDUCE(OP, A, Y, X) \
	VEXTRACTF64X4 $1, A, Y2 \
	OP Y2, Y, Y             \
	VEXTRACTF64X2 $1, Y, X2 \
	OP X2, X, X             \
	VPERMILPD $1, X, X2     \
	OP X2, X, X

// TO = front coordinate * ROW of the other axis - other coordinate * ROW of the front axis.
#define COEFFICIENT(ROW, TO) \
	VPERMPD ROW(DI), Z11, TO  \
	VPERMPD ROW(DI), Z10, Z2  \
	VMULPD Z12, TO, TO        \
	VMULPD Z13, Z2, Z2        \
	VSUBPD Z2, TO, TO

// func boxConeAVX512(to *Cone, b *soa.AABB, e *BoxEye) (spread float64, state int)
TEXT ·boxConeAVX512(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), SI
	MOVQ b+8(FP), AX
	MOVQ e+16(FP), DI
	MOVL $0x3F, CX
	KMOVW CX, K1
	VBROADCASTSD NUMBER(8), Z31
	VBROADCASTSD NUMBER(9), Z30
	VPXORQ Z29, Z29, Z29
	MOVQ $const_ConeNone, state+32(FP)

	// Coordinates, and the visible faces.
	VMOVDQU ·boxOrder(SB), Y2
	VMOVUPS.Z (AX), K1, Y1
	VPERMPS Y1, Y2, Y1
	VCVTPS2PD Y1, Z1
	VSUBPD.Z BoxEye_Ref(DI), Z1, K1, Z1
	VPXORQ ·boxLeast(SB), Z1, Z3        // distance of each face, below 0 if it is visible
	VMOVAPD Z3, Z4                      // the maximum is not below 0
	REDUCE(VMAXPD, Z4, Y4, X4)
	VMULSD NUMBER(0), X4, X4
	VBROADCASTSD X4, Z4
	VCMPPD $0x11, Z4, Z3, K1, K2
	KMOVW K2, AX
	TESTL AX, AX
	JEQ   done                          // the eye is inside
	LEAL  (AX)(AX*2), BX
	LEAQ  ·silhouettes(SB), CX
	LEAQ  (CX)(BX*8), BX

	// Planes of the visible faces.
	POPCNTL AX, AX
	MOVQ AX, Cone_Planes(SI)
	MOVL $-1, CX
	BZHIL AX, CX, CX
	KMOVW CX, K3
	VMOVUPD BoxEye_D0(DI), Z3
	VMOVUPD BoxEye_DX(DI), Z4
	VMOVUPD BoxEye_DY(DI), Z5
	VCOMPRESSPD.Z Z1, K2, Z2
	VCOMPRESSPD.Z Z3, K2, Z3
	VCOMPRESSPD.Z Z4, K2, Z4
	VCOMPRESSPD.Z Z5, K2, Z5
	VDIVPD.Z Y2, Y3, K3, Y3
	VDIVPD.Z Y2, Y4, K3, Y4
	VDIVPD.Z Y2, Y5, K3, Y5
	VANDPD Y31, Y3, Y6
	VANDPD Y31, Y4, Y7
	VANDPD Y31, Y5, Y8
	VMULPD.BCST BoxEye_Width(DI), Y7, Y9
	VMULPD.BCST BoxEye_Height(DI), Y8, Y10
	VADDPD Y9, Y6, Y6
	VADDPD Y10, Y6, Y6
	VCMPPD.BCST $0x15, NUMBER(5), Y6, K3, K4 // not size < huge
	KORTESTW K4, K4
	JNE   unknown
	VMULPD.BCST NUMBER(3), Y6, Y6
	VADDPD.BCST NUMBER(4), Y6, Y6
	VMINPD Y29, Y4, Y9
	VMINPD Y29, Y5, Y10
	VADDPD Y10, Y9, Y9
	VADDPD Y9, Y3, Y3
	VSUBPD Y6, Y3, Y3
	VCVTPD2PSY Y3, X3
	VCVTPD2PSY Y4, X4
	VCVTPD2PSY Y5, X5
	VMOVUPS X3, Cone_P0(SI)
	VMOVUPS X4, Cone_PX(SI)
	VMOVUPS X5, Cone_PY(SI)
	VADDPD Y8, Y7, Y7
	VADDPD Y6, Y6, Y6
	VADDPD.Z Y6, Y7, K3, Y7
	VEXTRACTF64X2 $1, Y7, X6
	VMAXPD X6, X7, X7
	VPERMILPD $1, X7, X6
	VMAXSD X6, X7, X7
	VMOVSD X7, spread+24(FP)

	// Lines of the silhouette.
	VPMOVZXBQ silhouette_Front(BX), Z10
	VPMOVZXBQ silhouette_Other(BX), Z11
	MOVBLZX silhouette_Edges(BX), AX
	KMOVW AX, K1
	MOVBLZX silhouette_Outside(BX), AX
	KMOVW AX, K2
	VPERMPD Z1, Z10, Z12
	VPERMPD Z1, Z11, Z13
	VPXORQ Z30, Z12, K2, Z12
	VPXORQ Z30, Z13, K2, Z13
	COEFFICIENT(BoxEye_DX, Z14)
	COEFFICIENT(BoxEye_DY, Z15)
	COEFFICIENT(BoxEye_D0, Z16)
	VANDPD Z31, Z14, Z3
	VANDPD Z31, Z15, Z4
	VMULPD.BCST NUMBER(1), Z3, Z3
	VCMPPD $0x15, Z3, Z4, K1, K2        // horizontal: not |b| < steep*|a|
	VPERMPD BoxEye_Reach(DI), Z11, Z3
	VPERMPD BoxEye_Reach(DI), Z10, Z4
	VANDPD Z31, Z12, Z12
	VANDPD Z31, Z13, Z13
	VMULPD Z12, Z3, Z3
	VMULPD Z13, Z4, Z4
	VADDPD Z4, Z3, Z3
	VMULPD.BCST NUMBER(2), Z3, Z3           // off
	VMOVAPD Z29, Z20                    // first row
	VBROADCASTSD BoxEye_Height(DI), Z21 // and end
	KORTESTW K2, K2
	JNE   level

lines:
	VPXORQ Z30, Z15, Z15
	VSUBPD Z16, Z3, Z3
	VDIVPD Z14, Z15, Z5                 // m
	VDIVPD Z14, Z3, Z6                  // c
	VCMPPD $0x1E, Z29, Z14, K1, K2      // left
	KANDNW K1, K2, K3                   // right
	VMAXPD Z29, Z5, Z7
	VMINPD Z29, Z5, K3, Z7
	VADDPD Z7, Z6, Z6
	VANDPD Z31, Z5, Z8
	VANDPD Z31, Z6, Z9
	VMULPD.BCST BoxEye_Height(DI), Z8, Z8
	VADDPD Z9, Z8, Z8
	VMULPD.BCST NUMBER(3), Z8, Z8
	VPXORQ Z30, Z8, K3, Z8
	VADDPD Z8, Z6, Z6
	VMULPD.BCST BoxEye_Height(DI), Z5, Z8
	VMAXPD Z29, Z8, Z9
	VMINPD Z29, Z8, Z8
	VADDPD Z6, Z9, Z9                   // maximum of the line over all rows
	VADDPD Z6, Z8, Z8                   // minimum
	VCMPPD $0x12, Z29, Z9, K1, K4       // left of the picture
	VCMPPD.BCST $0x1D, BoxEye_Width(DI), Z8, K1, K5 // right of the picture
	KANDW K2, K5, K6
	KANDW K3, K4, K7
	KORTESTW K6, K7
	JNE   done
	KANDNW K2, K4, K2
	KANDNW K3, K5, K3
	VCVTPD2PS Z5, Y5
	VCVTPD2PS Z6, Y6
	VCOMPRESSPS.Z Y5, K2, Y7
	VCOMPRESSPS.Z Y6, K2, Y8
	VCOMPRESSPS.Z Y5, K3, Y9
	VCOMPRESSPS.Z Y6, K3, Y10
	VMOVUPS Y7, Cone_LM(SI)
	VMOVUPS Y8, Cone_LC(SI)
	VMOVUPS Y9, Cone_RM(SI)
	VMOVUPS Y10, Cone_RC(SI)
	KMOVW K2, AX
	KMOVW K3, CX
	POPCNTL AX, AX
	POPCNTL CX, CX
	MOVQ AX, Cone_Lefts(SI)
	MOVQ CX, Cone_Rights(SI)

	// Rows: each left line with all right lines.
	MOVL $-1, DX
	BZHIL CX, DX, DX
	KMOVW DX, K1
	TESTL AX, AX
	JEQ   ends
	VCVTPS2PD Y9, Z9
	VCVTPS2PD Y10, Z10
	VBROADCASTSD NUMBER(6), Z11
	XORL CX, CX

pairs:
	VCVTSS2SD Cone_LM(SI)(CX*4), X29, X3
	VCVTSS2SD Cone_LC(SI)(CX*4), X29, X4
	VBROADCASTSD X3, Z3
	VBROADCASTSD X4, Z4
	VSUBPD Z3, Z9, Z3                   // m
	VSUBPD Z4, Z10, Z4
	VSUBPD Z11, Z4, Z4                  // k
	VPXORQ Z30, Z4, Z5
	VDIVPD Z3, Z5, Z5
	VCMPPD $0x1E, Z29, Z3, K1, K2
	VCMPPD $0x11, Z29, Z3, K1, K3
	VCMPPD.BCST $0x11, NUMBER(7), Z4, K1, K4
	KORW K2, K3, K5
	KANDNW K4, K5, K4                   // parallel, and no pixel between them
	KORTESTW K4, K4
	JNE   done
	VMAXPD Z5, Z20, K2, Z20
	VADDPD Z11, Z5, Z5
	VMINPD Z5, Z21, K3, Z21
	INCL CX
	CMPL CX, AX
	JLT  pairs

ends:
	REDUCE(VMAXPD, Z20, Y20, X20)
	REDUCE(VMINPD, Z21, Y21, X21)
	VMINSD BoxEye_Height(DI), X20, X20
	VCVTTSD2SIQ X20, AX
	VCVTTSD2SIQ X21, CX
	MOVQ AX, Cone_Y0(SI)
	MOVQ CX, Cone_Y1(SI)
	CMPQ AX, CX
	JGE  done
	MOVQ $const_ConeMade, state+32(FP)

done:
	VZEROUPPER
	RET

	// The horizontal lines K2 bound only rows.
level:
	VMULPD.BCST BoxEye_Width(DI), Z14, Z4
	VMINPD Z29, Z4, Z4
	VADDPD Z4, Z16, Z4
	VSUBPD Z3, Z4, Z4                   // k
	VPXORQ Z30, Z4, Z5
	VDIVPD Z15, Z5, Z5
	VCMPPD $0x1E, Z29, Z15, K2, K3
	VCMPPD $0x11, Z29, Z15, K2, K4
	VRNDSCALEPD $0x0A, Z5, Z6           // up
	VMAXPD Z6, Z20, K3, Z20
	VMINPD Z5, Z21, K4, Z21
	KORW   K3, K4, K3
	KANDNW K2, K3, K3
	VCMPPD $0x11, Z29, Z4, K3, K3       // no line at all, and no pixel within
	KORTESTW K3, K3
	JNE    done
	KANDNW K1, K2, K1
	JMP    lines

unknown:
	MOVQ $const_ConeUnknown, state+32(FP)
	VZEROUPPER
	RET
