package query

import "github.com/zoctree/zoctree/soa"

// BatchSorts reports whether a batch about these points is put in order.
func BatchSorts(s *soa.Store, points [][3]float32) bool {
	b := batch[uint32]{points: points}
	order, err := b.order(nil, s, len(points))
	return err == nil && order != nil
}
