//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// Sizes of a column of Cut, in bytes, and of all three.
#define COLUMN 1088
#define COLUMNS 3264

// The halving of a run. Words of an axis differ, so that a step is to find a word below
// which as many are as are to be below, and to part the run by that.
//
//	SI   columns         R8   objects           AX, BX, DX, R13, R15  scratch
//	DI   next step       R9   of the lower part
//	CX   steps left      R10  offset of the last register, which holds 1 to 16 of them
//	R11  the run, in x   R12  the same in the column of the axis
//	K1   live lanes of the last register
//	Z31  all bits set

// The ends of the column at the offset, in the last register and then in others: most of
// what is not the least, and most.
#define LASTENDS512(OFF, LEAST, MOST) \
	VMOVDQA32   Z31, LEAST                  \
	VMOVDQU32   OFF(R11)(R10*1), K1, LEAST  \
	VMOVDQU32.Z OFF(R11)(R10*1), K1, MOST

#define ENDS512(OFF, LEAST, MOST) \
	VMOVDQU32 OFF(R11)(BX*1), Z6 \
	VPMINUD   Z6, LEAST, LEAST   \
	VPMAXUD   Z6, MOST, MOST

// The larger of the halves of A, and of those of B, in the halves of TO.
#define FOLD512(A, B, TO) \
	VSHUFI64X2 $0x44, B, A, Z6 \
	VSHUFI64X2 $0xEE, B, A, Z7 \
	VPMAXUD    Z6, Z7, TO

// The same of neighbouring quarters.
#define FOLDQUARTERS512(A, B, TO) \
	VSHUFI64X2 $0x88, B, A, Z6 \
	VSHUFI64X2 $0xDD, B, A, Z7 \
	VPMAXUD    Z6, Z7, TO

// The axis of the largest span: least into R13, most into R15, column into R12. Spans,
// ends below and ends above of x, y, z are in lanes 0, 8, 2 of rows of Cut.spans.
#define AXIS512 \
	VPXORD Z31, Z0, Z0       \
	VPXORD Z31, Z2, Z2       \
	VPXORD Z31, Z4, Z4       \
	FOLD512(Z0, Z1, Z0)      \
	FOLD512(Z2, Z3, Z2)      \
	FOLD512(Z4, Z5, Z4)      \
	FOLDQUARTERS512(Z0, Z2, Z0) \ // x below, x above, y below, y above
	FOLDQUARTERS512(Z4, Z4, Z4) \ // z below, z above, the same
	VPUNPCKLQDQ Z4, Z0, Z6   \
	VPUNPCKHQDQ Z4, Z0, Z7   \
	VPMAXUD Z6, Z7, Z0       \
	VPSHUFD $0xB1, Z0, Z1    \ // 1 0 3 2
	VPMAXUD Z1, Z0, Z0       \
	VSHUFI64X2 $0xB1, Z0, Z0, Z1 \
	VPXORD Z31, Z0, Z0       \
	VPSRLD $8, Z0, Z2        \
	VPSRLD $8, Z1, Z3        \
	VPSUBD Z2, Z3, Z2        \
	VMOVDQU32 Z2, Cut_spans(SI)       \
	VMOVDQU32 Z0, (Cut_spans+64)(SI)  \
	VMOVDQU32 Z1, (Cut_spans+128)(SI) \
	MOVQ R11, R12            \
	XORL BX, BX              \
	VMOVD X2, AX             \
	MOVL (Cut_spans+32)(SI), DX \
	LEAQ COLUMN(R11), R13    \
	MOVL $8, R15             \
	CMPL DX, AX              \
	CMOVLHI DX, AX           \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+8)(SI), DX \
	LEAQ 2*COLUMN(R11), R13  \
	MOVL $2, R15             \
	CMPL DX, AX              \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+64)(SI)(BX*4), R13 \
	MOVL (Cut_spans+128)(SI)(BX*4), R15

// Moves the lanes K2 of the column at the offset, loaded before, to the lower part at
// R13, by K4, and the lanes K3 to the upper part at R15.
#define PARTLAST512(OFF) \
	VMOVDQU32.Z   OFF(R11)(R10*1), K1, Z0 \
	VPCOMPRESSD.Z Z0, K2, Z1              \
	VPCOMPRESSD.Z Z0, K3, Z2              \
	VMOVDQU32     Z1, K4, OFF(R11)(R13*4) \
	VMOVDQU32     Z2, (COLUMNS+OFF)(SI)(R15*4)

#define PART512(OFF) \
	VMOVDQU32     OFF(R11)(BX*1), Z0  \
	VPCOMPRESSD.Z Z0, K2, Z1          \
	VPCOMPRESSD.Z Z0, K3, Z2          \
	VMOVDQU32     Z1, OFF(R11)(R13*4) \
	VMOVDQU32     Z2, (COLUMNS+OFF)(SI)(R15*4)

