package linear_test

import (
	"errors"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A batch without room in an empty tree changes nothing, for every call that would build it.
func TestRefusedFirstBatch(t *testing.T) {
	objects := make([]soa.Object, 3000)
	balls, points := make([]soa.Ball, len(objects)), make([][3]float32, len(objects))
	for i := range objects {
		objects[i].Box = cube(float32(i), 1, 2, 1)
		balls[i].Sphere, points[i] = [4]float32{float32(i), 1, 2, 1}, [3]float32{float32(i), 1, 2}
	}
	for name, call := range map[string]treeCall{
		"InsertBatch":     func(t *linear.Tree) error { _, err := t.InsertBatch(nil, objects); return err },
		"InsertBallBatch": func(t *linear.Tree) error { _, err := t.InsertBallBatch(nil, balls); return err },
		"InsertPoints":    func(t *linear.Tree) error { _, err := t.InsertPoints(nil, points, linear.Labels{}); return err },
		"Build":           func(t *linear.Tree) error { return t.Build(nil, objects, linear.RebuildOptions{}) },
	} {
		for _, used := range []bool{false, true} {
			tree := newTree(t, linear.Config{Log: true})
			if used {
				insert(t, tree, objects)
				tree.Clear()
			}
			for _, limit := range []struct {
				ids          uint32
				slots, nodes int
			}{{100, 0, 0}, {0, 64, 0}, {0, 0, 3}} {
				tree.SetLimits(limit.ids, limit.slots, limit.nodes)
				v, before, digest := tree.View(), linear.StateOf(tree), tree.LayoutDigest()
				if err := call(tree); !errors.Is(err, soa.ErrFull) {
					t.Fatalf("%s, used %v, limits %v: error %v", name, used, limit, err)
				}
				if after := linear.StateOf(tree); after != before || tree.LayoutDigest() != digest {
					t.Errorf("%s, used %v, limits %v: the tree is\n%s\nit was\n%s", name, used, limit, after, before)
				}
				v.Len()
				valid(t, tree)
			}
		}
	}
}
