// What the volume kernels have in common: the frame of a nodes kernel, the sort
// of children into the three lists, the frame of a packets kernel.
//
// A nodes kernel:
//
//	R8, R9, R10    queue, head, length      SI  nodes      CX  nodes left
//	R11, R12       packets, length          DX  volume     BX  this node
//	R13, R15       inside, length           R14 filter       AX  scratch

#define NODESETUP \
	MOVQ w+0(FP), DI             \
	MOVQ nodes+8(FP), SI         \
	MOVQ p+16(FP), DX            \
	MOVQ filter+24(FP), R14        \
	MOVQ budget+32(FP), CX       \
	MOVQ (VolumeWalk_Queue+0)(DI), R8  \
	MOVQ (VolumeWalk_Queue+8)(DI), R10 \
	MOVQ VolumeWalk_Head(DI), R9       \
	MOVQ (VolumeWalk_Packets+0)(DI), R11 \
	MOVQ (VolumeWalk_Packets+8)(DI), R12 \
	MOVQ (VolumeWalk_Inside+0)(DI), R13  \
	MOVQ (VolumeWalk_Inside+8)(DI), R15

#define NODEDONE \
	MOVQ R10, (VolumeWalk_Queue+8)(DI)   \
	MOVQ R9, VolumeWalk_Head(DI)         \
	MOVQ R12, (VolumeWalk_Packets+8)(DI) \
	MOVQ R15, (VolumeWalk_Inside+8)(DI)

// Takes the node at the head of the queue into BX and fetches the four lines
// of the node four places on. Beyond the end of the queue the entry is stale,
// which a prefetch forgives.
#define NEXTNODE \
	MOVL 16(R8)(R9*4), AX     \
	SHLQ $8, AX               \
	PREFETCHT0 (SI)(AX*1)     \
	PREFETCHT0 64(SI)(AX*1)   \
	PREFETCHT0 128(SI)(AX*1)  \
	PREFETCHT0 192(SI)(AX*1)  \
	MOVL (R8)(R9*4), BX       \
	INCQ R9                   \
	SHLQ $8, BX               \
	ADDQ SI, BX

// AVX-512. Y4 holds the flags of the filter, Y6 what lists keep of a reference,
// K6 all lanes if the filter has no mask.
#define SIFTSETUP512 \
	MOVL $const_refKeep, AX           \
	VPBROADCASTD AX, Y6               \
	VPBROADCASTD NodeFilter_Flags(R14), Y4  \
	VPBROADCASTD NodeFilter_Mask(R14), Y5   \
	VPTESTNMD Y5, Y5, K6

// The lanes of Y5 selected by K go to the end of the list at PTR, LEN.
#define APPEND512(K, PTR, LEN) \
	VPCOMPRESSD.Z Y5, K, Y0           \
	VMOVDQU32     Y0, (PTR)(LEN*4)    \
	KMOVB         K, AX               \
	POPCNTL       AX, AX              \
	ADDQ          AX, LEN

// Sorts the children of the node at BX: K1 are those hit, K2 those inside.
#define SORT512 \
	VMOVDQU32 Node_Child(BX), Y5         \
	VMOVDQU32 Node_Mask(BX), Y0          \
	VPTESTMD.BCST NodeFilter_Mask(R14), Y0, K3 \
	VPTESTMD  Y4, Y5, K4     /* wanted by the flags */ \
	KORB      K3, K6, K3     /* wanted by the mask */  \
	KANDB     K3, K4, K3                               \
	KANDB     K1, K3, K1     /* K1: hit and wanted */  \
	VPMOVD2M  Y5, K3         /* K3: packets */         \
	VPANDD    Y6, Y5, Y5     /* index and packet bit */ \
	KANDB     K1, K2, K2     /* K2: inside */          \
	KANDNB    K1, K2, K1     /* K1: on the border */   \
	KANDB     K1, K3, K4     /* K4: packets on the border */ \
	KANDNB    K1, K3, K5     /* K5: nodes on the border */   \
	APPEND512(K2, R13, R15)              \
	APPEND512(K5, R8, R10)               \
	VPSLLD    $1, Y5, Y5     /* drop the packet bit */ \
	VPSRLD    $1, Y5, Y5                 \
	APPEND512(K4, R11, R12)

