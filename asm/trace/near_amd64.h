// The near kernels. Distances are d = max(max(lo - c, c - hi), 0) on each axis and (dx*dx + dy*dy)
// + dz*dz, never fused. Kernels compute c - max(min(c, hi), lo), the vector from the nearest point
// of the box, which has the same absolute value: its sign, and the sign of a maximum of two zeros,
// vanish in the square. No operand is NaN: points and bounds of live lanes are finite, and a free
// lane is infinitely far away.
//
//	DI  walk     R9  bottom of the stack      R12  bits of the bound
//	SI  nodes    R8  its top                  R13  mask of the filter
//	DX  packets  CX  entries left to take     BX   node, packet
//
//	8, 9, 10     point    12   zero             14   flags of the filter
//	11           bound    7    scale, if any    15   refKeep

#define NEARBEGIN \
	MOVQ w+0(FP), DI                \
	MOVQ nodes+8(FP), SI            \
	MOVQ packets+16(FP), DX         \
	MOVQ budget+24(FP), CX          \
	MOVQ (NearWalk_Stack+0)(DI), R9 \
	MOVQ (NearWalk_Stack+8)(DI), AX \
	LEAQ (R9)(AX*8), R8             \
	MOVL NearWalk_Bound(DI), R12    \
	MOVL (NearWalk_Filter+NodeFilter_Mask)(DI), R13

// Loads the vectors into the registers whose names end in these numbers.
#define NEARLOAD(V8, V9, V10, V11, V14, V15) \
	VBROADCASTSS (NearWalk_Point+0)(DI), V8  \
	VBROADCASTSS (NearWalk_Point+4)(DI), V9  \
	VBROADCASTSS (NearWalk_Point+8)(DI), V10 \
	VBROADCASTSS NearWalk_Bound(DI), V11     \
	VPXOR        X12, X12, X12               \
	VPBROADCASTD (NearWalk_Filter+NodeFilter_Flags)(DI), V14 \
	MOVL         $const_refKeep, AX          \
	VMOVD        AX, X15                     \
	VPBROADCASTD X15, V15

// Takes an entry: AX is its reference.
#define NEARPOP(LOOP, DONE) \
	CMPQ R8, R9       \
	JEQ  DONE         \
	DECQ CX           \
	JLT  DONE         \
	SUBQ $8, R8       \
	MOVL 4(R8), BX    \
	CMPL BX, R12      \
	JHI  LOOP         \
	MOVL (R8), AX

// Takes the top entry, whose reference is in R15 already: this avoids a load.
#define NEARFIRST(TAKEN, DONE) \
	DECQ CX       \
	JLT  DONE     \
	SUBQ $8, R8   \
	MOVL R15, AX  \
	JMP  TAKEN

// The address of the node or packet of reference AX into BX.
#define NEARVISIT ADDRESS(AX, R14)

// Prefetches the node or packet of the entry below the one taken, if it is within the bound. It is
// usually visited soon if many objects are searched, and seldom if one is.
#define NEARFETCH \
	LEAQ    -8(R8), BX    \
	CMPQ    BX, R9        \
	CMOVQCS R8, BX        \
	CMPL    R12, 4(BX)    \
	CMOVQCS R8, BX        \
	MOVL    (BX), R15     \
	ADDRESS(R15, R14)     \
	FETCHLINES

// Stores the stack.
#define NEAREND \
	SUBQ R9, R8                     \
	SHRQ $3, R8                     \
	MOVQ R8, (NearWalk_Stack+8)(DI) \
	VZEROUPPER                      \
	RET

// The squared distance on one axis, of the boxes whose columns are LO and HI. SQUARE is one of the
// next two macros.
#define NEARAXIS(LO, HI, C, D, SQUARE) \
	VMINPS  HI, C, D      \
	VMAXPS  LO, D, D      \
	VSUBPS  D, C, D       \
	SQUARE(D)

#define NEARPLAIN(D) VMULPS D, D, D

// The square of the distance times NearWalk.Scale.
#define NEARSCALED512(D) \
	VMULPS Z7, D, D \
	VMULPS D, D, D

#define NEARSCALED256(D) \
	VMULPS Y7, D, D \
	VMULPS D, D, D

// Loads the scale before lanes are tested, or is empty.
#define NEARNOSCALE
#define NEARSCALE512 VBROADCASTSS NearWalk_Scale(DI), Z7
#define NEARSCALE256 VBROADCASTSS NearWalk_Scale(DI), Y7

