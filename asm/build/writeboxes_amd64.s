//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The boxes of a packet are loaded lane by lane and transposed to columns. The boxes of later
// packets are prefetched, AHEAD packets before they are written: a box of 24 bytes is on one cache
// line or two.
//
//	R8  arguments   DI packet   BX count   DX row of the index or 0   CX packets left
//	SI  boxes       R9 owner    R10 placement box   R12 next box, if in order
//	R13 written     R15 away: bits that are shifted down packet by packet
//	R11 aligned frame, for the offsets of boxes in units of 8 bytes
//	R14 live lanes of the packet, later the address of the owner lane
#define AHEAD 8

// FETCH prefetches the first and the last word of the box of one lane, whose offset, in units of 8
// bytes, is in the frame.
#define FETCH(lane) \
	MOVL       (4*(lane))(R11), AX \
	PREFETCHT0 (SI)(AX*8)          \
	PREFETCHT0 20(SI)(AX*8)

#define FETCH4(lane) \
	FETCH(lane)   \
	FETCH(lane+1) \
	FETCH(lane+2) \
	FETCH(lane+3)

#define FETCHROW \
	FETCH4(0) \
	FETCH4(4) \
	FETCH4(8) \
	FETCH4(12)

#define WRITESETUP \
	MOVQ w+0(FP), R8                 \
	MOVQ writeArgs_packets(R8), DI   \
	MOVQ writeArgs_counts(R8), BX    \
	MOVQ writeArgs_owners(R8), R9    \
	MOVQ writeArgs_placements(R8), R10    \
	MOVQ writeArgs_index(R8), DX     \
	MOVQ writeArgs_boxes(R8), SI     \
	MOVQ writeArgs_next(R8), R12     \
	MOVQ writeArgs_n(R8), CX         \
	XORL R13, R13                    \
	XORL R15, R15                    \
	LEAQ frame-192(SP), R11          \
	ADDQ $63, R11                    \
	ANDQ $~63, R11

// WRITENEXT ends the work on a packet, whose box is inside its placement box if all bits of AX are
// set. After the last of n packets it stores the results.
#define WRITENEXT \
	CMPL AX, $0x3f                \
	JEQ  nextpacket               \
	ORL  $1<<31, R15              \
nextpacket:                       \
	ADDQ $384, DI                 \
	INCQ BX                       \
	ADDQ $4, R9                   \
	ADDQ $24, R10                 \
	DECQ CX                       \
	JNZ  packetloop               \
	MOVQ R12, writeArgs_next(R8)  \
	MOVL $32, CX                  \
	SUBQ writeArgs_n(R8), CX      \
	SHRL CX, R13                  \
	SHRL CX, R15                  \
	MOVL R13, written+8(FP)       \
	MOVL R15, away+12(FP)         \
	VZEROUPPER                    \
	RET

// The address of the owner lane, whose parent link is in AX, into R14.
#define LANEABOVE \
	MOVL AX, R14                     \
	ANDL $15, AX                     \
	SHRL $4, R14                     \
	SHLQ $9, R14                     \
	ADDQ writeArgs_nodes(R8), R14    \
	LEAQ (R14)(AX*4), R14

// Writes the box minx miny minz maxx, maxy maxz in LO and HI to the bounds of the lane at R14.
#define SETBOUNDS(LO, HI) \
	VMOVSS     LO, 0(R14)       \
	VEXTRACTPS $1, LO, 128(R14) \
	VEXTRACTPS $2, LO, 256(R14) \
	VEXTRACTPS $3, LO, 64(R14)  \
	VMOVSS     HI, 192(R14)     \
	VEXTRACTPS $1, HI, 320(R14)

// Loads words 0 to 3 of the box of a lane into LO, 2 to 5 into HI; the box of the lane 4, 8 or 12
// further on into a higher part.
#define FIRST(lane, LO, HI) \
	MOVL    (4*(lane))(R11), AX \
	VMOVUPS (SI)(AX*8), LO            \
	VMOVUPS 8(SI)(AX*8), HI

#define FURTHER512(lane, part, LO, HI) \
	MOVL          (4*(lane))(R11), AX   \
	VINSERTF32X4  $part, (SI)(AX*8), LO, LO   \
	VINSERTF32X4  $part, 8(SI)(AX*8), HI, HI

