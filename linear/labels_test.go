package linear_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// During a rebuild the profiler label is the reported phase, and afterwards it is removed.
func TestRebuildLabels(t *testing.T) {
	defer linear.ProfileLabels(linear.ProfileLabels(true))
	tree, err := linear.New(linear.Config{})
	must(t, err)
	if _, err := tree.InsertBatch(nil, testkit.SceneByName(t, "uniform").Make(300, 1)); err != nil {
		t.Fatal(err)
	}
	seen := map[linear.Phase]bool{}
	err = tree.Rebuild(nil, linear.RebuildOptions{Progress: func(p linear.Phase, _ float64) {
		if got, want := testkit.Labels(t), fmt.Sprintf(`{"phase":"%v", "zoctree.op":"build"}`, p); got != want {
			t.Errorf("labels %s, want %s", got, want)
		}
		seen[p] = true
	}})
	if err != nil || len(seen) != 4 {
		t.Errorf("%d phases, %v", len(seen), err)
	}
	if got := testkit.Labels(t); got != "" {
		t.Errorf("labels %s are left", got)
	}
}

// The names of the phases of a build are the values of their labels, in the order of a build.
func TestPhaseNames(t *testing.T) {
	var names []string
	for p := linear.PhaseEncode; p <= linear.PhaseFill; p++ {
		names = append(names, p.String())
	}
	if want := []string{"encode", "sort", "topology", "fill"}; !slices.Equal(names, want) {
		t.Errorf("phases %q, want %q", names, want)
	}
}
