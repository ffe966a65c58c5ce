package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// Emptied nodes stay for a lifespan, so that what follows finds them in place;
// without one they are given back at the next tick.
func ExampleConfig_lifespan() {
	for _, lifespan := range []int{-1, 3} {
		t, _ := linear.New(linear.Config{Lifespan: lifespan})
		ids, _ := t.InsertBatch(nil, grid(10))
		t.RemoveBatch(ids[:500]) // half of the scene
		ticks := 0
		for freed := 0; freed == 0; ticks++ {
			t.Tick()
			freed = t.Work().Freed
		}
		fmt.Println(ticks)
	}
	// Output:
	// 1
	// 4
}
