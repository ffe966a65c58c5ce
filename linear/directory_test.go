package linear_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// numberOf is the number of the test object at an index: not its index.
func numberOf(i int) uint64 { return uint64(i)*7919 + 5 }

// numberedAll returns objects as a stream.
func numberedAll(objects []soa.Object) iter.Seq2[uint64, soa.Object] {
	return func(yield func(uint64, soa.Object) bool) {
		for i, o := range objects {
			if !yield(numberOf(i), o) {
				return
			}
		}
	}
}

// everywhere holds all boxes.
var everywhere = soa.AABB{
	Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
	Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
}

func openedDirectory(t testing.TB, path string) *linear.Directory {
	t.Helper()
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// created makes a directory and opens it with all in its view.
func created(t testing.TB, objects iter.Seq2[uint64, soa.Object], opt linear.DirectoryOptions) *linear.Directory {
	t.Helper()
	path := filepath.Join(t.TempDir(), "directory")
	must(t, linear.CreateDirectory(t.Context(), path, objects, opt))
	d := openedDirectory(t, path)
	must(t, d.Prepare(t.Context(), everywhere))
	return d
}

// contents returns all that is in the view of a directory, by numbers.
func contents(t testing.TB, d *linear.Directory) map[uint64]soa.Object {
	t.Helper()
	all := map[uint64]soa.Object{}
	v := d.View()
	for _, shard := range allOf(v.Places()) {
		part, _, _ := v.Place(shard)
		for _, id := range allOf(part.Objects()) {
			n, ok := d.Global(shard, id)
			if _, twice := all[n]; twice || !ok {
				t.Fatalf("object %d of shard %d has the number %d, %v, in the view twice: %v", id, shard, n, ok, twice)
			}
			all[n], _ = part.Objects().Object(id)
		}
	}
	if v.Total() != uint64(len(all)) {
		t.Fatalf("%d objects of %d", len(all), v.Total())
	}
	return all
}

// holds checks that a directory has these objects, all of them in its view.
func holds(t testing.TB, d *linear.Directory, want map[uint64]soa.Object) {
	t.Helper()
	if got := contents(t, d); !maps.Equal(got, want) || d.Len() != uint64(len(want)) {
		t.Fatalf("%d objects in view, %d in all, want %d, or they are others", len(got), d.Len(), len(want))
	}
}

// filesOf returns the names of files in a folder.
func filesOf(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// tidy checks that a folder has the files of the directory, and no others.
func tidy(t testing.TB, path string, d *linear.Directory) {
	t.Helper()
	var want []string
	for _, s := range d.Shards() {
		want = append(want, filepath.Base(s.Path))
	}
	want = append(want, "manifest")
	slices.Sort(want)
	if got := filesOf(t, path); !slices.Equal(got, want) {
		t.Fatalf("files %v, want %v", got, want)
	}
}

// What is refused leaves nothing.
func TestDirectoryCreateRefuses(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	bad := slices.Clone(objects)
	bad[2999].Box.Max[2] = float32(math.NaN())
	twice := func(yield func(uint64, soa.Object) bool) {
		for i := range 10 {
			if !yield(uint64(i/2), objects[i]) {
				return
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx     context.Context
		objects iter.Seq2[uint64, soa.Object]
		opt     linear.DirectoryOptions
		want    string
	}{
		"NaN":    {nil, numberedAll(bad), linear.DirectoryOptions{}, fmt.Sprint("number ", numberOf(2999))},
		"twice":  {nil, twice, linear.DirectoryOptions{}, "number 0"},
		"shard":  {nil, twice, linear.DirectoryOptions{Shard: -1}, "Shard -1"},
		"world":  {nil, numberedAll(objects), linear.DirectoryOptions{World: soa.Empty()}, "no world"},
		"cancel": {ctx, numberedAll(objects), linear.DirectoryOptions{Shard: 8, Progress: func(taken, done uint64) { cancel() }}, "canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			err := linear.CreateDirectory(c.ctx, filepath.Join(folder, "d"), c.objects, c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, not with %q", err, c.want)
			}
			if names := filesOf(t, folder); len(names) > 0 {
				t.Errorf("files %v are left", names)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "d")
	must(t, linear.CreateDirectory(nil, path, numberedAll(objects), linear.DirectoryOptions{}))
	if err := linear.CreateDirectory(nil, path, numberedAll(objects), linear.DirectoryOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory that is there: %v", err)
	}
	if _, err := linear.OpenDirectory(path, linear.CheckNone+1); err == nil {
		t.Error("a level that there is not")
	}
	if _, err := linear.OpenDirectory(filepath.Join(path, "none"), linear.CheckSafe); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic of the stream is lost")
		}
		if names := filesOf(t, filepath.Dir(path)); !slices.Equal(names, []string{"d"}) {
			t.Errorf("files %v are left", names)
		}
	}()
	_ = linear.CreateDirectory(nil, path+"2", func(func(uint64, soa.Object) bool) { panic("stream") }, linear.DirectoryOptions{})
}

// The files are a function of the set of objects, whatever the order, the memory, and the
// number of workers.
func TestDirectoryFiles(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(120_000, 1)
	if testing.Short() {
		objects = objects[:105_000]
	}
	backward := func(yield func(uint64, soa.Object) bool) {
		for i := range objects {
			k := len(objects) - 1 - i
			if !yield(numberOf(k), objects[k]) {
				return
			}
		}
	}
	world := soa.AABB{Max: [3]float32{150, 150, 150}}
	read := func(objects iter.Seq2[uint64, soa.Object], opt linear.DirectoryOptions) (all string) {
		path := filepath.Join(t.TempDir(), "d")
		opt.Shard, opt.World = 20_000, world
		var taken, done uint64
		opt.Progress = func(a, b uint64) {
			if a < taken || b < done || b > a {
				t.Errorf("progress %d %d after %d %d", a, b, taken, done)
			}
			taken, done = a, b
		}
		must(t, linear.CreateDirectory(t.Context(), path, objects, opt))
		if done != taken || done < 105_000 {
			t.Errorf("%d objects of %d are done", done, taken)
		}
		for _, name := range filesOf(t, path) {
			b, err := os.ReadFile(filepath.Join(path, name))
			must(t, err)
			all += name + string(b)
		}
		return all
	}
	want := read(numberedAll(objects), linear.DirectoryOptions{Workers: 1})
	if read(backward, linear.DirectoryOptions{Workers: 3}) != want {
		t.Error("other files by another order")
	}
}

// damage is done to a shard.
var damages = map[string]func(t testing.TB, path, other string){
	"lost":    func(t testing.TB, path, other string) { must(t, os.Remove(path)) },
	"cut":     func(t testing.TB, path, other string) { must(t, os.Truncate(path, 5000)) },
	"empty":   func(t testing.TB, path, other string) { must(t, os.Truncate(path, 0)) },
	"swapped": func(t testing.TB, path, other string) { must(t, os.Rename(other, path)) },
	"bit": func(t testing.TB, path, other string) {
		b, err := os.ReadFile(path)
		must(t, err)
		b[len(b)-3] ^= 4
		must(t, os.WriteFile(path, b, 0o666))
	},
	"folder": func(t testing.TB, path, other string) {
		must(t, os.Remove(path))
		must(t, os.Mkdir(path, 0o777))
	},
}

// A shard that is lost or damaged is an error that names it, of what comes to it, and of
// nothing else.
func TestDirectoryDamage(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	for name, do := range damages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d")
			must(t, linear.CreateDirectory(t.Context(), path, numberedAll(objects), linear.DirectoryOptions{Shard: 60}))
			d := openedDirectory(t, path)
			shards := d.Shards()
			k := len(shards) / 2
			do(t, shards[k].Path, shards[k+1].Path)
			err := d.Prepare(t.Context(), everywhere)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("shard %d, %s", k, shards[k].Path)) {
				t.Fatalf("shard %d: %v", k, err)
			}
			if name == "lost" && !errors.Is(err, fs.ErrNotExist) || (name == "cut" || name == "bit" || name == "swapped") && !errors.Is(err, linear.ErrSnapshot) {
				t.Errorf("another error: %v", err)
			}
			lost := 1
			if name == "swapped" {
				lost = 2
			}
			if n, _ := d.Missing(everywhere); n != lost || d.Shards()[k].Prepared {
				t.Errorf("%d shards are missing", n)
			}
			got := d.View().Total()
			if _, missing := d.Missing(everywhere); got+missing != 1000 {
				t.Errorf("%d objects in view, %d missing", got, missing)
			}
			if err := d.Prepare(t.Context(), everywhere); err == nil {
				t.Error("the second time it is none")
			}
			// An object of it cannot be changed; others can.
			there, i := contents(t, d), 0
			for _, ok := there[numberOf(i)]; ok; _, ok = there[numberOf(i)] {
				i++
			}
			if err := d.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(i)})); err == nil || !strings.Contains(err.Error(), "shard") || d.Sequence() != 1 {
				t.Errorf("an object of it is gone: %v", err)
			}
		})
	}
}

