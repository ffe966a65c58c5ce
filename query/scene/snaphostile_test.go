package scene_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// envSnapCases is the number of hostile files that TestSceneHostile makes.
const envSnapCases = "ZOCTREE_SNAP_CASES"

// spoil changes a few words of a file, half of them in the sections of scenes, some to words from elsewhere
// in the same section, and corrects the checksums.
func spoil(r *rand.Rand, file []byte) (what string) {
	e := binary.LittleEndian
	n := int(e.Uint32(file[24:]))
	sums, head := 64+64*n, int(e.Uint64(file[32:]))
	ofScene := map[string]bool{"Parts": true, "Ticks": true, "Entries": true, "FreeEntries": true, "InstanceEntries": true, "Transforms": true, "Reaches": true, "Due": true}
	for changes := 1 + r.IntN(3); changes > 0; {
		row := file[64+64*r.IntN(n):]
		name := string(bytes.TrimRight(row[:32], "\x00"))
		offset, size := e.Uint64(row[48:]), e.Uint64(row[56:])
		if size < 4 || !ofScene[name] && r.IntN(4) > 0 {
			continue
		}
		changes--
		at := r.Uint64N(size/4) * 4
		what += fmt.Sprintf("%s of %d at %d; ", name, e.Uint32(row[32:]), at)
		word := file[offset+at:]
		switch r.IntN(5) {
		case 0:
			word[r.IntN(4)] ^= 1 << r.IntN(8)
		case 1:
			e.PutUint32(word, r.Uint32N(12))
		case 2:
			e.PutUint32(word, r.Uint32())
		case 3:
			e.PutUint32(word, []uint32{1<<32 - 1, 0x7fc00000, 0x7f800000, 0xff7fffff, 0x7ff00000, 0}[r.IntN(6)])
		default:
			copy(word[:4], file[offset+r.Uint64N(size/4)*4:])
		}
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	for i := range n {
		row := file[64+64*i:]
		section := file[e.Uint64(row[48:]):][:e.Uint64(row[56:])]
		for len(section) > 0 {
			chunk := section[:min(len(section), 1<<18)]
			e.PutUint32(file[sums:], crc32.Checksum(chunk, table))
			section, sums = section[len(chunk):], sums+4
		}
	}
	e.PutUint32(file[56:], crc32.Checksum(file[64:head], table))
	e.PutUint32(file[60:], crc32.Checksum(file[:60], table))
	return what
}

// Corrupt scene files with valid checksums are rejected, or every query of them ends, without a panic or a
// fault, and finds no more objects than exist; a scene that is loaded from such a file is valid, and can be
// changed. ZOCTREE_SNAP_CASES is the number of files; a failure names the case, which is a function of the
// seed.
func TestSceneHostile(t *testing.T) {
	seed := testkit.Seed(t)
	count := testkit.Budget(t, 150, 2500)
	if text := os.Getenv(envSnapCases); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", envSnapCases, err)
		}
		count = n
	}
	debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(false)
	var files [][]byte
	for i := range 6 {
		rng := testkit.Rand(uint64(i))
		s := worldOf(t, rng, families[i%len(families)], 1+i%3, 6)
		if i%2 == 0 { // an entry without a part
			id := place(t, s, planted(t, rng, 1), linear.Transform{}, linear.InstanceOptions{})
			testkit.Must(t, s.Remove(id))
		}
		var file bytes.Buffer
		if _, err := s.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		files = append(files, file.Bytes())
	}
	files = append(files, manyInstances(t))
	accepted, loaded, crowdedScenes := 0, 0, 0
	for k := range count {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		file := bytes.Clone(files[r.IntN(len(files))])
		told := fmt.Sprintf("seed %d, case %d, ", seed, k) + spoil(r, file)
		done := time.AfterFunc(5*time.Minute, func() { panic(told + "no end") })
		ok, whole, many, fault := hostileScene(t, r, file)
		done.Stop()
		if fault != "" {
			t.Errorf("%s: %s", told, fault)
		}
		if ok {
			accepted++
		}
		if whole {
			loaded++
		}
		if many {
			crowdedScenes++
		}
	}
	t.Logf("%d files, %d accepted, %d of them of a throng, %d loaded", count, accepted, crowdedScenes, loaded)
	if accepted == 0 || accepted == count || count >= 500 && crowdedScenes == 0 || loaded == 0 {
		t.Errorf("%d files, %d accepted, %d of them of a throng, %d loaded", count, accepted, crowdedScenes, loaded)
	}
}

