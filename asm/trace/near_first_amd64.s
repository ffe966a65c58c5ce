//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "sort_amd64.h"
#include "near_amd64.h"

// The search for the nearest box. For a packet with lanes within the bound, R14 is the minimum of
// their distances and BX the lane with it that has the smallest ID; AX is the packet's slot*16.
//
//	R10  the best location, or -1     R11  IDs

#define FIRSTBEGIN \
	MOVL NearWalk_Location(DI), R10 \
	MOVQ ids+32(FP), R11 \
	FIRSTLIMIT(Y11)

// The bits of the bound + 1 into Y13. X11 is the bound.
#define FIRSTLIMIT(BOUND) \
	VPCMPEQD Y13, Y13, Y13 \
	VPSUBD   Y13, BOUND, Y13

// Takes four entries at once while all are beyond the bound, as most are once a packet was tested.
#define FIRSTSKIP \
	LEAQ      -32(R8), BX    \
	CMPQ      BX, R9         \
	JCS       pop            \
	CMPQ      CX, $4         \
	JLT       pop            \
	VPCMPGTD  (BX), Y13, Y0  \ // the sign bits of entries within the bound
	VMOVMSKPD Y0, AX         \
	TESTL     AX, AX         \
	JNZ       pop            \
	SUBQ      $4, CX         \
	MOVQ      BX, R8         \
	JMP       skip

// Makes lane BX the best, unless the current best has the same distance and a smaller ID. No
// distance is larger, because of the bound. X2 is the distance, V11 the bound.
#define NEARBEST(V11) \
	ORL  BX, AX                \
	CMPL R14, R12              \
	JNE  take                  \
	CMPL R10, $-1              \
	JEQ  take                  \
	MOVL (R11)(AX*4), BX       \
	CMPL BX, (R11)(R10*4)      \
	JCC  loop                  \
	MOVL AX, R10               \
	JMP  loop                  \
take:                         \
	MOVL AX, R10               \
	MOVL R14, R12              \
	VPBROADCASTD X2, V11       \
	VPBROADCASTD X2, Y0        \
	FIRSTLIMIT(Y0)             \
	PREFETCHT0 (R11)(AX*4)     \
	JMP  loop

#define FIRSTEND \
	MOVL R10, NearWalk_Location(DI) \
	MOVL R12, NearWalk_Bound(DI) \
	NEAREND

// func nearFirstAVX512(w *NearWalk, nodes *Node, packets *Packet, budget int, ids *uint32)
TEXT ·nearFirstAVX512(SB), NOSPLIT, $0-40
	NEARSETUP512
	FIRSTBEGIN

loop:
	NEARPOP(skip, done)
	JMP taken

skip:
	FIRSTSKIP

pop:
	NEARPOP(pop, done)

taken:
	NODEAT(AX)
	NEARTEST512(NEARPLAIN)
	NEARCHILDREN512(loop, taken, done)

packet:
	PACKETAT(AX)
	NEARTEST512(NEARPLAIN)
	KTESTW    K1, K1
	JZ        loop
	SHLL      $4, AX
	VMOVDQA32 Z27, Z1
	VMOVDQA32 Z0, K1, Z1
	VEXTRACTI64X4 $1, Z1, Y2
	VPMINUD   Y2, Y1, Y2
	VEXTRACTI128 $1, Y2, X3
	VPMINUD   X3, X2, X2
	LEAST128(X2, X3, R14)
	VPBROADCASTD X2, Z3
	VPCMPUD   $0, Z3, Z1, K2
	KMOVW     K2, BX
	LEAL      -1(BX), R15
	TESTL     R15, BX
	JNZ       several

one:
	TZCNTL BX, BX
	NEARBEST(Z11)

several:
	VMOVDQA32 Z27, Z1
	VMOVDQU32 (R11)(AX*4), K2, Z1
	VEXTRACTI64X4 $1, Z1, Y3
	VPMINUD   Y3, Y1, Y3
	VEXTRACTI128 $1, Y3, X4
	VPMINUD   X4, X3, X3
	LEAST128(X3, X4, BX)
	VPBROADCASTD X3, Z3
	VPCMPUD   $0, Z3, Z1, K2
	KMOVW     K2, BX
	JMP       one

done:
	FIRSTEND

// func nearFirstAVX2(w *NearWalk, nodes *Node, packets *Packet, budget int, ids *uint32)
TEXT ·nearFirstAVX2(SB), NOSPLIT, $0-40
	NEARBEGIN
	NEARLOAD(Y8, Y9, Y10, Y11, Y14, Y15)
	FIRSTBEGIN

loop:
	NEARPOP(skip, done)
	JMP taken

skip:
	FIRSTSKIP

pop:
	NEARPOP(pop, done)

taken:
	NODEAT(AX)
	NEARTEST256(NEARPLAIN)
	NEARCHILDREN256(loop, taken, done)

packet:
	PACKETAT(AX)
	NEARTEST256(NEARPLAIN)
	NEARMASK256(BX, R15)
	JZ       loop
	SHLL     $4, AX
	VPCMPEQD Y6, Y6, Y6
	VPXOR    Y6, Y2, Y2
	VPXOR    Y6, Y3, Y3
	VPOR     Y0, Y2, Y0 // distances, all ones beyond the bound
	VPOR     Y1, Y3, Y1
	VPMINUD  Y1, Y0, Y2
	VEXTRACTI128 $1, Y2, X3
	VPMINUD  X3, X2, X2
	LEAST128(X2, X3, R14)
	VPBROADCASTD X2, Y4
	VPCMPEQD Y4, Y1, Y3
	VPCMPEQD Y4, Y0, Y0
	VMOVMSKPS Y3, BX
	VMOVMSKPS Y0, R15
	SHLL     $8, BX
	ORL      R15, BX
	LEAL     -1(BX), R15
	TESTL    R15, BX
	JNZ      several

one:
	TZCNTL BX, BX
	NEARBEST(Y11)

several:
	VPXOR    Y6, Y0, Y0
	VPXOR    Y6, Y3, Y3
	VPOR     (R11)(AX*4), Y0, Y0 // the IDs of these lanes
	VPOR     32(R11)(AX*4), Y3, Y3
	VPMINUD  Y3, Y0, Y4
	VEXTRACTI128 $1, Y4, X5
	VPMINUD  X5, X4, X4
	LEAST128(X4, X5, BX)
	VPBROADCASTD X4, Y4
	VPCMPEQD Y4, Y0, Y0
	VPCMPEQD Y4, Y3, Y3
	VMOVMSKPS Y3, BX
	VMOVMSKPS Y0, R15
	SHLL     $8, BX
	ORL      R15, BX
	JMP      one

done:
	FIRSTEND
