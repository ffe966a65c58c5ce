package replica

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/raft"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func machineOf(t *testing.T) *machine {
	t.Helper()
	m, err := newMachine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// command returns the log entry of a batch.
func command(number uint64, b *Batch) *raft.Log {
	return &raft.Log{Data: append(order.AppendUint64(nil, number), encode(b)...)}
}

// sink is a place for a snapshot.
type sink struct {
	bytes.Buffer
	closed, cancelled bool
}

func (s *sink) ID() string    { return "sink" }
func (s *sink) Close() error  { s.closed = true; return nil }
func (s *sink) Cancel() error { s.cancelled = true; return nil }

func snapshotOf(t *testing.T, m *machine) []byte {
	t.Helper()
	f, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var to sink
	if err := f.Persist(&to); err != nil || !to.closed || to.cancelled {
		t.Fatalf("%v, closed %v, cancelled %v", err, to.closed, to.cancelled)
	}
	f.Release()
	return to.Bytes()
}

// A machine does what a tree does, also one that was made of a snapshot on the way, and
// one that is queried: the same IDs, refusals and digests.
func TestMachine(t *testing.T) {
	batches := 45
	if !testing.Short() {
		batches = 2000
	}
	for _, sc := range append(scene.All(), testkit.HostileScenes()...) {
		t.Run(sc.Name, func(t *testing.T) {
			rng := testkit.Rand(testkit.Seed(t))
			seed := rng.Uint64()
			h := NewHistory(testkit.Rand(seed), sc.Make(200, 1))
			twin := NewHistory(testkit.Rand(seed), sc.Make(200, 1))
			machines := []*machine{machineOf(t), machineOf(t), machineOf(t)}
			tree, err := newTree()
			if err != nil {
				t.Fatal(err)
			}
			for number := uint64(1); number <= uint64(batches); number++ {
				var b Batch
				var calls linear.Batch
				n := rng.IntN(30)
				h.Next(&b, n)
				twin.Next(&calls, n)
				if number%40 == 0 { // all go
					for len(h.Live) > 0 {
						id := h.Live[len(h.Live)-1]
						h.Live, twin.Live = h.Live[:len(h.Live)-1], twin.Live[:len(twin.Live)-1]
						b.Remove(id)
						calls.Remove(id)
					}
				}
				if number%7 == 0 { // refused, all of it
					b.Remove(1 << 30)
					calls.Remove(1 << 30)
				}
				want, err := tree.Apply(&calls)
				refused := ""
				if err != nil {
					refused = err.Error()
				}
				if err := tree.Tick(); err != nil {
					t.Fatal(err)
				}
				if number%7 == 0 {
					h.Live, twin.Live = live(tree), live(tree)
				}
				for i, m := range machines {
					o := m.Apply(command(number, &b)).(Outcome)
					if !slices.Equal(o.IDs, want) || o.Refused != refused || o.Digest != digest(tree) || o.Number != number {
						t.Fatalf("command %d on %d: %+v, want IDs %v, refused %q, digest %v", number, i, o, want, refused, digest(tree))
					}
					if again := m.Apply(command(number, &b)).(Outcome); !slices.Equal(again.IDs, o.IDs) || again.Digest != o.Digest {
						t.Fatalf("command %d again: %+v", number, again)
					}
				}
				h.Done(want)
				twin.Done(want)
				machines[rng.IntN(2)].look(func(v linear.View) {
					box, err := query.NewBox([3]float32{-5, -5, -5}, [3]float32{50, 50, 50})
					if err != nil {
						t.Fatal(err)
					}
					ids := box.Append(nil, tree.Clone().View(), query.Filter{})
					got := box.Append(nil, v, query.Filter{})
					if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ids))) {
						t.Fatalf("command %d: %d objects, want %d", number, len(got), len(ids))
					}
				})
				if rng.IntN(4) == 0 {
					m := machineOf(t)
					if err := m.Restore(io.NopCloser(bytes.NewReader(snapshotOf(t, machines[2])))); err != nil {
						t.Fatal(err)
					}
					machines[2] = m
				}
			}
		})
	}
}

func live(tree *linear.Tree) (ids []uint32) {
	for id := range tree.All() {
		ids = append(ids, id)
	}
	return ids
}

