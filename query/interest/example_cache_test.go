package interest_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// volumes is a cache of values that are computed from an object and expensive to compute.
type volumes struct {
	by   map[uint32]float32
	seen uint64 // number of the first change that has not been read
	made int
}

// follow removes outdated values.
func (c *volumes) follow(v linear.View) {
	changes, next, ok := v.Changes(c.seen)
	c.seen = next
	if !ok { // the log no longer holds the changes
		clear(c.by)
		return
	}
	for _, change := range changes {
		delete(c.by, change.ID) // also if the ID has been reused
	}
}

// of returns the volume of an object.
func (c *volumes) of(v linear.View, id uint32) float32 {
	if x, ok := c.by[id]; ok {
		return x
	}
	c.made++
	o, ok := v.Object(id)
	if !ok {
		return 0
	}
	x := float32(1)
	for a := range 3 {
		x *= o.Box.Max[a] - o.Box.Min[a]
	}
	c.by[id] = x
	return x
}

// A cache follows the log of a tree: a value is kept until its object changes.
func Example_cache() {
	tree := road(1000)
	tree.Tick()
	cache := volumes{by: map[uint32]float32{}}
	sum := func() (all float32) {
		cache.made = 0
		cache.follow(tree.View())
		for id := range uint32(1000) {
			all += cache.of(tree.View(), id)
		}
		return all
	}
	fmt.Println(sum(), cache.made)

	tree.Move(7, linear.AABB{Max: [3]float32{2, 2, 2}})
	fmt.Println(sum(), cache.made)
	tree.Tick()
	fmt.Println(sum(), cache.made)

	tree.Tick()
	tree.Move(7, cube(7))
	tree.Tick()
	tree.Tick() // the log holds the last frame and the one before it
	fmt.Println(sum(), cache.made)
	// Output:
	// 1000 1000
	// 1007 1
	// 1007 0
	// 1000 1000
}
