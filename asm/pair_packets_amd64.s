//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// A packets kernel makes two passes, for nothing is left to guess for a branch that
// way. The first takes rows: it notes which objects of the packet of X reach the box of
// the packet of Y. The second takes these one by one: it tests each against the 16 of
// that packet.
//
//	DI  walk      R10  row     R12  lane of the node of X    SI, DX  nodes of X and Y
//	R8  note      R11  end     R13  lane of the node of Y    BX      bounds of packets of X
//	R9  from a place to the slot beside it                   AX, CX, R14, R15  scratch
#define PAIRPACKETSETUP \
	MOVQ w+0(FP), DI                         \
	MOVQ n+8(FP), R11                        \
	MOVQ PairWalk_Head(DI), R10              \
	SHLQ $3, R10                             \
	ADDQ PairWalk_Rows(DI), R10              \
	LEAQ (R10)(R11*8), R11                   \
	MOVQ (PairWalk_X+PairSide_Nodes)(DI), SI \
	MOVQ (PairWalk_Y+PairSide_Nodes)(DI), DX \
	MOVQ (PairWalk_X+PairSide_Packets)(DI), BX \
	MOVQ packetColumns_Bounds(BX), BX        \
	MOVQ PairWalk_reach(DI), R8              \
	MOVQ PairWalk_slots(DI), R9              \
	SUBQ R8, R9

// Takes the next row: AX is the packet of X.
#define PAIRROW(DONE) \
	CMPQ R10, R11                 \
	JEQ  DONE                     \
	MOVL (R10), R12               \
	MOVL 4(R10), R13              \
	ADDQ $8, R10                  \
	PAIRLANE(R12, SI, AX)         \
	PAIRLANE(R13, DX, AX)         \
	MOVL Node_Child(R12), AX      \
	ANDL $const_refIndex, AX      \
	PAIRPACKET(AX, BX)

// With the lanes CX of X that reach the box, where static ones do not meet: if no lane
// of Y moves only those that do are left.
#define PAIRSTATIC \
	MOVL Node_Child(R13), AX \
	ANDL $const_refIndex, AX \
	MOVQ (PairWalk_Y+PairSide_Packets)(DI), R14 \
	MOVQ packetColumns_Moving(R14), R14         \
	MOVWLZX (R14)(AX*2), R15                    \
	MOVL Node_Child(R12), AX \
	ANDL $const_refIndex, AX \
	MOVQ (PairWalk_X+PairSide_Packets)(DI), R14 \
	MOVQ packetColumns_Moving(R14), R14         \
	NEGL R15                                    \
	SBBL R15, R15                               \
	MOVWLZX (R14)(AX*2), R14                    \
	ORL  R14, R15                               \
	ANDL R15, CX

// The second pass:
//
//	R8  end of the hits    R10  note    AX  object of X    BX, DX  bounds of packets of X and Y
//	R9  as above           R11  end     CX  slot of Y      R12 to R15, SI  scratch
//
// In the frame, apart is 0 if a packet may be its own partner, else 1.
#define PAIRNOTESETUP \
	MOVQ R8, R11                   \
	MOVQ PairWalk_reach(DI), R10   \
	MOVQ PairWalk_Hits(DI), R8     \
	MOVQ (PairWalk_Y+PairSide_Packets)(DI), DX \
	MOVQ packetColumns_Bounds(DX), DX          \
	MOVL PairWalk_Self(DI), AX     \
	XORL $1, AX                    \
	MOVL AX, apart-4(SP)

// Takes the next object: R13 is where its bounds are, R15 the packet, R14 the lane of
// the object, R12 its slot.
#define PAIRNOTE(DONE) \
	CMPQ R10, R11                 \
	JEQ  DONE                     \
	MOVL (R10), AX                \
	MOVL (R10)(R9*1), CX          \
	ADDQ $4, R10                  \
	MOVL AX, R12                  \
	SHRL $4, R12                  \
	MOVL AX, R14                  \
	ANDL $15, R14                 \
	MOVL R12, R13                 \
	PAIRPACKET(R13, BX)           \
	LEAQ (R13)(R14*4), R13        \
	MOVL CX, R15                  \
	PAIRPACKET(R15, DX)

