//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The lanes of a packet become records: four lanes at a time, the columns of words 0 to 3 in the low halves of four
// registers, those of words 4 to 7 in the high ones, and then a transposition in each half.
//
//	minx miny minz maxx | maxy maxz mask flag
//
// Free lanes are written, too; the next packet overwrites them.
//
//	R8  arguments   SI  slots   CX  slots left   DI  record   DX  ID   R15  objects of the packet
//	R9  packets     R10 IDs     R11 masks   R12 moving   R13 counts   BX  mask of rows of masks
//	AX  slot        R14 packet  AX  row of masks
//	X9  bits of moving lanes, from the first of the four on   X14 1 2 4 8   X15 0
#define READ4(k) \
	VMOVUPS     (16*(k))(R14), X0                  \
	VINSERTF128 $1, (192+16*(k))(R14), Y0, Y0      \
	VMOVUPS     (128+16*(k))(R14), X1              \
	VINSERTF128 $1, (320+16*(k))(R14), Y1, Y1      \
	VMOVUPS     (256+16*(k))(R14), X2              \
	VINSERTF128 $1, (16*(k))(AX), Y2, Y2           \
	VPAND       X14, X9, X10                       \
	VPCMPEQD    X15, X10, X10                      \
	VPSRLD      $31, X10, X10                      \
	VPSRLD      $4, X9, X9                         \
	VMOVUPS     (64+16*(k))(R14), X3               \
	VINSERTF128 $1, X10, Y3, Y3                    \
	VUNPCKLPS   Y1, Y0, Y4                         \
	VUNPCKHPS   Y1, Y0, Y5                         \
	VUNPCKLPS   Y3, Y2, Y6                         \
	VUNPCKHPS   Y3, Y2, Y7                         \
	VUNPCKLPD   Y6, Y4, Y0                         \
	VUNPCKHPD   Y6, Y4, Y1                         \
	VUNPCKLPD   Y7, Y5, Y2                         \
	VUNPCKHPD   Y7, Y5, Y3                         \
	VMOVUPS     Y0, (128*(k))(DI)                  \
	VMOVUPS     Y1, (128*(k)+32)(DI)               \
	VMOVUPS     Y2, (128*(k)+64)(DI)               \
	VMOVUPS     Y3, (128*(k)+96)(DI)

// func readRecordsAVX2(r *readArgs)
TEXT ·readRecordsAVX2(SB), NOSPLIT, $0-8
	MOVQ    r+0(FP), R8
	MOVQ    readArgs_slots(R8), SI
	MOVQ    readArgs_n(R8), CX
	MOVQ    readArgs_records(R8), DI
	MOVQ    readArgs_ids(R8), DX
	MOVQ    (readArgs_from+packetColumns_Bounds)(R8), R9
	MOVQ    (readArgs_from+packetColumns_IDs)(R8), R10
	MOVQ    (readArgs_from+packetColumns_Masks)(R8), R11
	MOVQ    (readArgs_from+packetColumns_Moving)(R8), R12
	MOVQ    (readArgs_from+packetColumns_Counts)(R8), R13
	MOVQ    readArgs_maskRows(R8), BX
	MOVQ    readArgs_read(R8), R15
	LEAQ    (DX)(R15*4), DX
	SHLQ    $5, R15
	ADDQ    R15, DI
	VMOVDQU ·laneBits(SB), X14
	VPXOR   X15, X15, X15

packetloop:
	MOVL         (SI), AX
	MOVWLZX      (R12)(AX*2), R15
	VMOVD        R15, X9
	VPBROADCASTD X9, X9
	LEAQ         (AX)(AX*2), R14
	SHLQ         $7, R14
	ADDQ         R9, R14
	MOVQ         AX, R15
	SHLQ         $6, R15
	VMOVDQU      (R10)(R15*1), Y11
	VMOVDQU      32(R10)(R15*1), Y12
	VMOVDQU      Y11, (DX)
	VMOVDQU      Y12, 32(DX)
	MOVBLZX      (R13)(AX*1), R15
	ANDQ         BX, AX
	SHLQ         $6, AX
	ADDQ         R11, AX
	READ4(0)
	READ4(1)
	READ4(2)
	READ4(3)
	ADDQ         R15, readArgs_read(R8)
	LEAQ         (DX)(R15*4), DX
	SHLQ         $5, R15
	ADDQ         R15, DI
	ADDQ         $4, SI
	DECQ         CX
	JNZ          packetloop
	VZEROUPPER
	RET

DATA ·laneBits+0(SB)/8, $0x0000000200000001
DATA ·laneBits+8(SB)/8, $0x0000000800000004
GLOBL ·laneBits(SB), NOPTR|RODATA, $16
