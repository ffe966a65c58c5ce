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

// judged judges the form with a test function: functions that accept each box as it is, none, or some of them later
// than their boxes.
func (j *matrixJudge) judged(f func(linear.View, query.Filter, func(uint32, float32) float32) (uint32, float32, bool)) error {
	n := len(j.hits)
	enters := map[uint32]float32{}
	for _, h := range j.hits {
		enters[h.ID] = h.Dist
	}
	ask := func(judge func(id uint32, enter float32) float32) (id uint32, dist float32, ok bool, calls int, err error) {
		seen := map[uint32]bool{}
		id, dist, ok = f(j.v, j.flt.Filter, func(id uint32, enter float32) float32 {
			if want, hit := enters[id]; !hit || math.Float32bits(want) != math.Float32bits(enter) || seen[id] {
				err = fmt.Errorf("asked for %d at %v, seen %v; its hit is at %v %v", id, enter, seen[id], want, hit)
			}
			seen[id] = true
			return judge(id, enter)
		})
		return id, dist, ok, len(seen), err
	}
	id, dist, ok, _, err := ask(func(_ uint32, enter float32) float32 {
		if enter == 0 {
			return float32(math.Copysign(0, -1)) // is 0 in the result
		}
		return enter
	})
	if err == nil {
		err = j.begins(id, dist, ok)
	}
	if err != nil {
		return fmt.Errorf("boxes: %w", err)
	}
	for _, miss := range []float32{float32(math.NaN()), -1, float32(math.Inf(1))} {
		if id, dist, ok, calls, err := ask(func(uint32, float32) float32 { return miss }); err != nil || ok || id != 0 || dist != 0 || calls != n {
			return fmt.Errorf("all said to be %v: %d at %v %v, asked for %d of %d: %v", miss, id, dist, ok, calls, n, err)
		}
	}
	shape := func(id uint32, enter float32) float32 {
		switch x := id * 2654435761 >> 16; {
		case x%4 == 0:
			return -1
		case x%4 == 1: // before the box is one that does not count
			return math.Nextafter32(enter, -1)
		default:
			return enter + float32((j.hits[n-1].Dist-enter)*(float32(x%64)/64))
		}
	}
	var best query.Hit
	found := false
	for _, h := range j.hits {
		d := shape(h.ID, h.Dist)
		if d >= h.Dist && (!found || d < best.Dist || d == best.Dist && h.ID < best.ID) {
			best.ID, best.Dist, found = h.ID, d, true
		}
	}
	if id, dist, ok, _, err := ask(shape); err != nil || ok != found || ok && (id != best.ID || dist != best.Dist) {
		return fmt.Errorf("shapes: %d at %v %v, want %d at %v %v: %v", id, dist, ok, best.ID, best.Dist, found, err)
	}
	return nil
}
