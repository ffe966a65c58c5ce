//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The fill kernels turn 16 objects into the columns of a packet, and the
// packet's union into a lane of its owner.
//
//	R8  fill       SI  starts     R9   slot       CX  slots left
//	DI  items      R10 records    DX   items of this packet
//	BX  live lanes of this packet; K1 their mask

#define FILLSETUP \
	MOVQ f+0(FP), R8          \
	MOVQ fillArgs_items(R8), DI   \
	MOVQ fillArgs_starts(R8), SI  \
	MOVQ fillArgs_n(R8), CX       \
	MOVQ fillArgs_first(R8), R9

// Items of slot R9: BX their number, DX the first. Unless the packet is full,
// a copy of them, padded with the first one, is put into the frame, so that
// every lane has a record to read.
#define FILLITEMS512 \
	MOVL (SI), AX                 \
	MOVL 4(SI), BX                \
	SUBL AX, BX                   \
	LEAQ (DI)(AX*8), DX           \
	MOVL $0xffff, R11             \
	BZHIL BX, R11, R11            \
	KMOVW R11, K1                 \
	CMPL BX, $16                  \
	JEQ  full                     \
	TESTL BX, BX                  \
	JZ   empty                    \
	VPBROADCASTQ (DX), Z0         \
	VMOVDQA64 Z0, Z1              \
	KSHIFTRW $8, K1, K2           \
	VMOVDQU64 (DX), K1, Z0        \
	VMOVDQU64 64(DX), K2, Z1      \
	VMOVDQU64 Z0, items-128(SP)   \
	VMOVDQU64 Z1, items-64(SP)    \
	LEAQ items-128(SP), DX

// Record of item J into the low half of Z, of item J+4 into the high half.
// Doubling in 32 bits drops bit 31, which is not part of the index.
#define ROW512(J, Y, Z) \
	MOVL ((J)*8)(DX), R11                         \
	MOVL ((J)*8+32)(DX), R12                      \
	ADDL R11, R11                               \
	ADDL R12, R12                               \
	SHLQ $4, R11                                \
	SHLQ $4, R12                                \
	VMOVUPS (R10)(R11*1), Y                     \
	VINSERTF64X4 $1, (R10)(R12*1), Z, Z

// Fetches the record of the item that is J behind P.
#define FETCHROW(J, P) \
	MOVL ((J)*8)(P), R11       \
	ADDL R11, R11              \
	SHLQ $4, R11               \
	PREFETCHT1 (R10)(R11*1)

// OP over the 16 lanes of Z (Y and X its low parts), into X16.
#define UNION512(OP, X, Y, Z) \
	VEXTRACTF64X4 $1, Z, Y16       \
	OP Y16, Y, Y16                 \
	VEXTRACTF32X4 $1, Y16, X17     \
	OP X17, X16, X16               \
	VPERMILPS $0x4E, X16, X17      \
	OP X17, X16, X16               \
	VPERMILPS $0xB1, X16, X17      \
	OP X17, X16, X16

// The union of a column of bounds, stored at OFF(R13). The sum with 0 makes -0
// the zero that bounds of nodes have; X24 is 0.
#define BOUND512(OP, X, Y, Z, OFF) \
	UNION512(OP, X, Y, Z)          \
	VADDSS X24, X16, X16           \
	VMOVSS X16, OFF(R13)

