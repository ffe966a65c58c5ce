//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "fill_amd64.h"

// Column C (byte offset OFF in a packet) of the locations Z13 (element slot*96 + lane) into Z; free
// lanes keep the value of Z. Destroys K2.
#define GATHER512(OFF, Z) \
	KMOVW K1, K2                         \
	VGATHERDPS OFF(R10)(Z13*4), K2, Z

// FETCHLANE prefetches the packet of the item J items after R13, and its IDs and masks. Destroys R11 and R12.
#define FETCHLANE(J) \
	MOVL ((J)*8)(R13), R11                        \
	ANDL $const_itemIndex, R11                    \
	MOVL (R14)(R11*4), R11                        \
	SHRL $4, R11                                  \
	LEAQ (R11)(R11*2), R12                        \
	SHLQ $7, R12                                  \
	SHLQ $6, R11                                  \
	PREFETCHT0 (R10)(R12*1)                       \
	PREFETCHT0 64(R10)(R12*1)                     \
	PREFETCHT0 128(R10)(R12*1)                    \
	PREFETCHT0 192(R10)(R12*1)                    \
	PREFETCHT0 256(R10)(R12*1)                    \
	PREFETCHT0 320(R10)(R12*1)                    \
	MOVQ (fillArgs_from+packetColumns_Masks)(R8), R12 \
	PREFETCHT0 (R15)(R11*1)                       \
	PREFETCHT0 (R12)(R11*1)

// FETCHAHEAD prefetches the packets of the items 32 to 47 after item AX. It continues at the label NEXT if there are
// no such items. Destroys R13 and R15.
#define FETCHAHEAD(NEXT) \
	LEAL 48(AX), R11                              \
	CMPQ R11, fillArgs_last(R8)                   \
	JGT  NEXT                                     \
	LEAQ (DI)(AX*8), R13                          \
	MOVQ (fillArgs_from+packetColumns_IDs)(R8), R15 \
	FETCHLANE(32)                                 \
	FETCHLANE(33)                                 \
	FETCHLANE(34)                                 \
	FETCHLANE(35)                                 \
	FETCHLANE(36)                                 \
	FETCHLANE(37)                                 \
	FETCHLANE(38)                                 \
	FETCHLANE(39)                                 \
	FETCHLANE(40)                                 \
	FETCHLANE(41)                                 \
	FETCHLANE(42)                                 \
	FETCHLANE(43)                                 \
	FETCHLANE(44)                                 \
	FETCHLANE(45)                                 \
	FETCHLANE(46)                                 \
	FETCHLANE(47)

// func fillPacketsAVX512(f *fillArgs)
//
// R10 source packets, R14 locations, R15 source IDs, later masks.
TEXT ·fillPacketsAVX512(SB), NOSPLIT, $128-8
	FILLSETUP
	MOVQ (fillArgs_from+packetColumns_Bounds)(R8), R10
	MOVQ fillArgs_locations(R8), R14
	FILLCONST512
	MOVL $15, AX
	VPBROADCASTD AX, Z28
	MOVL $1, AX
	VPBROADCASTD AX, Z27

slot:
	FILLITEMS512

full:
	FETCHAHEAD(gather)

gather:
	// Z8: index of each item; Z9: its location, slot<<4 | lane.
	VMOVDQU64 (DX), Z8
	VMOVDQU64 64(DX), Z9
	VPMOVQD   Z8, Y8
	VPMOVQD   Z9, Y9
	VINSERTI64X4 $1, Y9, Z8, Z8
	VPANDD    Z29, Z8, Z8
	VPXORD    Z9, Z9, Z9
	KMOVW     K1, K2
	VPGATHERDD (R14)(Z8*4), K2, Z9

	// Z10: slot, Z11: lane, Z13: slot*96 + lane.
	VPSRLD $4, Z9, Z10
	VPANDD Z28, Z9, Z11
	VPSLLD $6, Z10, Z12
	VPSLLD $5, Z10, Z13
	VPADDD Z12, Z13, Z13
	VPADDD Z11, Z13, Z13

	VMOVAPS Z30, Z0
	VMOVAPS Z30, Z1
	VMOVAPS Z30, Z2
	VMOVAPS Z31, Z3
	VMOVAPS Z31, Z4
	VMOVAPS Z31, Z5
	VPXORD  Z6, Z6, Z6
	VPXORD  Z7, Z7, Z7
	GATHER512(0, Z0)
	GATHER512(64, Z3)
	GATHER512(128, Z1)
	GATHER512(192, Z4)
	GATHER512(256, Z2)
	GATHER512(320, Z5)
	MOVQ (fillArgs_from+packetColumns_IDs)(R8), R15
	KMOVW K1, K2
	VPGATHERDD (R15)(Z9*4), K2, Z7
	MOVQ (fillArgs_from+packetColumns_Masks)(R8), R15
	KMOVW K1, K2
	VPGATHERDD (R15)(Z9*4), K2, Z6

	// A lane is static if its bit of the moving word is clear. The gather reads two words; the second
	// is shifted out.
	MOVQ (fillArgs_from+packetColumns_Moving)(R8), R15
	VPXORD Z12, Z12, Z12
	KMOVW K1, K2
	VPGATHERDD (R15)(Z10*2), K2, Z12
	VPSRLVD  Z11, Z12, Z12
	VPTESTNMD Z27, Z12, K3
	JMP  store

