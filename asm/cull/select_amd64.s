//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The select kernels compute the lanes of a slot that pass. A range is always written, and kept if
// it has a lane.
//
//	R8   next range out     SI  masks      R14  IDs     BX  slot
//	R10  this range         DI  counts     R15  live    DX  slots left
//	R11  end of the ranges  R9  moving     CX   slots that the call may visit
//	R13  argument           AX  lanes      R12  scratch
#define SELECTSETUP \
	MOVQ e+0(FP), R13               \
	MOVQ selectArgs_out(R13), R8     \
	MOVQ selectArgs_ranges(R13), R10 \
	MOVQ selectArgs_n(R13), R11      \
	LEAQ (R10)(R11*8), R11          \
	MOVQ selectArgs_masks(R13), SI   \
	MOVQ selectArgs_counts(R13), DI  \
	MOVQ selectArgs_moving(R13), R9  \
	MOVQ selectArgs_ids(R13), R14    \
	MOVQ selectArgs_live(R13), R15   \
	MOVQ selectArgs_budget(R13), CX

#define SELECTDONE \
	SUBQ selectArgs_ranges(R13), R10 \
	SHRQ $3, R10                    \
	MOVQ R10, selectArgs_done(R13)   \
	SUBQ selectArgs_out(R13), R8     \
	SHRQ $3, R8                     \
	MOVQ R8, selectArgs_wrote(R13)

// Prefetches the masks of the range eight on, if there is one.
#define FETCHMASKS \
	LEAQ 64(R10), R12       \
	CMPQ R12, R11           \
	JGE  load               \
	MOVL (R12), AX          \
	SHLQ $6, AX             \
	PREFETCHT0 (SI)(AX*1)

// The lanes of AX below the count whose motion passes the flags.
#define COUNTANDMOTION \
	MOVBLZX (DI)(BX*1), R12           \
	BZHIL   R12, AX, AX               \
	MOVWLZX (R9)(BX*2), R12           \
	XORL    selectArgs_flip(R13), R12  \
	ORL     selectArgs_every(R13), R12 \
	ANDL    R12, AX

// Writes the lanes AX of slot BX.
#define PUTLANES \
	XORL  R12, R12        \
	MOVL  BX, (R8)        \
	TESTL AX, AX          \
	SETNE R12             \
	ORL   $0x80000000, AX \
	MOVL  AX, 4(R8)       \
	LEAQ  (R8)(R12*8), R8

// A select kernel. MASKS clears the lanes of AX whose mask, at (SI)(R12), has no bit of the argument, IDS
// the lanes whose ID, at (R14)(R12), is not live. At the end of the budget a hit range is unchanged, and a run
// continues at BX.
#define SELECT(SETUP, MASKS, IDS) \
	SELECTSETUP          \
	SETUP                \
next:                \
	CMPQ R10, R11        \
	JGE  done            \
	FETCHMASKS           \
load:                \
	MOVL  (R10), BX      \
	MOVL  4(R10), DX     \
	TESTL DX, DX         \
	JS    hits           \
	JZ    finished       \
slots:               \
	MOVL $0xffff, AX     \
	JMP  test            \
hits:                \
	MOVWLZX DX, AX       \
	MOVL    $1, DX       \
test:                \
	SUBQ $1, CX          \
	JLT  partial         \
	COUNTANDMOTION       \
	CMPL selectArgs_mask(R13), $0 \
	JEQ  live            \
	MOVQ BX, R12         \
	SHLQ $6, R12         \
	MASKS                \
live:                \
	CMPL  selectArgs_alive(R13), $0 \
	JEQ   put            \
	TESTL AX, AX         \
	JZ    put            \
	MOVQ BX, R12         \
	SHLQ $6, R12         \
	IDS                  \
put:                 \
	PUTLANES             \
	INCL BX              \
	DECL DX              \
	JNZ  slots           \
finished:            \
	ADDQ $8, R10         \
	JMP  next            \
partial:             \
	CMPL 4(R10), $0      \
	JLT  done            \
	MOVL BX, (R10)       \
	MOVL DX, 4(R10)      \
done:                \
	SELECTDONE           \
	VZEROUPPER           \
	RET

#define SELECTSETUP512 \
	VPBROADCASTD selectArgs_mask(R13), Z4 \
	VPBROADCASTD selectArgs_last(R13), Z5 \
	MOVL $31, AX             \
	VPBROADCASTD AX, Z6      \
	MOVL $1, AX              \
	VPBROADCASTD AX, Z7

#define MASKS512 \
	VPTESTMD (SI)(R12*1), Z4, K1 \
	KMOVW K1, R12            \
	ANDL  R12, AX

// Z5 is the last ID. IDs beyond it are not read.
#define IDS512 \
	VMOVDQU32 (R14)(R12*1), Z0 \
	KMOVW  AX, K1            \
	VPCMPUD $2, Z5, Z0, K1, K1 \
	VPSRLD  $5, Z0, Z1       \
	VPXORD  Z2, Z2, Z2       \
	KMOVW   K1, K2           \
	VPGATHERDD (R15)(Z1*4), K2, Z2 \
	VPANDD  Z6, Z0, Z0       \
	VPSLLVD Z0, Z7, Z0       \
	VPTESTMD Z0, Z2, K1, K1  \
	KMOVW K1, AX

// A bit of R12 for each lane of Y0 (lanes 0 to 7) and Y1 (8 to 15), all ones or
// all zeros.
#define LANEBITS256 \
	VPACKSSDW Y1, Y0, Y0    \
	VPERMQ    $0xD8, Y0, Y0 \
	VEXTRACTI128 $1, Y0, X1 \
	VPACKSSWB X1, X0, X0    \
	VPMOVMSKB X0, R12

// The eight IDs at the offset: the sign of OUT is their bit in live. Y6 is the last ID, Y7 31. IDs
// beyond the last are not read.
#define LIVE256(OFF, OUT) \
	VMOVDQU    OFF(R14)(R12*1), OUT      \
	VPMINUD    Y6, OUT, Y2               \
	VPCMPEQD   OUT, Y2, Y3               \
	VPSRLD     $5, OUT, Y2               \
	VPXOR      Y8, Y8, Y8                \
	VPGATHERDD Y3, (R15)(Y2*4), Y8       \
	VPANDN     Y7, OUT, OUT /* 31 - bit */ \
	VPSLLVD    OUT, Y8, OUT              \
	VPSRAD     $31, OUT, OUT

#define SELECTSETUP256 \
	VPBROADCASTD selectArgs_mask(R13), Y4 \
	VPXOR Y5, Y5, Y5         \
	VPBROADCASTD selectArgs_last(R13), Y6 \
	MOVL $31, AX             \
	VMOVQ AX, X7             \
	VPBROADCASTD X7, Y7

#define MASKS256 \
	VPAND    (SI)(R12*1), Y4, Y0   \
	VPAND    32(SI)(R12*1), Y4, Y1 \
	VPCMPEQD Y5, Y0, Y0      \
	VPCMPEQD Y5, Y1, Y1      \
	LANEBITS256              \
	ANDNL    AX, R12, AX

#define IDS256 \
	LIVE256(0, Y0)           \
	LIVE256(32, Y1)          \
	LANEBITS256              \
	ANDL R12, AX

// func selectAVX512(e *selectArgs)
TEXT ·selectAVX512(SB), NOSPLIT, $0-8
	SELECT(SELECTSETUP512, MASKS512, IDS512)

// func selectAVX2(e *selectArgs)
TEXT ·selectAVX2(SB), NOSPLIT, $0-8
	SELECT(SELECTSETUP256, MASKS256, IDS256)
