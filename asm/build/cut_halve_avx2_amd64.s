//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "cut_halve_amd64.h"

// AVX2. Y15 are the live lanes of the last register, Y14 the others, Y13 the lane indices; in Y12 all bits are set.

#define LOG 3
#define LANEY 2
#define LANEZ 1

#define LASTCOLUMN(OFF, LEAST, MOST) \
	VPOR  OFF(R11)(R10*1), Y14, LEAST \
	VPAND OFF(R11)(R10*1), Y15, MOST

#define COLUMN(OFF, LEAST, MOST) \
	VMOVDQU OFF(R11)(BX*1), Y6 \
	VPMINUD Y6, LEAST, LEAST   \
	VPMAXUD Y6, MOST, MOST

#define LASTENDS \
	LASTCOLUMN(0, Y0, Y1) \
	LASTCOLUMN(const_cutColumn, Y2, Y3) \
	LASTCOLUMN(2*const_cutColumn, Y4, Y5)

#define ENDS \
	COLUMN(0, Y0, Y1) \
	COLUMN(const_cutColumn, Y2, Y3) \
	COLUMN(2*const_cutColumn, Y4, Y5)

#define FOLD256(A, B, TO) \
	VPERM2I128 $0x20, B, A, Y6 \
	VPERM2I128 $0x31, B, A, Y7 \
	VPMAXUD    Y6, Y7, TO

// Spans, minima and maxima of x, y, z are in lanes 0, 2, 1.
#define SPANS \
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
	VMOVDQU X1, (Cut_spans+128)(SI)

// The first COUNT lanes, in MASK.
#define LANES(COUNT, X, MASK) \
	VMOVD        COUNT, X      \
	VPBROADCASTD X, MASK       \
	VPCMPGTD     Y13, MASK, MASK

// Moves the column at the offset in the order Y4 to the lower part, at R13, and in Y5 to the upper,
// at R15. The last register writes only the lanes Y7 to the lower part.
#define PARTCOLUMN(OFF) \
	VMOVDQU OFF(R11)(BX*1), Y0   \
	VPERMD  Y0, Y4, Y1           \
	VPERMD  Y0, Y5, Y2           \
	VMOVDQU Y1, OFF(R11)(R13*4)  \
	VMOVDQU Y2, (Cut_upper+OFF)(SI)(R15*4)

#define PARTLASTCOLUMN(OFF) \
	VMOVDQU    OFF(R11)(R10*1), Y0      \
	VPERMD     Y0, Y4, Y1               \
	VPERMD     Y0, Y5, Y2               \
	VPMASKMOVD Y1, Y7, OFF(R11)(R13*4)  \
	VMOVDQU    Y2, (Cut_upper+OFF)(SI)(R15*4)

#define SETUP \
	VMOVDQU ·laneNumbers(SB), Y13 \
	VPCMPEQD Y12, Y12, Y12

#define LIVE \
	ANDL $7, BX   \
	INCL BX       \
	LANES(BX, X15, Y15) \
	VPXOR Y12, Y15, Y14

#define COUNTLAST \
	VMOVD AX, X8         \
	VPBROADCASTD X8, Y8  \
	VPCMPGTD (R12)(R10*1), Y8, Y0 /* Y8 is above */ \
	VPAND Y15, Y0, Y0

#define COUNTNEXT \
	VPCMPGTD (R12)(BX*1), Y8, Y1 \
	VPADDD Y1, Y0, Y0

#define TOTAL \
	VEXTRACTI128 $1, Y0, X1 \
	VPADDD X1, X0, X0       \
	VPSHUFD $0x4E, X0, X1   \
	VPADDD X1, X0, X0       \
	VPSHUFD $0xB1, X0, X1   \
	VPADDD X1, X0, X0       \
	VMOVD X0, DX            \
	NEGL DX

// The orders AX and DX of the compress table.
#define ORDERS256 \
	SHLL $5, AX              \
	SHLL $5, DX              \
	VMOVDQU (R14)(AX*1), Y4  \
	VMOVDQU (R14)(DX*1), Y5

#define PART \
	VPCMPGTD (R12)(BX*1), Y8, Y0 \
	VMOVMSKPS Y0, AX         \
	POPCNTL AX, R8           \
	MOVL AX, DX              \
	XORL $0xff, DX           \
	ORDERS256                \
	COLUMNS(PARTCOLUMN)         \
	ADDQ R8, R13             \
	LEAQ 8(R15), R15         \
	SUBQ R8, R15

#define PARTLAST \
	VPCMPGTD (R12)(R10*1), Y8, Y0 \
	VPAND Y15, Y0, Y1        \
	VPANDN Y15, Y0, Y2       \
	VMOVMSKPS Y1, AX         \
	VMOVMSKPS Y2, DX         \
	POPCNTL AX, BX           \
	POPCNTL DX, R8           \
	ADDQ R15, R8 /* of the upper part */ \
	LANES(BX, X7, Y7) \
	ORDERS256                \
	COLUMNS(PARTLASTCOLUMN)

#define UPPER256 \
	VMOVDQU Cut_upper(SI)(BX*1), Y0                     \
	VMOVDQU (Cut_upper+const_cutColumn)(SI)(BX*1), Y1   \
	VMOVDQU (Cut_upper+2*const_cutColumn)(SI)(BX*1), Y2

#define COPY \
	UPPER256                                    \
	VMOVDQU Y0, (R11)(BX*1)                     \
	VMOVDQU Y1, const_cutColumn(R11)(BX*1)      \
	VMOVDQU Y2, 2*const_cutColumn(R11)(BX*1)

#define COPYLAST \
	UPPER256                                       \
	VPMASKMOVD Y0, Y7, (R11)(BX*1)                 \
	VPMASKMOVD Y1, Y7, const_cutColumn(R11)(BX*1)  \
	VPMASKMOVD Y2, Y7, 2*const_cutColumn(R11)(BX*1)

#define FIRSTLANES LANES(R8, X7, Y7)
#define PARTSETUP LEAQ ·compressTable(SB), R14
#define UPPERCOUNT

// func cutHalveAVX2(c *Cut, steps *CutStep, n int)
TEXT ·cutHalveAVX2(SB), NOSPLIT, $0-24
	HALVE
