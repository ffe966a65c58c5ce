package asm

// One call of a stream kernel reads at most 256 KiB, about 10 microseconds from memory
// (BenchmarkReadSum), in blocks of 512 bytes.
const (
	streamPerCall = 1 << 15
	streamBlock   = 64
)

// ReadSum measures memory bandwidth for comparison with kernels: it returns the sum of the words modulo 2^64, and reads
// as fast as one core can, and so is the reference for kernels that are bound by memory; none reads as many bytes in
// less time. It does not allocate.
func ReadSum(words []uint64) (sum uint64) {
	for len(words) >= streamBlock {
		k := min(len(words), streamPerCall) &^ (streamBlock - 1)
		sum += readSum(words[:k])
		words = words[k:]
	}
	for _, w := range words {
		sum += w
	}
	return sum
}
