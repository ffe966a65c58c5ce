//go:build amd64 && !purego

#include "textflag.h"

// The constants. Memory operands of the AVX2 kernels are eight lanes wide; the AVX-512 kernels
// broadcast the first lane.
#define LANES8(name, v) \
	DATA name<>+0(SB)/4, v;  DATA name<>+4(SB)/4, v;  \
	DATA name<>+8(SB)/4, v;  DATA name<>+12(SB)/4, v; \
	DATA name<>+16(SB)/4, v; DATA name<>+20(SB)/4, v; \
	DATA name<>+24(SB)/4, v; DATA name<>+28(SB)/4, v; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

LANES8(encodeHalf, $0x3F000000)     // 0.5
LANES8(encodeMinusOne, $0xBF800000) // -1
LANES8(encodeLastCell, $0x49FFFFF8) // 2^21 - 1

// The masks of the four steps that spread 11 bits over 31 (see SPREAD).
LANES8(encodeSpread1, $0x070000FF)
LANES8(encodeSpread2, $0x0700F00F)
LANES8(encodeSpread3, $0x430C30C3)
LANES8(encodeSpread4, $0x49249249)

// Columns of boxes
//
// A record begins with minx miny minz maxx maxy maxz. Two 16-byte loads fetch
// it without a byte beyond: min = (minx miny minz ....) at +0 and
// max = (.... maxx maxy maxz) at +8. Lane L of four registers takes records
// 4L to 4L+3, so the 4x4 transpose inside each 128-bit lane leaves the columns
// in record order:
//
//	A   x0 y0 z0 .. | x4 y4 z4 .. | ...          x   x0 x1 x2 x3 | x4 x5 ...
//	B   x1 y1 z1 .. | x5 y5 z5 .. | ...    ->    y   y0 y1 y2 y3 | y4 y5 ...
//	C   x2 y2 z2 .. | x6 y6 z6 .. | ...          z   z0 z1 z2 z3 | z4 z5 ...
//	D   x3 y3 z3 .. | x7 y7 z7 .. | ...
//
// In: SI the first record, R8 the stride in bytes, R9 three times that.
// Out: registers 0 to 5 = minx miny minz maxx maxy maxz. Clobbers 6 to 11.

// Transpose the minima in a b c d to x y z, through t0 to t3.
#define TRANSPOSEMIN(a, b, c, d, t0, t1, t2, t3) \
	VUNPCKLPS b, a, t0;   \ // x0 x1 y0 y1
	VUNPCKHPS b, a, t1;   \ // z0 z1 .. ..
	VUNPCKLPS d, c, t2;   \ // x2 x3 y2 y3
	VUNPCKHPS d, c, t3;   \ // z2 z3 .. ..
	VUNPCKLPD t2, t0, a;  \
	VUNPCKHPD t2, t0, b;  \
	VUNPCKLPD t3, t1, c

// Transpose the maxima, which sit one element higher, in a b c d to x y z.
#define TRANSPOSEMAX(a, b, c, d, t0, t1, t2, t3, x, y, z) \
	VUNPCKLPS b, a, t0;   \ // .. .. x0 x1
	VUNPCKHPS b, a, t1;   \ // y0 y1 z0 z1
	VUNPCKLPS d, c, t2;   \ // .. .. x2 x3
	VUNPCKHPS d, c, t3;   \ // y2 y3 z2 z3
	VUNPCKHPD t2, t0, x;  \
	VUNPCKLPD t3, t1, y;  \
	VUNPCKHPD t3, t1, z

