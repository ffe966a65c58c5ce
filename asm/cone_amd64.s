//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// Cones: the span of each row, of as many rows at once as a register has lanes, then the pixels
// of one row after the other.
//
//	R8   first pixel of a row   R9  bytes of a row   R10  y      CX  rows left
//	SI   cone                   DI  row of the band  R11  rows of the band
//	AX, BX  span                DX  column           R12, R13, R14  scratch

// Where a band lies on the stack: spans, what planes are in column 0 of each row, for three planes,
// and the rows themselves; then what all planes are in column 0 of one row.
#define BEGIN 0
#define END 64
#define PLANE0 128
#define PLANE1 192
#define PLANE2 256
#define ROWS 320
#define ALL 384

#define CONESETUP \
	MOVQ row+0(FP), R8     \
	MOVQ stride+8(FP), R9  \
	MOVQ c+24(FP), SI      \
	MOVQ y+32(FP), R10     \
	MOVQ n+40(FP), CX

// One more line, of slopes M and offsets C: the bound TO goes up or down, by KEEP.
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

// The depth of a plane on the columns Z25: its slope is PX, and Q what it is in column 0.
#define DEPTH512(PX, Q, TO) \
	VMULPS PX, Z25, TO \
	VADDPS Q, TO, TO

#define ONE512 DEPTH512(Z16, Z19, Z0)

#define TWO512 \
	ONE512                    \
	DEPTH512(Z17, Z20, Z1)    \
	VMINPS Z1, Z0, Z0

#define THREE512 \
	TWO512                    \
	DEPTH512(Z18, Z21, Z2)    \
	VMINPS Z2, Z0, Z0

// The lanes K1 of 16 pixels are raised to Z0 where that is not above the limit.
#define RAISE512 \
	VMOVUPS (R8)(DX*4), Z1      \
	VCMPPS $0x12, Z28, Z0, K1, K2 \
	VMAXPS Z1, Z0, K2, Z1       \
	VMOVUPS Z1, (R8)(DX*4)

// The pixels of row DI. BODY puts depths into Z0.
#define ROW512(START, BODY, LOOP, CHUNK, LAST, NEXT) \
LOOP:                                 \
	MOVL BEGIN(SP)(DI*4), AX           \
	MOVL END(SP)(DI*4), BX             \
	CMPL AX, BX                        \
	JGE  NEXT                          \
	START                              \
	MOVL AX, DX                        \
	ANDL $~15, DX                      \
	SUBL DX, AX                        \
	VPBROADCASTD DX, Z25               \
	VPADDD Z31, Z25, Z25               \
	VCVTDQ2PS Z25, Z25                 \
	MOVL $0xFFFF, R13                  \
	SHLXL AX, R13, R13                 \
	KMOVW R13, K1                      \
CHUNK:                                \
	LEAL 16(DX), R12                   \
	CMPL R12, BX                       \
	JGT  LAST                          \
	BODY                               \
	RAISE512                           \
	VADDPS Z27, Z25, Z25               \
	KXNORW K0, K0, K1                  \
	MOVL R12, DX                       \
	CMPL DX, BX                        \
	JLT  CHUNK                         \
	JMP  NEXT                          \
LAST:                                 \
	BODY                               \
	SUBL DX, BX                        \
	MOVL $0xFFFF, R13                  \
	BZHIL BX, R13, R13                 \
	KMOVW R13, K3                      \
	KANDW K3, K1, K1                   \
	RAISE512                           \
NEXT:                                 \
	ADDQ R9, R8                        \
	INCQ DI                            \
	CMPQ DI, R11                       \
	JLT  LOOP                          \
	JMP  nextband

#define START1 \
	VBROADCASTSS PLANE0(SP)(DI*4), Z19

#define START2 \
	START1 \
	VBROADCASTSS PLANE1(SP)(DI*4), Z20

#define START3 \
	START2 \
	VBROADCASTSS PLANE2(SP)(DI*4), Z21

