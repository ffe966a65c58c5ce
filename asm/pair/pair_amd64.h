// Macros that the pair kernels share.
//
// Comparisons are ordered and exact, 0x12 for <= and 0x1D for >=. Empty lanes (minima +Inf, maxima
// -Inf) overlap nothing, not even each other.

// Advances PTR by one entry of 16 bytes if M (destroyed) is not 0, which keeps the entry stored
// there.
#define PAIRKEEP(M, PTR) \
	NEGL M      \
	SBBQ M, M   \
	ANDL $16, M \
	ADDQ M, PTR

// The lane UP of a node: UP becomes the address of its bounds. Destroys T.
#define PAIRLANE(UP, NODES, T) \
	MOVL UP, T          \
	ANDL $15, T         \
	XORL T, UP          \
	SHLQ $5, UP         \
	ADDQ NODES, UP      \
	LEAQ (UP)(T*4), UP

// AT becomes the address of the bounds of the packet in a slot.
#define PAIRPACKET(SLOT, AT, BOUNDS) \
	LEAQ (SLOT)(SLOT*2), AT \
	SHLQ $7, AT             \
	ADDQ BOUNDS, AT

// Widens the box in L0 to H2 by R on each side. A sum is rounded as every coordinate is, so no box
// that the exact sum reaches is beyond it. Sums compete with the comparisons for the ports of the CPU, so
// kernels branch to it only with a reach.
#define PAIRREACH(R, L0, H0, L1, H1, L2, H2) \
	VSUBPS R, L0, L0 \
	VADDPS R, H0, H0 \
	VSUBPS R, L1, L1 \
	VADDPS R, H1, H1 \
	VSUBPS R, L2, L2 \
	VADDPS R, H2, H2

// Jumps to WIDEN if there is a reach.
#define PAIRWIDEN(WIDEN) \
	CMPL Walk_Reach(DI), $0 \
	JNE  WIDEN

#define PAIRHITDONE \
	SUBQ Walk_Hits(DI), R8 \
	SHRQ $4, R8                \
	MOVQ R8, (Walk_Hits+8)(DI)

// A row of four equal numbers.
#define MOVINGROW(NAME, BITS)       \
	DATA NAME<>+0(SB)/8, $BITS  \
	DATA NAME<>+8(SB)/8, $BITS  \
	DATA NAME<>+16(SB)/8, $BITS \
	DATA NAME<>+24(SB)/8, $BITS \
	GLOBL NAME<>(SB), RODATA|NOPTR, $32

// The addresses of the shapes of the pair at OFF.
#define MOVINGSHAPES(OFF, X, Y)           \
	MOVWLZX (OFF+MovingPair_X)(SI), X \
	MOVWLZX (OFF+MovingPair_Y)(SI), Y \
	SHLQ    $8, X                     \
	SHLQ    $8, Y                     \
	ADDQ    AX, X                     \
	ADDQ    BX, Y
