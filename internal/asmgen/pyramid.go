package main

// pyramidFile writes the kernel that computes rows of a pyramid level from the level below.
func pyramidFile() string {
	f := newText(`
// The kernel of levels: four texels at once from 16 columns of four rows. Where there are fewer
// rows the last one is repeated. The last texels of a row, from the remaining columns, are
// stored one by one.
//
//	R0  level below          R3 to R6    the rows below          R10  columns left
//	R1  level                R7          this row                V30  infinity
//	R2  rows left            R8, R9      bytes of a row below, here      V16 to V19  0 to 15
//	R11  first row below, in bytes       R12  the last one
`)
	f.functionWith(0, "func pyramidRowsNEON(p *Picture, level, y0, y1 int)", 32)
	f.put(`
		MOVD p+0(FP), R0
		MOVD level+8(FP), R13
		MOVD y0+16(FP), R14
		MOVD y1+24(FP), R2
		MOVD (Picture_Pix+0)(R0), R15
		ADD $Picture_Levels, R0
		MOVD $PictureLevel__size, R16
		MADD R16, R0, R13, R1
		SUB R16, R1, R0
		SUB R14, R2

		MOVD PictureLevel_Stride(R1), R9
		MOVD PictureLevel_Base(R1), R7
		MADD R9, R7, R14, R7
		ADD R7<<2, R15, R7
		LSL $2, R9

		MOVD PictureLevel_Stride(R0), R8
		MOVD PictureLevel_Base(R0), R11
		MOVD PictureLevel_Height(R0), R12
		SUB $1, R12
		MADD R8, R11, R12, R12
		ADD R12<<2, R15, R12
		LSL $2, R14
		MADD R8, R11, R14, R11
		ADD R11<<2, R15, R11
		LSL $2, R8
		VMOVQ $0x7f8000007f800000, $0x7f8000007f800000, V30
	`)
	loadColumns(f)
	f.put("\nrow:\nMOVD R11, R3")
	for i := 4; i <= 6; i++ { // skip rows below the last
		f.put("ADD R8, R%d, R%d\nCMP R12, R%[2]d\nCSEL HI, R12, R%[2]d, R%[2]d", i-1, i)
	}
	f.put(`
		ADD R8<<2, R11
		MOVD R7, R13
		MOVD PictureLevel_Width(R0), R10
		SUBS $16, R10
		BLO last

		texels:
	`)
	leastRows(f)
	leastColumns(f)
	f.put(`
		FMOVQ.P F0, 16(R13)
		SUBS $16, R10
		BHS texels

		last:
		ADDS $16, R10
		BEQ next
	`)
	leastRows(f)
	f.put("VDUP R10, V4.S4")
	for r := range 4 {
		f.put("CMHI V5.4S, V4.4S, V%d.4S", 16+r)
		f.put("VBIF V5.B16, V30.B16, V%d.B16", r)
	}
	leastColumns(f)
	f.put(`
		one:
		FMOVS.P F0, 4(R13)
		VEXT $4, V0.B16, V0.B16, V0.B16
		SUBS $4, R10
		BHI one

		next:
		ADD R9, R7
		SUBS $1, R2
		BNE row
		RET
	`)
	return f.String()
}

// loadColumns sets V16 to V19 to the numbers of 16 columns.
func loadColumns(f *text) {
	for r := range 4 {
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V%d", 4*r+1, 4*r, 4*r+3, 4*r+2, 16+r)
	}
}

// leastRows sets V0 to V3 to the minima of 16 columns of four rows, and advances.
func leastRows(f *text) {
	for i := range 4 {
		to := 4 * min(i, 1)
		f.put("FLDPQ (R%d), (F%d, F%d)", 3+i, to, to+1)
		f.put("FLDPQ 32(R%d), (F%d, F%d)", 3+i, to+2, to+3)
		f.put("ADD $64, R%d", 3+i)
		for r := range 4 {
			if i > 0 {
				f.put("FMIN V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", r, 4+r)
			}
		}
	}
}

// leastColumns sets V0 to the minimum of each four words of V0 to V3.
func leastColumns(f *text) {
	f.put(`
		FMINP V0.4S, V0.4S, V1.4S
		FMINP V2.4S, V2.4S, V3.4S
		FMINP V0.4S, V0.4S, V2.4S
	`)
}
