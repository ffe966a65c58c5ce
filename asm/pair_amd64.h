// What the pair kernels have in common.
//
// Comparisons are ordered and exact, 0x12 for <= and 0x1D for >=. Empty lanes (minima
// +Inf, maxima -Inf) overlap nothing, not even each other.

// Moves PTR one entry of 16 bytes on if M (destroyed) is not 0, so that what has been
// stored there stays.
#define PAIRKEEP(M, PTR) \
	NEGL M      \
	SBBQ M, M   \
	ANDL $16, M \
	ADDQ M, PTR

// The lane UP of a node: UP becomes where its bounds are. Destroys T.
#define PAIRLANE(UP, NODES, T) \
	MOVL UP, T          \
	ANDL $15, T         \
	XORL T, UP          \
	SHLQ $5, UP         \
	ADDQ NODES, UP      \
	LEAQ (UP)(T*4), UP

// AT is where the bounds of the packet in a slot are.
#define PAIRPACKET(SLOT, AT, BOUNDS) \
	LEAQ (SLOT)(SLOT*2), AT \
	SHLQ $7, AT             \
	ADDQ BOUNDS, AT

#define PAIRHITDONE \
	SUBQ PairWalk_Hits(DI), R8 \
	SHRQ $4, R8                \
	MOVQ R8, (PairWalk_Hits+8)(DI)
