package linear_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// A view of a scene during a rebuild of a part, which is not allowed, panics with the reason. Later reads find
// the scene unchanged, whether or not the panic ends the rebuild.
func TestSceneViewAmidRebuild(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	for _, ends := range []bool{false, true} {
		for _, which := range []string{"part", "own tree", "part of a part"} {
			for _, before := range []string{"insert", "move", "nothing"} {
				t.Run(fmt.Sprintf("%s after %s ends %v", which, before, ends), func(t *testing.T) {
					outer, err := linear.NewScene(linear.Config{PendingMin: 64})
					must(t, err)
					inner, err := linear.NewScene(linear.Config{PendingMin: 64})
					must(t, err)
					part := newTree(t, linear.Config{PendingMin: 64})
					tree, instances := part, uint64(1)
					switch which {
					case "own tree":
						tree = outer.Tree()
					case "part of a part":
						_, err = inner.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
						must(t, err)
						_, err = outer.AddInstance(inner, linear.Transform{}, linear.InstanceOptions{})
					default:
						instances = 2
						_, err = outer.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
						must(t, err)
						_, err = outer.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
					}
					must(t, err)
					insert(t, tree, objects[:2000])
					must(t, outer.Tick())
					outer.View()
					want := uint64(2000)
					switch before {
					case "insert":
						for _, o := range objects[2000:] {
							_, err := tree.Insert(o)
							must(t, err)
						}
						want = 3000
					case "move":
						for id := range uint32(500) {
							must(t, tree.Move(id, objects[2000+id].Box))
						}
					}
					refused, viewed := 0, 0
					look := func(linear.Phase, float64) {
						defer func() {
							switch r := recover().(type) {
							case nil:
								viewed++
							case string:
								if !strings.HasPrefix(r, "linear: ") || !strings.Contains(r, "during a build") {
									t.Errorf("panic %q", r)
								}
								if refused++; ends {
									panic(r)
								}
							default:
								t.Errorf("panic %v", r)
							}
						}()
						outer.View().Objects().Len()
					}
					if r := testkit.Panic(func() { must(t, tree.Rebuild(nil, linear.RebuildOptions{Progress: look})) }); (r != nil) != (ends && refused > 0) {
						t.Errorf("Rebuild panics: %v", r)
					}
					if before == "insert" && refused == 0 || refused+viewed == 0 {
						t.Errorf("%d views were refused, %d were not", refused, viewed)
					}
					check := func() {
						t.Helper()
						v := outer.View()
						total := uint64(0)
						for _, part := range v.Parts() {
							total += uint64(part.Objects().Len()) // panics if the view is stale
						}
						if v.Total() != want*instances || total != want {
							t.Errorf("%d objects, %d through parts, want %d", v.Total(), total, want)
						}
						must(t, outer.Validate())
					}
					check()
					must(t, outer.Tick())
					check()
				})
			}
		}
	}
}