// AVX2. Y12 is zero, Y13 what lists keep of a reference, Y14 and Y15 the flags
// and the mask of the filter. A node test may use Y0 to Y7 and Y11.
#define SIFTSETUP256 \
	VPXOR Y12, Y12, Y12               \
	MOVL  $const_refKeep, AX          \
	VMOVQ AX, X13                     \
	VPBROADCASTD X13, Y13             \
	VPBROADCASTD NodeFilter_Flags(R14), Y14 \
	VPBROADCASTD NodeFilter_Mask(R14), Y15

// The lanes of Y10 selected by the mask M (destroyed) go to the end of the
// list at PTR, LEN. BX is compressTable.
#define APPEND256(M, PTR, LEN) \
	MOVL    M, AX                \
	SHLL    $5, AX               \
	VMOVDQU (BX)(AX*1), Y0       \
	VPERMD  Y10, Y0, Y0          \
	VMOVDQU Y0, (PTR)(LEN*4)     \
	POPCNTL M, M                 \
	ADDQ    M, LEN

// Sorts the children of the node at BX: Y8 are those hit, Y9 those inside, by
// their sign bits. Destroys Y0, Y1, Y8 to Y10, BX, R14.
#define SORT256 \
	VMOVDQU   Node_Child(BX), Y10        \
	VPAND     Y14, Y10, Y0               \
	VPCMPEQD  Y12, Y0, Y0                \
	VANDNPS   Y8, Y0, Y8     /* wanted by the flags */ \
	VPAND     Node_Mask(BX), Y15, Y0     \
	VPCMPEQD  Y12, Y0, Y0                \
	VPCMPEQD  Y12, Y15, Y1               \
	VPANDN    Y0, Y1, Y0                 \
	VANDNPS   Y8, Y0, Y8     /* wanted by the mask */  \
	VANDPS    Y8, Y9, Y9     /* Y9: inside */          \
	VANDNPS   Y8, Y9, Y8     /* Y8: on the border */   \
	VPAND     Y13, Y10, Y10  /* index and packet bit */ \
	LEAQ      ·compressTable(SB), BX     \
	VMOVMSKPS Y9, R14                    \
	APPEND256(R14, R13, R15)             \
	VANDNPS   Y8, Y10, Y9    /* nodes on the border */ \
	VMOVMSKPS Y9, R14                    \
	APPEND256(R14, R8, R10)              \
	VANDPS    Y8, Y10, Y8    /* packets on the border */ \
	VMOVMSKPS Y8, R14                    \
	VPSLLD    $1, Y10, Y10   /* drop the packet bit */ \
	VPSRLD    $1, Y10, Y10               \
	APPEND256(R14, R11, R12)

// Puts the inside list back into R13; DI is scratch.
#define INSIDELIST \
	MOVQ w+0(FP), DI               \
	MOVQ (VolumeWalk_Inside+0)(DI), R13

// The loop of a nodes kernel. TEST tests the children of the node at BX; it may
// jump to nodenext when none is hit, and use DI. SORT sorts them.
#define NODES(TEST, SORT) \
nodeloop:                    \
	CMPQ R9, R10              \
	JGE  nodedone             \
	NEXTNODE                  \
	TEST                      \
	SORT                      \
nodenext:                    \
	DECQ CX                   \
	JNZ  nodeloop             \
nodedone:                    \
	MOVQ w+0(FP), DI          \
	NODEDONE                  \
	VZEROUPPER                \
	RET

