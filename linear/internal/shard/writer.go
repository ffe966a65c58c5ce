package shard

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// A shard is a snapshot of a frozen tree with its own world, and with additional sections for the numbers of its
// objects. IDs ascend with the keys in the world of the directory, then with numbers: the content of the file is a
// function of the set of objects.

// writer builds and saves shards.
type writer struct {
	Disk    *Disk
	World   *morton.World
	Folder  string
	Workers int
	Next    uint64 // next file number
}

// Write writes each piece to a shard file of its own, and returns the rows. After an error it removes the files
// that it has made.
func (w *writer) Write(ctx context.Context, list []piece, at func(i int) *numbered) (rows []Row, err error) {
	rows = make([]Row, len(list))
	errs := make([]error, len(list))
	var taken atomic.Int64
	var failed atomic.Bool
	team.Run(min(w.Workers, len(list)), func(int) {
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
				rows[i], errs[i] = w.one(ctx, w.Next+uint64(i), objects)
			}
			if errs[i] != nil {
				failed.Store(true)
			}
			rows[i].First = uint64(p.first)
		}
	}, func() { failed.Store(true) })
	for _, err := range errs {
		if err != nil {
			for i := range rows {
				_ = os.Remove(Path(w.Folder, w.Next+uint64(i)))
			}
			return nil, err
		}
	}
	w.Next += uint64(len(list))
	return rows, nil
}

// one writes a shard.
func (w *writer) one(ctx context.Context, number uint64, objects []numbered) (row Row, err error) {
	numbers, plain := make([]uint64, len(objects)), make([]soa.Object, len(objects))
	for i, at := range w.alongCurve(objects) {
		numbers[i], plain[i] = objects[at].Number, objects[at].Object
	}
	n, twice, ok := newNumbering(numbers)
	if !ok {
		return row, fmt.Errorf("two objects have the number %d", twice)
	}
	t, err := treeOf(plain, octree.Config{Frozen: true, Workers: 1})
	if err != nil {
		return row, err
	}
	path := Path(w.Folder, number)
	f, err := w.Disk.create(path, 1<<16)
	if err != nil {
		return row, err
	}
	head := headWriter{w: f.w}
	bytes, err := file.WriteTree(ctx, &head, file.ImageOf(t), file.SaveParams{Sections: n.sections()})
	if e := f.finish(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(path)
		return row, err
	}
	b := octree.BoundsOf(t.Store)
	row = Row{
		File: number, Bytes: uint64(bytes), Sums: snap.HeadSums(head.first[:]),
		Least: n.min(), Most: n.max(), Count: uint64(len(numbers)),
	}
	copy(row.Box[:3], b.Min[:])
	copy(row.Box[3:], b.Max[:])
	return row, nil
}

// alongCurve returns the order of objects by keys, then by numbers.
func (w *writer) alongCurve(objects []numbered) []int {
	keys, order := make([]morton.Key, len(objects)), make([]int, len(objects))
	for i := range objects {
		keys[i], order[i] = objects[i].Key(w.World), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(objects[a].Number, objects[b].Number))
	})
	return order
}

// headWriter is a writer that keeps the first bytes written.
type headWriter struct {
	w     io.Writer
	first [snap.HeadBytes]byte
	n     int
}

func (h *headWriter) Write(b []byte) (int, error) {
	h.n += copy(h.first[h.n:], b)
	return h.w.Write(b)
}