#define FURTHER256(lane, LO, HI) \
	MOVL        (4*(lane))(R11), AX \
	VINSERTF128 $1, (SI)(AX*8), LO, LO    \
	VINSERTF128 $1, 8(SI)(AX*8), HI, HI

// LANES512(k) loads lanes k, k+4, k+8 and k+12.
#define LANES512(k, XLO, XHI, LO, HI) \
	FIRST(k, XLO, XHI)           \
	FURTHER512(k+4, 1, LO, HI)   \
	FURTHER512(k+8, 2, LO, HI)   \
	FURTHER512(k+12, 3, LO, HI)

// RUN512(k) does so for consecutive boxes, from AX on.
#define RUN512(k, XLO, XHI, LO, HI) \
	VMOVUPS      (24*(k))(AX), XLO                  \
	VMOVUPS      (24*(k)+8)(AX), XHI                \
	VINSERTF32X4 $1, (24*(k)+96)(AX), LO, LO        \
	VINSERTF32X4 $1, (24*(k)+104)(AX), HI, HI       \
	VINSERTF32X4 $2, (24*(k)+192)(AX), LO, LO       \
	VINSERTF32X4 $2, (24*(k)+200)(AX), HI, HI       \
	VINSERTF32X4 $3, (24*(k)+288)(AX), LO, LO       \
	VINSERTF32X4 $3, (24*(k)+296)(AX), HI, HI

// MERGE keeps the column at off in the lanes K3.
#define MERGE(off, to) \
	VMOVUPS off(DI), K3, to

// func writeBoxesAVX512(w *writeArgs) (written, away uint32)
//
//	K1 live lanes   K2 written lanes   Z29 limit   Z28 0 to 15   Z26 0   Z30 +Inf   Z31 -Inf
//	Z25 the order of a box in the union   Y27 signs of its maxima   K5 its words
TEXT ·writeBoxesAVX512(SB), NOSPLIT, $192-16
	WRITESETUP
	VPBROADCASTD writeArgs_limit(R8), Z29
	VMOVDQU32    ·writeIota(SB), Z28
	VMOVDQU32    ·writeOrder(SB), Y25
	VMOVDQU32    ·writeSigns(SB), Y27
	VPXORD       Z26, Z26, Z26
	MOVL         $0x7f800000, AX
	VPBROADCASTD AX, Z30
	MOVL         $0xff800000, AX
	VPBROADCASTD AX, Z31
	MOVL         $0x80000000, AX
	VPBROADCASTD AX, Z24
	MOVL         $0x3f, AX
	KMOVW        AX, K5

packetloop:
	SHRL         $1, R13
	SHRL         $1, R15
	MOVBLZX      (BX), R14
	MOVL         $0xffff, AX
	BZHIL        R14, AX, AX
	KMOVW        AX, K1
	TESTQ        DX, DX
	JZ           inorder
	CMPQ         writeArgs_rows(R8), $AHEAD
	JLE          row
	VPMINUD      (AHEAD*64)(DX), Z29, Z0
	VPADDD       Z0, Z0, Z1
	VPADDD       Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VMOVDQA      Y0, (R11)
	VMOVDQA      Y1, 32(R11)
	FETCHROW

row:
	DECQ         writeArgs_rows(R8)
	VMOVDQU32    (DX), Z0
	ADDQ         $64, DX
	JMP          boxes

inorder:
	LEAQ         16(R12), AX
	CMPQ         AX, writeArgs_limit(R8)
	JLE          run
	VPBROADCASTD R12, Z0
	VPADDD       Z28, Z0, Z0
	ADDQ         R14, R12

boxes:
	VPCMPUD      $1, Z29, Z0, K1, K2
	KORTESTW     K2, K2
	JZ           keep
	ORL          $1<<31, R13
	VMOVDQA32.Z  Z0, K2, Z0
	VPADDD       Z0, Z0, Z1
	VPADDD       Z1, Z0, Z0 // stored in halves, because later loads of words would stall on a whole register
	VEXTRACTI64X4 $1, Z0, Y1
	VMOVDQA      Y0, (R11)
	VMOVDQA      Y1, 32(R11)
	LANES512(0, X0, X4, Z0, Z4)
	LANES512(1, X1, X5, Z1, Z5)
	LANES512(2, X2, X6, Z2, Z6)
	LANES512(3, X3, X7, Z3, Z7)

