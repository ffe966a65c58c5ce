// Macros and registers that the ray kernels share.
//
//	DI             walk             4, 5, 6      Near
//	BX             node, packet     7, 8, 9      Far
//	R8, R9, R10    offset of the    10, 11, 12   InvNear
//	               facing columns   13, 14, 15   InvFar
//
// The running value of a maximum or minimum is the operand that the instruction returns if the
// other one is NaN, or if both are zeros.

#define RAY(FIELD) (RayWalk_Ray+FIELD)(DI)

#define LOADOFFSETS \
	MOVL RAY(Ray_Off+0), R8 \
	MOVL RAY(Ray_Off+4), R9 \
	MOVL RAY(Ray_Off+8), R10

// Loads the coefficients into the registers whose names end in these numbers.
#define LOADRAY(V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15) \
	VBROADCASTSS RAY(Ray_Near+0), V4     \
	VBROADCASTSS RAY(Ray_Near+4), V5     \
	VBROADCASTSS RAY(Ray_Near+8), V6     \
	VBROADCASTSS RAY(Ray_Far+0), V7      \
	VBROADCASTSS RAY(Ray_Far+4), V8      \
	VBROADCASTSS RAY(Ray_Far+8), V9      \
	VBROADCASTSS RAY(Ray_InvNear+0), V10 \
	VBROADCASTSS RAY(Ray_InvNear+4), V11 \
	VBROADCASTSS RAY(Ray_InvNear+8), V12 \
	VBROADCASTSS RAY(Ray_InvFar+0), V13  \
	VBROADCASTSS RAY(Ray_InvFar+4), V14  \
	VBROADCASTSS RAY(Ray_InvFar+8), V15

// One axis of the lanes whose facing column is at BX + OFF + AT:
// T = max(T, enter), END = min(END, leave). AX, V2 and V3 are scratch.
#define SLAB(OFF, AT, NEAR, FAR, INVN, INVF, T, END, V2, V3) \
	VMOVUPS AT(BX)(OFF*1), V2 \
	MOVL    OFF, AX           \
	XORL    $64, AX           \
	VMOVUPS AT(BX)(AX*1), V3  \
	VSUBPS  NEAR, V2, V2      \
	VSUBPS  FAR, V3, V3       \
	VMULPS  INVN, V2, V2      \
	VMULPS  INVF, V3, V3      \
	VMAXPS  T, V2, T          \
	VMINPS  END, V3, END

// T and END of eight lanes of a node or packet, from the byte AT of a column on.
#define SLABS8(AT, T, END) \
	VXORPS       T, T, T           \
	VBROADCASTSS RAY(Ray_Max), END \
	SLAB(R8, AT, Y4, Y7, Y10, Y13, T, END, Y2, Y3) \
	SLAB(R9, AT, Y5, Y8, Y11, Y14, T, END, Y2, Y3) \
	SLAB(R10, AT, Y6, Y9, Y12, Y15, T, END, Y2, Y3)

// T and END of all sixteen.
#define SLABS16(T, END) \
	VXORPS       T, T, T           \
	VBROADCASTSS RAY(Ray_Max), END \
	SLAB(R8, 0, Z4, Z7, Z10, Z13, T, END, Z2, Z3) \
	SLAB(R9, 0, Z5, Z8, Z11, Z14, T, END, Z2, Z3) \
	SLAB(R10, 0, Z6, Z9, Z12, Z15, T, END, Z2, Z3)

// Removes the lanes of V whose word at COLUMN(BX) has no bit of WANT. Y15 is zero, Y3 scratch.
#define KEEP256(COLUMN, WANT, V) \
	VPBROADCASTD (RayWalk_Filter+WANT)(DI), Y3 \
	VPAND        (COLUMN)(BX), Y3, Y3 \
	VPCMPEQD     Y15, Y3, Y3        \
	VPANDN       V, Y3, V

// The same for the lanes of K1. Z3 is scratch.
#define KEEP512(COLUMN, WANT) \
	VPBROADCASTD (RayWalk_Filter+WANT)(DI), Z3 \
	VPTESTMD     COLUMN(BX), Z3, K1, K1