// All planes of a row at once.
#define STARTALL512 \
	VBROADCASTSS ROWS(SP)(DI*4), Z0    \
	VMULPS Cone_PY(SI), Z0, Z1         \
	VMULPS (Cone_PY+64)(SI), Z0, Z0    \
	VADDPS Cone_P0(SI), Z1, Z1         \
	VADDPS (Cone_P0+64)(SI), Z0, Z0    \
	VMOVUPS Z1, ALL(SP)                \
	VMOVUPS Z0, (ALL+64)(SP)

#define ALL512(LOOP) \
	VMULPS.BCST Cone_PX(SI), Z25, Z0          \
	VADDPS.BCST ALL(SP), Z0, Z0               \
	MOVL $1, R13                              \
LOOP:                                        \
	VMULPS.BCST Cone_PX(SI)(R13*4), Z25, Z1   \
	VADDPS.BCST ALL(SP)(R13*4), Z1, Z1        \
	VMINPS Z1, Z0, Z0                         \
	INCL R13                                  \
	CMPL R13, R14                             \
	JLT LOOP

// func coneRowsAVX512(row *float32, stride, width int, c *Cone, y, n int)
TEXT ·coneRowsAVX512(SB), NOSPLIT, $512-48
	CONESETUP
	MOVQ Cone_Planes(SI), R14
	VMOVDQU32 ·seenConstants+32(SB), Z31
	VPBROADCASTD width+16(FP), Z30
	VCVTDQ2PS Z30, Z30
	VPXORD Z29, Z29, Z29
	VBROADCASTSS Cone_Limit(SI), Z28
	MOVL $0x41800000, AX                 // 16
	VPBROADCASTD AX, Z27
	VBROADCASTSS Cone_PX(SI), Z16
	VBROADCASTSS (Cone_PX+4)(SI), Z17
	VBROADCASTSS (Cone_PX+8)(SI), Z18

band:
	VPBROADCASTD R10, Z26
	VPADDD    Z31, Z26, Z26
	VCVTDQ2PS Z26, Z26
	VMOVAPS   Z29, Z24
	VMOVAPS   Z30, Z23
	LINES512(Cone_Lefts, Cone_LM, Cone_LC, VMAXPS, Z24, left, lefts)
	LINES512(Cone_Rights, Cone_RM, Cone_RC, VMINPS, Z23, right, rights)
	VCMPPS $0x11, Z23, Z24, K1
	VRNDSCALEPS $0x0A, Z24, Z24          // up
	VCVTTPS2DQ.Z Z24, K1, Z24
	VCVTTPS2DQ.Z Z23, K1, Z23
	VMOVDQU32 Z24, BEGIN(SP)
	VMOVDQU32 Z23, END(SP)
	START512(0, PLANE0)
	START512(1, PLANE1)
	START512(2, PLANE2)
	VMOVUPS Z26, ROWS(SP)
	MOVQ $16, R11
	CMPQ CX, R11
	CMOVQLT CX, R11
	XORL DI, DI
	CMPQ R14, $2
	JLT  row1
	JEQ  row2
	CMPQ R14, $3
	JEQ  row3
	JMP  rowall

	ROW512(START1, ONE512, row1, chunk1, last1, next1)
	ROW512(START2, TWO512, row2, chunk2, last2, next2)
	ROW512(START3, THREE512, row3, chunk3, last3, next3)

rowall:
	MOVL BEGIN(SP)(DI*4), AX
	MOVL END(SP)(DI*4), BX
	CMPL AX, BX
	JGE  nextall
	STARTALL512
	MOVL AX, DX
	ANDL $~15, DX
	SUBL DX, AX
	VPBROADCASTD DX, Z25
	VPADDD Z31, Z25, Z25
	VCVTDQ2PS Z25, Z25
	MOVL $0xFFFF, R13
	SHLXL AX, R13, R13
	KMOVW R13, K1

chunkall:
	ALL512(plane)
	MOVL $0xFFFF, R13
	MOVL BX, R12
	SUBL DX, R12
	CMPL R12, $16
	JGE  raise
	BZHIL R12, R13, R13
	KMOVW R13, K3
	KANDW K3, K1, K1

raise:
	RAISE512
	VADDPS Z27, Z25, Z25
	KXNORW K0, K0, K1
	ADDL $16, DX
	CMPL DX, BX
	JLT  chunkall

nextall:
	ADDQ R9, R8
	INCQ DI
	CMPQ DI, R11
	JLT  rowall