// AVX-512. Z24 and Z25 are the permutations that merge 16 references and 16 distances into the
// entries 0 to 7 and 8 to 15.
#define NEARSETUP512 \
	NEARBEGIN                                 \
	NEARLOAD(Z8, Z9, Z10, Z11, Z14, Z15)      \
	SORTSETUP512                              \
	VMOVDQU32 ·nearEntries+0(SB), Z24        \
	VMOVDQU32 ·nearEntries+64(SB), Z25

// The distances of the lanes at BX into Z0, the mask of the lanes within the bound into K1.
#define NEARTEST512(SQUARE) \
	NEARAXIS(0(BX), 64(BX), Z8, Z0, SQUARE)     \
	NEARAXIS(128(BX), 192(BX), Z9, Z2, SQUARE)  \
	NEARAXIS(256(BX), 320(BX), Z10, Z4, SQUARE) \
	VADDPS Z2, Z0, Z0        \
	VADDPS Z4, Z0, Z0        \
	VCMPPS $0x12, Z11, Z0, K1

// Pushes the children of the node at BX within the bound, the nearest last.
#define NEARCHILDREN512(LOOP, TAKEN, DONE) \
	VMOVDQU32  Node_Child(BX), Z5    \
	VPTESTMD   Z14, Z5, K1, K1       \ // one of the flags
	TESTL      R13, R13              \
	JZ         unmasked              \
	VMOVDQU32  Node_Mask(BX), Z1     \
	VPTESTMD.BCST (NearWalk_Filter+NodeFilter_Mask)(DI), Z1, K1, K1 \
unmasked:                            \
	KMOVW      K1, AX                \
	TESTL      AX, AX                \
	JZ         LOOP                  \
	POPCNTL    AX, AX                \
	SORTKEYS512(R15)                 \
	MOVL       Node_Child(BX)(R15*4), R15 \
	SORTHALVES512                    \
	CMPL       AX, $8                \
	JLE        sorted                \
	MERGEHALVES512                   \
sorted:                              \
	VPERMD     Z0, Z1, Z0            \ // distances and references in order
	VPERMD     Z5, Z1, Z5            \
	VPANDD     Z15, Z5, Z5           \
	VMOVDQA32  Z5, Z1                \
	VPERMT2D   Z0, Z24, Z1           \
	VPERMT2D   Z0, Z25, Z5           \
	VMOVDQU32  Z1, (R8)              \
	VMOVDQU32  Z5, 64(R8)            \
	LEAQ       (R8)(AX*8), R8        \
	NEARFIRST(TAKEN, DONE)

// AVX2. The distances of the lanes at BX into Y0 and Y1, the masks of the lanes within the bound
// into Y2 and Y3.
#define NEARTEST256(SQUARE) \
	NEARAXIS(0(BX), 64(BX), Y8, Y0, SQUARE)     \
	NEARAXIS(128(BX), 192(BX), Y9, Y2, SQUARE)  \
	NEARAXIS(256(BX), 320(BX), Y10, Y4, SQUARE) \
	VADDPS Y2, Y0, Y0         \
	VADDPS Y4, Y0, Y0         \
	NEARAXIS(32(BX), 96(BX), Y8, Y1, SQUARE)    \
	NEARAXIS(160(BX), 224(BX), Y9, Y3, SQUARE)  \
	NEARAXIS(288(BX), 352(BX), Y10, Y5, SQUARE) \
	VADDPS Y3, Y1, Y1         \
	VADDPS Y5, Y1, Y1         \
	VCMPPS $0x12, Y11, Y0, Y2 \
	VCMPPS $0x12, Y11, Y1, Y3

// The lanes of Y2 and Y3 as a mask in M and the zero flag.
#define NEARMASK256(M, T) \
	VMOVMSKPS Y2, M \
	VMOVMSKPS Y3, T \
	SHLL      $8, T \
	ORL       T, M

// Removes the lanes of Y2 and Y3 whose word at COLUMN has no bit of WANT.
#define NEARKEEP256(COLUMN, WANT) \
	VPAND    (COLUMN+0)(BX), WANT, Y4  \
	VPAND    (COLUMN+32)(BX), WANT, Y5 \
	VPCMPEQD Y12, Y4, Y4 \
	VPCMPEQD Y12, Y5, Y5 \
	VPANDN   Y2, Y4, Y2  \
	VPANDN   Y3, Y5, Y3

