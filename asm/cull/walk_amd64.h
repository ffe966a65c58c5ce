// Macros that the volume kernels share: the frame of a nodes kernel, the distribution of children
// to the three lists, the frame of a packets kernel.
//
// A nodes kernel:
//
//	R8, R9, R10    queue, head, length      SI  nodes      CX  nodes left
//	R11, R12       packets, length          DX  volume     BX  this node
//	R13, R15       inside, length           R14 filter     AX  scratch
//
// A test may use AX, DI and, because the filter is in registers by then, R14.

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

// AVX-512. Takes the node at the head of the queue into BX and prefetches the eight lines of the
// node four entries on, if there is one.
#define NEXTNODE \
	LEAQ 4(R9), AX            \
	CMPQ AX, R10              \
	JGE  fetched              \
	MOVL 16(R8)(R9*4), AX     \
	SHLQ $9, AX               \
	PREFETCHT0 (SI)(AX*1)     \
	PREFETCHT0 64(SI)(AX*1)   \
	PREFETCHT0 128(SI)(AX*1)  \
	PREFETCHT0 192(SI)(AX*1)  \
	PREFETCHT0 256(SI)(AX*1)  \
	PREFETCHT0 320(SI)(AX*1)  \
	PREFETCHT0 384(SI)(AX*1)  \
	PREFETCHT0 448(SI)(AX*1)  \
fetched:                      \
	MOVL (R8)(R9*4), BX       \
	INCQ R9                   \
	SHLQ $9, BX               \
	ADDQ SI, BX

// Z3 and Z4 hold the mask and the flags of the filter, Z6 refKeep, K6 all lanes if the filter has
// no mask.
#define SIFTSETUP512 \
	MOVL $const_refKeep, AX           \
	VPBROADCASTD AX, Z6               \
	VPBROADCASTD NodeFilter_Flags(R14), Z4  \
	VPBROADCASTD NodeFilter_Mask(R14), Z3   \
	VPTESTNMD Z3, Z3, K6

// Appends the lanes of Z5 selected by K to the list at PTR, LEN.
#define APPEND512(K, PTR, LEN) \
	VPCOMPRESSD.Z Z5, K, Z0           \
	VMOVDQU32     Z0, (PTR)(LEN*4)    \
	KMOVW         K, AX               \
	POPCNTL       AX, AX              \
	ADDQ          AX, LEN

// Appends the children of the node at BX to the lists: K1 are hit, K2 contained.
#define SORT512 \
	VMOVDQU32 Node_Child(BX), Z5         \
	VPTESTMD  Node_Mask(BX), Z3, K3      \
	VPTESTMD  Z4, Z5, K4     /* wanted by the flags */ \
	KORW      K3, K6, K3     /* wanted by the mask */  \
	KANDW     K3, K4, K3                               \
	KANDW     K1, K3, K1     /* K1: hit and wanted */  \
	VPMOVD2M  Z5, K3         /* K3: packets */         \
	VPANDD    Z6, Z5, Z5     /* index and packet bit */ \
	KANDW     K1, K2, K2     /* K2: inside */          \
	KANDNW    K1, K2, K1     /* K1: on the border */   \
	KANDW     K1, K3, K4     /* K4: packets on the border */ \
	KANDNW    K1, K3, K5     /* K5: nodes on the border */   \
	APPEND512(K2, R13, R15)              \
	APPEND512(K5, R8, R10)               \
	VPSLLD    $1, Z5, Z5     /* drop the packet bit */ \
	VPSRLD    $1, Z5, Z5                 \
	APPEND512(K4, R11, R12)

// AVX2. An iteration processes half of a node, eight lanes: CX is the number of halves left, odd at
// a second half. The node at the head of the queue is loaded into BX, offset so that the columns of
// the half have the offsets of the node. Half of the node four entries on is prefetched.
#define NEXTHALF \
	MOVL CX, DI               \
	ANDL $1, DI               \
	MOVL 16(R8)(R9*4), AX     \
	MOVL (R8)(R9*4), BX       \
	ADDQ DI, R9               \
	SHLL $5, DI               \
	SHLQ $9, AX               \
	LEAQ (AX)(DI*8), AX       \
	PREFETCHT0 (SI)(AX*1)     \
	PREFETCHT0 64(SI)(AX*1)   \
	PREFETCHT0 128(SI)(AX*1)  \
	PREFETCHT0 192(SI)(AX*1)  \
	SHLQ $9, BX               \
	ADDQ SI, BX               \
	ADDQ DI, BX

