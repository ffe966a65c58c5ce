package linear

import (
	"context"
	"errors"
	"slices"

	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/linear/internal/shard"
)

// shardView is an immutable version of a directory with its prepared shards, in the form of a scene. Each Prepare
// that opens a shard makes a new edition; readers keep the edition that they have acquired.
//
//	edition 1   shards  a b - -      edition 2   a b c -     edition 3   a d c -
//	            manifest 1                       manifest 1              manifest 2
//
// It does not use a [Scene], whose parts link to their holders: here a part belongs to many editions, and needs to
// notify none.
type shardView struct {
	*shard.Listing
	shards []*shard.Shard // by number; nil: not prepared

	instances *Tree // a box for each prepared shard
	top       instance.State
	parts     []instance.State
	table     instance.Table

	validity uint64 // counter that invalidates views of no version
	holds    int    // reference count of readers and the directory; guarded by the lock of the directory
}

// newShardView makes an edition, which retains the listing and each shard.
func newShardView(list *shard.Listing, shards []*shard.Shard) (*shardView, error) {
	e := &shardView{Listing: list, shards: shards, holds: 1}
	if err := e.arrange(); err != nil {
		return nil, err
	}
	f := list.Of
	f.Lock.Lock()
	defer f.Lock.Unlock()
	list.Users++
	for _, s := range shards {
		if s != nil {
			s.Users++
		}
	}
	return e, nil
}

// arrange builds the scene that views read.
func (e *shardView) arrange() (err error) {
	n := len(e.Rows)
	if e.instances, err = e.tree(); err != nil {
		return err
	}
	e.parts = make([]instance.State, n)
	e.top = instance.State{
		Objects: instance.Empty, Instances: viewIn(e.instances.View()), Still: e.parts,
		Bounds: e.instances.Bounds(), Radius: e.instances.Radius(),
	}
	levels := make([]instance.Level, 1+n)
	levels[0] = instance.Level{State: &e.top, Table: &e.table}
	for i, s := range e.shards {
		part := &e.parts[i]
		part.Objects, part.Instances = instance.Empty, instance.Empty
		if s != nil {
			// The file is not read: it may not be in memory.
			part.Objects, part.Bounds = s.View(), e.Rows[i].AABB()
			part.Objects.Validity = nil // valid as long as the view that contains it
			part.Radius, part.Total = instance.CornerOf(&part.Bounds), e.Rows[i].Count
			e.top.Total += part.Total
		}
		levels[1+i] = instance.Level{State: part, Table: &e.table, Number: uint32(1 + i)}
	}
	e.table.Levels = levels
	e.table.Source, e.table.Version = e.Of.Number, octree.NextSource()
	return nil
}

// tree returns a tree of the boxes of the prepared shards; their IDs are the numbers of the shards.
func (e *shardView) tree() (*Tree, error) {
	t, err := New(Config{Workers: 1})
	if err != nil {
		return nil, err
	}
	boxes := make([]Object, len(e.Rows))
	var not []uint32
	for i := range e.Rows {
		boxes[i] = Object{Box: e.Rows[i].AABB(), Mask: instance.Mask(0)}
		if e.shards[i] == nil {
			not = append(not, uint32(i))
		}
	}
	if _, err = t.InsertBatch(nil, boxes); err == nil {
		err = t.RemoveBatch(not)
	}
	if err == nil {
		err = t.Rebuild(context.Background(), RebuildOptions{Frozen: true})
	}
	return t, err
}

// own returns the view for callers that have acquired no version.
func (e *shardView) own() SceneView { return SceneView{&e.table.Levels[0], &e.validity, e.validity} }

// numbers returns the numbers of the objects of a shard by ID, none if it is not prepared.
func (e *shardView) numbers(shard uint32) []uint64 {
	if uint64(shard) >= uint64(len(e.shards)) || e.shards[shard] == nil {
		return nil
	}
	return e.shards[shard].Numbers.Of
}

func (e *shardView) global(shard, id uint32) (number uint64, ok bool) {
	numbers := e.numbers(shard)
	if uint64(id) >= uint64(len(numbers)) {
		return 0, false
	}
	return numbers[id], true
}

func (e *shardView) appendGlobal(dst []uint64, shard uint32, ids []uint32) (_ []uint64, ok bool) {
	numbers, n := e.numbers(shard), len(dst)
	dst = slices.Grow(dst, len(ids))[:n+len(ids)]
	to := dst[n:]
	for i, id := range ids {
		if uint64(id) >= uint64(len(numbers)) {
			return dst[:n], false
		}
		to[i] = numbers[id]
	}
	return dst, true
}

func (e *shardView) lookup(number uint64) (shard, id uint32, ok bool) {
	for i := range e.Rows {
		if r := &e.Rows[i]; number < r.Least || r.Most < number || e.shards[i] == nil {
			continue
		}
		if id, ok := e.shards[i].Numbers.Find(number); ok {
			return uint32(i), id, true
		}
	}
	return None, None, false
}

func (e *shardView) missing(box AABB) (shards int, objects uint64) {
	for i := range e.Rows {
		if e.shards[i] == nil && e.Rows[i].Meets(&box) {
			shards++
			objects += e.Rows[i].Count
		}
	}
	return shards, objects
}

// free closes an edition without references: it closes the shards that no other edition has, and releases the listing.
func (e *shardView) free() error {
	e.Of.Lock.Lock()
	var ended []*shard.Shard
	for _, s := range e.shards {
		if s == nil {
			continue
		}
		if s.Users--; s.Users == 0 {
			ended = append(ended, s)
		}
	}
	e.Of.Lock.Unlock()
	var errs []error
	for _, s := range ended {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, e.Listing.Close())...)
}

// with returns the shards of an edition by the rows of another listing: those with equal rows. When the folder has
// been made again, a number may name another file, but then the row differs.
func (e *shardView) with(list *shard.Listing) []*shard.Shard {
	byRow := make(map[shard.Row]*shard.Shard, len(e.Rows))
	for i, s := range e.shards {
		if s != nil {
			byRow[e.Rows[i]] = s
		}
	}
	shards := make([]*shard.Shard, len(list.Rows))
	for i := range list.Rows {
		shards[i] = byRow[list.Rows[i]]
	}
	return slices.Clip(shards)
}