// Eight records to Y0..Y5. Uses DI.
#define COLUMNS8 \
	LEAQ        (SI)(R8*4), DI;           \ // record 4
	VMOVUPS     (SI), X0;                 \
	VMOVUPS     (SI)(R8*1), X1;           \
	VMOVUPS     (SI)(R8*2), X2;           \
	VMOVUPS     (SI)(R9*1), X3;           \
	VINSERTF128 $1, (DI), Y0, Y0;         \
	VINSERTF128 $1, (DI)(R8*1), Y1, Y1;   \
	VINSERTF128 $1, (DI)(R8*2), Y2, Y2;   \
	VINSERTF128 $1, (DI)(R9*1), Y3, Y3;   \
	VMOVUPS     8(SI), X4;                \
	VMOVUPS     8(SI)(R8*1), X5;          \
	VMOVUPS     8(SI)(R8*2), X6;          \
	VMOVUPS     8(SI)(R9*1), X7;          \
	VINSERTF128 $1, 8(DI), Y4, Y4;        \
	VINSERTF128 $1, 8(DI)(R8*1), Y5, Y5;  \
	VINSERTF128 $1, 8(DI)(R8*2), Y6, Y6;  \
	VINSERTF128 $1, 8(DI)(R9*1), Y7, Y7;  \
	TRANSPOSEMIN(Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11); \
	TRANSPOSEMAX(Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y3, Y4, Y5)

// Loads four records from p on into lane i of a b c d, each from byte off.
#define LANE512(i, p, off, a, b, c, d) \
	VINSERTF32X4 i, off(p), a, a;          \
	VINSERTF32X4 i, off(p)(R8*1), b, b;    \
	VINSERTF32X4 i, off(p)(R8*2), c, c;    \
	VINSERTF32X4 i, off(p)(R9*1), d, d

// Sixteen records to Z0..Z5. Uses DI, R10, R11.
#define COLUMNS16 \
	LEAQ    (SI)(R8*4), DI;    \ // record 4
	LEAQ    (SI)(R8*8), R10;   \ // record 8
	LEAQ    (DI)(R8*8), R11;   \ // record 12
	VMOVUPS (SI), X0;          \
	VMOVUPS (SI)(R8*1), X1;    \
	VMOVUPS (SI)(R8*2), X2;    \
	VMOVUPS (SI)(R9*1), X3;    \
	LANE512($1, DI, 0, Z0, Z1, Z2, Z3);  \
	LANE512($2, R10, 0, Z0, Z1, Z2, Z3); \
	LANE512($3, R11, 0, Z0, Z1, Z2, Z3); \
	VMOVUPS 8(SI), X4;         \
	VMOVUPS 8(SI)(R8*1), X5;   \
	VMOVUPS 8(SI)(R8*2), X6;   \
	VMOVUPS 8(SI)(R9*1), X7;   \
	LANE512($1, DI, 8, Z4, Z5, Z6, Z7);  \
	LANE512($2, R10, 8, Z4, Z5, Z6, Z7); \
	LANE512($3, R11, 8, Z4, Z5, Z6, Z7); \
	TRANSPOSEMIN(Z0, Z1, Z2, Z3, Z8, Z9, Z10, Z11); \
	TRANSPOSEMAX(Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z3, Z4, Z5)

// Cells and keys
//
// The cell of an axis is computed as in Grid.Cell, operation by operation: half of lo plus half of
// hi, scaled, rounded down, at most -1 for a negative centre (the product may have underflowed),
// less the origin, clamped, converted. For a NaN, VMAXPS returns its second source, zero: NaN gives
// cell 0.
//
// A key of 64 bits is built as two words of 32, so that every register holds
// twice the keys. x has bits 0 to 20, at 3i of the key:
//
//	low word    bits 31..0    y10 x10  z9  y9  x9 ...  z0  y0  x0
//	high word   bits 30..0    z20 y20 x20 z19 ...     y11 x11 z10
//
// so the low word is S(x) | S(y)<<1 | S(z)<<2, and the high word is
// S(z>>10) | S(x>>11)<<1 | S(y>>11)<<2, where S spreads 11 bits to every third
// of 31 and ignores bits 11 to 20; z10 leaves the low word by the shift.
//
//	S   ---- ---- ---- ---- ---- -a98 7654 3210
//	16  ---- -a98 ---- ---- ---- ---- 7654 3210   & 070000FF
//	 8  ---- -a98 ---- ---- 7654 ---- ---- 3210   & 0700F00F
//	 4  -a-- --98 ---- 76-- --54 ---- 32-- --10   & 430C30C3
//	 2  -a-- 9--8 --7- -6-- 5--4 --3- -2-- 1--0   & 49249249
//
// PDEP builds a key of three cells in three instructions, one key at a time. On CPUs with a fast
// PDEP it takes 0.6 of the time of shifts and masks in AVX2:
//
//	go test ./asm -run - -bench 'EncodeBoxes|OtherEncode'
//
// In AVX-512 both took the same time within the noise; that kernel uses shifts and masks, which are
// fast on every machine.

