// AVX2. The same for eight boxes at BX, in steps that return only their results in registers.
// Constants are broadcast at each use: 16 registers do not hold them.

// Layout of eight lanes in the stack frame, as ROW0 to DEPTH; then spilled registers of a kernel.
#define LINE0 0
#define LINE1 32
#define LINE2 64
#define LINE3 96
#define COLUMNS 128
#define NEAREST 160
#define INSIDE 192
#define SAVED 224
#define WANTED 232
#define HIDDEN 236
#define PART 240
#define ONPICTURE 244

// For the refinement: first and last pixels, and levels; then spilled registers of a kernel.
#define PIXEL0 248
#define PIXEL1 280
#define PIXELROW0 312
#define PIXELROW1 344
#define LEVELS 376
#define REGISTERS 408
#define MIDDLE 480

// The centre and half the size on an axis. Y7 is 0.5.
#define MIDDLE256(a, C, H) \
	VBROADCASTSS (Lens_Hi+4*a)(DX), Y2 \
	VBROADCASTSS (Lens_Lo+4*a)(DX), Y3 \
	VMOVUPS (128*a)(BX), Y0            \
	VMOVUPS (128*a+64)(BX), Y1         \
	VSUBPS Y2, Y0, Y0                  \
	VSUBPS Y2, Y1, Y1                  \
	VSUBPS Y3, Y0, Y0                  \
	VSUBPS Y3, Y1, Y1                  \
	VADDPS Y1, Y0, C                   \
	VSUBPS Y0, Y1, H                   \
	VMULPS Y7, C, C                    \
	VMULPS Y7, H, H

// TO = ROW·(A, B, C), with Y0 and Y1 as scratch.
#define DOT256(ROW, A, B, C, TO) \
	VBROADCASTSS (ROW+0)(DX), TO \
	VBROADCASTSS (ROW+4)(DX), Y0 \
	VBROADCASTSS (ROW+8)(DX), Y1 \
	VMULPS A, TO, TO             \
	VMULPS B, Y0, Y0             \
	VMULPS C, Y1, Y1             \
	VADDPS Y0, TO, TO            \
	VADDPS Y1, TO, TO

// TO = |ROW - AT*W| * H of an axis, with Y4.
#define SPREADAXIS256(ROW, a, AT, H, TO) \
	VBROADCASTSS (Lens_W+4*a)(DX), TO \
	VBROADCASTSS (ROW+4*a)(DX), Y4    \
	VMULPS AT, TO, TO                 \
	VSUBPS Y4, TO, TO                 \
	VANDPS Y15, TO, TO                \
	VMULPS H, TO, TO

// LO = AT - R, AT = AT + R, with Y0, Y1 and Y4, which LO may be.
#define ENDS256(ROW, SLACK, AT, LO) \
	SPREADAXIS256(ROW, 0, AT, Y11, Y0)  \
	SPREADAXIS256(ROW, 1, AT, Y12, Y1)  \
	VADDPS Y1, Y0, Y0                   \
	SPREADAXIS256(ROW, 2, AT, Y13, Y1)  \
	VBROADCASTSS SLACK(DX), Y4          \
	VMULPS Y14, Y4, Y4                  \
	VADDPS Y1, Y0, Y0                   \
	VANDPS Y15, AT, Y1                  \
	VMULPS Y6, Y1, Y1                   \
	VADDPS Y4, Y0, Y0                   \
	VADDPS Y1, Y0, Y0                   \
	VDIVPS Y5, Y0, Y0                   \
	VSUBPS Y0, AT, LO                   \
	VADDPS Y0, AT, AT

// The rectangles of the boxes AX, for the lens at DX: columns Y7 to Y2, rows Y4 to Y3, the nearest
// depth Y14, for the remaining boxes in AX; COLUMNS has them for all eight. It jumps to NONE if no
// box is left.
#define RECT256(NONE) \
	VBROADCASTSS CONSTANT(0), Y15            \
	VBROADCASTSS CONSTANT(1), Y7             \
	MIDDLE256(0, Y8, Y11)                    \
	VANDPS Y15, Y8, Y14                      \
	VADDPS Y11, Y14, Y14                     \
	MIDDLE256(1, Y9, Y12)                    \
	VANDPS Y15, Y9, Y0                       \
	VADDPS Y12, Y0, Y0                       \
	VADDPS Y0, Y14, Y14                      \
	MIDDLE256(2, Y10, Y13)                   \
	VANDPS Y15, Y10, Y0                      \
	VADDPS Y13, Y0, Y0                       \
	VADDPS Y0, Y14, Y14                      \
	DOT256(Lens_W, Y8, Y9, Y10, Y7)          \
	VBROADCASTSS Lens_W1(DX), Y0             \
	VADDPS Y0, Y7, Y7                        \
	DOT256(Lens_sizeW, Y11, Y12, Y13, Y5)    \
	VBROADCASTSS Lens_EW(DX), Y6             \
	VMULPS Y14, Y6, Y6                       \
	VSUBPS Y5, Y7, Y5                        \
	VSUBPS Y6, Y5, Y5                        \
	VBROADCASTSS Lens_Least(DX), Y0          \
	VCMPPS $0x1E, Y0, Y5, Y0                 \
	VMOVMSKPS Y0, DI                         \
	VMOVUPS Y0, COLUMNS(SP)                  \
	ANDL DI, AX                              \
	JEQ NONE                                 \
	DOT256(Lens_X, Y8, Y9, Y10, Y2)          \
	DOT256(Lens_Y, Y8, Y9, Y10, Y3)          \
	VDIVPS Y7, Y2, Y2                        \
	VDIVPS Y7, Y3, Y3                        \
	ENDS256(Lens_X, Lens_EX, Y2, Y7)         \
	ENDS256(Lens_Y, Lens_EY, Y3, Y4)         \
	CMPL Lens_W1(DX), $0                     \
	JNE parallel                             \
	VBROADCASTSS CONSTANT(2), Y14            \
	VDIVPS Y5, Y14, Y14                      \
	JMP projected                            \
