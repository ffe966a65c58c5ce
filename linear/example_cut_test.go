package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Splitting in space makes a query test fewer packets; filling along the curve builds faster.
func ExampleConfig_cut() {
	box, _ := query.NewBox([3]float32{3, 3, 3}, [3]float32{7, 7, 7})
	for _, cut := range []linear.Cut{linear.CutSpace, linear.CutCurve} {
		t, _ := linear.New(linear.Config{Cut: cut})
		t.InsertBatch(nil, grid(20))
		v := t.View()
		fmt.Println(cut, box.Count(v, query.Filter{}), box.Explain(v, query.Filter{}, nil).Packets)
	}
	// Output:
	// space 125 20
	// curve 125 29
}
