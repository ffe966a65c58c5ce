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
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// numberOf maps the index of a test object to a number different from the index.
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

// everywhere contains all boxes.
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

// created makes a directory and opens it with all shards in its view.
func created(t testing.TB, objects iter.Seq2[uint64, soa.Object], opt linear.DirectoryOptions) *linear.Directory {
	t.Helper()
	path := filepath.Join(t.TempDir(), "directory")
	must(t, linear.CreateDirectory(t.Context(), path, objects, opt))
	d := openedDirectory(t, path)
	must(t, d.Prepare(t.Context(), everywhere))
	return d
}

// contents returns all objects in the view of a directory, by number.
func contents(t testing.TB, d *linear.Directory) map[uint64]soa.Object {
	t.Helper()
	all := map[uint64]soa.Object{}
	v := d.View()
	for _, shard := range allOf(v.Instances()) {
		part, _, _ := v.Instance(shard)
		for _, id := range allOf(part.Objects()) {
			n, ok := d.Global(shard, id)
			if _, twice := all[n]; twice || !ok {
				t.Fatalf("object %d of shard %d has the number %d, %v, in the view twice: %v", id, shard, n, ok, twice)
			}
			if s, same, ok := d.Lookup(n); s != shard || same != id || !ok {
				t.Fatalf("object %d of shard %d has the number %d, which is that of %d of %d, %v", id, shard, n, same, s, ok)
			}
			all[n], _ = part.Objects().Object(id)
		}
	}
	if v.Total() != uint64(len(all)) {
		t.Fatalf("%d objects of %d", len(all), v.Total())
	}
	return all
}

// holds checks that a directory has exactly these objects, all of them in its view.
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

// tidy checks that a folder contains only the files of the directory.
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

// A rejected CreateDirectory leaves no files.
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
		"small":  {nil, twice, linear.DirectoryOptions{Shard: 15}, "Shard 15"},
		"world":  {nil, numberedAll(objects), linear.DirectoryOptions{World: soa.Empty()}, "no world"},
		"cancel": {ctx, numberedAll(objects), linear.DirectoryOptions{Shard: 16, Progress: func(taken, done uint64) { cancel() }}, "canceled"},
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

// The files are a function of the set of objects, independent of the order, the memory and the number of
// workers.
func TestDirectoryFiles(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(120_000, 1)
	if !testkit.Long(t) {
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

// Every object is stored exactly once, for any number of passes and any keys.
func TestDirectoryPasses(t *testing.T) {
	n, shard := 200_000, 5000
	if !testkit.Long(t) {
		defer linear.SetMemoryMin(linear.SetMemoryMin(1 << 18))
		n, shard = 6000, 400 // still more than the memory holds
	}
	if most := linear.RecordsInMemory(linear.DirectoryOptions{Shard: shard, Memory: 1}); int64(n) <= most {
		t.Fatalf("%d objects, the memory holds %d", n, most)
	}
	for _, name := range []string{"clustered", "identical", "far"} {
		t.Run(name, func(t *testing.T) {
			objects := testkit.SceneByName(t, name).Make(n, 1)
			want := map[uint64]soa.Object{}
			for i, o := range objects {
				want[numberOf(i)] = o
			}
			d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: shard, Memory: 1})
			holds(t, d, want)
			keysHold(t, d)
			if shards := len(d.Shards()); shards > 4*n/shard+20 {
				t.Errorf("%d shards", shards)
			}
		})
	}
}

// The number of objects that are sorted at a time is limited, however large the memory is.
func TestDirectoryMuchMemory(t *testing.T) {
	if n := linear.RecordsInMemory(linear.DirectoryOptions{Memory: math.MaxInt, Shard: 1 << 24}); n > radix.MaxLen {
		t.Errorf("%d objects, at most %d can be sorted", n, radix.MaxLen)
	}
}