// Converts the lanes of HIT, whose distances are in DIST, to keys. LESS is the keys - 1, Y6 all
// bits set.
#define NEARKEYS256(AT, DIST, HIT, LESS) \
	VPAND  ·sortBits(SB), DIST, LESS       \
	VPOR   ·sortWanted+AT(SB), LESS, LESS  \
	VPAND  LESS, HIT, HIT                  \
	VPADDD Y6, HIT, LESS

// Stores the entries of the eight keys in KEYS.
#define NEARPUT256(KEYS, AT) \
	VPSLLD     $28, KEYS, Y6                    \ // sign: the lane is in the second half
	VPERMD     Y0, KEYS, Y4                     \
	VPERMD     Y1, KEYS, Y5                     \
	VBLENDVPS  Y6, Y5, Y4, Y4                   \
	VPERMD     (Node_Child+0)(BX), KEYS, Y5     \
	VPERMD     (Node_Child+32)(BX), KEYS, KEYS  \
	VBLENDVPS  Y6, KEYS, Y5, Y5                 \
	VPAND      Y15, Y5, Y5                      \
	VPUNPCKLDQ Y4, Y5, Y6                       \ // entries 0 1 4 5
	VPUNPCKHDQ Y4, Y5, Y5                       \ // entries 2 3 6 7
	VMOVDQU    X6, (AT+0)(R8)                   \
	VMOVDQU    X5, (AT+16)(R8)                  \
	VEXTRACTI128 $1, Y6, (AT+32)(R8)            \
	VEXTRACTI128 $1, Y5, (AT+48)(R8)

#define NEARCHILDREN256(LOOP, TAKEN, DONE) \
	NEARKEEP256(Node_Child, Y14)     \
	TESTL      R13, R13              \
	JZ         unmasked              \
	VPBROADCASTD (NearWalk_Filter+NodeFilter_Mask)(DI), Y6 \
	NEARKEEP256(Node_Mask, Y6)       \
unmasked:                            \
	NEARMASK256(AX, R14)             \
	JZ         LOOP                  \
	POPCNTL    AX, AX                \
	VPCMPEQD   Y6, Y6, Y6            \
	NEARKEYS256(0, Y0, Y2, Y4)       \
	NEARKEYS256(32, Y1, Y3, Y5)      \
	VPMINUD    Y5, Y4, Y4            \
	NEAREST(Y4, X4, X5, R15)         \
	MOVL       Node_Child(BX)(R15*4), R15 \
	SORTHALF256(Y2, Y4, Y5)          \
	SORTHALF256(Y3, Y4, Y5)          \
	SPLITHALVES256(Y2, Y3, Y4)       \
	MERGEHALF256(Y2, Y4, Y5)         \
	NEARPUT256(Y2, 0)                \
	CMPL       AX, $8                \
	JLE        stored                \
	MERGEHALF256(Y3, Y4, Y5)         \
	NEARPUT256(Y3, 64)               \
stored:                              \
	LEAQ       (R8)(AX*8), R8        \
	NEARFIRST(TAKEN, DONE)

// AVX-512: the search for the nearest boxes. LOAD loads the smallest distances so far, and the index of the K-th in
// LAST into Z18; INSERT inserts the distance of lane AX; SAVE stores them.
//
//	R11  keep     R10  lanes listed     Z17  lane numbers
#define NEARFIND512(LOAD, INSERT, LAST, SAVE) \
	NEARSETUP512                              \
	MOVQ p+32(FP), R11                        \
	MOVQ NearFound_Len(R11), R10              \
	VMOVDQU32 ·sortLanes(SB), Z17             \
	LOAD                                      \
loop:                                         \
	NEARPOP(loop, done)                       \
taken:                                        \
	NEARFETCH                                 \
	NODEAT(AX)                                \
	NEARTEST512(NEARPLAIN)                    \
	NEARCHILDREN512(loop, taken, done)        \
