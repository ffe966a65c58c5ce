// Macros that the near and the ray kernels share: the address of a reference, and the sort of a
// node's children.
//
// A child is sorted by a key: its distance or time, which is not negative, with the lane in the
// lowest four bits and the sign bit set. Excluded children have the key 0 and are sorted last.
//
// The nearest child is visited next. The kernels find it separately, in parallel with the sort, so
// that its test need not wait for the stack.

// The address of the node or packet of REF into BX. T is scratch.
#define ADDRESS(REF, T) \
	MOVL    REF, BX              \
	ANDL    $const_refIndex, BX  \
	SHLQ    $7, BX               \
	LEAQ    (BX)(BX*2), T        \ // 384 bytes each
	ADDQ    DX, T                \
	LEAQ    (SI)(BX*4), BX       \ // 512 bytes each
	TESTL   REF, REF             \
	CMOVQMI T, BX

// The same where nodes and packets are tested by code of their own: the address of the node of REF into BX. The
// reference of a packet jumps to packet.
#define NODEAT(REF) \
	MOVL  REF, BX             \
	ANDL  $const_refIndex, BX \
	TESTL REF, REF            \
	JMI   packet              \
	SHLQ  $9, BX              \ // 512 bytes each
	ADDQ  SI, BX

// At packet: the slot into REF, the address of the packet into BX.
#define PACKETAT(REF) \
	MOVL BX, REF        \
	LEAQ (BX)(BX*2), BX \
	SHLQ $7, BX         \ // 384 bytes each
	ADDQ DX, BX

// Prefetches the seven lines at BX: a node without its masks, a packet and one line more.
#define FETCHLINES \
	PREFETCHT0 (BX)    \
	PREFETCHT0 64(BX)  \
	PREFETCHT0 128(BX) \
	PREFETCHT0 192(BX) \
	PREFETCHT0 256(BX) \
	PREFETCHT0 320(BX) \
	PREFETCHT0 384(BX)

// The lane of the smallest key that is not 0, with the keys - 1 in Y.
#define NEAREST(Y, X, XT, LANE) \
	VEXTRACTI128 $1, Y, XT  \
	VPMINUD XT, X, X        \
	VPSHUFD $0x4E, X, XT    \ // 2 3 0 1
	VPMINUD XT, X, X        \
	VPSHUFD $0xB1, X, XT    \ // 1 0 3 2
	VPMINUD XT, X, X        \
	VMOVD   X, LANE         \
	INCL    LANE            \
	ANDL    $15, LANE

// The minimum word of X into REG.
#define LEAST128(X, XT, REG) \
	VPSHUFD $0x4E, X, XT    \ // 2 3 0 1
	VPMINUD XT, X, X        \
	VPSHUFD $0xB1, X, XT    \ // 1 0 3 2
	VPMINUD XT, X, X        \
	VMOVD   X, REG

// AVX-512: the sort of the 16 keys in Z1, descending.
//
//	Z27        all bits set           K4 .. K7   lanes whose bit 0 .. 3 is set
//	Z28, Z29   reverse 8 lanes, 16    Z2, Z3     scratch
//	Z30        bits of a distance
//	Z31        sign bits and lanes
#define SORTSETUP512 \
	VPTERNLOGD $0xFF, Z27, Z27, Z27    \
	VMOVDQU32 ·sortReverse8(SB), Z28   \
	VMOVDQU32 ·sortReverse16(SB), Z29  \
	VPBROADCASTD ·sortBits(SB), Z30    \
	VMOVDQU32 ·sortWanted(SB), Z31     \
	MOVL      $0xAAAA, AX              \
	KMOVW     AX, K4                   \
	MOVL      $0xCCCC, AX              \
	KMOVW     AX, K5                   \
	MOVL      $0xF0F0, AX              \
	KMOVW     AX, K6                   \
	MOVL      $0xFF00, AX              \
	KMOVW     AX, K7

