package occlude_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// TestRemembersVisible compares the memory of a query, where it has room for all, with the result: it
// holds the occluders with a visible pixel, in every lane, and none that a second or a finer test has
// hidden.
func TestRemembersVisible(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(20_000, 1)
	for i := range objects {
		objects[i].Mask = walls
	}
	tree := plant(t, objects, linear.Config{Frozen: true})
	cameras := scene.Cameras(objects, 0.1, 30, 1)
	cameras = append(cameras, scene.Street(objects, 30, 1)...)
	seen, last, again := 0, 0, 0
	for i, c := range cameras {
		most := []int{12, 40, 100, 200, len(objects)}[i%5]
		culler, err := occlude.New(occlude.Config{Width: 200, Height: 113, OccluderMask: walls, MaxOccluders: most, MinPixels: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := culler.SetCamera(lookAt(&c)); err != nil {
				t.Fatal(err)
			}
			answer := culler.Append(nil, tree.View(), query.Filter{})
			memory := slices.Clone(culler.Remembered(0))
			if len(memory) != min(len(answer), most) {
				t.Fatalf("%d objects are seen, %d of at most %d remembered", len(answer), len(memory), most)
			}
			slices.Sort(answer)
			for _, id := range memory {
				if _, ok := slices.BinarySearch(answer, id); !ok {
					t.Fatalf("object %d is remembered, and not seen", id)
				}
			}
			seen += len(answer)
			for _, id := range answer {
				if _, lane := culler.PlaceOf(tree.View(), id); lane == soa.Lanes-1 {
					last++
				}
			}
			if e := culler.Explain(tree.View(), query.Filter{}, nil); e.Occluders > e.Remembered {
				again++
			}
		}
	}
	if seen < 1000 || last == 0 || again == 0 {
		t.Errorf("%d objects are seen, %d in last lanes, in %d answers more solids are drawn than remembered: this tests little", seen, last, again)
	}
}
