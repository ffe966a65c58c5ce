package crash

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// store is a tree on a disk: a checkpoint, and a log of the batches since.
//
//	/tree     the snapshot after n batches, with n beside it
//	/log.n    the batches after it, each as length (4) | CRC-32C of the bytes (4) | bytes
//
// A batch is acknowledged when its record is synced. The name of a log is on the disk with
// that of its checkpoint, since both are in one folder.
type store struct {
	d    *disk
	tree *linear.Tree
	n    uint64 // batches
	log  atomicfile.File
}

const logRecord = 8

var (
	order      = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func logPath(n uint64) string { return fmt.Sprint("/log.", n) }

// open recovers the tree on a disk, or begins with an empty tree. The recovered tree is its first
// checkpoint, so nothing is ever written behind the torn end of a log.
func open(d *disk) (*store, error) {
	s := &store{d: d}
	data, err := d.read(path)
	if err != nil {
		return nil, err
	}
	if data == nil {
		s.tree, err = linear.New(linear.Config{Workers: 1})
	} else {
		err = s.recover(data)
	}
	if err != nil {
		return nil, err
	}
	return s, s.checkpoint()
}

// recover loads a checkpoint and applies its log.
func (s *store) recover(data []byte) error {
	file, err := linear.Read(bytes.NewReader(data), linear.CheckSafe)
	if err != nil {
		return err
	}
	at, err := linear.LoadColumn[uint64](file, "batches")
	if err != nil {
		return err
	}
	s.n = at[0]
	if s.tree, err = file.Load(); err != nil {
		return err
	}
	rest, err := s.d.read(logPath(s.n))
	for err == nil && len(rest) >= logRecord {
		n, sum := uint64(order.Uint32(rest)), order.Uint32(rest[4:])
		if n > uint64(len(rest)-logRecord) {
			break
		}
		record := rest[logRecord:][:n]
		var b linear.Batch
		if n == 0 || crc32.Checksum(record, castagnoli) != sum {
			break
		}
		if err = b.UnmarshalBinary(record); err == nil {
			err = s.apply(&b)
		}
		rest = rest[logRecord+n:]
	}
	return err
}

// apply changes the tree alone.
func (s *store) apply(b *linear.Batch) error {
	_, err := s.tree.Apply(b)
	if err == nil {
		err = s.tree.Tick()
	}
	s.n++
	return err
}

// do logs a batch, and applies it when the record is on the disk: the batch is acknowledged.
func (s *store) do(b *linear.Batch) error {
	record, err := b.AppendBinary(make([]byte, logRecord))
	if err != nil {
		return err
	}
	order.PutUint32(record, uint32(len(record)-logRecord))
	order.PutUint32(record[4:], crc32.Checksum(record[logRecord:], castagnoli))
	if _, err = s.log.Write(record); err != nil {
		return err
	}
	if err = s.log.Sync(); err != nil {
		return err
	}
	return s.apply(b)
}

// checkpoint begins a log, saves the tree, and removes all other files.
func (s *store) checkpoint() (err error) {
	name := logPath(s.n)
	names, err := s.d.mem.List("/")
	if err != nil {
		return err
	}
	if slices.Contains(names, name[1:]) { // of a crash, with nothing that was acknowledged
		if err := s.d.Remove(name); err != nil {
			return err
		}
	}
	if s.log != nil {
		_ = s.log.Close()
	}
	if s.log, err = s.d.Create(name, ""); err != nil {
		return err
	}
	err = atomicfile.Replace(s.d, path, func(w io.Writer) error {
		_, err := s.tree.WriteSnapshot(nil, w, linear.SnapshotOptions{
			Sections: []linear.Section{linear.SaveColumn("batches", []uint64{s.n})},
		})
		return err
	})
	for _, other := range names {
		if err == nil && "/"+other != name && "/"+other != path {
			err = s.d.Remove("/" + other)
		}
	}
	return err
}

// story is a store that changes, and the state after each batch.
type story struct {
	rng       *rand.Rand
	objects   []soa.Object
	reference *linear.Tree
	digests   []uint64 // after so many batches
	acked     uint64   // batches that were acknowledged
}

func newStory(t *testing.T, rng *rand.Rand) *story {
	t.Helper()
	reference := must.Get(linear.New(linear.Config{Workers: 1}))
	return &story{rng: rng, objects: scene.All()[0].Make(400, 1), reference: reference, digests: []uint64{reference.LayoutDigest()}}
}

// next returns a batch of a few calls, or of some hundreds, whose record takes several blocks.
func (h *story) next() (*linear.Batch, error) {
	var b linear.Batch
	calls := h.rng.IntN(6)
	if len(h.digests)%3 == 0 {
		calls = 200 + h.rng.IntN(200)
	}
	var live []uint32
	for id := range h.reference.All() {
		live = append(live, id)
	}
	h.rng.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	for range calls {
		o := h.objects[h.rng.IntN(len(h.objects))]
		if kind := h.rng.IntN(4); kind < 2 && len(live) < 500 || len(live) == 0 {
			b.Insert(o)
		} else if kind == 2 {
			b.Move(live[0], o.Box)
			live = live[1:]
		} else {
			b.Remove(live[0])
			live = live[1:]
		}
	}
	_, err := h.reference.Apply(&b)
	if err == nil {
		err = h.reference.Tick()
	}
	h.digests = append(h.digests, h.reference.LayoutDigest())
	return &b, err
}

// run opens a store on a disk and does batches and checkpoints. Before each operation, and at the end, look
// is called.
func (h *story) run(d *disk, batches int, read func()) error {
	d.before = read
	s, err := open(d)
	for range batches {
		if err != nil {
			return err
		}
		var b *linear.Batch
		if b, err = h.next(); err == nil {
			err = s.do(b)
		}
		if err == nil {
			h.acked = s.n
			if s.n%5 == 0 {
				err = s.checkpoint()
			}
		}
	}
	if err == nil {
		read()
	}
	return err
}

// recovered checks the tree recovered from a disk: it has all acknowledged batches, perhaps some
// unacknowledged ones, and nothing else. It returns the number of batches.
func (h *story) recovered(d *disk) (n uint64, err error) {
	s, err := open(d)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errLost, err)
	}
	if s.n < h.acked || s.n >= uint64(len(h.digests)) {
		return 0, fmt.Errorf("%w: %d batches of %d, %d acknowledged", errLost, s.n, len(h.digests)-1, h.acked)
	}
	if s.tree.LayoutDigest() != h.digests[s.n] {
		return 0, fmt.Errorf("%w: %d batches make another tree", errLost, s.n)
	}
	return s.n, nil
}

