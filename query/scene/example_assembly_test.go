package scene_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
)

// Clashes between two assemblies, without those inside of each: both are instances of a root scene, and
// one of them is live.
func ExamplePairFilter_assemblies() {
	root, err := linear.NewScene(linear.Config{})
	if err != nil {
		panic(err)
	}
	cube := cubes([3]float32{0, 0, 0})
	ids := make([]uint32, 2)
	for i := range ids {
		assembly, err := linear.NewScene(linear.Config{})
		if err != nil {
			panic(err)
		}
		for _, x := range []float64{0, 0.5} { // two cubes that overlap
			if _, err := assembly.AddInstance(cube, at(x, 0, 0, 0, 1), linear.InstanceOptions{}); err != nil {
				panic(err)
			}
		}
		if ids[i], err = root.AddInstance(assembly, at(1.25*float64(i), 0, 0, 0, 1), linear.InstanceOptions{}); err != nil {
			panic(err)
		}
	}
	first := []uint64{1 << ids[0]}
	for _, p := range scene.AppendPairs(nil, root.View(), scene.PairFilter{LiveInstances: first}) {
		fmt.Println(p.A.Path, p.B.Path)
	}
	fmt.Println(len(scene.AppendPairs(nil, root.View(), scene.PairFilter{})), "pairs in all")
	// Output:
	// /0/1 /1/0
	// 3 pairs in all
}