// throng returns a small file of a scene with more objects than are ever listed: nested scenes.
func manyInstances(t *testing.T) []byte {
	rng := testkit.Rand(99)
	var part linear.Part = planted(t, rng, 30)
	for range 4 {
		s := newScene(t)
		for range 8 {
			place(t, s, part, transformOf(rng, "turned"), linear.InstanceOptions{})
		}
		testkit.Must(t, s.Tick())
		part = s
	}
	var file bytes.Buffer
	if _, err := part.(*linear.Scene).WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// hostileScene opens a file, queries it, and loads it.
func hostileScene(t *testing.T, r *rand.Rand, file []byte) (ok, whole, many bool, fault string) {
	defer func() {
		if e := recover(); e != nil {
			fault = fmt.Sprintf("%v\n%s", e, debug.Stack())
		}
	}()
	f, err := linear.SceneFromBytes(file, linear.CheckSafe)
	if err != nil {
		return false, false, false, ""
	}
	v := f.View()
	many = v.Total() > mostListed
	if fault := askAll(t, r, v); fault != "" {
		return true, false, many, fault
	}
	s, err := f.Load()
	if err != nil {
		return true, false, many, ""
	}
	for range 4 {
		if p, _, ok := s.Instance(r.Uint32N(6)); ok {
			_, _ = s.AddInstance(p, transformOf(r, families[r.IntN(len(families))]), linear.InstanceOptions{Turns: r.IntN(2) == 0})
		}
		_ = s.Move(r.Uint32N(6), transformOf(r, families[r.IntN(len(families))]))
		_ = s.Remove(r.Uint32N(6))
		_, _ = s.Tree().InsertBatch(nil, objectsOf(r, 5))
		_ = s.Tick() // instances may get boxes that are not finite
	}
	if err := s.Validate(); err != nil {
		return true, true, many, err.Error()
	}
	return true, true, many, askAll(t, r, s.View())
}

// mostListed is the largest number of objects of a scene that are listed: all the scenes here except one
// with many instances have less, for any content of a file.
const mostListed = 100_000

// askAll queries a scene in all forms, one with many instances only in forms whose results may be
// incomplete, and returns the impossible results.
func askAll(t *testing.T, r *rand.Rand, v linear.SceneView) (fault string) {
	ask := askListed
	if v.Total() > mostListed {
		ask = askSome
	}
	if fault := ask(t, r, v); fault != "" {
		return fault
	}
	near, err := scene.AppendNearest(nil, v, [3]float32{1, 2, 3}, 30, 1e9, query.Filter{})
	if err != nil || uint64(len(near)) > v.Total() {
		return fmt.Sprintf("%d nearest of %d, %v", len(near), v.Total(), err)
	}
	scene.First(rayThrough(t), v, query.Filter{})
	return ""
}

func rayThrough(t *testing.T) query.Ray {
	ray := queries.Ray(t, [3]float32{-50, 1, 1}, [3]float32{1, 0.01, 0.02}, 1e6)
	return ray
}

func askSome(t *testing.T, r *rand.Rand, v linear.SceneView) (fault string) {
	for _, q := range volumesAt(t, r, [3]float64{}, [3]float64{1, 2, 3}, 10) {
		n := 0
		q.each(v, query.Filter{}, func(scene.Path, uint32) bool { n++; return n < 1000 })
		if some := q.any(v, query.Filter{}); some != (n > 0) || n > 1000 {
			return fmt.Sprintf("%s finds %d, and any %v", q.name, n, some)
		}
	}
	return ""
}

func askListed(t *testing.T, r *rand.Rand, v linear.SceneView) (fault string) {
	total := v.Total()
	var a scene.Answer
	for _, q := range volumesAt(t, r, [3]float64{}, [3]float64{1, 2, 3}, 10) {
		a.Reset()
		q.append(&a, v, query.Filter{})
		n := uint64(0)
		q.each(v, query.Filter{}, func(scene.Path, uint32) bool { n++; return n <= total })
		q.any(v, query.Filter{Mask: 1})
		q.tell(v, query.Filter{}, nil)
		if k := q.count(v, query.Filter{}); uint64(a.Len()) > total || n > total || k > total {
			return fmt.Sprintf("%s finds %d, %d and counts %d of %d objects", q.name, a.Len(), n, k, total)
		}
	}
	if hits := scene.AppendHits(nil, rayThrough(t), v, query.Filter{}); uint64(len(hits)) > total {
		return fmt.Sprintf("%d hits of %d", len(hits), total)
	}
	if total < 2000 {
		scene.AppendPairs(nil, v, scene.PairFilter{})
	}
	return ""
}

// Random changes of a scene and its parts, with ticks between: the structure is valid, volumes return the
// results of the reference, and a volume that holds everything returns every object.
func TestChanges(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	outgrown := 0
	for range testkit.Budget(t, 3, 100) {
		outer, inner := newScene(t), newScene(t)
		parts := []*linear.Tree{planted(t, rng, 3), planted(t, rng, 60), planted(t, rng, 0)}
		var ids []uint32
		for range 60 {
			switch k := rng.IntN(len(parts)); rng.IntN(8) {
			case 0, 1:
				ids = append(ids, place(t, outer, parts[k], transformOf(rng, families[rng.IntN(len(families))]), linear.InstanceOptions{}))
			case 2:
				ids = append(ids, place(t, outer, inner, transformOf(rng, "turned"), linear.InstanceOptions{Turns: true}))
			case 3:
				place(t, inner, parts[k], transformOf(rng, "affine"), linear.InstanceOptions{Mask: 3})
			case 4:
				trees.Insert(t, parts[k], objectsOf(rng, 1+rng.IntN(5)))
			case 5:
				if len(ids) > 0 {
					testkit.Must(t, outer.Move(ids[rng.IntN(len(ids))], transformOf(rng, "mirrored")))
				}
			case 6:
				if n := len(ids); n > 0 {
					at := rng.IntN(n)
					testkit.Must(t, outer.Remove(ids[at]))
					ids = slices.Delete(ids, at, at+1)
				}
			default:
				testkit.Must(t, outer.Tick())
			}
			v := outer.View()
			outgrown += len(v.Outgrown())
			if got := scene.Count(query.Frustum{}, v, query.Filter{}); got != v.Total() {
				t.Fatalf("%d objects are in everything, want %d", got, v.Total())
			}
			all := spots(v)
			center, corner, size, ok := targetOf(rng, all)
			if !ok {
				continue
			}
			for _, q := range volumesAt(t, rng, center, corner, size) {
				f := someFilter(rng)
				w := reference{filter: f}
				w.visit(spot{view: v}, q.opened, true)
				var a scene.Answer
				q.append(&a, v, f)
				if got := runsOf(&a); !slices.EqualFunc(got, w.runs, func(x, y run) bool { return x.path == y.path && slices.Equal(x.ids, y.ids) }) {
					t.Fatalf("%s %+v: %v, want %v", q.name, f, got, w.runs)
				}
			}
		}
		testkit.Must(t, outer.Validate())
	}
	if outgrown == 0 {
		t.Error("no part has outgrown a box")
	}
}

// A view ends with the next change, of the scene or of a part, in the middle of an iteration
// as well.
func TestStaleViews(t *testing.T) {
	tree, s := trees.Plant(t, objectsOf(testkit.Rand(1), 50), false), newScene(t)
	place(t, s, tree, translation(t, 1, 2, 3), linear.InstanceOptions{})
	ray := queries.Ray(t, [3]float32{-100, 0, 0}, [3]float32{1, 0, 0}, 300)
	change := func() {
		testkit.Must(t, tree.Remove(tree.View().IDs(0)[0]))
	}
	panics := func(what string, f func()) {
		t.Helper()
		if testkit.Panic(f) == nil {
			t.Errorf("%s does not panic", what)
		}
	}
	v := s.View()
	change()
	var a scene.Answer
	panics("Append", func() { scene.Append(&a, query.Frustum{}, v, query.Filter{}) })
	panics("Count", func() { scene.Count(query.Frustum{}, v, query.Filter{}) })
	panics("Nearest", func() { scene.First(ray, v, query.Filter{}) })
	panics("All", func() {
		for range scene.All(query.Frustum{}, s.View(), query.Filter{}) {
			change()
		}
	})
	panics("Ranges", func() {
		scene.Ranges(query.Frustum{}, s.View(), query.Filter{}, func(scene.Part, query.Range) bool { change(); return true })
	})
	panics("a motion that is none", func() { scene.Any(query.Frustum{}, s.View(), query.Filter{Motion: 9}) })
	panics("a path too long", func() { scene.PathOf(make([]uint32, linear.MaxDepth+1)...) })
}

// Any number of goroutines query one view.
func TestManyReaders(t *testing.T) {
	rng := testkit.Rand(2)
	s := worldOf(t, rng, "turned", 2, 20)
	v := s.View()
	center, corner, size, ok := targetOf(rng, spots(v))
	if !ok {
		t.Fatal("an empty scene")
	}
	qs, rays := volumesAt(t, rng, center, corner, size*4), sweptAt(t, rng, center, corner, size*4)
	var want []uint64
	for _, q := range qs {
		want = append(want, q.count(v, query.Filter{}))
	}
	hits := len(rays[0].append(nil, v, query.Filter{}))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				for i, q := range qs {
					if got := q.count(v, query.Filter{}); got != want[i] {
						t.Errorf("%s: %d, want %d", q.name, got, want[i])
					}
				}
				if got := len(rays[0].append(nil, v, query.Filter{})); got != hits {
					t.Errorf("%d hits, want %d", got, hits)
				}
			}
		})
	}
	group.Wait()
}

