package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/shard"
	"github.com/zoctree/zoctree/morton"
)

// Replace changes objects of the directory in one atomic transaction: it sets boxes, masks and flags by number,
// adds objects with new numbers, and removes the objects whose numbers removed yields. Either argument may be nil.
//
// It writes new files for the shards that had or get one of the objects, and then the manifest. The manifest is
// written to a temporary file, which is synced and renamed, and the folder is synced before and after. So the
// change is done wholly or not at all, also in a crash of the machine. After an error nothing has changed, unless
// the last step, the sync of the folder, failed: then the change is done, and a crash may undo it.
//
// The new shards are prepared: if no shard was missing from the view before, none is afterwards. Shards with few
// objects are merged with the next ones, and shards with too many are split; the numbers of shards and the IDs of
// objects change. Replace invalidates views that are not of an acquired version; a [DirectoryVersion] stays valid.
// Old files are removed when no Directory of this process needs them any more, as are files left by a process that
// was killed in this call.
//
// It writes at most 65,536 shards. To change more of a directory of small shards, use several calls.
//
// The errors are: ErrUnknown for a removed number that no object has; a number that occurs twice; boxes that are
// not finite or inverted; damaged shards (their sums are compared at all levels); [ErrClosed]; errors of the disk;
// and the error of the context, which may be nil.
//
// Replace starts from the present content of the folder, so several Directories of a process may replace, one after
// the other. Other Directories see a change when they are opened again, or call Replace themselves. It takes memory
// for the batch and for some shards. It reads the numbers (12 bytes an object) of all shards whose range of numbers
// includes one of the batch. Numbers that correlate with positions, as in scans or tiles, save most of that.
func (d *Directory) Replace(ctx context.Context, changes iter.Seq2[uint64, Object], removed iter.Seq[uint64]) (err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	b, err := newReplacement(changes, removed)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	if len(b.entries) == 0 {
		return nil
	}
	d.work.Lock()
	defer d.work.Unlock()
	if d.now == nil {
		return ErrClosed
	}
	d.of.Writing.Lock()
	defer d.of.Writing.Unlock()
	base, err := shard.ReadManifest(d.path)
	if err != nil {
		return err
	}
	b.d, b.ctx, b.list = d, ctx, d.now.Listing
	if !base.Equal(d.now.Manifest) { // equal sequences do not suffice: the folder may have been made again
		b.list = d.of.List(d.path, base)
		defer func() { err = errors.Join(err, b.list.Close()) }()
	}
	if err := b.run(); err != nil {
		return fault.Errorf("linear: replacing in %s: %w", d.path, err)
	}
	return nil
}

// replaceMax is the largest number of files that a call writes and syncs, whatever the manifest's limit of objects
// in a shard.
var replaceMax = 1 << 16

// replacement is the state of Replace.
type replacement struct {
	d    *Directory
	ctx  context.Context
	list *shard.Listing // files before the replacement

	entries  []replaced // in ascending order of numbers
	has      []bool     // by row: it has an object of the batch
	rest     []uint64   // by row: number of objects afterwards
	arrivals []arrival  // in ascending order of rows
	order    shard.KeyOrder
	written  []uint64 // file numbers
}

// replaced is an object of a batch.
type replaced struct {
	shard.Numbered
	removed, found bool
}

// arrival assigns an object of the batch to a row.
type arrival struct {
	row, entry int
}

