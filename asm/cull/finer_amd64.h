// Refines the lanes AX, one after the other: tests whether all texels of the level below are
// nearer. If not, tests whether the texels completely inside the rectangle are nearer, and then the
// texels below them: in rows that those texels cover, only the ends. The result is that of all
// texels two levels below. The first and last pixels of a lane are on the stack, and the level.
//
//	AX   lanes left   DX   pixels of the picture BX   SI   row     R8   mask of columns in a register
//	DI   lane         R13  hidden                     CX   bytes   R9   bytes of columns before its last register
//	R14  level        R15  2, then 1, then 0          R10  rows left   R11  bytes of a row
//	R12  the row, relative to the first row whose inner texels are nearer for certain
#define FINERKEEP(AT) \
	MOVQ BX, (AT+0)(SP)    \
	MOVQ CX, (AT+8)(SP)    \
	MOVQ SI, (AT+16)(SP)   \
	MOVQ R8, (AT+24)(SP)   \
	MOVQ R9, (AT+32)(SP)   \
	MOVQ R10, (AT+40)(SP)  \
	MOVQ R11, (AT+48)(SP)  \
	MOVQ R12, (AT+56)(SP)  \
	MOVQ R15, (AT+64)(SP)

#define FINERBACK(AT) \
	MOVQ (AT+0)(SP), BX    \
	MOVQ (AT+8)(SP), CX    \
	MOVQ (AT+16)(SP), SI   \
	MOVQ (AT+24)(SP), R8   \
	MOVQ (AT+32)(SP), R9   \
	MOVQ (AT+40)(SP), R10  \
	MOVQ (AT+48)(SP), R11  \
	MOVQ (AT+56)(SP), R12  \
	MOVQ (AT+64)(SP), R15

// The rectangle of lane DI on level R14: columns from R8 on, R9 more; rows from R12 on, R10 more.
#define FINERTOUCHED(COLUMN0, COLUMN1, FIRST, LAST) \
	LEAL (R14)(R14*1), CX      \
	MOVL COLUMN0(SP)(DI*4), R8 \
	MOVL COLUMN1(SP)(DI*4), R9 \
	MOVL FIRST(SP)(DI*4), R12  \
	MOVL LAST(SP)(DI*4), R10   \
	SHRXL CX, R8, R8           \
	SHRXL CX, R9, R9           \
	SHRXL CX, R12, R12         \
	SHRXL CX, R10, R10         \
	SUBL R8, R9                \
	SUBL R12, R10

// The texels inside the rectangle. It jumps to NONE if there is none.
#define FINERINNER(COLUMN0, COLUMN1, FIRST, LAST, NONE) \
	LEAL (R14)(R14*1), CX      \
	MOVL $1, R11               \
	SHLXL CX, R11, R11         \
	MOVL COLUMN0(SP)(DI*4), R8 \
	MOVL COLUMN1(SP)(DI*4), R9 \
	MOVL FIRST(SP)(DI*4), R12  \
	MOVL LAST(SP)(DI*4), R10   \
	LEAL -1(R8)(R11*1), R8     \
	LEAL -1(R12)(R11*1), R12   \
	INCL R9                    \
	INCL R10                   \
	SHRXL CX, R8, R8           \
	SHRXL CX, R9, R9           \
	SHRXL CX, R12, R12         \
	SHRXL CX, R10, R10         \
	DECL R9                    \
	DECL R10                   \
	SUBL R8, R9                \
	JLT  NONE                  \
	SUBL R12, R10              \
	JLT  NONE

// The location of the texels, in registers of LANES words; the last register ends at the last
// column.
#define FINERPLACE(LANES) \
	MOVL Picture_stride(BX)(R14*4), R11 \
	MOVL R12, CX                       \
	IMULL R11, CX                      \
	ADDL R8, CX                        \
	ADDL Picture_base(BX)(R14*4), CX   \
	LEAQ (DX)(CX*4), SI                \
	SHLQ $2, R11                       \
	INCL R9                            \
	MOVL $LANES, CX                    \
	CMPL R9, CX                        \
	CMOVLLT R9, CX                     \
	MOVL $-1, R8                       \
	BZHIL CX, R8, R8                   \
	SUBL CX, R9                        \
	SHLL $2, R9

// Refines the lanes AX. It tests the corners of the pixels first, which finds most visible boxes.
// PLACED runs when a rectangle is loaded. FIRST and NEXT compare whole registers of texels, at the
// beginning of a row and after CX bytes, LAST the last one; each jumps to finervisible if a texel is
// not nearer.
#define FINERLANES(LANES, LEVELS, NEAREST, COLUMN0, COLUMN1, TOP, BOTTOM, INNER, PLACED, FIRST, NEXT, LAST) \
finer:                                 \
	TZCNTL AX, DI                       \
	BLSRL  AX, AX                       \
	MOVL   Picture_stride(BX), R11      \
	MOVL   TOP(SP)(DI*4), R12           \
	MOVL   BOTTOM(SP)(DI*4), R10        \
	IMULL  R11, R12                     \
	IMULL  R11, R10                     \
	MOVL   COLUMN0(SP)(DI*4), R8        \
	MOVL   COLUMN1(SP)(DI*4), R9        \
	LEAQ   (DX)(R12*4), R12             \
	LEAQ   (DX)(R10*4), R10             \
	VMOVSS (R12)(R8*4), X0              \
	VMINSS (R12)(R9*4), X0, X0          \
	VMINSS (R10)(R8*4), X0, X0          \
	VMINSS (R10)(R9*4), X0, X0          \
	VUCOMISS NEAREST(SP)(DI*4), X0      \
	JLS    finernext                    \
	MOVL   LEVELS(SP)(DI*4), R14        \
	MOVL   $0, (INNER+4)(SP)            \
	DECL   R14                          \
	JEQ    finerpixels                  \
	MOVL   $2, R15                      \
	JMP    finertouched                 \
finervisible:                          \
	CMPL R15, $2                        \
	JNE  finernext                      \
	FINERINNER(COLUMN0, COLUMN1, TOP, BOTTOM, finerrest) \
	LEAL 4(R10*4), CX                   \
	MOVL CX, (INNER+4)(SP)              \
	LEAL (R12*4), CX                    \
	MOVL CX, INNER(SP)                  \
	FINERPLACE(LANES)                   \
	PLACED                              \
	MOVL $0x40000000, R12               \
	MOVL $1, R15                        \
	JMP  finerrow                       \
finerrest:                             \
	DECL R14                            \
finerpixels:                           \
	XORL R15, R15                       \
finertouched:                          \
	FINERTOUCHED(COLUMN0, COLUMN1, TOP, BOTTOM) \
	FINERPLACE(LANES)                   \
	PLACED                              \
	SUBL INNER(SP), R12                 \
finerrow:                              \
	XORL CX, CX                         \
	CMPL R12, (INNER+4)(SP)             \
	JCC  finerlast                      \
	TESTL R9, R9                        \
	JEQ  finerlast                      \
	FIRST                               \
	MOVL R9, CX                         \
	JMP  finerlast                      \
finerwhole:                            \
	NEXT                                \
	ADDL $(4*LANES), CX                 \
finerlast:                             \
	CMPL CX, R9                         \
	JLT  finerwhole                     \
	LAST                                \
	INCL R12                            \
	ADDQ R11, SI                        \
	DECL R10                            \
	JGE  finerrow                       \
	CMPL R15, $1                        \
	JEQ  finerrest                      \
	BTSL DI, R13                        \
finernext:                             \
	TESTL AX, AX                        \
	JNE  finer
