// Macros that the visibility kernels of both tiers share. The planes:

#define COEF(i, k) (Planes_Coef+16*i+4*k)(DX)
#define OFFSET(i, k) (Planes_Off+16*i+4*k)(DX)
#define WIDE(i) (Planes_Wide+4*i)(DX)
#define NUMBER(i)

#define SIX(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

// A nodes kernel:
//
//	R8, R9, R10    queue, head, length      SI  nodes      CX  nodes left
//	R11, R12       packets, length          R15 entry      BX  this node
#define VISIBLENODESETUP \
	MOVQ w+0(FP), DI               \
	MOVQ nodes+8(FP), SI           \
	MOVQ filter+24(FP), R14        \
	MOVQ budget+32(FP), CX         \
	MOVQ (VisibleWalk_Queue+0)(DI), R8 \
	MOVQ (VisibleWalk_Queue+8)(DI), R10 \
	MOVQ VisibleWalk_Head(DI), R9  \
	MOVQ (VisibleWalk_Packets+0)(DI), R11 \
	MOVQ (VisibleWalk_Packets+8)(DI), R12

#define VISIBLENODEDONE \
	MOVQ w+0(FP), DI               \
	MOVQ R10, (VisibleWalk_Queue+8)(DI) \
	MOVQ R9, VisibleWalk_Head(DI)  \
	MOVQ R12, (VisibleWalk_Packets+8)(DI)

// Packet R10 of the list at R9 as an entry, and its address; prefetches the packet four entries on,
// if there is one.
#define VISIBLEPACKET \
	CMPQ R11, R15            \
	JGE  fetched             \
	MOVL 16(R9)(R11*4), DI   \
	ANDL $const_entryIndex, DI \
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
	ANDL $const_entryIndex, BX \
	PACKETADDR(BX)

// A packets kernel. LIVE finds the live lanes, BORDER those that intersect the planes; ANY tests whether there
// are some. DEPTH finds the hidden ones, whose number is in COUNT, REST removes them, and MASK loads the
// lanes left into AX.
#define VISIBLEPACKETS(SETUP, LIVE, BORDER, ANY, DEPTH, COUNT, REST, MASK) \
	MOVQ out+0(FP), R8        \
	MOVQ packets+8(FP), SI    \
	MOVQ slots+16(FP), R9     \
	MOVQ n+24(FP), CX         \
	MOVQ $0, hidden+72(FP)    \
	XORL R12, R12             \
	XORL R11, R11             \
	LEAQ -4(CX), R15          \
	SETUP                     \
packetloop:                \
	VISIBLEPACKET             \
	LIVE                      \
	TESTL $const_InsideFlag, R10 \
	JNE  inside               \
	BORDER                    \
inside:                    \
	ANY                       \
	JEQ  nextpacket           \
	CMPQ p+48(FP), $0         \
	JEQ  put                  \
	DEPTH(l+40(FP), p+48(FP), pix+56(FP)) \
	ADDQ COUNT, hidden+72(FP) \
	REST                      \
put:                       \
	MASK                      \
	ANDL $const_entryIndex, R10 \
	PUTRANGE                  \
nextpacket:                \
	INCQ R11                  \
	CMPQ R11, CX              \
	JLT  packetloop           \
	MOVQ R12, written+64(FP)  \
	VZEROUPPER                \
	RET

// A ranges kernel, with the same arguments. LANES loads the lanes of the range at R9.
#define VISIBLERANGES(SETUP, LANES, DEPTH, COUNT, REST, MASK) \
	MOVQ out+0(FP), R8        \
	MOVQ packets+8(FP), SI    \
	MOVQ ranges+16(FP), R9    \
	MOVQ n+24(FP), CX         \
	MOVQ $0, hidden+64(FP)    \
	XORL R12, R12             \
	SETUP                     \
rangeloop:                 \
	MOVL Range_First(R9), R10 \
	MOVL R10, BX              \
	PACKETADDR(BX)            \
	LANES                     \
	DEPTH(l+32(FP), p+40(FP), pix+48(FP)) \
	ADDQ COUNT, hidden+64(FP) \
	REST                      \
	MASK                      \
	PUTRANGE                  \
	ADDQ $8, R9               \
	DECQ CX                   \
	JNZ  rangeloop            \
	MOVQ R12, written+56(FP)  \
	VZEROUPPER                \
	RET

// The depth test of the boxes of a node or packet: see [Lens], rect.clip and rect.hides.
//
//	BX  the boxes          R13  pixels       AX, DI, DX, R14  scratch
//
// Indices into ·visibleConstants: 0 all bits except the sign, 1 is 0.5, 2 is 1, 3 the bits of 16 and
// above, 4 the bits of 4 and above, 5 is 2 as an integer, 8 to 23 are 0 to 15.
#define CONSTANT(i) ·visibleConstants+(4*i)(SB)

// AVX-512. Registers of a whole call; a macro below leaves Z3, Z4, Z6, K6 and K7 alone.
//
//	Z7   zero            Z31  all but signs   Z30  0.5   Z29  1
//	Z28  bits from 16    Z27  bits from 4     Z26  two   Z25  all ones
#define VISIBLESETUP512 \
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
	VCMPPS $0x15, Z0, Z1, K2, K2 /* not depth < pixel: visible */ \
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

#define FINERMASK512 \
	VBROADCASTSS DEPTH(SP)(DI*4), Z1 \
	KMOVW R8, K3

#define FINERFIRST512 \
	VCMPPS $0x15, (SI), Z1, K2 \
	KORTESTW K2, K2            \
	JNE   finervisible

#define FINERNEXT512 \
	VCMPPS $0x15, (SI)(CX*1), Z1, K2 \
	KORTESTW K2, K2                  \
	JNE   finervisible

#define FINERLAST512 \
	VCMPPS $0x15, (SI)(R9*1), Z1, K3, K2 \
	KORTESTW K2, K2                      \
	JNE   finervisible

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