// AVX2. Y12 = 1/side; Y6 = zero. The cells of lo, hi replace lo.
#define CELL8(lo, hi, origin, t) \
	VMULPS     encodeHalf<>(SB), lo, lo;        \
	VMULPS     encodeHalf<>(SB), hi, hi;        \
	VADDPS     hi, lo, lo;                      \
	VMULPS     Y12, lo, t;                      \
	VROUNDPS   $9, t, t;                        \
	VCMPPS     $5, Y6, lo, lo;                  \ // all ones, a NaN, unless negative
	VORPS      encodeMinusOne<>(SB), lo, lo;    \ // -1 where negative, else still a NaN
	VMINPS     t, lo, t;                        \ // for which VMINPS returns t
	VSUBPS     origin, t, t;                    \
	VMAXPS     Y6, t, t;                        \
	VMINPS     encodeLastCell<>(SB), t, t;      \
	VCVTTPS2DQ t, lo

#define SPREAD8(v, t) \
	VPSLLD $16, v, t; \
	VPOR   t, v, v; \
	VPAND  encodeSpread1<>(SB), v, v; \
	VPSLLD $8, v, t; \
	VPOR   t, v, v; \
	VPAND  encodeSpread2<>(SB), v, v; \
	VPSLLD $4, v, t; \
	VPOR   t, v, v; \
	VPAND  encodeSpread3<>(SB), v, v; \
	VPSLLD $2, v, t; \
	VPOR   t, v, v; \
	VPAND  encodeSpread4<>(SB), v, v

// Columns Y0..Y5 to cells Y0..Y2. Y13..Y15 = origin.
#define CELLS8 \
	VXORPS Y6, Y6, Y6;      \
	CELL8(Y0, Y3, Y13, Y7); \
	CELL8(Y1, Y4, Y14, Y8); \
	CELL8(Y2, Y5, Y15, Y9)

// Converts cells Y0..Y2 to keys 0..3 in Y6 and 4..7 in Y7, by shifts and masks.
#define MAGIC8 \
	VPSRLD $11, Y0, Y3; \
	VPSRLD $11, Y1, Y4; \
	VPSRLD $10, Y2, Y5; \
	SPREAD8(Y0, Y6);    \
	SPREAD8(Y1, Y7);    \
	SPREAD8(Y2, Y8);    \
	SPREAD8(Y3, Y9);    \
	SPREAD8(Y4, Y10);   \
	SPREAD8(Y5, Y11);   \
	VPSLLD $1, Y1, Y1;  \
	VPSLLD $2, Y2, Y2;  \
	VPSLLD $1, Y3, Y3;  \
	VPSLLD $2, Y4, Y4;  \
	VPOR   Y1, Y0, Y0;  \
	VPOR   Y4, Y3, Y3;  \
	VPOR   Y2, Y0, Y0;  \ // low words
	VPOR   Y5, Y3, Y3;  \ // high words
	VPUNPCKLDQ Y3, Y0, Y1; \ // keys 0 1 | 4 5
	VPUNPCKHDQ Y3, Y0, Y2; \ // keys 2 3 | 6 7
	VPERM2I128 $0x20, Y2, Y1, Y6; \
	VPERM2I128 $0x31, Y2, Y1, Y7

