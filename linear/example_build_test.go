package linear_test

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// The first build of a tree, with progress reports and a context that can cancel it.
func ExampleTree_Build() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	objects := make([]linear.Object, 1000)
	for i := range objects {
		objects[i].Box = linear.BoxAround([3]float32{float32(i), 0, 0}, [3]float32{0.5, 0.5, 0.5})
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = tree.Build(ctx, objects, linear.RebuildOptions{Progress: func(p linear.Phase, share float64) {
		if p == linear.PhaseSort { // the user has closed the window
			cancel()
		}
	}})
	fmt.Println(tree.Len(), err)

	err = tree.Build(context.Background(), objects, linear.RebuildOptions{Progress: func(p linear.Phase, share float64) {
		if share == 0 {
			fmt.Print(p, " ")
		}
	}})
	fmt.Println(tree.Len(), err)
	// Output:
	// 0 context canceled
	// encode sort topology fill 1000 <nil>
}
