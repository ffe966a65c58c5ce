// The walk of a ray. Registers in addition to ray_amd64.h:
//
//	SI  nodes      R11, R12   stack: references, times
//	DX  packets    R13        entries on the stack
//	CX  budget     R15        reference of the node or packet
//
// The time of an entry is its key without the lane, so it may be slightly early, which is
// conservative.

// Loads the state of the walk. ALL is 0 if the filter keeps everything.
#define BEGIN(ALL) \
	MOVQ w+0(FP), DI                \
	MOVQ nodes+8(FP), SI            \
	MOVQ packets+16(FP), DX         \
	MOVQ budget+24(FP), CX          \
	LOADOFFSETS                     \
	MOVQ (RayWalk_Refs+0)(DI), R11  \
	MOVQ (RayWalk_Refs+8)(DI), R13  \
	MOVQ (RayWalk_Times+0)(DI), R12 \
	MOVL (RayWalk_Filter+NodeFilter_Flags)(DI), AX \
	XORL $const_everyNode, AX       \
	ORL  (RayWalk_Filter+NodeFilter_Mask)(DI), AX  \
	MOVL AX, ALL

// The top of the stack to R15, unless it is beyond Max. Jumps to END if the budget is used up or
// the stack empty.
#define POP(LOOP, END) \
	DECQ  CX                  \
	JLT   END                 \
	DECQ  R13                 \
	JLT   END                 \
	MOVL  (R12)(R13*4), AX    \
	MOVL  (R11)(R13*4), R15   \
	CMPL  AX, RAY(Ray_Max)    \
	JHI   LOOP

// Takes the top of the stack, whose reference is in R15 already: this avoids a load. The second
// entry is not prefetched: a hit excludes it too often.
#define FIRST(VISIT, END) \
	DECQ CX  \
	JLT  END \
	DECQ R13 \
	JMP  VISIT

// Ends a call with the mask in AX.
#define LEAVE \
	MOVL AX, RayWalk_Mask(DI)       \
	MOVQ R13, (RayWalk_Refs+8)(DI)  \
	MOVQ R13, (RayWalk_Times+8)(DI) \
	VZEROUPPER

// The lane of the smallest key in Y16 into R15.
#define LEASTKEY \
	VEXTRACTI32X4 $1, Y16, X17 \
	VPMINUD X17, X16, X16      \
	VPSHUFD $0x4E, X16, X17    \ // 2 3 0 1
	VPMINUD X17, X16, X16      \
	VPSHUFD $0xB1, X16, X17    \ // 1 0 3 2
	VPMINUD X17, X16, X16      \
	VMOVD   X16, R15           \
	ANDL    $15, R15

// One layer of the sort of four keys in X1, as MEET256.
#define MEET128(LOWER) \
	VPMAXUD  X2, X1, X3 \
	VPMINUD  X2, X1, X1 \
	VPBLENDD $LOWER, X1, X3, X1

// Visits the child in lane R15 of the node at BX, and pushes those that K1 selects, AX of them,
// whose keys are in Z0.
#define PUSH512 \
	MOVL    Node_Child(BX)(R15*4), R15 \
	POPCNTL AX, AX            \
	VPCOMPRESSD.Z Z0, K1, Z1  \
	CMPL    AX, $4            \
	JGT     many              \
	VPSHUFD $0xB1, X1, X2     \ // 1 0 3 2
	MEET128(0xA)              \
	VPSHUFD $0x1B, X1, X2     \ // 3 2 1 0
	MEET128(0xC)              \
	VPSHUFD $0xB1, X1, X2     \
	MEET128(0xA)              \
	VPERMD  Node_Child(BX), Z1, Z2 \
	VPANDD  X30, X1, X1       \
	VMOVDQU X2, (R11)(R13*4)  \
	VMOVDQU X1, (R12)(R13*4)  \
	ADDQ    AX, R13           \
	FIRST(visit, end)         \
many:                         \
	SORTHALVES512             \
	CMPL    AX, $8            \
	JLE     sorted            \
	MERGEHALVES512            \
sorted:                       \
	VPERMD    Node_Child(BX), Z1, Z2 \
	VPANDD    Z30, Z1, Z1     \
	VMOVDQU32 Z2, (R11)(R13*4) \
	VMOVDQU32 Z1, (R12)(R13*4) \
	ADDQ      AX, R13         \
	FIRST(visit, end)

