package walk

import (
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Products of counts are the same where an int has 32 bits as where it has 64.
func TestCountsOf32Bits(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	beyond := 0
	for range 10_000 {
		slots := 1 + r.Int32N(soa.MaxSlots)
		nodes := 1 + r.Int32N(slots)
		visited := r.Int32N(nodes + 1)
		if int64(visited)*(int64(nodes)+int64(slots)) >= 1<<31 {
			beyond++
		}
		exact := new(big.Int).Mul(big.NewInt(int64(visited)), big.NewInt(int64(nodes)+int64(slots)))
		exact.Quo(exact, big.NewInt(int64(nodes)))
		if narrow, wide := childrenOf(visited, nodes, slots), childrenOf(int(visited), int(nodes), int(slots)); int64(narrow) != exact.Int64() || int64(wide) != exact.Int64() {
			t.Fatalf("%d of %d nodes, %d slots: %d and %d children, want %d", visited, nodes, slots, narrow, wide, exact)
		}
		height := uint8(r.Uint32N(256))
		exact.Exp(big.NewInt(soa.Fan*3/4), big.NewInt(int64(height)+1), nil)
		if all := big.NewInt(int64(slots)); exact.Cmp(all) > 0 {
			exact = all
		}
		if narrow, wide := slotsAtHeight(height, slots), slotsAtHeight(height, int(slots)); int64(narrow) != exact.Int64() || int64(wide) != exact.Int64() {
			t.Fatalf("height %d of %d slots: %d and %d below, want %d", height, slots, narrow, wide, exact)
		}
	}
	if beyond < 1000 {
		t.Errorf("%d products beyond 32 bits", beyond)
	}
}
