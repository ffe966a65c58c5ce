//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "ray_amd64.h"

// The walk of a ray. Both tiers test nodes with the same code on 8 lanes; they
// differ in the packets. Registers, beside those of ray_amd64.h:
//
//	SI  nodes      R11, R12   stack: references, times
//	DX  packets    R13        entries on the stack
//	CX  budget     R14        0 if the filter keeps everything

// One layer of a sorting network on the eight keys of Y1, descending: Y2 has
// the partner of each lane, LOWER the lanes that take the smaller key of a pair.
#define LAYER(LOWER) \
	VPMAXUD  Y2, Y1, Y3        \
	VPMINUD  Y2, Y1, Y1        \
	VPBLENDD $LOWER, Y1, Y3, Y1

// Fetches the node or packet that the reference AT bytes from the end of the
// stack names; of a node, which is smaller, two lines too many. AX, BX and R15
// are scratch.
#define FETCH(AT) \
	MOVL    AT(R11)(R13*4), AX   \
	MOVL    AX, R15              \
	ANDL    $const_refIndex, R15 \
	SHLQ    $7, R15              \
	LEAQ    (SI)(R15*2), BX      \
	LEAQ    (R15)(R15*2), R15    \
	ADDQ    DX, R15              \
	TESTL   AX, AX               \
	CMOVQMI R15, BX              \
	PREFETCHT0 (BX)              \
	PREFETCHT0 64(BX)            \
	PREFETCHT0 128(BX)           \
	PREFETCHT0 192(BX)           \
	PREFETCHT0 256(BX)           \
	PREFETCHT0 320(BX)

// Times and references of the lanes of Y1 go to the stack, the earliest time
// on top. Y0 is the times, AX the number of lanes. The key of a lane is its
// time without the lowest three bits, which hold the lane instead; the sign
// bit sets it apart from the lanes not hit, which end up beyond the stack.
#define PUSHLANES \
	VPAND   ·rayTimeBits(SB), Y0, Y2 \
	VPOR    ·rayLaneBits(SB), Y2, Y2 \
	VPAND   Y2, Y1, Y1       \
	VPSHUFD $0xB1, Y1, Y2    \
	LAYER(0xAA)              \
	VPSHUFD $0x1B, Y1, Y2    \
	LAYER(0xCC)              \
	VPSHUFD $0xB1, Y1, Y2    \
	LAYER(0xAA)              \
	VPERMQ  $0x4E, Y1, Y2    \
	VPSHUFD $0x1B, Y2, Y2    \
	LAYER(0xF0)              \
	VPSHUFD $0x4E, Y1, Y2    \
	LAYER(0xCC)              \
	VPSHUFD $0xB1, Y1, Y2    \
	LAYER(0xAA)              \
	VPERMD  Y0, Y1, Y2       \
	VPERMD  Node_Child(BX), Y1, Y3 \
	VMOVDQU Y2, (R12)(R13*4) \
	VMOVDQU Y3, (R11)(R13*4) \
	ADDQ    AX, R13

DATA ·rayTimeBits+0(SB)/8, $0xfffffff8fffffff8
DATA ·rayTimeBits+8(SB)/8, $0xfffffff8fffffff8
DATA ·rayTimeBits+16(SB)/8, $0xfffffff8fffffff8
DATA ·rayTimeBits+24(SB)/8, $0xfffffff8fffffff8
GLOBL ·rayTimeBits(SB), RODATA|NOPTR, $32

DATA ·rayLaneBits+0(SB)/8, $0x8000000180000000
DATA ·rayLaneBits+8(SB)/8, $0x8000000380000002
DATA ·rayLaneBits+16(SB)/8, $0x8000000580000004
DATA ·rayLaneBits+24(SB)/8, $0x8000000780000006
GLOBL ·rayLaneBits(SB), RODATA|NOPTR, $32

// Loads the state of the walk. R14 is 0 if the filter keeps everything.
#define BEGIN \
	MOVQ w+0(FP), DI            \
	MOVQ nodes+8(FP), SI        \
	MOVQ packets+16(FP), DX     \
	MOVQ budget+24(FP), CX      \
	LOADOFFSETS \
	MOVQ (RayWalk_Refs+0)(DI), R11  \
	MOVQ (RayWalk_Refs+8)(DI), R13  \
	MOVQ (RayWalk_Times+0)(DI), R12 \
	MOVL (RayWalk_Filter+NodeFilter_Flags)(DI), R14 \
	XORL $const_everyNode, R14    \
	ORL  (RayWalk_Filter+NodeFilter_Mask)(DI), R14

// The top of the stack to BX, unless it lies beyond Max. Leaves through END
// when the budget is used up or the stack empty.
#define POP(LOOP, END) \
	DECQ  CX                  \
	JLT   END                 \
	DECQ  R13                 \
	JLT   END                 \
	MOVL  (R12)(R13*4), AX    \
	MOVL  (R11)(R13*4), BX    \
	CMPL  AX, RAY(Ray_Max)    \
	JHI   LOOP