// func cutHalveAVX512(c *Cut, steps *CutStep, n int)
TEXT ·cutHalveAVX512(SB), NOSPLIT, $0-24
	MOVQ c+0(FP), SI
	MOVQ steps+8(FP), DI
	MOVQ n+16(FP), CX
	VPTERNLOGD $0xFF, Z31, Z31, Z31
	KXNORW K6, K6, K6

step:
	MOVWLZX CutStep_Lo(DI), AX
	MOVWLZX CutStep_Mid(DI), R9
	MOVWLZX CutStep_Hi(DI), R8
	SUBL AX, R9
	JEQ  stepped
	SUBL AX, R8
	CMPL R8, R9
	JEQ  stepped
	LEAQ (SI)(AX*4), R11
	LEAL -1(R8), R10
	MOVL R10, BX
	ANDL $15, BX
	MOVL $2, AX
	SHLXL BX, AX, AX
	DECL AX
	KMOVW AX, K1
	SHRL $4, R10
	SHLL $6, R10

	LASTENDS512(0, Z0, Z1)
	LASTENDS512(COLUMN, Z2, Z3)
	LASTENDS512(2*COLUMN, Z4, Z5)
	MOVL R10, BX
	SUBQ $64, BX
	JCS  axis

ends:
	ENDS512(0, Z0, Z1)
	ENDS512(COLUMN, Z2, Z3)
	ENDS512(2*COLUMN, Z4, Z5)
	SUBQ $64, BX
	JCC  ends

axis:
	AXIS512

	// Fewer words than wanted are below R13, as many or more below R15.
search:
	MOVL R15, AX
	SUBL R13, AX
	INCL AX
	SHRL $1, AX
	ADDL R13, AX
	VPBROADCASTD AX, Z8
	VPCMPUD $6, (R12)(R10*1), Z8, K1, K2 // Z8 is above
	KMOVW K2, DX
	POPCNTL DX, DX
	MOVL R10, BX
	SUBQ $64, BX
	JCS  counted

count:
	VPCMPUD $6, (R12)(BX*1), Z8, K2
	KMOVW K2, R14
	POPCNTL R14, R14
	ADDL R14, DX
	SUBQ $64, BX
	JCC  count

counted:
	CMPL DX, R9
	CMOVLCS AX, R13
	CMOVLHI AX, R15
	JNE  search

	// Part the run by Z8.
	XORL R13, R13
	XORL R15, R15
	XORL BX, BX
	CMPQ BX, R10
	JEQ  last

part:
	VPCMPUD $6, (R12)(BX*1), Z8, K2
	KANDNW K6, K2, K3
	KMOVW K2, AX
	POPCNTL AX, AX
	PART512(0)
	PART512(COLUMN)
	PART512(2*COLUMN)
	ADDQ AX, R13
	LEAQ 16(R15), R15
	SUBQ AX, R15
	ADDQ $64, BX
	CMPQ BX, R10
	JNE  part

last:
	VPCMPUD $6, (R12)(R10*1), Z8, K1, K2
	KANDNW K1, K2, K3
	KMOVW K2, AX
	POPCNTL AX, AX
	MOVL $-1, DX
	BZHIL AX, DX, DX
	KMOVW DX, K4
	PARTLAST512(0)
	PARTLAST512(COLUMN)
	PARTLAST512(2*COLUMN)

	// The upper part behind the lower.
	LEAQ (R11)(R9*4), R11
	SUBL R9, R8
	XORL BX, BX
	SUBQ $16, R8
	JLS  copylast

copy:
	VMOVDQU32 COLUMNS(SI)(BX*1), Z0
	VMOVDQU32 (COLUMNS+COLUMN)(SI)(BX*1), Z1
	VMOVDQU32 (COLUMNS+2*COLUMN)(SI)(BX*1), Z2
	VMOVDQU32 Z0, (R11)(BX*1)
	VMOVDQU32 Z1, COLUMN(R11)(BX*1)
	VMOVDQU32 Z2, 2*COLUMN(R11)(BX*1)
	ADDQ $64, BX
	SUBQ $16, R8
	JHI  copy

copylast:
	ADDQ $16, R8
	MOVL $-1, DX
	BZHIL R8, DX, DX
	KMOVW DX, K4
	VMOVDQU32 COLUMNS(SI)(BX*1), Z0
	VMOVDQU32 (COLUMNS+COLUMN)(SI)(BX*1), Z1
	VMOVDQU32 (COLUMNS+2*COLUMN)(SI)(BX*1), Z2
	VMOVDQU32 Z0, K4, (R11)(BX*1)
	VMOVDQU32 Z1, K4, COLUMN(R11)(BX*1)
	VMOVDQU32 Z2, K4, 2*COLUMN(R11)(BX*1)

