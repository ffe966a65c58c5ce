package linear

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

var stateSeed = maphash.MakeSeed()

// StateOf returns the state of a tree as text: a hash of all its columns, byte by byte, and everything else
// that decides the effect of later calls. It does not apply deferred changes.
func StateOf(t *Tree) string {
	s := t.octree.Store
	var h maphash.Hash
	h.SetSeed(stateSeed)
	for _, col := range s.Nodes.Columns(nil) {
		h.Write(col.Bytes())
	}
	for _, col := range s.Packets.Columns(nil) {
		h.Write(col.Bytes())
	}
	write := func(list any) { // ten times as fast as formatting
		if err := binary.Write(&h, binary.NativeEndian, list); err != nil {
			panic(err)
		}
	}
	ids := t.octree.IDs
	write(ids.Where)
	write(ids.Gen.Low) // none before the first release
	write(ids.Gen.High)
	write(s.Pending)
	ids.Where, ids.Gen = nil, soa.Generations{}
	fmt.Fprint(&h, ids, len(t.octree.IDs.Where), len(s.Pending))
	if l := s.Log; l != nil {
		write(l.Changes)
		write(l.Born)
		fmt.Fprint(&h, len(l.Changes), l.First, l.Frame, l.Births)
	}
	sum := h.Sum64()
	var free []uint32
	for n := range s.Nodes.EachFree {
		free = append(free, n)
	}
	for n, ok := t.octree.Free.Next(0); ok; n, ok = t.octree.Free.Next(n + 1) {
		free = append(free, n)
	}
	var tall [][]uint32
	for i := range t.octree.RefitByHeight {
		tall = append(tall, members(&t.octree.RefitByHeight[i]))
	}
	for len(tall) > 0 && tall[len(tall)-1] == nil {
		tall = tall[:len(tall)-1]
	}
	return fmt.Sprint(sum, free, len(s.Nodes.Hot), len(s.Packets.Counts), s.Near, s.Extent, s.Count, s.Counted,
		"world", t.octree.World, t.octree.Centres, t.octree.FastBounds, t.octree.Code.Outlier, "frozen", t.octree.Frozen, t.octree.Pending, t.octree.Arrived, t.octree.Base, t.octree.Peak,
		"dirty", members(&t.octree.Dirty), tall, "thin", members(&t.octree.Underfull), t.octree.EmptyNodes, "worn", members(&t.octree.Degraded), t.octree.RecutCursor, t.octree.PlacedThisTick,
		"tick", t.octree.Tick, t.octree.Store.Version == t.octree.Ticked, t.octree.BuiltAtTick, t.octree.Uncut, t.octree.Work, t.octree.LastWork, "drift", t.octree.BulkMotion, t.octree.Visits, t.octree.Outside,
		"leaving", members(&t.octree.Leaving), t.octree.RemovedOutside, t.octree.Thinned, t.octree.Arrangement, "strays", t.octree.Displaced,
		"waits", len(t.octree.Removed), t.octree.SingleMoves, t.octree.Strayed, t.deferred.moves.Len())
}

func members(s *bitset.Set) (all []uint32) {
	for i, ok := s.Next(0); ok; i, ok = s.Next(i + 1) {
		all = append(all, i)
	}
	return slices.Clip(all)
}

// VoxelBytes returns the memory of the table of cells of a tree that thins, in bytes.
func VoxelBytes(t *Tree) int { return t.octree.VoxelBytes() }

// LookPending reports whether a read would apply deferred changes.
func LookPending(t *Tree) bool { return !t.deferred.synced.Load() }

// Rooms returns the capacity of a batch in bytes.
func (b *Batch) Rooms() int {
	p := &b.parts
	return mem.Bytes(b.runs) + mem.Bytes(p.ids) + mem.Bytes(p.objects) + mem.Bytes(p.balls) + p.to.Bytes() +
		mem.Bytes(p.words) + mem.Bytes(p.flags) + mem.Bytes(p.regions)
}

// SameBatch reports whether two batches are identical, bit by bit.
func SameBatch(a, b *Batch) bool {
	return slices.Equal(a.runs, b.runs) && a.calls == b.calls && slices.Equal(a.ids, b.ids) && slices.Equal(a.words, b.words) &&
		slices.Equal(a.flags, b.flags) && same(a.objects, b.objects) && same(a.balls, b.balls) && same(a.to.Boxes, b.to.Boxes) &&
		same(a.to.Spheres, b.to.Spheres) && same(a.to.Oriented, b.to.Oriented) && slices.EqualFunc(a.regions, b.regions, func(x, y selection) bool {
		return x.filter == y.filter && x.region.sphere == y.region.sphere && same(x.region.numbers[:], y.region.numbers[:])
	})
}

// same compares lists, floats by their bits.
func same[T any](a, b []T) bool {
	return slices.Equal(bitsOf(nil, reflect.ValueOf(a)), bitsOf(nil, reflect.ValueOf(b)))
}

func bitsOf(bits []uint32, v reflect.Value) []uint32 {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			bits = bitsOf(bits, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			bits = bitsOf(bits, v.Field(i))
		}
	case reflect.Float32:
		return append(bits, math.Float32bits(v.Interface().(float32)))
	case reflect.Bool:
		if v.Bool() {
			return append(bits, 1)
		}
		return append(bits, 0)
	default:
		return append(bits, uint32(v.Uint()))
	}
	return bits
}

// LinksIn returns the number of free slots whose first ID is not cleared.
func LinksIn(t *Tree) (n int) {
	free, ids := &t.octree.Free, t.octree.Store.Packets.IDs
	for slot, ok := free.Next(0); ok; slot, ok = free.Next(slot + 1) {
		if ids[slot][0] != 0 {
			n++
		}
	}
	return n
}
