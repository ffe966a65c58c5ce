package scene_test

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// heldObjects is the expected content of a directory.
type heldObjects map[uint64]soa.Object

// sorted returns the objects in the order of their numbers.
func (h heldObjects) sorted() (numbers []uint64, objects []soa.Object) {
	numbers = slices.Sorted(maps.Keys(h))
	for _, n := range numbers {
		objects = append(objects, h[n])
	}
	return numbers, objects
}

func (h heldObjects) all() iter.Seq2[uint64, soa.Object] {
	return func(yield func(uint64, soa.Object) bool) {
		numbers, objects := h.sorted()
		for i := range numbers {
			if !yield(numbers[i], objects[i]) {
				return
			}
		}
	}
}

// check compares a directory, all of which is prepared, with its expected content.
func (h heldObjects) check(t testing.TB, d *linear.Directory, rng *rand.Rand, count int) {
	t.Helper()
	if shards, missing := d.Missing(everywhere); shards != 0 || missing != 0 || d.Len() != uint64(len(h)) {
		t.Fatalf("%d objects of %d, %d in %d shards are missing", d.Len(), len(h), missing, shards)
	}
	numbers, objects := h.sorted()
	a := asksOf(t, d, objects, func(i int) uint64 { return numbers[i] })
	a.all()
	a.questions(rng, objects, count)
	var answer scene.Answer
	scene.Append(&answer, query.Frustum{}, d.View(), query.Filter{})
	shards, world := d.Shards(), d.World()
	for p, id := range answer.All() {
		path := answer.Path(p)
		part, _, err := path.Instance(d.View())
		testkit.Must(t, err)
		o, ok := part.Objects().Object(id)
		if !ok || o != h[a.number(path, id)] {
			t.Fatalf("object %d at %v is %v, not %v", id, path, o, h[a.number(path, id)])
		}
		if keys := shards[path.At(0)].Keys; !keys.Contains(world.KeyOfBox(o.Box.Min, o.Box.Max)) {
			t.Fatalf("object %d at %v is not of the keys %v", id, path, keys)
		}
	}
}

// random draws a batch, and applies it to the expected objects.
func (h heldObjects) random(rng *rand.Rand, like []soa.Object) (changes heldObjects, gone []uint64) {
	changes = heldObjects{}
	numbers, _ := h.sorted()
	taken := map[uint64]bool{}
	for range rng.IntN(40) {
		if len(numbers) == 0 {
			break
		}
		n := numbers[rng.IntN(len(numbers))]
		if taken[n] {
			continue
		}
		taken[n] = true
		if rng.IntN(2) == 0 {
			gone = append(gone, n)
			delete(h, n)
			continue
		}
		o := like[rng.IntN(len(like))]
		changes[n], h[n] = o, o
	}
	for range rng.IntN(60) {
		n, o := rng.Uint64N(1<<40), like[rng.IntN(len(like))]
		if _, there := h[n]; !there && !taken[n] {
			changes[n], h[n] = o, o
		}
	}
	return changes, gone
}