// Everything behind the columns: Z0 minx, Z1 miny, Z2 minz, Z3 maxx, Z4 maxy,
// Z5 maxz, Z6 masks, Z7 IDs, K3 static. Free lanes hold the empty box and 0.
#define FILLSTORE512 \
	LEAQ (R9)(R9*2), R12                       \
	SHLQ $7, R12                               \
	ADDQ (fillArgs_out+packetColumns_Bounds)(R8), R12   \
	VMOVUPS Z0, (R12)                          \
	VMOVUPS Z3, 64(R12)                        \
	VMOVUPS Z1, 128(R12)                       \
	VMOVUPS Z4, 192(R12)                       \
	VMOVUPS Z2, 256(R12)                       \
	VMOVUPS Z5, 320(R12)                       \
	MOVQ R9, R12                               \
	SHLQ $6, R12                               \
	MOVQ (fillArgs_out+packetColumns_IDs)(R8), R13       \
	VMOVDQU32 Z7, (R13)(R12*1)                 \
	MOVQ (fillArgs_out+packetColumns_Masks)(R8), R13     \
	VMOVDQU32 Z6, (R13)(R12*1)                 \
	KANDNW K1, K3, K2                          \
	KMOVW K2, R11                              \
	MOVQ (fillArgs_out+packetColumns_Moving)(R8), R13    \
	MOVW R11, (R13)(R9*2)                      \
	MOVQ (fillArgs_out+packetColumns_Counts)(R8), R13    \
	MOVB BX, (R13)(R9*1)                       \
	MOVQ (fillArgs_out+packetColumns_Owner)(R8), R13     \
	MOVL (R13)(R9*4), R12                      \
	CMPL R12, $-1                              \
	JEQ  nextslot                              \
	KANDW K1, K3, K3                           \
	KMOVW K3, AX                               \
	MOVL R12, R13                              \
	ANDL $15, R12                              \
	SHRL $4, R13                               \
	SHLQ $9, R13                               \
	ADDQ fillArgs_nodes(R8), R13               \
	LEAQ (R13)(R12*4), R13                     \
	XORL R12, R12                              \
	TESTL AX, AX                               \
	SETNE R12                                  \
	XORL AX, AX                                \
	TESTL R11, R11                             \
	SETNE AX                                   \
	LEAL (R12)(AX*2), R12                      \
	SHLL $29, R12                              \
	ORL  $0x80000000, R12                      \
	ORL  R9, R12                               \
	MOVL R12, Node_Child(R13)                  \
	BOUND512(VMINPS, X0, Y0, Z0, 0)            \
	BOUND512(VMAXPS, X3, Y3, Z3, 64)           \
	BOUND512(VMINPS, X1, Y1, Z1, 128)          \
	BOUND512(VMAXPS, X4, Y4, Z4, 192)          \
	BOUND512(VMINPS, X2, Y2, Z2, 256)          \
	BOUND512(VMAXPS, X5, Y5, Z5, 320)          \
	UNION512(VPORD, X6, Y6, Z6)                \
	VMOVSS X16, Node_Mask(R13)

// The constants of free lanes.
#define FILLCONST512 \
	VPXORD X24, X24, X24        \
	MOVL $0x7f800000, AX        \
	VPBROADCASTD AX, Z30        \
	MOVL $0xff800000, AX        \
	VPBROADCASTD AX, Z31        \
	MOVL $const_itemIndex, AX   \
	VPBROADCASTD AX, Z29

// func fillRecordsAVX512(f *fillArgs)
TEXT ·fillRecordsAVX512(SB), NOSPLIT, $128-8
	FILLSETUP
	MOVQ fillArgs_records(R8), R10
	FILLCONST512
	MOVL $0xff, AX
	VPBROADCASTD AX, Z28

slot:
	FILLITEMS512

full:
	// Fetch the records of items 48 to 63 on.
	LEAL 64(AX), R11
	CMPQ R11, fillArgs_last(R8)
	JGT  rows

	LEAQ (DI)(AX*8), R13
	FETCHROW(48, R13)
	FETCHROW(49, R13)
	FETCHROW(50, R13)
	FETCHROW(51, R13)
	FETCHROW(52, R13)
	FETCHROW(53, R13)
	FETCHROW(54, R13)
	FETCHROW(55, R13)
	FETCHROW(56, R13)
	FETCHROW(57, R13)
	FETCHROW(58, R13)
	FETCHROW(59, R13)
	FETCHROW(60, R13)
	FETCHROW(61, R13)
	FETCHROW(62, R13)
	FETCHROW(63, R13)

