#include "textflag.h"
#include "double_amd64.h"

// func add(a, b int) int
TEXT ·add(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	DOUBLE
	ADDQ b+8(FP), AX
	MOVQ AX, ret+16(FP)
	RET

// func idle(a int) int
TEXT ·idle(SB), NOSPLIT, $0-16
	MOVQ a+0(FP), AX
	MOVQ AX, ret+8(FP)
	RET
