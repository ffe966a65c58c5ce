//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// A row of a tile is a register. For a piece:
//
//	Y0 Y1 Y2   the edge functions in a row             Y6 Y7 Y8   their values in the next row
//	Y9         columns outside of the piece            Y12        Z
//	Y3  PX*(X + column)    Y4  Y + row    Y5  PY    Y13  P0       if it has a plane
//
//	DI  the tile    DX  a row of it    SI  the piece    CX  pieces left    BX  rows left    AX  scratch

// OUTSIDE sets TO to a mask, by sign, of the columns that are outside of the piece in a row.
#define OUTSIDE(TO) \
	VPOR Y1, Y0, TO \
	VPOR Y2, TO, TO \
	VPOR Y9, TO, TO

// LOWER lowers a row to the depths V where the mask is not set, and advances to the next.
#define LOWER(MASK, V) \
	VBLENDVPS MASK, Y14, V, V \
	VPMINSD (DX), V, V       \
	VMOVDQU V, (DX)          \
	VPADDD  Y6, Y0, Y0       \
	VPADDD  Y7, Y1, Y1       \
	VPADDD  Y8, Y2, Y2       \
	ADDQ    $32, DX          \
	DECQ    BX

// func tileDrawAVX2(far *Tile, pieces *TilePiece, n int)
TEXT ·tileDrawAVX2(SB), NOSPLIT, $0-24
	MOVQ far+0(FP), DI
	MOVQ pieces+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL $0x7FFFFFFF, AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	MOVL $0x3F800000, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15 // 1
	LEAQ ·tileOutside(SB), R8

piece:
	VMOVDQU ·tileColumns(SB), Y10
	VPBROADCASTD (TilePiece_Right+0)(SI), Y3
	VPBROADCASTD (TilePiece_Right+4)(SI), Y4
	VPBROADCASTD (TilePiece_Right+8)(SI), Y5
	VPBROADCASTD (TilePiece_At+0)(SI), Y0
	VPBROADCASTD (TilePiece_At+4)(SI), Y1
	VPBROADCASTD (TilePiece_At+8)(SI), Y2
	VPMULLD Y10, Y3, Y3
	VPMULLD Y10, Y4, Y4
	VPMULLD Y10, Y5, Y5
	VPBROADCASTD (TilePiece_Down+0)(SI), Y6
	VPBROADCASTD (TilePiece_Down+4)(SI), Y7
	VPBROADCASTD (TilePiece_Down+8)(SI), Y8
	VPADDD Y3, Y0, Y0
	VPADDD Y4, Y1, Y1
	VPADDD Y5, Y2, Y2
	MOVBLZX TilePiece_X0(SI), AX
	MOVBLZX TilePiece_X1(SI), R9
	SHLQ $2, AX
	SHLQ $2, R9
	MOVQ R8, R10
	SUBQ AX, R10
	MOVQ R8, R11
	SUBQ R9, R11
	VMOVDQU 32(R10), Y9
	VPOR 60(R11), Y9, Y9
	MOVBLZX TilePiece_Y0(SI), AX
	MOVBLZX TilePiece_Y1(SI), BX
	SUBQ AX, BX
	INCQ BX
	SHLQ $5, AX
	LEAQ (DI)(AX*1), DX
	VPBROADCASTD TilePiece_Z(SI), Y12
	MOVL TilePiece_P0(SI), AX
	CMPL AX, $0xFF800000
	JNE  plane

flat:
	OUTSIDE(Y11)
	VMOVDQA Y12, Y10
	LOWER(Y11, Y10)
	JNZ  flat

next:
	ADDQ $64, SI
	DECQ CX
	JNZ  piece
	VZEROUPPER
	RET

plane:
	VCVTDQ2PS Y10, Y10
	VBROADCASTSS TilePiece_X(SI), Y3
	VADDPS Y10, Y3, Y3
	VBROADCASTSS TilePiece_PX(SI), Y4
	VMULPS Y4, Y3, Y3
	VBROADCASTSS TilePiece_Y(SI), Y4
	VBROADCASTSS TilePiece_PY(SI), Y5
	VBROADCASTSS TilePiece_P0(SI), Y13

row:
	VMULPS Y4, Y5, Y10
	VADDPS Y15, Y4, Y4
	VADDPS Y13, Y10, Y10
	VADDPS Y10, Y3, Y10
	VPSRAD $31, Y10, Y11 // bits to ordered integers
	VPSRLD $1, Y11, Y11
	VPXOR Y11, Y10, Y10
	VPMAXSD Y12, Y10, Y11
	OUTSIDE(Y10)
	LOWER(Y10, Y11)
	JNZ  row
	JMP  next

// func tileRaiseAVX2(best, far *Tile, rows int) (least int32)
TEXT ·tileRaiseAVX2(SB), NOSPLIT, $0-28
	MOVQ best+0(FP), DI
	MOVQ far+8(FP), SI
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y14 // NoDepth
	VPSLLD $31, Y15, Y13 // Border
	VMOVDQA Y14, Y0
	MOVQ rows+16(FP), CX

raise:
	VMOVDQU (SI), Y1
	VPCMPEQD Y14, Y1, Y2
	VBLENDVPS Y2, Y13, Y1, Y1
	VPMAXSD (DI), Y1, Y1
	VMOVDQU Y1, (DI)
	VMOVDQU Y14, (SI)
	VPMINSD Y1, Y0, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  raise
	VEXTRACTI128 $1, Y0, X1
	VPMINSD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPMINSD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPMINSD X1, X0, X0
	VMOVD X0, AX
	MOVL AX, least+24(FP)
	VZEROUPPER
	RET
