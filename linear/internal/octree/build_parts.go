package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/soa"
)

// Parallelism in builds. Phases whose rows are independent are split into runs of rows, one per
// worker. The sort has workers of its own. The topology and the boxes of nodes above nodes, a
// hundredth of a build, run on one goroutine.
//
//	survey, encode, squeeze   objects, or packets where these are the source
//	cutting                   cells
//	fill, place               slots
//	leaves                    nodes of packets: placement boxes, areas, boxes in the nodes above
//
// The minimum numbers are variables for tests.
var (
	// EncodeMin is the minimum number of objects per worker for a pass over boxes or keys, which
	// takes little time per object. Waking a core takes time, more so on a loaded machine.
	EncodeMin = 1 << 17

	// CutMin is the minimum number of objects per worker for the partition of cells.
	CutMin = 1 << 14

	// FillMin is the minimum number of slots per worker; a slot takes as long as dozens of keys.
	FillMin = 1 << 12

	// LeafMin is the minimum number of nodes per worker.
	LeafMin = FillMin / soa.Fan
)

// inParts runs part on rows lo to hi-1: in equal parts by as many workers as the build may use,
// with at least least rows each.
func (j *job) inParts(lo, hi, least int, part func(j *job, lo, hi int)) {
	if w := j.workers(hi-lo, least); w > 1 {
		InParts(lo, hi, w, func(_, lo, hi int) { part(j, lo, hi) })
		return
	}
	part(j, lo, hi)
}

// workers returns the number of workers for n rows.
func (j *job) workers(n, least int) int { return min(j.t.Config.Workers, n/least) }

// InParts calls part with numbers 0 to workers-1 for the rows lo to hi-1, the last number on the
// caller's goroutine.
func InParts(lo, hi, workers int, part func(number, lo, hi int)) {
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

// Survey checks the boxes of a batch like [build.Survey].
func (t *Tree) Survey(objects []soa.Object) (centres, union soa.AABB, bad int) {
	if w := min(t.Config.Workers, len(objects)/EncodeMin); w > 1 {
		return surveyParts(objects, w)
	}
	c, u, bad := build.Survey(soa.Words(objects), 8, len(objects))
	return BoxOf(c), BoxOf(u), bad
}

func surveyParts(objects []soa.Object, workers int) (centres, union soa.AABB, bad int) {
	type result struct {
		centres, union soa.AABB
		bad            int
	}
	results := make([]result, workers)
	InParts(0, len(objects), workers, func(number, lo, hi int) {
		c, u, bad := build.Survey(soa.Words(objects[lo:hi]), 8, hi-lo)
		if bad >= 0 {
			bad += lo
		}
		results[number] = result{BoxOf(c), BoxOf(u), bad}
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

// uniformMask returns the type mask of all objects, and true, or false if two objects have different ones.
func (j *job) uniformMask() (mask uint32, uniform bool) {
	if j.from != nil {
		return j.from.UniformMask()
	}
	if j.n == 0 {
		return 0, true
	}
	return j.objects[0].Mask, j.masked == 0
}
