//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// Kernels of shapes in motion, in float64. A row is four numbers. Every operation is one of the reference in Go, and in
// the same order.

MOVINGROW(movingSize, 0x7FFFFFFFFFFFFFFF)
MOVINGROW(movingHalf, 0x3FE0000000000000)
MOVINGROW(movingOne, 0x3FF0000000000000)
MOVINGROW(movingMinusOne, 0xBFF0000000000000)
MOVINGROW(movingLeast, 0x01A56E1FC2F8F359)     // leastSquare
MOVINGROW(movingRounding, 0x3D30000000000000)  // rounding
MOVINGROW(movingTolerance, 0x3F00000000000000) // tolerance
MOVINGROW(movingOutward, 0x3CE0000000000000)   // outward
MOVINGROW(movingInside, 0x3FEF800000000000)    // inside
MOVINGROW(movingSolid, 0x40F0000000000000)     // solidShare

// The numbers 0, 1 and 2 of a row, at offsets 24, 16 and 8.
DATA movingLanes<>+0(SB)/8, $0
DATA movingLanes<>+8(SB)/8, $0
DATA movingLanes<>+16(SB)/8, $0
DATA movingLanes<>+24(SB)/8, $-1
DATA movingLanes<>+32(SB)/8, $0
DATA movingLanes<>+40(SB)/8, $0
DATA movingLanes<>+48(SB)/8, $0
DATA movingLanes<>+56(SB)/8, $0
GLOBL movingLanes<>(SB), RODATA|NOPTR, $64

// The first three numbers of a row.
DATA movingThree<>+0(SB)/8, $-1
DATA movingThree<>+8(SB)/8, $-1
DATA movingThree<>+16(SB)/8, $-1
DATA movingThree<>+24(SB)/8, $0
GLOBL movingThree<>(SB), RODATA|NOPTR, $32

// The largest float32.
DATA movingLargest<>+0(SB)/4, $0x7F7FFFFF
GLOBL movingLargest<>(SB), RODATA|NOPTR, $4

// Loads 12 floats as four rows of three, whose fourth number is any other one of them.
#define MOVINGLOAD(AT, A, B, C, D) \
	VMOVUPS   (AT), A          \
	VMOVUPS   12(AT), B        \
	VMOVUPS   24(AT), C        \
	VPERMILPS $0x39, 32(AT), D

// Loads three or four numbers of a lane, a column of 16 lanes after the other, STEP bytes apart.
#define MOVINGCOLUMNS(AT, FROM, STEP, A)       \
	VMOVSS    FROM(AT), A                  \
	VINSERTPS $0x10, (FROM+STEP)(AT), A, A \
	VINSERTPS $0x20, (FROM+2*STEP)(AT), A, A

// The distance, in objects, at which steps and bounds are prefetched.
#define MOVINGAHEAD 8

// func pairMovingReadAVX2(a *movingArgs)
//
//	DI  arguments  SI  locations, up to R8  DX  shape
//	R9  IDs        R10 steps  R11 count     R12 spheres  R13 oriented boxes
//	AX  location   BX  address              CX  1 for a ball and an oriented box, 2 for a box
//	Y4  motion     Y5  centre               Y6, Y7, Y8   axes
//	Y9  reach      Y10 growth               Y15 sizes    Y14 first three numbers
TEXT ·pairMovingReadAVX2(SB), NOSPLIT, $0-8
	MOVQ    a+0(FP), DI
	MOVQ    movingArgs_to(DI), DX
	MOVQ    movingArgs_at(DI), SI
	MOVQ    movingArgs_n(DI), R8
	LEAQ    (SI)(R8*4), R8
	MOVQ    movingArgs_ids(DI), R9
	MOVQ    movingArgs_steps(DI), R10
	MOVQ    movingArgs_count(DI), R11
	MOVQ    movingArgs_spheres(DI), R12
	MOVQ    movingArgs_oriented(DI), R13
	VMOVUPD movingSize<>(SB), Y15
	VMOVUPD movingThree<>(SB), Y14

object:
	CMPQ SI, R8
	JEQ  done
	LEAQ (MOVINGAHEAD*4)(SI), BX
	CMPQ BX, R8
	JCC  fetched
	MOVL (BX), AX
	MOVL (R9)(AX*4), BX
	CMPQ BX, R11
	JCC  bounds
	LEAQ (BX)(BX*2), BX
	SHLQ $4, BX
	PREFETCHT0 (R10)(BX*1)
	PREFETCHT0 47(R10)(BX*1)

bounds:
	TESTQ R12, R12
	JEQ   noball
	MOVL  AX, BX
	SHRL  $4, BX
	SHLQ  $8, BX
	PREFETCHT0 (R12)(BX*1)
	PREFETCHT0 64(R12)(BX*1)
	PREFETCHT0 128(R12)(BX*1)
	PREFETCHT0 192(R12)(BX*1)