parallel:                                   \
	VBROADCASTSS Lens_ET(DX), Y5             \
	VMULPS Y14, Y5, Y14                      \
	DOT256(Lens_sizeT, Y11, Y12, Y13, Y5)    \
	VADDPS Y14, Y5, Y14                      \
	DOT256(Lens_T, Y8, Y9, Y10, Y5)          \
	VSUBPS Y5, Y14, Y14                      \
projected:

// Classifies the rectangles of AX for the picture at R14: R13 are outside it, AX inside, with
// columns Y7 to Y2, rows Y4 to Y3. Y9 are the lanes inside, of all eight. DI is scratch.
#define CLIP256 \
	VXORPS Y0, Y0, Y0                    \
	VBROADCASTSS Picture_width(R14), Y1  \
	VCMPPS $0x11, Y0, Y2, Y8             \
	VCMPPS $0x1E, Y1, Y7, Y9             \
	VBROADCASTSS Picture_height(R14), Y1 \
	VCMPPS $0x11, Y0, Y3, Y10            \
	VCMPPS $0x1E, Y1, Y4, Y11            \
	VORPS Y9, Y8, Y8                     \
	VORPS Y11, Y10, Y10                  \
	VORPS Y10, Y8, Y8                    \
	VCMPPS $0x12, Y2, Y7, Y9             \
	VCMPPS $0x12, Y3, Y4, Y10            \
	VANDPS Y10, Y9, Y9                   \
	VANDNPS Y9, Y8, Y9                   \
	VMOVMSKPS Y8, R13                    \
	VMOVMSKPS Y9, DI                     \
	ANDL AX, R13                         \
	ANDL DI, AX                          \
	VBROADCASTSS Picture_lastX(R14), Y1  \
	VMAXPS Y0, Y7, Y7                    \
	VMINPS Y1, Y7, Y7                    \
	VMINPS Y1, Y2, Y2                    \
	VBROADCASTSS Picture_lastY(R14), Y1  \
	VMAXPS Y0, Y4, Y4                    \
	VMINPS Y1, Y4, Y4                    \
	VMINPS Y1, Y3, Y3                    \
	VCVTTPS2DQ Y7, Y7                    \
	VCVTTPS2DQ Y2, Y2                    \
	VCVTTPS2DQ Y4, Y4                    \
	VCVTTPS2DQ Y3, Y3                    \
	VPAND Y9, Y7, Y7                     \
	VPAND Y9, Y2, Y2                     \
	VPAND Y9, Y4, Y4                     \
	VPAND Y9, Y3, Y3

// Advances by a row, if there are more than Y1 has: the offsets Y10, of strides Y11.
#define NEXTLINE256(i, TO) \
	VPBROADCASTD CONSTANT(i), Y12 \
	VPCMPGTD Y12, Y1, Y12         \
	VPAND   Y11, Y12, Y12         \
	VPADDD  Y12, Y10, Y10         \
	VMOVDQU Y10, TO(SP)

// The finest level at which each rectangle has at most 16 columns and 4 rows, and its location
// there.
#define LEVEL256 \
	VPXOR Y8, Y8, Y8                  \
	VPBROADCASTD CONSTANT(23), Y5     \
	VPBROADCASTD CONSTANT(11), Y6     \
	VPBROADCASTD CONSTANT(5), Y12     \
	VPSUBD Y7, Y2, Y0                 \
	VPSUBD Y4, Y3, Y1                 \
level:                               \
	VPCMPGTD Y5, Y0, Y10              \
	VPCMPGTD Y6, Y1, Y11              \
	VPOR Y11, Y10, Y10                \
	VMOVMSKPS Y10, DI                 \
	TESTL DI, DI                      \
	JEQ leveled                       \
	VPSUBD Y10, Y8, Y8                \
	VPAND  Y12, Y10, Y10              \
	VPSRLVD Y10, Y7, Y7               \
	VPSRLVD Y10, Y2, Y2               \
	VPSRLVD Y10, Y4, Y4               \
	VPSRLVD Y10, Y3, Y3               \
	VPSUBD Y7, Y2, Y0                 \
	VPSUBD Y4, Y3, Y1                 \
	JMP level                         \
