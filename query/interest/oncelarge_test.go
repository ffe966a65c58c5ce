package interest_test

import (
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// shrunken is a structure that had many objects and has a few: a frame, the call that frees memory, and a
// value that is kept alive meanwhile, and then closed if it is an [io.Closer].
type shrunken struct {
	frame func()
	trim  func()
	keep  any
}

// onceLarge are the structures with memory of former states. make builds one that had n objects and has few
// of them left.
var onceLarge = []struct {
	name string
	make func(t *testing.T, n, few int) shrunken
}{
	{"tree", treeOnceLarge(linear.Config{Workers: 1})},
	{"tree, incremental", treeOnceLarge(linear.Config{Workers: 1, Policy: linear.PolicyIncremental})},
	{"tree with a log", treeOnceLarge(linear.Config{Workers: 1, Log: true})},
	{"publisher", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1}, n)
		p := linear.NewPublisher(c.tree)
		c.leave(few)
		publish := func() {
			c.step()
			p.Publish()
			h := p.Acquire()
			h.Release()
		}
		for range 70 { // instances that are free for long go
			publish()
		}
		return shrunken{publish, func() { c.tree.Trim(); publish() }, p}
	}},
	{"map", func(t *testing.T, n, few int) shrunken {
		m := new(linear.Map[[4]int])
		r := testkit.Rand(1)
		objects := make([]soa.Object, n)
		for i := range objects {
			objects[i].Box = anywhere(r.Float32(), r.Float32(), r.Float32())
		}
		handles, err := m.InsertBatch(nil, objects, make([][4]int, n))
		testkit.Must(t, err)
		for _, h := range handles[few:] {
			testkit.Must(t, m.Delete(h))
		}
		handles = slices.Clone(handles[:few])
		testkit.Must(t, m.Tree().Tick())
		return shrunken{func() {
			for _, h := range handles {
				testkit.Must(t, m.Move(h, anywhere(r.Float32(), r.Float32(), r.Float32())))
				m.Ptr(h)[0]++
			}
			testkit.Must(t, m.Tree().Tick())
		}, m.Trim, m}
	}},
	{"scene, first parts left", sceneOnceLarge(1)},
	{"scene, scattered parts left", sceneOnceLarge(7)},
	{"scene publisher", func(t *testing.T, n, few int) shrunken {
		x := sceneOnceLarge(7)(t, n, few)
		s := x.keep.(*linear.Scene)
		p := linear.NewScenePublisher(s)
		publish := func() {
			x.frame()
			p.Publish()
			h := p.Acquire()
			h.Release()
		}
		for range 4 {
			publish()
		}
		return shrunken{publish, func() { s.Trim(); publish(); publish() }, p}
	}},
	{"directory", directoryOnceLarge},
	{"collide.Tracker", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1, Log: true}, n)
		tr := new(collide.Tracker)
		testkit.Must(t, tr.Update(c.tree.View()))
		c.leave(few)
		update := func() {
			c.step()
			testkit.Must(t, tr.Update(c.tree.View()))
		}
		update()
		return shrunken{update, func() { c.tree.Trim(); tr.Trim() }, tr}
	}},
	{"collide.BudgetTracker", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1, Log: true}, n)
		w := &collide.BudgetTracker{Budget: 100}
		testkit.Must(t, w.Update(c.tree.View()))
		c.leave(few)
		update := func() {
			c.step()
			testkit.Must(t, w.Update(c.tree.View()))
		}
		update()
		return shrunken{update, func() { c.tree.Trim(); w.Trim() }, w}
	}},
	{"interest.Tracker, objects", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1, Log: true}, n)
		tr := &interest.Tracker{Workers: 1}
		tr.Add(areaAt(t, 50))
		testkit.Must(t, tr.Update(c.tree.View()))
		c.leave(few)
		update := func() {
			c.step()
			testkit.Must(t, tr.Update(c.tree.View()))
		}
		update()
		return shrunken{update, func() { c.tree.Trim(); tr.Trim() }, tr}
	}},
	{"interest.Tracker, viewers", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1, Log: true}, 100)
		tr := &interest.Tracker{Workers: 1}
		var viewers []uint32
		for i := range n {
			viewers = append(viewers, tr.Add(areaAt(t, float32(i%100))))
		}
		testkit.Must(t, tr.Update(c.tree.View()))
		for _, v := range viewers[few:] {
			testkit.Must(t, tr.Remove(v))
		}
		viewers = nil
		update := func() {
			c.step()
			testkit.Must(t, tr.Update(c.tree.View()))
		}
		update()
		return shrunken{update, func() { c.tree.Trim(); tr.Trim() }, tr}
	}},
	{"occlude.Culler", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1}, n)
		camera := query.Camera{Eye: [3]float64{50, 50, -50}, Forward: [3]float64{2: 1}, Up: [3]float64{1: 1}, FovY: 1, Aspect: 1, Near: 1, Far: 500}
		e, err := occlude.New(occlude.Config{Width: 64, Height: 64, OccluderMask: 1})
		testkit.Must(t, err)
		var ids []uint32
		look := func() {
			testkit.Must(t, e.SetCamera(camera))
			ids = e.Append(ids[:0], c.tree.View(), query.Filter{})
		}
		look()
		c.leave(few)
		for range 100 {
			look()
		}
		return shrunken{look, nil, e} // its memory holds pictures and remembered occluders
	}},
	{"query.BoxBatch", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1}, n)
		b := &query.BoxBatch{Workers: 1}
		boxes := make([]query.Box, max(n/4, few+1))
		for i := range boxes {
			var err error
			boxes[i], err = query.NewBox([3]float32{0, 0, float32(i % 100)}, [3]float32{9, 9, float32(i%100 + 9)})
			testkit.Must(t, err)
		}
		testkit.Must(t, b.Find(context.Background(), c.tree.View(), boxes, query.Filter{}))
		c.leave(few)
		boxes = slices.Clone(boxes[:few])
		find := func() { testkit.Must(t, b.Find(context.Background(), c.tree.View(), boxes, query.Filter{})) }
		find()
		return shrunken{find, func() { *b = query.BoxBatch{Workers: 1}; c.tree.Trim() }, b}
	}},
	{"collide.Batch", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1}, n)
		b := &collide.Batch{Workers: 1}
		var pairs []collide.Pair
		find := func() {
			var err error
			pairs, err = b.Append(context.Background(), pairs[:0], collide.Within(c.tree.View()), collide.Filter{})
			testkit.Must(t, err)
		}
		find()
		c.leave(few)
		find()
		return shrunken{find, func() { *b = collide.Batch{Workers: 1}; pairs = nil; c.tree.Trim() }, b}
	}},
	{"linear.Batch", func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, linear.Config{Workers: 1}, n)
		b := new(linear.Batch)
		apply := func() {
			b.Reset()
			for _, id := range c.ids {
				b.Move(id, c.anywhere())
			}
			_, err := c.tree.Apply(b)
			testkit.Must(t, err)
		}
		apply()
		c.leave(few)
		apply()
		return shrunken{apply, func() { *b = linear.Batch{}; c.tree.Trim() }, b}
	}},
}

