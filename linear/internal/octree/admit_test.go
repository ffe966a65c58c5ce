package octree

import (
	"errors"
	"testing"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// A tree holds as many objects as a build can sort, exact to one object.
func TestMostObjects(t *testing.T) {
	tree := &Tree{}
	for _, live := range []int{0, 1, 500} {
		for range live - tree.IDs.Len() {
			tree.IDs.New(unplacedLocation)
		}
		room := radix.MaxLen - live
		if err := tree.Admits(room); err != nil {
			t.Errorf("%d objects and %d more: %v", live, room, err)
		}
		if err := tree.Admits(room + 1); !errors.Is(err, soa.ErrFull) {
			t.Errorf("%d objects and %d more: error %v, want %v", live, room+1, err, soa.ErrFull)
		}
	}
}
