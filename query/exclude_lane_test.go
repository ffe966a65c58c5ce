package query_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// An object is excluded in each lane of a packet, the last one too.
func TestExcludeEveryLane(t *testing.T) {
	tree := trees.New(t, linear.Config{Frozen: true})
	ids, err := tree.InsertBatch(nil, make([]linear.Object, 64)) // full packets
	testkit.Must(t, err)
	box := box(t, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
	lanes := 0
	for _, id := range ids {
		h, _ := tree.Handle(id)
		_, lane, _ := tree.View().Locate(id)
		lanes |= 1 << lane
		got := box.Append(nil, tree.View(), query.Filter{Exclude: h})
		if len(got) != len(ids)-1 || slices.Contains(got, id) {
			t.Errorf("%d in lane %d: %d found", id, lane, len(got))
		}
	}
	if lanes != 1<<16-1 {
		t.Errorf("lanes %#x", lanes)
	}
}