// Nearly empty cells, one beside each octave around a cluster, do not become shards.
func TestDirectoryJoins(t *testing.T) {
	at := func(x float32) soa.Object {
		return soa.Object{Box: soa.AABB{Min: [3]float32{x, x, x}, Max: [3]float32{x, x, x}}}
	}
	objects := slices.Repeat([]soa.Object{at(0.5)}, 65)
	for i := range 20 {
		objects = append(objects, at(float32(int(1)<<i)))
	}
	world := soa.AABB{Max: [3]float32{1 << 20, 1 << 20, 1 << 20}}
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 64, World: world})
	if n := len(d.Shards()); n > 4 {
		t.Errorf("%d shards of up to 64 for 85 objects", n)
	}
	keysHold(t, d)
	// A shard that loses nearly all objects is joined with the next one.
	gone := slices.Collect(func(yield func(uint64) bool) {
		for i := range 60 {
			if !yield(numberOf(i)) {
				return
			}
		}
	})
	must(t, d.Replace(nil, nil, slices.Values(gone)))
	if n := len(d.Shards()); n > 1 || d.Len() != 25 {
		t.Errorf("%d shards for %d objects", n, d.Len())
	}
	keysHold(t, d)
}

// keysHold checks that each shard has the keys of its manifest row.
func keysHold(t testing.TB, d *linear.Directory) {
	t.Helper()
	v, w := d.View(), d.World()
	for k, s := range d.Shards() {
		part, _, _ := v.Instance(uint32(k))
		bounds := soa.Empty()
		for _, id := range allOf(part.Objects()) {
			o, _ := part.Objects().Object(id)
			bounds = bounds.Union(o.Box)
			if key := w.KeyOfBox(o.Box.Min, o.Box.Max); !s.Keys.Contains(key) {
				t.Fatalf("shard %d of keys %v has one of %v", k, s.Keys, key)
			}
		}
		if bounds != s.Box || part.Objects().Len() != s.Objects {
			t.Fatalf("shard %d: %+v has %d objects in %v", k, s, part.Objects().Len(), bounds)
		}
	}
}

// damages are forms of damage to a shard.
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

// A missing or damaged shard is an error that names it, and only of the calls that need it.
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
			// Its objects cannot be changed; others can.
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

// After Close a directory prepares and replaces nothing, also if there is nothing to replace; its other methods panic.
func TestDirectoryClosed(t *testing.T) {
	d := created(t, numberedAll(grid(2)), linear.DirectoryOptions{})
	must(t, d.Close())
	must(t, d.Close())
	for name, err := range map[string]error{
		"Prepare":            d.Prepare(t.Context(), everywhere),
		"Replace":            d.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(0)})),
		"Replace of nothing": d.Replace(nil, nil, nil),
	} {
		if !errors.Is(err, linear.ErrClosed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, f := range map[string]func(){
		"View": func() { d.View() }, "Acquire": func() { d.Acquire() }, "Len": func() { d.Len() },
		"Shards": func() { d.Shards() }, "Lookup": func() { d.Lookup(0) }, "Global": func() { d.Global(0, 0) },
	} {
		if said := said(f); said != "linear: "+name+" of a directory that has been closed" {
			t.Errorf("%s says %q", name, said)
		}
	}
}

// anonymous returns the anonymous memory of the process in bytes.
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

// Memory does not grow with the stream. The heap is measured while 1 M objects, 40 MB, are written with 4 MiB,
// spread out and at one position in the long form, and while all of them are prepared.
func TestDirectoryMemory(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("a long stream")
	}
	const n = 1_000_000
	names := map[float32]string{300: "uniform", 0: "of one key"}
	for _, side := range testkit.Budget(t, nil, []float32{300, 0}) {
		t.Run(names[side], func(t *testing.T) { inMemory(t, n, side) })
	}
}

func inMemory(t *testing.T, n uint64, side float32) {
	rng := testkit.Rand(1)
	stream := func(yield func(uint64, soa.Object) bool) {
		for i := range n {
			var o soa.Object
			for a := range 3 {
				o.Box.Min[a] = rng.Float32() * side
				o.Box.Max[a] = o.Box.Min[a] + 1
			}
			if !yield(i, o) {
				return
			}
		}
	}
	path := filepath.Join(t.TempDir(), "d")
	runtime.GC()
	debug.FreeOSMemory()
	before, most := anonymous(t), uint64(0)
	must(t, linear.CreateDirectory(t.Context(), path, stream, linear.DirectoryOptions{
		Shard: 4096, Memory: 4 << 20, Workers: 2,
		Progress: func(taken, done uint64) { most = max(most, anonymous(t)) },
	}))
	grown := most - min(before, most)
	t.Logf("the process has grown by %d MB", grown>>20)
	if grown > 40<<20 {
		t.Errorf("the process has grown by %d MB", grown>>20)
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
