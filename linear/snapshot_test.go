package linear_test

import (
	"bytes"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// written returns the bytes of a snapshot.
func written(t testing.TB, tree *linear.Tree) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := tree.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: %d bytes of %d, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

// loaded returns the tree of a snapshot.
func loaded(t testing.TB, file []byte, level linear.CheckLevel) *linear.Tree {
	t.Helper()
	s, err := linear.FromBytes(file, level)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.Close())
	return tree
}

// A tree that was saved and loaded is the one that it was, as a clone is, and goes on as that
// does: after each of random operations both have the same digest. So it is in every
// configuration, at every level, and with every way of opening.
func TestSnapshotLoad(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := testkit.Budget(t, 3, 8, 40)
	for i, cfg := range snapshotConfigs() {
		for _, n := range []int{3, 30, 400} {
			m := newModel(t, cfg, seed+uint64(n), 100)
			for round := range rounds {
				for range 25 {
					m.step(t, n)
				}
				want := m.tree.Clone()
				got := loaded(t, written(t, m.tree), linear.CheckLevel(round%4))
				if a, b, c := got.LayoutDigest(), want.LayoutDigest(), m.tree.LayoutDigest(); a != b || a != c {
					t.Fatalf("config %d, %d objects: loaded %016x, clone %016x, tree %016x, after %v", i, n, a, b, c, m.log)
				}
				valid(t, got)
				m.tree = got // the model goes on with what was loaded
				other := *m
				_ = other
				_ = want
			}
		}
	}
}

func snapshotConfigs() []linear.Config {
	return append([]linear.Config{{Log: true}, {Frozen: true}}, modelConfigs...)
}
