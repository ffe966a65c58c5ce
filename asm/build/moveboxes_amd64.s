//go:build amd64 && !purego

#include "textflag.h"

// Moved boxes. All flags follow from the tight box of the other lanes of the packet. A box is eight
// words; its maxima are negated, so that one comparison orders all bounds of two boxes.
//
//	x y z z | -X -Y -Z -Z

// Sixteen lanes, loaded from index 15-l on: +Inf in lane l, -Inf in the others.
DATA moveLane<>+0(SB)/8, $0xff800000ff800000
DATA moveLane<>+8(SB)/8, $0xff800000ff800000
DATA moveLane<>+16(SB)/8, $0xff800000ff800000
DATA moveLane<>+24(SB)/8, $0xff800000ff800000
DATA moveLane<>+32(SB)/8, $0xff800000ff800000
DATA moveLane<>+40(SB)/8, $0xff800000ff800000
DATA moveLane<>+48(SB)/8, $0xff800000ff800000
DATA moveLane<>+56(SB)/8, $0x7f800000ff800000
DATA moveLane<>+64(SB)/8, $0xff800000ff800000
DATA moveLane<>+72(SB)/8, $0xff800000ff800000
DATA moveLane<>+80(SB)/8, $0xff800000ff800000
DATA moveLane<>+88(SB)/8, $0xff800000ff800000
DATA moveLane<>+96(SB)/8, $0xff800000ff800000
DATA moveLane<>+104(SB)/8, $0xff800000ff800000
DATA moveLane<>+112(SB)/8, $0xff800000ff800000
DATA moveLane<>+120(SB)/8, $0xff800000ff800000
GLOBL moveLane<>(SB), RODATA|NOPTR, $128

// Memory order of the words of a box; the last four are in the upper half.
DATA moveWords<>+0(SB)/8, $0x0000000100000000
DATA moveWords<>+8(SB)/8, $0x0000000200000002
DATA moveWords<>+16(SB)/8, $0x0000000600000005
DATA moveWords<>+24(SB)/8, $0x0000000700000007
GLOBL moveWords<>(SB), RODATA|NOPTR, $32

// The packet AX and the placement box R of the location in AX.
#define MOVEROW(R) \
	SHRL $4, AX          \
	LEAQ (AX)(AX*2), AX  \
	LEAQ (SI)(AX*8), R   \
	SHLQ $7, AX          \
	ADDQ DI, AX

// The box at P into Y.
#define MOVEBOX(P, X, Y) \
	VMOVUPS     (P), X           \
	VINSERTF128 $1, 8(P), Y, Y   \
	VPERMPS     Y, Y13, Y        \
	VXORPS      Y14, Y, Y

// The smallest minima on an axis, and the smallest negated maxima, of the other lanes: four of
// each, into D.
#define MOVEAXIS(LOW, D) \
	VMAXPS      (LOW)(AX), Y6, D      \
	VMAXPS      (LOW+32)(AX), Y7, Y3  \
	VMINPS      Y3, D, D              \
	VMINPS      (LOW+64)(AX), Y8, Y4  \
	VMINPS      (LOW+96)(AX), Y9, Y3  \
	VMAXPS      Y3, Y4, Y4            \
	VXORPS      Y15, Y4, Y4           \
	VINSERTF128 $1, X4, D, Y3         \
	VPERM2F128  $0x31, Y4, D, D       \
	VMINPS      D, Y3, D

// Shifts a flag into R15: whether an element of Y4 is set.
#define MOVEFLAG \
	VMOVMSKPS Y4, R10   \
	NEGL      R10       \
	ADCL      R15, R15

// Writes a word of the new box to its column.
#define MOVEWORD(FROM, TO) \
	MOVL FROM(DX), R10 \
	MOVL R10, TO(AX)(R11*4)

// func moveBoxesAVX2(dst *Moved, packets *soa.Packet, placements *soa.AABB, at *soa.Place, boxes *soa.AABB, n, ahead, first int) (moved int)
//
//	DI  packets   R8  location   CX  left               R12  the next of dst   R11  lane
//	SI  placements     DX  box        R9  left to prefetch   R13  index             BX   later locations
//
//	Y0  tight box of the other lanes   Y6, Y7  +Inf in the lane     Y12  0
//	Y1  old box                        Y8, Y9  -Inf in the lane     Y13  moveWords
//	Y2  new box                        Y14  signs of upper bounds   Y15  all signs
TEXT ·moveBoxesAVX2(SB), NOSPLIT, $0-72
	MOVQ         dst+0(FP), R12
	MOVQ         packets+8(FP), DI
	MOVQ         placements+16(FP), SI
	MOVQ         at+24(FP), R8
	MOVQ         boxes+32(FP), DX
	MOVQ         n+40(FP), CX
	MOVQ         ahead+48(FP), R9
	MOVQ         first+56(FP), R13
	LEAQ         (R8)(CX*4), BX
	VMOVUPS      moveWords<>(SB), Y13
	VPCMPEQD     Y15, Y15, Y15
	VPSLLD       $31, Y15, Y15
	VXORPS       Y12, Y12, Y12
	VPBLENDD     $0xF0, Y15, Y12, Y14