// The nodes kernels of a volume. LOAD puts what it is in registers, once a call.
#define NODES512(LOAD, TEST) \
	NODESETUP                 \
	SIFTSETUP512              \
	LOAD                      \
	NODES(TEST, SORT512)

#define NODES256(LOAD, TEST) \
	NODESETUP                 \
	SIFTSETUP256              \
	LOAD                      \
	NODES(TEST, SORT256)

// A packets kernel, and a scan kernel, which takes slots as they follow each
// other and has neither slots nor DI, R9, R15, SI:
//
//	R8, R12   ranges, count     R9  slots     DI  place in slots    CX  number of slots
//	SI        packets           BX  packet    R10 its slot          R15 last place that may fetch four on
//	DX        volume            AX, R11, R13  scratch

// The address of packet SLOT (destroyed) into SLOT.
#define PACKETADDR(SLOT) \
	LEAQ (SLOT)(SLOT*2), SLOT \
	SHLQ $7, SLOT             \
	ADDQ SI, SLOT

// Fetches the six lines of the packet four places on.
#define FETCHPACKET \
	MOVL 16(R9)(DI*4), R11  \
	PACKETADDR(R11)         \
	PREFETCHT0 (R11)        \
	PREFETCHT0 64(R11)      \
	PREFETCHT0 128(R11)     \
	PREFETCHT0 192(R11)     \
	PREFETCHT0 256(R11)     \
	PREFETCHT0 320(R11)

#define NEXTPACKET \
	MOVL (R9)(DI*4), R10 \
	MOVL R10, BX         \
	PACKETADDR(BX)

// Writes the range of slot R10 with the mask in AX and keeps it if the mask
// is not zero.
#define PUTRANGE \
	XORL  R13, R13             \
	MOVL  R10, (R8)(R12*8)     \
	TESTL AX, AX               \
	SETNE R13                  \
	ORL   $0x80000000, AX      \
	MOVL  AX, 4(R8)(R12*8)     \
	ADDQ  R13, R12

// A packets kernel. LOAD is as for nodes. TEST leaves in AX the lanes hit of the
// packet at BX, or jumps to miss when there are none.
#define PACKETS(LOAD, TEST) \
	MOVQ out+0(FP), R8         \
	MOVQ packets+8(FP), SI     \
	MOVQ slots+16(FP), R9      \
	MOVQ n+24(FP), CX          \
	MOVQ p+32(FP), DX          \
	XORL R12, R12              \
	XORL DI, DI                \
	LEAQ -4(CX), R15           \
	LOAD                       \
packetloop:                   \
	CMPQ DI, R15               \
	JGE  packettest            \
	FETCHPACKET                \
packettest:                   \
	NEXTPACKET                 \
	TEST                       \
	PUTRANGE                   \
miss:                         \
	INCQ DI                    \
	CMPQ DI, CX                \
	JLT  packetloop            \
	MOVQ R12, written+40(FP)   \
	VZEROUPPER                 \
	RET

// A scan kernel, with the LOAD and TEST of a packets kernel.
#define SCAN(LOAD, TEST) \
	MOVQ out+0(FP), R8         \
	MOVQ packets+8(FP), BX     \
	MOVQ first+16(FP), R10     \
	MOVQ n+24(FP), CX          \
	MOVQ p+32(FP), DX          \
	XORL R12, R12              \
	LOAD                       \
scanloop:                     \
	TEST                       \
	PUTRANGE                   \
miss:                         \
	ADDQ $384, BX              \
	INCQ R10                   \
	DECQ CX                    \
	JNZ  scanloop              \
	MOVQ R12, written+40(FP)   \
	VZEROUPPER                 \
	RET

// The lanes hit of a packet, those of its halves in Y8 and Y9, into AX.
#define LANES256 \
	VMOVMSKPS Y8, AX  \
	VMOVMSKPS Y9, R13 \
	SHLL $8, R13      \
	ORL  R13, AX