// What fails at an operation on the disk, whichever it is, leaves nothing, or all as it was.
func TestDirectoryDisk(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(40, 1)
	folder := t.TempDir()
	failing := errors.New("no disk")
	opt := linear.DirectoryOptions{Shard: 8, Workers: 1}
	var ops []string
	failAt := func(k int) func(op, path string) error {
		ops = nil
		return func(op, path string) error {
			ops = append(ops, op)
			if len(ops)-1 == k {
				return failing
			}
			return nil
		}
	}
	for k := 0; ; k++ {
		path := filepath.Join(folder, fmt.Sprint(k))
		err := linear.CreateDirectoryBefore(failAt(k), path, numberedAll(objects), opt)
		if len(ops) <= k {
			must(t, err)
			break
		}
		last := ops[k] == "syncfolder" && slices.Index(ops, "rename") < k && slices.Contains(ops[:k], "rename") && len(filesOf(t, folder)) > 0
		if !errors.Is(err, failing) || len(filesOf(t, folder)) > 0 != last {
			t.Fatalf("operation %d, %s: %v, files %v", k, ops[k], err, filesOf(t, folder))
		}
		if last {
			must(t, os.RemoveAll(path))
		}
	}
	if n := len(ops); n < 30 {
		t.Errorf("%d operations: %v", n, ops)
	}

	h := map[uint64]soa.Object{}
	for i, o := range objects {
		h[numberOf(i)] = o
	}
	for k := 0; ; k++ {
		path := filepath.Join(t.TempDir(), "d")
		must(t, linear.CreateDirectory(t.Context(), path, maps.All(h), opt))
		d := openedDirectory(t, path)
		must(t, d.Prepare(t.Context(), everywhere))
		after := maps.Clone(h)
		gone := []uint64{numberOf(3)}
		delete(after, gone[0])
		change := map[uint64]soa.Object{9: objects[7]}
		after[9] = objects[7]
		d.Before(failAt(k))
		err := d.Replace(t.Context(), maps.All(change), slices.Values(gone))
		d.Before(nil)
		if len(ops) <= k {
			must(t, err)
			holds(t, d, after)
			break
		}
		if !errors.Is(err, failing) {
			t.Fatalf("operation %d, %s: %v", k, ops[k], err)
		}
		renamed := slices.Index(ops[:k], "rename") >= 0
		if renamed { // it was the sync of the folder
			holds(t, d, after)
		} else {
			holds(t, d, h)
			tidy(t, path, d)
		}
		// The next call works, and sweeps up.
		state := after
		if !renamed {
			must(t, d.Replace(t.Context(), maps.All(change), slices.Values(gone)))
		} else {
			must(t, d.Replace(t.Context(), maps.All(change), nil))
		}
		holds(t, d, state)
		tidy(t, path, d)
	}
}

