// Macros that the seen kernels of both tiers share. The planes:

#define COEF(i, k) (Planes_Coef+16*i+4*k)(DX)
#define OFFSET(i, k) (Planes_Off+16*i+4*k)(DX)
#define WIDE(i) (Planes_Wide+4*i)(DX)
#define NUMBER(i)

#define SIX(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

// A nodes kernel:
//
//	R8, R9, R10    queue, head, length      SI  nodes      CX  nodes left
//	R11, R12       packets, length          R15 entry      BX  this node
#define SEENNODESETUP \
	MOVQ w+0(FP), DI               \
	MOVQ nodes+8(FP), SI           \
	MOVQ filter+24(FP), R14        \
	MOVQ budget+32(FP), CX         \
	MOVQ (Seen_Queue+0)(DI), R8    \
	MOVQ (Seen_Queue+8)(DI), R10   \
	MOVQ Seen_Head(DI), R9         \
	MOVQ (Seen_Packets+0)(DI), R11 \
	MOVQ (Seen_Packets+8)(DI), R12

#define SEENNODEDONE \
	MOVQ w+0(FP), DI               \
	MOVQ R10, (Seen_Queue+8)(DI)   \
	MOVQ R9, Seen_Head(DI)         \
	MOVQ R12, (Seen_Packets+8)(DI)

// Packet R10 of the list at R9 as an entry, and its address; prefetches the packet four entries on,
// if there is one.
#define SEENPACKET \
	CMPQ R11, R15            \
	JGE  fetched             \
	MOVL 16(R9)(R11*4), DI   \
	ANDL $const_seenSlot, DI \
	PACKETADDR(DI)           \
	PREFETCHT0 (DI)          \
	PREFETCHT0 64(DI)        \
	PREFETCHT0 128(DI)       \
	PREFETCHT0 192(DI)       \
	PREFETCHT0 256(DI)       \
	PREFETCHT0 320(DI)       \
fetched:                    \
	MOVL (R9)(R11*4), R10    \
	MOVL R10, BX             \
	ANDL $const_seenSlot, BX \
	PACKETADDR(BX)

// The depth test of the boxes of a node or packet: see [Lens], rect.clip and rect.hides.
//
//	BX  the boxes          R13  pixels       AX, DI, DX, R14  scratch
//
// Indices into ·seenConstants: 0 all bits except the sign, 1 is 0.5, 2 is 1, 3 the bits of 16 and
// above, 4 the bits of 4 and above, 5 is 2 as an integer, 8 to 23 are 0 to 15.
#define CONSTANT(i) ·seenConstants+(4*i)(SB)

// AVX-512. Registers of a whole call; a macro below leaves Z3, Z4, Z6, K6 and K7 alone.
//
//	Z7   zero            Z31  all but signs   Z30  0.5   Z29  1
//	Z28  bits from 16    Z27  bits from 4     Z26  two   Z25  all ones
#define SEENSETUP512 \
	VPXORD Z7, Z7, Z7          \
	VBROADCASTSS CONSTANT(0), Z31 \
	VBROADCASTSS CONSTANT(1), Z30     \
	VBROADCASTSS CONSTANT(2), Z29      \
	VPBROADCASTD CONSTANT(3), Z28  \
	VPBROADCASTD CONSTANT(4), Z27     \
	VPBROADCASTD CONSTANT(5), Z26      \
	VPTERNLOGD $0xFF, Z25, Z25, Z25

// The centre and half the size of the boxes on an axis, relative to the lens at DX.
#define MIDDLE512(a, C, H) \
	VMOVUPS (128*a)(BX), Z0                 \
	VMOVUPS (128*a+64)(BX), Z1              \
	VSUBPS.BCST (Lens_Hi+4*a)(DX), Z0, Z0   \
	VSUBPS.BCST (Lens_Hi+4*a)(DX), Z1, Z1   \
	VSUBPS.BCST (Lens_Lo+4*a)(DX), Z0, Z0   \
	VSUBPS.BCST (Lens_Lo+4*a)(DX), Z1, Z1   \
	VADDPS Z1, Z0, C                        \
	VSUBPS Z0, Z1, H                        \
	VMULPS Z30, C, C                        \
	VMULPS Z30, H, H

