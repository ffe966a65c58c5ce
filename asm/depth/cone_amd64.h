// Macros of the cone kernels.

#define CONESETUP \
	MOVQ row+0(FP), R8     \
	MOVQ stride+8(FP), R9  \
	MOVQ c+24(FP), SI      \
	MOVQ y+32(FP), R10     \
	MOVQ n+40(FP), CX