// crowd is a tree whose objects are removed.
type denseScene struct {
	t    *testing.T
	tree *linear.Tree
	ids  []uint32
	rand func() float32
	to   []soa.AABB
}

func newDenseScene(t *testing.T, cfg linear.Config, n int) *denseScene {
	tree, err := linear.New(cfg)
	testkit.Must(t, err)
	c := &denseScene{t: t, tree: tree, rand: testkit.Rand(1).Float32}
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i] = soa.Object{Box: c.anywhere(), Mask: 1}
	}
	c.ids, err = tree.InsertBatch(nil, objects)
	testkit.Must(t, err)
	testkit.Must(t, tree.Tick())
	return c
}

func (c *denseScene) anywhere() soa.AABB { return anywhere(c.rand(), c.rand(), c.rand()) }

func anywhere(x, y, z float32) soa.AABB {
	return testkit.CubeAt([3]float32{100 * x, 100 * y, 100 * z}, 1)
}

// leave removes all but the first objects, and ticks for longer than any empty node is kept.
func (c *denseScene) leave(few int) {
	testkit.Must(c.t, c.tree.RemoveBatch(c.ids[few:]))
	c.ids = slices.Clone(c.ids[:few])
	for range 70 {
		testkit.Must(c.t, c.tree.Tick())
	}
}

// step moves half of the objects and ticks, several times: some ticks rebuild the tree, and others do not.
func (c *denseScene) step() {
	half := c.ids[:len(c.ids)/2]
	for range 8 {
		c.to = c.to[:0]
		for range half {
			c.to = append(c.to, c.anywhere())
		}
		testkit.Must(c.t, c.tree.MoveBatch(half, c.to))
		testkit.Must(c.t, c.tree.Tick())
	}
}

func treeOnceLarge(cfg linear.Config) func(t *testing.T, n, few int) shrunken {
	return func(t *testing.T, n, few int) shrunken {
		c := newDenseScene(t, cfg, n)
		c.leave(few)
		return shrunken{c.step, c.tree.Trim, c}
	}
}