// TO = ROW·(A, B, C), with Z0 as scratch.
#define DOT512(ROW, A, B, C, TO) \
	VMULPS.BCST (ROW+0)(DX), A, TO \
	VMULPS.BCST (ROW+4)(DX), B, Z0 \
	VADDPS Z0, TO, TO              \
	VMULPS.BCST (ROW+8)(DX), C, Z0 \
	VADDPS Z0, TO, TO

// TO = |ROW - AT*W| * H on an axis.
#define SPREADAXIS512(ROW, a, AT, H, TO) \
	VMULPS.BCST (Lens_W+4*a)(DX), AT, TO \
	VSUBPS.BCST (ROW+4*a)(DX), TO, TO    \
	VANDPS Z31, TO, TO                   \
	VMULPS H, TO, TO

// LO = AT - R, UP = AT + R, with Z0, Z1, Z2.
#define ENDS512(ROW, SLACK, AT, LO, UP) \
	SPREADAXIS512(ROW, 0, AT, Z11, Z0)   \
	SPREADAXIS512(ROW, 1, AT, Z12, Z1)   \
	VADDPS Z1, Z0, Z0                    \
	SPREADAXIS512(ROW, 2, AT, Z13, Z1)   \
	VMULPS.BCST SLACK(DX), Z14, Z2       \
	VADDPS Z1, Z0, Z0                    \
	VANDPS Z31, AT, Z1                   \
	VMULPS Z16, Z1, Z1                   \
	VADDPS Z2, Z0, Z0                    \
	VADDPS Z1, Z0, Z0                    \
	VDIVPS Z17, Z0, Z0                   \
	VSUBPS Z0, AT, LO                    \
	VADDPS Z0, AT, UP

// The rectangles of the 16 boxes at BX, for the lens at DX: columns Z20 to Z21, rows Z22 to Z23,
// the nearest depth Z14, for the boxes of K1 that have one, K2. It jumps to NONE if no box has one.
#define RECT512(NONE) \
	MIDDLE512(0, Z8, Z11)                    \
	VANDPS Z31, Z8, Z14                      \
	VADDPS Z11, Z14, Z14                     \
	MIDDLE512(1, Z9, Z12)                    \
	VANDPS Z31, Z9, Z2                       \
	VADDPS Z12, Z2, Z2                       \
	VADDPS Z2, Z14, Z14                      \
	MIDDLE512(2, Z10, Z13)                   \
	VANDPS Z31, Z10, Z2                      \
	VADDPS Z13, Z2, Z2                       \
	VADDPS Z2, Z14, Z14                      \
	DOT512(Lens_W, Z8, Z9, Z10, Z15)         \
	VADDPS.BCST Lens_W1(DX), Z15, Z15        \
	DOT512(Lens_sizeW, Z11, Z12, Z13, Z17)   \
	VMULPS.BCST Lens_EW(DX), Z14, Z16        \
	VSUBPS Z17, Z15, Z17                     \
	VSUBPS Z16, Z17, Z17                     \
	VCMPPS.BCST $0x1E, Lens_Least(DX), Z17, K1, K2 \
	KORTESTW K2, K2                          \
	JEQ NONE                                 \
	DOT512(Lens_X, Z8, Z9, Z10, Z18)         \
	DOT512(Lens_Y, Z8, Z9, Z10, Z19)         \
	VDIVPS Z15, Z18, Z18                     \
	VDIVPS Z15, Z19, Z19                     \
	ENDS512(Lens_X, Lens_EX, Z18, Z20, Z21)  \
	ENDS512(Lens_Y, Lens_EY, Z19, Z22, Z23)  \
	CMPL Lens_W1(DX), $0                     \
	JNE parallel                             \
	VDIVPS Z17, Z29, Z14                     \
	JMP projected                            \