// Converts cells Y0..Y2 to keys at off(AX), by PDEP: mx my mz are the bits of each axis in a key, t
// and u scratch. The cells are spilled to the frame.
#define PDEP8(off, mx, my, mz, t, u) \
	VMOVDQU Y0, 0(SP);  \
	VMOVDQU Y1, 32(SP); \
	VMOVDQU Y2, 64(SP); \
	PDEPKEY(0, off, mx, my, mz, t, u); \
	PDEPKEY(1, off, mx, my, mz, t, u); \
	PDEPKEY(2, off, mx, my, mz, t, u); \
	PDEPKEY(3, off, mx, my, mz, t, u); \
	PDEPKEY(4, off, mx, my, mz, t, u); \
	PDEPKEY(5, off, mx, my, mz, t, u); \
	PDEPKEY(6, off, mx, my, mz, t, u); \
	PDEPKEY(7, off, mx, my, mz, t, u)

#define PDEPKEY(i, off, mx, my, mz, t, u) \
	MOVL  (4*i)(SP), t;    \
	MOVL  (32+4*i)(SP), u; \
	PDEPQ mx, t, t;        \
	PDEPQ my, u, u;        \
	ORQ   u, t;            \
	MOVL  (64+4*i)(SP), u; \
	PDEPQ mz, u, u;        \
	ORQ   u, t;            \
	MOVQ  t, (off+8*i)(AX)

#define PDEPMASKS(mx, my, mz) \
	MOVQ $0x1249249249249249, mx; \
	LEAQ (mx)(mx*1), my;          \
	LEAQ (my)(my*1), mz

// AVX-512. Z16..Z19 = 1/side, origin; Z20 = half, Z21 = -1, Z22 = last cell,
// Z23 = zero; Z24..Z27 = the masks; Z28, Z29 = the pairings.
#define CELL16(lo, hi, origin, t, k) \
	VMULPS      Z20, lo, lo;         \
	VMULPS      Z20, hi, hi;         \
	VADDPS      hi, lo, lo;          \
	VMULPS      Z16, lo, t;          \
	VRNDSCALEPS $9, t, t;            \
	VCMPPS      $0x11, Z23, lo, k;   \ // negative
	VMINPS      Z21, t, k, t;        \
	VSUBPS      origin, t, t;        \
	VMAXPS      Z23, t, t;           \
	VMINPS      Z22, t, t;           \
	VCVTTPS2DQ  t, lo

// VPTERNLOGD 0xA8 is (v | t) & mask.
#define SPREAD16(v, t) \
	VPSLLD     $16, v, t;         \
	VPTERNLOGD $0xA8, Z24, t, v;  \
	VPSLLD     $8, v, t;          \
	VPTERNLOGD $0xA8, Z25, t, v;  \
	VPSLLD     $4, v, t;          \
	VPTERNLOGD $0xA8, Z26, t, v;  \
	VPSLLD     $2, v, t;          \
	VPTERNLOGD $0xA8, Z27, t, v

// Columns Z0..Z5 to keys 0..7 in Z6 and 8..15 in Z0.
#define KEYS16 \
	CELL16(Z0, Z3, Z17, Z7, K1); \
	CELL16(Z1, Z4, Z18, Z8, K2); \
	CELL16(Z2, Z5, Z19, Z9, K3); \
	VPSRLD $11, Z0, Z3; \
	VPSRLD $11, Z1, Z4; \
	VPSRLD $10, Z2, Z5; \
	SPREAD16(Z0, Z6);  \
	SPREAD16(Z1, Z7);  \
	SPREAD16(Z2, Z8);  \
	SPREAD16(Z3, Z9);  \
	SPREAD16(Z4, Z10); \
	SPREAD16(Z5, Z11); \
	VPSLLD $1, Z1, Z1; \
	VPSLLD $2, Z2, Z2; \
	VPSLLD $1, Z3, Z3; \
	VPSLLD $2, Z4, Z4; \
	VPTERNLOGD $0xFE, Z2, Z1, Z0; \ // low words: Z0 | Z1 | Z2
	VPTERNLOGD $0xFE, Z4, Z3, Z5; \ // high words
	VMOVDQA64  Z0, Z6;       \
	VPERMT2D   Z5, Z28, Z6;  \
	VPERMT2D   Z5, Z29, Z0

