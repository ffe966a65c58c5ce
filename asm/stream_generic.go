package asm

// readSumGo adds up whole blocks. Four sums keep the additions independent.
func readSumGo(words []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(words) >= 8; words = words[8:] {
		a += words[0] + words[4]
		b += words[1] + words[5]
		c += words[2] + words[6]
		d += words[3] + words[7]
	}
	return a + b + c + d
}
