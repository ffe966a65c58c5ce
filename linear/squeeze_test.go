package linear_test

import (
	"bytes"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// A tree is the same, to the last bit, whether or not its build squeezes keys.
func TestSqueezedBuild(t *testing.T) {
	defer linear.SetSqueeze(linear.SetSqueeze(0))
	for i, scene := range []string{"uniform", "city", "plane", "clustered", "points", "surface", "huge", "degenerate", "identical", "far"} {
		for _, n := range testkit.Turn(t, i, []int{4095, 4096, 20_000}) {
			for _, cfg := range []linear.Config{{}, {Frozen: true}} {
				objects := sceneOf(t, scene, n)
				var want map[string][]byte
				for _, least := range []int{64, 5, 0} { // never, by default, always
					linear.SetSqueeze(least)
					tree := newTree(t, cfg)
					insert(t, tree, objects)
					valid(t, tree)
					rebuild(t, tree, cfg.Frozen)
					valid(t, tree)
					got := storeBits(tree.View().Store())
					if want == nil {
						want = got
						continue
					}
					for name := range got {
						if !bytes.Equal(got[name], want[name]) {
							t.Errorf("%s of %d, %+v, squeezed from %d shared bits on: other %s", scene, n, cfg, least, name)
						}
					}
				}
			}
		}
	}
}
