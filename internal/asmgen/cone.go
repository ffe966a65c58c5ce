package main

// coneFile writes the kernel that rasterizes rows of a cone.
func coneFile() string {
	f := newText(`
// The kernel of cones: the spans of four rows, then four registers of pixels at once, and
// the rest of a row by one register each, masked. Pixels after a span are stored back unchanged.
//
//	R1  cone          R4  this row, R5 its bytes     R9   first pixel
//	R2  rows left     R6  planes                     R10  next pixel
//	R3  spans of four rows: first pixels, ends, y    R11  pixels left
//	R7  rows left of the four                        R12  values at x = 0 of more than three planes
//
//	V2 to V5    x of 16 pixels      V16 to V18  the values of three planes at x = 0
//	V8 to V11   their depths        V20 to V22  their steps
//	V12 to V15  the depth buffer    V23  end of the span, V24 to V27 masks
//	V19  4      V28  16             V29  y      V30  limit      V31  0 1 2 3
`)
	f.functionWith(192, "func coneRowsNEON(row *float32, stride, width int, c *Cone, y, n int)", 48)
	f.put(`
		MOVD row+0(FP), R4
		MOVD stride+8(FP), R5
		MOVD width+16(FP), R8
		MOVD c+24(FP), R1
		MOVD y+32(FP), R7
		MOVD n+40(FP), R2
		MOVD Cone_Planes(R1), R6
		ADD $Cone_Limit, R1, R13
		VLD1R (R13), [V30.S4]
		VMOVQ $0x3f80000000000000, $0x4040000040000000, V31
		VMOVQ $0x4080000040800000, $0x4080000040800000, V19
		VMOVQ $0x4180000041800000, $0x4180000041800000, V28
	`)
	dupFloat(f, "R7", 29)
	f.put("FADD V29.4S, V29.4S, V31.4S")
	f.put(`
		MOVD $spans-192(SP), R3
		ADD $64, R3, R12

		four:
		VMOVI $0, V0.B16
	`)
	dupFloat(f, "R8", 1)
	coneLines(f, "Left", "LM", "LC", "FMAX", 0)
	coneLines(f, "Right", "RM", "RC", "FMIN", 1)
	f.put(`
		FCMGT V2.4S, V1.4S, V0.4S
		FRINTP V0.4S, V0.4S
		FCVTZU V0.4S, V0.4S
		FCVTZU V1.4S, V1.4S
		VAND V2.B16, V0.B16, V0.B16 // no pixel: from 0 to 0
		VAND V2.B16, V1.B16, V1.B16
		FSTPQ (F0, F1), (R3)
		FMOVQ F29, 32(R3)
		FADD V29.4S, V29.4S, V19.4S
		MOVD $4, R7
		CMP R7, R2
		CSEL LO, R2, R7, R7
		SUB R7, R2

		row:
		MOVWU (R3), R9
		MOVWU 16(R3), R14
		SUBS R9, R14, R11
		BLE nextrow
		ADD R9<<2, R4, R10
		ADD $32, R3, R13
		VLD1R (R13), [V24.S4] // y
	`)
	dupFloat(f, "R14", 23)
	dupFloat(f, "R9", 2)
	f.put(`
		FADD V2.4S, V2.4S, V31.4S
		FADD V3.4S, V2.4S, V19.4S
		FADD V4.4S, V3.4S, V19.4S
		FADD V5.4S, V4.4S, V19.4S
		ADD $Cone_P0, R1, R13
		ADD $Cone_PX, R1, R14
		ADD $Cone_PY, R1, R15
	`)
	conePlane := func(k int) {
		f.put("VLD1R.P 4(R13), [V%d.S4]\nVLD1R.P 4(R14), [V%d.S4]\nVLD1R.P 4(R15), [V25.S4]", 16+k, 20+k)
		f.put("FMUL V25.4S, V25.4S, V24.4S\nFADD V%[1]d.4S, V%[1]d.4S, V25.4S", 16+k)
	}
	conePlane(0)
	f.put("CMP $1, R6\nBEQ one1")
	conePlane(1)
	f.put("CMP $2, R6\nBEQ two1")
	conePlane(2)
	f.put("CMP $3, R6\nBEQ three1")
	f.put(`
		// The values of all planes, four at once.
		ADD $Cone_P0, R1, R13
		ADD $Cone_PY, R1, R15
		MOVD R6, R16
		MOVD R12, R17

		values:
		FMOVQ.P 16(R15), F25
		FMOVQ.P 16(R13), F26
		FMUL V25.4S, V25.4S, V24.4S
		FADD V25.4S, V25.4S, V26.4S
		FMOVQ.P F25, 16(R17)
		SUBS $4, R16
		BHI values
		B more1
	`)
	conePixels(f, "one", 1, false)
	conePixels(f, "two", 2, false)
	conePixels(f, "three", 3, false)
	conePixels(f, "more", 3, true)
	f.put(`
		nextrow:
		ADD R5, R4
		ADD $4, R3
		SUBS $1, R7
		BNE row
		MOVD $spans-192(SP), R3
		CBNZ R2, four
		RET
	`)
	return f.String()
}

