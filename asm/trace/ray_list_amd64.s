//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "ray_amd64.h"
#include "sort_amd64.h"

// The two phases that list all hits of a ray: nodes, breadth first, then
// packets.

// A nodes kernel. Registers in addition to ray_amd64.h:
//
//	R11, R12, R13   queue, length, head      SI  nodes
//	DX, R15         packets, length          CX  budget
#define NODESBEGIN \
	MOVQ w+0(FP), DI       \
	MOVQ nodes+8(FP), SI   \
	MOVQ budget+16(FP), CX \
	LOADOFFSETS            \
	MOVQ (RayWalk_Lists+VolumeWalk_Queue+0)(DI), R11   \
	MOVQ (RayWalk_Lists+VolumeWalk_Queue+8)(DI), R12   \
	MOVQ (RayWalk_Lists+VolumeWalk_Head)(DI), R13      \
	MOVQ (RayWalk_Lists+VolumeWalk_Packets+0)(DI), DX  \
	MOVQ (RayWalk_Lists+VolumeWalk_Packets+8)(DI), R15

#define NODESEND \
	MOVQ R12, (RayWalk_Lists+VolumeWalk_Queue+8)(DI)   \
	MOVQ R13, (RayWalk_Lists+VolumeWalk_Head)(DI)      \
	MOVQ R15, (RayWalk_Lists+VolumeWalk_Packets+8)(DI) \
	VZEROUPPER \
	RET

// The address of the next queued node into BX; jumps to DONE if there is none or the budget is used
// up. Prefetches the node three entries on, except its masks. Beyond the end of the queue the entry
// is stale, which is harmless for a prefetch.
#define NEXTNODE(DONE) \
	CMPQ R13, R12 \
	JGE  DONE     \
	DECQ CX       \
	JLT  DONE     \
	MOVL 12(R11)(R13*4), BX   \
	ANDL $const_refIndex, BX  \
	SHLQ $9, BX   \
	ADDQ SI, BX   \
	FETCHLINES    \
	MOVL (R11)(R13*4), BX     \
	INCQ R13      \
	ANDL $const_refIndex, BX  \
	SHLQ $9, BX   \
	ADDQ SI, BX

// Sets the zero flag if the filter keeps everything.
#define KEEPSALL \
	MOVL (RayWalk_Filter+NodeFilter_Flags)(DI), AX \
	XORL $const_everyNode, AX \
	ORL  (RayWalk_Filter+NodeFilter_Mask)(DI), AX