nextband:
	ADDQ R11, R10
	SUBQ R11, CX
	JNZ  band
	VZEROUPPER
	RET

// AVX2: bands of eight rows, pixels by eight. What is not to be raised becomes -Inf; rows have room for
// whole registers.

#define LINES256(COUNT, M, C, KEEP, TO, LOOP, DONE) \
	XORL AX, AX                   \
	MOVQ COUNT(SI), BX            \
LOOP:                            \
	CMPQ AX, BX                   \
	JGE  DONE                     \
	VBROADCASTSS M(SI)(AX*4), Y0  \
	VBROADCASTSS C(SI)(AX*4), Y1  \
	VMULPS Y14, Y0, Y0            \
	VADDPS Y1, Y0, Y0             \
	KEEP Y0, TO, TO               \
	INCQ AX                       \
	JMP  LOOP                     \
DONE:

#define START256(k, AT) \
	VBROADCASTSS (Cone_PY+4*k)(SI), Y0 \
	VBROADCASTSS (Cone_P0+4*k)(SI), Y1 \
	VMULPS Y14, Y0, Y0                 \
	VADDPS Y1, Y0, Y0                  \
	VMOVUPS Y0, AT(SP)

// The depth of a plane on the columns Y13.
#define DEPTH256(PX, Q, TO) \
	VMULPS PX, Y13, TO \
	VADDPS Q, TO, TO

#define ONE256 DEPTH256(Y5, Y8, Y0)

#define TWO256 \
	ONE256                  \
	DEPTH256(Y6, Y9, Y1)    \
	VMINPS Y1, Y0, Y0

#define THREE256 \
	TWO256                  \
	DEPTH256(Y7, Y10, Y1)   \
	VMINPS Y1, Y0, Y0

// The eight pixels from column DX on, in those lanes of Y2 that are not above the limit.
#define RAISE256 \
	VBLENDVPS Y2, Y0, Y15, Y0     \
	VMAXPS (R8)(DX*4), Y0, Y0     \
	VMOVUPS Y0, (R8)(DX*4)        \
	VADDPS Y11, Y13, Y13          \
	ADDL $8, DX

// The same between the ends of the span, Y3 and Y4.
#define RAISEENDS256 \
	VCMPPS $0x12, Y12, Y0, Y2     \
	VCMPPS $0x1D, Y3, Y13, Y1     \
	VANDPS Y1, Y2, Y2             \
	VCMPPS $0x11, Y4, Y13, Y1     \
	VANDPS Y1, Y2, Y2             \
	RAISE256

// The columns from AX on, by whole registers, and the ends of the span.
#define COLUMNS256 \
	VMOVD AX, X3                        \
	VPBROADCASTD X3, Y3                 \
	VMOVD BX, X4                        \
	VPBROADCASTD X4, Y4                 \
	MOVL AX, DX                         \
	ANDL $~7, DX                        \
	VMOVD DX, X13                       \
	VPBROADCASTD X13, Y13               \
	VPADDD ·seenConstants+32(SB), Y13, Y13 \
	VCVTDQ2PS Y3, Y3                    \
	VCVTDQ2PS Y4, Y4                    \
	VCVTDQ2PS Y13, Y13

#define ROW256(START, BODY, LOOP, CHUNK, LAST, NEXT) \
LOOP:                             \
	MOVL BEGIN(SP)(DI*4), AX       \
	MOVL END(SP)(DI*4), BX         \
	CMPL AX, BX                    \
	JGE  NEXT                      \
	START                          \
	COLUMNS256                     \
	BODY                           \
	RAISEENDS256                   \
CHUNK:                            \
	LEAL 8(DX), R12                \
	CMPL R12, BX                   \
	JGT  LAST                      \
	BODY                           \
	VCMPPS $0x12, Y12, Y0, Y2      \
	RAISE256                       \
	JMP  CHUNK                     \
LAST:                             \
	CMPL DX, BX                    \
	JGE  NEXT                      \
	BODY                           \
	RAISEENDS256                   \
NEXT:                             \
	ADDQ R9, R8                    \
	INCQ DI                        \
	CMPQ DI, R11                   \
	JLT  LOOP                      \
	JMP  nextband