// DX = *Grid.
#define GRID8 \
	VBROADCASTSS 0(DX), Y12; \
	VBROADCASTSS 4(DX), Y13; \
	VBROADCASTSS 8(DX), Y14; \
	VBROADCASTSS 12(DX), Y15

#define GRID16 \
	VBROADCASTSS 0(DX), Z16;  \
	VBROADCASTSS 4(DX), Z17;  \
	VBROADCASTSS 8(DX), Z18;  \
	VBROADCASTSS 12(DX), Z19; \
	VBROADCASTSS encodeHalf<>(SB), Z20;     \
	VBROADCASTSS encodeMinusOne<>(SB), Z21; \
	VBROADCASTSS encodeLastCell<>(SB), Z22; \
	VPXORD       Z23, Z23, Z23;             \
	VPBROADCASTD encodeSpread1<>(SB), Z24;  \
	VPBROADCASTD encodeSpread2<>(SB), Z25;  \
	VPBROADCASTD encodeSpread3<>(SB), Z26;  \
	VPBROADCASTD encodeSpread4<>(SB), Z27;  \
	VMOVDQU64    ·interleave+0(SB), Z28;   \
	VMOVDQU64    ·interleave+64(SB), Z29

// A boxes kernel. COLUMNS loads COUNT records and sets LAST to the first of the last four, KEYS stores their keys.
#define BOXES(SETUP, COLUMNS, KEYS, LAST, COUNT) \
	MOVQ keys+0(FP), AX     \
	MOVQ grid+8(FP), DX     \
	MOVQ boxes+16(FP), SI   \
	MOVQ stride+24(FP), R8  \
	MOVQ n+32(FP), CX       \
	SHLQ $2, R8 /* stride in bytes */ \
	LEAQ (R8)(R8*2), R9     \
	SETUP                   \
boxes:                   \
	COLUMNS                 \
	KEYS(0)                 \
	LEAQ (LAST)(R8*4), SI   \
	ADDQ $(8*COUNT), AX     \
	SUBQ $COUNT, CX         \
	JNZ  boxes              \
	VZEROUPPER              \
	RET

// The keys of 16 columns, and of 8 in two forms, from byte off of the keys on.
#define STORE16(off) \
	KEYS16                  \
	VMOVDQU64 Z6, (AX)      \
	VMOVDQU64 Z0, 64(AX)

#define STORE8(off) \
	CELLS8                  \
	MAGIC8                  \
	VMOVDQU Y6, off(AX)     \
	VMOVDQU Y7, off+32(AX)

#define STOREPDEP(off) \
	CELLS8                  \
	PDEP8(off, BX, R12, R13, R10, R11)

#define SETUPPDEP \
	GRID8                   \
	PDEPMASKS(BX, R12, R13)

// The packets. They have columns and dense lanes already, so whole registers are stored and the
// next packet overwrites the dead lanes. The kernel stops before a packet for which fewer than 16
// keys are left: SI counts that room. R12 counts the packets done. LIMIT loads the number of packets,
// which is in N; COUNT loads the number of lanes of a packet and jumps to next if there is none.
#define PACKETS(LIMIT, N, SETUP, COUNT, KEYS) \
	MOVQ keys+0(FP), AX     \
	MOVQ src+8(FP), BX      \
	MOVQ grid+16(FP), DX    \
	MOVQ packets+24(FP), DI \
	MOVQ counts+32(FP), R10 \
	MOVQ slot+40(FP), R11   \
	LIMIT                   \
	MOVQ room+56(FP), SI    \
	XORQ R12, R12           \
	SETUP                   \
	SHLL $4, R11            \