// filesOf returns the names of files in a folder.
func filesOf(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	testkit.Must(t, err)
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

// Random batches change a directory as they change a map, and leave no file behind.
func TestDirectoryReplace(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := 60
	if !testkit.Long(t) {
		rounds = 9 // the last one removes all
	}
	for _, name := range []string{"clustered", "identical", "far", "huge"} {
		t.Run(name, func(t *testing.T) {
			rng := testkit.Rand(seed)
			like := testkit.SceneByName(t, name).Make(500, seed)
			h := heldObjects{}
			for i, o := range like[:200] {
				h[numberOf(i)] = o
			}
			path := filepath.Join(t.TempDir(), "directory")
			testkit.Must(t, linear.CreateDirectory(t.Context(), path, h.all(), linear.DirectoryOptions{Shard: 16}))
			d := openedDirectory(t, path)
			testkit.Must(t, d.Prepare(t.Context(), everywhere))
			for round := range rounds {
				if round%9 == 8 { // all objects are removed
					numbers, _ := h.sorted()
					testkit.Must(t, d.Replace(t.Context(), nil, slices.Values(numbers)))
					clear(h)
					h.check(t, d, rng, 1)
				}
				changes, gone := h.random(rng, like)
				was := d.Sequence()
				testkit.Must(t, d.Replace(t.Context(), changes.all(), slices.Values(gone)))
				if d.Sequence() != was+1 && len(changes)+len(gone) > 0 {
					t.Fatalf("sequence %d after %d", d.Sequence(), was)
				}
				h.check(t, d, rng, 3)
				tidy(t, path, d)
				if n := len(d.Shards()); n > 4*len(h)/16+2+round {
					t.Errorf("round %d: %d shards of up to 16 for %d objects", round, n, len(h))
				}
			}
			again := openedDirectory(t, path)
			testkit.Must(t, again.Prepare(t.Context(), everywhere))
			h.check(t, again, rng, 3)
		})
	}
}

// A rejected Replace changes nothing.
func TestDirectoryRefuses(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	d := created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 32})
	one := func(n uint64, o soa.Object) iter.Seq2[uint64, soa.Object] {
		return func(yield func(uint64, soa.Object) bool) { yield(n, o) }
	}
	inverted := objects[0]
	inverted.Box.Max[1] = inverted.Box.Min[1] - 1
	view := d.View()
	for name, err := range map[string]error{
		"unknown": d.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(3), 1})),
		"twice":   d.Replace(t.Context(), one(numberOf(3), objects[0]), slices.Values([]uint64{numberOf(3)})),
		"box":     d.Replace(t.Context(), one(9, inverted), nil),
	} {
		if err == nil || name == "unknown" != errors.Is(err, linear.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	testkit.Must(t, d.Replace(nil, nil, nil))
	if d.Sequence() != 1 || expired(func() { view.Objects() }) {
		t.Errorf("sequence %d, or the view has ended", d.Sequence())
	}
}

// Directories of one process read their own version until they change it, and files stay as long as one of
// the directories, or a reader, needs them.
func TestDirectoryTwo(t *testing.T) {
	seed := testkit.Seed(t)
	rng := testkit.Rand(seed)
	like := testkit.SceneByName(t, "uniform").Make(400, seed)
	h := heldObjects{}
	for i, o := range like[:300] {
		h[numberOf(i)] = o
	}
	path := filepath.Join(t.TempDir(), "directory")
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, h.all(), linear.DirectoryOptions{Shard: 20}))
	a, b := openedDirectory(t, path), openedDirectory(t, path)
	testkit.Must(t, a.Prepare(t.Context(), everywhere))
	was := maps.Clone(h)
	held := a.Acquire()
	changes, gone := h.random(rng, like)
	testkit.Must(t, a.Replace(t.Context(), changes.all(), slices.Values(gone)))
	h.check(t, a, rng, 3)
	if got := scene.Count(query.Frustum{}, held.View(), query.Filter{Mask: 31}); got != uint64(len(was)) || held.Sequence() != 1 || a.Sequence() != 2 {
		t.Errorf("who held %d objects has %d", len(was), got)
	}
	testkit.Must(t, b.Prepare(t.Context(), everywhere)) // of files that no manifest names
	was.check(t, b, rng, 3)
	if shards, missing := held.Missing(everywhere); shards != 0 || missing != 0 {
		t.Errorf("who held all misses %d objects", missing)
	}
	view := held.View()
	testkit.Must(t, held.Release())
	if !expired(func() { view.Objects() }) || !expired(func() { held.View() }) || !expired(func() { held.Release() }) {
		t.Error("a view outlives the release")
	}
	was.check(t, b, rng, 3)
	changes, gone = h.random(rng, like)
	testkit.Must(t, b.Replace(t.Context(), nil, nil)) // nothing
	was.check(t, b, rng, 3)
	testkit.Must(t, b.Replace(t.Context(), changes.all(), slices.Values(gone))) // changes the version that a has written
	if shards, missing := b.Missing(everywhere); shards != 0 || missing != 0 {
		t.Errorf("%d shards with %d objects are missing after a replacement, none before", shards, missing)
	}
	h.check(t, b, rng, 3)
	if n := len(filesOf(t, path)); n <= len(b.Shards())+1 {
		t.Errorf("%d files for %d shards: none waits for the other directory", n, len(b.Shards()))
	}
	testkit.Must(t, a.Close())
	testkit.Must(t, a.Close())
	tidy(t, path, b)
	for name, call := range map[string]func(){
		"View": func() { a.View() }, "Acquire": func() { a.Acquire() }, "Len": func() { a.Len() }, "Global": func() { a.Global(0, 0) }, "Lookup": func() { a.Lookup(0) },
	} {
		if !expired(call) {
			t.Errorf("%s of a closed directory", name)
		}
	}
	if err := errors.Join(a.Prepare(t.Context(), everywhere), a.Replace(t.Context(), changes.all(), nil)); strings.Count(fmt.Sprint(err), linear.ErrClosed.Error()) != 2 {
		t.Errorf("a closed directory: %v", err)
	}
}

