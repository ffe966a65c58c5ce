package main

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// ours is a tree of this library. Its queries are prepared values of package query, as the queries of the
// rivals are prepared.
type ours struct {
	frozen bool
	tree   *linear.Tree
	hits   []query.Hit
	near   []query.Neighbor
	pairs  []collide.Pair

	ids   []uint32 // IDs of a batch
	boxes []soa.AABB
	fresh []soa.Object
	given []uint32
}

// Build implements [index.Index].
func (o *ours) Build(objects []soa.Object) {
	t := must.Get(linear.New(linear.Config{Workers: 1, Frozen: o.frozen}))
	must.Get(t.InsertBatch(make([]uint32, 0, len(objects)), objects))
	o.tree = t
}

// Settle implements [index.Settler].
func (o *ours) Settle() { must.Do(lab.Settle(o.tree)) }

// Trim releases the memory that a build keeps for the next one.
func (o *ours) Trim() { o.tree.Trim() }

// Insert implements [index.Inserter]. The tree must assign the requested ID, the one freed last.
func (o *ours) Insert(id uint32, object soa.Object) {
	got := must.Get(o.tree.Insert(object))
	if got != id {
		panic(fmt.Sprintf("rivals: the tree gave ID %d, not %d", got, id))
	}
}

// Remove implements [index.Remover].
func (o *ours) Remove(id uint32) { must.Do(o.tree.Remove(id)) }

// Move implements [index.Mover].
func (o *ours) Move(id uint32, box soa.AABB) { must.Do(o.tree.Move(id, box)) }

// MoveBatch implements batcher.
func (o *ours) MoveBatch(changes []change) {
	o.ids, o.boxes = slices.Grow(o.ids[:0], len(changes))[:len(changes)], slices.Grow(o.boxes[:0], len(changes))[:len(changes)]
	ids, boxes := o.ids, o.boxes
	for i := range changes {
		ids[i], boxes[i] = changes[i].id, changes[i].box
	}
	must.Do(o.tree.MoveBatch(ids, boxes))
}

// ReplaceBatch implements batcher. IDs are reused last in, first out, so the objects are inserted in reverse
// order.
func (o *ours) ReplaceBatch(changes []change, objects []soa.Object) {
	o.ids, o.fresh = slices.Grow(o.ids[:0], len(changes))[:len(changes)], slices.Grow(o.fresh[:0], len(changes))[:len(changes)]
	ids, fresh := o.ids, o.fresh
	for i := range changes {
		c, object := &changes[i], &fresh[len(changes)-1-i]
		ids[i] = c.id
		object.Mask, object.Static, object.Box = objects[c.id].Mask, objects[c.id].Static, c.box
	}
	must.Do(o.tree.RemoveBatch(ids))
	given := must.Get(o.tree.InsertBatch(o.given[:0], fresh))
	slices.Reverse(given)
	if !slices.Equal(given, ids) {
		panic("rivals: the tree did not reuse the free IDs")
	}
	o.given = given
}

// Tick implements [index.Ticker].
func (o *ours) Tick() { must.Do(o.tree.Tick()) }

// Pairs implements [index.Pairs].
func (o *ours) Pairs(yield func(a, b uint32)) {
	o.pairs = collide.Append(o.pairs[:0], collide.Within(o.tree.View()), collide.Filter{})
	for _, p := range o.pairs {
		yield(p.A, p.B)
	}
}

// AppendNearest implements [index.Nearest].
func (o *ours) AppendNearest(dst []index.Neighbor, p [3]float32, k int) []index.Neighbor {
	near := must.Get(query.AppendNearest(o.near[:0], o.tree.View(), p, k, anyDistance, query.Filter{}))
	o.near = near
	for _, n := range near {
		dst = append(dst, index.Neighbor{ID: n.ID, Dist2: n.Dist2})
	}
	return dst
}

// cast appends the hits of a ray, or its first hit.
func (o *ours) cast(dst []index.Hit, r *query.Ray, first bool) []index.Hit {
	v := o.tree.View()
	if first {
		if h, ok := r.First(v, query.Filter{}); ok {
			dst = append(dst, index.Hit{ID: h.ID, Dist: h.Dist})
		}
		return dst
	}
	o.hits = r.Append(o.hits[:0], v, query.Filter{})
	for _, h := range o.hits {
		dst = append(dst, index.Hit{ID: h.ID, Dist: h.Dist})
	}
	return dst
}
