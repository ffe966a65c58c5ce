//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "multi_amd64.h"
#include "planes_amd64.h"

// The kernels of a walk of several frusta, AVX-512. The viewers of a lane are a word of 64 bits.
// The tests of one frustum are those of volume_frustum_amd64.s.

#define MULTINEAR512 \
	FIRSTPLANES \
	NEAR512(Planes_Near)

#define MULTITEST512 SIX(NODEPLANE512)

#define MULTITESTFAR512 \
	KORTESTW K3, K3 \
	CLASS(SIX(NODEPLANEFAR512), SIX(NODEPLANE512))

#define SEEINGTEST512 SIX(PACKETPLANE512)

#define SEEINGTESTFAR512 \
	KORTESTW K3, K3 \
	CLASS(SIX(PACKETPLANEFAR512), SIX(PACKETPLANE512))

// Appends the lanes K (destroyed) of the references Z5 and of the viewer words Z8 to Z11 to a list
// of length LEN. Most nodes append to one list.
#define MULTIAPPEND512(K, LIST, LEN, NONE) \
	KTESTW    K, K                     \
	JZ        NONE                     \
	VPCOMPRESSD.Z Z5, K, Z0            \
	MOVQ      (LIST+MultiList_Refs)(DI), AX \
	VMOVDQU32 Z0, (AX)(LEN*4)          \
	MULTIHALF512(K, LIST, LEN, Z8, Z10) \
	KSHIFTRW  $8, K, K                 \
	MULTIHALF512(K, LIST, LEN, Z9, Z11) \
NONE:

// The lower eight lanes of K of the words OPEN and IN.
#define MULTIHALF512(K, LIST, LEN, OPEN, IN) \
	VPCOMPRESSQ.Z OPEN, K, Z0          \
	VPCOMPRESSQ.Z IN, K, Z1            \
	MOVQ      (LIST+MultiList_Open)(DI), AX \
	VMOVDQU64 Z0, (AX)(LEN*8)          \
	MOVQ      (LIST+MultiList_In)(DI), AX \
	VMOVDQU64 Z1, (AX)(LEN*8)          \
	KMOVB     K, AX                    \
	POPCNTL   AX, AX                   \
	ADDQ      AX, LEN

// Adds the viewer whose bit is in each word of Z6 to the words LO and HI of the lanes K. K6 is
// scratch.
#define MARK512(K, LO, HI) \
	KSHIFTRW $8, K, K6      \
	VPORQ    Z6, LO, K, LO  \
	VPORQ    Z6, HI, K6, HI

// K: the lanes in W whose words LO and HI are not zero. K6 is scratch.
#define SEEN512(LO, HI, W, K) \
	VPTESTMQ LO, LO, K  \
	VPTESTMQ HI, HI, K6 \
	KUNPCKBW K, K6, K   \
	KANDW    W, K, K

// The constant registers: Z7 zero, Z12 refKeep, Z16 and Z17 the flags and the mask of the filter,
// K7 all lanes if it has no mask.
#define MULTISIFT512 \
	VPXORD Z7, Z7, Z7                 \
	MOVL $const_refKeep, AX           \
	VPBROADCASTD AX, Z12              \
	VPBROADCASTD NodeFilter_Flags(R14), Z16 \
	VPBROADCASTD NodeFilter_Mask(R14), Z17  \
	VPTESTNMD Z17, Z17, K7

// The loop of a nodes kernel. CLASS prepares the inputs of TEST for the node at BX; TEST tests it
// against the planes at DX.
#define MULTINODES512(CLASS, TEST) \
node: \
	CMPQ R9, R10 \
	JGE  done \
	NEXTMULTI \
	VPXORQ Z8, Z8, Z8 /* seen on the border, lanes 0 to 7 */ \
	VPXORQ Z9, Z9, Z9 /* lanes 8 to 15 */ \
	VPBROADCASTQ (DX)(R9*8), Z10 /* seen inside */ \
	VMOVDQA64 Z10, Z11 \
	INCQ R9 \
	CLASS \
