//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"
#include "convex_amd64.h"

// func runIDsAVX512(r *Run, out *uint32, room, n int) (done int)
//
//	R13   r           SI   packets     R10   lanes of packets to test     48(SP)   next ID
//	R15   part        R12  IDs         R11   lanes of packets inside      56(SP)   end of the room
//	R8    next ID     DX   image       CX    slots, or counts             64(SP)   instance
//
// The kernels that move the volume keep R13 to R15.
TEXT ·runIDsAVX512(SB), NOSPLIT, $72-40
	MOVQ r+0(FP), R13
	MOVQ out+8(FP), R8
	MOVQ room+16(FP), AX
	LEAQ (R8)(AX*4), AX
	MOVQ AX, 56(SP)
	XORL CX, CX

instance:
	MOVQ CX, 64(SP)
	CMPQ CX, n+24(FP)
	JGE  over
	MOVQ Run_Parts(R13)(CX*8), R15
	MOVQ RunPart_Room(R15), AX
	LEAQ (R8)(AX*4), AX
	CMPQ AX, 56(SP)
	JHI  over
	MOVL Run_Clear(R13)(CX*4), R9
	CMPL R9, $-1
	JEQ  whole
	MOVQ R8, 48(SP)
	MOVQ Run_Maps(R13)(CX*8), DX
	MOVQ RunPart_Bounds(R15), BX
	LEAQ Run_Image(R13), DI
	MOVQ DI, 0(SP)
	MOVQ BX, 24(SP)
	MOVQ Run_Planes(R13), CX
	TESTQ CX, CX
	JZ   box
	MOVQ CX, 8(SP)
	MOVQ DX, 16(SP)
	CALL ·cutPlanesAVX512(SB)
	MOVQ 32(SP), AX
	JMP  moved

box:
	MOVQ Run_Box(R13), CX
	MOVQ DX, 8(SP)
	MOVQ CX, 16(SP)
	MOVL R9, 32(SP)
	CALL ·turnBoxAVX2(SB)
	MOVQ 40(SP), AX

moved:
	MOVQ 48(SP), R8
	CMPQ AX, $const_TurnedApart
	JEQ  ended
	CMPQ AX, $const_TurnedHolds
	JEQ  whole
	CMPQ AX, $const_TurnedCuts
	JNE  over
	LEAQ   Run_Image(R13), DX
	VPXORD Z7, Z7, Z7
	MOVQ  RunPart_IDs(R15), R12
	MOVL  RunPart_Lanes(R15), R10
	MOVQ  RunPart_Node(R15), BX
	TESTQ BX, BX
	JZ    packets
	KXNORW K0, K0, K1
	KXNORW K0, K0, K2
	FIRSTPLANE
	FEWTO(NODEPLANE512, nodefew, nodeplane, node)
	KANDW  K1, K2, K2
	KANDNW K1, K2, K1
	KMOVW  K1, R10
	KMOVW  K2, R11
	POPCNTL R10, AX
	CMPL   AX, RunPart_Most(R15)
	JHI    scan
	TESTL  R11, R11
	JZ     packets

emit:
	MOVQ RunPart_Counts(R15), CX

inside:
	TZCNTL  R11, AX
	BLSRL   R11, R11
	MOVL    RunPart_Slots(R15)(AX*4), AX
	MOVBLZX (CX)(AX*1), R9
	SHLQ    $6, AX
	VMOVDQU32 (R12)(AX*1), Z0
	VMOVDQU32 Z0, (R8)
	LEAQ    (R8)(R9*4), R8
	TESTL   R11, R11
	JNZ     inside

packets:
	LEAQ RunPart_Slots(R15), CX

tests:
	MOVQ RunPart_Packets(R15), SI