transpose:
	// 4 by 4.
	VUNPCKLPS Z1, Z0, Z8
	VUNPCKHPS Z1, Z0, Z9
	VUNPCKLPS Z3, Z2, Z10
	VUNPCKHPS Z3, Z2, Z11
	VUNPCKHPS Z5, Z4, Z12
	VUNPCKHPS Z7, Z6, Z13
	VUNPCKLPD Z10, Z8, Z0  // minx
	VUNPCKHPD Z10, Z8, Z1  // miny
	VUNPCKLPD Z11, Z9, Z2  // minz
	VUNPCKHPD Z11, Z9, Z3  // maxx
	VUNPCKLPD Z13, Z12, Z4 // maxy
	VUNPCKHPD Z13, Z12, Z5 // maxz

	KNOTW     K2, K3
	KXORW     K1, K2, K4
	KORTESTW  K4, K4
	JNZ       some
	VMOVAPS   Z30, K3, Z0 // all live lanes are written: the others become empty
	VMOVAPS   Z30, K3, Z1
	VMOVAPS   Z30, K3, Z2
	VMOVAPS   Z31, K3, Z3
	VMOVAPS   Z31, K3, Z4
	VMOVAPS   Z31, K3, Z5
	JMP       store

some:
	MERGE(0, Z0)
	MERGE(64, Z3)
	MERGE(128, Z1)
	MERGE(192, Z4)
	MERGE(256, Z2)
	MERGE(320, Z5)

store:
	VMOVUPS Z0, (DI)
	VMOVUPS Z3, 64(DI)
	VMOVUPS Z1, 128(DI)
	VMOVUPS Z4, 192(DI)
	VMOVUPS Z2, 256(DI)
	VMOVUPS Z5, 320(DI)

union:
	MOVL (R9), AX
	CMPL AX, $-1
	JEQ  nextpacket
	LANEABOVE

	// The maximum of x is -min(-x): six minima, in blocks of four lanes, 16 to 8 to 4.
	VXORPS     Z24, Z3, Z3
	VXORPS     Z24, Z4, Z4
	VXORPS     Z24, Z5, Z5
	VSHUFF64X2 $0x44, Z1, Z0, Z8
	VSHUFF64X2 $0xEE, Z1, Z0, Z9
	VSHUFF64X2 $0x44, Z3, Z2, Z10
	VSHUFF64X2 $0xEE, Z3, Z2, Z11
	VSHUFF64X2 $0x44, Z5, Z4, Z12
	VSHUFF64X2 $0xEE, Z5, Z4, Z13
	VMINPS     Z9, Z8, Z8
	VMINPS     Z11, Z10, Z10
	VMINPS     Z13, Z12, Z12
	VSHUFF64X2 $0x88, Z10, Z8, Z0
	VSHUFF64X2 $0xDD, Z10, Z8, Z1
	VSHUFF64X2 $0x88, Z12, Z12, Z2
	VSHUFF64X2 $0xDD, Z12, Z12, Z3
	VMINPS     Z1, Z0, Z0 // minx | miny | minz | -maxx
	VMINPS     Y3, Y2, Y2 // -maxy | -maxz

	// 4 to 1.
	VPERMILPS $0x4E, Z0, Z1
	VPERMILPS $0x4E, Y2, Y3
	VMINPS    Z1, Z0, Z0
	VMINPS    Y3, Y2, Y2
	VPERMILPS $0xB1, Z0, Z1
	VPERMILPS $0xB1, Y2, Y3
	VMINPS    Z1, Z0, Z0
	VMINPS    Y3, Y2, Y2
	VPERMT2PS Z2, Z25, Z0 // words 0 to 5

	VMOVUPS.Z    (R10), K5, Y1
	VXORPS       Y27, Y1, Y1
	VCMPPS       $2, Y0, Y1, K5, K6
	KMOVW        K6, AX
	VXORPS       Y27, Y0, Y0
	VADDPS       Y26, Y0, Y0 // no -0
	VEXTRACTF128 $1, Y0, X1
	SETBOUNDS(X0, X1)
	WRITENEXT