packet:                  \
	CMPQ R12, N             \
	JGE  done               \
	COUNT                   \
	CMPQ SI, $16            \
	JLT  done               \
	KEYS                    \
	LEAQ (AX)(R8*8), AX     \
	LEAQ (BX)(R8*4), BX     \
	SUBQ R8, SI             \
next:                    \
	INCQ R12                \
	ADDL $16, R11           \
	ADDQ $384, DI           \
	JMP  packet             \
done:                    \
	MOVQ R12, done+64(FP)   \
	MOVQ room+56(FP), R8    \
	SUBQ SI, R8             \
	MOVQ R8, wrote+72(FP)   \
	VZEROUPPER              \
	RET

#define LIMIT16 MOVQ n+48(FP), CX

#define PACKETSETUP16 \
	GRID16                       \
	VMOVDQU32 ·laneNumbers(SB), Z30

#define COUNT16 \
	MOVBLZX (R10)(R12*1), R8 \
	TESTL R8, R8             \
	JZ    next

// minx maxx miny maxy minz maxz
#define PACKET16 \
	VMOVUPS 0(DI), Z0       \
	VMOVUPS 64(DI), Z3      \
	VMOVUPS 128(DI), Z1     \
	VMOVUPS 192(DI), Z4     \
	VMOVUPS 256(DI), Z2     \
	VMOVUPS 320(DI), Z5     \
	KEYS16                  \
	VPBROADCASTD R11, Z1    \
	VPADDD Z30, Z1, Z1      \
	VMOVDQU64 Z6, (AX)      \
	VMOVDQU64 Z0, 64(AX)    \
	VMOVDQU32 Z1, (BX)

#define LIMIT8

#define COUNT8 \
	CMPB (R10)(R12*1), $0 \
	JEQ  next

// Eight lanes of the packet at DI to Y0..Y5.
#define HALF8(off) \
	VMOVUPS (off)(DI), Y0;     \
	VMOVUPS (off+64)(DI), Y3;  \
	VMOVUPS (off+128)(DI), Y1; \
	VMOVUPS (off+192)(DI), Y4; \
	VMOVUPS (off+256)(DI), Y2; \
	VMOVUPS (off+320)(DI), Y5

#define PACKET8(STORE) \
	HALF8(0)                \
	STORE(0)                \
	HALF8(32)               \
	STORE(64)               \
	VMOVD R11, X0           \
	VPBROADCASTD X0, Y0     \
	VPADDD ·laneNumbers+0(SB), Y0, Y1  \
	VPADDD ·laneNumbers+32(SB), Y0, Y2 \
	VMOVDQU Y1, (BX)        \
	VMOVDQU Y2, 32(BX)      \
	MOVBLZX (R10)(R12*1), R8

#define PACKETSETUPPDEP \
	GRID8                   \
	PDEPMASKS(R9, R13, DX)

#define PACKETPDEP(off) \
	CELLS8                  \
	PDEP8(off, R9, R13, DX, CX, R8)

// The survey
//
// Twelve accumulators: minx miny minz maxx maxy maxz of the boxes, then of the centres; a row of 64
// bytes each in memory. A comparison that fails for an inverted box or a NaN clears the lane's bit
// among the good lanes. Infinities remain in the accumulators. At the end the extremes of all lanes
// are in the first four.

#define SURVEYSETUP \
	MOVQ acc+0(FP), AX      \
	MOVQ boxes+8(FP), SI    \
	MOVQ stride+16(FP), R8  \
	MOVQ n+24(FP), CX       \
	SHLQ $2, R8             \
	LEAQ (R8)(R8*2), R9

