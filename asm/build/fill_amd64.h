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

// Loads the items of slot R9: BX their number, DX the first. Unless the packet is full, a copy of
// them, padded with the first item, is written to the frame, so that every lane has a record to
// read.
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

// The union of a column of bounds, stored at OFF(R13). Adding 0 turns -0 into +0, as bounds of
// nodes require; X24 is 0.
#define BOUND512(OP, X, Y, Z, OFF) \
	UNION512(OP, X, Y, Z)          \
	VADDSS X24, X16, X16           \
	VMOVSS X16, OFF(R13)

// The steps after the columns: Z0 minx, Z1 miny, Z2 minz, Z3 maxx, Z4 maxy, Z5 maxz, Z6 masks, Z7
// IDs, K3 static. Free lanes hold the empty box and 0.
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
	ANDQ fillArgs_maskRows(R8), R12            \
	MOVQ (fillArgs_out+packetColumns_Masks)(R8), R13     \
	VMOVDQU32 Z6, (R13)(R12*1)                 \
	KANDNW K1, K3, K2                          \
	KMOVW K2, R11                              \
	MOVQ (fillArgs_out+packetColumns_Moving)(R8), R13    \
	MOVW R11, (R13)(R9*2)                      \
	MOVQ (fillArgs_out+packetColumns_Counts)(R8), R13    \
	MOVB BX, (R13)(R9*1)                       \
	MOVQ (fillArgs_out+packetColumns_Parents)(R8), R13     \
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

// AVX2.

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

// The union of the column of bounds at OFF(R12), stored at OFF(R13), with -0 as 0; X2 is 0.
#define BOUND256(OP, OFF) \
	UNION256(OP, OFF, R12)         \
	VADDSS X2, X0, X0              \
	VMOVSS X0, OFF(R13)

// The union of the packet at R12, or of the children of the node at R12, into the bounds of the
// lane at R13.
#define BOUNDS256 \
	BOUND256(VMINPS, 0)            \
	BOUND256(VMAXPS, 64)           \
	BOUND256(VMINPS, 128)          \
	BOUND256(VMAXPS, 192)          \
	BOUND256(VMINPS, 256)          \
	BOUND256(VMAXPS, 320)

// The packet of slot R9, into R12, and its masks, into R13.
#define FILLSLOT256 \
	LEAQ (R9)(R9*2), R12                                \
	SHLQ $7, R12                                        \
	ADDQ (fillArgs_out+packetColumns_Bounds)(R8), R12   \
	MOVQ R9, R13                                        \
	SHLQ $6, R13                                        \
	ANDQ fillArgs_maskRows(R8), R13                     \
	ADDQ (fillArgs_out+packetColumns_Masks)(R8), R13

// The steps after the columns, which are written: R15 moving flags of live lanes.
#define FILLSTORE256 \
	MOVL $0xffff, R11                                   \
	BZHIL BX, R11, R11                                  \
	ANDL R11, R15                                       \
	MOVQ (fillArgs_out+packetColumns_Moving)(R8), R14   \
	MOVW R15, (R14)(R9*2)                               \
	MOVQ (fillArgs_out+packetColumns_Counts)(R8), R14   \
	MOVB BX, (R14)(R9*1)                                \
	MOVQ (fillArgs_out+packetColumns_Parents)(R8), R14    \
	MOVL (R14)(R9*4), R14                               \
	CMPL R14, $-1                                       \
	JEQ  nextslot                                       \
	MOVL R14, DX                                        \
	ANDL $15, DX                                        \
	SHRL $4, R14                                        \
	SHLQ $9, R14                                        \
	ADDQ fillArgs_nodes(R8), R14                        \
	LEAQ (R14)(DX*4), R14                               \ // the lane in the owner
	XORL DX, DX                                         \ // static if a live lane is not moving
	CMPL R11, R15                                       \
	SETNE DX                                            \
	XORL AX, AX                                         \
	TESTL R15, R15                                      \
	SETNE AX                                            \
	LEAL (DX)(AX*2), DX                                 \
	SHLL $29, DX                                        \
	ORL  $0x80000000, DX                                \
	ORL  R9, DX                                         \
	MOVL DX, Node_Child(R14)                            \
	UNION256(VORPS, 0, R13)                             \
	VMOVSS X0, Node_Mask(R14)                           \
	MOVQ R14, R13                                       \
	VXORPS X2, X2, X2                                   \
	BOUNDS256
