package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// An external copy of the objects follows the tree, frame by frame.
func ExampleView_Changes() {
	t, _ := linear.New(linear.Config{Log: true})
	t.InsertBatch(nil, grid(4))

	mirror := map[uint32]linear.Object{}
	var seen uint64
	follow := func() {
		changes, next, ok := t.View().Changes(seen)
		if !ok { // the log of changes does not reach back that far
			clear(mirror)
			for id, o := range t.All() {
				mirror[id] = o
			}
		}
		for _, c := range changes {
			if c.Removed {
				delete(mirror, c.ID)
			} else {
				mirror[c.ID] = c.Object
			}
		}
		fmt.Println(len(changes), ok, len(mirror))
		seen = next
	}
	follow()
	t.Move(3, cube(1, 1, 1, 2))
	t.Remove(9)
	t.Tick()
	follow()
	fmt.Println(mirror[3].Box.Min)
	// Output:
	// 0 false 64
	// 2 true 63
	// [-1 -1 -1]
}