noball:
	TESTQ R13, R13
	JEQ   fetched
	LEAQ  (AX)(AX*2), BX
	SHLQ  $4, BX
	PREFETCHT0 (R13)(BX*1)
	PREFETCHT0 47(R13)(BX*1)

fetched:
	MOVL (SI), AX
	ADDQ $4, SI
	MOVL (R9)(AX*4), BX
	CMPQ BX, R11
	JCC  rest
	LEAQ (BX)(BX*2), BX
	SHLQ $4, BX
	ADDQ R10, BX
	MOVINGLOAD(BX, X0, X1, X2, X3)
	VORPS  X0, X1, X4
	VORPS  X2, X3, X5
	VORPS  X4, X5, X4
	VPADDD X4, X4, X4 // without signs
	VPTEST X4, X4
	JNE    convert

rest:
	MOVL    AX, BX
	MOVL    AX, CX
	SHRL    $4, BX
	ANDL    $15, CX
	LEAQ    (BX)(BX*2), BX
	SHLQ    $7, BX
	ADDQ    movingArgs_bounds(DI), BX
	LEAQ    (BX)(CX*4), BX
	MOVINGCOLUMNS(BX, 0, 128, X0)
	MOVINGCOLUMNS(BX, 64, 128, X1)
	VMOVAPS X0, X2
	VMOVAPS X1, X3

convert:
	VCVTPS2PD X0, Y0
	VCVTPS2PD X1, Y1
	VCVTPS2PD X2, Y2
	VCVTPS2PD X3, Y3
	VSUBPD    Y0, Y2, Y4
	VSUBPD    Y1, Y3, Y5
	VADDPD    Y5, Y4, Y4
	VMULPD    movingHalf<>(SB), Y4, Y4
	VANDPD    Y14, Y4, Y4

	// The ball in X11, whether it is one in CX.
	XORL  CX, CX
	TESTQ R12, R12
	JEQ   oriented
	MOVL  AX, BX
	MOVL  AX, CX
	SHRL  $4, BX
	ANDL  $15, CX
	SHLQ  $8, BX
	ADDQ  R12, BX
	LEAQ  (BX)(CX*4), BX
	MOVINGCOLUMNS(BX, 0, 64, X11)
	VMOVSS 192(BX), X9
	VXORPS X12, X12, X12
	XORL  CX, CX
	VUCOMISS X12, X9
	SETCC CX

oriented:
	TESTQ R13, R13
	JEQ   round
	LEAQ  (AX)(AX*2), BX
	SHLQ  $4, BX
	ADDQ  R13, BX
	VMOVSS   (BX), X12
	VUCOMISS movingLargest<>(SB), X12
	JHI   round
	MOVINGLOAD(BX, X5, X6, X7, X8)
	VCVTPS2PD X5, Y5
	VCVTPS2PD X6, Y6
	VCVTPS2PD X7, Y7
	VCVTPS2PD X8, Y8
	VANDPD    Y14, Y5, Y5
	VANDPD    Y14, Y6, Y6
	VANDPD    Y14, Y7, Y7
	VANDPD    Y14, Y8, Y8
	VANDPD    Y15, Y6, Y9
	VANDPD    Y15, Y7, Y10
	VADDPD    Y10, Y9, Y9
	VANDPD    Y15, Y8, Y10
	VADDPD    Y10, Y9, Y9
	VMULPD    movingTolerance<>(SB), Y9, Y10
	VMOVUPD   Y4, Moving_Move(DX)
	JMP       extend

round:
	TESTL CX, CX
	JEQ   box
	XORL  CX, CX
	VCVTPS2PD X11, Y5
	VCVTSS2SD X9, X9, X9
	VMOVUPD   Y4, Moving_Move(DX)
	VMOVSD    X9, (Moving_Move+24)(DX)
	VBROADCASTSD X9, Y9
	VANDPD    Y14, Y9, Y9
	VXORPD    Y6, Y6, Y6
	VXORPD    Y7, Y7, Y7
	VXORPD    Y8, Y8, Y8
	VXORPD    Y10, Y10, Y10

extend:
	VMULPD  movingHalf<>(SB), Y4, Y0
	VADDPD  Y0, Y5, Y1
	VANDPD  Y15, Y0, Y0
	VADDPD  Y0, Y9, Y0
	VANDPD  Y15, Y1, Y2
	VADDPD  Y0, Y2, Y2
	VMULPD  movingOutward<>(SB), Y2, Y2
	VADDPD  Y2, Y0, Y0
	VSUBPD  Y0, Y1, Y2
	VADDPD  Y0, Y1, Y3
	VMOVUPD Y2, Moving_Min(DX)
	VMOVUPD Y3, Moving_Max(DX)
	JMP     finish

