package query_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// sameHits judges a form that returns the IDs of the hits, in any order.
func (j *matrixJudge) sameHits(f func([]uint32, linear.View, query.Filter) []uint32) error {
	got := f(slices.Clone(matrixPrefix), j.v, j.flt.Filter)
	n := len(matrixPrefix)
	if !slices.Equal(got[:n], matrixPrefix) {
		return fmt.Errorf("%v in front of the answer, want %v", got[:n], matrixPrefix)
	}
	var want []uint32
	for _, h := range j.hits {
		want = append(want, h.ID)
	}
	got = got[n:]
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("IDs %v, Append has %v", got, want)
	}
	return nil
}

// begins judges a first hit without its position.
func (j *matrixJudge) begins(id uint32, dist float32, ok bool) error {
	n := len(j.hits)
	if ok != (n > 0) || ok && (id != j.hits[0].ID || math.Float32bits(dist) != math.Float32bits(j.hits[0].Dist)) {
		return fmt.Errorf("%d at %v %v, Append begins with %+v", id, dist, ok, j.hits[:min(n, 1)])
	}
	return nil
}

// firstFunc judges the form with a test function: functions that accept each box as it is, none, or some of them
// later than their boxes, and functions with times that do not count.
func (j *matrixJudge) firstFunc(f func(linear.View, query.Filter, func(uint32, float32) (float32, bool)) (uint32, float32, bool)) error {
	n := len(j.hits)
	enters := map[uint32]float32{}
	for _, h := range j.hits {
		enters[h.ID] = h.Dist
	}
	ask := func(test func(id uint32, tEnter float32) (float32, bool)) (id uint32, dist float32, ok bool, calls int, err error) {
		seen := map[uint32]bool{}
		id, dist, ok = f(j.v, j.flt.Filter, func(id uint32, tEnter float32) (float32, bool) {
			if want, hit := enters[id]; !hit || math.Float32bits(want) != math.Float32bits(tEnter) || seen[id] {
				err = fmt.Errorf("asked for %d at %v, seen %v; its hit is at %v %v", id, tEnter, seen[id], want, hit)
			}
			seen[id] = true
			return test(id, tEnter)
		})
		return id, dist, ok, len(seen), err
	}
	id, dist, ok, _, err := ask(func(_ uint32, tEnter float32) (float32, bool) {
		if tEnter == 0 {
			return float32(math.Copysign(0, -1)), true // is 0 in the result
		}
		return tEnter, true
	})
	if err == nil {
		err = j.begins(id, dist, ok)
	}
	if err != nil {
		return fmt.Errorf("boxes: %w", err)
	}
	inf := float32(math.Inf(1))
	for _, miss := range []struct {
		add float32 // to tEnter
		hit bool
	}{{0, false}, {float32(math.NaN()), false}, {float32(math.NaN()), true}, {inf, true}} {
		if id, dist, ok, calls, err := ask(func(_ uint32, tEnter float32) (float32, bool) { return tEnter + miss.add, miss.hit }); err != nil || ok || id != 0 || dist != 0 || calls != n {
			return fmt.Errorf("tEnter + %v, %v for all: %d at %v %v, %d of %d tested: %v", miss.add, miss.hit, id, dist, ok, calls, n, err)
		}
	}
	if id, dist, ok, _, err = ask(func(uint32, float32) (float32, bool) { return -inf, true }); err == nil {
		err = j.begins(id, dist, ok)
	}
	if err != nil {
		return fmt.Errorf("times before the boxes: %w", err)
	}
	shape := func(id uint32, tEnter float32) (t float32, hit bool) {
		switch x := id * 2654435761 >> 16; x % 4 {
		case 0:
			return tEnter, false
		case 1: // a time before the box is taken for that of the box
			return math.Nextafter32(tEnter, -1), true
		default:
			return tEnter + float32((j.hits[n-1].Dist-tEnter)*(float32(x%64)/64)), true
		}
	}
	var best query.Hit
	found := false
	for _, h := range j.hits {
		d, hit := shape(h.ID, h.Dist)
		if d = max(d, h.Dist); hit && (!found || d < best.Dist || d == best.Dist && h.ID < best.ID) {
			best.ID, best.Dist, found = h.ID, d, true
		}
	}
	if id, dist, ok, _, err := ask(shape); err != nil || ok != found || ok && (id != best.ID || dist != best.Dist) {
		return fmt.Errorf("shapes: %d at %v %v, want %d at %v %v: %v", id, dist, ok, best.ID, best.Dist, found, err)
	}
	return nil
}
