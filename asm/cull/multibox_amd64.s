//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "box_amd64.h"

// The kernels of a walk of several boxes. The nodes kernels use the registers of walk_amd64.h:
//
//	R8, R9, R10    queue, head, length      SI  nodes      CX  end of the nodes of this box
//	R11, R12       its slots, count         DX  box        BX  this node
//	R13, R15       its inside, count        R14 its number DI  walk, AX scratch
//
// first is the length of the queue before this box, limit its maximum length for this box, most its
// maximum length for all.

#define BOXNODES(LOAD, TEST) \
	MOVQ w+0(FP), DI                      \
	MOVQ nodes+8(FP), SI                  \
	LEAQ BoxesWalk_queue(DI), R8          \
	XORL R9, R9                           \
	MOVQ BoxesWalk_N(DI), R10             \
level:                                    \
	CMPQ R9, R10                          \
	JGE  done                             \
	XORL R14, R14                         \
box:                                      \
	MOVL BoxesWalk_ends(DI)(R14*4), CX    \
	CMPQ R9, CX                           \
	JGE  passed                           \
	MOVQ R10, first-8(SP)                 \
	MOVL BoxesWalk_left(DI)(R14*4), AX    \
	TESTL AX, AX                          \
	JLT  skip                             \
	ADDQ R10, AX                          \
	MOVQ most+16(FP), BX                  \
	CMPQ BX, AX                           \
	CMOVQLT BX, AX                        \
	MOVQ AX, limit-16(SP)                 \
	MOVQ R14, number-24(SP)               \
	LEAQ (R14)(R14*2), DX                 \
	LEAQ BoxesWalk_Boxes(DI)(DX*8), DX    \
	LOAD                                  \
	MOVL BoxesWalk_border(DI)(R14*4), R12    \
	MOVL BoxesWalk_within(DI)(R14*4), R15 \
	MOVQ R14, R11                         \
	SHLQ $9, R11                          \
	LEAQ BoxesWalk_slots(DI)(R11*1), R11  \
	MOVQ R14, R13                         \
	SHLQ $8, R13                          \
	LEAQ BoxesWalk_inside(DI)(R13*1), R13 \
node:                                     \
	NEXTNODE                              \
	TEST                                  \
	CMPQ R10, limit-16(SP)                \
	JGT  giveup                           \
	CMPQ R12, $const_multiBoxPacketLimit \
	JGT  giveup                           \
	CMPQ R15, $const_multiBoxInsideLimit    \
	JGT  giveup                           \
	CMPQ R9, CX                           \
	JLT  node                             \
	MOVL R12, BoxesWalk_border(DI)(R14*4)    \
	MOVL R15, BoxesWalk_within(DI)(R14*4) \
	MOVQ first-8(SP), AX                  \
	SUBQ R10, AX                          \
	ADDL AX, BoxesWalk_left(DI)(R14*4)    \
passed:                                   \
	MOVL R10, BoxesWalk_ends(DI)(R14*4)   \
	INCQ R14                              \
	CMPQ R14, BoxesWalk_N(DI)             \
	JLT  box                              \
	JMP  level                            \
giveup:                                   \
	MOVL $-1, BoxesWalk_left(DI)(R14*4)   \
	MOVQ first-8(SP), R10                 \
skip:                                     \
	MOVQ CX, R9                           \
	JMP  passed                           \
done:                                     \
	VZEROUPPER                            \
	RET

#define HALVES256 \
	NODE256                   \
	SORT256                   \
	MOVL -4(R8)(R9*4), BX     \
	SHLQ $9, BX               \
	LEAQ 32(SI)(BX*1), BX     \
	NODE256                   \
	SORT256                   \
	MOVQ number-24(SP), R14

// A packets kernel:
//
//	R8   next ID       R9   slots    R11  index in slots    DX  box     SI  packets
//	R12  end of a box  R13  its sum  CX   end of this box   BX  packet  R10 its slot
//	R15  last index that may prefetch four on  DI  argument            AX, R14 scratch
//
// Packets and their IDs are prefetched four entries on. So is the memory of results: it belonged to
// an older batch and is not in the cache any more.
#define BOXPACKETS(LOAD, TEST, PUT, PUTALL) \
	MOVQ e+0(FP), DI             \
	MOVQ seeking_ids(DI), R8     \
	MOVQ seeking_wrote(DI), AX   \
	LEAQ (R8)(AX*4), R8          \
	MOVQ seeking_packets(DI), SI \
	MOVQ seeking_slots(DI), R9   \
	MOVQ seeking_listed(DI), R15 \
	SUBQ $4, R15                 \
	MOVQ seeking_box(DI), DX     \
	MOVQ seeking_end(DI), R12    \
	MOVQ seeking_sum(DI), R13    \
	MOVQ seeking_at(DI), R11     \
