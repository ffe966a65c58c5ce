package scene

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The queue of instances returns each lane that was added once, with its distance, the nearest first up to the bits
// that hold the lane. Its bound is never above a distance in it. Some lanes are put back, with larger distances.
func TestCandidates(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	putBack, stayed := 0, 0
	for range testkit.Budget(t, 2_000, 20_000) {
		var list candidates
		list.reset()
		in := map[[2]uint32]float32{} // by slot and lane
		returned := map[[2]uint32]bool{}
		check := func() {
			for at, d2 := range in {
				if list.empty() || math.Float32frombits(list.least()) > d2 {
					t.Fatalf("%v is at %v; empty: %v", at, d2, list.empty())
				}
			}
			if len(in) == 0 && !list.empty() {
				t.Fatal("an empty queue is not empty")
			}
		}
		near := math.Float32bits(rng.Float32())
		for slot := range uint32(1 + rng.IntN(12)) {
			var dist [soa.Lanes]float32
			lanes := uint32(1 + rng.IntN(1<<soa.Lanes-1))
			for l := range dist {
				dist[l] = math.Float32frombits(near + uint32(rng.IntN(64)))
				switch rng.IntN(8) {
				case 0:
					dist[l] = 0
				case 1:
					dist[l] = float32(math.Inf(1))
				}
				if lanes>>l&1 != 0 {
					in[[2]uint32{slot, uint32(l)}] = dist[l]
				}
			}
			list.add(slot, lanes, &dist)
			check()
			for rng.IntN(4) != 0 && len(in) > 0 {
				slot, lane, d2, again := list.take()
				at := [2]uint32{slot, lane}
				if want, ok := in[at]; !ok || d2 != want || again != returned[at] {
					t.Fatalf("%v at %v, returned: %v; want %v, %v", at, d2, again, want, returned[at])
				}
				delete(in, at)
				for other, x := range in {
					if math.Float32bits(x)|(soa.Lanes-1) < math.Float32bits(d2)|(soa.Lanes-1) {
						t.Fatalf("%v at %v is before %v at %v", at, d2, other, x)
					}
				}
				if far := math.Float32frombits(math.Float32bits(d2) + uint32(rng.IntN(64))); d2 < 1 && list.putBack(far) {
					in[at], returned[at] = far, true
					putBack++
				} else {
					list.settle()
					stayed++
				}
				check()
			}
		}
	}
	if putBack == 0 || stayed == 0 {
		t.Errorf("%d were put back, %d were not", putBack, stayed)
	}
}