// Removes the lanes of K1 that the filter excludes. AX is scratch.
#define FILTER512 \
	KEEP512(Node_Child, NodeFilter_Flags) \
	MOVL  (RayWalk_Filter+NodeFilter_Mask)(DI), AX \
	TESTL AX, AX  \
	JZ    kept    \
	KEEP512(Node_Mask, NodeFilter_Mask) \
kept:

// The walk, up to packet, where PACKETAT(R15) gives the address of one.
#define WALK512 \
	BEGIN(all-8(SP)) \
	LOADRAY(Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15) \
	SORTSETUP512 \
loop: \
	POP(loop, end) \
visit: \
	NODEAT(R15) \
	SLABS16(Z0, Z1) \
	VCMPPS $0x12, Z1, Z0, K1 \ // lanes hit
	CMPL   all-8(SP), $0 \
	JNZ    filter \
push: \
	VPTERNLOGD $0xEA, Z31, Z30, Z0 \ // keys
	VMOVDQA32  Z27, Z16     \
	VMOVDQA32  Z0, K1, Z16  \ // all ones without a hit
	VEXTRACTI64X4 $1, Z16, Y17 \
	VPMINUD    Y17, Y16, Y16 \
	LEASTKEY \
	KMOVW      K1, AX \
	TESTL      AX, AX \
	JZ         loop \
	PUSH512 \
filter: \
	FILTER512 \
	JMP push

// One axis of eight lanes in the registers of WALKYMM, as SLAB: T = max(T0, enter), END = min(END0, leave).
#define SLABYMM(OFF, AT, NEAR, FAR, INVN, INVF, T0, END0, T, END) \
	VMOVUPS AT(BX)(OFF*1), Y16 \
	MOVL    OFF, AX            \
	XORL    $64, AX            \
	VMOVUPS AT(BX)(AX*1), Y17  \
	VSUBPS  NEAR, Y16, Y16     \
	VSUBPS  FAR, Y17, Y17      \
	VMULPS  INVN, Y16, Y16     \
	VMULPS  INVF, Y17, Y17     \
	VMAXPS  T0, Y16, T         \
	VMINPS  END0, Y17, END

#define SLABSYMM(AT, T, END) \
	SLABYMM(R8, AT, Y4, Y7, Y10, Y13, Y18, Y19, T, END) \
	SLABYMM(R9, AT, Y5, Y8, Y11, Y14, T, END, T, END)   \
	SLABYMM(R10, AT, Y6, Y9, Y12, Y15, T, END, T, END)

// The times of all lanes into Y0 and Y2, the masks of the lanes hit into Y1 and Y3, and into AX.
// R14 is scratch.
#define HITSYMM \
	SLABSYMM(0, Y0, Y1)      \
	SLABSYMM(32, Y2, Y3)     \
	VCMPPS $0x12, Y1, Y0, Y1 \
	VCMPPS $0x12, Y3, Y2, Y3 \
	VMOVMSKPS Y1, R14        \
	VMOVMSKPS Y3, AX         \
	SHLL   $8, AX            \
	ORL    R14, AX

