package main

// prefetchFile writes the kernel that prefetches rows of a column.
func prefetchFile() string {
	f := newText(`
// The prefetch kernel: a row may begin and end anywhere on a line.
//
//	R0  column    R1  index    R2  rows left    R3  shift
//	R4  bytes of a row         R5  next line    R6  end of the row
`)
	f.function("func prefetchNEON(base *byte, index *uint32, n int, shift uint, row uintptr)", 40)
	f.put(`
		MOVD base+0(FP), R0
		MOVD index+8(FP), R1
		MOVD n+16(FP), R2
		MOVD shift+24(FP), R3
		MOVD row+32(FP), R4

		rowloop:
		MOVWU.P 4(R1), R5
		LSR R3, R5, R5
		MADD R4, R0, R5, R5
		ADD R4, R5, R6
		AND $~63, R5, R5

		lineloop:
		PRFM (R5), PLDL1KEEP
		ADD $64, R5, R5
		CMP R6, R5
		BLO lineloop

		SUBS $1, R2
		BNE rowloop
		RET
	`)
	return f.String()
}
