package shard

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// ReplaceMax is the largest number of files that a call writes and syncs, for any limit of objects in a shard.
var ReplaceMax = 1 << 16

// Replacement changes objects of a folder: it writes new shards, and then the manifest.
//
//	batch --> find     the rows that have its numbers, and the rows that get its objects
//	          write    groups of rows, cut into new shards
//	          commit   the manifest; an error before it removes the new shards
type Replacement struct {
	Disk   *Disk
	Path   string // of the folder
	Folder *Folder
	Base   *Listing   // files before the replacement
	Level  file.Level // of checks, at least sums, because damaged data would be written with new ones

	// Checked holds the shards of the base that are open and have been checked, by row. The others are nil.
	Checked []*Shard

	ctx      context.Context
	entries  []replaced // in ascending order of numbers
	has      []bool     // by row: it has an object of the batch
	rest     []uint64   // by row: number of objects afterwards
	arrivals []arrival  // in ascending order of rows
	order    keyOrder
	written  []uint64 // file numbers
}

// replaced is an object of a batch.
type replaced struct {
	numbered
	removed, found bool
}

// arrival assigns an object of the batch to a row.
type arrival struct {
	row, entry int
}

// NewReplacement reads the batch.
func NewReplacement(changes iter.Seq2[uint64, soa.Object], removed iter.Seq[uint64]) (*Replacement, error) {
	b := &Replacement{}
	if changes != nil {
		for number, o := range changes {
			if err := o.Box.Check(); err != nil {
				return nil, fault.Errorf("object of number %d: %w", number, err)
			}
			b.entries = append(b.entries, replaced{numbered: numbered{Number: number, Object: o}})
		}
	}
	if removed != nil {
		for number := range removed {
			b.entries = append(b.entries, replaced{numbered: numbered{Number: number}, removed: true})
		}
	}
	slices.SortFunc(b.entries, func(p, q replaced) int { return cmp.Compare(p.Number, q.Number) })
	for i := 1; i < len(b.entries); i++ {
		if n := b.entries[i].Number; n == b.entries[i-1].Number {
			return nil, fmt.Errorf("number %d is given twice", n)
		}
	}
	return b, nil
}

// IsEmpty reports whether the batch has no objects.
func (b *Replacement) IsEmpty() bool { return len(b.entries) == 0 }

// Run writes the new shards and the manifest. It returns the new files and the indices of the new shards. With an
// error the list is nil, unless the change is done and a crash may undo it.
func (b *Replacement) Run(ctx context.Context) (list *Listing, fresh []int, err error) {
	b.ctx = ctx
	if err := b.Folder.sweep(b.Path, b.Base.Manifest); err != nil {
		return nil, nil, err
	}
	if err := b.find(); err != nil {
		return nil, nil, err
	}
	m, fresh, err := b.write()
	renamed := false
	if err == nil {
		renamed, err = m.Write(b.Disk, b.Path)
	}
	if !renamed {
		for _, number := range b.written {
			_ = os.Remove(Path(b.Path, number))
		}
		return nil, nil, err
	}
	// The change is permanent from here on.
	list = b.Folder.List(b.Path, m)
	if err == nil { // else a crash may restore the old manifest
		b.Folder.doom(b.Base.Manifest, m)
	}
	return list, fresh, err
}

// find locates the objects of the batch, and assigns them to rows.
func (b *Replacement) find() error {
	m := b.Base.Manifest
	b.has, b.rest = make([]bool, len(m.Rows)), make([]uint64, len(m.Rows))
	for i := range m.Rows {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if err := b.in(i); err != nil {
			return err
		}
	}
	for k := range b.entries {
		e := &b.entries[k]
		if e.removed {
			if !e.found {
				return fault.Errorf("number %d: %w", e.Number, octree.ErrUnknown)
			}
			continue
		}
		row := 0
		if len(m.Rows) > 0 {
			row = m.ShardOf(e.Key(&m.World))
			b.has[row] = true
			b.rest[row]++
		}
		b.arrivals = append(b.arrivals, arrival{row, k})
	}
	slices.SortStableFunc(b.arrivals, func(p, q arrival) int { return cmp.Compare(p.row, q.row) })
	return nil
}

// in finds the objects of the batch that are in a row.
func (b *Replacement) in(i int) error {
	r := &b.Base.Rows[i]
	b.rest[i] = r.Count
	from, _ := slices.BinarySearchFunc(b.entries, r.Least, func(e replaced, n uint64) int { return cmp.Compare(e.Number, n) })
	if from == len(b.entries) || b.entries[from].Number > r.Most {
		return nil
	}
	numbers, end, err := b.numbers(i, r)
	if err != nil {
		return err
	}
	defer end()
	for k := from; k < len(b.entries) && b.entries[k].Number <= r.Most; k++ {
		if _, ok := numbers.Find(b.entries[k].Number); ok {
			b.entries[k].found, b.has[i] = true, true
			b.rest[i]--
		}
	}
	return nil
}

