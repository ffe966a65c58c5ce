package linear_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// Builds of any number of workers, each with a few rows, give one tree bit by bit.
func TestSameTreeInParts(t *testing.T) {
	defer linear.SetParts(linear.SetParts(64, 64, 8))
	for i, scene := range []string{"uniform", "city", "points", "plane", "far", "degenerate", "identical"} {
		for _, n := range testkit.Turn(t, i, []int{1, 2, 3, 63, 127, 128, 129, 500, 5000}) {
			objects := sceneOf(t, scene, n)
			var want []map[string][]byte
			for _, workers := range []int{1, 2, 3, 8} {
				tree := newTree(t, linear.Config{Workers: workers})
				var got []map[string][]byte
				see := func() {
					valid(t, tree)
					bits := storeBits(tree.View().Store())
					bits["places"] = bitsOf(linear.PlacesOf(tree).Where)
					bits["generations"] = bitsOf(linear.PlacesOf(tree).Gen)
					got = append(got, bits)
				}
				ids := insert(t, tree, objects)
				for i, id := range ids {
					if id != uint32(i) {
						t.Fatalf("%s of %d: object %d has ID %d", scene, n, i, id)
					}
				}
				see()
				for _, cut := range []linear.Cut{linear.CutSpace, linear.CutCurve} {
					for _, frozen := range []bool{true, false} {
						must(t, tree.Rebuild(nil, linear.RebuildOptions{Frozen: frozen, Cut: cut}))
						see()
					}
				}
				if want == nil {
					want = got
				}
				for step := range want {
					for name := range want[step] {
						if !bytes.Equal(got[step][name], want[step][name]) {
							t.Errorf("%s of %d, step %d: %d workers gave other %s", scene, n, step, workers, name)
						}
					}
				}
			}
		}
	}
}

// The same where there are large cells, and more of them than workers.
func TestSameLargeCellsInParts(t *testing.T) {
	for _, scene := range []string{"uniform", "city"} {
		objects := sceneOf(t, scene, 140_000)
		var want map[string][]byte
		for _, workers := range []int{1, 2, 3} {
			tree := newTree(t, linear.Config{Workers: workers, Frozen: true})
			insert(t, tree, objects)
			if h := cellHeights(tree); len(h) == 1 && h[0] > 0 || tree.View().Len() != len(objects) {
				t.Fatalf("%s: cells by height are %v", scene, h)
			}
			got := storeBits(tree.View().Store())
			if want == nil {
				want = got
				valid(t, tree)
			}
			for name := range want {
				if !bytes.Equal(got[name], want[name]) {
					t.Errorf("%s: %d workers gave other %s", scene, workers, name)
				}
			}
		}
	}
}

// The error names the first invalid box, for any number of workers, and the tree is unchanged.
func TestBadBoxInParts(t *testing.T) {
	defer linear.SetParts(linear.SetParts(64, 64, 8))
	const n = 1000
	nan := float32(math.NaN())
	for _, workers := range []int{1, 2, 3, 8} {
		for _, bad := range [][]int{{0}, {n - 1}, {124, 125, 126}, {333, 332}, {500, 499}, {999, 7}} {
			objects := slices.Clone(sceneOf(t, "uniform", n))
			for _, i := range bad {
				objects[i].Box.Max[i%3] = nan
			}
			tree := newTree(t, linear.Config{Workers: workers})
			dst := []uint32{42}
			ids, err := tree.InsertBatch(dst, objects)
			want := fmt.Sprintf("object %d:", slices.Min(bad))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%d workers, bad %v: error %v, want one of %q", workers, bad, err, want)
			}
			if !slices.Equal(ids, dst) || tree.Len() != 0 || tree.View().Slots() != 0 {
				t.Fatalf("%d workers: %d IDs, %d objects, %d slots after an error", workers, len(ids), tree.Len(), tree.View().Slots())
			}
			valid(t, tree)
			objects = sceneOf(t, "uniform", n)
			if ids := insert(t, tree, objects); len(ids) != n {
				t.Fatalf("%d IDs", len(ids))
			}
			valid(t, tree)
		}
	}
}
