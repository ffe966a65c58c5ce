package query_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// A batch is the same as its points one by one, for any number of workers.
func TestNearestBatch(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		for _, sc := range testkit.Scenes() {
			objects := sc.Make(500, seed)
			v := plant(t, objects, true).View()
			var batch query.NearestBatch
			sizes := []int{0, 1, 63, 64, 65, 300}
			sizes = testkit.Budget(t, []int{0, 1, 65}, sizes)
			if testkit.RaceEnabled {
				sizes = []int{65}
			}
			for _, n := range sizes {
				points := scene.PointQueries(objects, n, seed)
				for _, workers := range []int{0, 1, 2, 5} {
					for _, c := range []struct {
						k    int
						dist float32
						flt  query.Filter
					}{{0, infinity, query.Filter{}}, {8, infinity, query.Filter{}}, {30, 5, query.Filter{Mask: 3}}} {
						batch.Workers = workers
						if err := batch.Find(context.Background(), v, points, c.k, c.dist, c.flt); err != nil {
							t.Fatal(err)
						}
						if len(batch.Offsets) != n+1 || batch.Offsets[n] != len(batch.Neighbors) {
							t.Fatalf("%d points: offsets %v, %d neighbours", n, batch.Offsets, len(batch.Neighbors))
						}
						for i, p := range points {
							want := nearestOf(t, v, p, c.k, c.dist, c.flt)
							got := batch.Of(i)
							if len(got) != len(want) {
								t.Fatalf("point %d: %d neighbours, want %d", i, len(got), len(want))
							}
							for j := range got {
								if got[j] != want[j] {
									t.Fatalf("point %d, neighbour %d: %v, want %v", i, j, got[j], want[j])
								}
							}
						}
					}
				}
			}
		}
	})
}

func TestNearestBatchErrors(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	v := plant(t, objects, true).View()
	points := scene.PointQueries(objects, 300, 1)
	ended, end := context.WithCancel(context.Background())
	end()
	for _, workers := range []int{1, 3} {
		batch := query.NearestBatch{Workers: workers}
		if err := batch.Find(nil, v, points, 4, infinity, query.Filter{}); err != nil {
			t.Fatal(err)
		}
		if err := batch.Find(ended, v, points, 4, infinity, query.Filter{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if slices.Max(batch.Offsets)+len(batch.Neighbors) != 0 {
			t.Error("an answer is left after an error")
		}
	}
	var batch query.NearestBatch
	if err := batch.Find(nil, v, points, -1, infinity, query.Filter{}); err == nil {
		t.Error("k -1 was accepted")
	}
	points[77][2] = infinity
	err := batch.Find(nil, v, points, 1, infinity, query.Filter{})
	if err == nil || !strings.Contains(err.Error(), "77") || !strings.Contains(err.Error(), "+Inf") {
		t.Errorf("infinite point: %v", err)
	}
}
