//go:build amd64 && !purego

#include "textflag.h"

// A block is 512 bytes. Eight sums, one for each load of an iteration, keep additions off the
// critical path. Lines are prefetched a page ahead, because the hardware does not prefetch into a
// new page. A prefetch beyond the end is dropped.
#define AHEAD 4096

// func readSumAVX512(words *uint64, blocks int) (sum uint64)
TEXT ·readSumAVX512(SB), NOSPLIT, $0-24
	MOVQ   words+0(FP), SI
	MOVQ   blocks+8(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7

sumloop:
	PREFETCHT0 AHEAD(SI)
	VPADDQ 0(SI), Z0, Z0
	PREFETCHT0 (AHEAD+64)(SI)
	VPADDQ 64(SI), Z1, Z1
	PREFETCHT0 (AHEAD+128)(SI)
	VPADDQ 128(SI), Z2, Z2
	PREFETCHT0 (AHEAD+192)(SI)
	VPADDQ 192(SI), Z3, Z3
	PREFETCHT0 (AHEAD+256)(SI)
	VPADDQ 256(SI), Z4, Z4
	PREFETCHT0 (AHEAD+320)(SI)
	VPADDQ 320(SI), Z5, Z5
	PREFETCHT0 (AHEAD+384)(SI)
	VPADDQ 384(SI), Z6, Z6
	PREFETCHT0 (AHEAD+448)(SI)
	VPADDQ 448(SI), Z7, Z7
	ADDQ   $512, SI
	DECQ   CX
	JNZ    sumloop

	// Eight registers to one, then eight words to one.
	VPADDQ        Z1, Z0, Z0
	VPADDQ        Z3, Z2, Z2
	VPADDQ        Z5, Z4, Z4
	VPADDQ        Z7, Z6, Z6
	VPADDQ        Z2, Z0, Z0
	VPADDQ        Z6, Z4, Z4
	VPADDQ        Z4, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDQ        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDQ        X1, X0, X0
	VPSHUFD       $0x4E, X0, X1
	VPADDQ        X1, X0, X0
	VMOVQ         X0, sum+16(FP)
	VZEROUPPER
	RET

// func readSumAVX2(words *uint64, blocks int) (sum uint64)
TEXT ·readSumAVX2(SB), NOSPLIT, $0-24
	MOVQ  words+0(FP), SI
	MOVQ  blocks+8(FP), CX
	ADDQ  CX, CX             // iterations of 256 bytes
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

sumloop2:
	PREFETCHT0 AHEAD(SI)
	VPADDQ 0(SI), Y0, Y0
	VPADDQ 32(SI), Y1, Y1
	PREFETCHT0 (AHEAD+64)(SI)
	VPADDQ 64(SI), Y2, Y2
	VPADDQ 96(SI), Y3, Y3
	PREFETCHT0 (AHEAD+128)(SI)
	VPADDQ 128(SI), Y4, Y4
	VPADDQ 160(SI), Y5, Y5
	PREFETCHT0 (AHEAD+192)(SI)
	VPADDQ 192(SI), Y6, Y6
	VPADDQ 224(SI), Y7, Y7
	ADDQ   $256, SI
	DECQ   CX
	JNZ    sumloop2

	VPADDQ       Y1, Y0, Y0
	VPADDQ       Y3, Y2, Y2
	VPADDQ       Y5, Y4, Y4
	VPADDQ       Y7, Y6, Y6
	VPADDQ       Y2, Y0, Y0
	VPADDQ       Y6, Y4, Y4
	VPADDQ       Y4, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, sum+16(FP)
	VZEROUPPER
	RET
