//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The median split of a run, eight objects at a time: as in AVX-512.
//
//	SI   columns         R8   objects           AX, BX, DX, R13, R15  scratch
//	DI   next step       R9   objects of the lower part
//	CX   steps left      R10  offset of the last register, which holds 1 to 8 of them
//	R11  the run, in x   R12  the same in the column of the axis
//	Y15  live lanes of the last register, Y14 the others
//	Y13  lane indices
//	Y12  all bits set

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

// Spans, minima and maxima of x, y, z are in lanes 0, 2, 1.
#define AXIS256 \
	VPXOR Y12, Y0, Y0        \
	VPXOR Y12, Y2, Y2        \
	VPXOR Y12, Y4, Y4        \
	FOLD256(Y0, Y1, Y0)      \
	FOLD256(Y2, Y3, Y2)      \
	FOLD256(Y4, Y5, Y4)      \
	VPUNPCKLQDQ Y2, Y0, Y6   \
	VPUNPCKHQDQ Y2, Y0, Y7   \
	VPMAXUD Y6, Y7, Y0       \ // x x y y, minima and maxima
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
	LEAQ const_cutColumn(R11), R13    \
	MOVL $2, R15             \
	CMPL DX, AX              \
	CMOVLHI DX, AX           \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+4)(SI), DX \
	LEAQ 2*const_cutColumn(R11), R13  \
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

// Moves the column at the offset in the order Y4 to the lower part, at R13, and in Y5 to the upper,
// at R15. The last register writes only the lanes Y7 to the lower part.
#define PART256(OFF) \
	VMOVDQU OFF(R11)(BX*1), Y0   \
	VPERMD  Y0, Y4, Y1           \
	VPERMD  Y0, Y5, Y2           \
	VMOVDQU Y1, OFF(R11)(R13*4)  \
	VMOVDQU Y2, (Cut_upper+OFF)(SI)(R15*4)

#define PARTLAST256(OFF) \
	VMOVDQU    OFF(R11)(R10*1), Y0      \
	VPERMD     Y0, Y4, Y1               \
	VPERMD     Y0, Y5, Y2               \
	VPMASKMOVD Y1, Y7, OFF(R11)(R13*4)  \
	VMOVDQU    Y2, (Cut_upper+OFF)(SI)(R15*4)

// func cutHalveAVX2(c *Cut, steps *CutStep, n int)
TEXT ·cutHalveAVX2(SB), NOSPLIT, $0-24
	MOVQ c+0(FP), SI
	MOVQ steps+8(FP), DI
	MOVQ n+16(FP), CX
	VMOVDQU ·laneNumbers(SB), Y13
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
	LASTENDS256(const_cutColumn, Y2, Y3)
	LASTENDS256(2*const_cutColumn, Y4, Y5)
	MOVL R10, BX
	SUBQ $32, BX
	JCS  axis

ends:
	ENDS256(0, Y0, Y1)
	ENDS256(const_cutColumn, Y2, Y3)
	ENDS256(2*const_cutColumn, Y4, Y5)
	SUBQ $32, BX
	JCC  ends

axis:
	AXIS256

	// Fewer words than the target are below R13, as many or more below R15.
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

	// Partition the run by Y8.
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
	PART256(const_cutColumn)
	PART256(2*const_cutColumn)
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
	PARTLAST256(const_cutColumn)
	PARTLAST256(2*const_cutColumn)

	// Copy the upper part behind the lower.
	LEAQ (R11)(R9*4), R11
	XORL BX, BX
	SUBQ $8, R8
	JLS  copylast

copy:
	VMOVDQU Cut_upper(SI)(BX*1), Y0
	VMOVDQU (Cut_upper+const_cutColumn)(SI)(BX*1), Y1
	VMOVDQU (Cut_upper+2*const_cutColumn)(SI)(BX*1), Y2
	VMOVDQU Y0, (R11)(BX*1)
	VMOVDQU Y1, const_cutColumn(R11)(BX*1)
	VMOVDQU Y2, 2*const_cutColumn(R11)(BX*1)
	ADDQ $32, BX
	SUBQ $8, R8
	JHI  copy

copylast:
	ADDQ $8, R8
	FIRSTLANES256(R8, X7, Y7)
	VMOVDQU Cut_upper(SI)(BX*1), Y0
	VMOVDQU (Cut_upper+const_cutColumn)(SI)(BX*1), Y1
	VMOVDQU (Cut_upper+2*const_cutColumn)(SI)(BX*1), Y2
	VPMASKMOVD Y0, Y7, (R11)(BX*1)
	VPMASKMOVD Y1, Y7, const_cutColumn(R11)(BX*1)
	VPMASKMOVD Y2, Y7, 2*const_cutColumn(R11)(BX*1)

stepped:
	ADDQ $6, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET
