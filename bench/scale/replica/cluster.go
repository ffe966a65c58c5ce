package replica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/zoctree/zoctree/linear"
)

// Cluster is a group of replicas in one process. One goroutine proposes and kills; any
// number may look.
type Cluster struct {
	nodes  []*node
	trail  uint64
	number uint64 // of the last command that was proposed
}

// node is a machine, as it were: what is on its disks stays when it is killed.
type node struct {
	id        raft.ServerID
	address   raft.ServerAddress
	log       *raft.InmemStore // and what is stable
	snapshots *raft.InmemSnapshotStore

	// Of a live node:
	transport *raft.InmemTransport
	raft      *raft.Raft
	machine   *machine
}

func (n *node) live() bool { return n.raft != nil }

// The clocks of a cluster. What waits longer than a pulse holds an election, so it is long
// for a process, where messages take microseconds: other work may have the CPU meanwhile.
const (
	pulse = 500 * time.Millisecond
	retry = 10 * time.Millisecond
)

// Start starts so many empty replicas. The log of a node keeps trail commands behind its
// last snapshot.
func Start(replicas int, trail uint64) (c *Cluster, err error) {
	if replicas < 1 {
		return nil, fmt.Errorf("replica: %d replicas", replicas)
	}
	c = &Cluster{trail: trail}
	var servers []raft.Server
	for i := range replicas {
		n := &node{id: raft.ServerID(fmt.Sprint("node", i)), address: raft.ServerAddress(fmt.Sprint("place", i))}
		n.format()
		c.nodes = append(c.nodes, n)
		servers = append(servers, raft.Server{ID: n.id, Address: n.address})
	}
	for i, n := range c.nodes {
		if err := c.Restart(i); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		if err := n.raft.BootstrapCluster(raft.Configuration{Servers: servers}).Error(); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// format empties the disks of a node.
func (n *node) format() { n.log, n.snapshots = raft.NewInmemStore(), raft.NewInmemSnapshotStore() }

// Restart starts a node that has been killed, with what is on its disks and nothing in
// memory.
func (c *Cluster) Restart(i int) (err error) {
	n := c.nodes[i]
	if n.live() {
		return fmt.Errorf("replica: %s lives", n.id)
	}
	if n.machine, err = newMachine(); err != nil {
		return err
	}
	_, n.transport = raft.NewInmemTransport(n.address)
	for _, other := range c.nodes {
		if other.live() {
			n.transport.Connect(other.address, other.transport)
			other.transport.Connect(n.address, n.transport)
		}
	}
	conf := raft.DefaultConfig()
	conf.LocalID = n.id
	conf.HeartbeatTimeout, conf.ElectionTimeout, conf.LeaderLeaseTimeout = pulse, pulse, pulse
	conf.CommitTimeout = retry
	conf.TrailingLogs = c.trail
	conf.Logger = hclog.New(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off})
	n.raft, err = raft.NewRaft(conf, n.machine, n.log, n.log, n.snapshots, n.transport)
	return err
}

// Kill stops a node in the midst of what it does. Its tree is lost, and what is on its
// disks, too, if they are.
func (c *Cluster) Kill(i int, disks bool) error {
	n := c.nodes[i]
	if !n.live() {
		return fmt.Errorf("replica: %s is dead", n.id)
	}
	for _, other := range c.nodes {
		if other != n && other.live() {
			other.transport.Disconnect(n.address)
		}
	}
	err := errors.Join(n.transport.Close(), n.raft.Shutdown().Error())
	n.transport, n.raft, n.machine = nil, nil, nil
	if disks {
		n.format()
	}
	return err
}

// Close stops all nodes.
func (c *Cluster) Close() (err error) {
	for i, n := range c.nodes {
		if n.live() {
			err = errors.Join(err, c.Kill(i, true))
		}
	}
	return err
}

// Propose has a batch applied by the leader and all that follow it, and returns what became
// of it as soon as most have it in their logs. A batch that the tree refuses is an outcome,
// too, and changes nothing. The error is that of ctx: then it is not known whether the batch
// will be applied, and the cluster takes no more.
func (c *Cluster) Propose(ctx context.Context, b *linear.Batch) (o Outcome, err error) {
	command, err := encode(c.number+1, b)
	if err != nil {
		return o, err
	}
	c.number++
	err = c.lead(ctx, func(n *node) error {
		future := n.raft.Apply(command, pulse)
		if err := future.Error(); err != nil {
			return err
		}
		o = future.Response().(Outcome)
		return nil
	})
	return o, err
}

// lead has the leader do something, until it succeeds.
func (c *Cluster) lead(ctx context.Context, do func(n *node) error) (err error) {
	for {
		for _, n := range c.nodes {
			if n.live() && n.raft.State() == raft.Leader {
				if err = do(n); err == nil {
					return nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(retry):
		}
	}
}

// Leader returns the index of the node that leads.
func (c *Cluster) Leader(ctx context.Context) (leader int, err error) {
	err = c.lead(ctx, func(n *node) error {
		for i := range c.nodes {
			if c.nodes[i] == n {
				leader = i
			}
		}
		return n.raft.VerifyLeader().Error()
	})
	return leader, err
}

// Snapshot makes a node take a snapshot, and cut its log.
func (c *Cluster) Snapshot(i int) error { return c.nodes[i].raft.Snapshot().Error() }

// Len returns the number of nodes.
func (c *Cluster) Len() int { return len(c.nodes) }

// Live reports whether a node runs.
func (c *Cluster) Live(i int) bool { return c.nodes[i].live() }

// Restored returns how many snapshots a live node was made of since it started.
func (c *Cluster) Restored(i int) int {
	m := c.nodes[i].machine
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.restored
}

// Await waits until a live node has done all that was proposed, and returns the outcome of
// the last command there.
func (c *Cluster) Await(ctx context.Context, i int) (Outcome, error) {
	m := c.nodes[i].machine
	stop := context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed.Broadcast()
	})
	defer stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.shown.Number < c.number {
		if err := ctx.Err(); err != nil {
			return m.shown, fmt.Errorf("replica: %s is at command %d of %d: %w", c.nodes[i].id, m.shown.Number, c.number, err)
		}
		m.changed.Wait()
	}
	return m.shown, nil
}

// Agree waits for all live nodes and returns an error unless they have the same digest.
func (c *Cluster) Agree(ctx context.Context) (d Digest, err error) {
	first := -1
	for i, n := range c.nodes {
		if !n.live() {
			continue
		}
		o, err := c.Await(ctx, i)
		switch {
		case err != nil:
			return d, err
		case first < 0:
			first, d = i, o.Digest
		case o.Digest != d:
			return d, fmt.Errorf("replica: after command %d %s has the digest %x, %s %x", c.number, c.nodes[first].id, d, n.id, o.Digest)
		}
	}
	return d, nil
}

// Look calls do with the tree of a live node as the last command that it did has left it.
// The view ends when do returns.
func (c *Cluster) Look(i int, do func(v linear.View)) { c.nodes[i].machine.look(do) }
