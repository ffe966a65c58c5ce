//go:build amd64 && !purego

#include "textflag.h"

// A packet of boxes is gathered column by column. The boxes of the packets to
// come are asked for meanwhile, AHEAD packets before they are written, the last
// AHEAD ones excepted: a box of 24 bytes lies on one line or on two.
#define AHEAD 6

// FETCH asks for the first and the last word of the box of one lane.
#define FETCH(lane) \
	MOVL       (AHEAD*64 + 4*lane)(DX), AX \
	LEAQ       (AX)(AX*2), AX              \
	PREFETCHT0 (SI)(AX*8)                  \
	PREFETCHT0 20(SI)(AX*8)

// COLUMN writes the lanes K1 of the column at offset to from word of the boxes.
#define COLUMN(word, to) \
	KMOVW      K1, K2                   \
	VMOVUPS    to(DI), Z4               \
	VGATHERDPS (4*word)(SI)(Z3*8), K2, Z4 \
	VMOVUPS    Z4, to(DI)

// func writeBoxesAVX512(packets *Packet, counts *uint8, index *[Lanes]uint32, n int, boxes *float32, limit int)
//
// DI  packet   BX  count   DX  row of the index   CX  packets left
// SI  boxes    Z1  limit   Z3  three times the numbers, in units of 8 bytes
// K1  live lanes whose number is below the limit
TEXT ·writeBoxesAVX512(SB), NOSPLIT, $0-48
	MOVQ         packets+0(FP), DI
	MOVQ         counts+8(FP), BX
	MOVQ         index+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVQ         boxes+32(FP), SI
	MOVQ         limit+40(FP), AX
	VPBROADCASTD AX, Z1
	MOVQ         $-1, R9

packetloop:
	CMPQ CX, $AHEAD
	JBE  write
	FETCH(0)
	FETCH(1)
	FETCH(2)
	FETCH(3)
	FETCH(4)
	FETCH(5)
	FETCH(6)
	FETCH(7)
	FETCH(8)
	FETCH(9)
	FETCH(10)
	FETCH(11)
	FETCH(12)
	FETCH(13)
	FETCH(14)
	FETCH(15)

write:
	MOVBLZX   (BX), R8
	BZHIL     R8, R9, R8
	KMOVW     R8, K1
	VMOVDQU32 (DX), Z0
	VPCMPUD   $1, Z1, Z0, K1, K1
	VPADDD    Z0, Z0, Z3
	VPADDD    Z0, Z3, Z3
	COLUMN(0, 0)
	COLUMN(3, 64)
	COLUMN(1, 128)
	COLUMN(4, 192)
	COLUMN(2, 256)
	COLUMN(5, 320)

	ADDQ $384, DI
	ADDQ $1, BX
	ADDQ $64, DX
	DECQ CX
	JNZ  packetloop

	VZEROUPPER
	RET
