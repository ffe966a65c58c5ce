package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// sameFrusta fails unless the batch returns the results of the single frusta, in their order, and the
// objects of all of them, each once, with the set of its frusta.
func sameFrusta(t testing.TB, b *query.FrustumBatch, v linear.View, frusta []query.Frustum, flt query.Filter) {
	t.Helper()
	var ids []uint32
	sets := map[uint32]uint64{}
	for k, f := range frusta {
		alone := f.Append(nil, v, flt)
		testkit.SameIDs(t, b.Of(k), alone)
		for _, id := range alone {
			if sets[id] == 0 {
				ids = append(ids, id)
			}
			sets[id] |= 1 << k
		}
	}
	all, viewers := b.Viewers()
	testkit.SameIDs(t, all, ids)
	for i, id := range all {
		if viewers[i] != sets[id] {
			t.Fatalf("object %d is in the frusta %#x, want %#x", id, viewers[i], sets[id])
		}
	}
	if len(viewers) != len(all) {
		t.Fatalf("%d objects with %d sets", len(all), len(viewers))
	}
}

// Once its buffers have grown, a batch of one worker allocates nothing. It takes any number of frusta; the sets of more
// than 64 panic.
func TestFrustumBatchKept(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(80_000, 1) // shared among workers
	v := plant(t, objects, true).View()
	frusta := someFrusta(t, objects, 2, 1)[:12]
	b := query.FrustumBatch{}
	for _, b.Workers = range []int{3, 2, 1} {
		for _, flt := range testkit.Turn(t, b.Workers, filters) {
			testkit.Must(t, b.Find(nil, v, frusta, flt))
			sameFrusta(t, &b, v, frusta, flt)
		}
	}
	testkit.Allocs(t, 5, func() {
		for _, flt := range filters {
			b.Find(nil, v, frusta, flt)
			b.Viewers()
		}
	})
	many := slices.Repeat(frusta, 6)
	testkit.Must(t, b.Find(nil, v, many, query.Filter{}))
	for k, f := range many {
		testkit.SameIDs(t, b.Of(k), f.Append(nil, v, query.Filter{}))
	}
	if value := fmt.Sprint(testkit.Panic(func() { b.Viewers() })); !strings.Contains(value, "72") || !strings.Contains(value, "64") {
		t.Errorf("viewers of 72 frusta: panic %v", value)
	}
	testkit.Must(t, b.Find(nil, v, many[:64], query.Filter{}))
	sameFrusta(t, &b, v, many[:64], query.Filter{})
}
