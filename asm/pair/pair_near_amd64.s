//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "pair_amd64.h"

// A near kernel tests the object of each hit against the packet of the hit, all 16 lanes at once, and
// keeps the lanes whose boxes are near enough.
//
//	DI  arguments    R10  hit              R13  lane of X      SI  bounds of X, R9 bytes for each 16
//	R8  next kept    R11  end of the hits  R14  packet of Y    DX  bounds of packets of Y
//	BX  all lanes in doubt    AX  object    CX  slot    R12  lanes
#define PAIRNEARSETUP \
	MOVQ a+0(FP), DI              \
	MOVQ nearArgs_hits(DI), R10   \
	MOVQ nearArgs_n(DI), R11      \
	SHLQ $4, R11                  \
	ADDQ R10, R11                 \
	MOVQ nearArgs_to(DI), R8      \
	MOVQ nearArgs_x(DI), SI       \
	MOVQ nearArgs_stride(DI), R9  \
	MOVQ nearArgs_y(DI), DX       \
	XORL BX, BX

// Takes the next hit.
#define PAIRNEARHIT(DONE) \
	CMPQ  R10, R11           \
	JEQ   DONE               \
	MOVL  Hit_A(R10), AX     \
	MOVL  Hit_B(R10), CX     \
	MOVL  Hit_Mask(R10), R12 \
	ADDQ  $16, R10           \
	MOVL  AX, R13            \
	SHRL  $4, R13            \
	IMULQ R9, R13            \
	ADDQ  SI, R13            \
	MOVL  AX, R14            \
	ANDL  $15, R14           \
	LEAQ  (R13)(R14*4), R13  \
	PAIRPACKET(CX, R14, DX)

// Stores the hit with the lanes R12, of which R13 are in doubt, and keeps it if there are any.
#define PAIRNEARKEEP \
	MOVL AX, Hit_A(R8)      \
	MOVL CX, Hit_B(R8)      \
	MOVL R12, Hit_Mask(R8)  \
	MOVL R13, Hit_Doubt(R8) \
	ORL  R13, BX            \
	PAIRKEEP(R12, R8)

#define PAIRNEARDONE \
	SUBQ nearArgs_to(DI), R8      \
	SHRQ $4, R8                   \
	MOVQ R8, nearArgs_kept(DI)    \
	MOVL BX, nearArgs_doubt(DI)

// The square of the gap on one axis, whose minima are at the offset, into D. Z31 is zero, Z30 the
// scale. Destroys T.
#define PAIRGAP512(OFF, D, T) \
	VMOVUPS (OFF)(R14), T               \
	VBROADCASTSS (OFF)(R13), D          \
	VSUBPS.BCST (OFF+64)(R13), T, T     \
	VSUBPS (OFF+64)(R14), D, D          \
	VMAXPS T, D, D                      \
	VMAXPS Z31, D, D                    \
	VMULPS Z30, D, D                    \
	VMULPS D, D, D

// func pairNearAVX512(a *nearArgs)
//
//	Z28, Z29  limits
TEXT ·pairNearAVX512(SB), NOSPLIT, $0-8
	PAIRNEARSETUP
	VPXORD Z31, Z31, Z31
	VBROADCASTSS (nearArgs_limit+Limit_Scale)(DI), Z30
	VBROADCASTSS (nearArgs_limit+Limit_Most)(DI), Z29
	VBROADCASTSS (nearArgs_limit+Limit_Sure)(DI), Z28

hit:
	PAIRNEARHIT(done)
	KMOVW  R12, K3
	PAIRGAP512(0, Z0, Z1)
	PAIRGAP512(128, Z2, Z3)
	PAIRGAP512(256, Z4, Z5)
	VADDPS Z2, Z0, Z0
	VADDPS Z4, Z0, Z0
	VCMPPS $0x12, Z29, Z0, K3, K1
	VCMPPS $0x12, Z28, Z0, K3, K2
	KMOVW  K1, R12
	KMOVW  K2, R13
	XORL   R12, R13
	PAIRNEARKEEP
	JMP    hit

done:
	PAIRNEARDONE
	VZEROUPPER
	RET

// The square of the gap on one axis of eight lanes, whose minima are at the offset, into D. Y15 is
// zero, Y14 the scale, and LO and HI are the interval of the object. Destroys T.
#define PAIRGAP256(OFF, LO, HI, D, T) \
	VMOVUPS (OFF)(R14), T       \
	VSUBPS HI, T, T             \
	VSUBPS (OFF+64)(R14), LO, D \
	VMAXPS T, D, D              \
	VMAXPS Y15, D, D            \
	VMULPS Y14, D, D            \
	VMULPS D, D, D

// One axis of the object, and its squares for both halves into D and E.
#define PAIRAXIS256(OFF, D, E) \
	VBROADCASTSS (OFF)(R13), Y6    \
	VBROADCASTSS (OFF+64)(R13), Y7 \
	PAIRGAP256(OFF, Y6, Y7, D, Y8) \
	PAIRGAP256(OFF+32, Y6, Y7, E, Y9)

// func pairNearAVX2(a *nearArgs)
//
//	Y12, Y13  limits
TEXT ·pairNearAVX2(SB), NOSPLIT, $0-8
	PAIRNEARSETUP
	VXORPS Y15, Y15, Y15
	VBROADCASTSS (nearArgs_limit+Limit_Scale)(DI), Y14
	VBROADCASTSS (nearArgs_limit+Limit_Most)(DI), Y13
	VBROADCASTSS (nearArgs_limit+Limit_Sure)(DI), Y12

hit2:
	PAIRNEARHIT(done2)
	PAIRAXIS256(0, Y0, Y1)
	PAIRAXIS256(128, Y2, Y3)
	PAIRAXIS256(256, Y4, Y5)
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VCMPPS $0x12, Y13, Y0, Y2
	VCMPPS $0x12, Y13, Y1, Y3
	VCMPPS $0x12, Y12, Y0, Y4
	VCMPPS $0x12, Y12, Y1, Y5
	VMOVMSKPS Y4, R13
	VMOVMSKPS Y5, R14
	SHLL $8, R14
	ORL  R14, R13
	VMOVMSKPS Y2, R14
	VMOVMSKPS Y3, R15
	SHLL $8, R15
	ORL  R15, R14
	ANDL R14, R12
	ANDNL R12, R13, R13
	PAIRNEARKEEP
	JMP  hit2

done2:
	PAIRNEARDONE
	VZEROUPPER
	RET
