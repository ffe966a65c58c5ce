// Macros that the kernels for several frusta share.

// The planes of a viewer are at DX.
#define COEF(i, k) (Planes_Coef+16*i+4*k)(DX)
#define OFFSET(i, k) (Planes_Off+16*i+4*k)(DX)
#define WIDE(i) (Planes_Wide+4*i)(DX)
#define NUMBER(i)

#define SIX(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

// Takes the lowest viewer off R8: DX is its planes, R11 the planes of all, AX its bit.
#define NEXTVIEWER \
	TZCNTQ R8, DX            \
	MOVL   $1, AX            \
	SHLXQ  DX, AX, AX        \
	IMULQ  $Planes__size, DX \
	ADDQ   R11, DX

#define DROPVIEWER \
	BLSRQ R8, R8

// A nodes kernel:
//
//	DI  walk        R9   head               R12  length of packets  BX  node
//	SI  nodes       R10  length of queue    R15  length of inside   R8  viewers left
//	CX  nodes left  R14  filter               R11  planes             AX, DX, R13 scratch
#define MULTISETUP \
	MOVQ w+0(FP), DI                               \
	MOVQ nodes+8(FP), SI                           \
	MOVQ filter+16(FP), R14                          \
	MOVQ budget+24(FP), CX                         \
	MOVQ FrustaWalk_Planes(DI), R11                     \
	MOVQ FrustaWalk_Head(DI), R9                        \
	MOVQ (FrustaWalk_Queue+MultiList_Refs+8)(DI), R10   \
	MOVQ (FrustaWalk_Packets+MultiList_Refs+8)(DI), R12 \
	MOVQ (FrustaWalk_Inside+MultiList_Refs+8)(DI), R15

#define MULTIDONE \
	MOVQ R9, FrustaWalk_Head(DI)                        \
	MOVQ R10, (FrustaWalk_Queue+MultiList_Refs+8)(DI)   \
	MOVQ R12, (FrustaWalk_Packets+MultiList_Refs+8)(DI) \
	MOVQ R15, (FrustaWalk_Inside+MultiList_Refs+8)(DI)

// Takes the node at the head of the queue into BX and its viewers into R8, and prefetches the node
// four entries on, a stale one beyond the end.
#define NEXTMULTI \
	MOVQ (FrustaWalk_Queue+MultiList_Refs)(DI), DX \
	MOVL 16(DX)(R9*4), AX                     \
	SHLQ $9, AX                               \
	PREFETCHT0 (SI)(AX*1)                     \
	PREFETCHT0 64(SI)(AX*1)                   \
	PREFETCHT0 128(SI)(AX*1)                  \
	PREFETCHT0 192(SI)(AX*1)                  \
	PREFETCHT0 256(SI)(AX*1)                  \
	PREFETCHT0 320(SI)(AX*1)                  \
	PREFETCHT0 384(SI)(AX*1)                  \
	PREFETCHT0 448(SI)(AX*1)                  \
	MOVL (DX)(R9*4), BX                       \
	SHLQ $9, BX                               \
	ADDQ SI, BX                               \
	MOVQ (FrustaWalk_Queue+MultiList_Open)(DI), DX \
	MOVQ (DX)(R9*8), R8                       \
	MOVQ (FrustaWalk_Queue+MultiList_In)(DI), DX

// A packets kernel:
//
//	DI  argument       R9   index in the list    R13  next ID      BX  packet
//	SI  packets        R12  IDs written          R15  next viewer  R8  viewers left
//	CX  packets left   R14  columns of IDs       R11  planes       R10 slot, AX, DX scratch
#define SEEINGSETUP \
	MOVQ e+0(FP), DI             \
	MOVQ seeing_packets(DI), SI  \
	MOVQ seeing_columns(DI), R14 \
	MOVQ seeing_planes(DI), R11  \
	MOVQ seeing_ids(DI), R13     \
	MOVQ seeing_viewers(DI), R15 \
	MOVQ seeing_n(DI), CX        \
	XORL R9, R9                  \
	XORL R12, R12

// Prefetches the packet four entries on and its IDs.
#define FETCHSEEING \
	LEAQ 4(R9), AX             \
	CMPQ AX, seeing_listed(DI) \
	JGE  test                  \
	MOVQ seeing_slots(DI), DX  \
	MOVL 16(DX)(R9*4), R10     \
	LEAQ (R10)(R10*2), AX      \
	SHLQ $7, AX                \
	PREFETCHT0 (SI)(AX*1)      \
	PREFETCHT0 64(SI)(AX*1)    \
	PREFETCHT0 128(SI)(AX*1)   \
	PREFETCHT0 192(SI)(AX*1)   \
	PREFETCHT0 256(SI)(AX*1)   \
	PREFETCHT0 320(SI)(AX*1)   \
	SHLQ $6, R10               \
	PREFETCHT0 (R14)(R10*1)

#define NEXTSEEING \
	MOVQ seeing_slots(DI), DX  \
	MOVL (DX)(R9*4), R10       \
	LEAQ (R10)(R10*2), BX      \
	SHLQ $7, BX                \
	ADDQ SI, BX                \
	SHLQ $6, R10               \
	MOVQ seeing_open(DI), DX   \
	MOVQ (DX)(R9*8), R8        \
	MOVQ seeing_in(DI), DX

// Planes with two bounds: the near box of the first viewer is the near box of all, so its test is
// made once for all viewers.
#define FIRSTPLANES \
	MOVQ R11, DX

// The boxes have one bound.
#define ONEBOUND
