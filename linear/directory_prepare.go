package linear

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/shard"
)

// Prepare loads the shards that intersect a box into the view, for prefetching of out-of-core data. For a camera,
// pass the box that its frustum sweeps in the next second, so that the disk is read before a frame needs the data.
// It maps the shards that are not open yet, and checks them as [OpenMapped] does at the level of the directory, on
// all available cores. [CheckSafe] reads all data of a shard that queries read, which the system then has in its
// page cache until it evicts them; with [CheckNone] only heads are read.
//
// A shard that is missing, truncated, damaged or not the one in the manifest is an error that names it. The other
// shards are added to the view all the same; the error joins those of all failed shards. A context that is done
// stops it and returns the error of the context; the context may be nil.
//
// If there are shards to add, Prepare invalidates views that are not of an acquired version, and also takes time
// proportional to the number of all shards. Otherwise it only scans the list of their boxes.
func (d *Directory) Prepare(ctx context.Context, box AABB) error {
	if err := box.Check(); err != nil {
		return fault.Errorf("linear: Prepare of %w", err)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	d.work.Lock()
	defer d.work.Unlock()
	d.lock.Lock()
	e := d.now
	d.lock.Unlock()
	if e == nil {
		return ErrClosed
	}
	var which []int
	for i := range e.Rows {
		if e.shards[i] == nil && e.Rows[i].Meets(&box) {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return nil
	}
	shards, err := d.openShards(ctx, e.Listing, slices.Clone(e.shards), which)
	if err = errors.Join(err, d.change(e.Listing, shards)); err != nil {
		return fault.Errorf("linear: preparing %s: %w", d.path, err)
	}
	return nil
}

// openShards opens some shards of a listing, each at its own index in shards.
func (d *Directory) openShards(ctx context.Context, list *shard.Listing, shards []*openedShard, which []int) ([]*openedShard, error) {
	errs := make([]error, len(which))
	var taken atomic.Int64
	team.Run(min(team.Size(0), len(which)), func(int) {
		for ctx.Err() == nil {
			k := int(taken.Add(1)) - 1
			if k >= len(which) {
				return
			}
			i := which[k]
			shards[i], errs[k] = openShard(d.path, i, &list.Rows[i], d.level)
		}
	}, func() { taken.Store(int64(len(which))) })
	return shards, errors.Join(append(errs, ctx.Err())...)
}

// change makes the given shards the current edition, unless the current one has the same.
func (d *Directory) change(list *shard.Listing, shards []*openedShard) error {
	if d.now.Listing == list && slices.Equal(d.now.shards, shards) {
		return nil
	}
	e, err := newShardView(list, shards)
	if err != nil {
		for _, s := range shards {
			if s != nil && s.holds == 0 {
				_ = s.Close()
			}
		}
		return err
	}
	return d.publish(e)
}

// openedShard is an open shard.
type openedShard struct {
	*Snapshot
	content shard.Content
	holds   int // number of editions that use it
}

// openShard opens a shard and checks it against its row in the manifest.
func openShard(folder string, i int, row *shard.Row, level CheckLevel) (s *openedShard, err error) {
	path := row.Path(folder)
	snapshot, err := OpenMapped(path, level)
	if err != nil {
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	s = &openedShard{Snapshot: snapshot, content: shard.Content{Tree: &snapshot.file.Tree}}
	if err = s.check(row, level); err != nil {
		_ = snapshot.Close()
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	return s, nil
}

func (s *openedShard) check(row *shard.Row, level CheckLevel) (err error) {
	if s.content.Numbers, err = shard.NumberingOf(s.file.File, row, file.Level(level)); err != nil {
		return err
	}
	if n := len(s.file.Lists.Where); n != len(s.content.Numbers.Of) {
		return file.NotSound("%d numbers for %d IDs", len(s.content.Numbers.Of), n)
	}
	if level == CheckNone { // the bounds refer to unchecked columns
		return nil
	}
	if n, b := s.Len(), s.View().Bounds(); uint64(n) != row.Count || b != row.AABB() {
		return file.NotSound("%d objects in %v to %v, the manifest names %d in %v", n, b.Min, b.Max, row.Count, row.Box)
	}
	return nil
}
