package linear

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/shard"
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
// the other. Other Directories see a change when they are opened again, or change objects themselves: a Replace of
// nothing has no effect. It takes memory for the batch and for some shards. It reads the numbers (12 bytes an object)
// of all shards whose range of numbers includes one of the batch. Numbers that correlate with positions, as in scans or
// tiles, save most of that.
func (d *Directory) Replace(ctx context.Context, changes iter.Seq2[uint64, Object], removed iter.Seq[uint64]) (err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	b, err := shard.NewReplacement(changes, removed)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	d.work.Lock()
	defer d.work.Unlock()
	if d.now == nil {
		return ErrClosed
	}
	if b.IsEmpty() {
		return nil
	}
	d.of.Writing.Lock()
	defer d.of.Writing.Unlock()
	base, err := shard.ReadManifest(d.path)
	if err != nil {
		return err
	}
	b.Base = d.now.Listing
	if !base.Equal(d.now.Manifest) { // equal sequences do not suffice: the folder may have been made again
		b.Base = d.of.List(d.path, base)
		defer func() { err = errors.Join(err, b.Base.Close()) }()
	}
	if err := d.replace(ctx, b); err != nil {
		return fault.Errorf("linear: replacing in %s: %w", d.path, err)
	}
	return nil
}

// replace runs a replacement, and shows its result in the view.
func (d *Directory) replace(ctx context.Context, b *shard.Replacement) error {
	b.Disk, b.Path, b.Folder, b.Level = d.disk, d.path, d.of, file.Level(min(d.level, CheckSums))
	b.Checked = d.now.shards
	if d.now.Listing != b.Base || d.level == CheckNone {
		b.Checked = make([]*shard.Shard, len(b.Base.Rows))
	}
	list, fresh, err := b.Run(ctx)
	if list == nil {
		return err
	}
	shards := d.now.with(list)
	if !slices.Contains(d.now.shards, nil) { // no shard may be missing: open those of other Directories, too
		fresh = fresh[:0]
		for i := range shards {
			if shards[i] == nil {
				fresh = append(fresh, i)
			}
		}
	}
	shards, e := d.openShards(context.WithoutCancel(ctx), list, shards, fresh)
	return errors.Join(err, e, d.change(list, shards))
}
