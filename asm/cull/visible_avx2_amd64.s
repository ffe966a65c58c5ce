//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"
#include "finer_amd64.h"
#include "visible_amd64.h"
#include "visible_avx2_amd64.h"

#define BOTH256 SIGNS256(Y8, Y9)

#define NODEPLANES256 \
	CMPB Planes_Two(DX), $0  \
	JEQ  near                \
	NODENEAR256(Planes_Near) \
	VTESTPS Y8, Y7           \
	CLASS(SIX(NODEPLANEFAR256), SIX(NODEPLANE256))

#define PACKETPLANES256 \
	CMPB Planes_Two(DX), $0    \
	JEQ  near                  \
	PACKETNEAR256(Planes_Near) \
	VTESTPS Y8, Y0             \
	CLASS(SIX(PACKETPLANEFAR256), SIX(PACKETPLANE256))

// For the 16 boxes at BX, with a bit of AX for each box to test, WANTED and HIDDEN get masks of
// all.
#define BOTHHALVES(LENS, PICTURE, PIX) \
	MOVL AX, WANTED(SP)                \
	MOVL $0, PART(SP)                  \
half:                                 \
	MOVL PART(SP), DI                  \
	MOVBLZX WANTED(SP)(DI*1), AX       \
	LOOK256(LENS, PICTURE, PIX)        \
	MOVL PART(SP), DI                  \
	MOVB R13, HIDDEN(SP)(DI*1)         \
	ADDQ $32, BX                       \
	INCL DI                            \
	MOVL DI, PART(SP)                  \
	CMPL DI, $2                        \
	JLT  half

#define DEPTH256(LENS, PICTURE, PIX) \
	BOTHHALVES(LENS, PICTURE, PIX) \
	MOVWLZX HIDDEN(SP), R13   \
	MOVL    WANTED(SP), AX    \
	POPCNTL R13, DI

// The minimum of live lanes is not +Inf.
#define LIVE256 \
	MOVL  $0x7F800000, AX     \
	VMOVQ AX, X0              \
	VPBROADCASTD X0, Y0       \
	VCMPPS $4, (BX), Y0, Y8   \
	VCMPPS $4, 32(BX), Y0, Y9

#define BORDER256 \
	VPXOR    Y12, Y12, Y12    \
	VPCMPEQD Y8, Y8, Y8       \
	VPCMPEQD Y9, Y9, Y9       \
	MOVQ     planes+32(FP), DX \
	PACKETPLANES256

#define ANY256 \
	LANES256                  \
	TESTL AX, AX

#define REST256 ANDNL AX, R13, AX
#define RANGELANES256 MOVWLZX Range_N(R9), AX
#define NONE

// func visibleNodesAVX2(w *VisibleWalk, nodes *soa.Node, planes *Planes, filter *NodeFilter, budget int, l *Lens, p *Picture, pix *float32)
TEXT ·visibleNodesAVX2(SB), NOSPLIT, $488-64
	VISIBLENODESETUP
	ADDQ CX, CX // halves

nodeloop:
	CMPQ R9, R10
	JGE  nodedone
	MOVL CX, DI
	ANDL $1, DI
	MOVL 16(R8)(R9*4), AX
	MOVL (R8)(R9*4), R15
	ADDQ DI, R9
	SHLL $5, DI
	ANDL $const_entryIndex, AX
	SHLQ $9, AX
	LEAQ (AX)(DI*8), AX
	PREFETCHT0 (SI)(AX*1)
	PREFETCHT0 64(SI)(AX*1)
	PREFETCHT0 128(SI)(AX*1)
	PREFETCHT0 192(SI)(AX*1)
	MOVL R15, BX
	ANDL $const_entryIndex, BX
	SHLQ $9, BX
	ADDQ SI, BX
	ADDQ DI, BX
	VPXOR    Y12, Y12, Y12
	VPCMPEQD Y8, Y8, Y8
	VPCMPEQD Y9, Y9, Y9
	TESTL $const_InsideFlag, R15
	JNE   inside
	MOVQ  planes+16(FP), DX
	NODEPLANES256

