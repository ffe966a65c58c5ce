package main

import (
	"slices"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// kind is a kind of query files.
type kind struct {
	workload string
	flag     string
	usage    string
	load     func(path string) (batch, error)
}

// kinds are all that replay understands.
var kinds = []kind{
	{"frustum", "frusta", "cull with the frusta of `FILE`; may be repeated", loadFrusta},
}

// batch is the queries of a file.
type batch interface {
	len() int
	// query appends the answer to query i.
	query(dst []uint32, v linear.View, i int) []uint32
	// pass answers all queries, each into the memory of dst, which it returns
	// for the next pass, with the number of all results.
	pass(dst []uint32, v linear.View) ([]uint32, uint64)
	// verify compares the answer to query i with the oracle's.
	verify(v linear.View, boxes []soa.AABB, i int) bool
}

type frusta []baseline.Lens

func loadFrusta(path string) (batch, error) {
	planes, err := flat.Load(path, flat.ReadFrusta)
	if err != nil {
		return nil, err
	}
	lenses, err := lensesOf(planes)
	return frusta(lenses), err
}

func (f frusta) len() int { return len(f) }

func (f frusta) query(dst []uint32, v linear.View, i int) []uint32 {
	return f[i].Frustum.Append(dst, v, query.Filter{})
}

func (f frusta) pass(dst []uint32, v linear.View) ([]uint32, uint64) {
	results := 0
	for i := range f {
		dst = f[i].Frustum.Append(dst[:0], v, query.Filter{})
		results += len(dst)
	}
	return dst, uint64(results)
}

func (f frusta) verify(v linear.View, boxes []soa.AABB, i int) bool {
	return verifyFrustum(f.query(nil, v, i), boxes, f[i].Planes)
}

// verifyFrustum reports whether got, which it sorts, is the twin's answer.
func verifyFrustum(got []uint32, boxes []soa.AABB, planes [6][4]float32) bool {
	slices.Sort(got)
	want := testkit.TwinFrustum(boxes, planes)
	return slices.EqualFunc(got, want, func(g uint32, w int) bool { return int(g) == w })
}
