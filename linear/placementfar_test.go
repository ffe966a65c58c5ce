package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Near objects of the last corner of the world are in packets with far ones. In a packet of their own their
// placement is right for all keys, so an object that moves out of the corner may stay. When far objects are
// added to its packet, by an insertion, a split or a join, it is displaced though it has not moved.
func TestOutlierPlacementGrows(t *testing.T) {
	const corner = 120 // first coordinate of the keys of far objects on each axis
	const far, near = 12, 28
	var objects []soa.Object
	for i := range far {
		objects = append(objects, giant(1e6+1e5*float32(i), 1e5*float32(i), 122, 1))
	}
	for i := range near { // two packets, which are full
		objects = append(objects, soa.Object{Box: cube(corner+1+float32(i)/16, corner+0.5, 122, 0.25), Mask: 1})
	}
	for i := range 400 {
		objects = append(objects, soa.Object{Box: cube(float32(i-200)/2, 0, 0, 1), Mask: 1})
	}
	const moved = far + near - 1 // the nearest to the far objects
	for _, way := range []struct {
		name   string
		change func(*testing.T, *linear.Tree)
	}{
		{"insert", func(t *testing.T, tree *linear.Tree) {
			insert(t, tree, []soa.Object{giant(122, 122, 122, 500)})
		}},
		{"cut", func(t *testing.T, tree *linear.Tree) {
			must(t, tree.Remove(far))
			insert(t, tree, []soa.Object{giant(4e6, 4e6, 4e6, 1), giant(5e6, 5e6, 5e6, 1), giant(6e6, 6e6, 6e6, 1)})
		}},
		{"join", func(t *testing.T, tree *linear.Tree) {
			for id := range uint32(moved) {
				if id < far-1 || id >= far && id < moved-4 {
					must(t, tree.Remove(id))
				}
			}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			tree := newTree(t, linear.Config{World: cube(0, 0, 0, 64), Fixed: true, Slack: 100, MergeBelow: 6, PendingMin: 1, Lifespan: linear.Off})
			insert(t, tree, objects)
			tick(t, tree)
			must(t, tree.Move(moved, cube(corner+3, corner-0.25, 122, 0.25)))
			valid(t, tree)
			way.change(t, tree)
			valid(t, tree)
			tick(t, tree)
			valid(t, tree)
		})
	}
}
