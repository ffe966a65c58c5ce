package replica

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hashicorp/raft"

	"github.com/zoctree/zoctree/linear"
)

// Outcome is the result of a command, the same on every replica.
type Outcome struct {
	Number  uint64
	IDs     []uint32 // of the insertions, in order
	Refused string   // reason why the tree rejected the batch; "": accepted
	Digest  Digest   // of the tree after the command
}

// Err returns the rejection as an error, or nil.
func (o *Outcome) Err() error {
	if o.Refused == "" {
		return nil
	}
	return errors.New(o.Refused)
}

// state is the replicated state: the tree and the outcome of the last command.
type state struct {
	tree    *linear.Tree
	outcome Outcome // of the last command
}

// machine is the state machine of a replica: a raft.FSM. The library serializes Apply, Snapshot and Restore.
type machine struct {
	batch linear.Batch
	state *state

	mu       sync.Mutex
	changed  *sync.Cond
	readers  *linear.Publisher
	shown    Outcome // outcome of the last command
	restored int     // number of restored snapshots
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

// become publishes another state to readers.
func (m *machine) become(s *state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state = s
	m.readers = linear.NewPublisher(s.tree)
	m.shown = s.outcome
	m.changed.Broadcast()
}

// order is the byte order of the number before the bytes of a batch.
var order = binary.LittleEndian

// encode returns the command of a batch: its number and the batch.
func encode(number uint64, b *linear.Batch) ([]byte, error) {
	return b.AppendBinary(order.AppendUint64(nil, number))
}

// Apply runs a command. Its outcome is a function of the commands before it.
func (m *machine) Apply(l *raft.Log) any {
	s := m.state
	if len(l.Data) < 8 {
		return Outcome{Refused: "replica: a command without a number", Digest: s.outcome.Digest}
	}
	number, last := order.Uint64(l.Data), s.outcome.Number
	switch {
	case number == last && number > 0:
		return s.outcome // a duplicate of the last command
	case number != last+1:
		return Outcome{Number: number, Refused: fmt.Sprintf("replica: command %d after %d", number, last), Digest: s.outcome.Digest}
	}
	s.outcome = Outcome{Number: number}
	err := m.batch.UnmarshalBinary(l.Data[8:])
	if err == nil {
		var ids []uint32
		ids, err = s.tree.Apply(&m.batch)
		s.outcome.IDs = slices.Clone(ids)
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

// Snapshot copies the state in time proportional to the tree. Writing the copy does not block commands.
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	s := *m.state
	s.tree = s.tree.Clone()
	return &frozen{&s}, nil
}

// frozen is a copy of a state that is written to a snapshot.
type frozen struct{ state *state }

// Persist writes the snapshot.
func (f *frozen) Persist(sink raft.SnapshotSink) error {
	if err := writeSnapshot(sink, f.state); err != nil {
		return errors.Join(err, sink.Cancel())
	}
	return sink.Close()
}

// Release drops the copy.
func (f *frozen) Release() { f.state = nil }

// Restore replaces the state by a snapshot.
func (m *machine) Restore(from io.ReadCloser) error {
	s, err := readSnapshot(from)
	if err = errors.Join(err, from.Close()); err != nil {
		return err
	}
	m.become(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restored++
	return nil
}

// read calls do with a view of the state after the last command.
func (m *machine) read(do func(v linear.View)) {
	m.mu.Lock()
	held := m.readers.Acquire()
	m.mu.Unlock()
	defer held.Release()
	do(held.View())
}
