package linear_test

import (
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A frame as in BenchmarkMovers, and the following publication of the tree, timed in turns, while readers hold
// that many versions. share is the ratio of the median time of a publication to that of move and tick together;
// ticks is the ratio to that of ticks alone.
func BenchmarkPublish(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, share := range []int{1000, 100} {
				for held := range 3 {
					b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d/held=%d", name, n, n/share, held), func(b *testing.B) {
						benchmarkPublish(b, objects, n/share, held)
					})
				}
			}
		}
	}
}

func benchmarkPublish(b *testing.B, objects []soa.Object, movers, held int) {
	tree := newTree(b, linear.Config{Workers: 1})
	insert(b, tree, objects)
	shared := linear.NewPublisher(tree)
	r := testkit.Rand(1)
	boxes := make([]soa.AABB, len(objects))
	world := soa.Empty()
	for i := range objects {
		boxes[i] = objects[i].Box
		world = world.Union(boxes[i])
	}
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var moves, ticks, publications []float64
	old := make([]linear.Version, held) // readers that are one, two, … versions behind
	for i := range old {
		old[i] = shared.Acquire()
	}
	turn := 0
	frame := func() {
		for i := range ids {
			ids[i] = uint32(r.IntN(len(boxes)))
			boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 20)
			to[i] = boxes[ids[i]]
		}
		if held > 0 {
			old[turn%held].Release()
			old[turn%held] = shared.Acquire()
			turn++
		}
		t0 := time.Now()
		must(b, tree.MoveBatch(ids, to))
		t1 := time.Now()
		must(b, tree.Tick())
		t2 := time.Now()
		shared.Publish()
		t3 := time.Now()
		moves = append(moves, float64(t1.Sub(t0)))
		ticks = append(ticks, float64(t2.Sub(t1)))
		publications = append(publications, float64(t3.Sub(t2)))
	}
	for range 40 { // until lists have reached their size
		frame()
	}
	moves, ticks, publications = moves[:0], ticks[:0], publications[:0]
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	move, tick, publish := median(moves), median(ticks), median(publications)
	b.ReportMetric(move+tick, "ns/move+tick")
	b.ReportMetric(publish, "ns/publish")
	b.ReportMetric(publish/(move+tick), "share")
	b.ReportMetric(publish/tick, "ticks")
	b.ReportMetric(float64(tree.Stats().Patched)/float64(movers), "rows/mover")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// The cost of a checkpoint to the writer beyond a preceding publication: of the first checkpoint, which
// allocates, and of later ones.
func BenchmarkCheckpoint(b *testing.B) {
	const n = 1_000_000
	objects := sceneOf(b, "uniform", n)
	tree := newTree(b, linear.Config{Workers: 1})
	ids := insert(b, tree, objects)
	p := linear.NewPublisher(tree)
	r := testkit.Rand(1)
	var publications, checkpoints []float64
	frame := func() {
		for range n / 100 {
			id := ids[r.IntN(n)]
			o := objects[id].Box
			o.Max[0] += r.Float32() / 8
			must(b, tree.Move(id, o))
		}
		must(b, tree.Tick())
		t0 := time.Now()
		p.Publish()
		t1 := time.Now()
		c := p.Checkpoint()
		t2 := time.Now()
		c.Release()
		publications = append(publications, float64(t1.Sub(t0))/1e6)
		checkpoints = append(checkpoints, float64(t2.Sub(t1))/1e6)
	}
	frame()
	first := checkpoints[0]
	publications, checkpoints = publications[:0], checkpoints[:0]
	for b.Loop() {
		frame()
	}
	b.ReportMetric(first, "ms/first")
	b.ReportMetric(median(publications), "ms/publish")
	b.ReportMetric(median(checkpoints), "ms/beyond")
}

// The cost of acquiring and releasing a version, and of reading the columns of a view, which each query does
// first.
func BenchmarkVersion(b *testing.B) {
	tree := newTree(b, linear.Config{})
	insert(b, tree, testkit.SceneByName(b, "uniform").Make(100, 1))
	shared := linear.NewPublisher(tree)
	n := 0
	b.Run("op=acquire+release", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h := shared.Acquire()
			n += h.View().Len()
			h.Release()
		}
	})
	h := shared.Acquire()
	defer h.Release()
	for name, v := range map[string]linear.View{"held": h.View(), "tree": tree.View()} {
		b.Run("op=store/view="+name, func(b *testing.B) {
			for b.Loop() {
				n += v.Store().Count
			}
		})
	}
	if n == 0 {
		b.Error("no objects")
	}
}

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