rows:
	ROW512(0, Y0, Z0)
	ROW512(1, Y1, Z1)
	ROW512(2, Y2, Z2)
	ROW512(3, Y3, Z3)
	ROW512(8, Y4, Z4)
	ROW512(9, Y5, Z5)
	ROW512(10, Y6, Z6)
	ROW512(11, Y7, Z7)

	// Transpose 16 records of eight words. After the unpacking, register
	// 12+w holds word w of records 0-3 and 4-7 in its parts 0 and 2 and word
	// w+4 in its parts 1 and 3; register 20+w the same of records 8-15.
	VUNPCKLPS Z1, Z0, Z8
	VUNPCKHPS Z1, Z0, Z9
	VUNPCKLPS Z3, Z2, Z10
	VUNPCKHPS Z3, Z2, Z11
	VUNPCKLPD Z10, Z8, Z12
	VUNPCKHPD Z10, Z8, Z13
	VUNPCKLPD Z11, Z9, Z14
	VUNPCKHPD Z11, Z9, Z15
	VUNPCKLPS Z5, Z4, Z16
	VUNPCKHPS Z5, Z4, Z17
	VUNPCKLPS Z7, Z6, Z18
	VUNPCKHPS Z7, Z6, Z19
	VUNPCKLPD Z18, Z16, Z20
	VUNPCKHPD Z18, Z16, Z21
	VUNPCKLPD Z19, Z17, Z22
	VUNPCKHPD Z19, Z17, Z23
	VSHUFF64X2 $0x88, Z20, Z12, Z0  // word 0: minx
	VSHUFF64X2 $0x88, Z21, Z13, Z1  // word 1: miny
	VSHUFF64X2 $0x88, Z22, Z14, Z2  // word 2: minz
	VSHUFF64X2 $0x88, Z23, Z15, Z3  // word 3: maxx
	VSHUFF64X2 $0xDD, Z20, Z12, Z4  // word 4: maxy
	VSHUFF64X2 $0xDD, Z21, Z13, Z5  // word 5: maxz
	VSHUFF64X2 $0xDD, Z22, Z14, Z6  // word 6: mask
	VSHUFF64X2 $0xDD, Z23, Z15, Z27 // word 7: flag

	// IDs are the indices.
	VMOVDQU64 (DX), Z8
	VMOVDQU64 64(DX), Z9
	VPMOVQD   Z8, Y8
	VPMOVQD   Z9, Y9
	VINSERTI64X4 $1, Y9, Z8, Z8
	VPANDD.Z  Z29, Z8, K1, Z7

	VBLENDMPS Z0, Z30, K1, Z0
	VBLENDMPS Z1, Z30, K1, Z1
	VBLENDMPS Z2, Z30, K1, Z2
	VBLENDMPS Z3, Z31, K1, Z3
	VBLENDMPS Z4, Z31, K1, Z4
	VBLENDMPS Z5, Z31, K1, Z5
	VMOVDQA32.Z Z6, K1, Z6
	VPTESTMD  Z28, Z27, K3

store:
	FILLSTORE512

nextslot:
	INCQ R9
	ADDQ $4, SI
	DECQ CX
	JNZ  slot
	VZEROUPPER
	RET

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
	JMP     store

// Column C (byte offset OFF in a packet) of the places Z13 (element
// slot*96 + lane) into Z, over what Z holds in free lanes. K2 is used up.
#define GATHER512(OFF, Z) \
	KMOVW K1, K2                         \
	VGATHERDPS OFF(R10)(Z13*4), K2, Z

// func fillPacketsAVX512(f *fillArgs)
//
// R10 source packets, R14 places, R15 source IDs, later masks.
TEXT ·fillPacketsAVX512(SB), NOSPLIT, $128-8
	FILLSETUP
	MOVQ (fillArgs_from+packetColumns_Bounds)(R8), R10
	MOVQ fillArgs_places(R8), R14
	FILLCONST512
	MOVL $15, AX
	VPBROADCASTD AX, Z28
	MOVL $1, AX
	VPBROADCASTD AX, Z27

slot:
	FILLITEMS512

full:
	// Z8: index of each item; Z9: its place, slot<<4 | lane.
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

	// A lane is static when its bit of the moving word is not set. The
	// gather reads two words; the second is shifted out of sight.
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


// AVX2: eight records at a time, in two halves.

// The record of item J into Y.
#define ROW256(J, Y) \
	MOVL ((J)*8)(DX), R11      \
	ADDL R11, R11            \
	SHLQ $4, R11             \
	VMOVUPS (R10)(R11*1), Y

