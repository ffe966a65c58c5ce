//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// Writes the words of an axis, with the index in the low bits, for the lanes K2 at the offset BX.
#define LOAD512(AXIS, FROM) \
	VMOVDQU32.Z (FROM)(BX*1), K2, Z0       \
	VPSLLD      $8, Z0, Z0                 \
	VPORD       Z4, Z0, Z0                 \
	VMOVDQU32   Z0, K2, AXIS*const_cutColumn(DI)(BX*1)

// func cutLoadAVX512(c *Cut, x, y, z *uint32, n int)
TEXT ·cutLoadAVX512(SB), NOSPLIT, $0-40
	MOVQ c+0(FP), DI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ z+24(FP), R10
	MOVQ n+32(FP), CX
	VMOVDQU32 ·laneNumbers(SB), Z4
	MOVL $16, AX
	VPBROADCASTD AX, Z5
	VPBROADCASTD CX, Z6
	XORL BX, BX

loadloop:
	VPCMPUD $1, Z6, Z4, K2 // indices below n
	LOAD512(0, R8)
	LOAD512(1, R9)
	LOAD512(2, R10)
	VPADDD Z5, Z4, Z4
	ADDQ $64, BX
	SUBQ $16, CX
	JHI  loadloop
	VZEROUPPER
	RET

#define LOAD256(AXIS, FROM) \
	VPMASKMOVD (FROM)(BX*1), Y2, Y0 \
	VPSLLD     $8, Y0, Y0           \
	VPOR       Y4, Y0, Y0           \
	VPMASKMOVD Y0, Y2, AXIS*const_cutColumn(DI)(BX*1)

// func cutLoadAVX2(c *Cut, x, y, z *uint32, n int)
TEXT ·cutLoadAVX2(SB), NOSPLIT, $0-40
	MOVQ c+0(FP), DI
	MOVQ x+8(FP), R8
	MOVQ y+16(FP), R9
	MOVQ z+24(FP), R10
	MOVQ n+32(FP), CX
	VMOVDQU ·laneNumbers(SB), Y4
	MOVL $8, AX
	VMOVD AX, X5
	VPBROADCASTD X5, Y5
	VMOVD CX, X6
	VPBROADCASTD X6, Y6
	XORL BX, BX

loadloop:
	VPCMPGTD Y4, Y6, Y2 // indices below n
	LOAD256(0, R8)
	LOAD256(1, R9)
	LOAD256(2, R10)
	VPADDD Y5, Y4, Y4
	ADDQ $32, BX
	SUBQ $8, CX
	JHI  loadloop
	VZEROUPPER
	RET

// One step of compact: shifts bits together by SHIFT; MASK keeps them.
#define NEARER512(SHIFT, MASK) \
	VPSRLQ $SHIFT, Z0, Z1   \
	VPSRLQ $SHIFT, Z2, Z3   \
	VPSRLQ $SHIFT, Z4, Z5   \
	VPTERNLOGQ $0xA8, MASK, Z1, Z0 \ // (Z0 | Z1) & MASK
	VPTERNLOGQ $0xA8, MASK, Z3, Z2 \
	VPTERNLOGQ $0xA8, MASK, Z5, Z4

// func cutDecodeAVX512(x, y, z *uint32, keys *uint64, n int)
//
// n is a multiple of 8, and not 0.
TEXT ·cutDecodeAVX512(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), R8
	MOVQ y+8(FP), R9
	MOVQ z+16(FP), R10
	MOVQ keys+24(FP), SI
	MOVQ n+32(FP), CX
	VPBROADCASTQ ·cutMasks+0(SB), Z10
	VPBROADCASTQ ·cutMasks+8(SB), Z11
	VPBROADCASTQ ·cutMasks+16(SB), Z12
	VPBROADCASTQ ·cutMasks+24(SB), Z13
	VPBROADCASTQ ·cutMasks+32(SB), Z14
	VPBROADCASTQ ·cutMasks+40(SB), Z15
	XORL BX, BX

