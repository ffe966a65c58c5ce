//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// One step of the descent of inserted boxes: see ChooseSubtree. The growth of a lane is max(lo - min, 0)
// + max(max - hi, 0) on each axis, and (x + y) + z. No operand is NaN: boxes and bounds of live
// lanes are finite, and a free lane is infinitely far away. A maximum of two zeros is the second
// operand, +0, so growths compare as integers do.
//
//	DI  reference    SI  nodes    AX  this node
//	DX  box          CX  left     BX  its lane
//	15  zero

#define CHOOSEBEGIN \
	MOVQ  refs+0(FP), DI   \
	MOVQ  nodes+8(FP), SI  \
	MOVQ  boxes+16(FP), DX \
	MOVQ  n+24(FP), CX     \
	VPXOR X15, X15, X15

// Loads the node of the reference, unless the reference is a packet.
#define CHOOSENODE \
	MOVL  (DI), AX            \
	TESTL AX, AX              \
	JMI   next                \
	ANDL  $const_refIndex, AX \
	SHLQ  $9, AX              \
	ADDQ  SI, AX

// Jumps to ONE if BX has one lane.
#define CHOOSEONE(ONE) \
	LEAL  -1(BX), R8  \
	TESTL R8, BX      \
	JZ    ONE

// Descends to the child of the lowest lane in BX.
#define CHOOSECHILD \
	TZCNTL BX, BX                  \
	MOVL   Node_Child(AX)(BX*4), BX \
	MOVL   BX, (DI)

// The minimum of the words of a register, in all lanes: the next one is its low half, of 256 bits
// at first.
#define CHOOSELEAST(X, Y, XT) \
	VEXTRACTI128 $1, Y, XT     \
	VPMINUD      XT, X, X      \
	VPSHUFD      $0x4E, X, XT  \
	VPMINUD      XT, X, X      \
	VPSHUFD      $0xB1, X, XT  \
	VPMINUD      XT, X, X

// Adds the growth on an axis to SUM: minima of the lanes at LOW, maxima 64 bytes on. MIN and MAX
// hold the bounds of the box, ZERO is 0.
#define CHOOSEAXIS(LOW, MIN, MAX, ZERO, SUM, T) \
	VMOVUPS (LOW)(AX), SUM     \
	VSUBPS  MIN, SUM, SUM      \
	VSUBPS  (64+LOW)(AX), MAX, T \
	VMAXPS  ZERO, SUM, SUM     \
	VMAXPS  ZERO, T, T         \
	VADDPS  T, SUM, SUM

// Adds the lengths on an axis to SUM, of the lanes whose minima are at LOW.
#define CHOOSELONG(LOW, SUM) \
	VMOVUPS (64+LOW)(AX), SUM  \
	VSUBPS  (LOW)(AX), SUM, SUM \
	VPSLLD  $1, SUM, SUM       \
	VPSRLD  $1, SUM, SUM

#define CHOOSEAXIS512(A, SUM, T) \
	VBROADCASTSS (4*A)(DX), Z8    \
	VBROADCASTSS (4*A+12)(DX), Z9 \
	CHOOSEAXIS(128*A, Z8, Z9, Z15, SUM, T)

// func chooseSubtreeAVX512(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)
TEXT ·chooseSubtreeAVX512(SB), NOSPLIT, $0-32
	CHOOSEBEGIN

loop:
	CHOOSENODE
	CHOOSEAXIS512(0, Z0, Z1)
	CHOOSEAXIS512(1, Z2, Z3)
	CHOOSEAXIS512(2, Z4, Z5)
	VADDPS Z2, Z0, Z0
	VADDPS Z4, Z0, Z0

	VEXTRACTI64X4 $1, Z0, Y1
	VPMINUD       Y1, Y0, Y1
	CHOOSELEAST(X1, Y1, X2)
	VPBROADCASTD  X1, Z1
	VPCMPUD       $0, Z1, Z0, K1
	KMOVW         K1, BX
	CHOOSEONE(child)

	CHOOSELONG(0, Z0)
	CHOOSELONG(128, Z2)
	CHOOSELONG(256, Z4)
	VADDPS        Z2, Z0, Z0
	VADDPS        Z4, Z0, Z0
	MOVL          $-1, R8
	VPBROADCASTD  R8, Z3
	VMOVDQU32     Z0, K1, Z3 // the other lanes become larger than all
	VEXTRACTI64X4 $1, Z3, Y1
	VPMINUD       Y1, Y3, Y1
	CHOOSELEAST(X1, Y1, X2)
	VPBROADCASTD  X1, Z1
	VPCMPUD       $0, Z1, Z3, K1
	KMOVW         K1, BX

child:
	CHOOSECHILD

next:
	ADDQ $4, DI
	ADDQ $24, DX
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// Lanes 0 to 7 in SUM, 8 to 15 in HIGH.
#define CHOOSEAXIS256(A, SUM, HIGH, T) \
	VBROADCASTSS (4*A)(DX), Y8    \
	VBROADCASTSS (4*A+12)(DX), Y9 \
	CHOOSEAXIS(128*A, Y8, Y9, Y15, SUM, T) \
	CHOOSEAXIS(128*A+32, Y8, Y9, Y15, HIGH, T)

// The lanes of Y0 and Y1 that equal the word of X2: all bits set in them, and a mask in BX.
#define CHOOSEEQUAL \
	VPBROADCASTD X2, Y2     \
	VPCMPEQD     Y2, Y0, Y0 \
	VPCMPEQD     Y2, Y1, Y1 \
	VMOVMSKPS    Y0, BX     \
	VMOVMSKPS    Y1, R8     \
	SHLL         $8, R8     \
	ORL          R8, BX

// func chooseSubtreeAVX2(refs *soa.Ref, nodes *soa.Node, boxes *soa.AABB, n int)
TEXT ·chooseSubtreeAVX2(SB), NOSPLIT, $0-32
	CHOOSEBEGIN

loop:
	CHOOSENODE
	CHOOSEAXIS256(0, Y0, Y1, Y6)
	CHOOSEAXIS256(1, Y2, Y3, Y6)
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	CHOOSEAXIS256(2, Y4, Y5, Y6)
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1

	VPMINUD      Y1, Y0, Y2
	CHOOSELEAST(X2, Y2, X3)
	CHOOSEEQUAL
	CHOOSEONE(child)

	VPCMPEQD Y15, Y0, Y10 // lanes that do not grow least become larger than all
	VPCMPEQD Y15, Y1, Y11
	CHOOSELONG(0, Y0)
	CHOOSELONG(32, Y1)
	CHOOSELONG(128, Y2)
	CHOOSELONG(160, Y3)
	CHOOSELONG(256, Y4)
	CHOOSELONG(288, Y5)
	VADDPS   Y2, Y0, Y0
	VADDPS   Y3, Y1, Y1
	VADDPS   Y4, Y0, Y0
	VADDPS   Y5, Y1, Y1
	VPOR     Y10, Y0, Y0
	VPOR     Y11, Y1, Y1
	VPMINUD  Y1, Y0, Y2
	CHOOSELEAST(X2, Y2, X3)
	CHOOSEEQUAL

child:
	CHOOSECHILD

next:
	ADDQ $4, DI
	ADDQ $24, DX
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