run:
	KORTESTW K1, K1
	JZ       keep
	KMOVW    K1, K2
	ORL      $1<<31, R13
	LEAQ     (R12)(R12*2), AX
	LEAQ     (SI)(AX*8), AX
	ADDQ     R14, R12
	RUN512(0, X0, X4, Z0, Z4)
	RUN512(1, X1, X5, Z1, Z5)
	RUN512(2, X2, X6, Z2, Z6)
	RUN512(3, X3, X7, Z3, Z7)
	JMP      transpose

keep:
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z3
	VMOVUPS 128(DI), Z1
	VMOVUPS 192(DI), Z4
	VMOVUPS 256(DI), Z2
	VMOVUPS 320(DI), Z5
	JMP     union

// HALF256 writes eight lanes, from lane 8h on, except the unchanged lanes Y15.
#define COLUMN256(h, off, from) \
	VBLENDVPS Y15, (32*h+off)(DI), from, from \
	VMOVUPS   from, (32*h+off)(DI)

#define HALF256(h) \
	VMOVUPS (64+32*h)(R11), Y15 \
	FIRST(8*h, X0, X4)                 \
	FURTHER256(8*h+4, Y0, Y4)          \
	FIRST(8*h+1, X1, X5)               \
	FURTHER256(8*h+5, Y1, Y5)          \
	FIRST(8*h+2, X2, X6)               \
	FURTHER256(8*h+6, Y2, Y6)          \
	FIRST(8*h+3, X3, X7)               \
	FURTHER256(8*h+7, Y3, Y7)          \
	VUNPCKLPS Y1, Y0, Y8               \
	VUNPCKHPS Y1, Y0, Y9               \
	VUNPCKLPS Y3, Y2, Y10              \
	VUNPCKHPS Y3, Y2, Y11              \
	VUNPCKHPS Y5, Y4, Y12              \
	VUNPCKHPS Y7, Y6, Y13              \
	VUNPCKLPD Y10, Y8, Y0              \
	VUNPCKHPD Y10, Y8, Y1              \
	VUNPCKLPD Y11, Y9, Y2              \
	VUNPCKHPD Y11, Y9, Y3              \
	VUNPCKLPD Y13, Y12, Y4             \
	VUNPCKHPD Y13, Y12, Y5             \
	COLUMN256(h, 0, Y0)                \
	COLUMN256(h, 64, Y3)               \
	COLUMN256(h, 128, Y1)              \
	COLUMN256(h, 192, Y4)              \
	COLUMN256(h, 256, Y2)              \
	COLUMN256(h, 320, Y5)

// ROW256 loads the offsets of the boxes of eight lanes, from lane 8h on, whose indices are in Y0,
// and the unchanged lanes. Y11 limit less 1   Y12 count   Y14 -1   Y13 written lanes so far
#define ROW256(h) \
	VPMINUD  Y11, Y0, Y1                    \
	VPCMPEQD Y0, Y1, Y1                     \
	VPCMPGTD ·writeIota+(32*h)(SB), Y12, Y2 \
	VPAND    Y1, Y2, Y1                     \
	VPAND    Y1, Y0, Y0                     \
	VPOR     Y1, Y13, Y13                   \
	VPXOR    Y14, Y1, Y1                    \
	VMOVDQU  Y1, (64+32*h)(R11)      \
	VPADDD   Y0, Y0, Y1                     \
	VPADDD   Y1, Y0, Y0                     \
	VMOVDQA  Y0, (32*h)(R11)

// MINIMA is the minimum of the two halves of a column of minima, MAXIMA the maximum of a column of
// maxima, with the sign flipped.
#define MINIMA(off, to) \
	VMOVUPS off(DI), to       \
	VMINPS  (off+32)(DI), to, to

#define MAXIMA(off, to) \
	VMOVUPS off(DI), to       \
	VMAXPS  (off+32)(DI), to, to \
	VXORPS  Y15, to, to

// PAIR leaves the minima of four lanes of two columns in the parts of A.
#define PAIR(A, B) \
	VPERM2F128 $0x20, B, A, Y6 \
	VPERM2F128 $0x31, B, A, Y7 \
	VMINPS     Y7, Y6, A

