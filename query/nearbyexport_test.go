package query

import (
	"math"

	"github.com/zoctree/zoctree/linear"
)

// NearbyOpens makes the first step of an iteration that pretends to have yielded so many objects already. It returns
// the number of nodes and packets that were opened, and whether the step ended in a full scan.
func NearbyOpens(n Nearby, v linear.View, given int) (opened int, scanned bool) {
	var q frontier
	s := v.Store()
	q.unit = beginNear(&q.walk, s, &n.point, float32(math.Inf(1)), &Filter{})
	q.queue()
	q.given = given
	q.next(s, Filter{})
	return q.opened, q.scanned
}

// NearbyScansAfter is the number of objects that an iteration yields until it scans all, -1 if it never does.
func NearbyScansAfter(n Nearby, v linear.View) int {
	var q frontier
	s := v.Store()
	q.unit = beginNear(&q.walk, s, &n.point, float32(math.Inf(1)), &Filter{})
	q.queue()
	for !q.scanned {
		if _, ok := q.next(s, Filter{}); !ok {
			return -1
		}
	}
	return q.given
}

// Split parts keys in two.
func Split(keys []uint64) int { return split(keys) }
