//go:build amd64 && !purego

#include "textflag.h"

// func prefetchAVX2(base *byte, index *uint32, n int, shift uint, row uintptr)
//
// SI  index   DI  base   BX  row   R8  first line of a row   R9  its end
TEXT ·prefetchAVX2(SB), NOSPLIT, $0-40
	MOVQ base+0(FP), DI
	MOVQ index+8(FP), SI
	MOVQ n+16(FP), DX
	MOVQ shift+24(FP), CX
	MOVQ row+32(FP), BX

rowloop:
	MOVL  (SI), R8
	SHRQ  CX, R8
	IMULQ BX, R8
	ADDQ  DI, R8
	LEAQ  (R8)(BX*1), R9
	ANDQ  $~63, R8

lineloop:
	PREFETCHT0 (R8)
	ADDQ       $64, R8
	CMPQ       R8, R9
	JB         lineloop

	ADDQ $4, SI
	DECQ DX
	JNZ  rowloop
	RET