// Y12 is zero, Y13 refKeep, Y14 and Y15 the flags and the mask of the filter. A node test may use
// Y0 to Y7 and Y11.
#define SIFTSETUP256 \
	ADDQ  CX, CX                      \
	VPXOR Y12, Y12, Y12               \
	MOVL  $const_refKeep, AX          \
	VMOVQ AX, X13                     \
	VPBROADCASTD X13, Y13             \
	VPBROADCASTD NodeFilter_Flags(R14), Y14 \
	VPBROADCASTD NodeFilter_Mask(R14), Y15

// Appends the lanes of Y10 selected by the mask M (destroyed) to the list at PTR, LEN. BX is
// compressTable.
#define APPEND256(M, PTR, LEN) \
	MOVL    M, AX                \
	SHLL    $5, AX               \
	VMOVDQU (BX)(AX*1), Y0       \
	VPERMD  Y10, Y0, Y0          \
	VMOVDQU Y0, (PTR)(LEN*4)     \
	POPCNTL M, M                 \
	ADDQ    M, LEN

// Appends the eight children at BX to the lists: Y8 are hit, Y9 contained, by their sign bits.
// Destroys Y0, Y1, Y8 to Y10, BX, R14.
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

// The loop of a nodes kernel. NEXT takes children. TEST computes the children hit and contained; it
// may jump to miss if none is hit. SORT appends them to the lists.
#define NODES(NEXT, TEST, SORT) \
	NODELOOP(NEXT, TEST, SORT) \
	VZEROUPPER                 \
	RET

#define NODELOOP(NEXT, TEST, SORT) \
nodeloop:                    \
	CMPQ R9, R10              \
	JGE  nodedone             \
	NEXT                      \
	TEST                      \
	SORT                      \
miss:                        \
	DECQ CX                   \
	JNZ  nodeloop             \
nodedone:                    \
	MOVQ w+0(FP), DI          \
	NODEDONE

// The nodes kernels of a volume. LOAD loads its registers, once a call.
#define NODES512(LOAD, TEST) \
	NODESETUP                 \
	SIFTSETUP512              \
	LOAD                      \
	NODES(NEXTNODE, TEST, SORT512)

#define NODES256(LOAD, TEST) \
	NODESETUP                 \
	SIFTSETUP256              \
	LOAD                      \
	NODES(NEXTHALF, TEST, SORT256)

// A packets kernel, and a scan kernel, which takes consecutive slots and has neither slots nor R9,
// R11, R15, SI:
//
//	R8, R12   ranges, count     R9  slots     R11 index in slots    CX  number of slots
//	SI        packets           BX  packet    R10 its slot          R15 last index that may prefetch four on
//	DX        volume            AX, DI, R13, R14  scratch

// The address of packet SLOT (destroyed) into SLOT.
#define PACKETADDR(SLOT) \
	LEAQ (SLOT)(SLOT*2), SLOT \
	SHLQ $7, SLOT             \
	ADDQ SI, SLOT

// Prefetches the six lines of the packet four entries on.
#define FETCHPACKET \
	MOVL 16(R9)(R11*4), DI \
	PACKETADDR(DI)         \
	PREFETCHT0 (DI)        \
	PREFETCHT0 64(DI)      \
	PREFETCHT0 128(DI)     \
	PREFETCHT0 192(DI)     \
	PREFETCHT0 256(DI)     \
	PREFETCHT0 320(DI)

#define NEXTPACKET \
	MOVL (R9)(R11*4), R10 \
	MOVL R10, BX          \
	PACKETADDR(BX)

// Writes the range of slot R10 with the mask in AX, and keeps it if the mask is not zero.
#define PUTRANGE \
	XORL  R13, R13             \
	MOVL  R10, (R8)(R12*8)     \
	TESTL AX, AX               \
	SETNE R13                  \
	ORL   $0x80000000, AX      \
	MOVL  AX, 4(R8)(R12*8)     \
	ADDQ  R13, R12

