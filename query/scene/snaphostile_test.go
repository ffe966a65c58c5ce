package scene_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
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
