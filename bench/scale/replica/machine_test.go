package replica

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/hashicorp/raft"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func machineOf(t *testing.T) *machine {
	t.Helper()
	m := must.Get(newMachine())
	return m
}

// command returns the log entry of a batch.
func command(t *testing.T, number uint64, b *linear.Batch) *raft.Log {
	t.Helper()
	data := must.Get(encode(number, b))
	return &raft.Log{Data: data}
}

// sink receives a snapshot.
type sink struct {
	bytes.Buffer
	closed, cancelled bool
}

func (s *sink) ID() string    { return "sink" }
func (s *sink) Close() error  { s.closed = true; return nil }
func (s *sink) Cancel() error { s.cancelled = true; return nil }

func snapshotOf(t *testing.T, m *machine) []byte {
	t.Helper()
	f := must.Get(m.Snapshot())
	var to sink
	if err := f.Persist(&to); err != nil || !to.closed || to.cancelled {
		t.Fatalf("%v, closed %v, cancelled %v", err, to.closed, to.cancelled)
	}
	f.Release()
	return to.Bytes()
}

// A machine does the same as a tree, also a machine restored from a snapshot on the way, and one that is
// queried: the same IDs, rejections and digests.
func TestMachine(t *testing.T) {
	batches := 45
	if !testing.Short() {
		batches = 2000
	}
	for _, sc := range append(scene.All(), testkit.HostileScenes()...) {
		t.Run(sc.Name, func(t *testing.T) {
			rng := testkit.Rand(testkit.Seed(t))
			h := NewHistory(testkit.Rand(rng.Uint64()), sc.Make(200, 1))
			machines := []*machine{machineOf(t), machineOf(t), machineOf(t)}
			tree := must.Get(newTree())
			for number := uint64(1); number <= uint64(batches); number++ {
				var b linear.Batch
				h.Next(&b, rng.IntN(30))
				if number%40 == 0 { // all go
					for len(h.Live) > 0 {
						id := h.Live[len(h.Live)-1]
						h.Live = h.Live[:len(h.Live)-1]
						b.Remove(id)
					}
				}
				if number%7 == 0 { // rejected, all of it
					b.Remove(1 << 30)
				}
				want, err := tree.Apply(&b)
				refused := ""
				if err != nil {
					refused = err.Error()
				} else if err := tree.Tick(); err != nil {
					t.Fatal(err)
				}
				if number%7 == 0 {
					h.Live = live(tree)
				}
				for i, m := range machines {
					o := m.Apply(command(t, number, &b)).(Outcome)
					if !slices.Equal(o.IDs, want) || o.Refused != refused || o.Digest != digest(tree) || o.Number != number {
						t.Fatalf("command %d on %d: %+v, want IDs %v, refused %q, digest %x", number, i, o, want, refused, digest(tree))
					}
					if again := m.Apply(command(t, number, &b)).(Outcome); !slices.Equal(again.IDs, o.IDs) || again.Digest != o.Digest {
						t.Fatalf("command %d again: %+v", number, again)
					}
				}
				h.Done(want)
				machines[rng.IntN(2)].read(func(v linear.View) {
					box := must.Get(query.NewBox([3]float32{-5, -5, -5}, [3]float32{50, 50, 50}))
					ids := box.Append(nil, tree.Clone().View(), query.Filter{})
					got := box.Append(nil, v, query.Filter{})
					if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ids))) {
						t.Fatalf("command %d: %d objects, want %d", number, len(got), len(ids))
					}
				})
				if rng.IntN(4) == 0 {
					m := machineOf(t)
					must.Do(m.Restore(io.NopCloser(bytes.NewReader(snapshotOf(t, machines[2])))))
					again := m.Apply(command(t, number, &b)).(Outcome) // already applied
					if !slices.Equal(again.IDs, want) || again.Refused != refused || again.Digest != digest(tree) {
						t.Fatalf("command %d again, after a snapshot: %+v", number, again)
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

// Invalid batches, and batches out of order, are rejected and change nothing.
func TestRefused(t *testing.T) {
	m := machineOf(t)
	var b linear.Batch
	b.Insert(soa.Object{Mask: 1})
	first := m.Apply(command(t, 1, &b)).(Outcome)
	if first.Err() != nil || !slices.Equal(first.IDs, []uint32{0}) {
		t.Fatalf("%+v", first)
	}
	refused := func(name string, data []byte) {
		t.Helper()
		o := m.Apply(&raft.Log{Data: data}).(Outcome)
		if o.Err() == nil || o.Digest != first.Digest || len(o.IDs) > 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
	refused("no number", []byte{1, 2, 3})
	refused("a gap", command(t, 3, &b).Data)
	number := uint64(1)
	next := func() uint64 { number++; return number }
	b.Reset()
	b.Insert(soa.Object{})
	b.Move(0, soa.AABB{Min: [3]float32{0, 0, 1}})
	refused("a box", command(t, next(), &b).Data)
	for n := range len(command(t, 0, &b).Data) - 8 {
		refused("cut", command(t, next(), &b).Data[:8+n])
	}
	refused("a byte more", append(command(t, next(), &b).Data, 0))
	b.Reset()
	b.SetMask(0, 1)
	if o := m.Apply(command(t, next(), &b)).(Outcome); o.Err() != nil || o.Digest.Content != first.Digest.Content {
		t.Errorf("%+v", o)
	}
}

// Bytes that are no snapshot give an error, and leave the machine unchanged: a snapshot cut anywhere,
// changed anywhere except between sections, or with missing or wrong sections of a replica.
func TestSnapshotBytes(t *testing.T) {
	m := machineOf(t)
	h := NewHistory(testkit.Rand(1), scene.All()[0].Make(20, 1))
	for number := uint64(1); number < 12; number++ {
		var b linear.Batch
		h.Next(&b, 6)
		h.Done(m.Apply(command(t, number, &b)).(Outcome).IDs)
	}
	before := m.state
	refused := func(data []byte, format string, args ...any) {
		t.Helper()
		err := m.Restore(io.NopCloser(bytes.NewReader(data)))
		if err == nil || m.state != before || m.restored != 0 {
			t.Fatalf("%s: %v, restored %d times", fmt.Sprintf(format, args...), err, m.restored)
		}
	}
	whole := snapshotOf(t, m)
	for n := range whole {
		refused(whole[:n], "cut at %d of %d bytes", n, len(whole))
	}
	refused(append(slices.Clone(whole), 0), "a byte more")
	for _, flip := range []byte{1, 0x80} {
		for i := range whole {
			bad := slices.Clone(whole)
			bad[i] ^= flip
			s, err := readSnapshot(bytes.NewReader(bad))
			if err != nil {
				continue
			}
			if whole[i] != 0 || s.outcome.Digest != before.outcome.Digest || s.outcome.Number != before.outcome.Number {
				t.Fatalf("byte %d ^ %#x is accepted: %+v", i, flip, s.outcome)
			}
		}
	}
	for _, sections := range [][]linear.Section{
		nil,
		{linear.SaveColumn(numberSection, []uint64{1, 2}), linear.SaveColumn(idsSection, []uint32{}), linear.SaveColumn(refusedSection, []byte{})},
		{linear.SaveColumn(numberSection, []uint64{1}), linear.SaveColumn(idsSection, []int8{})},
		{linear.SaveColumn(numberSection, []uint64{1}), linear.SaveColumn(idsSection, []uint32{})},
	} {
		var to bytes.Buffer
		must.Get(m.state.tree.WriteSnapshot(nil, &to, linear.SnapshotOptions{Sections: sections}))
		refused(to.Bytes(), "%d sections", len(sections))
	}
}