// A packets kernel. LOAD is as for nodes. TEST computes the lanes hit of the packet at BX, which
// LANES loads into AX, or jumps to miss if there are none.
#define PACKETS(LOAD, TEST, LANES) \
	MOVQ out+0(FP), R8       \
	MOVQ packets+8(FP), SI   \
	MOVQ slots+16(FP), R9    \
	MOVQ n+24(FP), CX        \
	MOVQ p+32(FP), DX        \
	XORL R12, R12            \
	XORL R11, R11            \
	LEAQ -4(CX), R15         \
	LOAD                     \
packetloop:                \
	CMPQ R11, R15            \
	JGE  packettest          \
	FETCHPACKET              \
packettest:                \
	NEXTPACKET               \
	TEST                     \
	LANES                    \
	PUTRANGE                 \
miss:                      \
	INCQ R11                 \
	CMPQ R11, CX             \
	JLT  packetloop          \
	MOVQ R12, written+40(FP) \
	VZEROUPPER               \
	RET

// Prefetches the IDs of the packet four entries on.
#define FETCHIDS \
	MOVL 16(R9)(R11*4), DI \
	SHLQ $6, DI            \
	PREFETCHT0 (R12)(DI*1)

// A packets kernel that writes IDs; R12 is the IDs of all packets, R8 the address of the next ID.
// It continues with the next packet while R8 is not beyond the last address with room for 16.
#define PACKETIDS(LOAD, TEST, PUT) \
	MOVQ out+0(FP), R8      \
	MOVQ room+8(FP), AX     \
	MOVQ packets+16(FP), SI \
	MOVQ ids+24(FP), R12    \
	MOVQ slots+32(FP), R9   \
	MOVQ n+40(FP), CX       \
	MOVQ p+48(FP), DX       \
	LOAD                    \
	IDS(TEST, PUT, miss)    \
	MOVQ R11, done+56(FP)   \
	SUBQ out+0(FP), R8      \
	SHRQ $2, R8             \
	MOVQ R8, wrote+64(FP)   \
	VZEROUPPER              \
	RET

// Its loop, with AX the room. It jumps to MISS if TEST finds none.
#define IDS(TEST, PUT, MISS) \
	LEAQ -64(R8)(AX*4), AX  \
	MOVQ AX, last-8(SP)     \
	XORL R11, R11           \
	LEAQ -4(CX), R15        \
idloop:                     \
	CMPQ R8, last-8(SP)     \
	JGT  idsdone            \
	CMPQ R11, R15           \
	JGE  idtest             \
	FETCHPACKET             \
	FETCHIDS                \
idtest:                     \
	NEXTPACKET              \
	TEST                    \
	PUT                     \
MISS:                       \
	INCQ R11                \
	CMPQ R11, CX            \
	JLT  idloop             \
idsdone:

// A loop that counts the lanes hit in R8; it jumps to wrote when they reach the room.
#define COUNTS(TEST, LANES) \
	LEAQ -4(CX), R15        \
countloop:                  \
	CMPQ R8, room+64(FP)    \
	JGE  wrote              \
	CMPQ R11, R15           \
	JGE  counttest          \
	FETCHPACKET             \
counttest:                  \
	NEXTPACKET              \
	TEST                    \
	LANES                   \
	POPCNTL AX, AX          \
	ADDQ AX, R8             \
	INCQ R11                \
	CMPQ R11, CX            \
	JLT  countloop

