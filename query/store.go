package query

import "github.com/zoctree/zoctree/soa"

// AppendStore is the Append of a volume on a store that is no tree's, which package
// query/interest fills with a few objects: columns of packets but Owner and Homes, in more than
// eight slots the hot nodes over them and their slots, Near and Extent. The answer is that
// of a tree of these objects with that Near and Extent.
func AppendStore[V Volume](dst []uint32, s *soa.Store, volume *V, flt *Filter) []uint32 {
	return begin(volume, s).append(dst, flt)
}
