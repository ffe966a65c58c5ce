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
func (d *Directory) openShards(ctx context.Context, list *shard.Listing, shards []*shard.Shard, which []int) ([]*shard.Shard, error) {
	errs := make([]error, len(which))
	var taken atomic.Int64
	team.Run(min(team.Size(0), len(which)), func(int) {
		for ctx.Err() == nil {
			k := int(taken.Add(1)) - 1
			if k >= len(which) {
				return
			}
			i := which[k]
			if shards[i], errs[k] = list.OpenShard(i, file.Level(d.level)); shards[i] != nil {
				ownedSnapshot(&shards[i].Snapshot)
			}
		}
	}, func() { taken.Store(int64(len(which))) })
	return shards, errors.Join(append(errs, ctx.Err())...)
}

// change makes the given shards the current edition, unless the current one has the same.
func (d *Directory) change(list *shard.Listing, shards []*shard.Shard) error {
	if d.now.Listing == list && slices.Equal(d.now.shards, shards) {
		return nil
	}
	e, err := newShardView(list, shards)
	if err != nil {
		for _, s := range shards {
			if s != nil && s.Users == 0 {
				_ = s.Close()
			}
		}
		return err
	}
	return d.publish(e)
}