// newReplacement reads the batch.
func newReplacement(changes iter.Seq2[uint64, Object], removed iter.Seq[uint64]) (*replacement, error) {
	b := &replacement{}
	if changes != nil {
		for number, o := range changes {
			if err := o.Box.Check(); err != nil {
				return nil, fault.Errorf("object of number %d: %w", number, err)
			}
			b.entries = append(b.entries, replaced{Numbered: shard.Numbered{Number: number, Object: o}})
		}
	}
	if removed != nil {
		for number := range removed {
			b.entries = append(b.entries, replaced{Numbered: shard.Numbered{Number: number}, removed: true})
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

func (b *replacement) run() error {
	if err := b.d.of.Sweep(b.d.path, b.list.Manifest); err != nil {
		return err
	}
	if err := b.find(); err != nil {
		return err
	}
	m, fresh, err := b.write()
	renamed := false
	if err == nil {
		renamed, err = m.Write(b.d.disk, b.d.path)
	}
	if !renamed {
		for _, file := range b.written {
			_ = os.Remove(shard.Path(b.d.path, file))
		}
		return err
	}
	// The change is permanent from here on.
	list := b.d.of.List(b.d.path, m)
	if err == nil { // else a crash may restore the old manifest
		b.d.of.Doom(b.list.Manifest, m)
	}
	shards, e := b.d.openShards(context.WithoutCancel(b.ctx), list, b.d.now.with(list), fresh)
	return errors.Join(err, e, b.d.change(list, shards))
}

// find locates the objects of the batch, and assigns them to rows.
func (b *replacement) find() error {
	m := b.list.Manifest
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
				return fault.Errorf("number %d: %w", e.Number, ErrUnknown)
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
func (b *replacement) in(i int) error {
	r := &b.list.Rows[i]
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

// trusted returns a shard of the list that is in the view and has been checked, else nil.
func (b *replacement) trusted(i int) *openedShard {
	if now := b.d.now; now.Listing == b.list && b.d.level != CheckNone {
		return now.shards[i]
	}
	return nil
}

// level returns the level of checks of shards: at least sums, because damaged data would be written with new ones.
func (b *replacement) level() CheckLevel { return min(b.d.level, CheckSums) }

// numbers returns the numbers of a row, valid until end is called. Of a shard that is not open it reads nothing
// else.
func (b *replacement) numbers(i int, r *shard.Row) (numbers shard.Numbering, end func(), err error) {
	if s := b.trusted(i); s != nil {
		return s.numbers, func() {}, nil
	}
	path := r.Path(b.d.path)
	bytes, done, err := file.Map(path)
	if err != nil {
		return numbers, nil, fault.Errorf("shard %d, %w", i, err)
	}
	end = func() {
		if done != nil {
			_ = done()
		}
	}
	f, err := snap.FromBytes(bytes)
	if err == nil {
		numbers, err = shard.NumberingOf(f, r, file.Level(b.level()))
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
func (b *replacement) groups() (list []group) {
	small := uint64(b.list.Shard / 2)
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
func (b *replacement) write() (m *shard.Manifest, fresh []int, err error) {
	old := b.list.Manifest
	m = &shard.Manifest{Sequence: old.Sequence + 1, World: old.World, Next: old.Next, Shard: old.Shard, Fitted: old.Fitted}
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
func (b *replacement) rewrite(g group, m *shard.Manifest) (rows []shard.Row, err error) {
	var records []shard.Numbered
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
		records = append(records, b.entries[a.entry].Numbered)
	}
	if m.Fitted { // these are all objects
		if err := m.Fit(records); err != nil {
			return nil, err
		}
	}
	floor := morton.Key(0)
	if g.to > g.from {
		floor = b.list.First(g.from)
	}
	list, at, err := b.order.Cut(b.ctx, &m.World, records, m.Shard, &floor, 1)
	if err != nil {
		return nil, err
	}
	if n := len(b.written) + len(list); n > replaceMax {
		return nil, fault.Errorf("it needs %d shards or more, of at most %d objects: a call writes at most %d", n, m.Shard, replaceMax)
	}
	w := shard.Writer{Disk: b.d.disk, World: &m.World, Folder: b.d.path, Workers: 1, Next: m.Next}
	rows, err = w.Write(b.ctx, list, at)
	m.Next = w.Next
	for i := range rows {
		b.written = append(b.written, rows[i].File)
	}
	return rows, err
}

// keep appends the objects of a row that are not in the batch.
func (b *replacement) keep(records []shard.Numbered, i int) ([]shard.Numbered, error) {
	s := b.trusted(i)
	if s == nil {
		var err error
		if s, err = openShard(b.d.path, i, &b.list.Rows[i], b.level()); err != nil {
			return nil, err
		}
		defer s.Close()
	}
	v, k := s.View(), 0
	for _, id := range s.numbers.Order {
		number := s.numbers.Of[id]
		for k < len(b.entries) && b.entries[k].Number < number {
			k++
		}
		if k < len(b.entries) && b.entries[k].Number == number {
			continue
		}
		o, ok := v.Object(id)
		if !ok {
			return nil, fault.Errorf("shard %d, %s: %w", i, b.list.Rows[i].Path(b.d.path), file.NotSound("no object has the ID %d", id))
		}
		records = append(records, shard.Numbered{Number: number, Object: o})
	}
	return records, nil
}
