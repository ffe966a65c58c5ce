package scene_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	worlds "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// shardScene is a scene of live objects and the shards of a version of a directory.
type shardScene struct {
	t         testing.TB
	live      *linear.Scene
	directory *linear.Directory
	version   *linear.DirectoryVersion
	shards    map[uint32]uint32 // by instance
}

// follow brings the instances to the current version: those of shards that are in both versions stay.
func (w *shardScene) follow() (kept int) {
	version := w.directory.Acquire()
	parts := map[linear.Part]uint32{}
	for shard, part := range version.Parts() {
		parts[part] = shard
	}
	for id := range w.shards {
		part, _, _ := w.live.Instance(id)
		if shard, ok := parts[part]; ok {
			w.shards[id] = shard
			delete(parts, part)
			kept++
			continue
		}
		testkit.Must(w.t, w.live.Remove(id))
		delete(w.shards, id)
	}
	for shard, part := range version.Parts() { // in their order
		if _, ok := parts[part]; ok {
			w.shards[place(w.t, w.live, part, linear.Transform{}, linear.InstanceOptions{})] = shard
		}
	}
	testkit.Must(w.t, w.version.Release())
	w.version = &version
	testkit.Must(w.t, w.live.Tick())
	return kept
}

// key names an object of the scene: a number of the directory, or an ID of a live object.
func (w *shardScene) key(o scene.Object) string {
	if o.Path.Len() == 0 {
		return fmt.Sprint("live ", o.ID)
	}
	number, ok := w.version.Global(w.shards[o.Path.At(0)], o.ID)
	if !ok {
		w.t.Fatalf("%v has no number", o)
	}
	return fmt.Sprint("stored ", number)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// A scene with the shards of a directory beside live objects finds the objects of both, and their pairs, while the
// directory and the scene change; views are of the scene, of published versions and of a saved scene.
func TestDirectoryParts(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	like := crowded(rng, 400)
	stored := heldObjects{}
	for i, o := range like[:300] {
		stored[numberOf(i)] = o
	}
	d := created(t, stored.all(), linear.DirectoryOptions{Shard: 40})
	first := d.Acquire()
	w := &shardScene{t: t, live: newScene(t), directory: d, version: &first, shards: map[uint32]uint32{}}
	objects := crowded(rng, 30)
	trees.Insert(t, w.live.Tree(), objects)
	w.follow()
	shared := linear.NewScenePublisher(w.live)
	var tracker scene.Tracker
	kept, found, began := 0, 0, 0
	for round := range testkit.Budget(t, 12, 60) {
		for range rng.IntN(3) {
			id := rng.IntN(len(objects))
			objects[id].Box = crowded(rng, 1)[0].Box
			testkit.Must(t, w.live.Tree().Move(uint32(id), objects[id].Box))
		}
		if rng.IntN(2) == 0 {
			changes, gone := stored.random(rng, like)
			testkit.Must(t, d.Replace(t.Context(), changes.all(), slices.Values(gone)))
			kept += w.follow()
		}
		numbers, boxes := stored.sorted()
		var all []soa.Object
		var names []string
		for i := range objects {
			all, names = append(all, objects[i]), append(names, fmt.Sprint("live ", i))
		}
		for i := range boxes {
			all, names = append(all, boxes[i]), append(names, fmt.Sprint("stored ", numbers[i]))
		}
		view, end := w.live.View(), func() {}
		switch round % 3 {
		case 1:
			shared.Publish()
			h := shared.Acquire()
			view, end = h.View(), h.Release
		case 2:
			var file bytes.Buffer
			_, err := w.live.WriteTo(&file)
			testkit.Must(t, err)
			saved, err := linear.SceneFromBytes(file.Bytes(), linear.CheckFull)
			testkit.Must(t, err)
			view, end = saved.View(), func() { testkit.Must(t, saved.Close()) }
		}
		box := crowded(rng, 1)[0].Box
		for a := range 3 {
			box.Max[a] += 4 * rng.Float32()
		}
		q := queries.Box(t, box)
		var got, want []string
		for path, id := range scene.All(q, view, query.Filter{}) {
			got = append(got, w.key(scene.Object{Path: path, ID: id}))
		}
		for i := range all {
			if all[i].Box.Overlaps(box) {
				want = append(want, names[i])
			}
		}
		if found += len(want); !slices.Equal(sorted(got), sorted(want)) {
			t.Fatalf("round %d: found %v, want %v", round, got, want)
		}
		testkit.Must(t, tracker.Update(view))
		var pairs, flat []string
		for p := range tracker.Pairs() {
			pairs = append(pairs, strings.Join(sorted([]string{w.key(p.A), w.key(p.B)}), " and "))
		}
		shardOf := func(name string) string { // pairs within one tree are not tracked
			var number uint64
			if n, _ := fmt.Sscanf(name, "stored %d", &number); n == 0 {
				return "own"
			}
			shard, _, _ := w.version.Lookup(number)
			return fmt.Sprint(shard)
		}
		for _, p := range collide.Append(nil, collide.Within(trees.Plant(t, all, false).View()), collide.Filter{}) {
			if a, b := shardOf(names[p.A]), shardOf(names[p.B]); a != b || a == "own" {
				flat = append(flat, strings.Join(sorted([]string{names[p.A], names[p.B]}), " and "))
			}
		}
		if began += len(tracker.Began()); !slices.Equal(sorted(pairs), sorted(flat)) {
			t.Fatalf("round %d: %d pairs, want %d", round, len(pairs), len(flat))
		}
		end()
	}
	if kept == 0 || found == 0 || began == 0 {
		t.Errorf("%d shards stayed, %d found, %d pairs began", kept, found, began)
	}
	for id := range w.shards {
		part, _, _ := w.live.Instance(id)
		if testkit.Panic(func() { part.(*linear.Snapshot).Close() }) == nil {
			t.Error("no panic for closing a shard of a directory")
		}
	}
	parts, steps := w.version.Parts(), 0
	if testkit.Panic(func() {
		for range parts {
			steps++
			testkit.Must(t, w.version.Release())
		}
	}) == nil || steps != 1 {
		t.Errorf("%d steps of an iteration over a version that is released meanwhile", steps)
	}
	if testkit.Panic(func() {
		for range parts {
		}
	}) == nil {
		t.Error("no panic for parts of a version that has been released")
	}
}

// Shards with too many packets for a plain scan, which boxes cross or contain, return the same results on
// all tiers.
func TestDirectoryBoxes(t *testing.T) {
	seed := testkit.Seed(t)
	objects := testkit.SceneByName(t, "city").Make(6000, seed)
	a := asksOf(t, created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 400}), objects, numberOf)
	sizes := []int{1, 30, 900, 4000}
	boxes := make([][]soa.AABB, len(sizes))
	for i, near := range sizes {
		boxes[i] = append(worlds.BoxQueries(objects, near, testkit.Budget(t, 2, 6), seed+uint64(i)), everywhere)
	}
	testkit.EachTier(t, func(t *testing.T) {
		a.t = t
		for i, near := range sizes {
			for k, b := range boxes[i] {
				box := queries.Box(t, b)
				for n, flt := range []query.Filter{{}, {Mask: 3}, {Motion: query.StaticOnly}, {Exact: true}, {Only: []uint64{1}}, {Exclude: linear.Handle{ID: 3, Gen: 1}}} {
					if near > 100 && !testkit.OfTier(t, i+k+n) {
						continue
					}
					got, want := volumeOf(a, box, flt)
					if flt.Only != nil || flt.Exclude.Gen != 0 { // is of the scene's own objects
						flt.Only, flt.Exclude = nil, linear.Handle{}
						want = a.sorted(box.Append(nil, a.one, flt))
					}
					a.equal(fmt.Sprintf("box %d about %d", k, near), got, want)
				}
			}
		}
	})
}
