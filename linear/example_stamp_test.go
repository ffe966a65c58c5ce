package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A program caches a result while the stamp of the tree stays the same.
func ExampleView_Stamp() {
	tree, _ := linear.New(linear.Config{})
	id, _ := tree.Insert(linear.Object{Box: linear.AABB{Max: [3]float32{1, 1, 1}}})
	kept := tree.View().Stamp()
	fmt.Println(tree.View().Stamp() == kept)

	tree.Move(id, linear.AABB{Max: [3]float32{2, 2, 2}})
	now := tree.View().Stamp()
	fmt.Println(now == kept, now.Source == kept.Source)
	// Output:
	// true
	// false true
}

// The stamp of a scene changes with each change of its parts.
func ExampleSceneView_Stamp() {
	scene, _ := linear.NewScene(linear.Config{})
	chair, _ := linear.New(linear.Config{})
	scene.AddInstance(chair, linear.Transform{}, linear.InstanceOptions{})
	kept := scene.View().Stamp()

	chair.Insert(linear.Object{Box: linear.AABB{Max: [3]float32{1, 1, 1}}})
	fmt.Println(scene.View().Stamp() == kept)
	// Output: false
}
