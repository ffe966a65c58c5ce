//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "cone_amd64.h"

// Rasterizer of convex occluders. It computes the spans of sixteen rows at once, then the pixels of
// four rows together, 16 columns at a time. The four rows share the increments of planes along a
// row, and most other costs of a row. Rows beyond the last repeat the last one, which changes
// nothing, because the result is a maximum.
//
//	R8   first pixel of four rows      R9  bytes of a row    R10  y     CX  rows left
//	R11, R12, R13  of the next rows    SI  cone              DI   first of the four in the band
//	DX   column   R14  end of columns  AX, BX  range of registers inside all four spans

// Layout of the band in the stack frame: spans; rows; for each four rows the minimum and maximum
// beginning of a span, and the minimum and maximum end; then the planes in column 0, of three
// planes for all rows of the band, or of all planes for four rows.
#define BEGIN 0
#define END 64
#define ROWS 128
#define FIRST 192
#define FROM 256
#define TO 320
#define LAST 384
#define PLANE0 448
#define PLANE1 512
#define PLANE2 576
#define ALL 448

// Adds a line with slopes M and offsets C to the bound TO, a maximum or minimum by KEEP.
#define LINES512(COUNT, M, C, KEEP, TO, LOOP, DONE) \
	XORL AX, AX                        \
	MOVQ COUNT(SI), BX                 \
LOOP:                                 \
	CMPQ AX, BX                        \
	JGE  DONE                          \
	VMULPS.BCST M(SI)(AX*4), Z26, Z0   \
	VADDPS.BCST C(SI)(AX*4), Z0, Z0    \
	KEEP Z0, TO, TO                    \
	INCQ AX                            \
	JMP  LOOP                          \
DONE:

#define START512(k, AT) \
	VMULPS.BCST (Cone_PY+4*k)(SI), Z26, Z0 \
	VADDPS.BCST (Cone_P0+4*k)(SI), Z0, Z0  \
	VMOVUPS Z0, AT(SP)

// A plane in column 0 of four rows.
#define Q512(AT, A, B, C, D) \
	VBROADCASTSS (AT+0)(SP)(DI*4), A  \
	VBROADCASTSS (AT+4)(SP)(DI*4), B  \
	VBROADCASTSS (AT+8)(SP)(DI*4), C  \
	VBROADCASTSS (AT+12)(SP)(DI*4), D

// The same for all planes.
#define START1 Q512(PLANE0, Z4, Z5, Z6, Z7)

#define START2 \
	START1 \
	Q512(PLANE1, Z8, Z9, Z10, Z11)

#define START3 \
	START2 \
	Q512(PLANE2, Z12, Z13, Z14, Z15)

// The increments of planes from column 0 to the columns Z25.
#define RISE1 VMULPS Z16, Z25, Z1

#define RISE2 \
	RISE1 \
	VMULPS Z17, Z25, Z2

#define RISE3 \
	RISE2 \
	VMULPS Z18, Z25, Z3

// The depths of the columns in one of the rows. If the limit is infinite, no depth is above it and
// no pixel is below 0. MIN and MAX then are integer instructions, which run in parallel with the
// sums: nonnegative floats are ordered like their bits, and a negative depth of any size raises
// no pixel.
#define DEPTH1(MIN, A, B, C) \
	VADDPS A, Z1, Z0

#define DEPTH2(MIN, A, B, C) \
	DEPTH1(MIN, A, B, C)        \
	VADDPS B, Z2, Z19           \
	MIN Z19, Z0, Z0

#define DEPTH3(MIN, A, B, C) \
	DEPTH2(MIN, A, B, C)        \
	VADDPS C, Z3, Z20           \
	MIN Z20, Z0, Z0

// Raises the pixels of a row from column DX on to the depths.
#define RAISE512(ROW) \
	VPMAXSD (ROW)(DX*4), Z0, Z0      \
	VMOVDQU32 Z0, (ROW)(DX*4)

// The same, except depths above the limit.
#define RAISEBELOW512(ROW) \
	VMOVUPS (ROW)(DX*4), Z21         \
	VCMPPS $0x12, Z28, Z0, K2        \
	VMAXPS Z21, Z0, K2, Z21          \
	VMOVUPS Z21, (ROW)(DX*4)

// The same, inside the span of row I of the four.
#define RAISEENDS512(ROW, I, MAX)                      \
	VMOVUPS (ROW)(DX*4), Z21                              \
	VCMPPS $0x12, Z28, Z0, K2                             \
	VCMPPS.BCST $0x1D, (BEGIN+4*I)(SP)(DI*4), Z25, K2, K2 \
	VCMPPS.BCST $0x11, (END+4*I)(SP)(DI*4), Z25, K2, K2   \
	MAX Z21, Z0, K2, Z21                                  \
	VMOVUPS Z21, (ROW)(DX*4)

