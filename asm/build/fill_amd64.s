//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "fill_amd64.h"

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

// Prefetches the record of the item J items after P.
#define FETCHROW(J, P) \
	MOVL ((J)*8)(P), R11       \
	ADDL R11, R11              \
	SHLQ $4, R11               \
	PREFETCHT1 (R10)(R11*1)

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
	// Prefetch the records of items 48 to 63 on.
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

// func fillRecordsAVX2(f *fillArgs)
//
// A packet with free lanes is filled as if its first item were repeated; its free lanes are then
// overwritten one by one.
TEXT ·fillRecordsAVX2(SB), NOSPLIT, $128-8
	FILLSETUP
	MOVQ fillArgs_records(R8), R10

slot:
	MOVL (SI), AX
	MOVL 4(SI), BX
	SUBL AX, BX
	LEAQ (DI)(AX*8), DX
	FILLSLOT256
	XORL R15, R15 // moving lanes
	TESTL BX, BX
	JZ   lanes

	// Prefetch the records of items 48 to 63 on.
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
	MOVQ R9, R14
	SHLQ $6, R14
	ADDQ (fillArgs_out+packetColumns_IDs)(R8), R14
	MOVL BX, AX

freelane:
	CMPL AX, $16
	JGE  store
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

store:
	FILLSTORE256

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
	// Prefetch the packet of the slot eight on, and its masks.
	CMPQ CX, $8
	JLE  reduce
	MOVL 32(SI), R9
	LEAQ (R9)(R9*2), R12
	SHLQ $7, R12
	ADDQ packetColumns_Bounds(R8), R12
	PREFETCHT0 (R12)
	PREFETCHT0 64(R12)
	PREFETCHT0 128(R12)
	PREFETCHT0 192(R12)
	PREFETCHT0 256(R12)
	PREFETCHT0 320(R12)
	SHLQ $6, R9
	ADDQ packetColumns_Masks(R8), R9
	PREFETCHT0 (R9)

reduce:
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
	MOVQ packetColumns_Parents(R8), R14
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
