package linear_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
)

// envOps sets the number of operations of a long random run.
const envOps = "ZOCTREE_MODEL_OPS"

// TestModelLong runs ZOCTREE_MODEL_OPS random operations, divided among the configurations and some sizes, and
// checks the tree after every five hundred. A batch counts as one operation.
func TestModelLong(t *testing.T) {
	text := os.Getenv(envOps)
	if text == "" {
		t.Skipf("%s is not set", envOps)
	}
	total, err := strconv.Atoi(text)
	if err != nil || total <= 0 {
		t.Fatalf("%s=%q is not a number of operations", envOps, text)
	}
	seed := testkit.Seed(t)
	start := time.Now()
	sizes := []int{5, 40, 200, 1500}
	share := total/(len(sizes)*len(modelConfigs)) + 1
	done := 0
	for _, n := range sizes {
		for _, cfg := range modelConfigs {
			m := newModel(t, cfg, seed+uint64(n), 100)
			for i := range share {
				m.step(t, n)
				if i%500 == 499 {
					m.check(t)
				}
			}
			m.check(t)
			done += share
			t.Logf("%d operations, n=%d, %+v, %v", done, n, cfg, time.Since(start).Round(time.Second))
		}
	}
	t.Logf("%d random operations, %s=%d", done, testkit.EnvSeed, seed)
}

// A long story in trees that stay small: the effect of a change depends on the history of the tree, and rare
// shapes occur.
func TestModelOnward(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, 150, 4000)
	for k, cfg := range append(slices.Clone(modelConfigs), placeConfigs...) {
		m := newModel(t, cfg, seed+200, 100)
		for i := range steps {
			m.step(t, 200)
			if i%20 == 19 {
				if err := m.tree.Validate(); err != nil {
					t.Fatalf("configuration %d, step %d: %v, after %v", k, i, err, m.log)
				}
			}
		}
		m.check(t)
	}
}
