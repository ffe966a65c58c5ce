package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

func TestNearestBatchErrors(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	v := plant(t, objects, true).View()
	points := scene.PointQueries(objects, 300, 1)
	ended, end := context.WithCancel(context.Background())
	end()
	for _, workers := range []int{1, 3} {
		batch := query.NearestBatch{Workers: workers}
		testkit.Must(t, batch.Find(nil, v, points, 4, infinity, query.Filter{}))
		if err := batch.Find(ended, v, points, 4, infinity, query.Filter{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if slices.Max(batch.Offsets)+len(batch.Neighbors) != 0 {
			t.Error("an answer is left after an error")
		}
	}
	var batch query.NearestBatch
	refuse(t, batch.Find(nil, v, points, -1, infinity, query.Filter{}), "-1")
	points[77][2] = infinity
	refuse(t, batch.Find(nil, v, points, 1, infinity, query.Filter{}), "77", "+Inf")
}
