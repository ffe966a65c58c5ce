package query

import "github.com/zoctree/zoctree/soa"

// AppendStore is the volume's Append for a store that belongs to no tree, which package
// query/interest fills with a few objects. The store needs the columns of packets except Owner and
// PlacementBoxes, and Near and Extent; with more than eight slots it also needs the hot nodes over them and
// their slots. The answer is as for a tree of these objects with that Near and Extent. Exclude
// counts as [Resolve] has resolved it for this store.
func AppendStore[V Volume](dst []uint32, s *soa.Store, volume *V, flt *Filter) []uint32 {
	return begin(volume, s).append(dst, flt)
}