// The object meets the lanes SI of Y, less those that it is not to be paired with:
// in its own packet itself and those before it, and if it is static static ones. It is
// a hit that stays if a lane is left.
#define PAIRMEET(EVERY) \
	MOVL  $0xfffe, R13            \
	SHLXL R14, R13, R13           \
	XORL  CX, R12                 \
	ORL   apart-4(SP), R12        \
	NEGL  R12                     \
	SBBL  R12, R12                \
	ORL   R12, R13                \
	ANDL  R13, SI                 \
	CMPL  PairWalk_Every(DI), $0  \
	JNE   EVERY                   \
	MOVQ  (PairWalk_X+PairSide_Packets)(DI), R13 \
	MOVQ  packetColumns_Moving(R13), R13         \
	MOVL  AX, R12                 \
	SHRL  $4, R12                 \
	MOVWLZX (R13)(R12*2), R12     \
	BTL   R14, R12                \
	SBBL  R12, R12                \
	MOVQ  (PairWalk_Y+PairSide_Packets)(DI), R13 \
	MOVQ  packetColumns_Moving(R13), R13         \
	MOVWLZX (R13)(CX*2), R13      \
	ORL   R13, R12                \
	ANDL  R12, SI                 \
EVERY:                                \
	MOVL AX, (R8)                 \
	MOVL CX, 4(R8)                \
	MOVL SI, 8(R8)                \
	PAIRKEEP(SI, R8)

// func pairPacketsAVX512(w *PairWalk, n int)
TEXT ·pairPacketsAVX512(SB), NOSPLIT, $8-16
	PAIRPACKETSETUP
	VMOVDQU32 ·laneNumbers(SB), Z10
	MOVL $const_refIndex, AX
	VPBROADCASTD AX, Z11

row:
	PAIRROW(notes)
	VBROADCASTSS 0(R13), Z0
	VBROADCASTSS 64(R13), Z1
	VBROADCASTSS 128(R13), Z2
	VBROADCASTSS 192(R13), Z3
	VBROADCASTSS 256(R13), Z4
	VBROADCASTSS 320(R13), Z5
	VCMPPS $0x12, 64(AX), Z0, K1
	VCMPPS $0x1D, 0(AX), Z1, K2
	VCMPPS $0x12, 192(AX), Z2, K1, K1
	VCMPPS $0x1D, 128(AX), Z3, K2, K2
	VCMPPS $0x12, 320(AX), Z4, K1, K1
	VCMPPS $0x1D, 256(AX), Z5, K2, K2
	VPBROADCASTD Node_Child(R12), Z6
	VPBROADCASTD Node_Child(R13), Z7
	VPSLLD $4, Z6, Z6
	VPORD  Z10, Z6, Z6
	VPANDD Z11, Z7, Z7
	KANDW  K1, K2, K1
	KMOVW  K1, CX
	CMPL   PairWalk_Every(DI), $0
	JEQ    static

note:
	VPCOMPRESSD.Z Z6, K1, Z6
	VMOVDQU32 Z6, (R8)
	VMOVDQU32 Z7, (R8)(R9*1)
	POPCNTL CX, CX
	LEAQ   (R8)(CX*4), R8
	JMP    row

static:
	PAIRSTATIC
	KMOVW CX, K1
	JMP   note

notes:
	PAIRNOTESETUP