// logAll runs a story without one of its operations, and checks crashes at all others.
func logAll(t *testing.T, seed uint64, batches, leave, reads int) (d *disk, err error) {
	rng := testkit.Rand(seed)
	h := newStory(t, testkit.Rand(seed))
	d = newDisk()
	d.leave = leave
	e := h.run(d, batches, func() {
		for turn := 0; turn < reads && err == nil; turn++ {
			if _, err = h.recovered(d.crashed(turn, rng)); err != nil {
				err = fmt.Errorf("%w after %v", err, d.ops)
			}
		}
	})
	if err == nil {
		err = e
	}
	return d, err
}

// After a crash at any time, all acknowledged batches are recovered; without any one of the operations
// except removals, they are not.
func TestLog(t *testing.T) {
	const batches = 12
	seed := testkit.Seed(t)
	d := must.Get(logAll(t, seed, batches, -1, 24))
	counts := map[string]int{}
	for k, op := range d.ops {
		if counts[op]++; op == "create" || op == "remove" {
			continue
		}
		if _, err := logAll(t, seed, batches, k, 6); !errors.Is(err, errLost) {
			t.Errorf("omitting operation %d, %s, of %v loses no data: %v", k, op, d.ops, err)
		}
	}
	if counts["syncfolder"] < 3 || counts["sync"] != batches+counts["syncfolder"] {
		t.Errorf("operations %v", counts)
	}
}

// A store that continues after a crash, with the files left by the crash, and crashes again.
func TestLogAgain(t *testing.T) {
	seed := testkit.Seed(t)
	rng := testkit.Rand(seed)
	h := newStory(t, testkit.Rand(seed))
	d := newDisk()
	for round := range testkit.Budget(t, 60, 3000) {
		stop := 1 + rng.IntN(40)
		var after *disk
		acked, done := uint64(0), 0
		err := h.run(d, 10, func() {
			if stop--; stop == 0 {
				after = d.crashed(rng.IntN(len(shares)), rng)
				acked, done = h.acked, len(h.digests)
			}
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if after == nil {
			after, acked, done = d.crashed(0, rng), h.acked, len(h.digests)
		}
		h.acked, h.digests = acked, h.digests[:done] // changes after the crash were not made
		n, err := h.recovered(after)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		h.back(t, after, n)
		d = after
	}
}

// back continues the story after that number of batches, from the state on the disk.
func (h *story) back(t *testing.T, d *disk, n uint64) {
	t.Helper()
	again := d.crashed(1, h.rng)
	s, err := open(again)
	if err != nil || s.n != n {
		t.Fatalf("%d batches, %v", s.n, err)
	}
	h.reference, h.acked, h.digests = s.tree, n, h.digests[:n+1]
}
