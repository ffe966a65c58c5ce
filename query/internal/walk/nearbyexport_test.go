package walk

import "github.com/zoctree/zoctree/soa"

// FrontierOpens makes the first step of an iteration that pretends to have yielded so many objects already. It returns
// the number of nodes and packets that were opened, and whether the step ended in a full scan.
func FrontierOpens(s *soa.Store, point [3]float32, given int) (opened int, scanned bool) {
	var q Frontier
	q.Begin(s, &point, &Everything)
	q.given = given
	q.Next(s, &Everything)
	return q.opened, q.scanned
}

// FrontierScansAfter is the number of objects that an iteration yields until it scans all, -1 if it never does.
func FrontierScansAfter(s *soa.Store, point [3]float32) int {
	var q Frontier
	q.Begin(s, &point, &Everything)
	for !q.scanned {
		if _, ok := q.Next(s, &Everything); !ok {
			return -1
		}
	}
	return q.given
}

// Split parts keys in two.
func Split(keys []uint64) int { return split(keys) }