// A nodes kernel that continues as a packets kernel, if the queue ends with few packets to test.
// Without IDs it counts. It writes IDs only if budget is left too and no child is contained. done
// is -1 if it does not continue. PACKET tests packets for IDs, COUNTED for the count.
#define WHOLE(NEXT, TEST, SORT, PACKET, COUNTED, LANES, PUT) \
	NODELOOP(NEXT, TEST, SORT) \
	MOVQ  $-1, done+80(FP)     \
	CMPQ  R9, R10              \
	JLT   part                 \
	CMPQ  R12, most+72(FP)     \
	JGT   part                 \
	MOVQ  R11, R9              \
	MOVQ  packets+40(FP), SI   \
	XORL  R11, R11             \
	CMPQ  ids+48(FP), $0       \
	JEQ   counts               \
	TESTQ CX, CX               \
	JZ    part                 \
	TESTQ R15, R15             \
	JNZ   part                 \
	MOVQ  R12, CX              \
	MOVQ  ids+48(FP), R12      \
	MOVQ  out+56(FP), R8       \
	MOVQ  room+64(FP), AX      \
	TESTQ CX, CX               \
	JZ    idsdone              \
	IDS(PACKET, PUT, idmiss)   \
	SUBQ  out+56(FP), R8       \
	SHRQ  $2, R8               \
wrote:                        \
	MOVQ  R11, done+80(FP)     \
	MOVQ  R8, wrote+88(FP)     \
part:                         \
	VZEROUPPER                 \
	RET                        \
counts:                       \
	MOVQ  R12, CX              \
	XORL  R8, R8               \
	TESTQ CX, CX               \
	JZ    wrote                \
	COUNTS(COUNTED, LANES)     \
	JMP   wrote

#define WHOLEBOTH512(LOAD, TEST, PACKET, COUNTED) \
	NODESETUP                 \
	SIFTSETUP512              \
	LOAD                      \
	WHOLE(NEXTNODE, TEST, SORT512, PACKET, COUNTED, LANES512, PUT512)

#define WHOLE512(LOAD, TEST, PACKET) \
	WHOLEBOTH512(LOAD, TEST, PACKET, PACKET)

#define WHOLEBOTH256(LOAD, TEST, PACKET, COUNTED) \
	NODESETUP                 \
	SIFTSETUP256              \
	LOAD                      \
	WHOLE(NEXTHALF, TEST, SORT256, PACKET, COUNTED, LANES256, PUT256)

#define WHOLE256(LOAD, TEST, PACKET) \
	WHOLEBOTH256(LOAD, TEST, PACKET, PACKET)

#define PUT512 \
	LANES512                  \
	SHLQ $6, R10              \
	VMOVDQU32     (R12)(R10*1), Z0 \
	VPCOMPRESSD.Z Z0, K1, Z0  \
	VMOVDQU32     Z0, (R8)    \
	POPCNTL AX, AX            \
	LEAQ (R8)(AX*4), R8

// The eight IDs at AT(R10) that the byte in AX selects.
#define PUTHALF256(AT) \
	POPCNTL AX, R14          \
	SHLL    $5, AX           \
	VMOVDQU (DI)(AX*1), Y0   \
	VPERMD  AT(R10), Y0, Y0  \
	VMOVDQU Y0, (R8)         \
	LEAQ    (R8)(R14*4), R8

#define PUT256 \
	SHLQ $6, R10                \
	ADDQ R12, R10               \
	LEAQ ·compressTable(SB), DI \
	VMOVMSKPS Y8, AX            \
	PUTHALF256(0)               \
	VMOVMSKPS Y9, AX            \
	PUTHALF256(32)

// A scan kernel, with the LOAD, TEST and LANES of a packets kernel.
#define SCAN(LOAD, TEST, LANES) \
	MOVQ out+0(FP), R8         \
	MOVQ packets+8(FP), BX     \
	MOVQ first+16(FP), R10     \
	MOVQ n+24(FP), CX          \
	MOVQ p+32(FP), DX          \
	XORL R12, R12              \
	LOAD                       \
scanloop:                     \
	TEST                       \
	LANES                      \
	PUTRANGE                   \
miss:                         \
	ADDQ $384, BX              \
	INCQ R10                   \
	DECQ CX                    \
	JNZ  scanloop              \
	MOVQ R12, written+40(FP)   \
	VZEROUPPER                 \
	RET

// The lanes hit of a packet into AX, from K1.
#define LANES512 \
	KMOVW K1, AX

// The same from its halves in Y8 and Y9.
#define LANES256 \
	VMOVMSKPS Y8, AX  \
	VMOVMSKPS Y9, R13 \
	SHLL $8, R13      \
	ORL  R13, AX
