package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A lifespan keeps emptied nodes for later inserts. Without one, the next tick frees them.
func ExampleConfig_lifespan() {
	for _, lifespan := range []int{linear.Off, 3} {
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
