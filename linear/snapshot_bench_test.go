package linear_test

import (
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// benchSnapshot is a frozen tree of that many uniform boxes, and its file.
func benchSnapshot(b *testing.B, n int) (tree *linear.Tree, path string) {
	b.Helper()
	tree = newTree(b, linear.Config{Frozen: true, Workers: 1})
	insert(b, tree, testkit.SceneByName(b, "uniform").Make(n, 1))
	path = filepath.Join(b.TempDir(), "tree")
	must(b, tree.Save(nil, path, linear.SnapshotOptions{}))
	return tree, path
}

// memory is a reusable destination of snapshots.
type memory struct {
	bytes []byte
	n     int
}

func (m *memory) Write(b []byte) (int, error) {
	if m.n+len(b) > len(m.bytes) {
		return 0, io.ErrShortBuffer
	}
	m.n += copy(m.bytes[m.n:], b)
	return len(b), nil
}

// A snapshot written to existing memory, and a copy of the tree. The checksums are a lower bound of the cost.
func BenchmarkSave(b *testing.B) {
	tree, _ := benchSnapshot(b, 1_000_000)
	size, err := tree.WriteTo(io.Discard)
	must(b, err)
	b.Run("to=memory", func(b *testing.B) {
		m := memory{bytes: make([]byte, size)}
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			m.n = 0
			if _, err := tree.WriteTo(&m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("to=clone", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			tree.Clone()
		}
	})
	b.Run("to=digest", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			tree.LayoutDigest()
		}
	})
}

// A file that is in the page cache is mapped and closed, at each level.
func BenchmarkOpenMapped(b *testing.B) {
	_, path := benchSnapshot(b, 1_000_000)
	for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
		b.Run("level="+level.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := linear.OpenMapped(path, level)
				must(b, err)
				must(b, s.Close())
			}
		})
	}
}

// The safe check of a file in memory, and the CRC of the bytes that it reads, for comparison. MB/s count these
// bytes.
func BenchmarkCRC(b *testing.B) {
	tree, _ := benchSnapshot(b, 1_000_000)
	file := written(b, tree)
	hot := 0
	s := opened(b, file, linear.CheckNone)
	var ends [][2]int64
	for _, section := range s.Info().Sections {
		switch section.Name {
		case "Area", "MinTicks", "FreeAtTick", "PlacementBoxes", "Generations":
		default:
			hot += int(section.Bytes)
			ends = append(ends, [2]int64{section.Offset, section.Offset + section.Bytes})
		}
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	b.Run("what=crc", func(b *testing.B) {
		b.SetBytes(int64(hot))
		for b.Loop() {
			for _, end := range ends {
				crc32.Checksum(file[end[0]:end[1]], table)
			}
		}
	})
	b.Run("what=safe", func(b *testing.B) {
		b.SetBytes(int64(hot))
		b.ReportAllocs()
		for b.Loop() {
			opened(b, file, linear.CheckSafe)
		}
	})
}

// A tree made of a snapshot at each level, and a rebuild of it.
func BenchmarkLoad(b *testing.B) {
	tree, _ := benchSnapshot(b, 1_000_000)
	file := written(b, tree)
	for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
		b.Run("level="+level.String(), func(b *testing.B) {
			for b.Loop() {
				loaded(b, file, level)
			}
		})
	}
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			must(b, tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}))
		}
	})
}

// Queries on the tree, on a mapped file with small pages, and on a file that is read: of boxes of about 450
// objects, in the long form on a tree of 10 million, too.
func BenchmarkSnapshotQuery(b *testing.B) {
	for _, n := range testkit.Budget(b, []int{1_000_000}, []int{1_000_000, 10_000_000}) {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { snapshotQuery(b, n) })
	}
}

func snapshotQuery(b *testing.B, n int) {
	tree, path := benchSnapshot(b, n)
	s, err := linear.OpenMapped(path, linear.CheckSafe)
	must(b, err)
	defer s.Close()
	file, err := os.Open(path)
	must(b, err)
	defer file.Close()
	info, err := file.Stat()
	must(b, err)
	read, err := linear.Open(file, info.Size(), linear.CheckSafe)
	must(b, err)
	world := tree.Bounds()
	r := testkit.Rand(1)
	var boxes []query.Box
	for range 1000 {
		var lo, hi [3]float32
		for a := range 3 {
			side := (world.Max[a] - world.Min[a]) * float32(math.Cbrt(450/float64(n)))
			lo[a] = world.Min[a] + r.Float32()*(world.Max[a]-world.Min[a]-side)
			hi[a] = lo[a] + side
		}
		q, err := query.NewBox(lo, hi)
		must(b, err)
		boxes = append(boxes, q)
	}
	for _, on := range []struct {
		name string
		view linear.View
	}{{"heap", tree.View()}, {"map", s.View()}, {"read", read.View()}} {
		b.Run("on="+on.name, func(b *testing.B) {
			var ids []uint32
			for i := 0; b.Loop(); i++ {
				ids = boxes[i%len(boxes)].Append(ids[:0], on.view, query.Filter{})
			}
		})
	}
}
