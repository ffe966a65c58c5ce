package linear

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
)

// A shard is a snapshot of a frozen tree, whose world is its own, with one section more: the
// numbers of its objects by ID, which ascend. So what is in the file is a function of the set
// of objects, and the ID of a number is found by halving.
const numbersName = "numbers"

// shardWriter builds and saves shards.
type shardWriter struct {
	disk    *disk
	folder  string
	workers int
	next    uint64 // file number
}

// write writes the shards of pieces, each to a file of its own, and returns their rows. When it
// fails, the files that it has made are gone.
func (w *shardWriter) write(ctx context.Context, list []piece, at func(i int) *numbered) (rows []shardRow, err error) {
	rows = make([]shardRow, len(list))
	errs := make([]error, len(list))
	var taken atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range max(1, min(w.workers, len(list))) {
		all.Go(func() {
			var objects []numbered
			for !failed.Load() {
				i := int(taken.Add(1)) - 1
				if i >= len(list) {
					return
				}
				p := list[i]
				objects = objects[:0]
				for k := p.from; k < p.to; k++ {
					objects = append(objects, *at(k))
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					rows[i], errs[i] = w.one(ctx, w.next+uint64(i), objects)
				}
				if errs[i] != nil {
					failed.Store(true)
				}
				rows[i].First = uint64(p.first)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			for i := range rows {
				_ = os.Remove(shardPath(w.folder, w.next+uint64(i)))
			}
			return nil, err
		}
	}
	w.next += uint64(len(list))
	return rows, nil
}

// one writes a shard. It orders the objects.
func (w *shardWriter) one(ctx context.Context, number uint64, objects []numbered) (row shardRow, err error) {
	slices.SortFunc(objects, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	numbers, plain := make([]uint64, len(objects)), make([]Object, len(objects))
	for i := range objects {
		numbers[i], plain[i] = objects[i].number, objects[i].object
		if i > 0 && numbers[i] == numbers[i-1] {
			return row, fmt.Errorf("two objects have the number %d", numbers[i])
		}
	}
	t, err := New(Config{Frozen: true, Workers: 1})
	if err == nil {
		_, err = t.InsertBatch(make([]uint32, 0, len(plain)), plain)
	}
	if err != nil {
		return row, err
	}
	path := shardPath(w.folder, number)
	f, err := w.disk.create(path, 1<<16)
	if err != nil {
		return row, err
	}
	head := headWriter{w: f.w}
	n, err := t.WriteSnapshot(ctx, &head, SnapshotOptions{Sections: []Section{SaveColumn(numbersName, numbers)}})
	if e := f.finish(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(path)
		return row, err
	}
	b := t.Bounds()
	row = shardRow{
		File: number, Bytes: uint64(n), Sums: snap.HeadSums(head.first[:]),
		Least: numbers[0], Most: numbers[len(numbers)-1], Count: uint64(len(numbers)),
	}
	copy(row.Box[:3], b.Min[:])
	copy(row.Box[3:], b.Max[:])
	return row, nil
}

// headWriter keeps the first bytes that go through it.
type headWriter struct {
	w     io.Writer
	first [snap.HeadBytes]byte
	n     int
}

func (h *headWriter) Write(b []byte) (int, error) {
	h.n += copy(h.first[h.n:], b)
	return h.w.Write(b)
}

// shard is a shard that is open.
type shard struct {
	*Snapshot
	numbers []uint64 // in the memory of the file
	holds   int      // editions that have it
}

// openShard opens a shard as the manifest has it.
func openShard(folder string, i int, row *shardRow, level CheckLevel) (s *shard, err error) {
	path := row.path(folder)
	snapshot, err := OpenMapped(path, level)
	if err != nil {
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	s = &shard{Snapshot: snapshot}
	if err = s.check(row, level); err != nil {
		_ = snapshot.Close()
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	return s, nil
}

func (s *shard) check(row *shardRow, level CheckLevel) (err error) {
	if s.numbers, err = numbersOf(s.file, row, level); err != nil {
		return err
	}
	if n := len(s.lists.where); n != len(s.numbers) {
		return notSound("%d numbers for %d IDs", len(s.numbers), n)
	}
	if level == CheckNone { // bounds lead into columns that nobody has looked at
		return nil
	}
	if n, b := s.Len(), s.View().Bounds(); uint64(n) != row.Count || b != row.box() {
		return notSound("%d objects in %v to %v, the manifest names %d in %v", n, b.Min, b.Max, row.Count, row.Box)
	}
	return nil
}

// numbersOf returns the numbers of the objects in a file, if it is the one that the manifest names.
func numbersOf(f *snap.File, row *shardRow, level CheckLevel) (numbers []uint64, err error) {
	if sums := f.Sums(); sums != row.Sums || uint64(f.Bytes) != row.Bytes {
		return nil, notSound("it is another file than the manifest names: %d bytes with sums %#x, not %d with %#x", f.Bytes, sums, row.Bytes, row.Sums)
	}
	i := f.Find(groupUser, numbersName)
	if i < 0 {
		return nil, notSound("there are no numbers")
	}
	if have, bytes, _ := f.Section(i); have.Row != 8 || uint64(bytes) != 8*row.Count {
		return nil, notSound("%d bytes of numbers in rows of %d for %d objects", bytes, have.Row, row.Count)
	}
	if level != CheckNone {
		if err := f.Check(i); err != nil {
			return nil, err
		}
	}
	rows, err := f.Rows(i, []uint8{8})
	if err != nil {
		return nil, err
	}
	listOf(&numbers).Adopt(rows)
	if level != CheckNone {
		err = ascend(numbers, row)
	}
	return numbers, err
}

// ascend checks that numbers do, from the least to the most that the manifest names: who looks
// for one relies on it.
func ascend(numbers []uint64, row *shardRow) error {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			return notSound("the number %d comes behind %d", numbers[i], numbers[i-1])
		}
	}
	if first, last := numbers[0], numbers[len(numbers)-1]; first != row.Least || last != row.Most {
		return notSound("numbers %d to %d, the manifest names %d to %d", first, last, row.Least, row.Most)
	}
	return nil
}