packet:
	TESTL  R10, R10
	JZ     ended
	TZCNTL R10, AX
	BLSRL  R10, R10
	MOVL   (CX)(AX*4), R9
	MOVL   R9, BX
	PACKETADDR(BX)
	KXNORW K0, K0, K1
	FIRSTPLANE
	FEWTO(PACKETPLANE512, packetfew, packetplane, packettested)
	KMOVW  K1, AX
	SHLQ   $6, R9
	VMOVDQU32     (R12)(R9*1), Z0
	VPCOMPRESSD.Z Z0, K1, Z0
	VMOVDQU32     Z0, (R8)
	POPCNTL AX, AX
	LEAQ   (R8)(AX*4), R8
	JMP    packet

scan:
	MOVL RunPart_Scan(R15), R10
	LEAQ ·slotOrder(SB), CX
	JMP  tests

whole:
	MOVQ RunPart_IDs(R15), R12
	MOVL RunPart_Lanes(R15), R11
	XORL R10, R10
	JMP  emit

ended:
	MOVQ R8, AX
	SUBQ out+8(FP), AX
	SHRQ $2, AX
	MOVQ 64(SP), CX
	MOVL AX, Run_Ends(R13)(CX*4)
	INCQ CX
	JMP  instance

over:
	MOVQ 64(SP), CX
	MOVQ CX, done+32(FP)
	VZEROUPPER
	RET

	MANYTO(NODEPLANE512, LEFT512, nodeplane, ended, node)
	MANYTO(PACKETPLANE512, LEFT512, packetplane, packet, packettested)

// AVX2.

#define BOTH256 SIGNS256(Y8, Y9)

#define NODELEFT256 VTESTPS Y8, Y8

#define PACKETLEFT256 \
	VORPS   Y8, Y9, Y0 \
	VTESTPS Y0, Y0

// Half of the node, O bytes on: the lanes of children that cut the border to CUT, of contained ones to IN. It jumps to
// NONE if no child is hit. BX is the half.
#define NODEHALF(NAME, CUT, IN, NONE) \
	VPCMPEQD Y8, Y8, Y8    \
	VPCMPEQD Y9, Y9, Y9    \
	FIRSTPLANE             \
	LOOPTO(NODEPLANE256, NODELEFT256, NAME, NONE) \
	VANDPS    Y8, Y9, Y9   \
	VANDNPS   Y8, Y9, Y8   \
	VMOVMSKPS Y8, CUT      \
	VMOVMSKPS Y9, IN

// The eight IDs at AT that the byte in AX selects. DI is compressTable, R14 scratch.
#define PUTEIGHT(AT) \
	POPCNTL AX, R14         \
	SHLL    $5, AX          \
	VMOVDQU (DI)(AX*1), Y0  \
	VPERMD  AT, Y0, Y0      \
	VMOVDQU Y0, (R8)        \
	LEAQ    (R8)(R14*4), R8

// func runIDsAVX2(r *Run, out *uint32, room, n int) (done int)
//
//	R13   r           SI   packets     R10   lanes of packets to test     48(SP)   next ID
//	R15   part        R12  IDs         R11   lanes of packets inside      56(SP)   end of the room
//	R8    next ID     DX   image       CX    slots, or counts             64(SP)   instance
//
// Y12 is zero. The kernels that move the volume keep R13 to R15.
TEXT ·runIDsAVX2(SB), NOSPLIT, $72-40
	MOVQ r+0(FP), R13
	MOVQ out+8(FP), R8
	MOVQ room+16(FP), AX
	LEAQ (R8)(AX*4), AX
	MOVQ AX, 56(SP)
	XORL CX, CX

instance:
	MOVQ CX, 64(SP)
	CMPQ CX, n+24(FP)
	JGE  over
	MOVQ Run_Parts(R13)(CX*8), R15
	MOVQ RunPart_Room(R15), AX
	LEAQ (R8)(AX*4), AX
	CMPQ AX, 56(SP)
	JHI  over
	MOVL Run_Clear(R13)(CX*4), R9
	CMPL R9, $-1
	JEQ  whole
	MOVQ R8, 48(SP)
	MOVQ Run_Maps(R13)(CX*8), DX
	MOVQ RunPart_Bounds(R15), BX
	LEAQ Run_Image(R13), DI
	MOVQ DI, 0(SP)
	MOVQ BX, 24(SP)
	MOVQ Run_Planes(R13), CX
	TESTQ CX, CX
	JZ   box
	MOVQ CX, 8(SP)
	MOVQ DX, 16(SP)
	CALL ·cutPlanesAVX2(SB)
	MOVQ 32(SP), AX
	JMP  moved