stepped:
	ADDQ $6, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET

// AVX2: the same by eights.
//
//	Y15, Y14  live lanes of the last register, and those that are not
//	Y13       lane numbers
//	Y12       all bits set

#define LASTENDS256(OFF, LEAST, MOST) \
	VPOR  OFF(R11)(R10*1), Y14, LEAST \
	VPAND OFF(R11)(R10*1), Y15, MOST

#define ENDS256(OFF, LEAST, MOST) \
	VMOVDQU OFF(R11)(BX*1), Y6 \
	VPMINUD Y6, LEAST, LEAST   \
	VPMAXUD Y6, MOST, MOST

#define FOLD256(A, B, TO) \
	VPERM2I128 $0x20, B, A, Y6 \
	VPERM2I128 $0x31, B, A, Y7 \
	VPMAXUD    Y6, Y7, TO

// Spans and ends of x, y, z are in lanes 0, 2, 1.
#define AXIS256 \
	VPXOR Y12, Y0, Y0        \
	VPXOR Y12, Y2, Y2        \
	VPXOR Y12, Y4, Y4        \
	FOLD256(Y0, Y1, Y0)      \
	FOLD256(Y2, Y3, Y2)      \
	FOLD256(Y4, Y5, Y4)      \
	VPUNPCKLQDQ Y2, Y0, Y6   \
	VPUNPCKHQDQ Y2, Y0, Y7   \
	VPMAXUD Y6, Y7, Y0       \ // x x y y, below and above
	VPSHUFD $0x4E, Y4, Y5    \ // 2 3 0 1
	VPMAXUD Y5, Y4, Y4       \ // z in all lanes
	VPSHUFD $0xB1, Y0, Y1    \ // 1 0 3 2
	VPSHUFD $0xB1, Y4, Y5    \
	VPMAXUD Y1, Y0, Y0       \
	VPMAXUD Y5, Y4, Y4       \
	VPBLENDD $0x22, Y4, Y0, Y0 \
	VEXTRACTI128 $1, Y0, X1  \
	VPXOR X12, X0, X0        \
	VPSRLD $8, X0, X2        \
	VPSRLD $8, X1, X3        \
	VPSUBD X2, X3, X2        \
	VMOVDQU X2, Cut_spans(SI)       \
	VMOVDQU X0, (Cut_spans+64)(SI)  \
	VMOVDQU X1, (Cut_spans+128)(SI) \
	MOVQ R11, R12            \
	XORL BX, BX              \
	VMOVD X2, AX             \
	MOVL (Cut_spans+8)(SI), DX \
	LEAQ COLUMN(R11), R13    \
	MOVL $2, R15             \
	CMPL DX, AX              \
	CMOVLHI DX, AX           \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+4)(SI), DX \
	LEAQ 2*COLUMN(R11), R13  \
	MOVL $1, R15             \
	CMPL DX, AX              \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+64)(SI)(BX*4), R13 \
	MOVL (Cut_spans+128)(SI)(BX*4), R15

// The first COUNT lanes, in MASK.
#define FIRSTLANES256(COUNT, X, MASK) \
	VMOVD        COUNT, X      \
	VPBROADCASTD X, MASK       \
	VPCMPGTD     Y13, MASK, MASK

// Moves the column at the offset in the orders Y4, to the lower part, and Y5, to the
// upper; of the last register the lanes Y7.
#define PART256(OFF) \
	VMOVDQU OFF(R11)(BX*1), Y0   \
	VPERMD  Y0, Y4, Y1           \
	VPERMD  Y0, Y5, Y2           \
	VMOVDQU Y1, OFF(R11)(R13*4)  \
	VMOVDQU Y2, (COLUMNS+OFF)(SI)(R15*4)

#define PARTLAST256(OFF) \
	VMOVDQU    OFF(R11)(R10*1), Y0      \
	VPERMD     Y0, Y4, Y1               \
	VPERMD     Y0, Y5, Y2               \
	VPMASKMOVD Y1, Y7, OFF(R11)(R13*4)  \
	VMOVDQU    Y2, (COLUMNS+OFF)(SI)(R15*4)

// func cutHalveAVX2(c *Cut, steps *CutStep, n int)
TEXT ·cutHalveAVX2(SB), NOSPLIT, $0-24
	MOVQ c+0(FP), SI
	MOVQ steps+8(FP), DI
	MOVQ n+16(FP), CX
	VMOVDQU ·sortLanes(SB), Y13
	VPCMPEQD Y12, Y12, Y12