// WALK512 with vectors of 256 bits: masks take less time in registers Y, and halves are not extracted.
//
//	Y18   zero     Y19   Max     Y20   sign bits and lanes of the second half
#define WALKYMM \
	BEGIN(all-8(SP)) \
	LOADRAY(Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
	SORTSETUP512 \
	VPXORD    Y18, Y18, Y18 \
	VBROADCASTSS RAY(Ray_Max), Y19 \
	VMOVDQU32 ·sortWanted+32(SB), Y20 \
loop: \
	POP(loop, end) \
visit: \
	NODEAT(R15) \
	HITSYMM \
	CMPL all-8(SP), $0 \
	JNZ  filter \
push: \
	VPTERNLOGD $0xEA, Y31, Y30, Y0 \ // keys
	VPTERNLOGD $0xEA, Y20, Y30, Y2 \
	VMOVDQA32  Y0, Y16 \
	VMOVDQA32  Y2, Y17 \
	VPTERNLOGD $0xF3, Y1, Y1, Y16 \ // all ones without a hit
	VPTERNLOGD $0xF3, Y3, Y3, Y17 \
	VPMINUD    Y17, Y16, Y16 \
	LEASTKEY \
	TESTL      AX, AX \
	JZ         loop \
	KMOVW      AX, K1 \
	VINSERTI64X4 $1, Y2, Z0, Z0 \
	PUSH512 \
filter: \
	KMOVW AX, K1 \
	FILTER512 \
	KMOVW K1, AX \
	VMOVDQA32.Z Y27, K1, Y1 \
	KSHIFTRW $8, K1, K1 \
	VMOVDQA32.Z Y27, K1, Y3 \
	JMP   push

// The keys of eight children into Y0.
#define KEYS256(AT) \
	SLABS8(AT, Y0, Y1)              \
	VCMPPS $0x12, Y1, Y0, Y1        \
	VPAND  ·sortBits(SB), Y0, Y0    \
	VPOR   ·sortWanted+AT(SB), Y0, Y0 \
	VPAND  Y1, Y0, Y0

// Stores the entries of the eight sorted keys in KEYS. Y2, Y3 and Y15 are scratch.
#define STACK256(KEYS, AT) \
	VPSLLD    $28, KEYS, Y15              \ // sign: the lane is in the second half
	VPERMD    (Node_Child+0)(BX), KEYS, Y2  \
	VPERMD    (Node_Child+32)(BX), KEYS, Y3 \
	VBLENDVPS Y15, Y3, Y2, Y2             \
	VPAND     ·sortBits(SB), KEYS, KEYS   \
	VMOVDQU   Y2, AT(R11)(R13*4)          \
	VMOVDQU   KEYS, AT(R12)(R13*4)

// The walk, up to packet, where BX is the address of one. No register is free for the keys of the
// second half of a node: they are spilled to Enter.
#define WALK256 \
	BEGIN(all-8(SP)) \
	LOADRAY(Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15) \
loop: \
	POP(loop, end) \
visit: \
	ADDRESS(R15, AX) \
	TESTL   R15, R15 \
	JMI     packet \
	KEYS256(32) \
	VMOVDQU Y0, (RayWalk_Enter+32)(DI) \
	KEYS256(0) \
	VMOVDQU (RayWalk_Enter+32)(DI), Y1 \
	CMPL    all-8(SP), $0 \
	JNZ     filter \
push: \
	VMOVMSKPS Y0, AX \
	VMOVMSKPS Y1, R15 \
	SHLL      $8, R15 \
	ORL       AX, R15 \
	LEAL      -1(R15), AX \
	TESTL     R15, AX \
	JZ        few \
	POPCNTL   R15, AX \
	VPCMPEQD  Y3, Y3, Y3 \
	VPADDD    Y3, Y0, Y2 \
	VPADDD    Y3, Y1, Y3 \
	VPMINUD   Y3, Y2, Y2 \
	NEAREST(Y2, X2, X3, R15) \
	MOVL      Node_Child(BX)(R15*4), R15 \
	SORTHALF256(Y0, Y2, Y3) \
	SORTHALF256(Y1, Y2, Y3) \
	SPLITHALVES256(Y0, Y1, Y2) \
	MERGEHALF256(Y0, Y2, Y3) \
	STACK256(Y0, 0) \
	CMPL      AX, $8 \
	JLE       stored \
	MERGEHALF256(Y1, Y2, Y3) \
	STACK256(Y1, 32) \
stored: \
	VBROADCASTSS RAY(Ray_InvFar+8), Y15 \
	ADDQ         AX, R13 \
	FIRST(visit, end) \
few: \ // one lane, which needs no sorting, or none
	TESTL  R15, R15 \
	JZ     loop \
	TZCNTL R15, AX \
	MOVL   Node_Child(BX)(AX*4), R15 \
	DECQ   CX \
	JMP    visit \
filter: \
	VPXOR X15, X15, X15 \
	KEEP256(Node_Child+0, NodeFilter_Flags, Y0) \
	KEEP256(Node_Child+32, NodeFilter_Flags, Y1) \
	MOVL  (RayWalk_Filter+NodeFilter_Mask)(DI), AX \
	TESTL AX, AX \
	JZ    filtered \
	KEEP256(Node_Mask+0, NodeFilter_Mask, Y0) \
	KEEP256(Node_Mask+32, NodeFilter_Mask, Y1) \
filtered: \
	VBROADCASTSS RAY(Ray_InvFar+8), Y15 \
	JMP          push

// The end of a walk: prefetches the top of the stack.
#define WALKEND \
end: \
	XORL    AX, AX \
	TESTQ   R13, R13 \
	CMOVQLT AX, R13 \
	JLE     out \
	MOVL    -4(R11)(R13*4), AX \
	ADDRESS(AX, R14) \
	FETCHLINES \
	XORL    AX, AX \
out:
