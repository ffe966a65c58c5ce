package replica

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hashicorp/raft"

	"github.com/zoctree/zoctree/linear"
)

// Outcome is what became of a command, the same on every replica.
type Outcome struct {
	Number  uint64
	IDs     []uint32 // of the insertions, in their order
	Refused string   // why the tree refused the batch, or nothing
	Digest  Digest   // of the content afterwards
}

// Err returns the refusal as an error.
func (o *Outcome) Err() error {
	if o.Refused == "" {
		return nil
	}
	return errors.New(o.Refused)
}

// state is what commands make of a replica.
type state struct {
	tree    *linear.Tree
	given   uint32 // IDs ever given out
	last    uint64 // number of the last command
	outcome Outcome
}

// machine is the state machine of a replica: a raft.FSM. The library calls Apply, Snapshot
// and Restore one after the other.
type machine struct {
	batch linear.Batch
	state *state

	mu       sync.Mutex
	changed  *sync.Cond
	readers  *linear.Publisher
	shown    Outcome // of the last command
	restored int     // snapshots that it was made of
}

func newMachine() (*machine, error) {
	tree, err := newTree()
	if err != nil {
		return nil, err
	}
	m := &machine{}
	m.changed = sync.NewCond(&m.mu)
	m.become(&state{tree: tree, outcome: Outcome{Digest: digest(tree)}})
	return m, nil
}

// become shows another state to readers.
func (m *machine) become(s *state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state = s
	m.readers = linear.NewPublisher(s.tree)
	m.shown = s.outcome
	m.changed.Broadcast()
}

// Apply runs a command: its number and an encoded batch. It is a function of the commands
// before it.
func (m *machine) Apply(l *raft.Log) any {
	r := reader{data: l.Data}
	number := r.uint64()
	s := m.state
	switch {
	case r.err != nil:
		return Outcome{Refused: r.err.Error(), Digest: s.outcome.Digest}
	case number == s.last && number > 0:
		return s.outcome // it has come twice
	case number != s.last+1:
		return Outcome{Number: number, Refused: fmt.Sprintf("replica: command %d after %d", number, s.last), Digest: s.outcome.Digest}
	}
	s.last, s.outcome = number, Outcome{Number: number}
	m.batch.Reset()
	err := decode(r.data, &m.batch)
	if err == nil {
		var ids []uint32
		ids, err = s.tree.Apply(&m.batch)
		s.outcome.IDs = append(ids[:0:0], ids...)
		for _, id := range ids {
			s.given = max(s.given, id+1)
		}
	}
	if err == nil {
		err = s.tree.Tick()
	}
	if err != nil {
		s.outcome.Refused = err.Error()
	}
	s.outcome.Digest = digest(s.tree)
	m.readers.Publish()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = s.outcome
	m.changed.Broadcast()
	return s.outcome
}

func newTree() (*linear.Tree, error) { return linear.New(linear.Config{Workers: 1}) }

// Snapshot copies the state, which takes time proportional to the tree; to write the copy
// is not in the way of commands.
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	s := *m.state
	s.tree = s.tree.Clone()
	return &frozen{&s}, nil
}

// frozen is the copy of a state on its way to a snapshot.
type frozen struct{ state *state }

// Persist writes the snapshot.
func (f *frozen) Persist(sink raft.SnapshotSink) error {
	data, err := appendSnapshot(nil, f.state)
	if err == nil {
		_, err = sink.Write(data)
	}
	if err != nil {
		return errors.Join(err, sink.Cancel())
	}
	return sink.Close()
}

// Release ends it.
func (f *frozen) Release() { f.state = nil }

// Restore makes the state of a snapshot.
func (m *machine) Restore(from io.ReadCloser) error {
	data, err := io.ReadAll(from)
	if err = errors.Join(err, from.Close()); err != nil {
		return err
	}
	s, err := readSnapshot(data)
	if err != nil {
		return err
	}
	m.become(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restored++
	return nil
}

// look calls do with what the last command has left.
func (m *machine) look(do func(v linear.View)) {
	m.mu.Lock()
	held := m.readers.Acquire()
	m.mu.Unlock()
	defer held.Release()
	do(held.View())
}
