package interest_test

import (
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// directoryOnceLarge makes a directory of n objects and removes all but a few. A frame finds the remaining
// ones. A change writes whole shards, so the bytes of all files are its largest cost.
func directoryOnceLarge(t *testing.T, n, few int) shrunken {
	r := testkit.Rand(1)
	box := func() soa.AABB { return anywhere(r.Float32(), r.Float32(), r.Float32()) }
	objects := func(first, last int) iter.Seq2[uint64, soa.Object] {
		return func(yield func(uint64, soa.Object) bool) {
			for i := first; i < last && yield(uint64(i), soa.Object{Box: box(), Mask: 1}); i++ {
			}
		}
	}
	path := filepath.Join(t.TempDir(), "directory")
	fail(t, linear.CreateDirectory(t.Context(), path, objects(0, n), linear.DirectoryOptions{Shard: 2048, Workers: 1}))
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	fail(t, err)
	t.Cleanup(func() { d.Close() })
	everywhere, err := query.NewBox([3]float32{}, [3]float32{101, 101, 101})
	fail(t, err)
	all := soa.AABB{Max: [3]float32{101, 101, 101}}
	fail(t, d.Prepare(t.Context(), all))
	fail(t, d.Replace(t.Context(), nil, func(yield func(uint64) bool) {
		for i := few; i < n && yield(uint64(i)); i++ {
		}
	}))
	var answer scene.Answer
	frame := func() {
		fail(t, d.Prepare(t.Context(), all))
		answer.Reset()
		scene.Append(&answer, everywhere, d.View(), query.Filter{})
	}
	change := func() { fail(t, d.Replace(t.Context(), objects(0, few/2), nil)) }
	change()
	return shrunken{frame, change, onDisk{d, path}}
}

// onDisk is a directory in a folder.
type onDisk struct {
	*linear.Directory
	path string
}

// bytes returns the size of all files of the folder, old ones included.
func (d onDisk) bytes(t *testing.T) (bytes int64) {
	files, err := os.ReadDir(d.path)
	fail(t, err)
	for _, file := range files {
		info, err := file.Info()
		fail(t, err)
		bytes += info.Size()
	}
	return bytes
}
