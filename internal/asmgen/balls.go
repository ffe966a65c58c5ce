package main

import "fmt"

// ballsFile writes the kernels of balls.
func ballsFile() string {
	f := newText(`
// The boxes of balls, four at a time, as Ball.Box of package soa computes them: a sum d, its
// rounding error e, and a step of the bits of d towards e. V31 is 0.
`)
	ballBoxes(f)
	writeBalls(f)
	return f.String()
}

// ballBoxes takes four balls at a time: VLD4 transposes spheres into columns, VST3 columns into the halves of
// boxes, minima before maxima.
//
//	R0  box    R1  sphere    R2  balls left
func ballBoxes(f *text) {
	f.function("func ballBoxesNEON(boxes *soa.AABB, spheres *[4]float32, n int)", 24)
	f.put(`
		MOVD boxes+0(FP), R0
		MOVD spheres+8(FP), R1
		MOVD n+16(FP), R2
		VMOVI $0, V31.B16

		balls:
		VLD4.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	`)
	ballBounds(f)
	for a := range 3 {
		f.put("VZIP1 V%d.S4, V%d.S4, V%d.S4", 19+a, 16+a, 4+a)
		f.put("VZIP2 V%d.S4, V%d.S4, V%d.S4", 19+a, 16+a, 7+a)
	}
	f.put(`
		VST3.P [V4.S4, V5.S4, V6.S4], 48(R0)
		VST3.P [V7.S4, V8.S4, V9.S4], 48(R0)
		SUBS $4, R2
		BNE balls
		RET
	`)
}

// writeBalls takes four lanes of a packet at a time, and skips groups without a lane to write. It prefetches
// the spheres of later packets.
//
//	R0  packet   R2  count             R4  left       R20 to R23  four spheres
//	R1  spheres  R3  row of the index  R5  spheres
//
// V28 are the lanes to write, V29 the limit, V30 the number of live lanes.
func writeBalls(f *text) {
	f.function("func writeBallsNEON(packets *soa.Packet, lanes *soa.SphereLanes, counts *uint8, index *[soa.Lanes]uint32, n int, spheres *[4]float32, limit int)", 56)
	f.put(`
		MOVD packets+0(FP), R0
		MOVD lanes+8(FP), R1
		MOVD counts+16(FP), R2
		MOVD index+24(FP), R3
		MOVD n+32(FP), R4
		MOVD spheres+40(FP), R5
		MOVD limit+48(FP), R6
		VDUP R6, V29.S4
		VMOVI $0, V31.B16

		packet:
		MOVBU.P 1(R2), R6
		VDUP R6, V30.S4
		CMP $%d, R4
		BLE write
	`, ballsAhead)
	for r := range 4 {
		f.put("FMOVQ %d(R3), F%d", 64*ballsAhead+16*r, r)
		f.put("VUMIN V%[1]d.S4, V29.S4, V%[1]d.S4", r)
	}
	for l := range 16 {
		f.put("VMOV V%d.S[%d], R6\nADD R6<<4, R5, R6\nPRFM (R6), PLDL1KEEP", l/4, l%4)
	}
	f.put("write:")
	for g := range 4 {
		f.put("\n\n// Lanes %d to %d.", 4*g, 4*g+3)
		f.put("FMOVQ %d(R3), F0", 16*g)
		f.put("VMOVQ $0x%08X%08X, $0x%08X%08X, V1", 4*g+1, 4*g, 4*g+3, 4*g+2)
		f.put(`
			CMHI V28.4S, V29.4S, V0.4S
			CMHI V1.4S, V30.4S, V1.4S
			VAND V1.B16, V28.B16, V28.B16
			VMOV V28.D[0], R6
			VMOV V28.D[1], R7
			ORR R7, R6
			CBZ R6, stay%d
			VAND V28.B16, V0.B16, V4.B16
		`, g)
		for k := range 4 {
			f.put("VMOV V4.S[%[1]d], R%[2]d\nADD R%[2]d<<4, R5, R%[2]d\nFMOVQ (R%[2]d), F%[1]d", k, 20+k)
		}
		transpose(f, 0)
		storeSome(f, 28, 16*g, []column{{"R1", 0, 0}, {"R1", 64, 1}, {"R1", 128, 2}, {"R1", 192, 3}})
		ballBounds(f)
		storeSome(f, 28, 16*g, boxColumnsAt("R0", 16))
		f.put("\n\nstay%d:", g)
	}
	f.put(`
		ADD $384, R0
		ADD $256, R1
		ADD $64, R3
		SUBS $1, R4
		BNE packet
		RET
	`)
}

// ballsAhead is the prefetch distance of spheres, in packets.
const ballsAhead = 6

// ballBounds computes the bounds of four balls with the columns x, y, z, radius in V0 to V3: the minima in
// V16 to V18, the maxima in V19 to V21. It clobbers V4 to V12 and V22 to V24.
func ballBounds(f *text) {
	axes := func(line string) {
		for a := range 3 {
			f.put(fmt.Sprintf(line, a, 16+a, 19+a, 4+a, 7+a, 10+a, 22+a))
		}
	}
	f.put("\n\n// d = c - r in V16 to V18, v = d - c, e = (c - (d - v)) - (r + v)")
	axes("FSUB V%[2]d.4S, V%[1]d.4S, V3.4S")
	axes("FADD V%[3]d.4S, V%[1]d.4S, V3.4S")
	axes("FSUB V%[4]d.4S, V%[2]d.4S, V%[1]d.4S")
	axes("FSUB V%[5]d.4S, V%[2]d.4S, V%[4]d.4S")
	axes("FSUB V%[5]d.4S, V%[1]d.4S, V%[5]d.4S")
	axes("FADD V%[4]d.4S, V3.4S, V%[4]d.4S")
	axes("FSUB V%[5]d.4S, V%[5]d.4S, V%[4]d.4S")
	f.put("\n\n// s = c + r in V19 to V21, w = s - c, f = (c - (s - w)) + (r - w)")
	axes("FSUB V%[4]d.4S, V%[3]d.4S, V%[1]d.4S")
	axes("FSUB V%[6]d.4S, V%[3]d.4S, V%[4]d.4S")
	axes("FSUB V%[6]d.4S, V%[1]d.4S, V%[6]d.4S")
	axes("FSUB V%[4]d.4S, V3.4S, V%[4]d.4S")
	axes("FADD V%[6]d.4S, V%[6]d.4S, V%[4]d.4S")
	f.put("\n\n// A step down where e < 0, up where f > 0: the bits of negative numbers increase downwards.")
	axes("FCMGT V%[5]d.4S, V31.4S, V%[5]d.4S")
	axes("FCMGT V%[6]d.4S, V%[6]d.4S, V31.4S")
	axes("CMLT V%[4]d.4S, V%[2]d.4S, #0")
	axes("CMLT V%[7]d.4S, V%[3]d.4S, #0")
	axes("VEOR V%[4]d.B16, V%[5]d.B16, V%[5]d.B16")
	axes("VEOR V%[7]d.B16, V%[6]d.B16, V%[6]d.B16")
	axes("VSUB V%[4]d.S4, V%[5]d.S4, V%[5]d.S4")
	axes("VSUB V%[7]d.S4, V%[6]d.S4, V%[6]d.S4")
	axes("VADD V%[5]d.S4, V%[2]d.S4, V%[2]d.S4")
	axes("VSUB V%[6]d.S4, V%[3]d.S4, V%[3]d.S4")
	axes("FADD V%[2]d.4S, V%[2]d.4S, V31.4S")
	axes("FADD V%[3]d.4S, V%[3]d.4S, V31.4S")
}