// Eight records from item J on, transposed: Y0 minx, Y1 miny, Y2 minz,
// Y3 maxx, Y4 maxy, Y5 maxz, Y6 mask, Y7 flag.
#define EIGHT256(J) \
	ROW256(J, Y0)                  \
	ROW256(J+1, Y1)                \
	ROW256(J+2, Y2)                \
	ROW256(J+3, Y3)                \
	ROW256(J+4, Y4)                \
	ROW256(J+5, Y5)                \
	ROW256(J+6, Y6)                \
	ROW256(J+7, Y7)                \
	VUNPCKLPS Y1, Y0, Y8           \
	VUNPCKHPS Y1, Y0, Y9           \
	VUNPCKLPS Y3, Y2, Y10          \
	VUNPCKHPS Y3, Y2, Y11          \
	VUNPCKLPS Y5, Y4, Y12          \
	VUNPCKHPS Y5, Y4, Y13          \
	VUNPCKLPS Y7, Y6, Y14          \
	VUNPCKHPS Y7, Y6, Y15          \
	VUNPCKLPD Y10, Y8, Y0          \
	VUNPCKHPD Y10, Y8, Y1          \
	VUNPCKLPD Y11, Y9, Y2          \
	VUNPCKHPD Y11, Y9, Y3          \
	VUNPCKLPD Y14, Y12, Y4         \
	VUNPCKHPD Y14, Y12, Y5         \
	VUNPCKLPD Y15, Y13, Y6         \
	VUNPCKHPD Y15, Y13, Y7         \
	VPERM2F128 $0x20, Y4, Y0, Y8   \
	VPERM2F128 $0x20, Y5, Y1, Y9   \
	VPERM2F128 $0x20, Y6, Y2, Y10  \
	VPERM2F128 $0x20, Y7, Y3, Y11  \
	VPERM2F128 $0x31, Y4, Y0, Y12  \
	VPERM2F128 $0x31, Y5, Y1, Y13  \
	VPERM2F128 $0x31, Y6, Y2, Y14  \
	VPERM2F128 $0x31, Y7, Y3, Y15

// Half H (0 or 1) of the packet at R12 and its masks at R13 from Y8 to Y14;
// the flag bytes as a mask into AX.
#define STOREHALF(H) \
	VMOVUPS Y8, (H*32)(R12)        \
	VMOVUPS Y11, (H*32+64)(R12)    \
	VMOVUPS Y9, (H*32+128)(R12)    \
	VMOVUPS Y12, (H*32+192)(R12)   \
	VMOVUPS Y10, (H*32+256)(R12)   \
	VMOVUPS Y13, (H*32+320)(R12)   \
	VMOVUPS Y14, (H*32)(R13)       \
	VPSLLD    $24, Y15, Y15        \
	VPXOR     Y0, Y0, Y0           \
	VPCMPEQD  Y0, Y15, Y15         \
	VMOVMSKPS Y15, AX

// OP over the 16 lanes at OFF(P), into X0.
#define UNION256(OP, OFF, P) \
	VMOVUPS OFF(P), Y0             \
	OP (OFF+32)(P), Y0, Y0         \
	VEXTRACTF128 $1, Y0, X1        \
	OP X1, X0, X0                  \
	VPERMILPS $0x4E, X0, X1        \
	OP X1, X0, X0                  \
	VPERMILPS $0xB1, X0, X1        \
	OP X1, X0, X0

// The union of the column of bounds at OFF(R12), stored at OFF(R13), -0 as 0; X2
// is 0.
#define BOUND256(OP, OFF) \
	UNION256(OP, OFF, R12)         \
	VADDSS X2, X0, X0              \
	VMOVSS X0, OFF(R13)

// The union of the packet, or of the children of the node, at R12: the bounds of
// the lane at R13.
#define BOUNDS256 \
	BOUND256(VMINPS, 0)            \
	BOUND256(VMAXPS, 64)           \
	BOUND256(VMINPS, 128)          \
	BOUND256(VMAXPS, 192)          \
	BOUND256(VMINPS, 256)          \
	BOUND256(VMAXPS, 320)