leveled:                             \
	VMOVDQU Picture_base(R14), Y10    \
	VMOVDQU Picture_stride(R14), Y11  \
	VPERMD Y10, Y8, Y10               \
	VPERMD Y11, Y8, Y11               \
	VPMULLD Y11, Y4, Y4               \
	VPADDD Y7, Y10, Y10               \
	VPADDD Y4, Y10, Y10               \
	VPSLLVD Y0, Y12, Y0               \
	VPCMPEQD Y12, Y12, Y12            \
	VPADDD Y12, Y0, Y0                \
	VMOVDQU Y0, COLUMNS(SP)           \
	VMOVUPS Y14, NEAREST(SP)          \
	VMOVDQU Y10, LINE0(SP)            \
	NEXTLINE256(8, LINE1)             \
	NEXTLINE256(9, LINE2)             \
	NEXTLINE256(10, LINE3)

#define LINE256(AT) \
	MOVL AT(SP)(DI*4), R14        \
	VMINPS (DX)(R14*4), Y0, Y0    \
	VMINPS 32(DX)(R14*4), Y1, Y1

// The hidden boxes of the eight boxes AX at BX: R13. It destroys all of Y.
#define LOOK256(LENS, PICTURE, PIX) \
	XORL  R13, R13                  \
	TESTL AX, AX                    \
	JEQ   looked                    \
	MOVQ  LENS, DX                  \
	MOVQ  PICTURE, R14              \
	RECT256(looked)                 \
	CLIP256                         \
	TESTL AX, AX                    \
	JEQ   looked                    \
	MOVL  AX, ONPICTURE(SP)         \
	VMOVDQU Y7, PIXEL0(SP)          \
	VMOVDQU Y2, PIXEL1(SP)          \
	VMOVDQU Y4, PIXELROW0(SP)       \
	VMOVDQU Y3, PIXELROW1(SP)       \
	LEVEL256                        \
	MOVQ  PIX, DX                   \
	MOVQ  BX, SAVED(SP)             \
lane:                              \
	TZCNTL AX, DI                   \
	BLSRL  AX, AX                   \
	MOVL   LINE0(SP)(DI*4), R14     \
	VMOVUPS (DX)(R14*4), Y0         \
	VMOVUPS 32(DX)(R14*4), Y1       \
	LINE256(LINE1)                  \
	LINE256(LINE2)                  \
	LINE256(LINE3)                  \
	VBROADCASTSS NEAREST(SP)(DI*4), Y2 \
	VCMPPS $0x15, Y0, Y2, Y0 /* not depth < pixel: visible */ \
	VCMPPS $0x15, Y1, Y2, Y1        \
	VMOVMSKPS Y0, R14               \
	VMOVMSKPS Y1, BX                \
	SHLL   $8, BX                   \
	ORL    BX, R14                  \
	XORL   BX, BX                   \
	TESTL  COLUMNS(SP)(DI*4), R14   \
	SETEQ  BX                       \
	SHLXL  DI, BX, BX               \
	ORL    BX, R13                  \
	TESTL  AX, AX                   \
	JNE    lane                     \
	MOVQ   SAVED(SP), BX            \
	FINER256(PICTURE)               \
looked:

#define FINER256(PICTURE) \
	VPXOR Y0, Y0, Y0                \
	VPCMPGTD Y0, Y8, Y0             \
	VMOVMSKPS Y0, AX                \
	ANDL  ONPICTURE(SP), AX         \
	ANDNL AX, R13, AX               \
	JEQ   looked                    \
	VMOVDQU Y8, LEVELS(SP)          \
	FINERKEEP(REGISTERS)            \
	MOVQ  PICTURE, BX               \
	FINERLANES(8, LEVELS, NEAREST, PIXEL0, PIXEL1, PIXELROW0, PIXELROW1, MIDDLE, FINERDEPTH256, FINERFIRST256, FINERNEXT256, FINERLAST256) \
	FINERBACK(REGISTERS)

#define FINERDEPTH256 VBROADCASTSS NEAREST(SP)(DI*4), Y1

#define FINERFIRST256 \
	VCMPPS $0x15, (SI), Y1, Y0 \
	VTESTPS Y0, Y0             \
	JNE   finervisible

#define FINERNEXT256 \
	VCMPPS $0x15, (SI)(CX*1), Y1, Y0 \
	VTESTPS Y0, Y0                   \
	JNE   finervisible

#define FINERLAST256 \
	VCMPPS $0x15, (SI)(R9*1), Y1, Y0 \
	VMOVMSKPS Y0, CX                 \
	TESTL R8, CX                     \
	JNE   finervisible
