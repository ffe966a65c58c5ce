//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"
#include "multi_amd64.h"
#include "planes_amd64.h"

// AVX2. The viewer words of eight lanes fill two registers, so nodes are processed by halves.

#define BOTH256 SIGNS256(Y14, Y15)

#define MULTITEST256 SIX(NODEPLANE256)

#define MULTINEAR256 \
	FIRSTPLANES \
	NODENEAR256(Planes_Near)

#define MULTITESTFAR256 \
	VTESTPS Y14, Y7 \
	CLASS(SIX(NODEPLANEFAR256), SIX(NODEPLANE256))

// Adds the viewer whose bit is in each word of Y6 to the words LO and HI of the lanes M (X is its
// lower half).
#define MARK256(X, M, LO, HI) \
	VPMOVSXDQ    X, Y0       \
	VEXTRACTI128 $1, M, X1   \
	VPMOVSXDQ    X1, Y1      \
	VPAND        Y6, Y0, Y0  \
	VPAND        Y6, Y1, Y1  \
	VPOR         Y0, LO, LO  \
	VPOR         Y1, HI, HI

// Appends the lanes M (destroyed) of the references Y5 and of the viewer words Y8 to Y11 to a list
// of length LEN.
#define MULTIAPPEND256(M, LIST, LEN, NONE) \
	TESTL   M, M                            \
	JZ      NONE                            \
	MOVL    M, R8                           \
	SHLQ    $5, R8                          \
	LEAQ    ·compressTable(SB), AX          \
	VMOVDQU (AX)(R8*1), Y0                  \
	VPERMD  Y5, Y0, Y0                      \
	MOVQ    (LIST+MultiList_Refs)(DI), AX   \
	VMOVDQU Y0, (AX)(LEN*4)                 \
	MOVL    M, R8                           \
	ANDL    $15, R8                         \
	MULTIHALF256(LIST, LEN, Y8, Y10)        \
	MOVL    M, R8                           \
	SHRL    $4, R8                          \
	MULTIHALF256(LIST, LEN, Y9, Y11)        \
NONE:

// The lanes R8 (destroyed) of four words each of OPEN and IN.
#define MULTIHALF256(LIST, LEN, OPEN, IN) \
	SHLQ    $5, R8                          \
	LEAQ    ·pairTable(SB), AX              \
	VMOVDQU (AX)(R8*1), Y0                  \
	VPERMD  OPEN, Y0, Y1                    \
	VPERMD  IN, Y0, Y2                      \
	MOVQ    (LIST+MultiList_Open)(DI), AX   \
	VMOVDQU Y1, (AX)(LEN*8)                 \
	MOVQ    (LIST+MultiList_In)(DI), AX     \
	VMOVDQU Y2, (AX)(LEN*8)                 \
	SHRQ    $5, R8                          \
	POPCNTL R8, R8                          \
	ADDQ    R8, LEN

// The lanes of the words LO and HI that are zero, into A; B is scratch.
#define ZEROLANES256(LO, HI, A, B) \
	VPCMPEQQ  Y12, LO, Y0 \
	VPCMPEQQ  Y12, HI, Y1 \
	VMOVMSKPD Y0, A       \
	VMOVMSKPD Y1, B       \
	SHLL      $4, B       \
	ORL       B, A

// The constant registers: Y12 zero, Y13 refKeep.
#define MULTIKEEP256 \
	ADDQ  CX, CX             \
	VPXOR Y12, Y12, Y12      \
	MOVL  $const_refKeep, AX \
	VMOVQ AX, X13            \
	VPBROADCASTD X13, Y13

// The loop of a nodes kernel, with CX halves left. CLASS prepares the inputs of TEST for the node
// at BX; TEST tests it against the planes at DX.
#define MULTINODES256(CLASS, TEST) \
node: \
	CMPQ R9, R10 \
	JGE  done \
	NEXTMULTI \
	VPBROADCASTQ (DX)(R9*8), Y10 /* seen inside */ \
	VMOVDQA Y10, Y11 \
	VPXOR Y8, Y8, Y8 /* seen on the border */ \
	VPXOR Y9, Y9, Y9 \
	MOVL CX, AX /* odd: the second half of the node */ \
	ANDL $1, AX \
	ADDQ AX, R9 \
	SHLL $5, AX \
	ADDQ AX, BX \
	CLASS \
viewer: \
	NEXTVIEWER \
	VMOVQ AX, X6 \
	VPBROADCASTQ X6, Y6 \
	VPCMPEQD Y14, Y14, Y14 \
	VPCMPEQD Y15, Y15, Y15 \
	TEST \
	VPAND  Y14, Y15, Y15 \
	VPANDN Y14, Y15, Y14 \
	MARK256(X14, Y14, Y8, Y9) \
	MARK256(X15, Y15, Y10, Y11) \
	DROPVIEWER \
	JNZ  viewer \
	VMOVDQU Node_Child(BX), Y5 \
	VPBROADCASTD NodeFilter_Flags(R14), Y0 \
	VPAND     Y0, Y5, Y0 \
	VPCMPEQD  Y12, Y0, Y0 \
	VMOVMSKPS Y0, R13 \
	XORL $0xff, R13 /* wanted by the flags */ \
	CMPL NodeFilter_Mask(R14), $0 \
	JEQ  sort \
	VPBROADCASTD NodeFilter_Mask(R14), Y0 \
	VPAND     Node_Mask(BX), Y0, Y0 \
	VPCMPEQD  Y12, Y0, Y0 \
	VMOVMSKPS Y0, AX \
	ANDNL R13, AX, R13 /* and by the mask */ \