empty:
	VMOVAPS Z30, Z0
	VMOVAPS Z30, Z1
	VMOVAPS Z30, Z2
	VMOVAPS Z31, Z3
	VMOVAPS Z31, Z4
	VMOVAPS Z31, Z5
	VPXORD  Z6, Z6, Z6
	VPXORD  Z7, Z7, Z7
	KXORW   K3, K3, K3

store:
	FILLSTORE512

nextslot:
	INCQ R9
	ADDQ $4, SI
	DECQ CX
	JNZ  slot
	VZEROUPPER
	RET

// AVX2: eight objects at a time, in two halves.

// GATHER256(OFF, FREE, TO) gathers the words at OFF of a column, of Y13 in the packets at R10, and
// writes them to TO; free lanes get FREE.
#define GATHER256(OFF, FREE, TO) \
	VMOVDQA FREE, Y0                      \
	VMOVDQA Y14, Y1                       \
	VGATHERDPS Y1, OFF(R10)(Y13*4), Y0    \
	VMOVUPS Y0, TO

// GATHERWORDS256(FROM, INDEX, TO) gathers the words of INDEX, with its scale, from FROM
// on into a register; free lanes hold 0.
#define GATHERWORDS256(FROM, INDEX, TO) \
	VPXOR   TO, TO, TO                    \
	VMOVDQA Y14, Y1                       \
	VPGATHERDD Y1, (FROM)(INDEX), TO

// PLACES256(H) fills eight lanes, from lane 8H on, and shifts the bits of the moving lanes into AX.
#define PLACES256(H) \
	VPCMPGTD ·writeIota+(32*H)(SB), Y4, Y14             \ // live lanes
	VPMOVSXDQ X14, Y0                                   \
	VEXTRACTI128 $1, Y14, X1                            \
	VPMOVSXDQ X1, Y1                                    \
	VPMASKMOVD (64*H)(DX), Y0, Y0                       \
	VPMASKMOVD (64*H+32)(DX), Y1, Y1                    \
	VSHUFPS $0x88, Y1, Y0, Y0                           \
	VPERMQ  $0xD8, Y0, Y8                               \
	VPAND   Y5, Y8, Y8                                  \ // indices
	GATHERWORDS256(R14, Y8*4, Y9)                       \ // locations
	VPSRLD  $4, Y9, Y10                                 \ // slots
	VPAND   Y6, Y9, Y11                                 \ // lanes
	VPSLLD  $6, Y10, Y12                                \
	VPSLLD  $5, Y10, Y13                                \
	VPADDD  Y12, Y13, Y13                               \
	VPADDD  Y11, Y13, Y13                               \ // slot*96 + lane
	GATHER256(0, Y7, (32*H)(R12))                       \
	GATHER256(64, Y3, (32*H+64)(R12))                   \
	GATHER256(128, Y7, (32*H+128)(R12))                 \
	GATHER256(192, Y3, (32*H+192)(R12))                 \
	GATHER256(256, Y7, (32*H+256)(R12))                 \
	GATHER256(320, Y3, (32*H+320)(R12))                 \
	MOVQ (fillArgs_from+packetColumns_IDs)(R8), R11     \
	GATHERWORDS256(R11, Y9*4, Y0)                       \
	MOVQ R9, AX                                         \
	SHLQ $6, AX                                         \
	ADDQ (fillArgs_out+packetColumns_IDs)(R8), AX       \
	VMOVDQU Y0, (32*H)(AX)                              \
	MOVQ (fillArgs_from+packetColumns_Masks)(R8), R11   \
	GATHERWORDS256(R11, Y9*4, Y0)                       \
	VMOVDQU Y0, (32*H)(R13)                             \
	MOVQ (fillArgs_from+packetColumns_Moving)(R8), R11  \
	GATHERWORDS256(R11, Y10*2, Y0)                      \ // two words; the second is shifted out
	VPSRLVD Y11, Y0, Y0                                 \
	VPSLLD  $31, Y0, Y0                                 \
	VMOVMSKPS Y0, AX

// func fillPacketsAVX2(f *fillArgs)
//
// R10 source packets, R14 locations. Y3 -Inf, Y4 count, Y5 itemIndex, Y6 15, Y7 +Inf. Y14 live
// lanes, of eight.
TEXT ·fillPacketsAVX2(SB), NOSPLIT, $0-8
	FILLSETUP
	MOVQ (fillArgs_from+packetColumns_Bounds)(R8), R10
	MOVL $const_itemIndex, AX
	VMOVD AX, X5
	VPBROADCASTD X5, Y5
	MOVL $15, AX
	VMOVD AX, X6
	VPBROADCASTD X6, Y6
	MOVL $0x7f800000, AX
	VMOVD AX, X7
	VPBROADCASTD X7, Y7
	MOVL $0xff800000, AX
	VMOVD AX, X3
	VPBROADCASTD X3, Y3

slot:
	MOVL (SI), AX
	MOVL 4(SI), BX
	SUBL AX, BX
	LEAQ (DI)(AX*8), DX
	MOVQ fillArgs_locations(R8), R14
	FETCHAHEAD(fill)

fill:
	FILLSLOT256
	VMOVD BX, X4
	VPBROADCASTD X4, Y4
	PLACES256(0)
	MOVL AX, R15
	PLACES256(1)
	SHLL $8, AX
	ORL  AX, R15
	FILLSTORE256

nextslot:
	INCQ R9
	ADDQ $4, SI
	DECQ CX
	JNZ  slot
	VZEROUPPER
	RET
