package linear

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/team"
)

// Prepare opens the shards that meet a box, and are not open yet, and brings them into the
// view: for a camera, the box that its frustum sweeps in the next second, so that what reads
// the disk is done before a frame needs it. It maps them, and checks them as [OpenMapped] does
// at the level of the directory, by as many goroutines as may run. [CheckSafe] reads all that
// queries read of a shard, which then is in the page cache as long as the system likes; with
// [CheckNone] only heads are read.
//
// A shard that is lost, cut, damaged or another one than the manifest names is an error that
// names it. The others are in the view all the same, and the error is that of all those that
// are not. A context that is done, and may be nil, ends it with its error. If there was
// something to bring, it ends the life of views that are not held, and takes time proportional
// to the number of all shards besides; else it is a look at the list of their boxes.
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
	for i := range e.rows {
		if e.shards[i] == nil && e.rows[i].meets(&box) {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return nil
	}
	shards, err := d.openShards(ctx, e.listing, slices.Clone(e.shards), which)
	if err = errors.Join(err, d.change(e.listing, shards)); err != nil {
		return fault.Errorf("linear: preparing %s: %w", d.path, err)
	}
	return nil
}

// openShards opens some shards of a listing, each in its place.
func (d *Directory) openShards(ctx context.Context, list *listing, shards []*shard, which []int) ([]*shard, error) {
	errs := make([]error, len(which))
	var taken atomic.Int64
	team.Run(min(team.Size(0), len(which)), func(int) {
		for ctx.Err() == nil {
			k := int(taken.Add(1)) - 1
			if k >= len(which) {
				return
			}
			i := which[k]
			shards[i], errs[k] = openShard(d.path, i, &list.rows[i], d.level)
		}
	}, func() { taken.Store(int64(len(which))) })
	return shards, errors.Join(append(errs, ctx.Err())...)
}

// change makes an edition of shards the current one, unless it has the same.
func (d *Directory) change(list *listing, shards []*shard) error {
	if d.now.listing == list && slices.Equal(d.now.shards, shards) {
		return nil
	}
	e, err := newEdition(list, shards)
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