// numbers returns the numbers of a row, valid until end is called. Of a shard that is not open it reads nothing else.
func (b *Replacement) numbers(i int, r *Row) (numbers numbering, end func(), err error) {
	if s := b.Checked[i]; s != nil {
		return s.Numbers, func() {}, nil
	}
	path := r.Path(b.Path)
	f, err := snap.OpenMapped(path)
	if f == nil {
		return numbers, nil, fault.Errorf("shard %d, %w", i, err)
	}
	end = func() { _ = f.Close() }
	if err == nil {
		numbers, err = numberingOf(f, r, b.Level)
	}
	if err != nil {
		end()
		return numbers, nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	return numbers, end, nil
}

// group is a run of rows that is rewritten.
type group struct {
	from, to int
	objects  uint64
}

// groups returns the rows to be rewritten, merged with their neighbours where both have become small.
func (b *Replacement) groups() (list []group) {
	small := uint64(b.Base.Shard / 2)
	var g group
	dirty := false
	end := func() {
		if dirty {
			list = append(list, g)
		}
	}
	for i := range b.rest {
		if i > 0 && (dirty || b.has[i]) && g.objects+b.rest[i] <= small {
			g.to, g.objects, dirty = i+1, g.objects+b.rest[i], true
			continue
		}
		end()
		g, dirty = group{i, i + 1, b.rest[i]}, b.has[i]
	}
	end()
	if len(b.rest) == 0 {
		list = append(list, group{})
	}
	return list
}

// write writes the changed shards. It returns the new manifest, and the indices of the new shards.
func (b *Replacement) write() (m *Manifest, fresh []int, err error) {
	old := b.Base.Manifest
	m = &Manifest{Sequence: old.Sequence + 1, World: old.World, Next: old.Next, Shard: old.Shard, Fitted: old.Fitted}
	next := 0 // row
	for _, g := range b.groups() {
		m.Rows = append(m.Rows, old.Rows[next:g.from]...)
		next = g.to
		rows, err := b.rewrite(g, m)
		if err != nil {
			return nil, nil, err
		}
		for i := range rows {
			fresh = append(fresh, len(m.Rows)+i)
		}
		m.Rows = append(m.Rows, rows...)
	}
	m.Rows = append(m.Rows, old.Rows[next:]...)
	m.Fitted = m.Fitted && len(m.Rows) <= 1
	return m, fresh, nil
}

// rewrite writes the shards of a group.
func (b *Replacement) rewrite(g group, m *Manifest) (rows []Row, err error) {
	var records []numbered
	for i := g.from; i < g.to; i++ {
		if records, err = b.keep(records, i); err != nil {
			return nil, err
		}
	}
	first, _ := slices.BinarySearchFunc(b.arrivals, g.from, func(a arrival, row int) int { return cmp.Compare(a.row, row) })
	for _, a := range b.arrivals[first:] {
		if a.row >= max(g.to, g.from+1) {
			break
		}
		records = append(records, b.entries[a.entry].numbered)
	}
	if m.Fitted { // these are all objects
		if err := m.Fit(records); err != nil {
			return nil, err
		}
	}
	floor := morton.Key(0)
	if g.to > g.from {
		floor = b.Base.First(g.from)
	}
	list, at, err := b.order.Cut(b.ctx, &m.World, records, m.Shard, &floor, 1)
	if err != nil {
		return nil, err
	}
	if n := len(b.written) + len(list); n > ReplaceMax {
		return nil, fault.Errorf("it needs %d shards or more, of at most %d objects: a call writes at most %d", n, m.Shard, ReplaceMax)
	}
	w := writer{Disk: b.Disk, World: &m.World, Folder: b.Path, Workers: 1, Next: m.Next}
	rows, err = w.Write(b.ctx, list, at)
	m.Next = w.Next
	for i := range rows {
		b.written = append(b.written, rows[i].File)
	}
	return rows, err
}

// keep appends the objects of a row that are not in the batch.
func (b *Replacement) keep(records []numbered, i int) ([]numbered, error) {
	s := b.Checked[i]
	if s == nil {
		var err error
		if s, err = b.Base.OpenShard(i, b.Level); err != nil {
			return nil, err
		}
		defer s.Close()
	}
	k := 0
	for _, id := range s.Numbers.Order {
		number := s.Numbers.Of[id]
		for k < len(b.entries) && b.entries[k].Number < number {
			k++
		}
		if k < len(b.entries) && b.entries[k].Number == number {
			continue
		}
		o, ok := s.object(id)
		if !ok {
			return nil, fault.Errorf("shard %d, %s: %w", i, b.Base.Rows[i].Path(b.Path), file.NotSound("no object has the ID %d", id))
		}
		records = append(records, numbered{Number: number, Object: o})
	}
	return records, nil
}
