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

#define PAIRHITDONE \
	SUBQ Walk_Hits(DI), R8 \
	SHRQ $4, R8                \
	MOVQ R8, (Walk_Hits+8)(DI)