// The heat of all parts adds up to the counters.
func TestHeat(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := worldOf(t, rng, "turned", 3, 20)
	testkit.Must(t, s.Tick())
	v := s.View()
	places, visits := 0, 0
	for range 20 {
		center, corner, size, ok := targetOf(rng, spots(v))
		if !ok {
			t.Fatal("an empty scene")
		}
		check := func(name string, tell func(h *scene.Heat) scene.Counters) {
			h := scene.NewHeat(v)
			c := tell(h)
			nodes, packets := 0, 0
			for _, list := range [][]*query.Heat{h.Objects, h.Instances} {
				for _, part := range list {
					for _, n := range part.Nodes {
						nodes += int(n)
					}
					for _, n := range part.Slots {
						packets += int(n)
					}
				}
			}
			if nodes != c.Nodes || packets != c.Packets {
				t.Fatalf("%s: heat of %d nodes and %d packets, counted are %+v", name, nodes, packets, c)
			}
			if twice := c.Add(c); twice.Instances != 2*c.Instances || twice.Nodes != 2*c.Nodes || twice.Whole != 2*c.Whole {
				t.Fatalf("twice %+v is %+v", c, twice)
			}
			places += c.Instances
			visits += packets
		}
		for _, q := range volumesAt(t, rng, center, corner, size*4) {
			check(q.name, func(h *scene.Heat) scene.Counters { return q.tell(v, query.Filter{Mask: uint32(rng.IntN(4))}, h) })
		}
		for _, q := range sweptAt(t, rng, center, corner, size*4) {
			check(q.name, func(h *scene.Heat) scene.Counters { return q.tell(v, query.Filter{}, h) })
		}
	}
	if places == 0 || visits == 0 {
		t.Errorf("%d places, %d packets", places, visits)
	}
}