// A directory that is created again in the same folder loses nothing for holders of the former one. A replacement opens
// no other shards than it writes if some were missing before.
func TestDirectoryAnew(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	h := heldObjects{}
	for i, o := range objects {
		h[numberOf(i)] = o
	}
	path := filepath.Join(t.TempDir(), "directory")
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, h.all(), linear.DirectoryOptions{Shard: 20}))
	d := openedDirectory(t, path)
	testkit.Must(t, d.Prepare(t.Context(), everywhere))
	held := d.Acquire()
	changes := heldObjects{}
	for i := range objects {
		changes[numberOf(i)] = objects[(i+1)%300]
	}
	testkit.Must(t, d.Replace(t.Context(), changes.all(), nil)) // now all former files are to go
	testkit.Must(t, os.RemoveAll(path))
	delete(h, numberOf(0))
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, h.all(), linear.DirectoryOptions{Shard: 20}))
	testkit.Must(t, held.Release())
	again := openedDirectory(t, path)
	testkit.Must(t, again.Prepare(t.Context(), everywhere))
	h.check(t, again, testkit.Rand(1), 1)
	tidy(t, path, again)
	part := openedDirectory(t, path)
	testkit.Must(t, part.Replace(t.Context(), nil, slices.Values([]uint64{numberOf(1)})))
	if missing, _ := part.Missing(everywhere); missing < len(part.Shards())/2 {
		t.Errorf("a removal opened %d shards of %d", len(part.Shards())-missing, len(part.Shards()))
	}
}

// Concurrent readers see each version as a whole.
func TestDirectoryReaders(t *testing.T) {
	seed := testkit.Seed(t)
	like := testkit.SceneByName(t, "uniform").Make(600, seed)
	d := created(t, numberedAll(like), linear.DirectoryOptions{Shard: 40})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var answer scene.Answer
			for {
				select {
				case <-done:
					return
				default:
				}
				h := d.Acquire()
				answer.Reset()
				scene.Append(&answer, query.Frustum{}, h.View(), query.Filter{})
				// Each call sets all masks to that of the sequence.
				for p, id := range answer.All() {
					path := answer.Path(p)
					part, _, _ := path.Instance(h.View())
					o, _ := part.Objects().Object(id)
					n, ok := h.Global(path.At(0), id)
					if again, some := h.AppendGlobal(nil, path.At(0), []uint32{id}); !some || again[0] != n {
						t.Errorf("object %d is also %v", n, again)
					}
					if !ok || n < 1<<20 && o.Mask != uint32(h.Sequence()) && h.Sequence() > 1 {
						t.Errorf("object %d has mask %d in sequence %d", n, o.Mask, h.Sequence())
					}
					d.Global(path.At(0), id)
				}
				if answer.Len() != len(like) {
					t.Errorf("%d objects", answer.Len())
				}
				if err := h.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for round := range testkit.Budget(t, 4, 20) {
		err := d.Replace(t.Context(), func(yield func(uint64, soa.Object) bool) {
			for i := 0; i < 600; i++ {
				o := like[(i+round)%len(like)]
				o.Mask = uint32(round + 2)
				if !yield(numberOf(i), o) {
					return
				}
			}
		}, nil)
		if err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	readers.Wait()
}