#define FIRST1 VBROADCASTSS PLANE0(SP)(DI*4), Y8

#define FIRST2 \
	FIRST1 \
	VBROADCASTSS PLANE1(SP)(DI*4), Y9

#define FIRST3 \
	FIRST2 \
	VBROADCASTSS PLANE2(SP)(DI*4), Y10

#define EIGHT256(O) \
	VMULPS (Cone_PY+O)(SI), Y0, Y1 \
	VADDPS (Cone_P0+O)(SI), Y1, Y1 \
	VMOVUPS Y1, (ALL+O)(SP)

// func coneRowsAVX2(row *float32, stride, width int, c *Cone, y, n int)
TEXT ·coneRowsAVX2(SB), NOSPLIT, $512-48
	CONESETUP
	MOVQ Cone_Planes(SI), R14
	MOVL $0xFF800000, AX                 // -Inf
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	VBROADCASTSS Cone_Limit(SI), Y12
	MOVL $0x41000000, AX                 // 8
	VMOVD AX, X11
	VPBROADCASTD X11, Y11
	VBROADCASTSS Cone_PX(SI), Y5
	VBROADCASTSS (Cone_PX+4)(SI), Y6
	VBROADCASTSS (Cone_PX+8)(SI), Y7

band:
	VMOVD R10, X14
	VPBROADCASTD X14, Y14
	VPADDD ·seenConstants+32(SB), Y14, Y14
	VCVTDQ2PS Y14, Y14
	VPBROADCASTD width+16(FP), Y4
	VXORPS Y3, Y3, Y3
	VCVTDQ2PS Y4, Y4
	LINES256(Cone_Lefts, Cone_LM, Cone_LC, VMAXPS, Y3, left, lefts)
	LINES256(Cone_Rights, Cone_RM, Cone_RC, VMINPS, Y4, right, rights)
	VCMPPS $0x11, Y4, Y3, Y0
	VROUNDPS $0x0A, Y3, Y3               // up
	VCVTTPS2DQ Y3, Y3
	VCVTTPS2DQ Y4, Y4
	VPAND Y0, Y3, Y3
	VPAND Y0, Y4, Y4
	VMOVDQU Y3, BEGIN(SP)
	VMOVDQU Y4, END(SP)
	START256(0, PLANE0)
	START256(1, PLANE1)
	START256(2, PLANE2)
	VMOVUPS Y14, ROWS(SP)
	MOVQ $8, R11
	CMPQ CX, R11
	CMOVQLT CX, R11
	XORL DI, DI
	CMPQ R14, $2
	JLT  row1
	JEQ  row2
	CMPQ R14, $3
	JEQ  row3
	JMP  rowall

	ROW256(FIRST1, ONE256, row1, chunk1, last1, next1)
	ROW256(FIRST2, TWO256, row2, chunk2, last2, next2)
	ROW256(FIRST3, THREE256, row3, chunk3, last3, next3)

rowall:
	MOVL BEGIN(SP)(DI*4), AX
	MOVL END(SP)(DI*4), BX
	CMPL AX, BX
	JGE  nextall
	VBROADCASTSS ROWS(SP)(DI*4), Y0
	EIGHT256(0)
	EIGHT256(32)
	EIGHT256(64)
	EIGHT256(96)
	COLUMNS256

chunkall:
	VBROADCASTSS ALL(SP), Y1
	VMULPS Y5, Y13, Y0
	VADDPS Y1, Y0, Y0
	MOVL $1, R13

plane:
	VBROADCASTSS Cone_PX(SI)(R13*4), Y1
	VBROADCASTSS ALL(SP)(R13*4), Y2
	VMULPS Y13, Y1, Y1
	VADDPS Y2, Y1, Y1
	VMINPS Y1, Y0, Y0
	INCL R13
	CMPL R13, R14
	JLT  plane
	RAISEENDS256
	CMPL DX, BX
	JLT  chunkall

nextall:
	ADDQ R9, R8
	INCQ DI
	CMPQ DI, R11
	JLT  rowall

nextband:
	ADDQ R11, R10
	SUBQ R11, CX
	JNZ  band
	VZEROUPPER
	RET
