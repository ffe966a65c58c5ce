package linear_test

import (
	"maps"
	"math"
	"path/filepath"
	"testing"

	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
)

// A number of workers beyond any machine's means the maximum, on 32 bits too: a step of a build that grows with
// them must not overflow.
func TestTooManyWorkers(t *testing.T) {
	objects := sceneOf(t, "city", 2000)
	want := newTree(t, linear.Config{Workers: 1})
	insert(t, want, objects)
	rebuild(t, want, false)
	for _, workers := range []int{1 << 18, math.MaxInt>>13 + 1, math.MaxInt >> 1, math.MaxInt} {
		built, rebuilt := newTree(t, linear.Config{Workers: workers}), newTree(t, linear.Config{Workers: workers})
		insert(t, rebuilt, objects)
		must(t, built.Build(nil, objects, linear.RebuildOptions{}))
		for _, tree := range []*linear.Tree{built, rebuilt} {
			rebuild(t, tree, false)
			if got := tree.Stats().Workers; got != team.Most {
				t.Errorf("%d workers: %d are used, want %d", workers, got, team.Most)
			}
			if tree.LayoutDigest() != want.LayoutDigest() {
				t.Errorf("%d workers make another tree", workers)
			}
		}
		numbered := map[uint64]linear.Object{}
		for i, o := range objects[:300] {
			numbered[uint64(i)] = o
		}
		dir := filepath.Join(t.TempDir(), "boxes")
		must(t, linear.CreateDirectory(nil, dir, maps.All(numbered), linear.DirectoryOptions{Workers: workers, Shard: 64}))
		d, err := linear.OpenDirectory(dir, linear.CheckFull)
		must(t, err)
		if n := d.Len(); int(n) != len(numbered) {
			t.Errorf("%d workers: a directory of %d objects, want %d", workers, n, len(numbered))
		}
		must(t, d.Close())
	}
	if _, err := linear.New(linear.Config{Workers: -1}); err == nil {
		t.Error("a negative number of workers is no error")
	}
}