viewer: \
	NEXTVIEWER \
	VPBROADCASTQ AX, Z6 \
	KXNORW K0, K0, K1 \
	KXNORW K0, K0, K2 \
	TEST \
	KANDW  K1, K2, K2 \
	KANDNW K1, K2, K1 \
	MARK512(K1, Z8, Z9) \
	MARK512(K2, Z10, Z11) \
	DROPVIEWER \
	JNZ  viewer \
	VMOVDQU32 Node_Child(BX), Z5 \
	VPTESTMD  Z16, Z5, K1 /* wanted by the flags */ \
	VPTESTMD  Node_Mask(BX), Z17, K2 \
	KORW      K2, K7, K2 /* wanted by the mask */ \
	KANDW     K1, K2, K1 /* K1: wanted */ \
	SEEN512(Z8, Z9, K1, K2) \
	SEEN512(Z10, Z11, K1, K3) \
	KANDNW    K3, K2, K3 /* K2: open, K3: inside only */ \
	VPMOVD2M  Z5, K4 \
	KANDW     K2, K4, K4 /* K4: open packets */ \
	KANDNW    K2, K4, K5 /* K5: open nodes */ \
	VPANDD    Z12, Z5, Z5 \
	MULTIAPPEND512(K3, FrustaWalk_Inside, R15, noinside) \
	MULTIAPPEND512(K5, FrustaWalk_Queue, R10, nonodes) \
	VPSLLD    $1, Z5, Z5 /* drop the packet bit */ \
	VPSRLD    $1, Z5, Z5 \
	MULTIAPPEND512(K4, FrustaWalk_Packets, R12, nopackets) \
	DECQ CX \
	JNZ  node \
done: \
	MULTIDONE \
	VZEROUPPER \
	RET

// func multiNodesAVX512(w *FrustaWalk, nodes *Node, filter *NodeFilter, budget int)
TEXT ·multiNodesAVX512(SB), NOSPLIT, $0-32
	MULTISETUP
	MULTISIFT512
	MULTINODES512(ONEBOUND, MULTITEST512)

// func multiNodesFarAVX512(w *FrustaWalk, nodes *Node, filter *NodeFilter, budget int)
TEXT ·multiNodesFarAVX512(SB), NOSPLIT, $0-32
	MULTISETUP
	MULTISIFT512
	MULTINODES512(MULTINEAR512, MULTITESTFAR512)

// The loop of a packets kernel, with CLASS and TEST as in MULTINODES512.
#define MULTIPACKETS512(CLASS, TEST) \
packet: \
	FETCHSEEING \
test: \
	NEXTSEEING \
	VPBROADCASTQ (DX)(R9*8), Z8 /* lanes 0 to 7 */ \
	VMOVDQA64 Z8, Z9 /* lanes 8 to 15 */ \
	CLASS \
viewer: \
	NEXTVIEWER \
	VPBROADCASTQ AX, Z6 \
	KXNORW K0, K0, K1 \
	TEST \
	MARK512(K1, Z8, Z9) \
	DROPVIEWER \
	JNZ  viewer \
	MOVQ    seeing_keep(DI), DX \
	MOVWLZX (DX)(R9*2), AX \
	KMOVW   AX, K3 \
	SEEN512(Z8, Z9, K3, K1) \
	KSHIFTRW $8, K1, K2 \
	VMOVDQU32 (R14)(R10*1), Z0 \
	VPCOMPRESSD.Z Z0, K1, Z0 \
	VMOVDQU32 Z0, (R13)(R12*4) \
	VPCOMPRESSQ.Z Z8, K1, Z1 \
	VMOVDQU64 Z1, (R15)(R12*8) \
	KMOVB   K1, AX \
	POPCNTL AX, AX \
	ADDQ    AX, R12 \
	VPCOMPRESSQ.Z Z9, K2, Z1 \
	VMOVDQU64 Z1, (R15)(R12*8) \
	KMOVB   K2, AX \
	POPCNTL AX, AX \
	ADDQ    AX, R12 \
	INCQ R9 \
	DECQ CX \
	JNZ  packet \
	MOVQ R12, seeing_wrote(DI) \
	VZEROUPPER \
	RET

// func multiPacketsAVX512(e *seeing)
TEXT ·multiPacketsAVX512(SB), NOSPLIT, $0-8
	SEEINGSETUP
	VPXORD Z7, Z7, Z7
	MULTIPACKETS512(ONEBOUND, SEEINGTEST512)

// func multiPacketsFarAVX512(e *seeing)
TEXT ·multiPacketsFarAVX512(SB), NOSPLIT, $0-8
	SEEINGSETUP
	VPXORD Z7, Z7, Z7
	MULTIPACKETS512(MULTINEAR512, SEEINGTESTFAR512)
