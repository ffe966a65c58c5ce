package linear

import (
	"context"
	"errors"
	"slices"
)

// edition is a directory with the shards that have been prepared: a scene that does not
// change. Each Prepare that opens a shard makes a new one, and those who hold an older one
// keep it.
//
//	edition 1   shards  a b - -      edition 2   a b c -     edition 3   a d c -
//	            manifest 1                       manifest 1              manifest 2
//
// It is not made of a [Scene], whose parts know those who hold them: here parts belong to many
// editions, and nobody is to be told.
type edition struct {
	*listing
	shards []*shard // by number; nil: not prepared

	places *Tree // a box for each shard that is prepared
	top    state
	parts  []state
	table  table

	life  uint64 // counts what ends views that are not held
	holds int    // of readers, and of the directory; its lock is that of the directory
}

// newEdition makes one, which has a hold on the listing and on each shard.
func newEdition(list *listing, shards []*shard) (*edition, error) {
	e := &edition{listing: list, shards: shards, holds: 1}
	if err := e.arrange(); err != nil {
		return nil, err
	}
	f := list.of
	f.lock.Lock()
	defer f.lock.Unlock()
	list.users++
	for _, s := range shards {
		if s != nil {
			s.holds++
		}
	}
	return e, nil
}

// arrange makes what views show.
func (e *edition) arrange() (err error) {
	n := len(e.rows)
	if e.places, err = e.tree(); err != nil {
		return err
	}
	e.parts = make([]state, n)
	e.top = state{
		objects: nowhere, places: e.places.View(), still: e.parts,
		bounds: e.places.Bounds(), radius: e.places.Radius(),
	}
	levels := make([]level, 1+n)
	levels[0] = level{state: &e.top, table: &e.table}
	for i, s := range e.shards {
		part := &e.parts[i]
		part.objects, part.places = nowhere, nowhere
		if s != nil {
			// Nothing of the file is read: it may not be in memory.
			part.objects, part.bounds = s.View(), e.rows[i].box()
			part.objects.life = nil // it lives as long as the view it is of
			part.radius, part.total = cornerOf(&part.bounds), e.rows[i].Count
			e.top.total += part.total
		}
		levels[1+i] = level{state: part, table: &e.table, number: uint32(1 + i)}
	}
	e.table.levels = levels
	e.table.source, e.table.version = e.of.number, nextSource()
	return nil
}

// tree returns that of the boxes of the shards that are prepared; their IDs are the
// numbers of the shards.
func (e *edition) tree() (*Tree, error) {
	t, err := New(Config{Workers: 1})
	if err != nil {
		return nil, err
	}
	boxes := make([]Object, len(e.rows))
	var not []uint32
	for i := range e.rows {
		boxes[i] = Object{Box: e.rows[i].box(), Mask: gate(0)}
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

// own returns the view of those who hold nothing.
func (e *edition) own() SceneView { return SceneView{&e.table.levels[0], &e.life, e.life} }

// numbers returns those of the objects of a shard by ID, none if it is not prepared.
func (e *edition) numbers(shard uint32) []uint64 {
	if uint64(shard) >= uint64(len(e.shards)) || e.shards[shard] == nil {
		return nil
	}
	return e.shards[shard].numbers.of
}

func (e *edition) global(shard, id uint32) (number uint64, ok bool) {
	numbers := e.numbers(shard)
	if uint64(id) >= uint64(len(numbers)) {
		return 0, false
	}
	return numbers[id], true
}

func (e *edition) appendGlobal(dst []uint64, shard uint32, ids []uint32) (_ []uint64, ok bool) {
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

func (e *edition) missing(box AABB) (shards int, objects uint64) {
	for i := range e.rows {
		if e.shards[i] == nil && e.rows[i].meets(&box) {
			shards++
			objects += e.rows[i].Count
		}
	}
	return shards, objects
}

// meets reports whether the box of a shard and another one share a point.
func (r *shardRow) meets(b *AABB) bool {
	for a := range 3 {
		if !(r.Box[a] <= b.Max[a] && b.Min[a] <= r.Box[3+a]) {
			return false
		}
	}
	return true
}

// leave ends a hold, and reports whether it was the last one. The lock of the directory is
// held.
func (e *edition) leave() bool {
	e.holds--
	return e.holds == 0
}

// free ends an edition that nobody holds: the shards that no other one has, and the hold on
// the listing.
func (e *edition) free() error {
	e.of.lock.Lock()
	var ended []*shard
	for _, s := range e.shards {
		if s == nil {
			continue
		}
		if s.holds--; s.holds == 0 {
			ended = append(ended, s)
		}
	}
	e.of.lock.Unlock()
	var errs []error
	for _, s := range ended {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, e.listing.close())...)
}

// with returns the shards of an edition of another listing: those whose files are the same. One
// number names another file when the folder has been made anew, but in another row.
func (e *edition) with(list *listing) []*shard {
	byRow := make(map[shardRow]*shard, len(e.rows))
	for i, s := range e.shards {
		if s != nil {
			byRow[e.rows[i]] = s
		}
	}
	shards := make([]*shard, len(list.rows))
	for i := range list.rows {
		shards[i] = byRow[list.rows[i]]
	}
	return slices.Clip(shards)
}
