package interest_test

import (
	"bytes"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// operationTable reads the rows of the table in the comment of package scene: an operation, its name for trees, and
// for scenes.
func operationTable(t *testing.T) (rows [][3]string) {
	t.Helper()
	text, err := os.ReadFile("../scene/doc.go")
	testkit.Must(t, err)
	_, table, ok := strings.Cut(string(text), "//\toperation ")
	if !ok {
		t.Fatal("the package comment has no table of operations")
	}
	table, _, _ = strings.Cut(table, "\n//\n")
	for _, line := range strings.Split(table, "\n")[1:] {
		var cells []string
		for _, cell := range strings.Split(strings.TrimPrefix(line, "//\t"), "  ") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		if len(cells) != 3 {
			t.Fatalf("a row with an empty cell: %q", line)
		}
		rows = append(rows, [3]string(cells))
	}
	return rows
}

// sceneOfParts is a scene with an instance of each part, where the part lies.
func sceneOfParts[K any](t *testing.T, parts iter.Seq2[K, linear.Part]) *linear.Scene {
	t.Helper()
	s, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	for _, part := range parts {
		_, err := s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
		testkit.Must(t, err)
	}
	testkit.Must(t, s.Tick())
	return s
}

// Every operation of the table runs on a tree, a scene, a version, a snapshot and a directory of the same objects, and
// finds as many results in each.
func TestOperationTable(t *testing.T) {
	const n = 40
	var objects []soa.Object
	for i := range n { // a row, each overlaps the next
		objects = append(objects, soa.Object{Box: soa.AABB{Min: [3]float32{float32(i), 0, 0}, Max: [3]float32{float32(i) + 1.25, 1, 1}}, Mask: 1})
	}
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	s := sceneOfParts(t, slices.All([]linear.Part{tree}))
	var file bytes.Buffer
	_, err := s.WriteTo(&file)
	testkit.Must(t, err)
	saved, err := linear.SceneFromBytes(file.Bytes(), linear.CheckFull)
	testkit.Must(t, err)
	defer saved.Close()
	path := filepath.Join(t.TempDir(), "directory")
	numbered := func(yield func(uint64, soa.Object) bool) {
		for i, o := range objects {
			if !yield(uint64(i), o) {
				return
			}
		}
	}
	testkit.Must(t, linear.CreateDirectory(t.Context(), path, numbered, linear.DirectoryOptions{Shard: n}))
	directory, err := linear.OpenDirectory(path, linear.CheckSafe)
	testkit.Must(t, err)
	defer func() { testkit.Must(t, directory.Close()) }()
	testkit.Must(t, directory.Prepare(t.Context(), soa.AABB{Max: [3]float32{n + 1, 1, 1}}))
	version := linear.NewScenePublisher(s).Acquire()
	defer version.Release()
	prepared := directory.Acquire()
	defer func() { testkit.Must(t, prepared.Release()) }()
	beside := sceneOfParts(t, prepared.Parts())
	views := map[string]linear.SceneView{
		"scene": s.View(), "published": version.View(), "snapshot": saved.View(), "directory": directory.View(), "scene of shards": beside.View(),
	}

	middle := soa.AABB{Min: [3]float32{4.5, 0, 0}, Max: [3]float32{8.5, 1, 1}}
	box := queries.Box(t, middle)
	ray := queries.Ray(t, [3]float32{-1, 0.5, 0.5}, [3]float32{1, 0, 0}, 10)
	nearby, err := query.NewNearby([3]float32{3, 0, 0})
	testkit.Must(t, err)
	flt, v := query.Filter{}, tree.View()
	one := func(ok bool) int {
		if ok {
			return 1
		}
		return 0
	}
	treePairs := collide.Append(nil, collide.Within(v), collide.Filter{})
	near, err := query.AppendNearest(nil, v, [3]float32{3, 0, 0}, 3, 9, flt)
	testkit.Must(t, err)
	wide, cast, knn := new(query.BoxBatch), new(query.RayBatch), new(query.NearestBatch)
	testkit.Must(t, wide.Find(nil, v, []query.Box{box}, flt))
	testkit.Must(t, cast.FindAll(nil, v, []query.Ray{ray}, flt))
	testkit.Must(t, knn.Find(nil, v, [][3]float32{{3, 0, 0}}, 3, 9, flt))
	_, first := ray.First(v, flt)
	all := 0
	for range nearby.All(v, flt) {
		all++
	}
	tracked := new(collide.Tracker)
	testkit.Must(t, tracked.Update(v))
	inBox := len(box.Append(nil, v, flt))
	area, err := interest.Box(middle, middle)
	testkit.Must(t, err)
	var watched interest.Tracker
	viewer := watched.Add(area)
	testkit.Must(t, watched.Update(v))
	ofTrees := map[string]int{
		"Box.Append": inBox, "Box.All": len(slices.Collect(box.All(v, flt))), "Box.Any": one(box.Any(v, flt)),
		"Ray.First": one(first), "Ray.Append": len(ray.Append(nil, v, flt)), "AppendNearest": len(near), "Nearby.All": all,
		"BoxBatch.Find": len(wide.Of(0)), "RayBatch.FindAll": len(cast.Of(0)), "NearestBatch.Find": len(knn.Of(0)),
		"collide.Append": len(treePairs), "collide.AppendContacts": len(collide.AppendContacts(nil, collide.Within(v), treePairs)),
		"collide.AppendImpacts":  len(collide.AppendImpacts(nil, collide.Within(v), nil, nil, collide.Filter{})),
		"collide.Tracker.Update": tracked.Len(), "interest.Tracker.Update": len(watched.Entered(viewer)),
	}
	pairs := func(v linear.SceneView) []scene.Pair {
		return scene.AppendPairs(nil, v, scene.PairFilter{Instances: true, Filter: collide.Filter{StaticPairs: true}})
	}
	ofScenes := map[string]func(t *testing.T, v linear.SceneView) int{
		"Append": func(_ *testing.T, v linear.SceneView) int {
			var a scene.Answer
			scene.Append(&a, box, v, flt)
			return a.Len()
		},
		"All": func(_ *testing.T, v linear.SceneView) (n int) {
			for range scene.All(box, v, flt) {
				n++
			}
			return n
		},
		"Any": func(_ *testing.T, v linear.SceneView) int { return one(scene.Any(box, v, flt)) },
		"First": func(_ *testing.T, v linear.SceneView) int {
			_, ok := scene.First(ray, v, flt)
			return one(ok)
		},
		"AppendHits": func(_ *testing.T, v linear.SceneView) int { return len(scene.AppendHits(nil, ray, v, flt)) },
		"AppendNearest": func(t *testing.T, v linear.SceneView) int {
			near, err := scene.AppendNearest(nil, v, [3]float32{3, 0, 0}, 3, 9, flt)
			testkit.Must(t, err)
			return len(near)
		},
		"Nearby": func(_ *testing.T, v linear.SceneView) (n int) {
			for range scene.Nearby(nearby, v, flt) {
				n++
			}
			return n
		},
		"VolumeBatch.Find": func(t *testing.T, v linear.SceneView) int {
			var b scene.VolumeBatch[query.Box]
			testkit.Must(t, b.Find(nil, v, []query.Box{box}, flt))
			return b.Of(0).Len()
		},
		"SweepBatch.FindAll": func(t *testing.T, v linear.SceneView) int {
			var b scene.SweepBatch[query.Ray]
			testkit.Must(t, b.FindAll(nil, v, []query.Ray{ray}, flt))
			return len(b.Of(0))
		},
		"NearestBatch.Find": func(t *testing.T, v linear.SceneView) int {
			var b scene.NearestBatch
			testkit.Must(t, b.Find(nil, v, [][3]float32{{3, 0, 0}}, 3, 9, flt))
			return len(b.Of(0))
		},
		"AppendPairs":    func(_ *testing.T, v linear.SceneView) int { return len(pairs(v)) },
		"AppendContacts": func(_ *testing.T, v linear.SceneView) int { return len(scene.AppendContacts(nil, v, pairs(v))) },
		"AppendImpacts": func(_ *testing.T, v linear.SceneView) int {
			return len(scene.AppendImpacts(nil, v, nil, nil, scene.PairFilter{Instances: true, Filter: collide.Filter{StaticPairs: true}}))
		},
		"Tracker.Update": func(t *testing.T, v linear.SceneView) int {
			tracker := scene.Tracker{Filter: scene.PairFilter{Instances: true, Filter: collide.Filter{StaticPairs: true}}}
			testkit.Must(t, tracker.Update(v))
			return tracker.Len()
		},
		"interest.SceneTracker.Update": func(t *testing.T, v linear.SceneView) int {
			var watched interest.SceneTracker
			viewer := watched.Add(area)
			testkit.Must(t, watched.Update(v))
			return len(watched.Entered(viewer))
		},
	}
	for _, row := range operationTable(t) {
		want, ok := ofTrees[row[1]]
		run := ofScenes[row[2]]
		if !ok || want == 0 || run == nil {
			t.Fatalf("%s: %s finds %d in a tree, %s is known: %v", row[0], row[1], want, row[2], run != nil)
		}
		for _, kind := range slices.Sorted(maps.Keys(views)) {
			if got := run(t, views[kind]); got != want {
				t.Errorf("%s: %s finds %d in a %s, %s finds %d in a tree", row[0], row[2], got, kind, row[1], want)
			}
		}
		delete(ofScenes, row[2])
	}
	if len(ofScenes) > 0 {
		t.Errorf("%d operations are not in the table", len(ofScenes))
	}
}