inside:
	MOVQ      filter+24(FP), R14
	VMOVDQU   Node_Child(BX), Y10
	VPBROADCASTD NodeFilter_Flags(R14), Y0
	VPBROADCASTD NodeFilter_Mask(R14), Y1
	VPAND     Y0, Y10, Y0
	VPCMPEQD  Y12, Y0, Y0
	VANDNPS   Y8, Y0, Y8      // passes the flags
	VPAND     Node_Mask(BX), Y1, Y0
	VPCMPEQD  Y12, Y0, Y0
	VPCMPEQD  Y12, Y1, Y1
	VPANDN    Y0, Y1, Y0
	VANDNPS   Y8, Y0, Y8      // passes the mask
	VMOVMSKPS Y8, AX
	TESTL     AX, AX
	JEQ       nextnode
	MOVL      AX, WANTED(SP)
	VMOVUPS   Y9, INSIDE(SP)
	XORL      R13, R13
	CMPQ      p+48(FP), $0
	JEQ       all
	LOOK256(l+40(FP), p+48(FP), pix+56(FP))

all:
	VMOVDQU   Node_Child(BX), Y10
	VMOVMSKPS Y10, DX         // packets
	TESTL     R13, R13
	JEQ       kept
	MOVQ      w+0(FP), DI
	ANDNL     R13, DX, AX
	POPCNTL   AX, AX
	ADDQ      AX, VisibleWalk_HiddenNodes(DI)
	MOVL      R13, AX
	ANDL      DX, AX
	POPCNTL   AX, AX
	ADDQ      AX, VisibleWalk_HiddenPackets(DI)

kept:
	MOVL      WANTED(SP), AX
	ANDNL     AX, R13, R13    // lanes left
	MOVL      $const_InsideFlag, AX
	VMOVQ     AX, X0
	VPBROADCASTD X0, Y0
	VPAND     INSIDE(SP), Y0, Y0
	VPSLLD    $3, Y10, Y10    // the index without flags
	VPSRLD    $3, Y10, Y10
	VPOR      Y0, Y10, Y10
	ANDNL     R13, DX, R14    // nodes
	ANDL      DX, R13         // packets
	LEAQ      ·compressTable(SB), BX
	APPEND256(R14, R8, R10)
	APPEND256(R13, R11, R12)

nextnode:
	DECQ CX
	JNZ  nodeloop

nodedone:
	VISIBLENODEDONE
	VZEROUPPER
	RET

// func visiblePacketsAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, planes *Planes, l *Lens, p *Picture, pix *float32) (written, hidden int)
TEXT ·visiblePacketsAVX2(SB), NOSPLIT, $488-80
	VISIBLEPACKETS(NONE, LIVE256, BORDER256, ANY256, DEPTH256, DI, REST256, NONE)

// func visibleRangesAVX2(out *Range, packets *soa.Packet, ranges *Range, n int, l *Lens, p *Picture, pix *float32) (written, hidden int)
TEXT ·visibleRangesAVX2(SB), NOSPLIT, $488-72
	VISIBLERANGES(NONE, RANGELANES256, DEPTH256, DI, REST256, NONE)

// func visibleAreasAVX2(areas *[16]float32, b *soa.Packet, l *Lens, p *Picture)
TEXT ·visibleAreasAVX2(SB), NOSPLIT, $248-32
	MOVQ areas+0(FP), R8
	MOVQ b+8(FP), BX
	MOVQ l+16(FP), DX
	MOVQ p+24(FP), R14
	MOVL $2, CX

half:
	MOVL $0xFF, AX
	RECT256(none)
	CLIP256
	VBROADCASTSS Picture_count(R14), Y6
	VPCMPEQD Y5, Y5, Y5
	VPSUBD Y7, Y2, Y0
	VPSUBD Y4, Y3, Y1
	VPSUBD Y5, Y0, Y0
	VPSUBD Y5, Y1, Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS Y1, Y0, Y0
	VBLENDVPS Y9, Y0, Y6, Y0     // inside the picture
	VANDNPS Y0, Y8, Y0           // outside the picture
	VMOVUPS COLUMNS(SP), Y8
	VBLENDVPS Y8, Y0, Y6, Y6
	JMP put

none:
	VBROADCASTSS Picture_count(R14), Y6

put:
	VMOVUPS Y6, (R8)
	ADDQ $32, R8
	ADDQ $32, BX
	DECQ CX
	JNZ  half
	VZEROUPPER
	RET
