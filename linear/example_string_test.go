package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// String describes a view, also a stale one: it never panics in a debugger or a log.
func ExampleView_String() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var zero linear.View
	v := tree.View()
	_, err = tree.Insert(linear.Object{Box: linear.BoxOf([3]float32{1, 2, 3})})
	fmt.Println(tree.View(), err)
	fmt.Printf("%v, %v\n", v, zero)
	// Output:
	// View of 1 objects in 1 slots <nil>
	// a stale View, the zero View
}

func ExampleSceneView_String() {
	s, err := linear.NewScene(linear.Config{})
	fmt.Println(s.View(), err)
	// Output: SceneView of View of 0 objects in 0 slots, instances: View of 0 objects in 0 slots <nil>
}