// dupFloat sets all lanes of a register to a number that is not negative.
func dupFloat(f *text, number string, v int) {
	f.put("SCVTFS %s, F%[2]d\nVDUP V%[2]d.S[0], V%[2]d.S4", number, v)
}

// coneLines applies the lines of a side to the ends of four spans.
func coneLines(f *text, side, slope, at, take string, v int) {
	f.put(`
		MOVD Cone_%[1]ss(R1), R13
		ADD $Cone_%[2]s, R1, R14
		ADD $Cone_%[3]s, R1, R15
		CBZ R13, end%[1]s

		line%[1]s:
		VLD1R.P 4(R14), [V2.S4]
		VLD1R.P 4(R15), [V3.S4]
		FMUL V2.4S, V2.4S, V29.4S
		FADD V2.4S, V2.4S, V3.4S
		%[4]s V%[5]d.4S, V%[5]d.4S, V2.4S
		SUBS $1, R13
		BNE line%[1]s

		end%[1]s:
	`, side, slope, at, take, v)
}

// conePixels draws the span of a row with the given number of planes in registers, and, if more is set, with
// further planes: steps from R14 on, values at x = 0 of all at R12.
func conePixels(f *text, name string, planes int, more bool) {
	block := func(registers int, loop string) {
		plane := func(step, value, to int) {
			for r := range registers {
				f.put("FMUL V%d.4S, V%d.4S, V%d.4S", to+r, 2+r, step)
			}
			for r := range registers {
				f.put("FADD V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", to+r, value)
			}
			for r := range registers {
				if to != 8 {
					f.put("FMIN V%[1]d.4S, V%[1]d.4S, V%[2]d.4S", 8+r, to+r)
				}
			}
		}
		plane(20, 16, 8)
		for k := 1; k < planes; k++ {
			plane(20+k, 16+k, 12)
		}
		if more {
			f.put("SUB $3, R6, R13\nMOVD R14, R15\nADD $12, R12, R16\n%s:", loop)
			f.put("VLD1R.P 4(R15), [V0.S4]\nVLD1R.P 4(R16), [V1.S4]")
			plane(0, 1, 12)
			f.put("SUBS $1, R13\nBNE %s", loop)
		}
	}
	f.put(`
		%[1]s1:
		SUBS $16, R11
		BLO %[1]s3

		%[1]s2:
	`, name)
	block(4, name+"4")
	f.put("FLDPQ (R10), (F12, F13)\nFLDPQ 32(R10), (F14, F15)")
	for r := range 4 {
		f.put("FCMGT V%d.4S, V%d.4S, V%d.4S", 24+r, 8+r, 12+r)
	}
	for r := range 4 {
		f.put("FCMGE V0.4S, V30.4S, V%d.4S", 8+r)
		f.put("VAND V0.B16, V%[1]d.B16, V%[1]d.B16", 24+r)
		f.put("VBIT V%d.B16, V%d.B16, V%d.B16", 24+r, 8+r, 12+r)
	}
	for r := range 4 {
		f.put("FADD V%[1]d.4S, V%[1]d.4S, V28.4S", 2+r)
	}
	f.put(`
		FSTPQ (F12, F13), (R10)
		FSTPQ (F14, F15), 32(R10)
		ADD $64, R10
		SUBS $16, R11
		BHS %[1]s2

		%[1]s3:
		ADDS $16, R11
		BEQ nextrow

		%[1]s5:
	`, name)
	block(1, name+"6")
	f.put(`
		FMOVQ (R10), F12
		FCMGT V24.4S, V8.4S, V12.4S
		FCMGE V0.4S, V30.4S, V8.4S
		FCMGT V1.4S, V23.4S, V2.4S
		VAND V0.B16, V24.B16, V24.B16
		VAND V1.B16, V24.B16, V24.B16
		VBIT V24.B16, V8.B16, V12.B16
		FADD V2.4S, V2.4S, V19.4S
		FMOVQ.P F12, 16(R10)
		SUBS $4, R11
		BHI %[1]s5
		B nextrow
	`, name)
}