sort: \
	VMOVMSKPS Y5, BX /* packets */ \
	ZEROLANES256(Y8, Y9, AX, DX) \
	ANDNL R13, AX, R8 /* R8: wanted and open */ \
	ANDL  AX, R13 /* R13: wanted and not open */ \
	ZEROLANES256(Y10, Y11, DX, AX) \
	ANDNL R13, DX, R13 /* R13: inside only */ \
	ANDNL R8, BX, DX /* DX: open nodes */ \
	ANDL  R8, BX /* BX: open packets */ \
	VPAND Y13, Y5, Y5 \
	MULTIAPPEND256(R13, FrustaWalk_Inside, R15, noinside) \
	MULTIAPPEND256(DX, FrustaWalk_Queue, R10, nonodes) \
	VPSLLD $1, Y5, Y5 /* drop the packet bit */ \
	VPSRLD $1, Y5, Y5 \
	MULTIAPPEND256(BX, FrustaWalk_Packets, R12, nopackets) \
	DECQ CX \
	JNZ  node \
done: \
	MULTIDONE \
	VZEROUPPER \
	RET

// func multiNodesAVX2(w *FrustaWalk, nodes *Node, filter *NodeFilter, budget int)
TEXT ·multiNodesAVX2(SB), NOSPLIT, $0-32
	MULTISETUP
	MULTIKEEP256
	MULTINODES256(ONEBOUND, MULTITEST256)

// func multiNodesFarAVX2(w *FrustaWalk, nodes *Node, filter *NodeFilter, budget int)
TEXT ·multiNodesFarAVX2(SB), NOSPLIT, $0-32
	MULTISETUP
	MULTIKEEP256
	MULTINODES256(MULTINEAR256, MULTITESTFAR256)

#define SEEINGTEST256 SIX(PACKETPLANE256)

#define SEEINGNEAR256 \
	FIRSTPLANES \
	PACKETNEAR256(Planes_Near)

#define SEEINGTESTFAR256 \
	VANDPS  Y7, Y13, Y0 \
	VTESTPS Y14, Y0     \
	CLASS(SIX(PACKETPLANEFAR256), SIX(PACKETPLANE256))

// Stores the results of eight lanes, by the low byte of BX: their IDs at the offset, and the
// viewers LO and HI.
#define PUTSEEN256(OFF, LO, HI) \
	MOVBLZX BX, AX                 \
	SHLQ    $5, AX                 \
	LEAQ    ·compressTable(SB), DX \
	VMOVDQU (DX)(AX*1), Y0         \
	VPERMD  OFF(R14)(R10*1), Y0, Y0 \
	VMOVDQU Y0, (R13)(R12*4)       \
	PUTVIEWERS256(LO)              \
	PUTVIEWERS256(HI)

// Stores the words V by the lowest four bits of BX, which it drops.
#define PUTVIEWERS256(V) \
	MOVL    BX, AX           \
	ANDL    $15, AX          \
	POPCNTL AX, R8           \
	SHLQ    $5, AX           \
	LEAQ    ·pairTable(SB), DX \
	VMOVDQU (DX)(AX*1), Y0   \
	VPERMD  V, Y0, Y0        \
	VMOVDQU Y0, (R15)(R12*8) \
	ADDQ    R8, R12          \
	SHRL    $4, BX

// The loop of a packets kernel, with CLASS and TEST as in MULTINODES256.
#define MULTIPACKETS256(CLASS, TEST) \
packet: \
	FETCHSEEING \
test: \
	NEXTSEEING \
	VPBROADCASTQ (DX)(R9*8), Y8 \
	VMOVDQA Y8, Y9 \
	VMOVDQA Y8, Y10 \
	VMOVDQA Y8, Y11 \
	CLASS \
viewer: \
	NEXTVIEWER \
	VMOVQ AX, X6 \
	VPBROADCASTQ X6, Y6 \
	VPCMPEQD Y14, Y14, Y14 \
	VPCMPEQD Y15, Y15, Y15 \
	TEST \
	MARK256(X14, Y14, Y8, Y9) \
	MARK256(X15, Y15, Y10, Y11) \
	DROPVIEWER \
	JNZ  viewer \
	ZEROLANES256(Y8, Y9, AX, DX) \
	ZEROLANES256(Y10, Y11, BX, DX) \
	SHLL $8, BX \
	ORL  BX, AX \
	MOVQ seeing_keep(DI), DX \
	MOVWLZX (DX)(R9*2), BX \
	ANDNL BX, AX, BX /* lanes that are seen */ \
	PUTSEEN256(0, Y8, Y9) \
	PUTSEEN256(32, Y10, Y11) \
	INCQ R9 \
	DECQ CX \
	JNZ  packet \
	MOVQ R12, seeing_wrote(DI) \
	VZEROUPPER \
	RET

// func multiPacketsAVX2(e *seeing)
TEXT ·multiPacketsAVX2(SB), NOSPLIT, $0-8
	SEEINGSETUP
	VPXOR Y12, Y12, Y12
	MULTIPACKETS256(ONEBOUND, SEEINGTEST256)

// func multiPacketsFarAVX2(e *seeing)
TEXT ·multiPacketsFarAVX2(SB), NOSPLIT, $0-8
	SEEINGSETUP
	VPXOR Y12, Y12, Y12
	MULTIPACKETS256(SEEINGNEAR256, SEEINGTESTFAR256)