// The pixels of four rows from DI on, R8, R11, R12 and R13, in columns DX up to R14. Registers
// that begin in columns AX to BX are inside all four spans.
#define FOUR512(START, RISE, DEPTH, MIN, MAX, RAISE, CHUNK, ENDS) \
	START                                                            \
CHUNK:                                                            \
	RISE                                                             \
	CMPL DX, AX                                                      \
	JLT  ENDS                                                        \
	CMPL DX, BX                                                      \
	JGT  ENDS                                                        \
	DEPTH(MIN, Z4, Z8, Z12)                                          \
	RAISE(R8)                                                        \
	DEPTH(MIN, Z5, Z9, Z13)                                          \
	RAISE(R11)                                                       \
	DEPTH(MIN, Z6, Z10, Z14)                                         \
	RAISE(R12)                                                       \
	DEPTH(MIN, Z7, Z11, Z15)                                         \
	RAISE(R13)                                                       \
	VADDPS Z27, Z25, Z25                                             \
	ADDL $16, DX                                                     \
	CMPL DX, R14                                                     \
	JLT  CHUNK                                                       \
	JMP  nextfour                                                    \
ENDS:                                                             \
	DEPTH(MIN, Z4, Z8, Z12)                                          \
	RAISEENDS512(R8, 0, MAX)                                         \
	DEPTH(MIN, Z5, Z9, Z13)                                          \
	RAISEENDS512(R11, 1, MAX)                                        \
	DEPTH(MIN, Z6, Z10, Z14)                                         \
	RAISEENDS512(R12, 2, MAX)                                        \
	DEPTH(MIN, Z7, Z11, Z15)                                         \
	RAISEENDS512(R13, 3, MAX)                                        \
	VADDPS Z27, Z25, Z25                                             \
	ADDL $16, DX                                                     \
	CMPL DX, R14                                                     \
	JLT  CHUNK                                                       \
	JMP  nextfour

// The minimum and the maximum of each four lanes.
#define SPREAD512(FROM, LEAST, MOST) \
	VPERMILPS $0xB1, FROM, Z0   \
	VMINPS Z0, FROM, LEAST      \
	VMAXPS Z0, FROM, MOST       \
	VPERMILPS $0x4E, LEAST, Z0  \
	VPERMILPS $0x4E, MOST, Z1   \
	VMINPS Z0, LEAST, LEAST     \
	VMAXPS Z1, MOST, MOST       \
	VCVTTPS2DQ LEAST, LEAST     \
	VCVTTPS2DQ MOST, MOST

// All planes in column 0 of row I of the four.
#define VALUES512(I) \
	VBROADCASTSS (ROWS+4*I)(SP)(DI*4), Z0  \
	VMULPS Cone_PY(SI), Z0, Z1             \
	VMULPS (Cone_PY+64)(SI), Z0, Z0        \
	VADDPS Cone_P0(SI), Z1, Z1             \
	VADDPS (Cone_P0+64)(SI), Z0, Z0        \
	VMOVUPS Z1, (ALL+128*I)(SP)            \
	VMOVUPS Z0, (ALL+128*I+64)(SP)

// Adds plane BX, with the increments Z1, in row I of the four.
#define LOWER512(I, TO) \
	VADDPS.BCST (ALL+128*I)(SP)(BX*4), Z1, Z0 \
	VMINPS Z0, TO, TO

// func coneRowsAVX512(row *float32, stride, width int, c *Cone, y, n int)
TEXT ·coneRowsAVX512(SB), 0, $960-48
	CONESETUP
	VMOVDQU32 ·laneNumbers(SB), Z31
	VPBROADCASTD width+16(FP), Z30
	VCVTDQ2PS Z30, Z30
	MOVL $0x4E6E6B28, AX                 // 1e9
	VPBROADCASTD AX, Z29
	VBROADCASTSS Cone_Limit(SI), Z28
	MOVL $0x41800000, AX                 // 16
	VPBROADCASTD AX, Z27
	VBROADCASTSS Cone_PX(SI), Z16
	VBROADCASTSS (Cone_PX+4)(SI), Z17
	VBROADCASTSS (Cone_PX+8)(SI), Z18

