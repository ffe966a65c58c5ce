package linear_test

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Lookup finds exactly the objects of prepared shards, whether their numbers ascend along the curve, descend, are
// random or are the extreme ones.
func TestDirectoryLookup(t *testing.T) {
	seed := testkit.Seed(t)
	objects := testkit.SceneByName(t, "uniform").Make(testkit.Budget(t, 300, 5000), seed)
	rng := testkit.Rand(seed)
	random := map[uint64]bool{0: true, math.MaxUint64: true}
	for len(random) < len(objects) {
		random[rng.Uint64()>>rng.IntN(64)] = true
	}
	list := slices.Sorted(maps.Keys(random))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for name, number := range map[string]func(i int) uint64{
		"random": func(i int) uint64 { return list[i] }, "ascending": numberOf,
		"descending": func(i int) uint64 { return math.MaxUint64 - uint64(i) },
	} {
		for _, level := range []linear.CheckLevel{linear.CheckSafe, linear.CheckNone} {
			t.Run(name+" "+level.String(), func(t *testing.T) {
				all := map[uint64]soa.Object{}
				for i, o := range objects {
					all[number(i)] = o
				}
				path := filepath.Join(t.TempDir(), "directory")
				must(t, linear.CreateDirectory(t.Context(), path, maps.All(all), linear.DirectoryOptions{Shard: 40}))
				d, err := linear.OpenDirectory(path, level)
				must(t, err)
				defer d.Close()
				looksUp(t, d, all) // nothing is prepared
				b := soa.AABB{Min: everywhere.Min, Max: objects[0].Box.Max}
				must(t, d.Prepare(t.Context(), b))
				if n := d.View().Total(); n == 0 || n == d.Len() {
					t.Fatalf("%d of %d objects are in the view", n, d.Len())
				}
				looksUp(t, d, all)
				must(t, d.Prepare(t.Context(), everywhere))
				if found := looksUp(t, d, all); found != len(all) {
					t.Errorf("%d of %d objects were found", found, len(all))
				}

				// A version finds its own objects after a replacement, the directory the new ones.
				held := d.Acquire()
				fresh, removed := objects[1], []uint64{number(2), number(3)}
				fresh.Mask = 1 << 31
				unused := uint64(1)
				for all[unused] != (soa.Object{}) {
					unused++
				}
				must(t, d.Replace(t.Context(), maps.All(map[uint64]soa.Object{unused: fresh, number(0): fresh}), slices.Values(removed)))
				if objectOf(t, held.View(), held.Lookup, number(0)) != objects[0] || objectOf(t, held.View(), held.Lookup, number(2)) != objects[2] {
					t.Error("a version finds other objects after a replacement")
				}
				if _, _, ok := held.Lookup(unused); ok {
					t.Error("a version finds an object that was added later")
				}
				must(t, held.Release())
				if testkit.Panic(func() { held.Lookup(0) }) == nil {
					t.Error("Lookup of a released version")
				}
				all[unused], all[number(0)] = fresh, fresh
				delete(all, number(2))
				delete(all, number(3))
				looksUp(t, d, all)
				for _, n := range removed {
					if _, _, ok := d.Lookup(n); ok {
						t.Errorf("the removed number %d was found", n)
					}
				}
				if n := testing.AllocsPerRun(10, func() { d.Lookup(unused) }); n != 0 {
					t.Errorf("%v allocations", n)
				}
			})
		}
	}
}

// looksUp compares the lookup of all numbers and of their neighbours with the objects of the view, and returns how
// many were found.
func looksUp(t testing.TB, d *linear.Directory, all map[uint64]soa.Object) (found int) {
	t.Helper()
	v := d.View()
	in := map[uint64]soa.Object{}
	for shard := range v.Instances().All() {
		part, _, _ := v.Instance(shard)
		for id, o := range part.Objects().All() {
			n, _ := d.Global(shard, id)
			in[n] = o
		}
	}
	for n := range all {
		for _, x := range []uint64{n - 1, n, n + 1} {
			want, has := in[x]
			shard, id, ok := d.Lookup(x)
			if ok != has || !ok && (shard != linear.None || id != linear.None) {
				t.Fatalf("number %d is object %d of shard %d, %v; it is in the view: %v", x, id, shard, ok, has)
			}
			if !ok {
				continue
			}
			if got := objectOf(t, v, d.Lookup, x); got != want {
				t.Fatalf("number %d is the object %v, want %v", x, got, want)
			}
			if x == n {
				found++
			}
		}
	}
	return found
}

// objectOf returns the object that has a number.
func objectOf(t testing.TB, v linear.SceneView, lookup func(uint64) (shard, id uint32, ok bool), number uint64) soa.Object {
	t.Helper()
	shard, id, ok := lookup(number)
	if !ok {
		t.Fatalf("number %d is not found", number)
	}
	part, _, _ := v.Instance(shard)
	o, ok := part.Objects().Object(id)
	if !ok {
		t.Fatalf("number %d: shard %d has no object %d", number, shard, id)
	}
	return o
}

// A number that two shards have finds the object in the first one that is prepared.
func TestDirectoryLookupTwice(t *testing.T) {
	box := func(x float32) soa.Object { return soa.Object{Box: cube(x, 0, 0, 1), Mask: 1} }
	d := created(t, func(yield func(uint64, soa.Object) bool) {
		for i := range 64 {
			if !yield(uint64(i%32), box(float32(100*i))) {
				return
			}
		}
	}, linear.DirectoryOptions{Shard: 16})
	for n := range uint64(32) {
		if got := objectOf(t, d.View(), d.Lookup, n); got != box(float32(100*n)) {
			t.Errorf("number %d is %v", n, got)
		}
	}
}