// func rayNodesAVX512(w *RayWalk, nodes *Node, budget int)
TEXT ·rayNodesAVX512(SB), NOSPLIT, $0-24
	NODESBEGIN
	LOADRAY(Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

loop:
	NEXTNODE(done)
	SLABS16(Z0, Z1)
	VCMPPS $0x12, Z1, Z0, K1 // lanes hit
	KEEPSALL
	JNZ    filter

put:
	VMOVDQU32     Node_Child(BX), Z2
	VPMOVD2M      Z2, K2
	KANDNW        K1, K2, K3 // nodes hit
	KANDW         K1, K2, K2 // packets hit
	VPCOMPRESSD.Z Z2, K3, Z3
	VPCOMPRESSD.Z Z2, K2, Z2
	VMOVDQU32     Z3, (R11)(R12*4)
	VMOVDQU32     Z2, (DX)(R15*4)
	KMOVW         K3, AX
	POPCNTL       AX, AX
	ADDQ          AX, R12
	KMOVW         K2, AX
	POPCNTL       AX, AX
	ADDQ          AX, R15
	JMP           loop

filter:
	KEEP512(Node_Child, NodeFilter_Flags)
	MOVL  (RayWalk_Filter+NodeFilter_Mask)(DI), AX
	TESTL AX, AX
	JZ    put
	KEEP512(Node_Mask, NodeFilter_Mask)
	JMP   put

done:
	NODESEND

// Appends the lanes of V selected by the mask M to the list at PTR. R14 is compressTable, Y3
// scratch; M becomes the number of lanes.
#define COMPRESS8(M, V, PTR, LEN) \
	SHLL    $5, M              \
	VMOVDQU (R14)(M*1), Y3     \
	VPERMD  V, Y3, Y3          \
	VMOVDQU Y3, (PTR)(LEN*4)   \
	SHRL    $5, M              \
	POPCNTL M, M               \
	ADDQ    M, LEN

// Appends the hits of eight children of the node at BX to the lists.
#define CHILDREN8(AT, PUT, FILTERED) \
	SLABS8(AT, Y0, Y1)       \
	VCMPPS $0x12, Y1, Y0, Y0 \ // lanes hit
	KEEPSALL                 \
	JZ     PUT               \
	VPXOR  X15, X15, X15     \
	KEEP256(Node_Child+AT, NodeFilter_Flags, Y0) \
	MOVL   (RayWalk_Filter+NodeFilter_Mask)(DI), AX \
	TESTL  AX, AX            \
	JZ     FILTERED          \
	KEEP256(Node_Mask+AT, NodeFilter_Mask, Y0) \
FILTERED:                    \
	VBROADCASTSS RAY(Ray_InvFar+8), Y15 \
PUT:                         \
	VMOVDQU   (Node_Child+AT)(BX), Y2 \
	VPANDN    Y0, Y2, Y1     \ // sign bits: nodes hit
	VPAND     Y0, Y2, Y0     \ // sign bits: packets hit
	VMOVMSKPS Y1, AX         \
	COMPRESS8(AX, Y2, R11, R12) \
	VMOVMSKPS Y0, AX         \
	COMPRESS8(AX, Y2, DX, R15)

// func rayNodesAVX2(w *RayWalk, nodes *Node, budget int)
TEXT ·rayNodesAVX2(SB), NOSPLIT, $0-24
	NODESBEGIN
	LEAQ ·compressTable(SB), R14
	LOADRAY(Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

loop:
	NEXTNODE(done)
	CHILDREN8(0, put0, filtered0)
	CHILDREN8(32, put1, filtered1)
	JMP loop

done:
	NODESEND

// Prefetches the six lines of the packet four entries on, if there is one.
#define FETCHPACKET(SKIP) \
	CMPQ CX, $4             \
	JLE  SKIP               \
	MOVL 16(R11), AX        \
	ANDL $const_refIndex, AX \
	LEAQ (AX)(AX*2), AX     \
	SHLQ $7, AX             \
	ADDQ SI, AX             \
	PREFETCHT0 (AX)         \
	PREFETCHT0 64(AX)       \
	PREFETCHT0 128(AX)      \
	PREFETCHT0 192(AX)      \
	PREFETCHT0 256(AX)      \
	PREFETCHT0 320(AX)

// The address of the next packet into BX, its slot*16 into R15.
#define PACKETADDRESS \
	MOVL (R11), R15          \
	ADDQ $4, R11             \
	ANDL $const_refIndex, R15 \
	LEAQ (R15)(R15*2), BX    \
	SHLQ $7, BX              \
	ADDQ SI, BX              \
	SHLL $4, R15

// Prefetches the IDs of the packet if the mask in AX is not zero.
#define FETCHIDS \
	LEAQ    (DX)(R15*4), R14 \
	TESTL   AX, AX           \
	CMOVQEQ BX, R14          \
	PREFETCHT0 (R14)

// func rayPacketsAVX512(w *RayWalk, packets *Packet, ids, slots *uint32, n int)
//
//	SI  packets   R11, CX    slots, packets left     R12  out: locations
//	DX  IDs       R15        slot*16                 R13  length of both
TEXT ·rayPacketsAVX512(SB), NOSPLIT, $0-40
	MOVQ w+0(FP), DI
	MOVQ packets+8(FP), SI
	MOVQ ids+16(FP), DX
	MOVQ slots+24(FP), R11
	MOVQ n+32(FP), CX
	LOADOFFSETS
	MOVQ (RayWalk_Locations+0)(DI), R12
	MOVQ (RayWalk_Locations+8)(DI), R13
	LOADRAY(Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	VMOVDQU32 ·sortLanes(SB), Z16

loop:
	FETCHPACKET(test)
test:
	PACKETADDRESS
	SLABS16(Z0, Z1)
	VCMPPS        $0x12, Z1, Z0, K1
	KMOVW         K1, AX
	FETCHIDS
	VPBROADCASTD  R15, Z1
	VPADDD        Z16, Z1, Z1
	VPCOMPRESSD.Z Z1, K1, Z1
	VPCOMPRESSD.Z Z0, K1, Z0
	MOVQ          (RayWalk_At+0)(DI), R14
	VMOVDQU32     Z1, (R12)(R13*4)
	VMOVDQU32     Z0, (R14)(R13*4)
	POPCNTL       AX, AX
	ADDQ          AX, R13
	DECQ          CX
	JNZ           loop
	MOVQ          R13, (RayWalk_Locations+8)(DI)
	MOVQ          R13, (RayWalk_At+8)(DI)
	VZEROUPPER
	RET

// Appends the locations and times of eight lanes of a packet to the lists. R14 is scratch.
#define HALF(AT) \
	SLABS8(AT, Y0, Y1)        \
	VCMPPS $0x12, Y1, Y0, Y1     \
	VMOVMSKPS Y1, AX             \
	SHLL $5, AX                  \
	LEAQ ·compressTable(SB), R14 \
	VMOVDQU (R14)(AX*1), Y3       \
	VPERMD Y0, Y3, Y0            \
	VMOVQ R15, X1                \
	VPBROADCASTD X1, Y1          \
	VPADDD ·sortLanes+AT(SB), Y1, Y1 \
	VPERMD Y1, Y3, Y1            \
	MOVQ (RayWalk_At+0)(DI), R14 \
	VMOVDQU Y1, (R12)(R13*4)     \
	VMOVDQU Y0, (R14)(R13*4)     \
	SHRL $5, AX                  \
	POPCNTL AX, AX               \
	ADDQ AX, R13

// func rayPacketsAVX2(w *RayWalk, packets *Packet, ids, slots *uint32, n int)
TEXT ·rayPacketsAVX2(SB), NOSPLIT, $8-40
	MOVQ w+0(FP), DI
	MOVQ packets+8(FP), SI
	MOVQ ids+16(FP), DX
	MOVQ slots+24(FP), R11
	MOVQ n+32(FP), CX
	LOADOFFSETS
	MOVQ (RayWalk_Locations+0)(DI), R12
	MOVQ (RayWalk_Locations+8)(DI), R13
	LOADRAY(Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15)

loop:
	FETCHPACKET(test)
test:
	PACKETADDRESS
	MOVQ R13, AX
	MOVQ AX, before-8(SP)
	HALF(0)
	HALF(32)
	MOVQ R13, AX
	SUBQ before-8(SP), AX
	FETCHIDS
	DECQ CX
	JNZ  loop
	MOVQ R13, (RayWalk_Locations+8)(DI)
	MOVQ R13, (RayWalk_At+8)(DI)
	VZEROUPPER
	RET
