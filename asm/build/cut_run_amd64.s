//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The smallest and the largest of the lanes of X0 and X1.
#define REDUCEENDS \
	VPSHUFD $0x4E, X0, X2 \
	VPSHUFD $0x4E, X1, X3 \
	VPMINUD X2, X0, X0    \
	VPMAXUD X3, X1, X1    \
	VPSHUFD $0xB1, X0, X2 \
	VPSHUFD $0xB1, X1, X3 \
	VPMINUD X2, X0, X0    \
	VPMAXUD X3, X1, X1    \
	VMOVD   X0, AX        \
	VMOVD   X1, BX        \
	MOVL    AX, least+16(FP) \
	MOVL    BX, most+20(FP)

// COUNTEND returns the sum of the lanes of Y0.
#define COUNTEND \
	VEXTRACTI128 $1, Y0, X1       \
	VPADDD       X1, X0, X0       \
	VPSHUFD      $0x4E, X0, X1    \
	VPADDD       X1, X0, X0       \
	VPSHUFD      $0xB1, X0, X1    \
	VPADDD       X1, X0, X0       \
	VMOVD        X0, AX           \
	MOVQ         AX, below+24(FP) \
	VZEROUPPER                    \
	RET

// The partition of a run, by whole registers.
//
//	SI, DI, R8, R9     columns of the run          AX  lanes below, and their number
//	R10 .. R13         columns of the upper part   BX  next row
//	R15                the column that is compared CX  last row at which a register begins
//	DX, R14            next row of the lower and of the upper part
#define PARTSETUP \
	MOVQ p+0(FP), R14                    \
	MOVQ (cutPartArgs_from+0)(R14), SI   \
	MOVQ (cutPartArgs_from+8)(R14), DI   \
	MOVQ (cutPartArgs_from+16)(R14), R8  \
	MOVQ (cutPartArgs_from+24)(R14), R9  \
	MOVQ (cutPartArgs_upper+0)(R14), R10 \
	MOVQ (cutPartArgs_upper+8)(R14), R11 \
	MOVQ (cutPartArgs_upper+16)(R14), R12 \
	MOVQ (cutPartArgs_upper+24)(R14), R13 \
	MOVQ cutPartArgs_on(R14), AX         \
	MOVQ cutPartArgs_from(R14)(AX*8), R15 \
	MOVQ cutPartArgs_i(R14), BX          \
	MOVQ cutPartArgs_n(R14), CX          \
	MOVQ cutPartArgs_down(R14), DX       \
	MOVQ cutPartArgs_up(R14), R14

#define PARTDONE \
	MOVQ p+0(FP), AX              \
	MOVQ BX, cutPartArgs_i(AX)    \
	MOVQ DX, cutPartArgs_down(AX) \
	MOVQ R14, cutPartArgs_up(AX)

// func cutEndsAVX512(x *uint32, n int) (least, most uint32)
//
// n is at least 16; the last register is read again.
TEXT ·cutEndsAVX512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VMOVDQU32 -64(SI)(CX*4), Z0
	VMOVDQA32 Z0, Z1
	VMOVDQA32 Z0, Z4
	VMOVDQA32 Z0, Z5
	SUBQ $32, CX
	JLT  one

two:
	VMOVDQU32 (SI), Z2
	VMOVDQU32 64(SI), Z3
	VPMINUD Z2, Z0, Z0
	VPMAXUD Z2, Z1, Z1
	VPMINUD Z3, Z4, Z4
	VPMAXUD Z3, Z5, Z5
	ADDQ $128, SI
	SUBQ $32, CX
	JGE  two

one:
	ADDQ $16, CX
	JLT  reduce
	VMOVDQU32 (SI), Z2
	VPMINUD Z2, Z0, Z0
	VPMAXUD Z2, Z1, Z1

reduce:
	VPMINUD Z4, Z0, Z0
	VPMAXUD Z5, Z1, Z1
	VEXTRACTI64X4 $1, Z0, Y2
	VEXTRACTI64X4 $1, Z1, Y3
	VPMINUD Y2, Y0, Y0
	VPMAXUD Y3, Y1, Y1
	VEXTRACTI128 $1, Y0, X2
	VEXTRACTI128 $1, Y1, X3
	VPMINUD X2, X0, X0
	VPMAXUD X3, X1, X1
	REDUCEENDS
	VZEROUPPER
	RET

