//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "cut_halve_amd64.h"

// AVX-512. K1 are the live lanes of the last register; in Z31 all bits are set.

#define LOG 4
#define LANEY 8
#define LANEZ 2

// Minima and maxima of the column at the offset, lane by lane: of the last register, and merged
// with another one.
#define LASTCOLUMN(OFF, LEAST, MOST) \
	VMOVDQA32   Z31, LEAST                  \
	VMOVDQU32   OFF(R11)(R10*1), K1, LEAST  \
	VMOVDQU32.Z OFF(R11)(R10*1), K1, MOST

#define COLUMN(OFF, LEAST, MOST) \
	VMOVDQU32 OFF(R11)(BX*1), Z6 \
	VPMINUD   Z6, LEAST, LEAST   \
	VPMAXUD   Z6, MOST, MOST

#define LASTENDS \
	LASTCOLUMN(0, Z0, Z1) \
	LASTCOLUMN(const_cutColumn, Z2, Z3) \
	LASTCOLUMN(2*const_cutColumn, Z4, Z5)

#define ENDS \
	COLUMN(0, Z0, Z1) \
	COLUMN(const_cutColumn, Z2, Z3) \
	COLUMN(2*const_cutColumn, Z4, Z5)

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

// Spans, minima and maxima of x, y, z are in lanes 0, 8, 2.
#define SPANS \
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
	VMOVDQU32 Z1, (Cut_spans+128)(SI)

// Moves the lanes K2 of the column at the offset to the lower part, at R13, and the lanes K3 to the
// upper, at R15. Stores beyond a part overwrite rows that have been read or are written again. The
// last register writes only the lanes K4.
#define PARTLASTCOLUMN(OFF) \
	VMOVDQU32.Z   OFF(R11)(R10*1), K1, Z0 \
	VPCOMPRESSD.Z Z0, K2, Z1              \
	VPCOMPRESSD.Z Z0, K3, Z2              \
	VMOVDQU32     Z1, K4, OFF(R11)(R13*4) \
	VMOVDQU32     Z2, (Cut_upper+OFF)(SI)(R15*4)

#define PARTCOLUMN(OFF) \
	VMOVDQU32     OFF(R11)(BX*1), Z0  \
	VPCOMPRESSD.Z Z0, K2, Z1          \
	VPCOMPRESSD.Z Z0, K3, Z2          \
	VMOVDQU32     Z1, OFF(R11)(R13*4) \
	VMOVDQU32     Z2, (Cut_upper+OFF)(SI)(R15*4)

#define SETUP VPTERNLOGD $0xFF, Z31, Z31, Z31

#define LIVE \
	ANDL $15, BX      \
	MOVL $2, AX       \
	SHLXL BX, AX, AX  \
	DECL AX           \
	KMOVW AX, K1

#define COUNTLAST \
	VPBROADCASTD AX, Z8 \
	VPCMPUD $6, (R12)(R10*1), Z8, K1, K2 /* Z8 is above */ \
	KMOVW K2, DX        \
	POPCNTL DX, DX

#define COUNTNEXT \
	VPCMPUD $6, (R12)(BX*1), Z8, K2 \
	KMOVW K2, R14       \
	POPCNTL R14, R14    \
	ADDL R14, DX

#define PART \
	VPCMPUD $6, (R12)(BX*1), Z8, K2 \
	KNOTW K2, K3        \
	KMOVW K2, AX        \
	POPCNTL AX, AX      \
	COLUMNS(PARTCOLUMN)    \
	ADDQ AX, R13        \
	LEAQ 16(R15), R15   \
	SUBQ AX, R15

#define PARTLAST \
	VPCMPUD $6, (R12)(R10*1), Z8, K1, K2 \
	KANDNW K1, K2, K3   \
	KMOVW K2, AX        \
	POPCNTL AX, AX      \
	LANES(AX)   \
	COLUMNS(PARTLASTCOLUMN)

// The first COUNT lanes, in K4.
#define LANES(COUNT) \
	MOVL $-1, DX         \
	BZHIL COUNT, DX, DX  \
	KMOVW DX, K4

#define UPPER512 \
	VMOVDQU32 Cut_upper(SI)(BX*1), Z0                       \
	VMOVDQU32 (Cut_upper+const_cutColumn)(SI)(BX*1), Z1     \
	VMOVDQU32 (Cut_upper+2*const_cutColumn)(SI)(BX*1), Z2

#define COPY \
	UPPER512                                      \
	VMOVDQU32 Z0, (R11)(BX*1)                     \
	VMOVDQU32 Z1, const_cutColumn(R11)(BX*1)      \
	VMOVDQU32 Z2, 2*const_cutColumn(R11)(BX*1)

#define COPYLAST \
	UPPER512                                       \
	VMOVDQU32 Z0, K4, (R11)(BX*1)                  \
	VMOVDQU32 Z1, K4, const_cutColumn(R11)(BX*1)   \
	VMOVDQU32 Z2, K4, 2*const_cutColumn(R11)(BX*1)

#define FIRSTLANES LANES(R8)
#define TOTAL
#define PARTSETUP
#define UPPERCOUNT SUBL R9, R8

// func cutHalveAVX512(c *Cut, steps *CutStep, n int)
TEXT ·cutHalveAVX512(SB), NOSPLIT, $0-24
	HALVE
