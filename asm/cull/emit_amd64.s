//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

// The emit kernels store IDs 16 at a time and advance the pointer by the number of valid ones, so
// that no lane needs a branch.
//
//	R8   next ID       R10  this range        SI  IDs       BX  slot
//	R9   last address  R11  end of the ranges DI  counts    DX  slots left, or the mask
//	     with room     R12  last range with a range eight on; CX slots that the call may visit
#define EMITSETUP \
	MOVQ e+0(FP), R13               \
	MOVQ emitArgs_dst(R13), R8      \
	MOVQ emitArgs_room(R13), R9     \
	LEAQ -64(R8)(R9*4), R9          \
	MOVQ emitArgs_ids(R13), SI      \
	MOVQ emitArgs_counts(R13), DI   \
	MOVQ emitArgs_ranges(R13), R10  \
	MOVQ emitArgs_n(R13), R11       \
	LEAQ (R10)(R11*8), R11          \
	LEAQ -64(R11), R12              \
	MOVQ emitArgs_budget(R13), CX

// The results: ranges finished, IDs written.
#define EMITDONE \
	SUBQ emitArgs_ranges(R13), R10  \
	SHRQ $3, R10                    \
	MOVQ R10, emitArgs_done(R13)    \
	SUBQ emitArgs_dst(R13), R8      \
	SHRQ $2, R8                     \
	MOVQ R8, emitArgs_wrote(R13)

// func emitAVX512(e *emitArgs)
TEXT ·emitAVX512(SB), NOSPLIT, $0-8
	EMITSETUP

next:
	CMPQ R10, R11
	JGE  done
	CMPQ R10, R12
	JGE  load
	MOVL 64(R10), AX        // prefetch the IDs of the range eight on
	SHLQ $6, AX
	PREFETCHT0 (SI)(AX*1)

load:
	MOVL  (R10), BX
	MOVL  4(R10), DX
	TESTL DX, DX
	JS    hits
	JZ    finished

slots:
	CMPQ R8, R9
	JGT  partial
	SUBQ $1, CX
	JLT  partial
	MOVQ BX, AX
	SHLQ $6, AX
	VMOVDQU32 (SI)(AX*1), Z0
	VMOVDQU32 Z0, (R8)
	MOVBLZX   (DI)(BX*1), AX
	LEAQ (R8)(AX*4), R8
	INCL BX
	DECL DX
	JNZ  slots

finished:
	ADDQ $8, R10
	JMP  next

hits:
	CMPQ R8, R9
	JGT  done
	SUBQ $1, CX
	JLT  done
	SHLQ $6, BX
	VMOVDQU32 (SI)(BX*1), Z0
	KMOVW     DX, K1
	VPCOMPRESSD.Z Z0, K1, Z0
	VMOVDQU32 Z0, (R8)
	MOVWLZX   DX, DX
	POPCNTL   DX, DX
	LEAQ (R8)(DX*4), R8
	ADDQ $8, R10
	JMP  next

partial:
	MOVL BX, (R10)
	MOVL DX, 4(R10)

done:
	EMITDONE
	VZEROUPPER
	RET

// func emitAVX2(e *emitArgs)
TEXT ·emitAVX2(SB), NOSPLIT, $0-8
	EMITSETUP
	LEAQ ·compressTable(SB), R15

next2:
	CMPQ R10, R11
	JGE  done2
	CMPQ R10, R12
	JGE  load2
	MOVL 64(R10), AX
	SHLQ $6, AX
	PREFETCHT0 (SI)(AX*1)

load2:
	MOVL  (R10), BX
	MOVL  4(R10), DX
	TESTL DX, DX
	JS    hits2
	JZ    finished2

slots2:
	CMPQ R8, R9
	JGT  partial2
	SUBQ $1, CX
	JLT  partial2
	MOVQ BX, AX
	SHLQ $6, AX
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU 32(SI)(AX*1), Y1
	VMOVDQU Y0, (R8)
	VMOVDQU Y1, 32(R8)
	MOVBLZX (DI)(BX*1), AX
	LEAQ (R8)(AX*4), R8
	INCL BX
	DECL DX
	JNZ  slots2

finished2:
	ADDQ $8, R10
	JMP  next2

hits2:
	CMPQ R8, R9
	JGT  done2
	SUBQ $1, CX
	JLT  done2
	SHLQ $6, BX
	MOVBLZX DX, AX           // lanes 0 to 7
	POPCNTL AX, R14
	SHLL $5, AX
	VMOVDQU (R15)(AX*1), Y0
	VPERMD  (SI)(BX*1), Y0, Y0
	VMOVDQU Y0, (R8)
	LEAQ (R8)(R14*4), R8
	MOVWLZX DX, AX           // lanes 8 to 15
	SHRL $8, AX
	POPCNTL AX, R14
	SHLL $5, AX
	VMOVDQU (R15)(AX*1), Y0
	VPERMD  32(SI)(BX*1), Y0, Y0
	VMOVDQU Y0, (R8)
	LEAQ (R8)(R14*4), R8
	ADDQ $8, R10
	JMP  next2

partial2:
	MOVL BX, (R10)
	MOVL DX, 4(R10)

done2:
	EMITDONE
	VZEROUPPER
	RET