band:
	MOVQ y+32(FP), R10
	ADDQ n+40(FP), R10
	LEAQ -1(R10), AX
	SUBQ CX, R10
	VPBROADCASTD AX, Z0
	VPBROADCASTD R10, Z26
	VPADDD    Z31, Z26, Z26
	VPMINSD   Z0, Z26, Z26               // rows beyond the last repeat it
	VCVTDQ2PS Z26, Z26
	VPXORD    Z24, Z24, Z24
	VMOVAPS   Z30, Z23
	LINES512(Cone_Lefts, Cone_LM, Cone_LC, VMAXPS, Z24, left, lefts)
	LINES512(Cone_Rights, Cone_RM, Cone_RC, VMINPS, Z23, right, rights)
	VCMPPS $0x11, Z23, Z24, K1
	VRNDSCALEPS $0x0A, Z24, Z24          // up
	VRNDSCALEPS $0x09, Z23, Z23          // down
	VBLENDMPS Z24, Z29, K1, Z24          // no pixel: from 1e9 to 0
	VMOVAPS.Z Z23, K1, Z23
	VMOVUPS Z24, BEGIN(SP)
	VMOVUPS Z23, END(SP)
	START512(0, PLANE0)
	START512(1, PLANE1)
	START512(2, PLANE2)
	VMOVUPS Z26, ROWS(SP)
	SPREAD512(Z24, Z2, Z3)
	VMOVDQU32 Z2, FIRST(SP)
	VMOVDQU32 Z3, FROM(SP)
	SPREAD512(Z23, Z2, Z3)
	VMOVDQU32 Z2, TO(SP)
	VMOVDQU32 Z3, LAST(SP)
	XORL DI, DI

four:
	MOVL FIRST(SP)(DI*4), DX
	MOVL LAST(SP)(DI*4), R14
	ANDL $~15, DX
	CMPL DX, R14
	JGE  nextfour
	MOVL CX, AX
	SUBL DI, AX
	LEAQ (R8)(R9*1), R11
	CMPL AX, $2
	CMOVQLT R8, R11
	LEAQ (R11)(R9*1), R12
	CMPL AX, $3
	CMOVQLT R11, R12
	LEAQ (R12)(R9*1), R13
	CMPL AX, $4
	CMOVQLT R12, R13
	VPBROADCASTD DX, Z25
	VPADDD Z31, Z25, Z25
	VCVTDQ2PS Z25, Z25
	MOVL FROM(SP)(DI*4), AX
	MOVL TO(SP)(DI*4), BX
	SUBL $16, BX
	CMPQ Cone_Planes(SI), $2
	JLT  four1
	JEQ  four2
	CMPQ Cone_Planes(SI), $3
	JEQ  four3
	JMP  fourall

four1:
	CMPL Cone_Limit(SI), $0x7F800000
	JNE  below1
	FOUR512(START1, RISE1, DEPTH1, VPMINSD, VPMAXSD, RAISE512, chunk1, ends1)

four2:
	CMPL Cone_Limit(SI), $0x7F800000
	JNE  below2
	FOUR512(START2, RISE2, DEPTH2, VPMINSD, VPMAXSD, RAISE512, chunk2, ends2)

four3:
	CMPL Cone_Limit(SI), $0x7F800000
	JNE  below3
	FOUR512(START3, RISE3, DEPTH3, VPMINSD, VPMAXSD, RAISE512, chunk3, ends3)

below1:
	FOUR512(START1, RISE1, DEPTH1, VMINPS, VMAXPS, RAISEBELOW512, chunkbelow1, endsbelow1)

below2:
	FOUR512(START2, RISE2, DEPTH2, VMINPS, VMAXPS, RAISEBELOW512, chunkbelow2, endsbelow2)

below3:
	FOUR512(START3, RISE3, DEPTH3, VMINPS, VMAXPS, RAISEBELOW512, chunkbelow3, endsbelow3)

fourall:
	VALUES512(0)
	VALUES512(1)
	VALUES512(2)
	VALUES512(3)

chunkall:
	VMULPS.BCST Cone_PX(SI), Z25, Z1
	VADDPS.BCST ALL(SP), Z1, Z4
	VADDPS.BCST (ALL+128)(SP), Z1, Z5
	VADDPS.BCST (ALL+256)(SP), Z1, Z6
	VADDPS.BCST (ALL+384)(SP), Z1, Z7
	MOVL $1, BX

plane:
	VMULPS.BCST Cone_PX(SI)(BX*4), Z25, Z1
	LOWER512(0, Z4)
	LOWER512(1, Z5)
	LOWER512(2, Z6)
	LOWER512(3, Z7)
	INCL BX
	CMPL BX, Cone_Planes(SI)
	JLT  plane
	VMOVAPS Z4, Z0
	RAISEENDS512(R8, 0, VMAXPS)
	VMOVAPS Z5, Z0
	RAISEENDS512(R11, 1, VMAXPS)
	VMOVAPS Z6, Z0
	RAISEENDS512(R12, 2, VMAXPS)
	VMOVAPS Z7, Z0
	RAISEENDS512(R13, 3, VMAXPS)
	VADDPS Z27, Z25, Z25
	ADDL $16, DX
	CMPL DX, R14
	JLT  chunkall

nextfour:
	LEAQ (R8)(R9*4), R8
	ADDL $4, DI
	CMPL DI, $16
	JGE  nextband
	CMPL DI, CX
	JLT  four

nextband:
	SUBQ $16, CX
	JGT  band
	VZEROUPPER
	RET