decodeloop:
	VMOVDQU64 (SI)(BX*8), Z4
	VPANDQ Z10, Z4, Z0
	VPSRLQ $1, Z4, Z2
	VPSRLQ $2, Z4, Z4
	VPANDQ Z10, Z2, Z2
	VPANDQ Z10, Z4, Z4
	NEARER512(2, Z11)
	NEARER512(4, Z12)
	NEARER512(8, Z13)
	NEARER512(16, Z14)
	NEARER512(32, Z15)
	VPMOVQD Z0, Y0
	VPMOVQD Z2, Y2
	VPMOVQD Z4, Y4
	VMOVDQU Y0, (R8)(BX*4)
	VMOVDQU Y2, (R9)(BX*4)
	VMOVDQU Y4, (R10)(BX*4)
	ADDQ $8, BX
	CMPQ BX, CX
	JLT  decodeloop
	VZEROUPPER
	RET

#define NEARER256(SHIFT, MASK) \
	VPSRLQ $SHIFT, Y0, Y1 \
	VPSRLQ $SHIFT, Y2, Y3 \
	VPSRLQ $SHIFT, Y4, Y5 \
	VPOR   Y1, Y0, Y0     \
	VPOR   Y3, Y2, Y2     \
	VPOR   Y5, Y4, Y4     \
	VPAND  MASK, Y0, Y0   \
	VPAND  MASK, Y2, Y2   \
	VPAND  MASK, Y4, Y4

// func cutDecodeAVX2(x, y, z *uint32, keys *uint64, n int)
//
// n is a multiple of 8, and not 0.
TEXT ·cutDecodeAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), R8
	MOVQ y+8(FP), R9
	MOVQ z+16(FP), R10
	MOVQ keys+24(FP), SI
	MOVQ n+32(FP), CX
	VPBROADCASTQ ·cutMasks+0(SB), Y10
	VPBROADCASTQ ·cutMasks+8(SB), Y11
	VPBROADCASTQ ·cutMasks+16(SB), Y12
	VPBROADCASTQ ·cutMasks+24(SB), Y13
	VPBROADCASTQ ·cutMasks+32(SB), Y14
	VPBROADCASTQ ·cutMasks+40(SB), Y15
	LEAQ ·compressTable(SB), AX
	VMOVDQU (0x55*32)(AX), Y9 // 0 2 4 6
	XORL BX, BX

decodeloop:
	VMOVDQU (SI)(BX*8), Y4
	VPAND  Y10, Y4, Y0
	VPSRLQ $1, Y4, Y2
	VPSRLQ $2, Y4, Y4
	VPAND  Y10, Y2, Y2
	VPAND  Y10, Y4, Y4
	NEARER256(2, Y11)
	NEARER256(4, Y12)
	NEARER256(8, Y13)
	NEARER256(16, Y14)
	NEARER256(32, Y15)
	VPERMD Y0, Y9, Y0
	VPERMD Y2, Y9, Y2
	VPERMD Y4, Y9, Y4
	VMOVDQU X0, (R8)(BX*4)
	VMOVDQU X2, (R9)(BX*4)
	VMOVDQU X4, (R10)(BX*4)
	ADDQ $4, BX
	CMPQ BX, CX
	JLT  decodeloop
	VZEROUPPER
	RET

// The masks of the steps that compact every third bit of a key: see compact of package morton.
DATA ·cutMasks+0(SB)/8, $0x1249249249249249
DATA ·cutMasks+8(SB)/8, $0x10C30C30C30C30C3
DATA ·cutMasks+16(SB)/8, $0x100F00F00F00F00F
DATA ·cutMasks+24(SB)/8, $0x001F0000FF0000FF
DATA ·cutMasks+32(SB)/8, $0x001F00000000FFFF
DATA ·cutMasks+40(SB)/8, $0x00000000001FFFFF
GLOBL ·cutMasks(SB), RODATA|NOPTR, $48