step:
	MOVWLZX CutStep_Lo(DI), AX
	MOVWLZX CutStep_Mid(DI), R9
	MOVWLZX CutStep_Hi(DI), R8
	SUBL AX, R9
	JEQ  stepped
	SUBL AX, R8
	CMPL R8, R9
	JEQ  stepped
	LEAQ (SI)(AX*4), R11
	LEAL -1(R8), R10
	MOVL R10, BX
	ANDL $7, BX
	INCL BX
	FIRSTLANES256(BX, X15, Y15)
	VPXOR Y12, Y15, Y14
	SHRL $3, R10
	SHLL $5, R10

	LASTENDS256(0, Y0, Y1)
	LASTENDS256(COLUMN, Y2, Y3)
	LASTENDS256(2*COLUMN, Y4, Y5)
	MOVL R10, BX
	SUBQ $32, BX
	JCS  axis

ends:
	ENDS256(0, Y0, Y1)
	ENDS256(COLUMN, Y2, Y3)
	ENDS256(2*COLUMN, Y4, Y5)
	SUBQ $32, BX
	JCC  ends

axis:
	AXIS256

	// Fewer words than wanted are below R13, as many or more below R15.
search:
	MOVL R15, AX
	SUBL R13, AX
	INCL AX
	SHRL $1, AX
	ADDL R13, AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8
	VPCMPGTD (R12)(R10*1), Y8, Y0 // Y8 is above
	VPAND Y15, Y0, Y0
	MOVL R10, BX
	SUBQ $32, BX
	JCS  counted

count:
	VPCMPGTD (R12)(BX*1), Y8, Y1
	VPADDD Y1, Y0, Y0
	SUBQ $32, BX
	JCC  count

counted:
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, DX
	NEGL DX
	CMPL DX, R9
	CMOVLCS AX, R13
	CMOVLHI AX, R15
	JNE  search

	// Part the run by Y8.
	LEAQ ·compressTable(SB), R14
	XORL R13, R13
	XORL R15, R15
	XORL BX, BX
	CMPQ BX, R10
	JEQ  last

part:
	VPCMPGTD (R12)(BX*1), Y8, Y0
	VMOVMSKPS Y0, AX
	POPCNTL AX, R8
	MOVL AX, DX
	XORL $0xff, DX
	SHLL $5, AX
	SHLL $5, DX
	VMOVDQU (R14)(AX*1), Y4
	VMOVDQU (R14)(DX*1), Y5
	PART256(0)
	PART256(COLUMN)
	PART256(2*COLUMN)
	ADDQ R8, R13
	LEAQ 8(R15), R15
	SUBQ R8, R15
	ADDQ $32, BX
	CMPQ BX, R10
	JNE  part

last:
	VPCMPGTD (R12)(R10*1), Y8, Y0
	VPAND Y15, Y0, Y1
	VPANDN Y15, Y0, Y2
	VMOVMSKPS Y1, AX
	VMOVMSKPS Y2, DX
	POPCNTL AX, BX
	POPCNTL DX, R8
	ADDQ R15, R8 // of the upper part
	FIRSTLANES256(BX, X7, Y7)
	SHLL $5, AX
	SHLL $5, DX
	VMOVDQU (R14)(AX*1), Y4
	VMOVDQU (R14)(DX*1), Y5
	PARTLAST256(0)
	PARTLAST256(COLUMN)
	PARTLAST256(2*COLUMN)

	// The upper part behind the lower.
	LEAQ (R11)(R9*4), R11
	XORL BX, BX
	SUBQ $8, R8
	JLS  copylast

copy:
	VMOVDQU COLUMNS(SI)(BX*1), Y0
	VMOVDQU (COLUMNS+COLUMN)(SI)(BX*1), Y1
	VMOVDQU (COLUMNS+2*COLUMN)(SI)(BX*1), Y2
	VMOVDQU Y0, (R11)(BX*1)
	VMOVDQU Y1, COLUMN(R11)(BX*1)
	VMOVDQU Y2, 2*COLUMN(R11)(BX*1)
	ADDQ $32, BX
	SUBQ $8, R8
	JHI  copy

copylast:
	ADDQ $8, R8
	FIRSTLANES256(R8, X7, Y7)
	VMOVDQU COLUMNS(SI)(BX*1), Y0
	VMOVDQU (COLUMNS+COLUMN)(SI)(BX*1), Y1
	VMOVDQU (COLUMNS+2*COLUMN)(SI)(BX*1), Y2
	VPMASKMOVD Y0, Y7, (R11)(BX*1)
	VPMASKMOVD Y1, Y7, COLUMN(R11)(BX*1)
	VPMASKMOVD Y2, Y7, 2*COLUMN(R11)(BX*1)

stepped:
	ADDQ $6, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET
