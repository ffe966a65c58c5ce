//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "cone_amd64.h"

// Rasterizer of convex occluders. It computes the spans of eight rows at once, then the pixels of
// one row after the other, eight at a time. Depths outside the span become -Inf, which raises no
// pixel. Rows have room for whole registers.
//
//	R8   first pixel of a row   R9  bytes of a row   R10  y      CX  rows left
//	SI   cone                   DI  row of the band  R11  rows of the band
//	AX, BX  span                DX  column           R12, R13, R14  scratch

// Layout of the band in the stack frame: spans, the planes in column 0 of each row, for three
// planes, and the rows themselves; then all planes in column 0 of one row.
#define BEGIN 0
#define END 64
#define PLANE0 128
#define PLANE1 192
#define PLANE2 256
#define ROWS 320
#define ALL 384

// Adds a line with slopes M and offsets C to the bound TO, a maximum or minimum by KEEP.
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

// The depth of a plane in the columns Y13.
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

// Raises the eight pixels from column DX on, in the lanes of Y2 that are not above the limit.
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
	VPADDD ·laneNumbers(SB), Y13, Y13 \
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
	VPADDD ·laneNumbers(SB), Y14, Y14
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
