//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "multi_amd64.h"
#include "planes_amd64.h"

// The kernels of a walk for several frusta, AVX-512. What viewers know of a lane
// is a word of 64 bits; the tests of one frustum are those of volume_frustum_amd64.s.

#define SIX512(PLANE) PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5)

// The sums of plane i of the planes at DX for the eight children at BX: Y0 at the
// p-vertices without d, Y1 at the n-vertices.
#define MULTISUM512(i) \
	MOVL    (Planes_Off+16*i+0)(DX), AX            \
	VBROADCASTSS (Planes_Coef+16*i+0)(DX), Y4      \
	VMULPS  (BX)(AX*1), Y4, Y0                     \
	XORL    $32, AX                                \
	VMULPS  (BX)(AX*1), Y4, Y1                     \
	MOVL    (Planes_Off+16*i+4)(DX), AX            \
	VBROADCASTSS (Planes_Coef+16*i+4)(DX), Y4      \
	VMULPS  (BX)(AX*1), Y4, Y2                     \
	XORL    $32, AX                                \
	VMULPS  (BX)(AX*1), Y4, Y3                     \
	VADDPS  Y2, Y0, Y0                             \
	VADDPS  Y3, Y1, Y1                             \
	MOVL    (Planes_Off+16*i+8)(DX), AX            \
	VBROADCASTSS (Planes_Coef+16*i+8)(DX), Y4      \
	VMULPS  (BX)(AX*1), Y4, Y2                     \
	XORL    $32, AX                                \
	VMULPS  (BX)(AX*1), Y4, Y3                     \
	VADDPS  Y2, Y0, Y0                             \
	VADDPS  Y3, Y1, Y1                             \
	VADDPS.BCST (Planes_Coef+16*i+12)(DX), Y1, Y1

// K1 &= p-vertex inside, K2 &= n-vertex inside. Y7 is zero.
#define MULTIPLANE512(i) \
	MULTISUM512(i)                                 \
	VADDPS.BCST (Planes_Coef+16*i+12)(DX), Y0, Y0  \
	VCMPPS  $0x1D, Y7, Y0, K1, K1                  \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

// The same with the wide d at the p-vertices of children not in K3.
#define MULTIPLANEFAR512(i) \
	MULTISUM512(i)                                 \
	VADDPS.BCST (Planes_Wide+4*i)(DX), Y0, Y2      \
	VADDPS.BCST (Planes_Coef+16*i+12)(DX), Y0, K3, Y2 \
	VCMPPS  $0x1D, Y7, Y2, K1, K1                  \
	VCMPPS  $0x1D, Y7, Y1, K2, K2

#define MULTITEST512 \
	SIX512(MULTIPLANE512)

#define MULTINEAR512 \
	FIRSTPLANES \
	NEAR512(Planes_Near, 32, Y0)

#define MULTITESTFAR512 \
	KORTESTB K3, K3          \
	JCS      near            \
	SIX512(MULTIPLANEFAR512) \
	JMP      tested          \
near:                       \
	SIX512(MULTIPLANE512)    \
tested:

// The lanes K of the references Y5 and of what viewers know, Z8 and Z9, go to
// the end of a list of length LEN.
#define MULTIAPPEND512(K, LIST, LEN) \
	VPCOMPRESSD.Z Y5, K, Y0            \
	VPCOMPRESSQ.Z Z8, K, Z1            \
	VPCOMPRESSQ.Z Z9, K, Z2            \
	MOVQ      (LIST+MultiList_Refs)(DI), AX \
	VMOVDQU32 Y0, (AX)(LEN*4)          \
	MOVQ      (LIST+MultiList_Open)(DI), AX \
	VMOVDQU64 Z1, (AX)(LEN*8)          \
	MOVQ      (LIST+MultiList_In)(DI), AX \
	VMOVDQU64 Z2, (AX)(LEN*8)          \
	KMOVB     K, AX                    \
	POPCNTL   AX, AX                   \
	ADDQ      AX, LEN

// The registers that stay: Y7 zero, Y10 what lists keep of a reference, Y11 and
// Y12 the flags and the mask of the filter, K6 all lanes if it has no mask.
#define MULTISIFT512 \
	VPXORD Y7, Y7, Y7                 \
	MOVL $const_refKeep, AX           \
	VPBROADCASTD AX, Y10              \
	VPBROADCASTD NodeFilter_Flags(R14), Y11 \
	VPBROADCASTD NodeFilter_Mask(R14), Y12  \
	VPTESTNMD Y12, Y12, K6

// The loop of a nodes kernel. CLASS leaves what TEST needs to know of the node at
// BX; TEST tests it against the planes at DX.
#define MULTINODES512(CLASS, TEST) \
node: \
	CMPQ R9, R10 \
	JGE  done \
	NEXTMULTI \
	VPBROADCASTQ (DX)(R9*8), Z9 /* seen inside */ \
	VPXORQ Z8, Z8, Z8 /* seen on the border */ \
	INCQ R9 \
	CLASS \