// What is no batch, or comes out of turn, is refused and changes nothing.
func TestRefused(t *testing.T) {
	m := machineOf(t)
	var b Batch
	b.Insert(soa.Object{Mask: 1})
	first := m.Apply(command(1, &b)).(Outcome)
	if first.Err() != nil || !slices.Equal(first.IDs, []uint32{0}) {
		t.Fatalf("%+v", first)
	}
	number := uint64(1)
	refused := func(name string, l *raft.Log) {
		t.Helper()
		o := m.Apply(l).(Outcome)
		if o.Err() == nil || o.Digest != first.Digest || len(o.IDs) > 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
	refused("no number", &raft.Log{Data: []byte{1, 2, 3}})
	refused("a gap", command(3, &b))
	next := func() uint64 { number++; return number }
	for _, box := range []soa.AABB{
		{Min: [3]float32{float32(math.NaN())}}, {Max: [3]float32{0, float32(math.Inf(1))}}, {Min: [3]float32{0, 0, 1}},
	} {
		var bad Batch
		bad.Insert(soa.Object{})
		bad.Move(0, box)
		refused("a box", command(next(), &bad))
		bad.Reset()
		bad.Insert(soa.Object{Box: box})
		refused("a box", command(next(), &bad))
	}
	var all Batch
	NewHistory(testkit.Rand(1), []soa.Object{{}}).Next(&all, 1)
	all.Move(0, soa.AABB{})
	all.SetMask(0, 5)
	all.SetStatic(0, true)
	whole := encode(&all)
	ends := map[int]bool{}
	for n := range whole {
		cut := append(order.AppendUint64(nil, number+1), whole[:n]...)
		var calls linear.Batch
		if decode(whole[:n], &calls) == nil {
			ends[n] = true // between two calls
			continue
		}
		number++
		refused("cut", &raft.Log{Data: cut})
	}
	if len(ends) != 4 {
		t.Errorf("%d ends of calls in a batch of 4", len(ends))
	}
	refused("a kind", &raft.Log{Data: append(order.AppendUint64(nil, next()), 99)})
	refused("a flag", &raft.Log{Data: append(order.AppendUint64(nil, next()), staticCall, 0, 0, 0, 0, 2)})
	b.Reset()
	b.SetMask(0, 1)
	if o := m.Apply(command(next(), &b)).(Outcome); o.Err() != nil || o.Digest != first.Digest {
		t.Errorf("%+v", o)
	}
}

// Bytes that are no snapshot give an error, also when their sum is right, and the machine
// stays as it is; or what they say is sound.
func TestSnapshotBytes(t *testing.T) {
	m := machineOf(t)
	h := NewHistory(testkit.Rand(1), scene.All()[0].Make(20, 1))
	for number := uint64(1); number < 12; number++ {
		var b Batch
		h.Next(&b, 6)
		h.Done(m.Apply(command(number, &b)).(Outcome).IDs)
	}
	whole := snapshotOf(t, m)
	if m.state.given == uint32(m.state.tree.Len()) {
		t.Fatal("no ID is free")
	}
	for n := range whole {
		if _, err := readSnapshot(whole[:n]); err == nil {
			t.Fatalf("cut at %d of %d bytes", n, len(whole))
		}
	}
	accepted := 0
	for i := range len(whole) - 4 {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(whole)
			bad[i] ^= flip
			if err := m.Restore(io.NopCloser(bytes.NewReader(bad))); err == nil {
				t.Fatalf("byte %d ^ %#x: a wrong sum", i, flip)
			}
			order.PutUint32(bad[len(bad)-4:], crc32.ChecksumIEEE(bad[:len(bad)-4]))
			s, err := readSnapshot(bad)
			if err != nil {
				continue
			}
			accepted++
			again, err := appendSnapshot(nil, s)
			if err := errors.Join(err, s.tree.Validate()); err != nil || !bytes.Equal(again, bad) {
				t.Fatalf("byte %d ^ %#x: %v, or other bytes for the same state", i, flip, err)
			}
		}
	}
	if accepted == 0 || m.restored != 0 {
		t.Errorf("%d accepted, restored %d times", accepted, m.restored)
	}
	if _, err := readSnapshot(append(slices.Clone(whole), 0)); err == nil || !strings.Contains(err.Error(), "sum") {
		t.Errorf("a byte more: %v", err)
	}
}
