package linear_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// saved is a tree that changes in numbered steps, with its present step.
type saved struct {
	tree *linear.Tree
	step uint64
}

func newSaved(t testing.TB) *saved {
	t.Helper()
	tree, err := linear.New(linear.Config{})
	must(t, err)
	_, err = tree.InsertBatch(nil, testkit.SceneByName(t, "uniform").Make(10_000, 1))
	must(t, err)
	must(t, tree.Tick())
	return &saved{tree: tree}
}

// advance applies the steps up to one.
func (s *saved) advance(t testing.TB, to uint64) {
	t.Helper()
	for ; s.step < to; s.step++ {
		var b linear.Batch
		for i := range uint64(20) {
			x, y := float32((s.step*31+i*7)%97), float32((s.step*17+i*11)%89)
			b.Move(uint32((s.step*13+i*101)%10_000), soa.AABB{Min: [3]float32{x, y, x}, Max: [3]float32{x + 1, y + 1, x + 1}})
		}
		_, err := s.tree.Apply(&b)
		must(t, err)
		must(t, s.tree.Tick())
	}
}

// readSaved reads the file of an earlier process.
func readSaved(path string) (*saved, error) {
	s, err := linear.OpenMapped(path, linear.CheckFull)
	if err != nil {
		return nil, err
	}
	step, err := linear.LoadColumn[uint64](s, "step")
	if err == nil && len(step) != 1 {
		err = fmt.Errorf("%d steps", len(step))
	}
	var tree *linear.Tree
	if err == nil {
		tree, err = s.Load()
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return &saved{tree, step[0]}, nil
}

// save saves repeatedly, starts at the step of the file, and reports each step that it has saved.
func save(t *testing.T, path string) {
	s, err := readSaved(path)
	if errors.Is(err, fs.ErrNotExist) {
		s, err = newSaved(t), nil
	}
	must(t, err)
	for {
		s.advance(t, s.step+1)
		must(t, s.tree.Save(context.Background(), path, linear.SnapshotOptions{
			Sections: []linear.Section{linear.SaveColumn("step", []uint64{s.step})},
		}))
		tell(s.step)
	}
}

// A process that is killed during saves leaves the last reported file, or the next one, complete. The next
// process continues from it and removes leftover files.
func TestSaveKilled(t *testing.T) {
	if path := os.Getenv(killedEnv); path != "" {
		save(t, path)
	}
	canKill(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "tree")
	rng := testkit.Rand(testkit.Seed(t))
	model := newSaved(t)
	amid, next, told := 0, 0, uint64(0)
	kills := testkit.Budget(t, 20, 200)
	for kill := range kills {
		said := killed(t, "TestSaveKilled", path, time.Duration(rng.IntN(12_000))*time.Microsecond)
		told = max(told, said)
		s, err := readSaved(path)
		if err != nil {
			t.Fatalf("kill %d, after step %d: %v", kill, told, err)
		}
		if s.step != told && s.step != told+1 {
			t.Fatalf("kill %d: the file has step %d, after %d", kill, s.step, told)
		}
		if s.step > told {
			next++
		}
		if model.advance(t, s.step); s.tree.LayoutDigest() != model.tree.LayoutDigest() {
			t.Fatalf("kill %d: step %d is another tree", kill, s.step)
		}
		told = s.step
		files, err := os.ReadDir(folder)
		must(t, err)
		switch {
		case len(files) > 2: // the next process has not removed the leftover file
			t.Fatalf("kill %d: %v", kill, files)
		case len(files) == 2:
			amid++
		}
	}
	must(t, model.tree.Save(context.Background(), path, linear.SnapshotOptions{}))
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	t.Logf("%d kills: %d while the new file was written, %d between its rename and the end, step %d", kills, amid, next, told)
	if amid+next == 0 {
		t.Error("no kill came amid a save")
	}
}
