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

// Cluster is a group of replicas in one process. One goroutine may propose and kill; any number may call
// Look.
type Cluster struct {
	nodes  []*node
	trail  uint64
	number uint64 // number of the last proposed command
}

// node is a simulated machine: its disks survive a kill.
type node struct {
	id        raft.ServerID
	address   raft.ServerAddress
	log       *raft.InmemStore // also the stable store
	snapshots *raft.InmemSnapshotStore

	// Fields of a running node:
	transport *raft.InmemTransport
	raft      *raft.Raft
	machine   *machine
}

func (n *node) live() bool { return n.raft != nil }

// Timeouts of a cluster. A node that receives no message within a pulse starts an election. The pulse is long
// for a single process, where messages take microseconds, because other work may use the CPU meanwhile.
const (
	pulse = 500 * time.Millisecond
	retry = 10 * time.Millisecond
)

// Start starts a cluster of empty replicas. The log of a node keeps trail commands before its last snapshot.
func Start(replicas int, trail uint64) (c *Cluster, err error) {
	if replicas < 1 {
		return nil, fmt.Errorf("replica: %d replicas", replicas)
	}
	c = &Cluster{trail: trail}
	var servers []raft.Server
	for i := range replicas {
		n := &node{id: raft.ServerID(fmt.Sprint("node", i)), address: raft.ServerAddress(fmt.Sprint("address", i))}
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

// format erases the disks of a node.
func (n *node) format() { n.log, n.snapshots = raft.NewInmemStore(), raft.NewInmemSnapshotStore() }

// Restart starts a killed node from its disks, with empty memory.
func (c *Cluster) Restart(i int) (err error) {
	n := c.nodes[i]
	if n.live() {
		return fmt.Errorf("replica: %s is running", n.id)
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

// Kill stops a node abruptly. Its tree is lost, and with disks set, its disks too.
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

// Propose replicates a batch to the leader and its followers, and returns the outcome as soon as a majority
// has it in their logs. A batch that the tree rejects is an outcome, too, and changes nothing. The error is
// the error of ctx: then it is uncertain whether the batch will be applied, and the cluster accepts no more
// proposals.
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

// lead runs do on the leader until it succeeds.
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

// Leader returns the index of the leader.
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

// Snapshot makes a node take a snapshot and truncate its log.
func (c *Cluster) Snapshot(i int) error { return c.nodes[i].raft.Snapshot().Error() }

// Len returns the number of nodes.
func (c *Cluster) Len() int { return len(c.nodes) }

// Live reports whether a node is running.
func (c *Cluster) Live(i int) bool { return c.nodes[i].live() }

// Restored returns the number of snapshots that a running node has restored since it started.
func (c *Cluster) Restored(i int) int {
	m := c.nodes[i].machine
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.restored
}

// Await waits until a running node has applied all proposed commands, and returns the outcome of the last one
// on that node.
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

// Agree waits for all running nodes and returns an error unless they have the same digest.
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

// Look calls do with a view of the tree of a running node after its last command. The view is valid until do
// returns.
func (c *Cluster) Look(i int, do func(v linear.View)) { c.nodes[i].machine.read(do) }