// The keys of the distances in Z0 that K1 selects, in the first lanes of Z1, and
// the lane of the nearest.
#define SORTKEYS512(LANE) \
	VPANDD        Z30, Z0, Z1     \
	VPORD.Z       Z31, Z1, K1, Z1 \
	VPADDD        Z27, Z1, Z2     \
	VPCOMPRESSD.Z Z1, K1, Z1      \
	VEXTRACTI64X4 $1, Z2, Y3      \
	VPMINUD       Y3, Y2, Y2      \
	NEAREST(Y2, X2, X3, LANE)

// One layer of the network: each lane of FROM is compared with its partner in Z2; the lanes in
// LOWER get the smaller key, the others the larger, in TO.
#define MEET512(FROM, LOWER, TO) \
	VPMAXUD Z2, FROM, TO        \
	VPMINUD Z2, FROM, LOWER, TO

// Sorts each half by itself, which is sufficient if at most eight keys are not 0.
#define SORTHALVES512 \
	VPSHUFD $0xB1, Z1, Z2  \ // 1 0 3 2
	MEET512(Z1, K4, Z3)    \
	VPSHUFD $0x1B, Z3, Z2  \ // 3 2 1 0
	MEET512(Z3, K5, Z1)    \
	VPSHUFD $0xB1, Z1, Z2  \
	MEET512(Z1, K4, Z3)    \
	VPERMD  Z3, Z28, Z2    \
	MEET512(Z3, K6, Z1)    \
	VPSHUFD $0x4E, Z1, Z2  \ // 2 3 0 1
	MEET512(Z1, K5, Z3)    \
	VPSHUFD $0xB1, Z3, Z2  \
	MEET512(Z3, K4, Z1)

#define MERGEHALVES512 \
	VPERMD  Z1, Z29, Z2    \
	MEET512(Z1, K7, Z3)    \
	VPERMQ  $0x4E, Z3, Z2  \ // 4 5 6 7 0 1 2 3
	MEET512(Z3, K6, Z1)    \
	VPSHUFD $0x4E, Z1, Z2  \
	MEET512(Z1, K5, Z3)    \
	VPSHUFD $0xB1, Z3, Z2  \
	MEET512(Z3, K4, Z1)

// AVX2: the same of a half K, in place. P has the partner of each lane, T is scratch.
#define MEET256(K, P, T, LOWER) \
	VPMAXUD  P, K, T            \
	VPMINUD  P, K, K            \
	VPBLENDD $LOWER, K, T, K

#define SORTHALF256(K, P, T) \
	VPSHUFD $0xB1, K, P        \
	MEET256(K, P, T, 0xAA)     \
	VPSHUFD $0x1B, K, P        \
	MEET256(K, P, T, 0xCC)     \
	VPSHUFD $0xB1, K, P        \
	MEET256(K, P, T, 0xAA)     \
	VPERMQ  $0x4E, K, P        \
	VPSHUFD $0x1B, P, P        \
	MEET256(K, P, T, 0xF0)     \
	VPSHUFD $0x4E, K, P        \
	MEET256(K, P, T, 0xCC)     \
	VPSHUFD $0xB1, K, P        \
	MEET256(K, P, T, 0xAA)

// Merges the sorted halves A and B into the eight larger keys and the others, which are all 0 if at
// most eight are not.
#define SPLITHALVES256(A, B, P) \
	VPERMQ  $0x4E, B, P            \
	VPSHUFD $0x1B, P, P            \
	VPMINUD P, A, B                \
	VPMAXUD P, A, A

// The remaining steps for each half.
#define MERGEHALF256(K, P, T) \
	VPERMQ  $0x4E, K, P        \
	MEET256(K, P, T, 0xF0)     \
	VPSHUFD $0x4E, K, P        \
	MEET256(K, P, T, 0xCC)     \
	VPSHUFD $0xB1, K, P        \
	MEET256(K, P, T, 0xAA)
