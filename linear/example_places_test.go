package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// The boxes of objects that are known by their IDs, read from the view.
func ExampleView_Places() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(4))
	t.Remove(ids[2])

	v := t.View()
	var buf []linear.Place // kept from frame to frame
	places := v.Places(&buf)
	for _, id := range ids[1:4] {
		slot, lane, ok := places.PlaceOf(id)
		if !ok {
			fmt.Println(id, "is gone")
			continue
		}
		fmt.Println(id, v.Box(slot, lane).Center())
	}
	// Output:
	// 1 [1.25 0.25 0.25]
	// 2 is gone
	// 3 [3.25 0.25 0.25]
}