packet:                                       \
	PACKETAT(AX)                              \
	NEARTEST512(NEARPLAIN)                    \
	KMOVW K1, BX                              \
	TESTL BX, BX                              \
	JZ    loop                                \
	SHLL  $4, AX                              \
	MOVQ  ids+40(FP), R14                     \
	PREFETCHT0 (R14)(AX*4)                    \ // prefetch the IDs of the slot
	VPBROADCASTD AX, Z1                       \
	VPORD Z17, Z1, Z1                         \ // locations
	VMOVUPS Z0, NearWalk_Dist(DI)             \
	VCOMPRESSPS.Z Z0, K1, Z0                  \
	VPCOMPRESSD.Z Z1, K1, Z1                  \
	VMOVUPS   Z0, NearFound_Dist(R11)(R10*4)  \
	VMOVDQU32 Z1, NearFound_Location(R11)(R10*4) \
	POPCNTL BX, AX                            \
	ADDQ    AX, R10                           \
insert:                                       \
	TZCNTL BX, AX                             \
	BLSRL  BX, BX                             \
	INSERT                                    \
	TESTL  BX, BX                             \
	JNZ    insert                             \
	VPERMD LAST, Z18, Z11                     \
	VMOVD  X11, R12                           \
	CMPQ   R10, $const_nearKept               \
	JLE    loop                               \
done:                                         \
	MOVQ R10, NearFound_Len(R11)              \
	SAVE                                      \
	MOVL R12, NearWalk_Bound(DI)              \
	NEAREND

// Appends the lanes of DIST that M selects, and their locations, to the list from R10 on. X7 is the
// first location.
#define NEARLIST256(M, DIST, T) \
	LEAQ ·compressTable(SB), BX  \
	POPCNTL M, R14               \
	SHLL $5, M                   \
	VMOVDQU (BX)(M*1), Y2       \
	VPERMPS DIST, Y2, T          \
	VMOVUPS T, NearFound_Dist(R11)(R10*4) \
	VPADDD  Y7, Y2, Y2           \
	VMOVDQU Y2, NearFound_Location(R11)(R10*4) \
	ADDQ    R14, R10

// AVX2: the search for the nearest boxes. The smallest distances are in memory between two packets with hits: LOAD
// loads them, INSERT inserts the distance of lane AX, and SAVE stores them, and the K-th into R12 and Y11. Only the
// lanes within this new bound are listed: of the first packets few are.
#define NEARFIND256(LOAD, INSERT, SAVE) \
	NEARBEGIN                            \
	NEARLOAD(Y8, Y9, Y10, Y11, Y14, Y15) \
loop:                                    \
	NEARPOP(loop, done)                  \
taken:                                   \
	NEARFETCH                            \
	NEARVISIT                            \
	NEARTEST256(NEARPLAIN)               \
	TESTL AX, AX                         \
	JMI   packet                         \
	NEARCHILDREN256(loop, taken, done)   \
packet:                                  \
	NEARMASK256(R15, R14)                \
	JZ loop                              \
	MOVQ p+32(FP), R11                   \
	VMOVUPS Y0, (NearWalk_Dist+0)(DI)    \
	VMOVUPS Y1, (NearWalk_Dist+32)(DI)   \
	SHLL  $4, AX                         \
	MOVL  AX, R10                        \ // first location
	MOVQ  ids+40(FP), R14                \
	PREFETCHT0 (R14)(AX*4)               \ // prefetch the IDs of the slot
	LOAD                                 \
insert:                                  \
	TZCNTL R15, AX                       \
	BLSRL  R15, R15                      \
	INSERT                               \
	TESTL  R15, R15                      \
	JNZ    insert                        \
	SAVE                                 \
	VMOVD R10, X7                        \
	VPBROADCASTD X7, Y7                  \
	MOVQ NearFound_Len(R11), R10         \
	VMOVUPS (NearWalk_Dist+0)(DI), Y0    \
	VMOVUPS (NearWalk_Dist+32)(DI), Y1   \
	VCMPPS $0x12, Y11, Y0, Y2            \
	VCMPPS $0x12, Y11, Y1, Y3            \
	VMOVMSKPS Y2, AX                     \
	VMOVMSKPS Y3, R15                    \
	NEARLIST256(AX, Y0, Y3)              \
	MOVL $8, AX                          \
	VMOVD AX, X2                         \
	VPBROADCASTD X2, Y2                  \
	VPADDD Y2, Y7, Y7                    \
	NEARLIST256(R15, Y1, Y3)             \
	MOVQ R10, NearFound_Len(R11)         \
	CMPQ R10, $const_nearKept            \
	JLE  loop                            \
done:                                    \
	MOVL R12, NearWalk_Bound(DI)         \
	NEAREND