parallel:                                   \
	VMULPS.BCST Lens_ET(DX), Z14, Z14        \
	DOT512(Lens_sizeT, Z11, Z12, Z13, Z1)    \
	VADDPS Z14, Z1, Z14                      \
	DOT512(Lens_T, Z8, Z9, Z10, Z1)          \
	VSUBPS Z1, Z14, Z14                      \
projected:

// Classifies the rectangles of K2 for the picture at R14: K3 are outside it, K4 inside, with
// columns Z20 to Z21, rows Z22 to Z23. Rectangles in neither have a NaN.
#define CLIP512 \
	VCMPPS $0x11, Z7, Z21, K2, K3                     \
	VCMPPS.BCST $0x1E, Picture_width(R14), Z20, K2, K4  \
	VCMPPS $0x11, Z7, Z23, K2, K5                     \
	KORW K3, K4, K3                                   \
	VCMPPS.BCST $0x1E, Picture_height(R14), Z22, K2, K4 \
	KORW K3, K5, K3                                   \
	KORW K3, K4, K3                                   \
	KANDNW K2, K3, K4                                 \
	VCMPPS $0x12, Z21, Z20, K4, K4                    \
	VCMPPS $0x12, Z23, Z22, K4, K4                    \
	VMAXPS Z7, Z20, Z20                               \
	VMINPS.BCST Picture_lastX(R14), Z20, Z20          \
	VMINPS.BCST Picture_lastX(R14), Z21, Z21          \
	VMAXPS Z7, Z22, Z22                               \
	VMINPS.BCST Picture_lastY(R14), Z22, Z22          \
	VMINPS.BCST Picture_lastY(R14), Z23, Z23          \
	VCVTTPS2DQ.Z Z20, K4, Z20                         \
	VCVTTPS2DQ.Z Z21, K4, Z21                         \
	VCVTTPS2DQ.Z Z22, K4, Z22                         \
	VCVTTPS2DQ.Z Z23, K4, Z23

// Layout of 16 lanes in the stack frame: four rows of pixels, masks of the 16 columns, and depths.
// For the refinement: first and last pixels, and levels; then spilled registers of a kernel, and
// the first row whose inner texels are nearer for certain, and the number of such rows.
#define ROW0 0
#define ROW1 64
#define ROW2 128
#define ROW3 192
#define MASK 256
#define DEPTH 320
#define KEPT 384
#define INNER 456

// The finest level at which each of the rectangles of K4 has at most 16 columns and 4 rows, Z18,
// and its location there. A missing row repeats the one before. Pixels are in Z11, Z12, Z13 and Z15
// then.
#define LEVEL512 \
	VPXORD Z18, Z18, Z18                 \
	VMOVDQA32 Z20, Z11                   \
	VMOVDQA32 Z21, Z12                   \
	VMOVDQA32 Z22, Z13                   \
	VMOVDQA32 Z23, Z15                   \
	VPSUBD Z20, Z21, Z0                  \
	VPSUBD Z22, Z23, Z1                  \
level:                                  \
	VPTESTMD Z28, Z0, K2                 \
	VPTESTMD Z27, Z1, K5                 \
	KORTESTW K2, K5                      \
	JEQ leveled                          \
	KORW K2, K5, K2                      \
	VPSUBD Z25, Z18, K2, Z18             \
	VPSRLD $2, Z20, K2, Z20              \
	VPSRLD $2, Z21, K2, Z21              \
	VPSRLD $2, Z22, K2, Z22              \
	VPSRLD $2, Z23, K2, Z23              \
	VPSUBD Z20, Z21, Z0                  \
	VPSUBD Z22, Z23, Z1                  \
	JMP level                            \