// Paths resolve to their instances, and answers hold the transforms.
func TestPaths(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := worldOf(t, rng, "turned", 3, 9)
	v := s.View()
	all := spots(v)
	for _, at := range all {
		part, transform, err := at.path.Instance(v)
		if err != nil || part.Bounds() != at.view.Bounds() {
			t.Fatalf("%v leads to %v, %v", at.path, part, err)
		}
		want := linear.Transform{}
		for i := len(at.transforms) - 1; i >= 0; i-- {
			if want, err = want.Then(*at.transforms[i]); err != nil {
				t.Fatal(err)
			}
		}
		p, q := transform.Point([3]float64{1, 2, 3}), want.Point([3]float64{1, 2, 3})
		for a := range 3 {
			if d := p[a] - q[a]; d > 1e-9 || d < -1e-9 {
				t.Fatalf("%v: pose %v, want %v", at.path, transform.Rows(), want.Rows())
			}
		}
		if at.path.Len() != len(at.ids) || !slices.Equal(slices.Collect(at.path.All()), at.ids) {
			t.Fatalf("%v of %v", at.path, at.ids)
		}
		for i, id := range at.ids {
			if at.path.At(i) != id {
				t.Fatalf("place %d of %v, want %d", i, at.path, id)
			}
		}
	}
	if !slices.IsSortedFunc(all, func(a, b spot) int { return a.path.Compare(b.path) }) {
		slices.SortFunc(all, func(a, b spot) int { return a.path.Compare(b.path) })
	}
	for i := 1; i < len(all); i++ {
		if all[i-1].path.Compare(all[i].path) >= 0 || all[i].path.Compare(all[i-1].path) <= 0 {
			t.Fatalf("%v and %v", all[i-1].path, all[i].path)
		}
	}
	if _, _, err := scene.PathOf(1 << 20).Instance(v); err == nil {
		t.Error("a path to nowhere leads somewhere")
	}
	var a scene.Answer
	scene.Append(&a, query.Frustum{}, v, query.Filter{})
	for p := range a.All() {
		path := a.Path(p)
		_, transform, err := path.Instance(v)
		got, err2 := a.Transform(p)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		x, y := got.Point([3]float64{1, 2, 3}), transform.Point([3]float64{1, 2, 3})
		for k := range 3 {
			if d := x[k] - y[k]; d > 1e-9 || d < -1e-9 {
				t.Fatalf("%v: pose %v, want %v", path, got.Rows(), transform.Rows())
			}
		}
		outer, id := a.In(p)
		if path.Len() > 0 && (id != path.At(path.Len()-1) || a.Path(outer).Len() != path.Len()-1) {
			t.Fatalf("%v is %d in %v", path, id, a.Path(outer))
		}
		if _, ok := a.Part(p); ok != (path.Len() > 0) {
			t.Fatalf("%v: part %v", path, ok)
		}
	}
}
