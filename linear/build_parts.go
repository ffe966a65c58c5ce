package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/soa"
)

// The phases of a build whose rows do not depend on each other are shared out to
// workers in runs of rows. The sort has workers of its own; the topology and the
// boxes of nodes above nodes, which are a hundredth of a build, have one.
//
//	survey, encode, squeeze   objects, or packets where these are the source
//	cutting                   cells
//	fill, place               slots
//	leaves                    nodes of packets: homes, areas, boxes in the nodes above
//
// The least numbers are variables for tests.
var (
	// encodeMin is the least number of objects worth another worker for a pass
	// over boxes or keys, which are soon done. To wake a core takes a while, and
	// more if others want it.
	encodeMin = 1 << 17

	// cutMin is that of objects of cells that are cut.
	cutMin = 1 << 14

	// fillMin is that of slots, of which each takes as long as dozens of keys.
	fillMin = 1 << 12

	// leafMin is that of nodes.
	leafMin = fillMin / soa.Fan
)

// inParts runs part on the rows lo to hi-1: in equal parts by as many workers as the
// build may have, unless these would have less than least rows each.
func (j *job) inParts(lo, hi, least int, part func(j *job, lo, hi int)) {
	if w := j.workers(hi-lo, least); w > 1 {
		inParts(lo, hi, w, func(_, lo, hi int) { part(j, lo, hi) })
		return
	}
	part(j, lo, hi)
}

// workers returns how many workers share n rows.
func (j *job) workers(n, least int) int { return min(j.t.cfg.Workers, n/least) }

// inParts runs part number 0 to workers-1 of the rows lo to hi-1, the last on the
// goroutine of the caller.
func inParts(lo, hi, workers int, part func(number, lo, hi int)) {
	each := (hi - lo) / workers
	team.Run(workers, func(member int) {
		number := workers - 1 - member
		end := lo + (number+1)*each
		if member == 0 {
			end = hi
		}
		part(number, lo+number*each, end)
	}, nil)
}

// survey checks the boxes of a batch as [asm.Survey] does.
func (t *Tree) survey(objects []soa.Object) (centres, union soa.AABB, bad int) {
	if w := min(t.cfg.Workers, len(objects)/encodeMin); w > 1 {
		return surveyParts(objects, w)
	}
	c, u, bad := asm.Survey(soa.Words(objects), 8, len(objects))
	return boxOf(c), boxOf(u), bad
}

func surveyParts(objects []soa.Object, workers int) (centres, union soa.AABB, bad int) {
	type result struct {
		centres, union soa.AABB
		bad            int
	}
	results := make([]result, workers)
	inParts(0, len(objects), workers, func(number, lo, hi int) {
		c, u, bad := asm.Survey(soa.Words(objects[lo:hi]), 8, hi-lo)
		if bad >= 0 {
			bad += lo
		}
		results[number] = result{boxOf(c), boxOf(u), bad}
	})
	centres, union = soa.Empty(), soa.Empty()
	for _, r := range results {
		if r.bad >= 0 {
			return centres, union, r.bad
		}
		centres, union = centres.Union(r.centres), union.Union(r.union)
	}
	return centres, union, -1
}
