//go:build amd64 && !purego

#include "textflag.h"

// func ID(leaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·ID(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET
