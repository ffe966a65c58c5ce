// The median split of a run. The words of an axis differ. So a step searches for a threshold that
// has as many words below it as the lower part needs, and partitions the run by it.
//
//	SI   columns         R8   objects           AX, BX, DX, R13, R15  scratch
//	DI   next step       R9   objects of the lower part
//	CX   steps left      R10  offset of the last register, which holds 1 to 1<<LOG of them
//	R11  the run, in x   R12  the same in the column of the axis
//
// A file defines, before it expands HALVE:
//
//	LOG                    logarithm of the lanes of a register
//	SETUP                  constants of the call
//	LIVE                   the live lanes of the last register, whose index is BX
//	LASTENDS, ENDS         minima and maxima of the columns, lane by lane: of the last register, and
//	                       merged with the one at BX
//	SPANS                  spans, minima and maxima of the axes to the rows of Cut.spans, spans in X2
//	LANEY, LANEZ           lanes of y and z there; x is in lane 0
//	COUNTLAST, COUNTNEXT   count words below AX in the last register, and in the one at BX
//	TOTAL                  their number in DX
//	PARTSETUP, PART        moves the register at BX to the parts, and advances their lengths R13 and R15
//	PARTLAST               moves the last register
//	UPPERCOUNT             the number of objects of the upper part in R8
//	COPY, FIRSTLANES, COPYLAST  copy a register of the upper part behind the lower: at BX, and the first R8 lanes

#define COLUMNS(DO) \
	DO(0)                \
	DO(const_cutColumn)  \
	DO(2*const_cutColumn)

// Selects the axis of the largest span: minimum into R13, maximum into R15, column into R12. The minima, maxima
// and spans are in rows of Cut.spans: x in lane 0, y and z in the lanes LANEY and LANEZ.
#define AXIS \
	MOVQ R11, R12            \
	XORL BX, BX              \
	VMOVD X2, AX             \
	MOVL (Cut_spans+4*LANEY)(SI), DX \
	LEAQ const_cutColumn(R11), R13    \
	MOVL $LANEY, R15         \
	CMPL DX, AX              \
	CMOVLHI DX, AX           \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+4*LANEZ)(SI), DX \
	LEAQ 2*const_cutColumn(R11), R13  \
	MOVL $LANEZ, R15         \
	CMPL DX, AX              \
	CMOVQHI R13, R12         \
	CMOVLHI R15, BX          \
	MOVL (Cut_spans+64)(SI)(BX*4), R13 \
	MOVL (Cut_spans+128)(SI)(BX*4), R15

// In the search fewer words than the target are below R13, as many or more below R15.
#define HALVE \
	MOVQ c+0(FP), SI     \
	MOVQ steps+8(FP), DI \
	MOVQ n+16(FP), CX    \
	SETUP                \
step:                \
	MOVWLZX CutStep_Lo(DI), AX  \
	MOVWLZX CutStep_Mid(DI), R9 \
	MOVWLZX CutStep_Hi(DI), R8  \
	SUBL AX, R9          \
	JEQ  stepped         \
	SUBL AX, R8          \
	CMPL R8, R9          \
	JEQ  stepped         \
	LEAQ (SI)(AX*4), R11 \
	LEAL -1(R8), R10     \
	MOVL R10, BX         \
	LIVE                 \
	SHRL $LOG, R10       \
	SHLL $(LOG+2), R10   \
	LASTENDS             \
	MOVL R10, BX         \
	SUBQ $(4<<LOG), BX   \
	JCS  axis            \
ends:                \
	ENDS                 \
	SUBQ $(4<<LOG), BX   \
	JCC  ends            \
axis:                \
	SPANS                \
	AXIS                 \
search:              \
	MOVL R15, AX         \
	SUBL R13, AX         \
	INCL AX              \
	SHRL $1, AX          \
	ADDL R13, AX         \
	COUNTLAST            \
	MOVL R10, BX         \
	SUBQ $(4<<LOG), BX   \
	JCS  counted         \
count:               \
	COUNTNEXT            \
	SUBQ $(4<<LOG), BX   \
	JCC  count           \
counted:             \
	TOTAL                \
	CMPL DX, R9          \
	CMOVLCS AX, R13      \
	CMOVLHI AX, R15      \
	JNE  search          \
	PARTSETUP            \
	XORL R13, R13        \
	XORL R15, R15        \
	XORL BX, BX          \
	CMPQ BX, R10         \
	JEQ  last            \
part:                \
	PART                 \
	ADDQ $(4<<LOG), BX   \
	CMPQ BX, R10         \
	JNE  part            \
last:                \
	PARTLAST             \
	LEAQ (R11)(R9*4), R11 \
	UPPERCOUNT           \
	XORL BX, BX          \
	SUBQ $(1<<LOG), R8   \
	JLS  copylast        \
copy:                \
	COPY                 \
	ADDQ $(4<<LOG), BX   \
	SUBQ $(1<<LOG), R8   \
	JHI  copy            \
copylast:            \
	ADDQ $(1<<LOG), R8   \
	FIRSTLANES           \
	COPYLAST             \
stepped:             \
	ADDQ $6, DI          \
	DECQ CX              \
	JNZ  step            \
	VZEROUPPER           \
	RET
