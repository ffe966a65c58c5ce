//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The median split of a run. The words of an axis differ. So a step searches for a threshold that
// has as many words below it as the lower part needs, and partitions the run by it.
//
//	SI   columns         R8   objects           AX, BX, DX, R13, R15  scratch
//	DI   next step       R9   objects of the lower part
//	CX   steps left      R10  offset of the last register, which holds 1 to 16 of them
//	R11  the run, in x   R12  the same in the column of the axis
//	K1   live lanes of the last register
//	Z31  all bits set

// Minima and maxima of the column at the offset, lane by lane: of the last register, and merged
// with another one.
#define LASTENDS512(OFF, LEAST, MOST) \
	VMOVDQA32   Z31, LEAST                  \
	VMOVDQU32   OFF(R11)(R10*1), K1, LEAST  \
	VMOVDQU32.Z OFF(R11)(R10*1), K1, MOST

#define ENDS512(OFF, LEAST, MOST) \
	VMOVDQU32 OFF(R11)(BX*1), Z6 \
	VPMINUD   Z6, LEAST, LEAST   \
	VPMAXUD   Z6, MOST, MOST

// The maximum of the halves of A, and of the halves of B, in the halves of TO.
#define FOLD512(A, B, TO) \
	VSHUFI64X2 $0x44, B, A, Z6 \
	VSHUFI64X2 $0xEE, B, A, Z7 \
	VPMAXUD    Z6, Z7, TO

// The same for adjacent quarters.
#define FOLDQUARTERS512(A, B, TO) \
	VSHUFI64X2 $0x88, B, A, Z6 \
	VSHUFI64X2 $0xDD, B, A, Z7 \
	VPMAXUD    Z6, Z7, TO

// Selects the axis of the largest span: minimum into R13, maximum into R15, column into R12. Spans,
// minima and maxima of x, y, z are in lanes 0, 8, 2 of rows of Cut.spans.
#define AXIS512 \
	VPXORD Z31, Z0, Z0       \
	VPXORD Z31, Z2, Z2       \
	VPXORD Z31, Z4, Z4       \
	FOLD512(Z0, Z1, Z0)      \
	FOLD512(Z2, Z3, Z2)      \
	FOLD512(Z4, Z5, Z4)      \
	FOLDQUARTERS512(Z0, Z2, Z0) \ // x minima, x maxima, y minima, y maxima
	FOLDQUARTERS512(Z4, Z4, Z4) \ // z minima, z maxima, the same
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
	LEAQ const_cutColumn(R11), R13    \
	MOVL $8, R15             \
	CMPL DX, AX              \
	CMOVLHI DX, AX           \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+8)(SI), DX \
	LEAQ 2*const_cutColumn(R11), R13  \
	MOVL $2, R15             \
	CMPL DX, AX              \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+64)(SI)(BX*4), R13 \
	MOVL (Cut_spans+128)(SI)(BX*4), R15

// Moves the lanes K2 of the column at the offset to the lower part, at R13, and the lanes K3 to the
// upper, at R15. Stores beyond a part overwrite rows that have been read or are written again. The
// last register writes only the lanes K4.
#define PARTLAST512(OFF) \
	VMOVDQU32.Z   OFF(R11)(R10*1), K1, Z0 \
	VPCOMPRESSD.Z Z0, K2, Z1              \
	VPCOMPRESSD.Z Z0, K3, Z2              \
	VMOVDQU32     Z1, K4, OFF(R11)(R13*4) \
	VMOVDQU32     Z2, (Cut_upper+OFF)(SI)(R15*4)

#define PART512(OFF) \
	VMOVDQU32     OFF(R11)(BX*1), Z0  \
	VPCOMPRESSD.Z Z0, K2, Z1          \
	VPCOMPRESSD.Z Z0, K3, Z2          \
	VMOVDQU32     Z1, OFF(R11)(R13*4) \
	VMOVDQU32     Z2, (Cut_upper+OFF)(SI)(R15*4)

// func cutHalveAVX512(c *Cut, steps *CutStep, n int)
TEXT ·cutHalveAVX512(SB), NOSPLIT, $0-24
	MOVQ c+0(FP), SI
	MOVQ steps+8(FP), DI
	MOVQ n+16(FP), CX
	VPTERNLOGD $0xFF, Z31, Z31, Z31

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
	LASTENDS512(const_cutColumn, Z2, Z3)
	LASTENDS512(2*const_cutColumn, Z4, Z5)
	MOVL R10, BX
	SUBQ $64, BX
	JCS  axis

ends:
	ENDS512(0, Z0, Z1)
	ENDS512(const_cutColumn, Z2, Z3)
	ENDS512(2*const_cutColumn, Z4, Z5)
	SUBQ $64, BX
	JCC  ends

axis:
	AXIS512

	// Fewer words than the target are below R13, as many or more below R15.
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

	// Partition the run by Z8.
	XORL R13, R13
	XORL R15, R15
	XORL BX, BX
	CMPQ BX, R10
	JEQ  last

part:
	VPCMPUD $6, (R12)(BX*1), Z8, K2
	KNOTW K2, K3
	KMOVW K2, AX
	POPCNTL AX, AX
	PART512(0)
	PART512(const_cutColumn)
	PART512(2*const_cutColumn)
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
	PARTLAST512(const_cutColumn)
	PARTLAST512(2*const_cutColumn)

	// Copy the upper part behind the lower.
	LEAQ (R11)(R9*4), R11
	SUBL R9, R8
	XORL BX, BX
	SUBQ $16, R8
	JLS  copylast

copy:
	VMOVDQU32 Cut_upper(SI)(BX*1), Z0
	VMOVDQU32 (Cut_upper+const_cutColumn)(SI)(BX*1), Z1
	VMOVDQU32 (Cut_upper+2*const_cutColumn)(SI)(BX*1), Z2
	VMOVDQU32 Z0, (R11)(BX*1)
	VMOVDQU32 Z1, const_cutColumn(R11)(BX*1)
	VMOVDQU32 Z2, 2*const_cutColumn(R11)(BX*1)
	ADDQ $64, BX
	SUBQ $16, R8
	JHI  copy

copylast:
	ADDQ $16, R8
	MOVL $-1, DX
	BZHIL R8, DX, DX
	KMOVW DX, K4
	VMOVDQU32 Cut_upper(SI)(BX*1), Z0
	VMOVDQU32 (Cut_upper+const_cutColumn)(SI)(BX*1), Z1
	VMOVDQU32 (Cut_upper+2*const_cutColumn)(SI)(BX*1), Z2
	VMOVDQU32 Z0, K4, (R11)(BX*1)
	VMOVDQU32 Z1, K4, const_cutColumn(R11)(BX*1)
	VMOVDQU32 Z2, K4, 2*const_cutColumn(R11)(BX*1)

stepped:
	ADDQ $6, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET
