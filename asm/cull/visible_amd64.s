//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "walk_amd64.h"
#include "planes_amd64.h"
#include "finer_amd64.h"
#include "visible_amd64.h"

// The walk of occlusion culling: the frustum test of nodes and packets, then the depth test of
// their boxes.

// Tests the planes at DX: CLASS returns the boxes that intersect them and, for a node, the
// contained ones.
#define PACKETPLANES512 \
	CMPB Planes_Two(DX), $0 \
	JEQ  near               \
	NEAR512(Planes_Near)    \
	KORTESTW K3, K3         \
	CLASS(SIX(PACKETPLANEFAR512), SIX(PACKETPLANE512))

#define NODEPLANES512 \
	CMPB Planes_Two(DX), $0 \
	JEQ  near               \
	NEAR512(Planes_Near)    \
	KORTESTW K3, K3         \
	CLASS(SIX(NODEPLANEFAR512), SIX(NODEPLANE512))

#define PACKETSETUP512 \
	VISIBLESETUP512           \
	MOVL $0x7F800000, AX      \
	VPBROADCASTD AX, Z24

// The minimum of live lanes is not +Inf.
#define LIVE512 \
	KXNORW K0, K0, K1         \
	VCMPPS $4, (BX), Z24, K1

#define BORDER512 \
	KXNORW K0, K0, K1         \
	MOVQ   planes+32(FP), DX  \
	PACKETPLANES512

#define DEPTH512(LENS, PICTURE, PIX) \
	LOOK512(LENS, PICTURE, PIX) \
	KMOVW   K5, AX            \
	POPCNTL AX, AX

#define ANY512 KORTESTW K1, K1
#define REST512 KANDNW K1, K5, K1
#define RANGELANES512 KMOVW Range_N(R9), K1

// func visibleNodesAVX512(w *VisibleWalk, nodes *soa.Node, planes *Planes, filter *NodeFilter, budget int, l *Lens, p *Picture, pix *float32)
TEXT ·visibleNodesAVX512(SB), NOSPLIT, $464-64
	VISIBLENODESETUP
	SIFTSETUP512
	VISIBLESETUP512

nodeloop:
	CMPQ R9, R10
	JGE  nodedone
	LEAQ 4(R9), AX
	CMPQ AX, R10
	JGE  fetched
	MOVL 16(R8)(R9*4), AX
	ANDL $const_entryIndex, AX
	SHLQ $9, AX
	PREFETCHT0 (SI)(AX*1)
	PREFETCHT0 64(SI)(AX*1)
	PREFETCHT0 128(SI)(AX*1)
	PREFETCHT0 192(SI)(AX*1)
	PREFETCHT0 256(SI)(AX*1)
	PREFETCHT0 320(SI)(AX*1)
	PREFETCHT0 384(SI)(AX*1)
	PREFETCHT0 448(SI)(AX*1)

fetched:
	MOVL   (R8)(R9*4), R15
	INCQ   R9
	MOVL   R15, BX
	ANDL   $const_entryIndex, BX
	SHLQ   $9, BX
	ADDQ   SI, BX
	KXNORW K0, K0, K1
	KXNORW K0, K0, K2
	TESTL  $const_InsideFlag, R15
	JNE    inside
	MOVQ   planes+16(FP), DX
	NODEPLANES512

inside:
	VMOVDQU32 Node_Child(BX), Z5
	VPTESTMD  Node_Mask(BX), Z3, K3
	VPTESTMD  Z4, Z5, K4            // passes the flags
	KORW      K3, K6, K3            // passes the mask
	KANDW     K3, K4, K3
	KANDW     K1, K3, K1
	KORTESTW  K1, K1
	JEQ       nextnode
	KMOVW     K2, K7
	CMPQ      p+48(FP), $0
	JEQ       all
	LOOK512(l+40(FP), p+48(FP), pix+56(FP))
	KORTESTW  K5, K5
	JEQ       all
	VMOVDQU32 Node_Child(BX), Z5
	VPMOVD2M  Z5, K3
	KANDNW    K1, K5, K1
	MOVQ      w+0(FP), DI
	KANDW     K5, K3, K4
	KANDNW    K5, K3, K5
	KMOVW     K4, AX
	POPCNTL   AX, AX
	ADDQ      AX, VisibleWalk_HiddenPackets(DI)
	KMOVW     K5, AX
	POPCNTL   AX, AX
	ADDQ      AX, VisibleWalk_HiddenNodes(DI)

all:
	VMOVDQU32 Node_Child(BX), Z5
	MOVL      $const_InsideFlag, AX
	VPMOVD2M  Z5, K3
	VPBROADCASTD AX, Z0
	KANDW     K1, K3, K4            // packets
	VPSLLD    $3, Z5, Z5            // the index without flags
	KANDNW    K1, K3, K3            // nodes
	VPSRLD    $3, Z5, Z5
	VPORD     Z0, Z5, K7, Z5
	APPEND512(K3, R8, R10)
	APPEND512(K4, R11, R12)

nextnode:
	DECQ CX
	JNZ  nodeloop

nodedone:
	VISIBLENODEDONE
	VZEROUPPER
	RET

// func visiblePacketsAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, planes *Planes, l *Lens, p *Picture, pix *float32) (written, hidden int)
TEXT ·visiblePacketsAVX512(SB), NOSPLIT, $464-80
	VISIBLEPACKETS(PACKETSETUP512, LIVE512, BORDER512, ANY512, DEPTH512, AX, REST512, LANES512)

// func visibleRangesAVX512(out *Range, packets *soa.Packet, ranges *Range, n int, l *Lens, p *Picture, pix *float32) (written, hidden int)
TEXT ·visibleRangesAVX512(SB), NOSPLIT, $464-72
	VISIBLERANGES(VISIBLESETUP512, RANGELANES512, DEPTH512, AX, REST512, LANES512)

// func visibleAreasAVX512(areas *[16]float32, b *soa.Packet, l *Lens, p *Picture)
TEXT ·visibleAreasAVX512(SB), NOSPLIT, $0-32
	MOVQ b+8(FP), BX
	MOVQ l+16(FP), DX
	MOVQ p+24(FP), R14
	VISIBLESETUP512
	KXNORW K0, K0, K1
	VBROADCASTSS Picture_count(R14), Z24
	RECT512(area)
	CLIP512
	VPSUBD Z20, Z21, Z0
	VPSUBD Z22, Z23, Z1
	VPSUBD Z25, Z0, Z0
	VPSUBD Z25, Z1, Z1
	VCVTDQ2PS Z0, Z0
	VCVTDQ2PS Z1, Z1
	VMOVAPS Z7, K3, Z24
	VMULPS Z1, Z0, K4, Z24

area:
	MOVQ areas+0(FP), AX
	VMOVUPS Z24, (AX)
	VZEROUPPER
	RET
