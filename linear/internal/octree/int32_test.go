package octree

import (
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Products of counts are equal with an int of 32 bits and of 64 bits.
func TestCountsOf32Bits(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	product := func(x, y int64) *big.Int { return new(big.Int).Mul(big.NewInt(x), big.NewInt(y)) }
	for range 10_000 {
		n, all, percent := r.Int32(), r.Int32(), r.Int32N(101)
		if r.IntN(2) == 0 { // at the limit, or next to it
			n = int32(int64(percent)*int64(all)/100) + r.Int32N(2)
		}
		want := product(100, int64(n)).Cmp(product(int64(percent), int64(all))) >= 0
		if narrow, wide := reaches(n, percent, all), reaches(int(n), int(percent), int(all)); narrow != want || wide != want {
			t.Fatalf("%d are %d %% of %d: %v and %v, want %v", n, percent, all, narrow, wide, want)
		}
		height := uint8(r.Uint32N(256))
		most := product(int64(n), 2*soa.Fan+int64(height))
		if room := big.NewInt(soa.MaxSlots + 1); most.Cmp(room) > 0 {
			most = room
		}
		if narrow, wide := mostSplits(n, height), mostSplits(int(n), height); int64(narrow) != most.Int64() || int64(wide) != most.Int64() {
			t.Fatalf("%d insertions, height %d: %d and %d splits, want %d", n, height, narrow, wide, most)
		}
	}
}
