package main

// streamFile writes the kernel that measures memory bandwidth.
func streamFile() string {
	f := newText(`
// A block is 512 bytes. Eight sums, one for each load of a round, keep the additions out
// of the way of the loads. Lines are fetched ahead, where a new page begins, too.
`)
	f.function("func readSumNEON(words *uint64, blocks int) (sum uint64)", 24)
	f.put(`
		MOVD words+0(FP), R0
		MOVD blocks+8(FP), R1
	`)
	for v := range 8 {
		f.put("VMOVI $0, V%d.B16", 16+v)
	}
	f.put("block:")
	for line := range 8 {
		f.put("PRFM %d(R0), PLDL1STRM", 2048+64*line)
	}
	for range 4 {
		f.put("VLD1.P 64(R0), [V0.D2, V1.D2, V2.D2, V3.D2]")
		f.put("VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]")
		for v := range 8 {
			f.put("VADD V%[1]d.D2, V%[2]d.D2, V%[2]d.D2", v, 16+v)
		}
	}
	f.put("SUBS $1, R1\nBNE block\n")
	for n := 4; n > 0; n /= 2 {
		for v := range n {
			f.put("VADD V%[1]d.D2, V%[2]d.D2, V%[2]d.D2", 16+n+v, 16+v)
		}
	}
	f.put(`
		VADDP V16.D2, V16.D2, V16.D2
		VMOV V16.D[0], R0
		MOVD R0, sum+16(FP)
		RET
	`)
	return f.String()
}