// Files that a process has left which died in Replace are removed by the next one.
func TestDirectoryLeftovers(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 30})
	shards := d.Shards()
	folder := filepath.Dir(shards[0].Path)
	for _, name := range []string{"00000000000000ff.shard", "manifest.tmp", "notes.txt"} {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte("left"), 0o666))
	}
	must(t, d.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(5)})))
	must(t, os.Remove(filepath.Join(folder, "notes.txt"))) // which is not ours
	tidy(t, folder, d)
}

// Manifests that say what cannot be are refused.
func TestDirectoryManifest(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 20})
	sound := d.Manifest(nil)
	if again, err := linear.ParseManifest(sound); err != nil || !slices.Equal(again, sound) {
		t.Fatalf("it is not read back: %v", err)
	}
	nan := float32(math.NaN())
	for name, change := range map[string]func(m *linear.ManifestOf){
		"sequence": func(m *linear.ManifestOf) { m.Sequence = 0 },
		"shard":    func(m *linear.ManifestOf) { m.Shard = 0 },
		"large":    func(m *linear.ManifestOf) { m.Shard = 1 << 25 },
		"next":     func(m *linear.ManifestOf) { m.Next-- },
		"begin":    func(m *linear.ManifestOf) { m.Rows[0].First = 1 },
		"order":    func(m *linear.ManifestOf) { m.Rows[2].First = m.Rows[1].First - 1 },
		"key":      func(m *linear.ManifestOf) { m.Rows[len(m.Rows)-1].First = 1 << 63 },
		"twice":    func(m *linear.ManifestOf) { m.Rows[1].File = m.Rows[0].File },
		"none":     func(m *linear.ManifestOf) { m.Rows[1].Count = 0 },
		"many":     func(m *linear.ManifestOf) { m.Rows[1].Count = 1 << 40 },
		"least":    func(m *linear.ManifestOf) { m.Rows[1].Least = m.Rows[1].Most + 1 },
		"few":      func(m *linear.ManifestOf) { m.Rows[1].Most = m.Rows[1].Least + m.Rows[1].Count - 2 },
		"NaN":      func(m *linear.ManifestOf) { m.Rows[1].Box[2] = nan },
		"inverted": func(m *linear.ManifestOf) { m.Rows[1].Box[3] = m.Rows[1].Box[0] - 1 },
		"bytes":    func(m *linear.ManifestOf) { m.Rows[1].Bytes = 1 << 63 },
	} {
		if _, err := linear.ParseManifest(d.Manifest(change)); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range sound {
		if _, err := linear.ParseManifest(sound[:i]); err == nil {
			t.Errorf("%d bytes of %d are a manifest", i, len(sound))
		}
		b := slices.Clone(sound)
		b[i] ^= 1 << (i % 8)
		if _, err := linear.ParseManifest(b); err == nil {
			t.Errorf("byte %d is nothing to it", i)
		}
	}
	// A manifest that lies about a shard.
	folder := filepath.Dir(d.Shards()[0].Path)
	for name, change := range map[string]func(m *linear.ManifestOf){
		"count": func(m *linear.ManifestOf) { m.Rows[1].Count-- },
		"box":   func(m *linear.ManifestOf) { m.Rows[1].Box[3]++ },
		"bytes": func(m *linear.ManifestOf) { m.Rows[1].Bytes++ },
		"sums":  func(m *linear.ManifestOf) { m.Rows[1].Sums++ },
	} {
		must(t, os.WriteFile(filepath.Join(folder, "manifest"), d.Manifest(change), 0o666))
		lying := openedDirectory(t, folder)
		if err := lying.Prepare(t.Context(), everywhere); err == nil || !strings.Contains(err.Error(), "shard 1, ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the bytes are, they are refused, or a manifest that is consistent.
func FuzzDirectoryManifest(f *testing.F) {
	objects := testkit.SceneByName(f, "uniform").Make(60, 1)
	path := filepath.Join(f.TempDir(), "d")
	must(f, linear.CreateDirectory(context.Background(), path, numberedAll(objects), linear.DirectoryOptions{Shard: 20}))
	d, err := linear.OpenDirectory(path, linear.CheckNone)
	must(f, err)
	f.Add(uint16(0), uint64(0), []byte{})
	f.Add(uint16(300), uint64(1)<<63, d.Manifest(nil))
	f.Fuzz(func(t *testing.T, at uint16, word uint64, bytes []byte) {
		_, _ = linear.ParseManifest(bytes)
		// A word of the rows, with sums that are right.
		b := d.Manifest(func(m *linear.ManifestOf) {
			r := &m.Rows[int(at)%len(m.Rows)]
			switch at / 64 % 8 {
			case 0:
				r.File = word
			case 1:
				r.Bytes = word
			case 2:
				r.First = word
			case 3:
				r.Least = word
			case 4:
				r.Most = word
			case 5:
				r.Count = word
			case 6:
				r.Box[at%6] = math.Float32frombits(uint32(word))
			case 7:
				m.Next = word
			}
		})
		again, err := linear.ParseManifest(b)
		if err == nil && !slices.Equal(again, b) {
			t.Error("a manifest reads back as another one")
		}
	})
}

// anonymous returns the bytes of memory that the process has to itself.
func anonymous(t testing.TB) (bytes uint64) {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if text, ok := strings.CutPrefix(s.Text(), "RssAnon:"); ok {
			fmt.Sscan(text, &bytes)
			return bytes * 1024
		}
	}
	t.Skip("the system does not tell")
	return 0
}

// Memory does not grow with the stream: heaps are looked at while 1 M objects, 40 MB, are made
// in 4 MiB; and while all of it is prepared.
func TestDirectoryMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a long stream")
	}
	const n = 1_000_000
	rng := testkit.Rand(1)
	stream := func(yield func(uint64, soa.Object) bool) {
		for i := range uint64(n) {
			var o soa.Object
			for a := range 3 {
				o.Box.Min[a] = rng.Float32() * 300
				o.Box.Max[a] = o.Box.Min[a] + 1
			}
			if !yield(i, o) {
				return
			}
		}
	}
	path := filepath.Join(t.TempDir(), "d")
	runtime.GC()
	before, most := anonymous(t), uint64(0)
	must(t, linear.CreateDirectory(t.Context(), path, stream, linear.DirectoryOptions{
		Shard: 4096, Memory: 4 << 20, Workers: 2,
		Progress: func(taken, done uint64) { most = max(most, anonymous(t)) },
	}))
	if grown := most - min(before, most); grown > 40<<20 {
		t.Errorf("the process has grown by %d MB", grown>>20)
	} else {
		t.Logf("the process has grown by %d MB", grown>>20)
	}
	d := openedDirectory(t, path)
	must(t, d.Prepare(t.Context(), everywhere))
	if got := d.View().Total(); got != n {
		t.Errorf("%d objects", got)
	}
	runtime.GC()
	after := anonymous(t)
	t.Logf("%d shards prepared: %d bytes each", len(d.Shards()), (int64(after)-int64(before))/int64(len(d.Shards())))
}