loop:
	TESTQ R9, R9
	JZ    move
	DECQ  R9
	MOVL  (BX), AX
	ADDQ  $4, BX
	MOVEROW(R10)
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	PREFETCHT0 192(AX)
	PREFETCHT0 256(AX)
	PREFETCHT0 320(AX)
	PREFETCHT0 (R10)
	PREFETCHT0 20(R10)

move:
	MOVL    (R8), AX
	MOVL    AX, R11
	ANDL    $15, R11
	MOVEROW(R10)
	MOVEBOX(R10, X10, Y10)
	LEAQ    moveLane<>(SB), R14
	MOVL    $15, R15
	SUBL    R11, R15
	VMOVUPS (R14)(R15*4), Y6
	VMOVUPS 32(R14)(R15*4), Y7
	VXORPS  Y15, Y6, Y8
	VXORPS  Y15, Y7, Y9

	MOVEAXIS(0, Y0)
	MOVEAXIS(128, Y1)
	MOVEAXIS(256, Y2)
	VUNPCKLPS Y1, Y0, Y3        // x0 y0 x1 y1
	VUNPCKHPS Y1, Y0, Y4        // x2 y2 x3 y3
	VMINPS    Y4, Y3, Y0        // x02 y02 x13 y13
	VPERMILPS $0x4E, Y2, Y3
	VMINPS    Y3, Y2, Y2        // z02 z13 z02 z13
	VSHUFPS   $0x04, Y2, Y0, Y3 // x02 y02 z02 z02
	VSHUFPS   $0x5E, Y2, Y0, Y4 // x13 y13 z13 z13
	VMINPS    Y4, Y3, Y0

	VBROADCASTSS (AX)(R11*4), Y1
	VBROADCASTSS 64(AX)(R11*4), Y2
	VBROADCASTSS 128(AX)(R11*4), Y3
	VBROADCASTSS 192(AX)(R11*4), Y4
	VBROADCASTSS 256(AX)(R11*4), Y5
	VBROADCASTSS 320(AX)(R11*4), Y6
	VPBLENDD     $0xF0, Y2, Y1, Y1
	VPBLENDD     $0xF0, Y4, Y3, Y3
	VPBLENDD     $0xF0, Y6, Y5, Y5
	VPBLENDD     $0x22, Y3, Y1, Y1
	VPBLENDD     $0xCC, Y5, Y1, Y1
	VXORPS       Y14, Y1, Y1
	MOVEBOX(DX, X2, Y2)

	XORL   R15, R15
	VCMPPS $2, Y0, Y1, Y4 // old <= others
	MOVEFLAG
	VMINPS Y1, Y0, Y5
	VCMPPS $1, Y5, Y2, Y4 // new < all
	MOVEFLAG
	VCMPPS $1, Y10, Y2, Y4 // new < placement box
	MOVEFLAG
	VCMPPS $1, Y10, Y1, Y4 // old < placement box
	MOVEFLAG

	VMINPS  Y2, Y0, Y0
	VXORPS  Y14, Y0, Y0
	VADDPS  Y12, Y0, Y0 // no -0
	VMOVUPS Y0, (R12)
	MOVL    R13, 12(R12)
	MOVL    R15, 28(R12)
	LEAQ    32(R12), R10
	CMPL    R15, $1
	CMOVQHI R10, R12

	MOVEWORD(0, 0)
	MOVEWORD(12, 64)
	MOVEWORD(4, 128)
	MOVEWORD(16, 192)
	MOVEWORD(8, 256)
	MOVEWORD(20, 320)

	ADDQ $4, R8
	ADDQ $24, DX
	INCQ R13
	DECQ CX
	JNZ  loop

	SUBQ dst+0(FP), R12
	SHRQ $5, R12
	MOVQ R12, moved+64(FP)
	VZEROUPPER
	RET