box:
	VSUBPD  Y0, Y1, Y9
	VMULPD  movingHalf<>(SB), Y9, Y9
	VADDPD  Y1, Y0, Y5
	VMULPD  movingHalf<>(SB), Y5, Y5
	VSUBPD  Y2, Y3, Y10
	VMULPD  movingHalf<>(SB), Y10, Y10
	VSUBPD  Y9, Y10, Y10
	VANDPD  Y15, Y10, Y10
	VANDPD  Y14, Y5, Y5
	VANDPD  Y14, Y10, Y10
	VANDPD  movingLanes<>+24(SB), Y9, Y6
	VANDPD  movingLanes<>+16(SB), Y9, Y7
	VANDPD  movingLanes<>+8(SB), Y9, Y8
	VADDPD  Y10, Y9, Y9
	VXORPD  Y12, Y12, Y12
	VMINPD  Y2, Y0, Y0
	VMAXPD  Y3, Y1, Y1
	VADDPD  Y12, Y0, Y0
	VADDPD  Y12, Y1, Y1
	VANDPD  Y14, Y0, Y0
	VANDPD  Y14, Y1, Y1
	VMOVUPD Y4, Moving_Move(DX)
	VMOVUPD Y0, Moving_Min(DX)
	VMOVUPD Y1, Moving_Max(DX)
	MOVL    $2, CX

finish:
	// The bound of growth, tolerance and rounding errors.
	VANDPD  Y15, Y5, Y0
	VADDPD  Y0, Y9, Y0
	VANDPD  Y15, Y4, Y1
	VADDPD  Y1, Y0, Y0
	VMULPD  movingRounding<>(SB), Y0, Y0
	VADDPD  Y0, Y10, Y0
	VEXTRACTF128 $1, Y0, X1
	VUNPCKHPD X0, X0, X2
	VADDSD  X2, X0, X0
	VADDSD  X1, X0, X0
	CMPL    CX, $1
	JNE     known
	VPCMPEQD Y5, Y5, Y5
known:
	VMOVUPD Y5, Moving_Center(DX)
	VMOVSD  X0, (Moving_Center+24)(DX)
	VMOVUPD Y6, Moving_Axes(DX)
	VMOVUPD Y7, (Moving_Axes+32)(DX)
	VMOVUPD Y8, (Moving_Axes+64)(DX)

	// Squares of the lengths of the axes, the last one twice.
	VMULPD Y6, Y6, Y6
	VMULPD Y7, Y7, Y7
	VMULPD Y8, Y8, Y8
	VHADDPD Y7, Y6, Y6
	VHADDPD Y8, Y8, Y8
	VPERM2F128 $0x20, Y8, Y6, Y0
	VPERM2F128 $0x31, Y8, Y6, Y1
	VADDPD  Y1, Y0, Y0
	VADDPD  movingLeast<>(SB), Y0, Y1
	VMOVUPD movingOne<>(SB), Y2
	VDIVPD  Y1, Y2, Y1
	VMOVUPD Y1, Moving_Inverse(DX)
	VEXTRACTF128 $1, Y0, X1
	VMAXPD  X1, X0, X2
	VMINPD  X1, X0, X3
	VUNPCKHPD X2, X2, X4
	VUNPCKHPD X3, X3, X5
	VMAXSD  X4, X2, X2
	VMINSD  X5, X3, X3
	VMULSD  movingSolid<>(SB), X3, X3
	VCMPSD  $0x11, X3, X2, X2
	VMOVSD  movingMinusOne<>(SB), X3
	VMOVSD  movingInside<>(SB), X4
	CMPL    CX, $2
	JEQ     solid
	VBLENDVPD X2, X4, X3, X3

solid:
	VMOVSD  X3, (Moving_Inverse+24)(DX)
	ADDQ    $256, DX
	JMP     object

done:
	VZEROUPPER
	RET

// func pairMovingKeepAVX2(a *judgeArgs)
//
//	DI  arguments  SI  pairs, up to CX  DX  next pair kept  AX, BX  shapes
TEXT ·pairMovingKeepAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	MOVQ judgeArgs_pairs(DI), SI
	MOVQ judgeArgs_n(DI), CX
	LEAQ (SI)(CX*8), CX
	MOVQ SI, DX
	MOVQ judgeArgs_x(DI), AX
	MOVQ judgeArgs_y(DI), BX
	CMPQ SI, CX
	JEQ  kept

pair:
	MOVQ      (SI), R8
	MOVINGSHAPES(0, R9, R10)
	VMOVUPD   Moving_Max(R10), Y0
	VSUBPD    Moving_Min(R9), Y0, Y0
	VMOVUPD   Moving_Max(R9), Y1
	VSUBPD    Moving_Min(R10), Y1, Y1
	VORPD     Y1, Y0, Y0
	VMOVMSKPD Y0, R11
	MOVQ      R8, (DX)
	CMPL      R11, $1
	SBBQ      R11, R11
	ANDL      $8, R11
	ADDQ      R11, DX
	ADDQ      $8, SI
	CMPQ      SI, CX
	JNE       pair

kept:
	SUBQ judgeArgs_pairs(DI), DX
	SHRQ $3, DX
	MOVQ DX, judgeArgs_kept(DI)
	VZEROUPPER
	RET