viewer: \
	NEXTVIEWER \
	VPBROADCASTQ AX, Z6 \
	KXNORB K1, K1, K1 \
	KXNORB K2, K2, K2 \
	TEST \
	KANDB  K1, K2, K2 \
	KANDNB K1, K2, K1 \
	VPORQ  Z6, Z8, K1, Z8 \
	VPORQ  Z6, Z9, K2, Z9 \
	DROPVIEWER \
	JNZ  viewer \
	VMOVDQU32 Node_Child(BX), Y5 \
	VPTESTMD  Y11, Y5, K1 /* wanted by the flags */ \
	VPTESTMD  Node_Mask(BX), Y12, K2 \
	KORB      K2, K6, K2 /* wanted by the mask */ \
	KANDB     K1, K2, K1 /* K1: wanted */ \
	VPTESTMQ  Z8, Z8, K1, K2 /* K2: open */ \
	VPTESTMQ  Z9, Z9, K1, K3 \
	KANDNB    K3, K2, K3 /* K3: inside only */ \
	VPMOVD2M  Y5, K4 \
	KANDB     K2, K4, K4 /* K4: open packets */ \
	KANDNB    K2, K4, K5 /* K5: open nodes */ \
	VPANDD    Y10, Y5, Y5 \
	MULTIAPPEND512(K3, FrustaWalk_Inside, R15) \
	MULTIAPPEND512(K5, FrustaWalk_Queue, R10) \
	VPSLLD    $1, Y5, Y5 /* drop the packet bit */ \
	VPSRLD    $1, Y5, Y5 \
	MULTIAPPEND512(K4, FrustaWalk_Packets, R12) \
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

// The sums of plane i of the planes at DX without d for the 16 boxes at BX.
#define SEEINGSUM512(i) \
	MOVL   (Planes_Off+16*i+0)(DX), AX            \
	VBROADCASTSS (Planes_Coef+16*i+0)(DX), Z4     \
	VMULPS (BX)(AX*2), Z4, Z0                     \
	MOVL   (Planes_Off+16*i+4)(DX), AX            \
	VBROADCASTSS (Planes_Coef+16*i+4)(DX), Z5     \
	VMULPS (BX)(AX*2), Z5, Z1                     \
	VADDPS Z1, Z0, Z0                             \
	MOVL   (Planes_Off+16*i+8)(DX), AX            \
	VBROADCASTSS (Planes_Coef+16*i+8)(DX), Z4     \
	VMULPS (BX)(AX*2), Z4, Z1                     \
	VADDPS Z1, Z0, Z0

// K1 &= p-vertex inside. Z7 is zero.
#define SEEINGPLANE512(i) \
	SEEINGSUM512(i)                               \
	VADDPS.BCST (Planes_Coef+16*i+12)(DX), Z0, Z0 \
	VCMPPS $0x1D, Z7, Z0, K1, K1

// The same with the wide d for boxes not in K3.
#define SEEINGPLANEFAR512(i) \
	SEEINGSUM512(i)                               \
	VADDPS.BCST (Planes_Wide+4*i)(DX), Z0, Z1     \
	VADDPS.BCST (Planes_Coef+16*i+12)(DX), Z0, K3, Z1 \
	VCMPPS $0x1D, Z7, Z1, K1, K1

#define SEEINGTEST512 \
	SIX512(SEEINGPLANE512)

#define SEEINGNEAR512 \
	FIRSTPLANES \
	NEAR512(Planes_Near, 64, Z0)

#define SEEINGTESTFAR512 \
	KORTESTW K3, K3           \
	JCS      near             \
	SIX512(SEEINGPLANEFAR512) \
	JMP      tested           \
near:                        \
	SIX512(SEEINGPLANE512)    \
tested:

// The loop of a packets kernel, as that of MULTINODES512.
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
	KXNORW K1, K1, K1 \
	TEST \
	KSHIFTRW $8, K1, K2 \
	VPORQ Z6, Z8, K1, Z8 \
	VPORQ Z6, Z9, K2, Z9 \
	DROPVIEWER \
	JNZ  viewer \
	MOVQ    seeing_keep(DI), DX \
	MOVWLZX (DX)(R9*2), AX \
	KMOVW   AX, K3 \
	VPTESTMQ Z8, Z8, K1 \
	VPTESTMQ Z9, Z9, K2 \
	KUNPCKBW K1, K2, K1 \
	KANDW    K3, K1, K1 \
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
	MULTIPACKETS512(SEEINGNEAR512, SEEINGTESTFAR512)
