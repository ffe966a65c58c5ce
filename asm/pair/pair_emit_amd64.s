//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The emit kernels of pairs interleave the IDs of the lanes hit with the ID of the object, and
// advance the pointer by their number, so that no lane needs a branch. The memory of the pairs some
// hundred further on is prefetched.
//
//	R8   next pair          R10  hit    SI  IDs of X    AX, BX  object, slot of Y
//	R9   last address with  R11  end    DI  IDs of Y    DX      lanes
//	     room for 16
#define PAIREMITSETUP \
	MOVQ e+0(FP), R13               \
	MOVQ pairEmitArgs_dst(R13), R8  \
	MOVQ pairEmitArgs_room(R13), R9 \
	LEAQ -128(R8)(R9*8), R9         \
	MOVQ pairEmitArgs_x(R13), SI    \
	MOVQ pairEmitArgs_y(R13), DI    \
	MOVQ pairEmitArgs_hits(R13), R10 \
	MOVQ pairEmitArgs_n(R13), R11   \
	SHLQ $4, R11                    \
	ADDQ R10, R11                   \
	MOVBLZX pairEmitArgs_order(R13), AX

#define PAIREMITHIT(DONE) \
	CMPQ R10, R11    \
	JEQ  DONE        \
	CMPQ R8, R9      \
	JGT  DONE        \
	MOVL (R10), AX   \
	MOVL 4(R10), BX  \
	MOVL 8(R10), DX  \
	ADDQ $16, R10    \
	SHLQ $6, BX      \
	PREFETCHT0 4096(R8)

#define PAIREMITDONE \
	SUBQ pairEmitArgs_hits(R13), R10 \
	SHRQ $4, R10                     \
	MOVQ R10, pairEmitArgs_done(R13) \
	SUBQ pairEmitArgs_dst(R13), R8   \
	SHRQ $3, R8                      \
	MOVQ R8, pairEmitArgs_wrote(R13)

// func pairEmitAVX512(e *pairEmitArgs)
//
//	Z10, Z11  permutations that interleave the first IDs with the second
//	K7        all lanes if the smaller ID is first, else none
TEXT ·pairEmitAVX512(SB), NOSPLIT, $0-8
	PAIREMITSETUP
	VMOVDQU32 ·interleave+0(SB), Z10
	VMOVDQU32 ·interleave+64(SB), Z11
	KXORW K7, K7, K7
	CMPL  AX, $const_Swapped
	JCS   hit
	JEQ   swapped
	KXNORW K0, K0, K7
	JMP   hit

swapped:
	MOVL $16, AX
	VPBROADCASTD AX, Z0
	VPXORD Z0, Z10, Z10
	VPXORD Z0, Z11, Z11

hit:
	PAIREMITHIT(done)
	VPBROADCASTD (SI)(AX*4), Z0
	VMOVDQU32 (DI)(BX*1), Z1
	KMOVW     DX, K1
	VPCOMPRESSD.Z Z1, K1, Z1
	VMOVDQA32 Z0, Z2
	VPMINUD   Z0, Z1, K7, Z2
	VPMAXUD   Z0, Z1, K7, Z1
	POPCNTL   DX, DX
	CMPL      DX, $8
	JHI       many
	VPERMT2D  Z1, Z10, Z2
	VMOVDQU32 Z2, (R8)
	LEAQ (R8)(DX*8), R8
	JMP  hit

many:
	VMOVDQA32 Z2, Z3
	VPERMT2D  Z1, Z10, Z2
	VPERMT2D  Z1, Z11, Z3
	VMOVDQU32 Z2, (R8)
	VMOVDQU32 Z3, 64(R8)
	LEAQ (R8)(DX*8), R8
	JMP  hit

done:
	PAIREMITDONE
	VZEROUPPER
	RET

// The pairs of eight lanes of the low byte of DX with the object in Y0: the IDs at OFF in the row.
// Y12 and Y13 control the order: the object is first if (<= or Y12) and Y13.
#define PAIREMIT8(OFF) \
	MOVBLZX  DX, AX                \
	POPCNTL  AX, CX                \
	SHLL     $5, AX                \
	VMOVDQU  (R15)(AX*1), Y1       \
	VPERMD   OFF(DI)(BX*1), Y1, Y1 \
	VPMINUD  Y0, Y1, Y2            \
	VPCMPEQD Y0, Y2, Y2            \
	VPOR     Y12, Y2, Y2           \
	VPAND    Y13, Y2, Y2           \
	VPXOR    Y0, Y1, Y3            \
	VPAND    Y3, Y2, Y2            \
	VPXOR    Y1, Y2, Y1            \ // first
	VPXOR    Y1, Y3, Y2            \ // second
	VPUNPCKLDQ Y2, Y1, Y3          \
	VPUNPCKHDQ Y2, Y1, Y4          \
	VMOVDQU  X3, (R8)              \
	VMOVDQU  X4, 16(R8)            \
	VEXTRACTI128 $1, Y3, 32(R8)    \
	VEXTRACTI128 $1, Y4, 48(R8)    \
	LEAQ     (R8)(CX*8), R8

// func pairEmitAVX2(e *pairEmitArgs)
TEXT ·pairEmitAVX2(SB), NOSPLIT, $0-8
	PAIREMITSETUP
	LEAQ ·compressTable(SB), R15
	VPXOR    Y12, Y12, Y12
	VPXOR    Y13, Y13, Y13
	CMPL     AX, $const_Swapped
	JEQ      hit2
	VPCMPEQD Y13, Y13, Y13
	JHI      hit2
	VPCMPEQD Y12, Y12, Y12

hit2:
	PAIREMITHIT(done2)
	VPBROADCASTD (SI)(AX*4), Y0
	PAIREMIT8(0)
	SHRL $8, DX
	PAIREMIT8(32)
	JMP  hit2

done2:
	PAIREMITDONE
	VZEROUPPER
	RET