box:                             \
	MOVL (R12), CX               \
	CMPQ R11, CX                 \
	JGE  passed                  \
	LOAD                         \
packet:                          \
	CMPQ R11, R15                \
	JGE  test                    \
	MOVL 16(R9)(R11*4), AX       \
	MOVL AX, BX                  \
	ANDL $0x7FFFFFFF, AX         \
	SHLQ $6, AX                  \
	ADDQ seeking_columns(DI), AX \
	PREFETCHT0 (AX)              \
	PREFETCHT0 1024(R8)          \
	TESTL BX, BX                 \
	JMI  test                    \
	PACKETADDR(BX)               \
	PREFETCHT0 (BX)              \
	PREFETCHT0 64(BX)            \
	PREFETCHT0 128(BX)           \
	PREFETCHT0 192(BX)           \
	PREFETCHT0 256(BX)           \
	PREFETCHT0 320(BX)           \
test:                            \
	MOVL (R9)(R11*4), R10        \
	TESTL R10, R10               \
	JMI  whole                   \
	MOVL R10, BX                 \
	PACKETADDR(BX)               \
	TEST                         \
	SHLQ $6, R10                 \
	ADDQ seeking_columns(DI), R10 \
	PUT                          \
next:                            \
	INCQ R11                     \
	CMPQ R11, CX                 \
	JLT  packet                  \
	JMP  passed                  \
whole:                           \
	ANDL $0x7FFFFFFF, R10        \
	MOVQ seeking_counts(DI), AX  \
	MOVBLZX (AX)(R10*1), AX      \
	SHLQ $6, R10                 \
	ADDQ seeking_columns(DI), R10 \
	PUTALL                       \
	LEAQ (R8)(AX*4), R8          \
	JMP  next                    \
passed:                          \
	MOVQ R8, AX                  \
	SUBQ seeking_ids(DI), AX     \
	SHRQ $2, AX                  \
	MOVL AX, (R13)               \
	ADDQ $24, DX                 \
	ADDQ $4, R12                 \
	ADDQ $4, R13                 \
	DECQ seeking_n(DI)           \
	JNZ  box                     \
	MOVQ R11, seeking_at(DI)     \
	MOVQ AX, seeking_wrote(DI)   \
	VZEROUPPER                   \
	RET

#define BOXPUT512 \
	KMOVW K1, AX                 \
	VMOVDQU32     (R10), Z0      \
	VPCOMPRESSD.Z Z0, K1, Z0     \
	VMOVDQU32     Z0, (R8)       \
	POPCNTL AX, AX               \
	LEAQ (R8)(AX*4), R8

#define BOXALL512 \
	VMOVDQU32 (R10), Z0 \
	VMOVDQU32 Z0, (R8)

#define BOXALL256 \
	VMOVDQU (R10), Y0   \
	VMOVDQU 32(R10), Y1 \
	VMOVDQU Y0, (R8)    \
	VMOVDQU Y1, 32(R8)

#define BOXPUT256 \
	LEAQ ·compressTable(SB), DI \
	VMOVMSKPS Y8, AX            \
	PUTHALF256(0)               \
	VMOVMSKPS Y9, AX            \
	PUTHALF256(32)              \
	MOVQ e+0(FP), DI

// func multiBoxNodesAVX512(w *BoxesWalk, nodes *Node, most int)
TEXT ·multiBoxNodesAVX512(SB), NOSPLIT, $24-24
	VPXORD Z3, Z3, Z3
	VPTERNLOGD $0xff, Z4, Z4, Z4
	KXNORW K0, K0, K6
	MOVL $const_refKeep, AX
	VPBROADCASTD AX, Z6
	BOXNODES(LOAD512, NODE512 SORT512)

// func multiBoxNodesAVX2(w *BoxesWalk, nodes *Node, most int)
TEXT ·multiBoxNodesAVX2(SB), NOSPLIT, $24-24
	VPXOR Y12, Y12, Y12
	VPCMPEQD Y14, Y14, Y14
	VPXOR Y15, Y15, Y15
	MOVL $const_refKeep, AX
	VMOVQ AX, X13
	VPBROADCASTD X13, Y13
	BOXNODES(LOAD256, HALVES256)

// func multiBoxPacketsAVX512(e *seeking)
TEXT ·multiBoxPacketsAVX512(SB), NOSPLIT, $0-8
	BOXPACKETS(LOAD512, PACKET512, BOXPUT512, BOXALL512)

// func multiBoxPacketsAVX2(e *seeking)
TEXT ·multiBoxPacketsAVX2(SB), NOSPLIT, $0-8
	BOXPACKETS(LOAD256, PACKET256, BOXPUT256, BOXALL256)
