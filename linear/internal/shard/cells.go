package shard

import (
	"context"
	"slices"
	"sort"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
)

// Shards are octree cells: all objects whose keys begin with the same bits, at most as many as a shard may hold. So
// the boxes of shards are bricks with sides of ratio 1 or 2, apart from objects that extend beyond them. Runs of
// equal length of the Morton curve would have ragged ends, and boxes several times as large. Nearly empty cells,
// which lie beside clusters, are merged with the next one.

// piece is a run of objects in key order that becomes a shard.
type piece struct {
	from, to int
	first    morton.Key // smallest key that it may have
}

// pieces splits n objects into pieces of at most most. keyAt returns their keys, which ascend and are floor or more.
func pieces(n, most int, floor morton.Key, keyAt func(i int) morton.Key) (list []piece) {
	var halve func(from, to, bits int)
	halve = func(from, to, bits int) {
		first := keyAt(from)
		switch {
		case to-from > most && bits < morton.Bits:
			one := morton.Key(1) << (morton.Bits - 1 - bits)
			if middle := from + sort.Search(to-from, func(i int) bool { return keyAt(from+i)&one != 0 }); middle > from && middle < to {
				halve(from, middle, bits+1)
				halve(middle, to, bits+1)
			} else {
				halve(from, to, bits+1)
			}
		case to-from > most: // all have the same key
			for ; to-from > most; from += most {
				list = append(list, piece{from, from + most, first})
			}
			list = append(list, piece{from, to, first})
		default:
			first = max(floor, morton.CellOf(first, bits).First())
			if k := len(list) - 1; k >= 0 && to-list[k].from <= most/2 {
				list[k].to = to
				return
			}
			list = append(list, piece{from, to, first})
		}
	}
	if n > 0 {
		halve(0, n, 0)
	}
	return slices.Clip(list)
}

// keyOrder holds the buffers for sorting records by keys.
type keyOrder struct {
	keys []uint64
	sort radix.Scratch
}

// Cut splits records into pieces. The first piece may have all keys from floor on, or from its own smallest one if
// floor is nil. at returns a record by its index in key order, until the next call.
func (c *keyOrder) Cut(ctx context.Context, w *morton.World, records []numbered, most int, floor *morton.Key, workers int) (list []piece, at func(i int) *numbered, err error) {
	c.keys = c.keys[:0]
	for i := range records {
		c.keys = append(c.keys, uint64(records[i].Key(w)))
	}
	order, err := c.sort.Order(c.keys, radix.Options{Workers: workers, Context: ctx})
	if err != nil {
		return nil, nil, err
	}
	if len(order) == 0 {
		return nil, nil, nil
	}
	keyAt := func(i int) morton.Key { return morton.Key(c.keys[radix.Index(order[i])]) }
	least := keyAt(0)
	if floor != nil {
		least = *floor
	}
	list = pieces(len(order), most, least, keyAt)
	return list, func(i int) *numbered { return &records[radix.Index(order[i])] }, nil
}
