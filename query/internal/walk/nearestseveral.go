package walk

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// severalMost is the maximum k of several.
const severalMost = 128

// severalVisits is the number of entries that a walk visits to estimate a distance: the way down and some packets.
const severalVisits = 24

// several searches for at most severalMost objects without a filter or a scale. The kernel begins to search for the
// [trace.NearMany] nearest objects; from their distance that of the k-th is estimated. A second walk lists all objects
// within the estimate, without the order that a lower bound needs after each packet. It reports whether these are
// the k nearest and more, or all within the bound. Otherwise the search begins anew.
func (q *Nearest) several(s *soa.Store, k int) bool {
	w := &q.walk
	limit := w.Bound
	q.keep.Reset(trace.NearMany, limit)
	for more := true; more && w.Bound == limit; q.keep.Len = 0 {
		w.Budget = severalVisits
		more = trace.NearFind(w, &q.keep, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs)
		if q.bailout.due(severalVisits) {
			return false
		}
	}
	near, share := w.Bound, severalShare(k)
	for range 3 {
		w.Bound = min(near*share, limit)
		if w.Bound > math.MaxFloat32 || !q.list(s, 4*k) {
			return false
		}
		if len(q.keys) >= k || w.Bound == limit {
			q.sort(s, k)
			return true
		}
		share *= 2
	}
	return false
}

// severalParts is the number of parts of a sort by distance.
const severalParts = 128

// sort sorts the listed keys and replaces locations by IDs, of the first k and more. It sorts by parts of the bound,
// without branches, which would be mispredicted, and then within the parts.
func (q *Nearest) sort(s *soa.Store, k int) {
	var ends [severalParts + 2]uint16
	n := len(q.keys)
	k = min(k, n)
	scale := severalParts / q.walk.Bound
	if !(scale <= math.MaxFloat32) {
		scale = 0
	}
	for _, key := range q.keys {
		ends[int(distOf(key)*scale)+1]++
	}
	sum, most, end := uint16(0), uint16(0), n
	for i, c := range ends {
		most = max(most, c)
		if sum += c; int(sum) >= k && int(sum-c) < k {
			end = int(sum)
		}
		ends[i] = sum
	}
	q.late = slices.Grow(q.late[:0], n)[:n]
	for _, key := range q.keys {
		at := &ends[int(distOf(key)*scale)]
		q.late[*at] = key
		*at++
	}
	keys := q.keys[:end]
	for i, key := range q.late[:end] {
		at := soa.Location(key)
		keys[i] = key&^math.MaxUint32 | uint64(s.Packets.IDs[at.Slot()][at.Lane()])
	}
	if most > 16 {
		slices.Sort(keys)
	} else {
		for i, key := range keys {
			for ; i > 0 && keys[i-1] > key; i-- {
				keys[i] = keys[i-1]
			}
			keys[i] = key
		}
	}
	q.keys = keys[:k]
}

// severalShare returns the ratio of the squared distances of the k-th and the [trace.NearMany]-th object, so large that
// a sphere has k objects or more, most likely. Objects are taken to lie on surfaces, so that their number is in
// proportion to the squared distance.
func severalShare(k int) float32 {
	more := float32(k - trace.NearMany)
	return 1 + (more*1.25+4)/trace.NearMany
}

// list sets keys to the distance and the location of all objects within the bound, which is finite. It returns false
// if there are more than most.
func (q *Nearest) list(s *soa.Store, most int) bool {
	w := &q.walk
	w.Stack, w.Budget = fromRoot(w.Stack, s), 0
	q.keys = slices.Grow(q.keys[:0], most+soa.Lanes)
	keys := q.keys
	for {
		m := trace.NearNext(w, s.Nodes.Hot, s.Packets.Bounds)
		if m == 0 {
			break
		}
		for first := uint64(soa.MakeLocation(w.Slot, 0)); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			keys = append(keys, uint64(math.Float32bits(w.Dist[l]))<<32|first|uint64(l))
		}
		if len(keys) > most {
			q.keys = keys[:0]
			return false
		}
	}
	q.keys = keys
	return true
}