// func fillRecordsAVX2(f *fillArgs)
//
// A packet with free lanes is filled as if its first item were repeated, and
// its free lanes are then overwritten one by one.
TEXT ·fillRecordsAVX2(SB), NOSPLIT, $128-8
	FILLSETUP
	MOVQ fillArgs_records(R8), R10

slot:
	MOVL (SI), AX
	MOVL 4(SI), BX
	SUBL AX, BX
	LEAQ (DI)(AX*8), DX
	LEAQ (R9)(R9*2), R12
	SHLQ $7, R12
	ADDQ (fillArgs_out+packetColumns_Bounds)(R8), R12
	MOVQ R9, R13
	SHLQ $6, R13
	ADDQ (fillArgs_out+packetColumns_Masks)(R8), R13
	XORL R15, R15                 // moving lanes
	TESTL BX, BX
	JZ   lanes

	// Fetch the records of items 48 to 63 on.
	LEAL 64(AX), R11
	CMPQ R11, fillArgs_last(R8)
	JGT  items

	FETCHROW(48, DX)
	FETCHROW(49, DX)
	FETCHROW(50, DX)
	FETCHROW(51, DX)
	FETCHROW(52, DX)
	FETCHROW(53, DX)
	FETCHROW(54, DX)
	FETCHROW(55, DX)
	FETCHROW(56, DX)
	FETCHROW(57, DX)
	FETCHROW(58, DX)
	FETCHROW(59, DX)
	FETCHROW(60, DX)
	FETCHROW(61, DX)
	FETCHROW(62, DX)
	FETCHROW(63, DX)

items:
	CMPL BX, $16
	JEQ  halves
	VPBROADCASTQ (DX), Y0
	VMOVDQU Y0, items-128(SP)
	VMOVDQU Y0, items-96(SP)
	VMOVDQU Y0, items-64(SP)
	VMOVDQU Y0, items-32(SP)
	LEAQ items-128(SP), R14
	XORL AX, AX

copy:
	MOVQ (DX)(AX*8), R11
	MOVQ R11, (R14)(AX*8)
	INCL AX
	CMPL AX, BX
	JLT  copy
	MOVQ R14, DX

halves:
	EIGHT256(0)
	STOREHALF(0)
	MOVL AX, R15
	EIGHT256(8)
	STOREHALF(1)
	SHLL $8, AX
	ORL  AX, R15

	// IDs are the indices.
	MOVQ R9, R14
	SHLQ $6, R14
	ADDQ (fillArgs_out+packetColumns_IDs)(R8), R14
	XORL AX, AX

ids:
	MOVL (DX)(AX*8), R11
	ANDL $const_itemIndex, R11
	MOVL R11, (R14)(AX*4)
	INCL AX
	CMPL AX, $16
	JLT  ids

lanes:
	// R15: moving, as long as the lane is live.
	MOVL $0xffff, R11
	BZHIL BX, R11, R11
	ANDL R11, R15
	MOVQ (fillArgs_out+packetColumns_Moving)(R8), R14
	MOVW R15, (R14)(R9*2)
	MOVQ (fillArgs_out+packetColumns_Counts)(R8), R14
	MOVB BX, (R14)(R9*1)
	MOVQ R9, R14
	SHLQ $6, R14
	ADDQ (fillArgs_out+packetColumns_IDs)(R8), R14
	MOVL BX, AX

freelane:
	CMPL AX, $16
	JGE  owner
	MOVL $0x7f800000, (R12)(AX*4)
	MOVL $0xff800000, 64(R12)(AX*4)
	MOVL $0x7f800000, 128(R12)(AX*4)
	MOVL $0xff800000, 192(R12)(AX*4)
	MOVL $0x7f800000, 256(R12)(AX*4)
	MOVL $0xff800000, 320(R12)(AX*4)
	MOVL $0, (R13)(AX*4)
	MOVL $0, (R14)(AX*4)
	INCL AX
	JMP  freelane