// func writeBoxesAVX2(w *writeArgs) (written, away uint32)
TEXT ·writeBoxesAVX2(SB), NOSPLIT, $192-16
	WRITESETUP

packetloop:
	SHRL         $1, R13
	SHRL         $1, R15
	MOVBLZX      (BX), R14
	TESTQ        DX, DX
	JZ           inorder
	CMPQ         writeArgs_rows(R8), $AHEAD
	JLE          row
	VPBROADCASTD writeArgs_limit(R8), Y2
	VPMINUD      (AHEAD*64)(DX), Y2, Y0
	VPMINUD      (AHEAD*64+32)(DX), Y2, Y3
	VPADDD       Y0, Y0, Y1
	VPADDD       Y1, Y0, Y0
	VPADDD       Y3, Y3, Y1
	VPADDD       Y1, Y3, Y3
	VMOVDQA      Y0, (R11)
	VMOVDQA      Y3, 32(R11)
	FETCHROW

row:
	DECQ    writeArgs_rows(R8)
	VMOVDQU (DX), Y0
	VMOVDQU 32(DX), Y3
	ADDQ    $64, DX
	JMP     boxes

inorder:
	VMOVD        R12, X3
	VPBROADCASTD X3, Y3
	VPADDD       ·writeIota(SB), Y3, Y0
	VPADDD       ·writeIota+32(SB), Y3, Y3
	ADDQ         R14, R12

boxes:
	MOVQ         writeArgs_limit(R8), AX
	DECL         AX
	VMOVD        AX, X11
	VPBROADCASTD X11, Y11
	VMOVD        R14, X12
	VPBROADCASTD X12, Y12
	VPCMPEQD     Y14, Y14, Y14
	VPXOR        Y13, Y13, Y13
	ROW256(0)
	VMOVDQA      Y3, Y0
	ROW256(1)
	VMOVMSKPS    Y13, AX
	TESTL        AX, AX
	JZ           union
	ORL          $1<<31, R13
	HALF256(0)
	HALF256(1)

union:
	MOVL (R9), AX
	CMPL AX, $-1
	JEQ  nextpacket
	LANEABOVE

	// The maximum of x is -min(-x): six minima, of eight lanes each, 8 to 4.
	VMOVUPS ·writeMinus(SB), Y15
	MINIMA(0, Y0)
	MINIMA(128, Y1)
	MINIMA(256, Y2)
	MAXIMA(64, Y3)
	MAXIMA(192, Y4)
	MAXIMA(320, Y5)
	PAIR(Y0, Y1)
	PAIR(Y2, Y3)
	PAIR(Y4, Y5)

	// 4 to 1.
	VUNPCKLPD Y2, Y0, Y6
	VUNPCKHPD Y2, Y0, Y7
	VMINPS    Y7, Y6, Y0        // minx, minx, minz, minz | miny, miny, -maxx, -maxx
	VPERMILPS $0x4E, Y4, Y5
	VMINPS    Y5, Y4, Y4        // -maxy twice | -maxz twice
	VSHUFPS   $0x88, Y4, Y0, Y6
	VSHUFPS   $0xDD, Y4, Y0, Y7
	VMINPS    Y7, Y6, Y0        // minx, minz, -maxy, . | miny, -maxx, -maxz, .
	VMOVUPS   ·writeOrder+32(SB), Y1
	VPERMPS   Y0, Y1, Y0        // words 0 to 5

	VMOVUPS      ·writeSigns(SB), Y3
	VMOVUPS      (R10), X1
	VMOVQ        16(R10), X2
	VINSERTF128  $1, X2, Y1, Y1
	VXORPS       Y3, Y1, Y1
	VCMPPS       $2, Y0, Y1, Y2
	VMOVMSKPS    Y2, AX
	VXORPS       Y3, Y0, Y0
	VXORPS       Y4, Y4, Y4
	VADDPS       Y4, Y0, Y0    // no -0
	VEXTRACTF128 $1, Y0, X1
	SETBOUNDS(X0, X1)
	ANDL         $0x3f, AX
	WRITENEXT
