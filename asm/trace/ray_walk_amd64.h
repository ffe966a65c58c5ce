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

// The walk, up to packet, where BX is the address of one and K1 its lanes hit.
#define WALK512 \
	BEGIN(all-8(SP)) \
	LOADRAY(Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15) \
	SORTSETUP512 \
loop: \
	POP(loop, end) \
visit: \
	ADDRESS(R15, AX) \
	SLABS16(Z0, Z1) \
	VCMPPS $0x12, Z1, Z0, K1 \ // lanes hit
	TESTL  R15, R15 \
	JMI    packet \
	CMPL   all-8(SP), $0 \
	JNZ    filter \
push: \
	KMOVW   K1, R15 \
	LEAL    -1(R15), AX \
	TESTL   R15, AX \
	JZ      few \
	POPCNTL R15, AX \
	SORTKEYS512(R15) \
	MOVL    Node_Child(BX)(R15*4), R15 \
	SORTHALVES512 \
	CMPL    AX, $8 \
	JLE     sorted \
	MERGEHALVES512 \
sorted: \
	VPERMD    Node_Child(BX), Z1, Z2 \
	VPANDD    Z30, Z1, Z1 \
	VMOVDQU32 Z2, (R11)(R13*4) \
	VMOVDQU32 Z1, (R12)(R13*4) \
	ADDQ      AX, R13 \
	FIRST(visit, end) \
few: \ // one lane, which needs no sorting, or none
	TESTL  R15, R15 \
	JZ     loop \
	TZCNTL R15, AX \
	MOVL   Node_Child(BX)(AX*4), R15 \
	DECQ   CX \
	JMP    visit \
filter: \
	KEEP512(Node_Child, NodeFilter_Flags) \
	MOVL  (RayWalk_Filter+NodeFilter_Mask)(DI), AX \
	TESTL AX, AX \
	JZ    push \
	KEEP512(Node_Mask, NodeFilter_Mask) \
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
