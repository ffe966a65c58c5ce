package collide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// The layers of a small game: bits of the type masks.
const (
	layerGround = iota
	layerPlayer
	layerBullet
)

// arena is a tree of a static floor (ID 0), a player on it (1), and two bullets
// in the player (2 and 3).
func arena() linear.View {
	box := func(x0, y0, z0, x1, y1, z1 float32) linear.AABB {
		return linear.AABB{Min: [3]float32{x0, y0, z0}, Max: [3]float32{x1, y1, z1}}
	}
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = tree.InsertBatch(nil, []linear.Object{
		{Box: box(-50, -50, -1, 50, 50, 0), Mask: 1 << layerGround, Static: true},
		{Box: box(0, 0, 0, 1, 1, 2), Mask: 1 << layerPlayer},
		{Box: box(0.4, 0.4, 1, 0.5, 0.5, 1.1), Mask: 1 << layerBullet},
		{Box: box(0.4, 0.5, 1, 0.5, 0.6, 1.1), Mask: 1 << layerBullet},
	})
	if err != nil {
		log.Fatal(err)
	}
	return tree.View()
}

func ExampleAppend() {
	pairs := collide.Append(nil, collide.Within(arena()), collide.Filter{})
	for _, p := range pairs {
		fmt.Println(p.A, p.B)
	}
	// Unordered output:
	// 0 1
	// 1 2
	// 1 3
	// 2 3
}

// Bullets hit the ground and the player, but not each other.
func ExampleLayers() {
	var layers collide.Layers
	layers.Set(layerBullet, layerGround, true)
	layers.Set(layerBullet, layerPlayer, true)
	layers.Set(layerPlayer, layerGround, true)
	for p := range collide.All(collide.Within(arena()), collide.Filter{Layers: &layers}) {
		fmt.Println(p.A, p.B)
	}
	// Unordered output:
	// 0 1
	// 1 2
	// 1 3
}

func ExampleCount() {
	v := arena()
	fmt.Println(collide.Count(collide.Within(v), collide.Filter{}))
	fmt.Println(collide.Count(collide.Within(v), collide.Filter{Mask: 1<<layerPlayer | 1<<layerBullet}))
	// Output:
	// 4
	// 3
}

// The moving objects of one tree against the static world in another.
func ExampleAll() {
	trees := [2]*linear.Tree{}
	for i := range trees {
		tree, err := linear.New(linear.Config{})
		if err != nil {
			log.Fatal(err)
		}
		var objects []linear.Object
		for k := range 5 {
			x := float32(3*k + 2*i)
			objects = append(objects, linear.Object{
				Box:    linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}},
				Static: i == 1,
			})
		}
		if _, err := tree.InsertBatch(nil, objects); err != nil {
			log.Fatal(err)
		}
		trees[i] = tree
	}
	for p := range collide.All(collide.Between(trees[0].View(), trees[1].View()), collide.Filter{}) {
		fmt.Println(p.A, p.B)
	}
	// Unordered output:
	// 1 0
	// 2 1
	// 3 2
	// 4 3
}

func ExampleBatch() {
	batch := collide.Batch{Workers: 4}
	pairs, _ := batch.Append(nil, nil, collide.Within(arena()), collide.Filter{}) // an error is impossible without a context
	fmt.Println(len(pairs))
	// Output: 4
}

// A long search ends when its context is cancelled, and reports its progress.
func ExampleBatch_Append() {
	ctx, cancel := context.WithCancel(context.Background())
	batch := collide.Batch{Progress: func(done float64) { fmt.Println(done) }}
	pairs, err := batch.Append(ctx, nil, collide.Within(arena()), collide.Filter{})
	fmt.Println(len(pairs), err)

	cancel()
	pairs, err = batch.Append(ctx, pairs[:1], collide.Within(arena()), collide.Filter{})
	fmt.Println(len(pairs), err)
	// Output:
	// 0
	// 1
	// 4 <nil>
	// 0
	// 1 context canceled
}
