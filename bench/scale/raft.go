package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

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
func (s *show) raft() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), raftPatience+time.Duration(s.Steps)*time.Second)
	defer cancel()
	of, _ := scene.ByName(s.Scene)
	objects := of.Make(s.N, s.Seed)
	rng := rand.New(rand.NewPCG(s.Seed, 8))
	g := &group{ctx: ctx, rng: rng, history: replica.NewHistory(rng, objects), objects: objects}
	if g.Cluster, err = replica.Start(s.Nodes, 8); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	g.sheet = s.out.Table("events", table.Column{Title: "event", Width: -56}, table.Column{Title: "commands", Width: 8},
		table.Column{Title: "seconds", Width: 8}, table.Column{Title: "running", Width: 7}, table.Column{Title: "snapshots taken in", Width: 4},
		table.Column{Title: "digest of all running", Width: -12})
	if err := g.step("all objects", -1, func() error { return g.fill() }); err != nil {
		return err
	}
	part := max(1, s.Steps/5)
	if err := g.step("random changes, nodes queried in between", -1, func() error { return g.run(part) }); err != nil {
		return err
	}
	if s.Nodes >= 3 { // fewer nodes have no majority without one of them
		for _, a := range []absence{{"a node", 1, false, false}, {"the leader", 0, true, false}, {"a node, and its disks,", 2, true, true}} {
			if err := g.away(a, part); err != nil {
				return err
			}
		}
	}
	s.out.Note("queries", fmt.Sprintf("%d queries of single nodes, each compared with another node's result", g.reads))
	return nil
}

// step runs do, waits until all nodes agree, and prints a line. victim is the node whose snapshots are
// counted, or -1.
func (g *group) step(name string, victim int, do func() error) error {
	seconds, err := took(do)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d, err := g.Agree(g.ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
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
	return nil
}

// fill inserts all objects.
func (g *group) fill() error {
	const most = 1000
	for from := 0; from < len(g.objects); from += most {
		var b linear.Batch
		for _, o := range g.objects[from:min(from+most, len(g.objects))] {
			b.Insert(o)
		}
		if err := g.propose(&b); err != nil {
			return err
		}
	}
	return nil
}

// run proposes random batches.
func (g *group) run(commands int) error {
	for range commands {
		var b linear.Batch
		g.history.Next(&b, g.rng.IntN(50))
		if err := g.propose(&b); err != nil {
			return err
		}
		if g.rng.IntN(2) == 0 {
			if err := g.read(); err != nil {
				return err
			}
		}
	}
	return nil
}

// propose runs a command and waits until all running nodes agree.
func (g *group) propose(b *linear.Batch) error {
	o, err := g.Propose(g.ctx, b)
	if err = errors.Join(err, o.Err()); err != nil {
		return err
	}
	g.history.Done(o.IDs)
	g.done++
	_, err = g.Agree(g.ctx)
	return err
}

// read runs a query on at most two running nodes, on node 0 only half of the time, and compares the results.
func (g *group) read() error {
	of := g.objects[g.rng.IntN(len(g.objects))].Box
	for a := range 3 {
		of.Min[a] -= 20
		of.Max[a] += 20
	}
	box, err := query.NewBox(of.Min, of.Max)
	if err != nil {
		return nil // a scene at the limits of float32
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
			return fmt.Errorf("after command %d: two nodes return %d and %d objects", g.done, len(answers[0]), len(a))
		}
	}
	g.reads += len(answers)
	return nil
}

// absence describes the outage of a node: its index after the leader's, whether the other nodes take
// snapshots and truncate their logs meanwhile, and whether it loses its disks.
type absence struct {
	who        string
	after      int
	cut, disks bool
}

// away kills a node, and restarts it after some commands.
func (g *group) away(a absence, commands int) error {
	leader, err := g.Leader(g.ctx)
	if err != nil {
		return err
	}
	victim := (leader + a.after) % g.Len()
	err = g.step(a.who+" is stopped", victim, func() error { return g.Kill(victim, a.disks) })
	if err == nil {
		err = g.step("changes without it", -1, func() error { return g.run(commands) })
	}
	if err != nil {
		return err
	}
	if a.cut {
		err = g.step("the others take snapshots and truncate their logs", -1, func() (err error) {
			for i := range g.Len() {
				if g.Live(i) {
					err = errors.Join(err, g.Snapshot(i))
				}
			}
			return errors.Join(err, g.run(1))
		})
		if err != nil {
			return err
		}
	}
	return g.step("it restarts and catches up", victim, func() error {
		if err := g.Restart(victim); err != nil {
			return err
		}
		_, err := g.Await(g.ctx, victim)
		return err
	})
}
