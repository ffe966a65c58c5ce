// Macros of the convex kernels: the test of the frustum kernels, in a loop over planes that ends when no lane
// is left. In the loop DI counts the planes left, and R14 is the address of the offsets of a plane;
// the coefficients are Convex_Off-Convex_Coef before it. NEXT stands for the number of a plane.

#define COEF(NEXT, k) (Convex_Coef-Convex_Off+4*k)(R14)
#define OFFSET(NEXT, k) (4*k)(R14)
#define WIDE(NEXT) Convex_Wide(DX)(AX*4)
#define NUMBER(NEXT) \
	MOVQ Convex_N(DX), AX \
	SUBQ DI, AX

#define FIRSTPLANE \
	LEAQ Convex_Off(DX), R14 \
	MOVQ Convex_N(DX), DI

// The loop over planes, at the label NAME. LEFT sets the flag Z if no lane is left: the loop then jumps to NONE.
#define LOOPTO(PLANE, LEFT, NAME, NONE) \
NAME:             \
	PLANE(NEXT)    \
	LEFT           \
	JZ   NONE      \
	ADDQ $16, R14  \
	DECQ DI        \
	JNZ  NAME

// The loop over up to eight planes, at the label FEW, without a branch that ends it early, which would often be
// mispredicted. For more planes it jumps to MANY, which MANYTO defines behind the kernel. Both end at the label DONE.
#define FEWTO(PLANE, FEW, MANY, DONE) \
	CMPQ DI, $8   \
	JGT  MANY     \
FEW:             \
	PLANE(NEXT)   \
	ADDQ $16, R14 \
	DECQ DI       \
	JNZ  FEW      \
DONE:

#define MANYTO(PLANE, LEFT, MANY, NONE, DONE) \
	LOOPTO(PLANE, LEFT, MANY, NONE) \
	JMP  DONE

#define LEFT512 KTESTW K1, K1
