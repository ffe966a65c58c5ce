//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// Computes a level from the one below: the minimum of four rows, then of four columns.
//
//	R8, R10, R11, R12   rows below; the last is repeated              R9  bytes of a row
//	R14  rows left below    BX  columns below    DX  column below     AX  scratch
//	DI   row of the level   R13  its bytes       CX  rows left

#define PYRAMIDSETUP \
	MOVQ from+0(FP), R8      \
	MOVQ stride+8(FP), R9    \
	MOVQ width+16(FP), BX    \
	MOVQ left+24(FP), R14    \
	MOVQ to+32(FP), DI       \
	MOVQ tostride+40(FP), R13 \
	MOVQ n+48(FP), CX

// TO is the row after FROM, or FROM if there are no more than i.
#define NEXTROW(i, FROM, TO) \
	LEAQ (FROM)(R9*1), TO \
	CMPQ R14, $(i+1)      \
	CMOVQLT FROM, TO

#define FOURROWS \
	NEXTROW(1, R8, R10)  \
	NEXTROW(2, R10, R11) \
	NEXTROW(3, R11, R12) \
	XORL DX, DX

#define NEXTFOUR \
	LEAQ (R8)(R9*4), R8 \
	SUBQ $4, R14        \
	ADDQ R13, DI        \
	DECQ CX

#define LEASTROW(O, V) \
	VMOVUPS (O)(R8)(DX*4), V     \
	VMINPS (O)(R10)(DX*4), V, V  \
	VMINPS (O)(R11)(DX*4), V, V  \
	VMINPS (O)(R12)(DX*4), V, V

// For each four of A and of B, the minimum of the first two and the minimum of the last two: TO.
#define PAIRS(A, B, T, TO) \
	VSHUFPS $0x88, B, A, T  \
	VSHUFPS $0xDD, B, A, TO \
	VMINPS T, TO, TO

// func pyramidRowsAVX512(from *float32, stride, width, left int, to *float32, tostride, n int)
TEXT ·pyramidRowsAVX512(SB), NOSPLIT, $0-56
	PYRAMIDSETUP
	VMOVDQU32 ·pyramidOrder(SB), Z31
	MOVL $0x7F800000, AX
	VPBROADCASTD AX, Z30

row:
	FOURROWS

chunk:
	LEAQ 64(DX), AX
	CMPQ AX, BX
	JGT  rest
	LEASTROW(0, Z0)
	LEASTROW(64, Z1)
	LEASTROW(128, Z2)
	LEASTROW(192, Z3)
	PAIRS(Z0, Z1, Z4, Z5)
	PAIRS(Z2, Z3, Z6, Z7)
	PAIRS(Z5, Z7, Z4, Z0)
	VPERMPS Z0, Z31, Z0
	VMOVUPS Z0, (DI)(DX*1)
	MOVQ AX, DX
	JMP  chunk

rest:
	CMPQ DX, BX
	JGE  done
	LEASTROW(0, Z0)
	MOVQ BX, AX
	SUBQ DX, AX
	CMPQ AX, $16
	JGE  whole
	MOVL $0xFFFF, R15
	BZHIL AX, R15, R15
	KMOVW R15, K1
	VBLENDMPS Z0, Z30, K1, Z0 // missing columns are +Inf

whole:
	PAIRS(Z0, Z0, Z1, Z2)
	PAIRS(Z2, Z2, Z1, Z0)
	VPERMPS Z0, Z31, Z0
	VMOVUPS X0, (DI)(DX*1)
	ADDQ $16, DX
	JMP  rest

done:
	NEXTFOUR
	JNZ row
	VZEROUPPER
	RET

// func pyramidRowsAVX2(from *float32, stride, width, left int, to *float32, tostride, n int)
TEXT ·pyramidRowsAVX2(SB), NOSPLIT, $0-56
	PYRAMIDSETUP
	VMOVDQU ·pyramidOrder+64(SB), Y15
	VMOVDQU ·laneNumbers(SB), Y14
	MOVL  $0x7F800000, AX
	VMOVQ AX, X13
	VPBROADCASTD X13, Y13

row:
	FOURROWS

chunk:
	LEAQ 32(DX), AX
	CMPQ AX, BX
	JGT  rest
	LEASTROW(0, Y0)
	LEASTROW(32, Y1)
	LEASTROW(64, Y2)
	LEASTROW(96, Y3)
	PAIRS(Y0, Y1, Y4, Y5)
	PAIRS(Y2, Y3, Y6, Y7)
	PAIRS(Y5, Y7, Y4, Y0)
	VPERMPS Y0, Y15, Y0
	VMOVUPS Y0, (DI)(DX*1)
	MOVQ AX, DX
	JMP  chunk

rest:
	CMPQ DX, BX
	JGE  done
	LEASTROW(0, Y0)
	MOVQ BX, AX
	SUBQ DX, AX
	VMOVQ AX, X1
	VPBROADCASTD X1, Y1
	VPCMPGTD  Y14, Y1, Y1
	VBLENDVPS Y1, Y0, Y13, Y0 // missing columns are +Inf
	PAIRS(Y0, Y0, Y1, Y2)
	PAIRS(Y2, Y2, Y1, Y0)
	VPERMPS Y0, Y15, Y0
	VMOVQ X0, (DI)(DX*1)
	ADDQ $8, DX
	JMP  rest

done:
	NEXTFOUR
	JNZ row
	VZEROUPPER
	RET