box:
	MOVQ Run_Box(R13), CX
	MOVQ DX, 8(SP)
	MOVQ CX, 16(SP)
	MOVL R9, 32(SP)
	CALL ·turnBoxAVX2(SB)
	MOVQ 40(SP), AX

moved:
	MOVQ 48(SP), R8
	CMPQ AX, $const_TurnedApart
	JEQ  ended
	CMPQ AX, $const_TurnedHolds
	JEQ  whole
	CMPQ AX, $const_TurnedCuts
	JNE  over
	LEAQ  Run_Image(R13), DX
	VPXOR Y12, Y12, Y12
	MOVQ  RunPart_IDs(R15), R12
	MOVL  RunPart_Lanes(R15), R10
	MOVQ  RunPart_Node(R15), BX
	TESTQ BX, BX
	JZ    packets
	XORL  R10, R10
	XORL  R11, R11
	NODEHALF(lowerplane, R10, R11, upper)

upper:
	ADDQ  $32, BX
	XORL  R9, R9
	XORL  CX, CX
	NODEHALF(upperplane, R9, CX, counted)

counted:
	SHLL  $8, R9
	ORL   R9, R10
	SHLL  $8, CX
	ORL   CX, R11
	POPCNTL R10, AX
	CMPL  AX, RunPart_Most(R15)
	JHI   scan
	TESTL R11, R11
	JZ    packets

emit:
	MOVQ RunPart_Counts(R15), CX

inside:
	TZCNTL  R11, AX
	BLSRL   R11, R11
	MOVL    RunPart_Slots(R15)(AX*4), AX
	MOVBLZX (CX)(AX*1), R9
	SHLQ    $6, AX
	VMOVDQU (R12)(AX*1), Y0
	VMOVDQU 32(R12)(AX*1), Y1
	VMOVDQU Y0, (R8)
	VMOVDQU Y1, 32(R8)
	LEAQ    (R8)(R9*4), R8
	TESTL   R11, R11
	JNZ     inside

packets:
	LEAQ RunPart_Slots(R15), CX

tests:
	MOVQ RunPart_Packets(R15), SI

packet:
	TESTL  R10, R10
	JZ     ended
	TZCNTL R10, AX
	BLSRL  R10, R10
	MOVL   (CX)(AX*4), R9
	MOVL   R9, BX
	PACKETADDR(BX)
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	FIRSTPLANE
	FEWTO(PACKETPLANE256, packetfew, packetplane, packettested)
	SHLQ   $6, R9
	ADDQ   R12, R9
	LEAQ   ·compressTable(SB), DI
	VMOVMSKPS Y8, AX
	PUTEIGHT(0(R9))
	VMOVMSKPS Y9, AX
	PUTEIGHT(32(R9))
	JMP    packet

scan:
	MOVL RunPart_Scan(R15), R10
	LEAQ ·slotOrder(SB), CX
	JMP  tests

whole:
	MOVQ RunPart_IDs(R15), R12
	MOVL RunPart_Lanes(R15), R11
	XORL R10, R10
	JMP  emit

ended:
	MOVQ R8, AX
	SUBQ out+8(FP), AX
	SHRQ $2, AX
	MOVQ 64(SP), CX
	MOVL AX, Run_Ends(R13)(CX*4)
	INCQ CX
	JMP  instance

over:
	MOVQ 64(SP), CX
	MOVQ CX, done+32(FP)
	VZEROUPPER
	RET

	MANYTO(PACKETPLANE256, PACKETLEFT256, packetplane, packet, packettested)