// One axis of 16 boxes. K1 = the good lanes; Z20 = half.
#define SURVEY16(lo, hi, boxlo, boxhi, mid0, mid1) \
	VCMPPS $2, hi, lo, K1, K1;   \ // lo <= hi, false for a NaN
	VMINPS boxlo, lo, boxlo;     \
	VMAXPS boxhi, hi, boxhi;     \
	VMULPS Z20, lo, lo;          \
	VMULPS Z20, hi, hi;          \
	VADDPS hi, lo, lo;           \
	VMINPS mid0, lo, mid0;       \
	VMAXPS mid1, lo, mid1

// One axis of 8 boxes. The CPU has 16 registers, so the accumulators stay in memory, in the first
// half of their rows. Y15 = the good lanes; Y14 = half.
#define SURVEY8(lo, hi, off) \
	VCMPPS  $2, hi, lo, Y6;               \
	VANDPS  Y6, Y15, Y15;                 \
	VMINPS  off+0(AX), lo, Y7;            \
	VMAXPS  off+192(AX), hi, Y8;           \
	VMOVUPS Y7, off+0(AX);                \
	VMOVUPS Y8, off+192(AX);               \
	VMULPS  Y14, lo, lo;                  \
	VMULPS  Y14, hi, hi;                  \
	VADDPS  hi, lo, lo;                   \
	VMINPS  off+384(AX), lo, Y7;          \
	VMAXPS  off+576(AX), lo, Y8;          \
	VMOVUPS Y7, off+384(AX);              \
	VMOVUPS Y8, off+576(AX)

// The lanes of a row into its first four: the minima or the maxima of Z, and of Y.
#define FOLD16(OP, Z, Y, off) \
	VEXTRACTF64X4 $1, Z, Y0;  \
	OP            Y0, Y, Y0;  \
	VEXTRACTF128  $1, Y0, X1; \
	OP            X1, X0, X0; \
	VMOVUPS       X0, off(AX)

#define FOLD8(OP, off) \
	VMOVUPS off(AX), X0;     \
	OP      off+16(AX), X0, X0; \
	VMOVUPS X0, off(AX)

// func encodeBoxesAVX512(keys *uint64, grid *Grid, boxes *float32, stride, n int)
// n > 0, a multiple of 16.
TEXT ·encodeBoxesAVX512(SB), NOSPLIT, $0-40
	BOXES(GRID16, COLUMNS16, STORE16, R11, 16)

// func encodeBoxesAVX2(keys *uint64, grid *Grid, boxes *float32, stride, n int)
// n > 0, a multiple of 8.
TEXT ·encodeBoxesAVX2(SB), NOSPLIT, $0-40
	BOXES(GRID8, COLUMNS8, STORE8, DI, 8)

// func encodeBoxesPDEP(keys *uint64, grid *Grid, boxes *float32, stride, n int)
// n > 0, a multiple of 8.
TEXT ·encodeBoxesPDEP(SB), NOSPLIT, $96-40
	BOXES(SETUPPDEP, COLUMNS8, STOREPDEP, DI, 8)

// func encodePacketsAVX512(keys *uint64, src *uint32, grid *Grid, packets *Packet, counts *uint8, slot, n, room int) (done, wrote int)
TEXT ·encodePacketsAVX512(SB), NOSPLIT, $0-80
	PACKETS(LIMIT16, CX, PACKETSETUP16, COUNT16, PACKET16)

// func encodePacketsAVX2(keys *uint64, src *uint32, grid *Grid, packets *Packet, counts *uint8, slot, n, room int) (done, wrote int)
TEXT ·encodePacketsAVX2(SB), NOSPLIT, $0-80
	PACKETS(LIMIT8, n+48(FP), GRID8, COUNT8, PACKET8(STORE8))