leveled:                                \
	VMOVDQU Picture_base(R14), Y8        \
	VMOVDQU Picture_stride(R14), Y9      \
	VPERMD Z8, Z18, Z8                   \
	VPERMD Z9, Z18, Z9                   \
	VPMULLD Z9, Z22, Z10                 \
	VPADDD Z20, Z8, Z8                   \
	VPSLLVD Z0, Z26, Z0                  \
	VPTESTMD Z1, Z1, K2                  \
	VPADDD Z25, Z0, Z0                   \
	VPCMPUD $5, Z26, Z1, K3              \
	VPCMPUD $6, Z26, Z1, K5              \
	VPADDD Z10, Z8, Z8                   \
	VMOVDQU32 Z0, MASK(SP)               \
	VMOVDQU32 Z14, DEPTH(SP)             \
	VMOVDQU32 Z8, ROW0(SP)               \
	VPADDD Z9, Z8, K2, Z8                \
	VMOVDQU32 Z8, ROW1(SP)               \
	VPADDD Z9, Z8, K3, Z8                \
	VMOVDQU32 Z8, ROW2(SP)               \
	VPADDD Z9, Z8, K5, Z8                \
	VMOVDQU32 Z8, ROW3(SP)

// The hidden boxes of the boxes K1 at BX: K5.
#define LOOK512(LENS, PICTURE, PIX) \
	MOVQ  LENS, DX                       \
	MOVQ  PICTURE, R14                   \
	KXORW K5, K5, K5                     \
	RECT512(looked)                      \
	CLIP512                              \
	KMOVW K3, R13 /* beside the picture: hidden */ \
	KMOVW K4, AX                         \
	TESTL AX, AX                         \
	JEQ   lanes                          \
	LEVEL512                             \
	MOVQ  PIX, DX                        \
lane:                                   \
	TZCNTL AX, DI                        \
	BLSRL  AX, AX                        \
	MOVL   ROW0(SP)(DI*4), R14           \
	VMOVUPS (DX)(R14*4), Z0              \
	MOVL   ROW1(SP)(DI*4), R14           \
	VMINPS (DX)(R14*4), Z0, Z0           \
	MOVL   ROW2(SP)(DI*4), R14           \
	VMINPS (DX)(R14*4), Z0, Z0           \
	MOVL   ROW3(SP)(DI*4), R14           \
	VMINPS (DX)(R14*4), Z0, Z0           \
	VBROADCASTSS DEPTH(SP)(DI*4), Z1     \
	KMOVW  MASK(SP)(DI*4), K2            \
	VCMPPS $0x15, Z0, Z1, K2, K2 /* not depth < pixel: seen */ \
	XORL   R14, R14                      \
	KORTESTW K2, K2                      \
	SETEQ  R14                           \
	SHLXL  DI, R14, R14                  \
	ORL    R14, R13                      \
	TESTL  AX, AX                        \
	JNE    lane                          \
	FINER512(PICTURE)                    \
lanes:                                  \
	KMOVW  R13, K5                       \
looked:

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
// beginning of a row and after CX bytes, LAST the last one; each jumps to finerseen if a texel is
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
finerseen:                             \
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

#define FINERMASK512 \
	VBROADCASTSS DEPTH(SP)(DI*4), Z1 \
	KMOVW R8, K3

#define FINERFIRST512 \
	VCMPPS $0x15, (SI), Z1, K2 \
	KORTESTW K2, K2            \
	JNE   finerseen

#define FINERNEXT512 \
	VCMPPS $0x15, (SI)(CX*1), Z1, K2 \
	KORTESTW K2, K2                  \
	JNE   finerseen

#define FINERLAST512 \
	VCMPPS $0x15, (SI)(R9*1), Z1, K3, K2 \
	KORTESTW K2, K2                      \
	JNE   finerseen

#define FINER512(PICTURE) \
	VPTESTMD Z18, Z18, K4, K3            \
	KMOVW K3, AX                         \
	ANDNL AX, R13, AX                    \
	JEQ   lanes                          \
	VMOVDQU32 Z11, ROW0(SP)              \
	VMOVDQU32 Z12, ROW1(SP)              \
	VMOVDQU32 Z13, ROW2(SP)              \
	VMOVDQU32 Z15, ROW3(SP)              \
	VMOVDQU32 Z18, MASK(SP)              \
	FINERKEEP(KEPT)                      \
	MOVQ  PICTURE, BX                    \
	FINERLANES(16, MASK, DEPTH, ROW0, ROW1, ROW2, ROW3, INNER, FINERMASK512, FINERFIRST512, FINERNEXT512, FINERLAST512) \
	FINERBACK(KEPT)