owner:
	MOVQ (fillArgs_out+packetColumns_Owner)(R8), R14
	MOVL (R14)(R9*4), R14
	CMPL R14, $-1
	JEQ  nextslot
	MOVL R14, DX
	ANDL $15, DX
	SHRL $4, R14
	SHLQ $9, R14
	ADDQ fillArgs_nodes(R8), R14
	LEAQ (R14)(DX*4), R14         // the lane in the owner

	// The reference: static if a live lane is not moving.
	XORL DX, DX
	CMPL R11, R15
	SETNE DX
	XORL AX, AX
	TESTL R15, R15
	SETNE AX
	LEAL (DX)(AX*2), DX
	SHLL $29, DX
	ORL  $0x80000000, DX
	ORL  R9, DX
	MOVL DX, Node_Child(R14)

	// The OR of the masks at R13, then the unions of the columns at R12.
	UNION256(VORPS, 0, R13)
	VMOVSS X0, Node_Mask(R14)
	MOVQ R14, R13
	VXORPS X2, X2, X2
	BOUNDS256

nextslot:
	INCQ R9
	ADDQ $4, SI
	DECQ CX
	JNZ  slot
	VZEROUPPER
	RET

// func reduceNodesAVX2(nodes *soa.Node, up *soa.Up, list *uint32, n int)
//
//	SI nodes   R8 up   R9 list   CX nodes left   DX child   R12 its node   R13 lane of the parent
TEXT ·reduceNodesAVX2(SB), NOSPLIT, $0-32
	MOVQ nodes+0(FP), SI
	MOVQ up+8(FP), R8
	MOVQ list+16(FP), R9
	MOVQ n+24(FP), CX
	VXORPS X2, X2, X2

reducenode:
	MOVL (R9), DX
	MOVL DX, R12
	SHLQ $9, R12
	ADDQ SI, R12
	MOVL (R8)(DX*4), R13
	MOVL R13, R11
	ANDL $15, R11
	SHRL $4, R13
	SHLQ $9, R13
	ADDQ SI, R13
	LEAQ (R13)(R11*4), R13
	BOUNDS256
	UNION256(VORPS, Node_Mask, R12)
	VMOVSS X0, Node_Mask(R13)

	// The reference: index and the flags of any child.
	UNION256(VORPS, Node_Child, R12)
	VMOVD X0, AX
	ANDL $(const_refMoving|const_refStatic), AX
	ORL  AX, DX
	MOVL DX, Node_Child(R13)
	ADDQ $4, R9
	DECQ CX
	JNZ  reducenode
	VZEROUPPER
	RET

// func reducePacketsAVX2(p *soa.PacketColumns, nodes *soa.Node, slots *uint32, n int)
//
//	R8 packets   DI nodes   SI slots   CX slots left   R9 slot   BX live lanes
TEXT ·reducePacketsAVX2(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), R8
	MOVQ nodes+8(FP), DI
	MOVQ slots+16(FP), SI
	MOVQ n+24(FP), CX

reducepacket:
	MOVL (SI), R9
	LEAQ (R9)(R9*2), R12
	SHLQ $7, R12
	ADDQ packetColumns_Bounds(R8), R12
	MOVQ R9, R13
	SHLQ $6, R13
	ADDQ packetColumns_Masks(R8), R13
	MOVQ packetColumns_Counts(R8), R14
	MOVBLZX (R14)(R9*1), BX
	MOVQ packetColumns_Moving(R8), R14
	MOVWLZX (R14)(R9*2), R15
	MOVL $0xffff, R11
	BZHIL BX, R11, R11
	ANDL R11, R15
	MOVQ packetColumns_Owner(R8), R14
	MOVL (R14)(R9*4), R14
	MOVL R14, DX
	ANDL $15, DX
	SHRL $4, R14
	SHLQ $9, R14
	ADDQ DI, R14
	LEAQ (R14)(DX*4), R14

	// The reference: static if a live lane is not moving.
	XORL DX, DX
	CMPL R11, R15
	SETNE DX
	XORL AX, AX
	TESTL R15, R15
	SETNE AX
	LEAL (DX)(AX*2), DX
	SHLL $29, DX
	ORL  $0x80000000, DX
	ORL  R9, DX
	MOVL DX, Node_Child(R14)

	UNION256(VORPS, 0, R13)
	VMOVSS X0, Node_Mask(R14)
	MOVQ R14, R13
	VXORPS X2, X2, X2
	BOUNDS256
	ADDQ $4, SI
	DECQ CX
	JNZ  reducepacket
	VZEROUPPER
	RET