// func encodePacketsPDEP(keys *uint64, src *uint32, grid *Grid, packets *Packet, counts *uint8, slot, n, room int) (done, wrote int)
TEXT ·encodePacketsPDEP(SB), NOSPLIT, $96-80
	PACKETS(LIMIT8, n+48(FP), PACKETSETUPPDEP, COUNT8, PACKET8(PACKETPDEP))

// func surveyAVX512(acc *surveyLanes, boxes *float32, stride, n int) (good bool)
// n > 0, a multiple of 16.
TEXT ·surveyAVX512(SB), NOSPLIT, $0-33
	SURVEYSETUP
	VBROADCASTSS encodeHalf<>(SB), Z20
	VMOVUPS 0(AX), Z12
	VMOVUPS 64(AX), Z13
	VMOVUPS 128(AX), Z14
	VMOVUPS 192(AX), Z15
	VMOVUPS 256(AX), Z16
	VMOVUPS 320(AX), Z17
	VMOVUPS 384(AX), Z21
	VMOVUPS 448(AX), Z22
	VMOVUPS 512(AX), Z23
	VMOVUPS 576(AX), Z24
	VMOVUPS 640(AX), Z25
	VMOVUPS 704(AX), Z26
	KXNORW K0, K0, K1

survey16:
	COLUMNS16
	SURVEY16(Z0, Z3, Z12, Z15, Z21, Z24)
	SURVEY16(Z1, Z4, Z13, Z16, Z22, Z25)
	SURVEY16(Z2, Z5, Z14, Z17, Z23, Z26)
	LEAQ (R11)(R8*4), SI
	SUBQ $16, CX
	JNZ  survey16

	FOLD16(VMINPS, Z12, Y12, 0)
	FOLD16(VMINPS, Z13, Y13, 64)
	FOLD16(VMINPS, Z14, Y14, 128)
	FOLD16(VMAXPS, Z15, Y15, 192)
	FOLD16(VMAXPS, Z16, Y16, 256)
	FOLD16(VMAXPS, Z17, Y17, 320)
	FOLD16(VMINPS, Z21, Y21, 384)
	FOLD16(VMINPS, Z22, Y22, 448)
	FOLD16(VMINPS, Z23, Y23, 512)
	FOLD16(VMAXPS, Z24, Y24, 576)
	FOLD16(VMAXPS, Z25, Y25, 640)
	FOLD16(VMAXPS, Z26, Y26, 704)
	KORTESTW K1, K1         // carry: all 16 bits are set
	SETCS good+32(FP)
	VZEROUPPER
	RET

// func surveyAVX2(acc *surveyLanes, boxes *float32, stride, n int) (good bool)
// n > 0, a multiple of 8.
TEXT ·surveyAVX2(SB), NOSPLIT, $0-33
	SURVEYSETUP
	VMOVUPS encodeHalf<>(SB), Y14
	VPCMPEQD Y15, Y15, Y15  // every lane is good

survey8:
	COLUMNS8
	SURVEY8(Y0, Y3, 0)
	SURVEY8(Y1, Y4, 64)
	SURVEY8(Y2, Y5, 128)
	LEAQ (DI)(R8*4), SI
	SUBQ $8, CX
	JNZ  survey8

	FOLD8(VMINPS, 0)
	FOLD8(VMINPS, 64)
	FOLD8(VMINPS, 128)
	FOLD8(VMAXPS, 192)
	FOLD8(VMAXPS, 256)
	FOLD8(VMAXPS, 320)
	FOLD8(VMINPS, 384)
	FOLD8(VMINPS, 448)
	FOLD8(VMINPS, 512)
	FOLD8(VMAXPS, 576)
	FOLD8(VMAXPS, 640)
	FOLD8(VMAXPS, 704)

	VMOVMSKPS Y15, DX
	CMPL DX, $0xFF
	SETEQ good+32(FP)
	VZEROUPPER
	RET
