//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The bits of the sides, and all six.
DATA sideBits<>+0(SB)/4, $1
DATA sideBits<>+4(SB)/4, $2
DATA sideBits<>+8(SB)/4, $4
DATA sideBits<>+12(SB)/4, $8
DATA sideBits<>+16(SB)/4, $16
DATA sideBits<>+20(SB)/4, $32
DATA sideBits<>+24(SB)/4, $63
GLOBL sideBits<>(SB), RODATA|NOPTR, $28

// The lanes whose column C is at least, or at most, number C of the box, as the bit of that side in Y.
#define LEAST(C, Y) \
	VBROADCASTSS (4*C)(DX), Y4          \
	VMOVUPS (64*C)(BX), Y                \
	VCMPPS $0x1D, Y4, Y, Y               \
	VBROADCASTSS sideBits<>+(4*C)(SB), Y4 \
	VANDPS Y4, Y, Y

#define MOST(C, Y) \
	VBROADCASTSS (4*C)(DX), Y4          \
	VMOVUPS (64*C)(BX), Y                \
	VCMPPS $0x12, Y4, Y, Y               \
	VBROADCASTSS sideBits<>+(4*C)(SB), Y4 \
	VANDPS Y4, Y, Y

// func boxSidesAVX2(out *Sided, packet *Packet, ids *uint32, lanes uint32, p *Box) (n int)
//
// An iteration processes eight lanes.
TEXT ·boxSidesAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ packet+8(FP), BX
	MOVQ ids+16(FP), SI
	MOVL lanes+24(FP), R8
	MOVQ p+32(FP), DX
	LEAQ ·compressTable(SB), R10
	XORL R9, R9
	MOVL $2, CX

half:
	MOVBLZX R8, AX
	TESTL   AX, AX
	JZ      next
	LEAST(0, Y0)
	MOST(1, Y1)
	LEAST(2, Y2)
	MOST(3, Y3)
	VPOR Y1, Y0, Y0
	VPOR Y3, Y2, Y2
	LEAST(4, Y1)
	MOST(5, Y3)
	VPOR Y2, Y0, Y0
	VPOR Y3, Y1, Y1
	VPOR Y1, Y0, Y0
	VPBROADCASTD sideBits<>+24(SB), Y4
	VPCMPEQD Y4, Y0, Y4
	VPOR Y4, Y0, Y0 // all bits where all sides are

	POPCNTL AX, R11
	SHLL    $5, AX
	VMOVDQU (R10)(AX*1), Y5
	VPERMD  Y0, Y5, Y0
	VPERMD  (SI), Y5, Y1
	VPUNPCKLDQ Y0, Y1, Y2
	VPUNPCKHDQ Y0, Y1, Y3
	VPERM2F128 $0x20, Y3, Y2, Y0
	VPERM2F128 $0x31, Y3, Y2, Y1
	VMOVDQU Y0, (DI)(R9*8)
	VMOVDQU Y1, 32(DI)(R9*8)
	ADDQ    R11, R9

next:
	SHRL $8, R8
	ADDQ $32, BX
	ADDQ $32, SI
	DECL CX
	JNZ  half
	MOVQ R9, n+40(FP)
	VZEROUPPER
	RET
