package replica

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// group is a cluster, and a tree that makes the same calls.
type group struct {
	*Cluster
	t        *testing.T
	ctx      context.Context
	rng      *rand.Rand
	h        *History
	tree     *linear.Tree
	commands int
}

func newGroup(t *testing.T, trail uint64) *group {
	seed := testkit.Seed(t)
	objects := scene.All()[0].Make(500, seed)
	g := &group{t: t, rng: testkit.Rand(seed), h: NewHistory(testkit.Rand(seed), objects)}
	g.tree = must.Get(newTree())
	g.Cluster = must.Get(Start(3, trail))
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // other work may stop this
	t.Cleanup(cancel)
	g.ctx = ctx
	return g
}

// run proposes commands. After each, all running replicas agree with the tree, and one of them is queried.
func (g *group) run(commands int) {
	g.t.Helper()
	for range commands {
		g.commands++
		var b linear.Batch
		g.h.Next(&b, g.rng.IntN(40))
		o, err := g.Propose(g.ctx, &b)
		if err != nil || o.Err() != nil {
			g.t.Fatalf("command %d: %v, %v", g.commands, err, o.Err())
		}
		ids, err := g.tree.Apply(&b)
		if err == nil {
			err = g.tree.Tick()
		}
		if err != nil || !slices.Equal(o.IDs, ids) {
			g.t.Fatalf("command %d: IDs %v, want %v, %v", g.commands, o.IDs, ids, err)
		}
		g.h.Done(ids)
		if d, err := g.Agree(g.ctx); err != nil || d != digest(g.tree) {
			g.t.Fatalf("command %d: %v, digest %x, want %x", g.commands, err, d, digest(g.tree))
		}
		for reads := g.rng.IntN(3); reads > 0; reads-- {
			g.read(g.rng.IntN(g.Len()))
		}
	}
}

// read queries one replica.
func (g *group) read(i int) {
	if !g.Live(i) {
		return
	}
	b := g.h.objects[g.rng.IntN(len(g.h.objects))].Box
	for a := range 3 {
		b.Min[a] -= 30
		b.Max[a] += 30
	}
	box, err := query.NewBox(b.Min, b.Max)
	if err != nil {
		g.t.Fatal(err)
	}
	g.Look(i, func(v linear.View) {
		got := slices.Sorted(slices.Values(box.Append(nil, v, query.Filter{})))
		want := slices.Sorted(slices.Values(box.Append(nil, g.tree.Clone().View(), query.Filter{})))
		if !slices.Equal(got, want) {
			g.t.Fatalf("command %d: node %d answers %d objects, want %d", g.commands, i, len(got), len(want))
		}
	})
}

// Nodes stop and restart, the leader too, with their disks and without: from the log, and from a snapshot
// and the log behind it.
func TestCluster(t *testing.T) {
	g := newGroup(t, 4)
	g.run(20)
	for round := range 3 {
		leader := must.Get(g.Leader(g.ctx))
		victim := leader
		if round != 1 {
			victim = (leader + 1 + round/2) % 3
		}
		loses := round == 2
		must.Do(g.Kill(victim, loses))
		if g.Live(victim) {
			t.Error("it is running")
		}
		g.run(8)
		if round > 0 {
			for i := range g.Len() {
				if g.Live(i) {
					must.Do(g.Snapshot(i))
				}
			}
			g.run(3)
		}
		must.Do(g.Restart(victim))
		must.Get(g.Agree(g.ctx))
		if restored := g.Restored(victim); (restored > 0) != (round > 0) {
			t.Errorf("round %d: made of %d snapshots", round, restored)
		}
		g.run(8)
	}
}

// Misuse and unavailable replicas are errors.
func TestClusterErrors(t *testing.T) {
	if _, err := Start(0, 1); err == nil {
		t.Error("no replicas")
	}
	g := newGroup(t, 100)
	g.run(1)
	if err := g.Restart(0); err == nil {
		t.Error("no error for starting a running node")
	}
	for i := range 2 {
		must.Do(g.Kill(i, false))
	}
	if err := g.Kill(0, false); err == nil {
		t.Error("a stopped node can be stopped again")
	}
	ctx, cancel := context.WithTimeout(g.ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := g.Propose(ctx, &linear.Batch{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one node of three decides: %v", err)
	}
	if _, err := g.Await(ctx, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it has done what was not decided: %v", err)
	}
}