// sceneOnceLarge makes a scene of many empty parts, in which the first part of every so many remains.
func sceneOnceLarge(every int) func(t *testing.T, n, few int) shrunken {
	return func(t *testing.T, n, few int) shrunken {
		s, err := linear.NewScene(linear.Config{Workers: 1})
		testkit.Must(t, err)
		var ids, gone []uint32
		parts := every*few + 1
		if n > few+1 {
			parts = max(n/8, 10_000)
		}
		for i := range parts {
			id, err := s.AddInstance(new(linear.Tree), moved(t, float64(i)), linear.InstanceOptions{})
			testkit.Must(t, err)
			if i%every == 0 && len(ids) < few {
				ids = append(ids, id)
			} else {
				gone = append(gone, id)
			}
		}
		testkit.Must(t, s.Tick())
		testkit.Must(t, s.RemoveBatch(gone))
		for range 4 {
			testkit.Must(t, s.Tick())
		}
		x := 0.0
		return shrunken{func() {
			x++
			for k, id := range ids {
				testkit.Must(t, s.Move(id, moved(t, x+float64(k))))
			}
			testkit.Must(t, s.Tick())
			s.View()
		}, s.Trim, s}
	}
}

func moved(t testing.TB, x float64) linear.Transform {
	p, err := linear.Similarity([3]float64{x, 0, 0}, [4]float64{3: 1}, 1)
	testkit.Must(t, err)
	return p
}

func areaAt(t *testing.T, x float32) interest.Area {
	a, err := interest.Sphere([3]float32{x, 50, 50}, 20, 25)
	testkit.Must(t, err)
	return a
}

// A structure that has shrunk works as fast as one that was never large: a frame executes at most 1.5 times as many
// statements, which the long form counts. After it has freed memory it is no larger.
func TestOnceLarge(t *testing.T) {
	const few, n = 64, 20_000
	var steps *testkit.StepCounter
	if testkit.Long(t) {
		steps = testkit.NewStepCounter(t)
	}
	for _, x := range onceLarge {
		t.Run(x.name, func(t *testing.T) {
			if steps != nil {
				frame := func(n int) func() func() {
					return func() func() { return x.make(t, n, few).frame }
				}
				if ratio := steps.Ratio(t, 20, frame(n), frame(few+1)); ratio > 1.5 {
					t.Errorf("a frame executes %.2f times as many statements, at most 1.5", ratio)
				}
			}
			for range 3 { // a new thread of the runtime, for one, takes some memory between two measurements
				large, small := x.make(t, testkit.Budget(t, n, 400_000), few), x.make(t, few+1, few)
				for range 300 {
					large.frame()
					small.frame()
				}
				if d, ok := large.keep.(onDisk); ok {
					if had, has := small.keep.(onDisk).bytes(t), d.bytes(t); 2*has > 3*had {
						t.Errorf("%d bytes of files, %d of one that was never large", has, had)
					}
				}
				if large.trim == nil {
					return
				}
				had, has := heapAfter(t, &small), heapAfter(t, &large)
				t.Logf("%d bytes after Trim, %d of one that was never large", has, had)
				if has <= had+had/10+16<<10 { // 16 KB: lists and blocks of different lengths
					return
				}
			}
			t.Error("it keeps memory after Trim")
		})
	}
}

// heapAfter frees memory, uses the structure once more, and returns the bytes that it alone keeps alive.
func heapAfter(t *testing.T, s *shrunken) int64 {
	s.trim()
	s.frame()
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	with := heap()
	if c, ok := s.keep.(io.Closer); ok {
		testkit.Must(t, c.Close())
	}
	*s = shrunken{}
	return with - heap()
}

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
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, objects(0, n), linear.DirectoryOptions{Shard: 2048, Workers: 1}))
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	testkit.Must(t, err)
	t.Cleanup(func() { d.Close() })
	everywhere, err := query.NewBox([3]float32{}, [3]float32{101, 101, 101})
	testkit.Must(t, err)
	all := soa.AABB{Max: [3]float32{101, 101, 101}}
	testkit.Must(t, d.Prepare(t.Context(), all))
	testkit.Must(t, d.Replace(t.Context(), nil, func(yield func(uint64) bool) {
		for i := few; i < n && yield(uint64(i)); i++ {
		}
	}))
	var answer scene.Answer
	frame := func() {
		testkit.Must(t, d.Prepare(t.Context(), all))
		answer.Reset()
		scene.Append(&answer, everywhere, d.View(), query.Filter{})
	}
	change := func() { testkit.Must(t, d.Replace(t.Context(), objects(0, few/2), nil)) }
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
	testkit.Must(t, err)
	for _, file := range files {
		info, err := file.Info()
		testkit.Must(t, err)
		bytes += info.Size()
	}
	return bytes
}
