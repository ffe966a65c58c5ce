package flat

// SplitMix64 returns a hash of x. It is a bijection of the 64-bit words.
func SplitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash returns the sum modulo 2^64 of SplitMix64 over the IDs. It does not depend on their order, and the
// sums of several results are additive.
func Hash(ids []uint32) (sum uint64) {
	for _, id := range ids {
		sum += SplitMix64(uint64(id))
	}
	return sum
}