// func cutEndsAVX2(x *uint32, n int) (least, most uint32)
TEXT ·cutEndsAVX2(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VMOVDQU -32(SI)(CX*4), Y0
	VMOVDQU -64(SI)(CX*4), Y4
	VMOVDQA Y0, Y1
	VMOVDQA Y4, Y5
	SUBQ $16, CX

two:
	VMOVDQU (SI), Y2
	VMOVDQU 32(SI), Y3
	VPMINUD Y2, Y0, Y0
	VPMAXUD Y2, Y1, Y1
	VPMINUD Y3, Y4, Y4
	VPMAXUD Y3, Y5, Y5
	ADDQ $64, SI
	SUBQ $16, CX
	JGE  two

	VPMINUD Y4, Y0, Y0
	VPMAXUD Y5, Y1, Y1
	VEXTRACTI128 $1, Y0, X2
	VEXTRACTI128 $1, Y1, X3
	VPMINUD X2, X0, X0
	VPMAXUD X3, X1, X1
	REDUCEENDS
	VZEROUPPER
	RET

// func cutCountAVX512(x *uint32, n int, at uint32) (below int)
//
// n is a multiple of 64, and not 0.
TEXT ·cutCountAVX512(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL at+16(FP), AX
	VPBROADCASTD AX, Z8
	VPTERNLOGD $0xFF, Z9, Z9, Z9 // -1
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1

count:
	VPCMPUD $6, (SI), Z8, K1 // Z8 is above
	VPCMPUD $6, 64(SI), Z8, K2
	VPCMPUD $6, 128(SI), Z8, K3
	VPCMPUD $6, 192(SI), Z8, K4
	VPSUBD Z9, Z0, K1, Z0
	VPSUBD Z9, Z1, K2, Z1
	VPSUBD Z9, Z0, K3, Z0
	VPSUBD Z9, Z1, K4, Z1
	ADDQ $256, SI
	SUBQ $64, CX
	JNZ  count

	VPADDD Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	COUNTEND

// func cutCountAVX2(x *uint32, n int, at uint32) (below int)
TEXT ·cutCountAVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL at+16(FP), AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

count:
	VPCMPGTD (SI), Y8, Y2 // Y8 is above
	VPCMPGTD 32(SI), Y8, Y3
	VPCMPGTD 64(SI), Y8, Y4
	VPCMPGTD 96(SI), Y8, Y5
	VPSUBD Y2, Y0, Y0
	VPSUBD Y3, Y1, Y1
	VPSUBD Y4, Y0, Y0
	VPSUBD Y5, Y1, Y1
	ADDQ $128, SI
	SUBQ $32, CX
	JNZ  count

	VPADDD Y1, Y0, Y0
	COUNTEND

#define PARTCOLUMN512(FROM, UPPER) \
	VMOVDQU32     (FROM)(BX*4), Z0  \
	VPCOMPRESSD.Z Z0, K1, Z1        \
	VPCOMPRESSD.Z Z0, K2, Z2        \
	VMOVDQU32     Z1, (FROM)(DX*4)  \
	VMOVDQU32     Z2, (UPPER)(R14*4)

// func cutPartAVX512(p *cutPartArgs)
TEXT ·cutPartAVX512(SB), NOSPLIT, $0-8
	PARTSETUP
	MOVQ p+0(FP), AX
	VPBROADCASTD cutPartArgs_at(AX), Z8
	SUBQ $16, CX
	CMPQ BX, CX
	JGT  done

loop:
	VMOVDQU32 (R15)(BX*4), Z0
	VPCMPUD $1, Z8, Z0, K1
	VPCMPUD $5, Z8, Z0, K2
	KMOVW K1, AX
	POPCNTL AX, AX
	PARTCOLUMN512(SI, R10)
	PARTCOLUMN512(DI, R11)
	PARTCOLUMN512(R8, R12)
	PARTCOLUMN512(R9, R13)
	ADDQ AX, DX
	SUBQ AX, R14
	ADDQ $16, R14
	ADDQ $16, BX
	CMPQ BX, CX
	JLE  loop

done:
	PARTDONE
	VZEROUPPER
	RET

// By the orders Y4, to the lower part, and Y5.
#define PARTCOLUMN256(FROM, UPPER) \
	VMOVDQU (FROM)(BX*4), Y0  \
	VPERMD  Y0, Y4, Y1        \
	VPERMD  Y0, Y5, Y2        \
	VMOVDQU Y1, (FROM)(DX*4)  \
	VMOVDQU Y2, (UPPER)(R14*4)

// func cutPartAVX2(p *cutPartArgs)
TEXT ·cutPartAVX2(SB), NOSPLIT, $8-8
	PARTSETUP
	MOVQ p+0(FP), AX
	VPBROADCASTD cutPartArgs_at(AX), Y8
	SUBQ $8, CX
	MOVQ CX, last-8(SP)
	CMPQ BX, CX
	JGT  done

loop:
	VPCMPGTD (R15)(BX*4), Y8, Y0 // Y8 is above
	VMOVMSKPS Y0, AX
	LEAQ ·compressTable(SB), CX
	SHLL $5, AX
	VMOVDQU (CX)(AX*1), Y4
	XORL $(0xff<<5), AX
	VMOVDQU (CX)(AX*1), Y5
	POPCNTL AX, AX
	PARTCOLUMN256(SI, R10)
	PARTCOLUMN256(DI, R11)
	PARTCOLUMN256(R8, R12)
	PARTCOLUMN256(R9, R13)
	ADDQ AX, R14
	SUBQ AX, DX
	ADDQ $8, DX
	ADDQ $8, BX
	CMPQ BX, last-8(SP)
	JLE  loop

done:
	PARTDONE
	VZEROUPPER
	RET
