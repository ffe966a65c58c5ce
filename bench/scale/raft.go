package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/scale/replica"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// raftPatience is the time limit of a command, elections included.
const raftPatience = 5 * time.Minute

// group is a cluster that runs random commands.
type group struct {
	*replica.Cluster
	ctx     context.Context
	rng     *rand.Rand
	history *replica.History
	objects []soa.Object
	sheet   interface{ Row(cells ...string) }
	reads   int // number of compared queries
	done    int // number of commands
}

// raft starts replicas, changes them, kills and restarts them. After each command all running replicas must
// agree.
func (s *show) raft() {
	ctx, cancel := context.WithTimeout(context.Background(), raftPatience+time.Duration(s.Steps)*time.Second)
	defer cancel()
	of, _ := scene.ByName(s.Scene)
	objects := of.Make(s.N, s.Seed)
	rng := rand.New(rand.NewPCG(s.Seed, 8))
	g := &group{ctx: ctx, rng: rng, history: replica.NewHistory(rng, objects), objects: objects}
	g.Cluster = must.Get(replica.Start(s.Nodes, 8))
	defer must.Close(g.Close)
	g.sheet = s.out.Table("events", table.Column{Title: "event", Width: -56}, table.Column{Title: "commands", Width: 8},
		table.Column{Title: "seconds", Width: 8}, table.Column{Title: "running", Width: 7}, table.Column{Title: "snapshots taken in", Width: 4},
		table.Column{Title: "digest of all running", Width: -12})
	g.step("all objects", -1, g.fill)
	part := max(1, s.Steps/5)
	g.step("random changes, nodes queried in between", -1, func() { g.run(part) })
	if s.Nodes >= 3 { // fewer nodes have no majority without one of them
		for _, a := range []absence{{"a node", 1, false, false}, {"the leader", 0, true, false}, {"a node, and its disks,", 2, true, true}} {
			g.away(a, part)
		}
	}
	s.out.Note("queries", fmt.Sprintf("%d queries of single nodes, each compared with another node's result", g.reads))
}

// step runs do, waits until all nodes agree, and prints a line. victim is the node whose snapshots are
// counted, or -1.
func (g *group) step(name string, victim int, do func()) {
	var seconds float64
	var d replica.Digest
	must.Within(func() {
		seconds = took(do)
		d = must.Get(g.Agree(g.ctx))
	}, "%s", name)
	live := 0
	for i := range g.Len() {
		if g.Live(i) {
			live++
		}
	}
	restored := ""
	if victim >= 0 && g.Live(victim) {
		restored = fmt.Sprint(g.Restored(victim))
	}
	g.sheet.Row(name, fmt.Sprint(g.done), table.Number(seconds), fmt.Sprint(live), restored, d.String())
}

// fill inserts all objects.
func (g *group) fill() {
	const most = 1000
	for from := 0; from < len(g.objects); from += most {
		var b linear.Batch
		for _, o := range g.objects[from:min(from+most, len(g.objects))] {
			b.Insert(o)
		}
		g.propose(&b)
	}
}

// run proposes random batches.
func (g *group) run(commands int) {
	for range commands {
		var b linear.Batch
		g.history.Next(&b, g.rng.IntN(50))
		g.propose(&b)
		if g.rng.IntN(2) == 0 {
			g.read()
		}
	}
}

// propose runs a command and waits until all running nodes agree.
func (g *group) propose(b *linear.Batch) {
	o, err := g.Propose(g.ctx, b)
	must.Do(errors.Join(err, o.Err()))
	g.history.Done(o.IDs)
	g.done++
	must.Get(g.Agree(g.ctx))
}

// read runs a query on at most two running nodes, on node 0 only half of the time, and compares the results.
func (g *group) read() {
	of := g.objects[g.rng.IntN(len(g.objects))].Box
	for a := range 3 {
		of.Min[a] -= 20
		of.Max[a] += 20
	}
	box, err := query.NewBox(of.Min, of.Max)
	if err != nil {
		return // a scene at the limits of float32
	}
	var answers [][]uint32
	for i := range g.Len() {
		if g.Live(i) && len(answers) < 2 && (i > 0 || g.rng.IntN(2) == 0) {
			g.Look(i, func(v linear.View) { answers = append(answers, box.Append(nil, v, query.Filter{})) })
		}
	}
	for _, a := range answers {
		slices.Sort(a)
		if !slices.Equal(a, answers[0]) {
			must.Fail("after command %d: two nodes return %d and %d objects", g.done, len(answers[0]), len(a))
		}
	}
	g.reads += len(answers)
}

// absence describes the outage of a node: its index after the leader's, whether the other nodes take
// snapshots and truncate their logs meanwhile, and whether it loses its disks.
type absence struct {
	who        string
	after      int
	cut, disks bool
}

// away kills a node, and restarts it after some commands.
func (g *group) away(a absence, commands int) {
	victim := (must.Get(g.Leader(g.ctx)) + a.after) % g.Len()
	g.step(a.who+" is stopped", victim, func() { must.Do(g.Kill(victim, a.disks)) })
	g.step("changes without it", -1, func() { g.run(commands) })
	if a.cut {
		g.step("the others take snapshots and truncate their logs", -1, func() {
			for i := range g.Len() {
				if g.Live(i) {
					must.Do(g.Snapshot(i))
				}
			}
			g.run(1)
		})
	}
	g.step("it restarts and catches up", victim, func() {
		must.Do(g.Restart(victim))
		must.Get(g.Await(g.ctx, victim))
	})
}