// Ends a call with the mask in AX.
#define LEAVE \
	MOVL AX, RayWalk_Mask(DI) \
	MOVQ R13, (RayWalk_Refs+8)(DI)  \
	MOVQ R13, (RayWalk_Times+8)(DI) \
	VZEROUPPER

// func rayNextAVX512(w *RayWalk, nodes *Node, packets *Packet, budget int)
TEXT ·rayNextAVX512(SB), NOSPLIT, $0-32
	BEGIN
	LOADRAY(Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

loop:
	POP(loop, end)

visit:
	TESTL BX, BX
	JMI   packet
	ANDL  $const_refIndex, BX
	SHLQ  $8, BX
	ADDQ  SI, BX
	SLABS8(1, 0, Y0, Y1)
	VCMPPS    $0x12, Y1, Y0, Y1 // Y1: lanes hit
	TESTL     R14, R14
	JNZ       filter

push:
	VMOVMSKPS Y1, R15
	LEAL      -1(R15), AX
	TESTL     R15, AX
	JZ        few
	POPCNTL   R15, AX
	PUSHLANES
	FETCH(-8) // the second: the first is next, too late to fetch
	JMP     loop

few: // one lane, which needs no sorting, or none
	TESTL  R15, R15
	JZ     loop
	TZCNTL R15, AX
	MOVL   Node_Child(BX)(AX*4), BX
	DECQ   CX
	JMP    visit

filter:
	VPXOR        Y15, Y15, Y15
	KEEPLANES(Node_Child, NodeFilter_Flags)
	MOVL         (RayWalk_Filter+NodeFilter_Mask)(DI), AX
	TESTL        AX, AX
	JZ           filtered
	KEEPLANES(Node_Mask, NodeFilter_Mask)

filtered:
	VBROADCASTSS RAY(Ray_InvFar+8), Z15
	JMP          push

packet:
	ANDL $const_refIndex, BX
	MOVL BX, RayWalk_Slot(DI)
	LEAQ (BX)(BX*2), BX
	SHLQ $7, BX
	ADDQ DX, BX
	SLABS16(Z0, Z1)
	VCMPPS  $0x12, Z1, Z0, K1
	KMOVW   K1, AX
	TESTL   AX, AX
	JZ      loop
	VMOVUPS Z0, RayWalk_Enter(DI)
	LEAVE
	RET

end:
	XORL    AX, AX
	TESTQ   R13, R13
	CMOVQLT AX, R13
	JLE     out
	FETCH(-4)
	XORL    AX, AX

out:
	LEAVE
	RET

// func rayNextAVX2(w *RayWalk, nodes *Node, packets *Packet, budget int)
TEXT ·rayNextAVX2(SB), NOSPLIT, $0-32
	BEGIN
	LOADRAY(Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

loop:
	POP(loop, end)

visit:
	TESTL BX, BX
	JMI   packet
	ANDL  $const_refIndex, BX
	SHLQ  $8, BX
	ADDQ  SI, BX
	SLABS8(1, 0, Y0, Y1)
	VCMPPS    $0x12, Y1, Y0, Y1 // Y1: lanes hit
	TESTL     R14, R14
	JNZ       filter

push:
	VMOVMSKPS Y1, R15
	LEAL      -1(R15), AX
	TESTL     R15, AX
	JZ        few
	POPCNTL   R15, AX
	PUSHLANES
	FETCH(-8) // the second: the first is next, too late to fetch
	JMP     loop

few: // one lane, which needs no sorting, or none
	TESTL  R15, R15
	JZ     loop
	TZCNTL R15, AX
	MOVL   Node_Child(BX)(AX*4), BX
	DECQ   CX
	JMP    visit

filter:
	VPXOR        Y15, Y15, Y15
	KEEPLANES(Node_Child, NodeFilter_Flags)
	MOVL         (RayWalk_Filter+NodeFilter_Mask)(DI), AX
	TESTL        AX, AX
	JZ           filtered
	KEEPLANES(Node_Mask, NodeFilter_Mask)

filtered:
	VBROADCASTSS RAY(Ray_InvFar+8), Y15
	JMP          push

packet:
	ANDL $const_refIndex, BX
	MOVL BX, RayWalk_Slot(DI)
	LEAQ (BX)(BX*2), BX
	SHLQ $7, BX
	ADDQ DX, BX
	SLABS8(2, 32, Y0, Y1)
	VCMPPS    $0x12, Y1, Y0, Y1
	VMOVUPS   Y0, (RayWalk_Enter+32)(DI)
	VMOVMSKPS Y1, R15
	SLABS8(2, 0, Y0, Y1)
	VCMPPS    $0x12, Y1, Y0, Y1
	VMOVMSKPS Y1, AX
	SHLL      $8, R15
	ORL       R15, AX
	TESTL     AX, AX
	JZ        loop
	VMOVUPS   Y0, RayWalk_Enter(DI)
	LEAVE
	RET

end:
	XORL    AX, AX
	TESTQ   R13, R13
	CMOVQLT AX, R13
	JLE     out
	FETCH(-4)
	XORL    AX, AX

out:
	LEAVE
	RET