object:
	PAIRNOTE(done)
	VBROADCASTSS 0(R13), Z0
	VBROADCASTSS 64(R13), Z1
	VBROADCASTSS 128(R13), Z2
	VBROADCASTSS 192(R13), Z3
	VBROADCASTSS 256(R13), Z4
	VBROADCASTSS 320(R13), Z5
	VCMPPS $0x12, 64(R15), Z0, K1
	VCMPPS $0x1D, 0(R15), Z1, K2
	VCMPPS $0x12, 192(R15), Z2, K1, K1
	VCMPPS $0x1D, 128(R15), Z3, K2, K2
	VCMPPS $0x12, 320(R15), Z4, K1, K1
	VCMPPS $0x1D, 256(R15), Z5, K2, K2
	KANDW K1, K2, K1
	KMOVW K1, SI
	PAIRMEET(every)
	JMP   object

done:
	PAIRHITDONE
	VZEROUPPER
	RET

// One axis of eight boxes at the offset of their packet at P, minima first, against a
// box whose minimum and maximum are in LO and HI: OUT &= overlap.
#define PAIRHALF256(P, OFF, LO, HI, OUT) \
	VCMPPS $0x1D, (OFF)(P), HI, Y2    \
	VCMPPS $0x12, (OFF+64)(P), LO, Y3 \
	VANDPS Y2, OUT, OUT               \
	VANDPS Y3, OUT, OUT

// The lanes of the packet at P that overlap the box at B into M. Destroys R14.
#define PAIRBOX256(P, B, M) \
	VPCMPEQD Y4, Y4, Y4         \
	VPCMPEQD Y5, Y5, Y5         \
	VBROADCASTSS 0(B), Y0       \
	VBROADCASTSS 64(B), Y1      \
	PAIRHALF256(P, 0, Y0, Y1, Y4)   \
	PAIRHALF256(P, 32, Y0, Y1, Y5)  \
	VBROADCASTSS 128(B), Y0     \
	VBROADCASTSS 192(B), Y1     \
	PAIRHALF256(P, 128, Y0, Y1, Y4) \
	PAIRHALF256(P, 160, Y0, Y1, Y5) \
	VBROADCASTSS 256(B), Y0     \
	VBROADCASTSS 320(B), Y1     \
	PAIRHALF256(P, 256, Y0, Y1, Y4) \
	PAIRHALF256(P, 288, Y0, Y1, Y5) \
	VMOVMSKPS Y4, M             \
	VMOVMSKPS Y5, R15           \
	SHLL $8, R15                \
	ORL  R15, M

// Notes the lanes of the low byte of CX, of eight from Y6 on. R15 is compressTable.
#define PAIRNOTE8 \
	MOVBLZX CX, AX             \
	SHLL $5, AX                \
	VPADDD (R15)(AX*1), Y6, Y4 \
	VMOVDQU Y4, (R8)           \
	VMOVDQU Y7, (R8)(R9*1)     \
	SHRL $5, AX                \
	POPCNTL AX, AX             \
	LEAQ (R8)(AX*4), R8

// func pairPacketsAVX2(w *PairWalk, n int)
TEXT ·pairPacketsAVX2(SB), NOSPLIT, $8-16
	PAIRPACKETSETUP
	MOVL $const_refIndex, AX
	VMOVD AX, X9
	VPBROADCASTD X9, Y9
	MOVL $8, AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

row2:
	PAIRROW(notes2)
	PAIRBOX256(AX, R13, CX)
	VPBROADCASTD Node_Child(R12), Y6
	VPBROADCASTD Node_Child(R13), Y7
	VPSLLD $4, Y6, Y6
	VPAND  Y9, Y7, Y7
	CMPL   PairWalk_Every(DI), $0
	JEQ    static2

note2:
	LEAQ ·compressTable(SB), R15
	PAIRNOTE8
	VPADDD Y8, Y6, Y6
	SHRL $8, CX
	PAIRNOTE8
	JMP  row2

static2:
	PAIRSTATIC
	JMP  note2

notes2:
	PAIRNOTESETUP

object2:
	PAIRNOTE(done2)
	PAIRBOX256(R15, R13, SI)
	PAIRMEET(every2)
	JMP  object2

done2:
	PAIRHITDONE
	VZEROUPPER
	RET
